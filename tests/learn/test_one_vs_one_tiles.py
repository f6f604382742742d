"""One-vs-one, sixteen class pairs at a time: the same models and winners as one pair at a time."""

import itertools
import os
import signal
import threading
import time
from collections import Counter

import numpy as np
import pytest

from textperceptron import AROW, MIRA, AveragedPerceptron, OneVsOne, Perceptron
from textperceptron.learn import Plan, check_rows
from textperceptron.learn.fitted import make_rule
from textperceptron.learn.one_vs_one import train_one_vs_one
from textperceptron.learn.one_vs_one_tiles import TILE, PairTables, _tiles, train_tiles
from textperceptron.learn.one_vs_one_voting import DenseVoter, SparseVoter, winners


def rows_and_codes(n_classes, dtype=np.float32, *, ones=False, n_rows=260, n_columns=50, seed=0):
    """Sparse rows that hardly depend on their classes, so that class pairs converge at different times."""
    rng = np.random.default_rng(seed)
    codes = rng.permutation(np.arange(n_rows) % n_classes).astype(np.int32)
    counts = rng.poisson(0.1, (n_rows, n_columns))
    counts[np.arange(n_rows), codes] += rng.integers(0, 3, n_rows)
    which = counts > 0
    data = np.ones(which.sum(), dtype) if ones else counts[which].astype(dtype)
    starts = np.concatenate([[0], np.cumsum(which.sum(axis=1))])
    return check_rows(data, np.nonzero(which)[1], starts, n_columns), codes


@pytest.mark.parametrize("n_classes", [2, 3, 4, 5, 8, 9, 16, 22, 150])
def test_tiles_hold_every_pair_once_and_only_the_last_is_smaller(n_classes):
    tiles = _tiles(n_classes)
    pairs = Counter(itertools.chain.from_iterable(tiles))
    assert pairs == Counter(itertools.combinations(range(n_classes), 2))
    assert all(len(tile) == TILE for tile in tiles[:-1])


@pytest.mark.slow
@pytest.mark.parametrize("n_jobs", [1, 3])
@pytest.mark.parametrize("n_classes", [2, 6, 13])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(
    "learner",
    [
        Perceptron(),
        Perceptron(margin=0.5, fit_intercept=False),
        AveragedPerceptron(),
        MIRA(),
        MIRA(average=False),
        AROW(),
    ],
    ids=str,
)
def test_a_pair_learns_the_same_alone_and_in_a_tile(learner, dtype, n_classes, n_jobs):
    rows, codes = rows_and_codes(n_classes, dtype)
    weight = np.random.default_rng(1).choice([0.0, 0.5, 1.0, 2.0], rows.n_rows)
    problem = (make_rule(learner._settings(0)), rows, codes, n_classes, Plan(max_iter=7, seed=2))
    alone = list(train_one_vs_one(*problem, weight=weight))
    together = train_tiles(*problem, weight=weight, n_jobs=n_jobs).models()
    if isinstance(learner, Perceptron) and n_classes > 2:
        assert len({model.n_iter for model in alone}) > 1  # some rest while others learn
    for expected, found in zip(alone, together, strict=True):
        assert (found.lower, found.upper) == (expected.lower, expected.upper)
        assert (found.n_iter, found.n_updates, found.n_seen) == (expected.n_iter, expected.n_updates, expected.n_seen)
        order = np.argsort(expected.columns)
        np.testing.assert_array_equal(found.columns, expected.columns[order])
        np.testing.assert_array_equal(found.weights[:-1], expected.weights[:-1][order])
        assert found.weights[-1] == expected.weights[-1]


@pytest.mark.parametrize("n_classes", [3, 7, 8, 12, 13, 22])
@pytest.mark.parametrize("ones", [True, False])
@pytest.mark.parametrize("learner", [Perceptron(max_iter=2), MIRA(max_iter=2)], ids=str)
def test_winners_are_those_of_exact_votes_for_any_number_of_classes(learner, ones, n_classes):
    rows, codes = rows_and_codes(n_classes, ones=ones)
    tables = train_tiles(make_rule(learner._settings(0)), rows, codes, n_classes, Plan(max_iter=2))
    lines = SparseVoter.of(tables.models(), rows.n_columns, n_classes)
    expected = winners(*lines.votes(rows))
    if isinstance(learner, Perceptron) and ones:  # whole numbers, so scores of 0 and ties
        assert (lines.votes(rows)[0].max(axis=1) < n_classes - 1).any() or n_classes == 3
    for voter in (DenseVoter(tables, n_classes), DenseVoter.of(tables.models(), rows.n_columns, n_classes)):
        for found, exact in zip(voter.votes(rows), lines.votes(rows), strict=True):
            np.testing.assert_array_equal(found, exact)
        for n_jobs in (1, 3):
            np.testing.assert_array_equal(voter.winners(rows, n_jobs), expected)


def test_tables_made_of_models_hold_these_models():
    rows, codes = rows_and_codes(9)
    trained = train_tiles(make_rule(MIRA()._settings(0)), rows, codes, 9, Plan(max_iter=3))
    again = PairTables.of(trained.models(), rows.n_columns, 9)
    np.testing.assert_array_equal(again.tables, trained.tables)
    assert (again.pairs, again.n_whole, again.counts) == (trained.pairs, trained.n_whole, trained.counts)
    assert np.abs(again.tables[:, :-1]).max() == again.max_abs_weight <= trained.max_abs_weight


def test_an_exception_of_the_callback_ends_training_in_tiles():
    rows, codes = rows_and_codes(13)

    def stop(n_done):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        train_tiles(make_rule(MIRA()._settings(0)), rows, codes, 13, Plan(), n_jobs=2, on_progress=stop)


@pytest.mark.slow
@pytest.mark.parametrize("tables", [True, False])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_all_threads_at_once(n_jobs, tables, monkeypatch):
    if not tables:
        monkeypatch.setattr("textperceptron.learn.one_vs_one_tiles.MAX_TILE_WEIGHTS", 100)
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 300)).astype(np.float32)
    y = rng.integers(0, 8, 400)  # by chance, so that nothing converges
    learner = MIRA(C=1e-6, max_iter=20_000)  # a minute for all pairs
    threading.Timer(0.5, os.kill, [os.getpid(), signal.SIGINT]).start()
    began = time.perf_counter()
    with pytest.raises(KeyboardInterrupt):
        OneVsOne(learner, n_jobs=n_jobs).fit(X, y)
    assert time.perf_counter() - began < 10


def test_voting_leaves_the_weight_tables_unchanged():
    rows, codes = rows_and_codes(5)  # ten pairs: one table, six lanes without a model
    tables = train_tiles(make_rule(MIRA()._settings(0)), rows, codes, 5, Plan(max_iter=2))
    before = tables.tables.copy()
    DenseVoter(tables, 5)
    np.testing.assert_array_equal(tables.tables, before)


def test_pairs_beyond_the_tables_are_trained_one_by_one_with_the_same_result(monkeypatch):
    rows, codes = rows_and_codes(13)
    dense = np.zeros((rows.n_rows, rows.n_columns), np.float32)
    for i in range(rows.n_rows):
        part = slice(rows.indptr[i], rows.indptr[i + 1])
        dense[i, rows.indices[part]] = rows.values[part]
    together = OneVsOne(AveragedPerceptron()).fit(dense, codes)
    monkeypatch.setattr("textperceptron.learn.one_vs_one_tiles.MAX_TILE_WEIGHTS", 100)
    alone = OneVsOne(AveragedPerceptron()).fit(dense, codes)
    assert not hasattr(alone, "_tables")
    np.testing.assert_array_equal(together.decision_function(dense), alone.decision_function(dense))
    np.testing.assert_array_equal(together.predict(dense), alone.predict(dense))
