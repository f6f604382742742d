"""Slices are short: progress, Ctrl-C and checkpoints wait for one, and none takes a second."""

from __future__ import annotations

import time

import numpy as np
import pytest
import scipy.sparse as sp

from textperceptron import (
    AROW,
    MIRA,
    AveragedPerceptron,
    BatchPerceptron,
    OneVsAll,
    OneVsOne,
    Perceptron,
    VotedPerceptron,
)
from textperceptron.learn import check_rows
from textperceptron.learn.plan import SLICE_ENTRIES, SLICE_SECONDS, Pace

ENOUGH = 1.5  # seconds of training to watch
MANY = 1500


class EnoughError(Exception):
    pass


def texts(n_rows, n_columns, length, n_classes, seed=0):
    """Rows like those of texts, classes at random: every row is a mistake again and again."""
    rng = np.random.default_rng(seed)
    indices = (n_columns * rng.random(n_rows * length) ** 3).astype(np.int32)
    X = sp.csr_array(
        (np.ones(n_rows * length, np.float32), indices, np.arange(n_rows + 1) * length), (n_rows, n_columns)
    )
    X.sum_duplicates()
    return X, np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n_rows - n_classes)])


CASES = {
    "Perceptron": (lambda how: Perceptron(**how), (40_000, 30_000, 100, 2)),
    "AveragedPerceptron": (lambda how: AveragedPerceptron(**how), (40_000, 30_000, 100, 2)),
    "MIRA": (lambda how: MIRA(**how), (40_000, 30_000, 100, 2)),
    "AROW": (lambda how: AROW(**how), (40_000, 30_000, 100, 2)),
    "AROW with ratios": (lambda how: AROW(column_weight="log_count_ratio", **how), (40_000, 30_000, 100, 2)),
    "BatchPerceptron": (lambda how: BatchPerceptron(**how), (40_000, 30_000, 100, 2)),
    "VotedPerceptron": (lambda how: VotedPerceptron(**how), (40_000, 30_000, 100, 2)),
    "VotedPerceptron, polynomial": (
        lambda how: VotedPerceptron(kernel="poly", degree=2, **how),
        (20_000, 30_000, 100, 2),
    ),
    "VotedPerceptron, polynomial, short": (
        lambda how: VotedPerceptron(kernel="poly", degree=2, **how),
        (60_000, 3_000, 5, 2),
    ),
    "Perceptron, many classes": (lambda how: Perceptron(**how), (20_000, 5_000, 100, MANY)),
    "MIRA, many classes": (lambda how: MIRA(**how), (20_000, 5_000, 100, MANY)),
    "AROW, many classes": (lambda how: AROW(**how), (20_000, 5_000, 100, MANY)),
    "AROW, many classes, hashed": (lambda how: AROW(hash_bits=20, **how), (20_000, 5_000, 100, MANY)),
    "one-vs-all": (lambda how: OneVsAll(AROW(**how), n_jobs=2), (20_000, 5_000, 100, MANY)),
    "one-vs-one": (lambda how: OneVsOne(AROW(**how), n_jobs=2), (20_000, 5_000, 100, 40)),
    "pairs": (lambda how: MIRA(pair_bits=18, **how), (5_000, 5_000, 100, 2)),
    "pairs, many classes": (lambda how: MIRA(pair_bits=16, **how), (5_000, 5_000, 100, 300)),
}


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_no_slice_takes_a_second(case):
    make, shape = CASES[case]
    X, y = texts(*shape)
    times = []

    def watch(_):
        times.append(time.perf_counter())
        if times[-1] - times[0] > ENOUGH:
            raise EnoughError

    learner = make({"max_iter": 1000, "callback": watch})
    with pytest.raises(EnoughError):
        learner.fit(X, y)
    print(f"{case}: the longest of {len(times)} slices took {max(np.diff(times)):.2f} s")  # shown by pytest -rP
    assert max(np.diff(times)) < 1


def test_slices_are_sized_by_the_time_that_they_take():
    X, _ = texts(20_000, 50, 10, 2)
    rows = check_rows(X.data, X.indices, X.indptr, 50)
    pace = Pace(rows)
    sizes = []
    for part in pace.slices(np.arange(20_000)):
        sizes.append(len(part))
        pace.record(1e-3 * len(part))  # a hundred rows are the tenth of a second
    assert sum(sizes) == 20_000
    assert 1000 <= sizes[0] <= 2500
    assert all(80 <= size <= 120 for size in sizes[1:-1])


def test_the_short_end_of_an_epoch_does_not_shrink_the_next():
    X, _ = texts(1000, 50, 10, 2)
    rows = check_rows(X.data, X.indices, X.indptr, 50)
    pace = Pace(rows)
    for _ in range(3):
        sizes = [len(part) for part in pace.slices(np.arange(1000)) if pace.record(1e-5) is None]
    assert sizes == [1000]


def test_long_rows_behind_short_ones_do_not_share_their_slice():
    lengths = np.array([1] * 10_000 + [1000] * 100)
    indices = np.concatenate([np.arange(n) for n in lengths]).astype(np.int32)
    rows = check_rows(np.ones(len(indices), np.float32), indices, np.concatenate([[0], np.cumsum(lengths)]), 1000)
    pace = Pace(rows)
    entries = []
    for part in pace.slices(np.arange(len(lengths))):
        entries.append(int(lengths[part].sum()))
        pace.record(SLICE_SECONDS / 2)
    assert max(np.array(entries[1:]) / entries[:-1]) <= 4
    assert max(entries) <= SLICE_ENTRIES
