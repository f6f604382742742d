"""Several labels per row."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression

from helpers.topic_like import topic_like
from textperceptron import (
    MIRA,
    AveragedPerceptron,
    OneVsAll,
    OneVsOne,
)


def several_labels(n_rows=300):
    X, y = topic_like(n_rows, seed=5)
    X_more, y_more = topic_like(n_rows, seed=6)
    return X + X_more, [{a, b} for a, b in zip(y, y_more, strict=True)]


@pytest.mark.parametrize("estimator", [AveragedPerceptron(), LogisticRegression()], ids=["in one pass", "one by one"])
@pytest.mark.parametrize("threshold", [0.0, "f1"])
def test_rows_with_several_labels_get_several_labels(estimator, threshold):
    X, sets = several_labels()
    model = OneVsAll(estimator, threshold=threshold, validation_fraction=0.3).fit(X, sets)
    assert model.multilabel_
    found = model.predict(X)
    overlap = sum(len(a & b) for a, b in zip(found, sets, strict=True))
    precision, recall = overlap / sum(map(len, found)), overlap / sum(map(len, sets))
    assert 2 * precision * recall / (precision + recall) > 0.75
    names = np.array(sorted({label for labels in sets for label in labels}))
    indicator = np.array([[name in labels for name in names] for labels in sets]).astype(int)
    for form in (indicator, sp.csr_matrix(indicator)):
        same = OneVsAll(clone(estimator), threshold=threshold, validation_fraction=0.3).fit(X, form)
        np.testing.assert_array_equal(same.decision_function(X), model.decision_function(X))
        assert [set(names[row.astype(bool)]) for row in same.predict(X)] == found


def test_label_sets_of_one_label_each_are_label_sets_whatever_the_label(topics):
    X, _ = topics
    codes = np.arange(X.shape[0]) % 2
    model = OneVsAll(MIRA()).fit(X, [[int(code)] for code in codes])
    assert model.multilabel_
    assert set().union(*model.predict(X)) <= {0, 1}
    with pytest.raises(ValueError, match="no labels at all"):
        OneVsAll(MIRA()).fit(X, [[]] * X.shape[0])


def test_label_sets_can_be_scored_and_a_frame_is_an_indicator(topics):
    X, y = topics
    sets = [{label, "all"} for label in y]
    model = OneVsAll(MIRA()).fit(X, sets)
    assert model.score(X, sets) == np.mean([a == b for a, b in zip(model.predict(X), sets, strict=True)]) > 0.8
    indicator = pd.DataFrame({label: (y == label).astype(int) for label in set(y)})
    assert OneVsAll(MIRA()).fit(X, indicator).score(X, indicator) > 0.8


@pytest.mark.parametrize(
    ("bad", "message"),
    [({None}, r"y\[1\] has the label None"), ({math.nan}, r"y\[1\] has the label nan"), ({7}, "cannot be sorted")],
)
def test_bad_label_sets_are_named(bad, message, topics):
    X, _ = topics
    with pytest.raises(ValueError, match=message):
        OneVsAll(MIRA()).fit(X[:3], [{"a"}, bad, {"b"}])


@pytest.mark.parametrize("model", [MIRA(), OneVsOne(MIRA())], ids=repr)
def test_several_labels_a_row_are_sent_to_one_vs_all(model):
    with pytest.raises(ValueError, match=r"y\[1\] is \['b', 'c'\]: .*OneVsAll"):
        model.fit(np.eye(3, dtype=np.float32), [["a"], ["b", "c"], ["a"]])


def test_too_few_rows_for_thresholds_are_named():
    with pytest.raises(ValueError, match=r"validation_fraction=0\.1 of 4 rows is too few to choose thresholds"):
        OneVsAll(MIRA(), threshold="f1").fit(np.eye(4, dtype=np.float32), [["a"], ["b", "c"], ["a"], ["b"]])


def test_label_sets_may_be_lists_and_may_be_empty():
    X, sets = several_labels(60)
    sets = [[] if k % 7 == 0 else sorted(labels) for k, labels in enumerate(sets)]
    model = OneVsAll(MIRA(max_iter=30)).fit(X, sets)
    assert any(labels == set() for labels in model.predict(X))
    probabilities = OneVsAll(MIRA(), calibrate=True, validation_fraction=0.4).fit(X, sets).predict_proba(X)
    assert probabilities.shape == (60, 5)
    assert (probabilities >= 0).all()
    assert (probabilities <= 1).all()


def test_an_indicator_with_other_numbers_is_rejected(topics):
    X, y = topics
    with pytest.raises(ValueError, match=r"the value 2.*0 and 1 only"):
        OneVsAll(MIRA()).fit(X, np.full((len(y), 3), 2))
