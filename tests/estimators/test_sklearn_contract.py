"""Every estimator keeps scikit-learn's contract."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.feature_extraction.text import CountVectorizer
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

from helpers.sklearn_checks import ORDERED, REFUSED
from textperceptron import AROW, MIRA, AveragedPerceptron, BatchPerceptron, Perceptron, VotedPerceptron

ALL = [Perceptron, AveragedPerceptron, MIRA, AROW, BatchPerceptron, VotedPerceptron]
LINEAR = ALL[:-1]


def expected_failures(estimator):
    return REFUSED if isinstance(estimator, BatchPerceptron) else REFUSED | ORDERED


# The perceptrons with pairs are not here: on pairs, explicit ones as well, they do not follow class weights as far as
# check_class_weight_classifiers wants.
WITH_PAIRS = [MIRA(pair_bits=6), AROW(pair_bits=6)]


@parametrize_with_checks([cls() for cls in ALL], expected_failed_checks=expected_failures)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@pytest.mark.slow
@parametrize_with_checks(WITH_PAIRS, expected_failed_checks=expected_failures)
def test_scikit_learn_checks_with_pairs(estimator, check):
    check(estimator)


TEXTS = ["a fine film", "fine fine cast", "so fine", "dull film", "a dull cast", "dull and long"] * 3
LABELS = ["pos", "pos", "pos", "neg", "neg", "neg"] * 3


@pytest.mark.parametrize("cls", ALL)
def test_works_in_pipeline_grid_search_and_calibration(cls):
    name = "max_iter"
    pipeline = make_pipeline(CountVectorizer(), cls())
    search = GridSearchCV(pipeline, {f"{cls.__name__.lower()}__{name}": [1, 20]}, cv=3).fit(TEXTS, LABELS)
    assert search.predict(["fine", "dull"]).tolist() == ["pos", "neg"]
    X = CountVectorizer().fit_transform(TEXTS)
    calibrated = CalibratedClassifierCV(cls(), cv=3).fit(X, LABELS)
    assert calibrated.predict_proba(X).shape == (18, 2)


@pytest.mark.parametrize("cls", ALL)
def test_clone_and_pickle_keep_parameters_and_model(cls):
    X = CountVectorizer(dtype=np.float32).fit_transform(TEXTS)
    fitted = cls(max_iter=3, random_state=7).fit(X, LABELS)
    assert clone(fitted).get_params() == fitted.get_params()
    loaded = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(loaded.decision_function(X), fitted.decision_function(X))
    # The unpickled learner continues exactly as the original.
    loaded.partial_fit(X, LABELS)
    fitted.partial_fit(X, LABELS)
    np.testing.assert_array_equal(loaded.decision_function(X), fitted.decision_function(X))


@pytest.mark.parametrize("cls", LINEAR)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_weights_take_the_type_of_the_input(cls, dtype):
    X = CountVectorizer(dtype=dtype).fit_transform(TEXTS)
    assert cls().fit(X, LABELS).coef_.dtype == dtype
    assert cls().fit(X.astype(np.int64), LABELS).coef_.dtype == np.float32


@pytest.mark.parametrize("cls", LINEAR)
def test_big_endian_and_long_double_values_keep_their_precision(cls):
    X = CountVectorizer(dtype=np.float64).fit_transform(TEXTS)
    expected = cls().fit(X, LABELS).coef_
    for dtype in (">f8", np.longdouble):
        found = cls().fit(X.toarray().astype(dtype), LABELS).coef_
        assert found.dtype == np.float64
        np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("cls", ALL)
def test_a_model_of_one_float_type_scores_rows_of_the_other(cls):
    X = CountVectorizer(dtype=np.float32).fit_transform(TEXTS)
    fitted = cls().fit(X, LABELS)
    np.testing.assert_allclose(fitted.decision_function(X.astype(np.float64)), fitted.decision_function(X))
    fitted.partial_fit(X.astype(np.float64), LABELS)


@pytest.mark.parametrize("cls", ALL)
def test_a_score_of_zero_predicts_the_first_class(cls):
    X = sp.csr_array(np.eye(2, dtype=np.float32))
    fitted = cls(fit_intercept=False).fit(X, [5, 9])
    empty = sp.csr_array((1, 2), dtype=np.float32)
    assert fitted.decision_function(empty).tolist() == [0]
    assert fitted.predict(empty).tolist() == [5]


@pytest.mark.parametrize("cls", ALL)
def test_labels_may_be_strings_integers_or_booleans(cls):
    X = CountVectorizer(dtype=np.float32).fit_transform(TEXTS)
    for labels in (LABELS, [3 if label == "pos" else -2 for label in LABELS], [label == "pos" for label in LABELS]):
        fitted = cls(max_iter=20).fit(X, labels)
        assert fitted.predict(X).tolist() == labels
        assert fitted.predict(X).dtype == np.asarray(labels).dtype


@pytest.mark.parametrize("cls", LINEAR)
def test_coef_kept_by_the_user_is_not_changed_by_further_training(cls):
    X = CountVectorizer(dtype=np.float32).fit_transform(TEXTS)
    fitted = cls(max_iter=1).fit(X, LABELS)
    kept = fitted.coef_
    before = kept.copy()
    fitted.partial_fit(X, LABELS[::-1])
    np.testing.assert_array_equal(kept, before)
    assert not np.array_equal(fitted.coef_, before)
