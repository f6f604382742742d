"""``partial_fit`` with classes that earlier calls did not have."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

from helpers.topic_like import NATIVE, topic_like
from textperceptron import (
    AROW,
    MIRA,
    OneVsAll,
    Perceptron,
)


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
def test_one_vs_all_continues_after_a_fit_of_two_classes(cls, topics):
    X, y = topics
    two = y == "class 0"
    going_on = OneVsAll(cls(random_state=0, max_iter=4)).fit(X, two).partial_fit(X, two)
    alone = cls(random_state=0, max_iter=4).fit(X, two).partial_fit(X, two)
    np.testing.assert_array_equal(going_on.decision_function(X), alone.decision_function(X))
    (binary,) = going_on.estimators_
    np.testing.assert_array_equal(binary.coef_, alone.coef_)


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


def test_one_vs_all_rejects_another_estimator_in_the_middle(topics):
    X, y = topics
    model = OneVsAll(MIRA(average=False)).partial_fit(X, y)
    with pytest.raises(ValueError, match=r"average=True: it was False"):
        model.set_params(estimator__average=True).partial_fit(X, y)
    with pytest.raises(ValueError, match=r"cannot continue with ArowRule"):
        model.set_params(estimator=AROW()).partial_fit(X, y)


def test_one_vs_all_that_overflowed_leaves_no_model(topics):
    X, y = topics
    model = OneVsAll(Perceptron(eta0=1e30)).partial_fit(X, y)
    with pytest.raises(ValueError, match="left the range"):
        model.partial_fit(X * np.float32(1e17), y)
    with pytest.raises(NotFittedError):
        model.predict(X)


def test_partial_fit_of_one_vs_all_is_the_same_for_any_number_of_threads():
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
