"""Many classes through the scikit-learn door: native, one-vs-all, one-vs-one, new classes, probabilities."""

from __future__ import annotations

import math
import os
import pickle
import signal
import threading
import time
import warnings

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.linear_model import Perceptron as TheirPerceptron
from sklearn.multiclass import OneVsOneClassifier, OneVsRestClassifier
from sklearn.naive_bayes import MultinomialNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks
from test_sklearn_contract import ORDERED, REFUSED

from textperceptron import (
    AROW,
    MIRA,
    AveragedPerceptron,
    BatchPerceptron,
    LogCountRatio,
    OneVsAll,
    OneVsOne,
    Perceptron,
    VotedPerceptron,
)
from textperceptron.learn import check_rows
from textperceptron.learn.ballot import DenseBallot, PairTable, winners
from textperceptron.learn.calibration import Platt, Temperature, calibrate, expected_calibration_error
from textperceptron.learn.one_vs_one import PairModel

NATIVE = [Perceptron, AveragedPerceptron, MIRA, AROW]


def topic_like(n_rows=240, n_classes=5, n_columns=60, seed=3, dtype=np.float32):
    """Rows of counts, each class with words of its own and words of all."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_classes, n_rows)
    codes[:n_classes] = np.arange(n_classes)
    chances = np.full((n_classes, n_columns), 0.08)
    own = n_columns // (2 * n_classes)
    for c in range(n_classes):
        chances[c, c * own : (c + 1) * own] = 0.8
    X = sp.csr_matrix(rng.poisson(chances[codes]).astype(dtype))
    return X, np.array([f"class {c}" for c in range(n_classes)])[codes]


@pytest.fixture(scope="module")
def topics():
    return topic_like()


@pytest.mark.parametrize("cls", NATIVE)
def test_native_learners_take_many_classes(cls, topics):
    X, y = topics
    learner = cls().fit(X, y)
    assert learner.classes_.tolist() == sorted(set(y))
    assert learner.coef_.shape == (5, 60)
    assert learner.intercept_.shape == (5,)
    np.testing.assert_allclose(
        learner.decision_function(X), X @ learner.coef_.T.astype(np.float64) + learner.intercept_, rtol=1e-5, atol=1e-5
    )
    assert learner.predict(X).tolist() == learner.classes_[learner.decision_function(X).argmax(axis=1)].tolist()
    assert learner.score(X, y) > 0.9


@pytest.mark.parametrize("cls", NATIVE)
def test_ten_calls_of_partial_fit_have_the_bits_of_ten_epochs(cls, topics):
    X, y = topics
    whole = cls(max_iter=10, shuffle=True).fit(X, y)
    parts = cls()
    for _ in range(whole.n_iter_):
        parts.partial_fit(X, y)
    np.testing.assert_array_equal(parts.coef_, whole.coef_)


@pytest.mark.parametrize("cls", NATIVE)
def test_early_stopping_holds_out_rows_of_every_class(cls, topics):
    X, y = topics
    learner = cls(early_stopping=True, max_iter=30, n_iter_no_change=3).fit(X, y)
    best = max(record["validation_accuracy"] for record in learner.history_)
    assert 0.3 < best <= 1


@pytest.mark.parametrize("cls", NATIVE)
def test_scores_are_the_same_for_any_number_of_threads(cls, topics, monkeypatch):
    monkeypatch.setattr("textperceptron.learn.rows._PART_ENTRIES", 50)
    X, y = topics
    learner = cls().fit(X, y)
    expected = learner.decision_function(X)
    for n_jobs in (2, 3, -1):
        np.testing.assert_array_equal(learner.set_params(n_jobs=n_jobs).decision_function(X), expected)
    two = cls().fit(X, y == "class 0")
    expected = two.decision_function(X)
    np.testing.assert_array_equal(two.set_params(n_jobs=3).decision_function(X), expected)


@pytest.mark.parametrize("cls", NATIVE)
def test_a_hashed_table_learns_and_says_so(cls, topics, monkeypatch):
    X, y = topics
    dense = cls().fit(X, y)
    hashed = cls(hash_bits=14).fit(X, y)
    assert abs(hashed.score(X, y) - dense.score(X, y)) < 0.05
    with pytest.raises(AttributeError, match="hashed to 2\\*\\*14"):
        _ = hashed.coef_
    monkeypatch.setattr("textperceptron.learn.layout.DENSE_WEIGHTS", 100)
    monkeypatch.setattr("textperceptron.learn.layout.HASHED_BITS", 14)
    with pytest.warns(UserWarning, match=r"5 classes × 60 columns.*2\*\*14 places by hashing"):
        chosen = cls().fit(X, y)
    np.testing.assert_array_equal(chosen.decision_function(X), hashed.decision_function(X))
    pickled = pickle.loads(pickle.dumps(chosen))
    np.testing.assert_array_equal(pickled.decision_function(X), hashed.decision_function(X))


@pytest.mark.parametrize("bits", [3, 35, 2.5, "many"])
def test_hash_bits_out_of_range_are_named(bits, topics):
    X, y = topics
    with pytest.raises(ValueError, match="hash_bits"):
        MIRA(hash_bits=bits).fit(X, y)


# One-vs-all and one-vs-one: the same bits as one problem at a time.


def with_classes(codes, n_classes):
    return np.array([f"c{k}" for k in range(n_classes)])[codes]


@pytest.mark.parametrize("cls", NATIVE)
@pytest.mark.parametrize("n_jobs", [None, 2, 3])
@pytest.mark.parametrize("how", [{}, {"shuffle": "once"}, {"fit_intercept": False}, {"random_state": 7}], ids=str)
def test_one_vs_all_in_one_pass_has_the_bits_of_one_by_one(cls, n_jobs, how):
    X, y = topic_like(n_classes=9)
    weight = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 2.0], len(y))
    model = OneVsAll(cls(**how), n_jobs=n_jobs).fit(X, y, sample_weight=weight)
    for label, found in zip(model.classes_, model.estimators_, strict=True):
        alone = cls(**how).fit(X, (y == label).astype(int), sample_weight=weight)
        np.testing.assert_array_equal(found.coef_, alone.coef_)
        np.testing.assert_array_equal(found.intercept_, alone.intercept_)
        assert (found.n_iter_, found.n_updates_) == (alone.n_iter_, alone.n_updates_)
        assert found.stopped_by_ == alone.stopped_by_
    scores = np.column_stack([found.decision_function(X) for found in model.estimators_])
    np.testing.assert_array_equal(model.decision_function(X), scores)
    assert model.predict(X).tolist() == model.classes_[scores.argmax(axis=1)].tolist()


@pytest.mark.parametrize("cls", NATIVE)
def test_one_vs_all_gives_each_class_log_count_ratios_of_its_own(cls, topics):
    X, y = topics
    X = X.astype(np.float64)
    model = OneVsAll(cls(column_weight=LogCountRatio(alpha=0.5))).fit(X, y)
    for label, found in zip(model.classes_, model.estimators_, strict=True):
        alone = cls(column_weight=LogCountRatio(alpha=0.5)).fit(X, y == label)
        np.testing.assert_allclose(found.coef_, alone.coef_, rtol=1e-9)


@pytest.mark.parametrize("cls", NATIVE)
@pytest.mark.parametrize("n_jobs", [None, 3])
@pytest.mark.parametrize("how", [{}, {"shuffle": False}, {"fit_intercept": False, "random_state": 3}], ids=str)
def test_one_vs_one_together_has_the_bits_of_one_by_one(cls, n_jobs, how, topics):
    X, y = topics
    weight = np.random.default_rng(0).choice([0.0, 0.5, 1.0, 2.0], len(y))
    model = OneVsOne(cls(**how), n_jobs=n_jobs).fit(X, y, sample_weight=weight)
    votes, confidence = np.zeros((len(y), 5), int), np.zeros((len(y), 5))
    for (lower, upper), found in zip(model.pairs_, model.pair_models_, strict=True):
        both = (y == lower) | (y == upper)
        alone = cls(**how).fit(X, (y == upper).astype(int), sample_weight=weight * both)
        dense = np.zeros(X.shape[1], X.dtype)
        dense[found.columns] = found.weights[:-1]
        np.testing.assert_array_equal(dense, alone.coef_[0])
        assert found.weights[-1] == alone.intercept_[0]
        assert (found.n_iter, found.n_updates) == (alone.n_iter_, alone.n_updates_)
        scores = alone.decision_function(X)
        a, b = np.searchsorted(model.classes_, [lower, upper])
        votes[np.arange(len(y)), np.where(scores > 0, b, a)] += 1
        confidence[:, b] += scores
        confidence[:, a] -= scores
    found_votes, found_confidence = model._votes(X)
    np.testing.assert_array_equal(found_votes, votes)
    np.testing.assert_array_equal(found_confidence, confidence)
    best = [max(range(5), key=lambda c: (votes[i, c], confidence[i, c], -c)) for i in range(len(y))]
    assert model.predict(X).tolist() == model.classes_[best].tolist()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("ones", [True, False])
def test_votes_are_the_same_from_dense_tables_and_from_lines_and_in_either_precision(dtype, ones):
    X, y = topic_like(n_rows=400, n_classes=7, dtype=dtype)
    if ones:
        X.data[:] = 1
    X.indices = X.indices.astype(np.int64 if ones else np.int32)
    X.indptr = X.indptr.astype(X.indices.dtype)
    models = OneVsOne(Perceptron()).fit(X, y).pair_models_  # whole numbers: many scores of 0, many ties
    rows = check_rows(X.data, X.indices, X.indptr, X.shape[1])
    dense, lines = (cls.of(models, X.shape[1], 7) for cls in (DenseBallot, PairTable))
    for found, expected in zip(dense.votes(rows), lines.votes(rows), strict=True):
        np.testing.assert_array_equal(found, expected)
    expected = winners(*lines.votes(rows))
    for n_jobs in (1, 3):
        np.testing.assert_array_equal(dense.winners(rows, n_jobs), expected)
        np.testing.assert_array_equal(lines.winners(rows, n_jobs), expected)


@pytest.mark.parametrize(("scale", "eta0"), [(1e17, 1e10), (1e17, 1e18), (1e-22, 1.0), (3e-23, 1.0)])
def test_votes_in_float32_are_those_in_double_at_both_ends_of_its_range(scale, eta0):
    X, y = topic_like(seed=1)
    X.data = (np.random.default_rng(0).normal(size=X.nnz) * scale).astype(np.float32)
    model = OneVsOne(Perceptron(eta0=eta0, max_iter=3, fit_intercept=False)).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), model.classes_[winners(*model._votes(X))])


@given(
    st.lists(st.lists(st.integers(0, 3), min_size=4, max_size=4), min_size=1, max_size=6),
    st.lists(st.lists(st.sampled_from([-1.0, 0.0, 0.5]), min_size=4, max_size=4), min_size=6, max_size=6),
)
def test_ties_of_votes_go_to_the_summed_scores_and_then_to_the_first_class(votes, confidence):
    votes = np.array(votes)
    confidence = np.array(confidence)[: len(votes)].copy()
    expected = [max(range(4), key=lambda c: (votes[i, c], confidence[i, c], -c)) for i in range(len(votes))]
    assert winners(votes, confidence).tolist() == expected


@pytest.mark.parametrize("meta", [OneVsAll, OneVsOne])
@pytest.mark.parametrize(
    "estimator",
    [
        MIRA(early_stopping=True, max_iter=4),
        MIRA(tol=0.1),
        MIRA(class_weight="balanced"),
        BatchPerceptron(),
        VotedPerceptron(max_iter=2),
        TheirPerceptron(),
        LogisticRegression(),
        MultinomialNB(),
    ],
    ids=lambda estimator: type(estimator).__name__,
)
def test_any_binary_classifier_can_be_wrapped(meta, estimator, topics):
    X, y = topics
    model = meta(estimator, n_jobs=2).fit(X, y)
    assert model.score(X, y) > 0.75
    again = meta(clone(estimator)).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), again.predict(X))


def test_others_classifiers_give_the_labels_of_scikit_learns_own_wrappers(topics):
    X, y = topics
    theirs = OneVsRestClassifier(LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(OneVsAll(LogisticRegression()).fit(X, y).predict(X), theirs.predict(X))
    theirs = OneVsOneClassifier(LogisticRegression()).fit(X, y)
    ours = OneVsOne(LogisticRegression()).fit(X, y)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X))


@pytest.mark.parametrize("meta", [OneVsAll, OneVsOne])
def test_two_classes_have_one_problem_and_one_score(meta, topics):
    X, y = topics
    y = y == "class 1"
    model = meta(MIRA()).fit(X, y)
    alone = MIRA().fit(X, y)
    np.testing.assert_array_equal(model.decision_function(X), alone.decision_function(X))
    np.testing.assert_array_equal(model.predict(X), alone.predict(X))


@parametrize_with_checks(
    [OneVsAll(MIRA()), OneVsOne(MIRA()), OneVsAll(LogisticRegression()), OneVsOne(LogisticRegression())],
    expected_failed_checks=lambda estimator: {
        **(REFUSED | ORDERED if isinstance(estimator.estimator, MIRA) else {}),
    },
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


# Classes that were not there at the start.


@pytest.mark.parametrize("cls", NATIVE)
def test_partial_fit_grows_by_classes_it_has_not_seen(cls, topics):
    X, y = topics
    order = np.argsort(y == "class 0", kind="stable")  # class 0 comes last, and sorts first
    learner = cls()
    learner.partial_fit(X[:1], y[1:2])
    assert learner.classes_.tolist() == [y[1]]
    assert learner.predict(X[:3]).tolist() == [y[1]] * 3
    for epoch in range(6):
        for part in np.array_split(order, 4):
            learner.partial_fit(X[part], y[part])
        assert learner.classes_.tolist() == sorted(set(y)), epoch
    assert learner.score(X, y) > 0.85


@pytest.mark.parametrize("cls", NATIVE)
@pytest.mark.parametrize("known", [["class 1", "class 3"], ["class 0", "class 1", "class 4"]])
def test_a_new_class_leaves_the_scores_of_the_others_as_they_were(cls, known, topics):
    X, y = topics
    mine = np.isin(y, known)
    before = cls().fit(X[mine], y[mine])
    scores = before.decision_function(X)
    grown = before.partial_fit(X[:1], ["class 2"], sample_weight=[1e-9] if cls is not AROW else [1e-12])
    assert grown.classes_.tolist() == sorted([*known, "class 2"])
    found = grown.decision_function(X)[:, np.isin(grown.classes_, known)]
    if len(known) == 2:
        found = found[:, 1] - found[:, 0]
    np.testing.assert_allclose(found, scores, rtol=1e-2, atol=0.1)


@pytest.mark.parametrize("cls", NATIVE)
def test_a_class_that_comes_second_may_sort_first(cls, topics):
    X, y = topics
    y = np.where(y == "class 0", "b", "c")
    later = np.where(y == "b", "b", "a")  # the same two classes, but now the other one is the first
    one = cls(random_state=0).partial_fit(X[:20], ["b"] * 20).partial_fit(X, y)
    other = cls(random_state=0).partial_fit(X[:20], ["b"] * 20).partial_fit(X, later)
    np.testing.assert_array_equal(one.coef_, -other.coef_)
    np.testing.assert_array_equal(one.decision_function(X), -other.decision_function(X))


@pytest.mark.parametrize("make", [MIRA, lambda: OneVsAll(MIRA())])
def test_a_single_class_is_predicted_for_every_row(make, topics):
    X, _ = topics
    model = make().partial_fit(X[:3], ["only"] * 3)
    assert set(model.predict(X)) == set(model.predict(-X)) == {"only"}


@pytest.mark.parametrize("cls", NATIVE)
def test_one_vs_all_goes_on_after_a_fit_to_two_classes(cls, topics):
    X, y = topics
    two = y == "class 0"
    going_on = OneVsAll(cls(random_state=0, max_iter=4)).fit(X, two).partial_fit(X, two)
    alone = cls(random_state=0, max_iter=4).fit(X, two).partial_fit(X, two)
    np.testing.assert_array_equal(going_on.decision_function(X), alone.decision_function(X))
    np.testing.assert_array_equal(going_on.estimators_[1].coef_, alone.coef_)
    np.testing.assert_array_equal(going_on.estimators_[0].coef_, -alone.coef_)


def test_labels_of_another_kind_do_not_join(topics):
    X, y = topics
    numbers = np.arange(len(y)) % 3
    for model in (MIRA(), OneVsAll(MIRA())):
        with pytest.raises(ValueError, match="different kinds"):
            clone(model).partial_fit(X, y).partial_fit(X, numbers)
        with pytest.raises(ValueError, match="different kinds"):
            clone(model).fit(X, np.array([0, "one", "two"], object)[numbers])


@pytest.mark.parametrize("bits", [0, 8, 16])
def test_hash_bits_cannot_change_in_the_middle(bits, topics):
    X, y = topics
    learner = MIRA(hash_bits=12).partial_fit(X, y)
    with pytest.raises(ValueError, match=rf"hash_bits={bits}: it was 12"):
        learner.set_params(hash_bits=bits).partial_fit(X, y)


def test_one_vs_all_refuses_another_estimator_in_the_middle(topics):
    X, y = topics
    model = OneVsAll(MIRA(average=False)).partial_fit(X, y)
    with pytest.raises(ValueError, match=r"average=True: it was False"):
        model.set_params(estimator__average=True).partial_fit(X, y)
    with pytest.raises(ValueError, match=r"cannot go on with ArowRule"):
        model.set_params(estimator=AROW()).partial_fit(X, y)


def test_one_vs_all_that_overflowed_leaves_no_model(topics):
    X, y = topics
    model = OneVsAll(Perceptron(eta0=1e30)).partial_fit(X, y)
    with pytest.raises(ValueError, match="left the range"):
        model.partial_fit(X * np.float32(1e17), y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_going_on_with_one_vs_all_is_the_same_for_any_number_of_threads():
    X, y = topic_like(n_classes=9)
    y = y.astype(object)
    X = sp.hstack([X, sp.csr_matrix(50.0 * np.eye(9, dtype=np.float32)[:4, [int(c[6:]) for c in y]].T)]).tocsr()
    rng = np.random.default_rng(0)
    other = rng.permutation(y)  # labels that the classes which have converged get wrong
    models = [OneVsAll(Perceptron(random_state=0), n_jobs=n_jobs) for n_jobs in (1, 2, 3)]
    tables = [model.fit(X, y).partial_fit(X, other).coef_ for model in models]
    np.testing.assert_array_equal(tables[0], tables[1])
    np.testing.assert_array_equal(tables[0], tables[2])


@pytest.mark.parametrize("cls", NATIVE)
def test_one_vs_all_grows_too_and_late_classes_see_the_rows_from_then_on(cls, topics):
    X, y = topics
    first, second = y != "class 0", slice(None)
    model = OneVsAll(cls(shuffle=False)).partial_fit(X[first], y[first])
    model.partial_fit(X[second], y[second])
    assert model.classes_.tolist() == sorted(set(y))
    for label, found in zip(model.classes_, model.estimators_, strict=True):
        alone = cls(shuffle=False)
        if label != "class 0":
            alone.partial_fit(X[first], (y[first] == label).astype(int), classes=[0, 1])
        alone.partial_fit(X[second], (y[second] == label).astype(int), classes=[0, 1])
        np.testing.assert_array_equal(found.coef_, alone.coef_)


@pytest.mark.parametrize("kind", [str, int, bool])
def test_labels_may_be_strings_integers_or_booleans(kind, topics):
    X, y = topics
    labels = np.array([kind(int(label[-1]) % (2 if kind is bool else 5)) for label in y])
    for model in (MIRA(max_iter=20), OneVsAll(MIRA(max_iter=20)), OneVsOne(MIRA(max_iter=20))):
        predicted = model.fit(X, labels).predict(X)
        assert predicted.dtype == labels.dtype
        assert np.mean(predicted == labels) > 0.95


# Probabilities.


def one_vs_all(**how):
    return OneVsAll(MIRA(), **how)


@pytest.mark.parametrize(
    ("make", "n_classes"),
    [
        *[(make, n) for make in (*NATIVE, one_vs_all) for n in (2, 5)],
        (BatchPerceptron, 2),
        (VotedPerceptron, 2),
    ],
)
def test_probabilities_come_with_calibrate_and_the_error_without_says_so(make, n_classes, topics):
    X, y = topics
    if n_classes == 2:
        y = np.where(y == "class 0", "yes", "no")
    model = make().fit(X, y)
    assert not hasattr(model, "predict_proba")
    with pytest.raises(AttributeError, match=r"has scores, not probabilities.*calibrate=True"):
        model.predict_proba(X)
    model = make(calibrate=True, validation_fraction=0.3).fit(X, y)
    probabilities = model.predict_proba(X)
    assert probabilities.shape == (len(y), n_classes)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    if n_classes > 2:  # a temperature moves no decision
        assert model.classes_[probabilities.argmax(axis=1)].tolist() == model.predict(X).tolist()


def test_the_rows_that_probabilities_are_learnt_from_are_not_trained_on(topics):
    X, y = topics
    seen = []
    learner = MIRA(calibrate=True, validation_fraction=0.25, callback=lambda p: seen.append(p)).fit(X, y)
    held_out = len(y) - learner._training.state.seen // learner.n_iter_
    assert held_out == sum(round(0.25 * n) for n in np.unique(y, return_counts=True)[1])


@given(st.integers(0, 1000), st.floats(0.2, 20), st.floats(-2, 2))
def test_platt_finds_the_slope_that_made_the_labels(seed, slope, offset):
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 2 / slope, 4000)
    positive = rng.random(4000) < 1 / (1 + np.exp(-(slope * scores + offset)))
    platt = Platt.fit(scores, positive)
    assert abs(platt.slope / slope - 1) < 0.25
    assert abs(platt.offset - offset) < 0.4


@given(st.integers(0, 1000), st.floats(0.1, 30))
def test_temperature_finds_the_sharpness_that_made_the_labels(seed, sharpness):
    rng = np.random.default_rng(seed)
    scores = rng.normal(0, 2 / sharpness, (3000, 4))
    p = np.exp(sharpness * scores)
    p /= p.sum(axis=1, keepdims=True)
    codes = (p.cumsum(axis=1) < rng.random((3000, 1))).sum(axis=1)
    found = Temperature.fit(scores, codes)
    assert abs(found.sharpness / sharpness - 1) < 0.2
    assert expected_calibration_error(found.probabilities(scores), codes) < 0.05


FLAT = [np.zeros(10), np.array([-1.0] * 5 + [1.0] * 5), np.zeros((10, 3)), np.eye(10)[:, :3]]


@pytest.mark.parametrize("scores", FLAT)
def test_calibration_of_flat_or_separable_scores_stays_finite(scores):
    codes = np.arange(10) * (2 if scores.ndim == 1 else 3) // 10
    p = calibrate(scores, codes).probabilities(scores)
    assert np.isfinite(p).all()
    assert p.min() > 0
    np.testing.assert_allclose(p.sum(axis=1), 1)


# Several labels a row.


def several_labels(n_rows=300):
    X, y = topic_like(n_rows, seed=5)
    X_more, y_more = topic_like(n_rows, seed=6)
    return X + X_more, [{a, b} for a, b in zip(y, y_more, strict=True)]


@pytest.mark.parametrize("estimator", [AveragedPerceptron(), LogisticRegression()], ids=["in one pass", "one by one"])
@pytest.mark.parametrize("threshold", [0.0, "f1"])
def test_rows_with_several_labels(estimator, threshold):
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
    ("bad", "message"), [({None}, r"y\[1\] holds None"), ({math.nan}, r"y\[1\] holds nan"), ({7}, "put in order")]
)
def test_bad_label_sets_are_named(bad, message, topics):
    X, _ = topics
    with pytest.raises(ValueError, match=message):
        OneVsAll(MIRA()).fit(X[:3], [{"a"}, bad, {"b"}])


@pytest.mark.parametrize("how", [{"threshold": None}, {"threshold": "f2"}, {"validation_fraction": 2}])
def test_settings_of_one_vs_all_out_of_range_are_named(how, topics):
    with pytest.raises(ValueError, match=next(iter(how))):
        OneVsAll(MIRA(), **how).fit(*topics)


def test_a_classifier_without_sample_weight_can_be_calibrated(topics):
    X, y = topics
    model = OneVsAll(KNeighborsClassifier(), calibrate=True).fit(X, y)
    np.testing.assert_allclose(model.predict_proba(X).sum(axis=1), 1)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        model.fit(X, y, sample_weight=np.ones(len(y)))


@pytest.mark.parametrize("model", [MIRA(), OneVsOne(MIRA())], ids=repr)
def test_several_labels_a_row_are_sent_to_one_vs_all(model):
    with pytest.raises(ValueError, match=r"y\[1\] is \['b', 'c'\]: .*OneVsAll"):
        model.fit(np.eye(3, dtype=np.float32), [["a"], ["b", "c"], ["a"]])


def test_too_few_rows_for_thresholds_are_named():
    with pytest.raises(ValueError, match=r"validation_fraction=0\.1 of 4 rows leaves too few to choose thresholds"):
        OneVsAll(MIRA(), threshold="f1").fit(np.eye(4, dtype=np.float32), [["a"], ["b", "c"], ["a"], ["b"]])


def test_one_vs_one_calls_back_in_every_epoch(topics):
    X, y = topics
    calls = []
    OneVsOne(Perceptron(max_iter=2, callback=calls.append)).fit(X, y)
    assert [progress.epoch for progress in calls] == [1, 2]


def test_label_sets_may_be_lists_and_may_be_empty():
    X, sets = several_labels(60)
    sets = [[] if k % 7 == 0 else sorted(labels) for k, labels in enumerate(sets)]
    model = OneVsAll(MIRA(max_iter=30)).fit(X, sets)
    assert any(labels == set() for labels in model.predict(X))
    probabilities = OneVsAll(MIRA(), calibrate=True, validation_fraction=0.4).fit(X, sets).predict_proba(X)
    assert probabilities.shape == (60, 5)
    assert (probabilities >= 0).all()
    assert (probabilities <= 1).all()


# Bad input.


@pytest.mark.parametrize("make", [*NATIVE, lambda: OneVsAll(MIRA()), lambda: OneVsOne(MIRA())])
def test_bad_labels_are_named(make, topics):
    X, y = topics
    with pytest.raises(ValueError, match="only one class"):
        make().fit(X, ["a"] * len(y))
    with pytest.raises(ValueError, match=r"NaN or infinity: y\[3\]"):
        make().fit(X, np.where(np.arange(len(y)) == 3, np.nan, np.arange(len(y)) % 3))
    with pytest.raises(ValueError, match=r"y\[2\] is None"):
        make().fit(X, [None if k == 2 else label for k, label in enumerate(y)])
    with pytest.raises(ValueError, match=f"X has {len(y)} rows"):
        make().fit(X, y[:-1])


@pytest.mark.parametrize("make", [*NATIVE, lambda: OneVsAll(MIRA()), lambda: OneVsOne(MIRA())])
def test_a_class_with_one_row_is_learnt_like_any_other(make, topics):
    X, y = topics
    y = y.copy().astype(object)
    y[7] = "rare"
    model = make().fit(X, y.astype(str))
    assert "rare" in model.classes_
    assert model.decision_function(X).shape == (len(y), 6)


@pytest.mark.parametrize("make", [*NATIVE, lambda: OneVsAll(MIRA()), lambda: OneVsOne(MIRA())])
def test_labels_never_seen_count_as_wrong_when_scoring(make, topics):
    X, y = topics
    model = make().fit(X, y)
    elsewhere = np.where(np.arange(len(y)) % 2, y, "of another corpus")
    assert model.score(X, elsewhere) <= 0.5


def test_early_stopping_names_the_class_that_is_too_small(topics):
    X, y = topics
    y = np.where(np.arange(len(y)) == 7, "rare", y)
    with pytest.raises(ValueError, match="would hold out 0 of the 1 rows of a class"):
        MIRA(early_stopping=True).fit(X, y)
    with pytest.raises(ValueError, match="some of at least two are needed"):
        MIRA(calibrate=True, validation_fraction=0.001).fit(X, y)


def test_too_many_weights_for_one_vs_all_are_refused_with_the_way_out(topics, monkeypatch):
    X, y = topics
    monkeypatch.setattr("textperceptron.learn.one_vs_all.DENSE_WEIGHTS", 100)
    with pytest.raises(ValueError, match=r"5 classes and 60 columns.*Use the learner itself"):
        OneVsAll(MIRA()).fit(X, y)


def test_an_indicator_with_other_numbers_is_refused(topics):
    X, y = topics
    with pytest.raises(ValueError, match=r"holds 2.*0 and 1 only"):
        OneVsAll(MIRA()).fit(X, np.full((len(y), 3), 2))


def test_ctrl_c_at_the_main_thread_ends_the_others_and_keeps_the_model(topics):
    X, y = topics
    y = np.random.default_rng(0).permutation(y)  # which no class can learn: none of them converges
    main = threading.main_thread().ident
    presses = []

    def press(progress):
        if not presses and progress.epoch > 1000:  # by then both threads run
            presses.append(progress.epoch)
            signal.pthread_kill(main, signal.SIGINT)

    model = OneVsAll(MIRA(max_iter=100_000, callback=press), n_jobs=2)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert {found.stopped_by_ for found in model.estimators_} == {"interrupted"}
    assert max(found.n_iter_ for found in model.estimators_) < 100_000
    assert set(model.predict(X)) <= set(y)


def test_ctrl_c_ends_one_vs_all_in_all_threads(topics):
    X, y = topics

    def interrupt(progress):
        if progress.epoch == 3:
            raise KeyboardInterrupt

    model = OneVsAll(MIRA(max_iter=1000, callback=interrupt), n_jobs=2)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, y)
    assert model.score(X, y) > 0.5


def test_one_document_among_150_classes_takes_microseconds():
    """Not the second of scikit-learn's issue 24024: 11,175 models that are zero almost everywhere."""
    rng = np.random.default_rng(0)
    n_classes, n_columns = 150, 5000
    models = [
        PairModel(a, b, rng.choice(n_columns, 60, replace=False), rng.normal(size=61).astype(np.float32), 1, 1, 1)
        for a in range(n_classes)
        for b in range(a + 1, n_classes)
    ]
    table = PairTable.of(models, n_columns, n_classes)
    words = np.sort(rng.choice(n_columns, 15, replace=False))
    rows = check_rows(np.ones(15, np.float32), words, np.array([0, 15]), n_columns)
    table.votes(rows)
    best = np.inf
    for _ in range(20):
        began = time.perf_counter()
        table.votes(rows)
        best = min(best, time.perf_counter() - began)
    limit = 2e-3 if "CI" in os.environ else 1e-3
    assert best < limit, f"{1e6 * best:.0f} µs"


def test_no_warning_reaches_the_user_of_a_dense_table(topics):
    X, y = topics
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        MIRA().fit(X, y)
