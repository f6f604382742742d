"""Several labels per row: label sets, their splits, thresholds and probabilities."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression

from helpers.topic_like import topic_like
from textperceptron.learn import LabelSets, check_rows
from textperceptron.learn.fit import fit
from textperceptron.learn.threshold import N_FOLDS, best_threshold, stratified_folds
from textperceptron.settings import LearnerSettings

N_LABELS = 4
SETS = st.lists(st.sets(st.integers(0, N_LABELS - 1)), max_size=12)


def label_sets(rows):
    starts = np.cumsum([0, *map(len, rows)]).astype(np.int64)
    return LabelSets(starts, np.array([code for row in rows for code in sorted(row)], np.int32))


def rows_with_sets(n_rows=240):
    """Rows of two topics each, and the two topics; the last ten rows have none, and one label has one row."""
    X, first = topic_like(n_rows, seed=5)
    more, second = topic_like(n_rows, seed=6)
    X = (X + more).tocsr()
    names = sorted(set(first))
    sets = [{names.index(a), names.index(b)} for a, b in zip(first, second, strict=True)]
    sets[-10:] = [set()] * 10
    sets[3] = {*sets[3], len(names)}
    return check_rows(X.data, X.indices, X.indptr, X.shape[1]), label_sets(sets), len(names) + 1


@given(SETS, st.data())
def test_label_sets_are_sets(rows, data):
    sets = label_sets(rows)
    has = sets.indicator(N_LABELS)
    assert [set(np.flatnonzero(row)) for row in has] == rows
    for code in range(N_LABELS):
        np.testing.assert_array_equal(sets.positive(code), has[:, code])
    some = data.draw(st.lists(st.integers(0, max(0, len(rows) - 1)), max_size=8 if rows else 0))
    taken = sets.take(np.array(some, np.int64))
    np.testing.assert_array_equal(taken.indicator(N_LABELS), has[some])


@given(SETS)
def test_the_rarest_label_is_that_of_the_fewest_rows(rows):
    sizes = [sum(code in row for row in rows) for code in range(N_LABELS)]
    expected = [min(row, key=lambda code: (sizes[code], code), default=N_LABELS) for row in rows]
    assert label_sets(rows).rarest(N_LABELS).tolist() == expected


@pytest.mark.parametrize("learner", ["arow", "mira", "averaged"])
def test_the_labels_of_a_row_are_those_whose_binary_model_scores_above_the_threshold(learner):
    rows, sets, n_labels = rows_with_sets()
    settings = LearnerSettings(learner=learner, multiclass="one-vs-all", max_iter=3)
    found = fit(rows, sets, n_labels, settings.replace(threshold="f1")).model.scores(rows) > 0
    folds = stratified_folds(sets.rarest(n_labels), np.ones(rows.n_rows, bool), settings.seed)
    held_out = np.sort(np.concatenate(folds))
    has, scores = sets.indicator(n_labels), np.zeros((rows.n_rows, n_labels))
    for code in range(n_labels):
        for fold in folds:
            weight = np.ones(rows.n_rows)
            weight[fold] = 0
            binary = fit(rows, has[:, code].astype(np.intp), 2, settings, weight=weight).model
            scores[fold, code] = binary.scores(rows.take(fold))
    common = best_threshold(scores[held_out].ravel(), has[held_out].ravel())
    for code in range(n_labels):
        held_out_scores, positive = scores[held_out, code], has[held_out, code]
        threshold = (common + best_threshold(held_out_scores, positive)) / 2 if positive.any() else common
        binary = fit(rows, has[:, code].astype(np.intp), 2, settings).model.scores(rows)
        away = abs(binary - threshold) > 1e-5  # thresholds are in the intercepts, which are float32
        np.testing.assert_array_equal(found[away, code], binary[away] > threshold)


@pytest.mark.parametrize(
    "settings", [{"threshold": "f1"}, {"calibrate": True}, {"threshold": "f1", "calibrate": True, "learner": "arow"}]
)
def test_any_number_of_threads_gives_the_same_bytes(settings):
    rows, sets, n_labels = rows_with_sets()
    settings = LearnerSettings(multiclass="one-vs-all", max_iter=3, **settings)
    one, three = (fit(rows, sets, n_labels, settings, n_jobs=n_jobs) for n_jobs in (1, 3))
    np.testing.assert_array_equal(one.model.scores(rows), three.model.scores(rows))
    assert one.calibration == three.calibration


def test_probabilities_are_platts_per_label():
    rows, sets, n_labels = rows_with_sets(1000)
    fitted = fit(
        rows, sets, n_labels, LearnerSettings(multiclass="one-vs-all", calibrate=True, validation_fraction=0.3)
    )
    scores = fitted.model.scores(rows)
    probabilities = fitted.calibration.probabilities(scores)
    assert probabilities.shape == scores.shape
    assert [fitted.calibration.of_row(row.tolist()) for row in scores[:9]] == probabilities[:9].tolist()
    for code in range(n_labels - 1):
        logistic = LogisticRegression(C=1e6).fit(scores[:, [code]], sets.positive(code))
        assert abs(logistic.predict_proba(scores[:, [code]])[:, 1] - probabilities[:, code]).mean() < 0.1


def test_folds_take_near_equal_shares_of_each_label():
    _, sets, n_labels = rows_with_sets(1000)
    has = sets.indicator(n_labels)
    folds = stratified_folds(sets.rarest(n_labels), np.ones(len(sets), bool), 0)
    shares = np.array([has[fold].sum(0) for fold in folds])
    assert len(folds) == N_FOLDS
    assert (abs(shares - has.sum(0) / N_FOLDS) <= 2 + 0.2 * has.sum(0) / N_FOLDS).all()


def test_one_by_one_learns_label_sets_too():
    rows, sets, n_labels = rows_with_sets()
    common = sets.take(np.arange(len(sets) - 10))
    rows = rows.take(np.arange(rows.n_rows - 10))
    together = fit(rows, common, n_labels, LearnerSettings(multiclass="one-vs-all"))
    alone = fit(rows, common, n_labels, LearnerSettings(multiclass="one-vs-all", tol=0.0))
    np.testing.assert_allclose(alone.model.scores(rows), together.model.scores(rows), atol=1e-5)


def test_one_vs_one_is_refused():
    rows, sets, n_labels = rows_with_sets()
    with pytest.raises(ValueError, match="several labels are trained one-vs-all"):
        fit(rows, sets, n_labels, LearnerSettings(multiclass="one-vs-one"))
