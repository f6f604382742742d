"""Many classes in the scikit-learn estimators: native learners, types of labels, bad labels."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from helpers.topic_like import NATIVE
from textperceptron import (
    MIRA,
    OneVsAll,
    OneVsOne,
)


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
    best = max(record.validation_accuracy for record in learner.history_)
    assert 0.3 < best <= 1


@pytest.mark.parametrize("cls", NATIVE)
def test_scores_are_the_same_for_any_number_of_threads(cls, topics, monkeypatch):
    monkeypatch.setattr("textperceptron.learn.rows._CHUNK_ENTRIES", 50)
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
    monkeypatch.setattr("textperceptron.learn.weight_tables.MAX_DENSE_WEIGHTS", 100)
    monkeypatch.setattr("textperceptron.learn.weight_tables.DEFAULT_HASH_BITS", 14)
    with pytest.warns(UserWarning, match=r"5 classes × 60 columns.*hashed to 2\*\*14"):
        chosen = cls().fit(X, y)
    np.testing.assert_array_equal(chosen.decision_function(X), hashed.decision_function(X))
    pickled = pickle.loads(pickle.dumps(chosen))
    np.testing.assert_array_equal(pickled.decision_function(X), hashed.decision_function(X))


@pytest.mark.parametrize("bits", [3, 35, 2.5, "many"])
def test_hash_bits_out_of_range_are_named(bits, topics):
    X, y = topics
    with pytest.raises(ValueError, match="hash_bits"):
        MIRA(hash_bits=bits).fit(X, y)


@pytest.mark.parametrize("kind", [str, int, bool])
def test_labels_may_be_strings_integers_or_booleans(kind, topics):
    X, y = topics
    labels = np.array([kind(int(label[-1]) % (2 if kind is bool else 5)) for label in y])
    for model in (MIRA(max_iter=20), OneVsAll(MIRA(max_iter=20)), OneVsOne(MIRA(max_iter=20))):
        predicted = model.fit(X, labels).predict(X)
        assert predicted.dtype == labels.dtype
        assert np.mean(predicted == labels) > 0.95


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
