"""Pairs formed on the fly give the bits of those that Conjunctions writes out, where none collide."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import assume, given
from hypothesis import strategies as st

from helpers.problems import matrices, problems
from textperceptron import (
    AROW,
    MIRA,
    AveragedPerceptron,
    BatchPerceptron,
    Conjunctions,
    OneVsAll,
    OneVsOne,
    Perceptron,
    VotedPerceptron,
    _kernels,
    _memory,
)
from textperceptron.learn import check_rows, column_pairs
from textperceptron.learn.column_pairs import pair_slots, with_pairs

MANY_CLASSES = [Perceptron, AveragedPerceptron, MIRA, AROW]
LEARNERS = [*MANY_CLASSES, BatchPerceptron]
# Sums of these are rounded, so that another order of adding would show.
VALUES = st.floats(-3, 3, width=32)


def written_out(X):
    """The rows with all pairs of their columns, ordered by the later column of each, and the pairs."""
    join = Conjunctions().fit(sp.csr_array(np.ones((1, X.shape[1]), X.dtype)))
    order = np.lexsort(join.pairs_.T)
    Z = join.transform(X)[:, np.r_[: X.shape[1], X.shape[1] + order]]
    Z.sort_indices()
    return Z, join.pairs_[order]


def assert_same_model(ours, explicit, X, Z, all_pairs):
    np.testing.assert_array_equal(ours.decision_function(X), explicit.decision_function(Z))
    d = X.shape[1]
    np.testing.assert_array_equal(ours.coef_, explicit.coef_[:, :d])
    np.testing.assert_array_equal(ours.intercept_, explicit.intercept_)
    np.testing.assert_array_equal(ours.pair_weights(all_pairs), explicit.coef_[:, d:])
    assert ours.history_ == explicit.history_


@pytest.mark.parametrize("cls", LEARNERS)
@given(drawn=problems(values=VALUES, both_classes=True, min_columns=2), block_entries=st.sampled_from([1, 30, 1 << 17]))
def test_two_classes_learn_what_they_learn_from_explicit_pairs(cls, drawn, block_entries):
    how = {"fit_intercept": drawn.fit_intercept, "max_iter": drawn.epochs, "random_state": drawn.seed}
    Z, all_pairs = written_out(drawn.X)
    explicit = cls(**how).fit(Z, drawn.y, sample_weight=drawn.weight)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column_pairs, "_BLOCK_ENTRIES", block_entries)
        ours = cls(pair_bits=4, **how).fit(drawn.X, drawn.y, sample_weight=drawn.weight)
        assert_same_model(ours, explicit, drawn.X, Z, all_pairs)


@pytest.mark.parametrize("cls", MANY_CLASSES)
@given(X=matrices(values=VALUES, min_rows=3, min_columns=2), data=st.data())
def test_many_classes_learn_what_they_learn_from_explicit_pairs(cls, X, data):
    y = np.array(
        [0, 1, 2, *data.draw(st.lists(st.integers(0, 3), min_size=len(X.indptr) - 4, max_size=len(X.indptr) - 4))]
    )
    Z, all_pairs = written_out(X)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(column_pairs, "_BLOCK_ENTRIES", 20)
        assert_same_model(cls(pair_bits=4).fit(X, y), cls().fit(Z, y), X, Z, all_pairs)


@pytest.mark.slow
@pytest.mark.parametrize("cls", LEARNERS)
@given(
    drawn=problems(values=VALUES, weights=False, both_classes=True, min_columns=2),
    spots=st.lists(st.integers(0, 9999), min_size=5, max_size=5, unique=True),
)
def test_hashed_pairs_that_do_not_collide_are_explicit_pairs(cls, drawn, spots):
    n = drawn.X.shape[1]
    wide = np.sort(spots[:n])
    X = sp.csr_array((drawn.X.data, wide[drawn.X.indices], drawn.X.indptr), shape=(drawn.X.shape[0], 10_000))
    ours = cls(pair_bits=16).fit(X, drawn.y)
    assume(ours.pair_report(X).n_colliding == 0)
    Z, all_pairs = written_out(drawn.X)
    explicit = cls().fit(Z, drawn.y)
    np.testing.assert_array_equal(ours.decision_function(X), explicit.decision_function(Z))
    np.testing.assert_array_equal(ours.coef_[:, wide], explicit.coef_[:, :n])
    met = abs(explicit.coef_[0, n:]) > 0  # a pair that no row has may share its weight with one that some have
    np.testing.assert_array_equal(ours.pair_weights(wide[all_pairs])[:, met], explicit.coef_[:, n:][:, met])


@given(st.integers(2, 200), st.integers(1, 20))
def test_no_two_pairs_share_a_column_where_there_are_enough(n, bits):
    every = np.array([(a, b) for a in range(n) for b in range(a + 1, n)])
    slots = pair_slots(every, n, bits)
    assert slots.min() >= 0
    assert slots.max() < 2**bits
    if len(every) <= 2**bits:
        assert len(set(slots.tolist())) == len(every)
    np.testing.assert_array_equal(slots, pair_slots(every[:, ::-1], n, bits))


def test_pairs_of_a_large_vocabulary_meet_as_seldom_as_chance_has_it():
    generator = np.random.default_rng(0)
    some = np.unique(np.sort(generator.integers(0, 100_000, (300_000, 2)), axis=1), axis=0)
    some = some[some[:, 0] < some[:, 1]]
    slots = pair_slots(some, 100_000, 20)
    expected = 2**20 * (1 - np.exp(-len(some) / 2**20))
    assert len(np.unique(slots)) == pytest.approx(expected, rel=0.01)


def corpus_like(n_classes=2, n_rows=300, n_columns=40):
    generator = np.random.default_rng(n_classes)
    X = sp.random_array((n_rows, n_columns), density=0.2, format="csr", dtype=np.float32, rng=generator)
    return X, generator.integers(0, n_classes, n_rows)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "how", [{"early_stopping": True}, {"calibrate": True}, {"tol": 0.01}, {"class_weight": "balanced"}]
)
def test_stopping_rules_and_calibration_see_the_pairs(how, n_classes):
    X, y = corpus_like(n_classes)
    Z, all_pairs = written_out(X)
    ours, explicit = MIRA(pair_bits=10, **how).fit(X, y), MIRA(**how).fit(Z, y)
    assert_same_model(ours, explicit, X, Z, all_pairs)
    assert ours.stopped_by_ == explicit.stopped_by_
    if "calibrate" in how:
        np.testing.assert_array_equal(ours.predict_proba(X), explicit.predict_proba(Z))


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("cls", MANY_CLASSES)
def test_a_warm_start_gives_the_bits_of_one_long_fit(cls, n_classes):
    X, y = corpus_like(n_classes)
    whole = cls(pair_bits=9, max_iter=6).fit(X, y)
    epoch_by_epoch = cls(pair_bits=9)
    for _ in range(6):
        epoch_by_epoch = pickle.loads(pickle.dumps(epoch_by_epoch.partial_fit(X, y)))
    warm = cls(pair_bits=9, max_iter=3, warm_start=True).fit(X, y)
    warm = pickle.loads(pickle.dumps(warm)).fit(X, y)
    for other in (epoch_by_epoch, warm):
        np.testing.assert_array_equal(other.decision_function(X), whole.decision_function(X))


def test_an_interrupted_epoch_is_resumed_in_its_middle(monkeypatch):
    X, y = corpus_like()
    whole = AveragedPerceptron(pair_bits=9, max_iter=2, warm_start=True).fit(X, y)
    monkeypatch.setattr(column_pairs, "_BLOCK_ENTRIES", 100)
    expand, calls = _kernels.expand_pairs, []

    def interrupted(*arguments):
        calls.append(1)
        if len(calls) == 20:
            raise KeyboardInterrupt
        expand(*arguments)

    monkeypatch.setattr(_kernels, "expand_pairs", interrupted)
    learner = AveragedPerceptron(pair_bits=9, max_iter=2, warm_start=True)
    with pytest.raises(KeyboardInterrupt):
        learner.fit(X, y)
    assert 0 < learner._fitted.state.seen < len(y)
    learner.fit(X, y)
    np.testing.assert_array_equal(learner.decision_function(X), whole.decision_function(X))


def test_a_class_that_comes_later_starts_at_zero():
    X, y = corpus_like(3)
    two = y < 2
    Z, all_pairs = written_out(X)
    ours, explicit = MIRA(pair_bits=10), MIRA()
    for learner, rows in ((ours, X), (explicit, Z)):
        learner.partial_fit(rows[two], y[two]).partial_fit(rows, y)
    np.testing.assert_array_equal(ours.decision_function(X), explicit.decision_function(Z))
    np.testing.assert_array_equal(ours.pair_weights(all_pairs), explicit.coef_[:, X.shape[1] :])


@pytest.mark.parametrize("meta", [OneVsAll, OneVsOne])
def test_one_vs_all_and_one_vs_one_take_learners_with_pairs(meta):
    X, y = corpus_like(3)
    Z, _ = written_out(X)
    ours, explicit = meta(MIRA(pair_bits=10)).fit(X, y), meta(MIRA()).fit(Z, y)
    np.testing.assert_array_equal(ours.decision_function(X), explicit.decision_function(Z))
    np.testing.assert_array_equal(ours.predict(X), explicit.predict(Z))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_any_number_of_threads_gives_the_same_scores(n_classes, monkeypatch):
    monkeypatch.setattr("textperceptron.learn.rows._CHUNK_ENTRIES", 500)
    X, y = corpus_like(n_classes)
    one = MIRA(pair_bits=7).fit(X, y)
    scores = one.decision_function(X)
    np.testing.assert_array_equal(one.set_params(n_jobs=3).decision_function(X), scores)


def test_rows_are_left_as_they_came():
    X, y = corpus_like()
    X.data[::7] = 0
    X.indices[: X.indptr[1]] = X.indices[: X.indptr[1]][::-1].copy()
    before = X.copy()
    Perceptron(pair_bits=8).fit(X, y)
    for name in ("data", "indices", "indptr"):
        np.testing.assert_array_equal(getattr(X, name), getattr(before, name))


def test_predicting_uses_the_bits_of_training():
    X, y = corpus_like()
    learner = Perceptron(pair_bits=8).fit(X, y)
    scores = learner.decision_function(X)
    np.testing.assert_array_equal(learner.set_params(pair_bits=9).decision_function(X), scores)


@pytest.mark.parametrize("cls", LEARNERS)
@pytest.mark.parametrize(("bits", "complaint"), [(0, "at least 1"), (31, "at most 30"), (2.5, "whole"), ("9", "whole")])
def test_bits_out_of_range_are_rejected(cls, bits, complaint):
    X, y = corpus_like()
    with pytest.raises(
        ValueError, match=rf"pair_bits={bits!r}: use .*{complaint}|pair_bits={bits!r}: use a {complaint}"
    ):
        cls(pair_bits=bits).fit(X, y)


@pytest.mark.parametrize(
    ("how", "complaint"),
    [
        ({"column_weight": "log_count_ratio"}, "column_weight.*Multiply the columns beforehand"),
        ({"hash_bits": 10}, "hash_bits=10.*Leave hash_bits out"),
    ],
)
def test_settings_that_exclude_pairs_are_rejected(how, complaint):
    X, y = corpus_like()
    with pytest.raises(ValueError, match=f"pair_bits=8 with .*{complaint}"):
        MIRA(pair_bits=8, **how).fit(X, y)


def test_the_voted_perceptron_has_its_kernel_instead():
    with pytest.raises(TypeError, match="pair_bits"):
        VotedPerceptron(pair_bits=8)


@pytest.mark.parametrize("later", [None, 9])
def test_bits_cannot_change_in_the_middle_of_training(later):
    X, y = corpus_like()
    learner = Perceptron(pair_bits=8, warm_start=True).fit(X, y)
    for go_on in (learner.fit, learner.partial_fit):
        learner.set_params(pair_bits=later)
        with pytest.raises(ValueError, match=f"pair_bits={later}: it was 8 when training began"):
            go_on(X, y)


@pytest.mark.parametrize(("dtype", "limit"), [(np.float32, 1e9), (np.float64, 1e50)])
def test_values_whose_products_could_overflow_are_rejected(dtype, limit):
    X = sp.csr_array(np.array([[1, limit / 2], [limit * 2, 1]], dtype))
    with pytest.raises(ValueError, match=r"in row 1, column 0: .*scores of pairs cannot overflow"):
        Perceptron(pair_bits=3).fit(X, [0, 1])
    X[1, 0] = 1
    assert np.isfinite(Perceptron(pair_bits=3).fit(X, [0, 1]).decision_function(X)).all()


def test_a_row_with_too_many_pairs_is_rejected_with_their_number():
    X = sp.csr_array(np.ones((2, 11_600), np.float32))
    X.indptr = X.indptr.copy()
    with pytest.raises(ValueError, match=r"row 0 has 11,600 columns, and so 67,274,200 pairs.* 0\.3 GB;.*min_df"):
        Perceptron(pair_bits=20).fit(X, [0, 1])


def test_a_table_that_does_not_fit_is_rejected_with_its_size(monkeypatch):
    X, y = corpus_like()
    monkeypatch.setattr(_memory, "available_memory", lambda: 10**9)
    with pytest.raises(MemoryError, match=r"pair_bits=28: 268,435,497 weights.*about 4\.3 GB.*Use fewer bits"):
        AveragedPerceptron(pair_bits=28).fit(X, y)
    X, y = corpus_like(5)
    with pytest.raises(ValueError, match=r"pair_bits=28 with 5 classes: 2.1e\+09 weights.*Use pair_bits=24 at most"):
        Perceptron(pair_bits=28).fit(X, y)
    rows = check_rows(X.data, X.indices, X.indptr, 2**31 - 5)
    with pytest.raises(ValueError, match=r"pair_bits=3: 2147483643 columns and 2\*\*3 for pairs"):
        with_pairs(rows, 3)


def test_weights_of_pairs_are_those_of_two_different_columns():
    X, y = corpus_like()
    learner = Perceptron(pair_bits=8).fit(X, y)
    assert learner.pair_weights([]).shape == (1, 0)
    for wrong in ([[0, 0]], [[0, 40]], [[-1, 2]], [0, 1], [[0, 1, 2]], [["a", "b"]], [[0.5, 1]]):
        with pytest.raises(ValueError, match="pairs"):
            learner.pair_weights(wrong)
    with pytest.raises(ValueError, match="fitted without pair_bits"):
        Perceptron().fit(X, y).pair_weights([[0, 1]])
