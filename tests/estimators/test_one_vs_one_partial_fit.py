"""OneVsOne.partial_fit: each class pair is the binary learner's partial_fit on the rows of its two classes."""

from __future__ import annotations

import itertools
import pickle

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression, SGDClassifier
from sklearn.multiclass import OneVsOneClassifier

from helpers.topic_like import topic_like
from textperceptron import AROW, MIRA, AveragedPerceptron, OneVsOne, Perceptron, VotedPerceptron

LEARNERS = [Perceptron(), AveragedPerceptron(), MIRA(C=0.01), AROW(), AROW(random_state=7, shuffle=False)]
EACH = pytest.mark.parametrize("learner", LEARNERS, ids=repr)


def noisy_topics():
    """Rows of five classes, a tenth of them with the label of another: no learner converges."""
    X, y = topic_like()
    wrong = np.random.default_rng(0).random(len(y)) < 0.1
    return X, np.where(wrong, np.roll(y, 1), y)


X, Y = noisy_topics()
CLASSES = sorted(set(Y.tolist()))
BATCHES = np.array_split(np.arange(len(Y)), 4)


def assert_same_scores(one, other):
    np.testing.assert_array_equal(one.decision_function(X), other.decision_function(X))
    np.testing.assert_array_equal(one.predict(X), other.predict(X))


@EACH
def test_a_call_per_epoch_gives_the_bits_of_fit(learner):
    whole = OneVsOne(clone(learner).set_params(max_iter=4)).fit(X, Y)
    parts = OneVsOne(learner)
    for _ in range(4):
        parts.partial_fit(X, Y)
    assert_same_scores(parts, whole)


@EACH
@pytest.mark.parametrize("weighted", [False, True])
def test_each_pair_is_the_binary_learner_on_its_rows(learner, weighted):
    weight = np.random.default_rng(1).integers(1, 4, len(Y)).astype(float) if weighted else np.ones(len(Y))
    model = OneVsOne(learner)
    for batch in BATCHES:
        model.partial_fit(X[batch], Y[batch], CLASSES, weight[batch] if weighted else None)
    assert model.pairs_ == list(itertools.combinations(CLASSES, 2))
    for (lower, upper), found in zip(model.pairs_, model.estimators_, strict=True):
        alone = clone(learner)
        for batch in BATCHES:
            mine = np.isin(Y[batch], (lower, upper))
            alone.partial_fit(X[batch], Y[batch] == upper, [False, True], sample_weight=weight[batch] * mine)
        np.testing.assert_array_equal(found.coef_, alone.coef_)
        np.testing.assert_array_equal(found.intercept_, alone.intercept_)
        assert found.n_iter_ == len(BATCHES)


def test_without_shuffling_a_pair_has_the_bits_of_a_learner_that_sees_only_its_rows():
    learner = MIRA(shuffle=False)
    model = OneVsOne(learner)
    for batch in BATCHES:
        model.partial_fit(X[batch], Y[batch], CLASSES)
    for (lower, upper), found in zip(model.pairs_, model.estimators_, strict=True):
        mine = np.isin(Y, (lower, upper))
        alone = clone(learner).set_params(max_iter=1).fit(X[mine], Y[mine] == upper)
        np.testing.assert_array_equal(found.coef_, alone.coef_)


@pytest.mark.parametrize("average", [False, True])
def test_around_a_classifier_of_scikit_learn_it_is_their_one_vs_one(average):
    inner = SGDClassifier(random_state=0, average=average)
    ours, theirs = OneVsOne(inner), OneVsOneClassifier(inner)
    codes = np.searchsorted(CLASSES, Y)  # theirs cannot continue with strings
    for batch in BATCHES:
        ours.partial_fit(X[batch], codes[batch], range(5))
        theirs.partial_fit(X[batch], codes[batch], range(5))
    for mine, their in zip(ours.estimators_, theirs.estimators_, strict=True):
        np.testing.assert_array_equal(mine.coef_, their.coef_)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X))
    assert ours.score(X, codes) == theirs.score(X, codes)


def test_it_exists_if_the_estimator_has_it():
    assert hasattr(OneVsOne(VotedPerceptron()), "partial_fit")
    assert not hasattr(OneVsOne(LogisticRegression()), "partial_fit")


@EACH
def test_new_classes_add_pairs_and_leave_the_others_as_they_were(learner):
    old = np.isin(Y, CLASSES[1:3])
    model = OneVsOne(learner).partial_fit(X[old], Y[old])
    assert model.pairs_ == [(CLASSES[1], CLASSES[2])]
    before = model.decision_function(X)
    new = CLASSES[0] == Y  # sorts first
    model.partial_fit(X[new], Y[new])
    assert model.classes_.tolist() == CLASSES[:3]
    pair = model.estimators_[model.pairs_.index((CLASSES[1], CLASSES[2]))]
    np.testing.assert_array_equal(pair.decision_function(X), before)
    for _ in range(5):
        model.partial_fit(X, Y)
    assert model.classes_.tolist() == CLASSES
    assert model.score(X, Y) > 0.75


def test_a_pair_that_has_seen_no_rows_does_not_vote():
    rows = np.isin(Y, CLASSES[3:])
    model = OneVsOne(MIRA()).partial_fit(X[rows], Y[rows], CLASSES)
    assert set(model.predict(X).tolist()) == set(CLASSES[3:])
    untrained = model.estimators_[model.pairs_.index((CLASSES[0], CLASSES[1]))]
    with pytest.raises(NotFittedError):
        untrained.decision_function(X)
    again = pickle.loads(pickle.dumps(model)).partial_fit(X, Y)
    assert_same_scores(again, model.partial_fit(X, Y))


def test_threads_and_processes_give_the_same_bits():
    one, two = OneVsOne(AROW()), OneVsOne(AROW(), n_jobs=2)
    for batch in BATCHES[:2]:
        one.partial_fit(X[batch], Y[batch])
        two.partial_fit(X[batch], Y[batch])
    assert_same_scores(one, two)


def test_two_classes_are_the_learner_itself():
    model, alone = OneVsOne(MIRA()), MIRA()
    for batch in BATCHES:
        model.partial_fit(X[batch], Y[batch] == CLASSES[0], [False, True])
        alone.partial_fit(X[batch], Y[batch] == CLASSES[0], [False, True])
    assert_same_scores(model, alone)


def test_what_cannot_continue_says_why():
    with pytest.raises(ValueError, match=r"fit trained all class pairs in one pass .* Call partial_fit from the first"):
        OneVsOne(MIRA()).fit(X, Y).partial_fit(X, Y)
    stopping = OneVsOne(MIRA(early_stopping=True)).fit(X, Y)  # one by one, but their partial_fit needs all rows
    with pytest.raises(ValueError, match="early_stopping=True needs all rows at once"):
        stopping.partial_fit(X, Y)
    with pytest.raises(ValueError, match="y has only one class"):
        OneVsOne(MIRA()).partial_fit(X[:3], ["a"] * 3)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        OneVsOne(NoWeights()).partial_fit(X, Y, sample_weight=np.ones(len(Y)))
    model = OneVsOne(MIRA()).partial_fit(X, Y)
    scores = model.decision_function(X)
    with pytest.raises(ValueError, match="features"):
        model.partial_fit(X[:, :5], Y)
    np.testing.assert_array_equal(model.decision_function(X), scores)


def test_after_fit_one_by_one_it_continues():
    model = OneVsOne(MIRA(tol=1e-12, max_iter=3)).fit(X, Y)
    model.partial_fit(X, Y)
    assert_same_scores(model, OneVsOne(MIRA(max_iter=4)).fit(X, Y))


class NoWeights(SGDClassifier):
    def fit(self, X, y):
        return super().fit(X, y)
