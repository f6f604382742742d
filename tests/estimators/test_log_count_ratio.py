"""LogCountRatio computes Wang & Manning's column weights."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.linear_model import Perceptron
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from textperceptron.estimators.bag_of_words import BagOfWords
from textperceptron.estimators.log_count_ratio import LogCountRatio

MULTICLASS = "more than two classes have more than one weight a column: OneVsRestClassifier chooses"


def ratio(X, positive, alpha, balanced):
    inside, outside, share = X[positive].sum(axis=0), X[~positive].sum(axis=0), 0.5
    if balanced:  # one more row for both, the mean of all
        inside, outside = inside + X.mean(axis=0), outside + X.mean(axis=0)
        share = (positive.sum() + 1) / (len(X) + 2)
    p, q = 2 * share * alpha + inside, 2 * (1 - share) * alpha + outside
    return np.log((p / p.sum()) / (q / q.sum()))


def test_a_class_of_two_rows_is_not_refuted_by_common_columns_that_it_lacks():
    X, y = np.zeros((1000, 3)), np.zeros(1000, int)
    X[::2, 0], X[:2, 1], X[:, 2], y[1:4:2] = 1, 1, 1, 1  # half of all rows have column 0, none of class 1
    found = LogCountRatio(balanced=True).fit(X, y).log_ratios_[0]
    np.testing.assert_allclose(found, [np.log(1 / 3), 4.72, 0.0], atol=0.01)  # without the mean row, -5.5, 5.2, 0


@st.composite
def problems(draw):
    rows, columns, classes = draw(st.integers(2, 8)), draw(st.integers(1, 5)), draw(st.integers(2, 4))
    X = draw(hnp.arrays(np.float64, (rows, columns), elements=st.integers(0, 5)))
    y = draw(hnp.arrays(np.int64, rows, elements=st.integers(0, classes - 1)))
    y[: min(2, rows)] = [0, 1][: min(2, rows)]
    return X, y


@given(problems(), st.sampled_from([0.1, 1.0, 3.0]), st.booleans(), st.booleans())
def test_weights_are_log_ratios_of_smoothed_class_frequencies(problem, alpha, balanced, as_sparse):
    X, y = problem
    weigh = LogCountRatio(alpha=alpha, balanced=balanced).fit(sp.csr_matrix(X) if as_sparse else X, y)
    if len(weigh.classes_) == 2:
        np.testing.assert_allclose(
            weigh.log_ratios_, [ratio(X, y == weigh.classes_[1], alpha, balanced)], rtol=1e-6, atol=1e-12
        )
        np.testing.assert_allclose(weigh.transform(X).toarray(), X * weigh.log_ratios_[0], rtol=1e-6, atol=1e-12)
        np.testing.assert_allclose(weigh.weights_of(weigh.classes_[0]), -weigh.log_ratios_[0])
    else:
        expected = [ratio(X, y == label, alpha, balanced) for label in weigh.classes_]
        np.testing.assert_allclose(weigh.log_ratios_, expected, rtol=1e-6, atol=1e-12)
        with pytest.raises(ValueError, match="OneVsRestClassifier"):
            weigh.transform(X)
    for label in weigh.classes_:
        weighted = weigh.weigh(X, label).toarray()
        np.testing.assert_allclose(weighted, X * ratio(X, y == label, alpha, balanced), rtol=1e-6, atol=1e-9)


def test_transform_shares_the_columns_of_its_input():
    X = BagOfWords().fit_transform(["good film", "bad film"])
    weighted = LogCountRatio().fit(X, [1, 0]).transform(X)
    assert np.shares_memory(weighted.indices, X.indices)
    assert weighted.dtype == np.float32


def test_one_vs_rest_wraps_it_for_more_classes():
    texts = ["goal ball team", "ball goal", "vote law", "law vote court", "atom cell", "cell atom lab"]
    y = ["sport", "sport", "politics", "politics", "science", "science"]
    model = make_pipeline(BagOfWords(), OneVsRestClassifier(make_pipeline(LogCountRatio(), Perceptron())))
    assert model.fit(texts, y).predict(["team goal", "court law", "lab atom"]).tolist() == y[::2]


@pytest.mark.parametrize(
    ("X", "y", "alpha", "message"),
    [
        ([[1.0], [-1.0]], [0, 1], 1.0, "Negative values"),
        ([[1.0], [1.0]], [1, 1], 1.0, "only one class"),
        ([[1.0], [1.0]], [0, 1], 0.0, "alpha must be greater than 0"),
    ],
)
def test_bad_input_is_named(X, y, alpha, message):
    with pytest.raises(ValueError, match=message):
        LogCountRatio(alpha=alpha).fit(X, y)


def expected_failures(estimator):
    checks = ("f_contiguous_array_estimator", "methods_sample_order_invariance", "methods_subset_invariance",
              "dict_unchanged", "fit_score_takes_y", "dtype_object")  # fmt: skip
    return {f"check_{check}": MULTICLASS for check in checks}


@parametrize_with_checks([LogCountRatio()], expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)
