"""One-vs-one predictions: the votes of all pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import block_votes, block_winners, pair_votes, vote_winners
from textperceptron.learn.one_vs_one import BinaryPairModel
from textperceptron.learn.one_vs_one_tiles import TILE, PairTables, fits_dense_tables
from textperceptron.learn.rows import Rows
from textperceptron.learn.state import Array

Votes = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]

_SURE = 1e30  # the score of a lane without a model: beyond doubt
_LINE = 8  # models whose weights share a line; see _kernels/one_vs_one.pyx
_BATCH = 8192  # rows that a block goes over before the next begins, fewer where that makes more scores than
_SCORES = 1 << 24  # 64 MB of float32 a thread


class PairVoter(Protocol):
    """The weights of all pairs, ready to vote."""

    def votes(self, rows: Rows, n_jobs: int | None = None) -> Votes:
        """Return the votes of every class and its summed scores against the others, of shape (n_rows, n_classes)."""

    def winners(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.int64]:
        """Return the class of each row: most votes, then the highest summed score, then the lowest number."""


def voter_of(models: Sequence[BinaryPairModel], n_columns: int, n_classes: int) -> PairVoter:
    """Put the weights of models into dense tables, or, where these would not fit, into lines."""
    if fits_dense_tables(n_columns, n_classes):
        return DenseVoter.of(models, n_columns, n_classes)
    return SparseVoter.of(models, n_columns, n_classes)


def _check_columns(rows: Rows, n_columns: int) -> None:
    if rows.n_columns != n_columns:
        raise ValueError(f"the rows have {rows.n_columns} columns, the model has {n_columns}.")


class DenseVoter:
    """A table for each 16 models; see _kernels/pair_blocks.pyx."""

    def __init__(self, tables: PairTables, n_classes: int) -> None:
        self.n_classes = n_classes
        self._tables, self._heaviest, self._n_columns = tables.tables, tables.max_abs_weight, tables.n_columns
        # Votes are counted, and scores summed, in the order of the pairs, wherever their weights stand.
        pairs = np.array(tables.pairs, np.int32)
        self._slot = np.lexsort(pairs.T[::-1]).astype(np.int32)
        self._lower, self._upper = np.ascontiguousarray(pairs[self._slot].T)
        self._holds = np.zeros((len(tables.tables), n_classes), np.uint8)
        self._holds[np.arange(len(pairs)) // TILE, pairs.T] = 1
        self._n_whole = tables.n_whole
        self._intercepts = tables.tables[:, -1].flatten()  # a copy
        self._intercepts[len(pairs) :] = _SURE
        self._intercept = self._intercepts[self._slot].astype(np.float64)

    @classmethod
    def of(cls, models: Sequence[BinaryPairModel], n_columns: int, n_classes: int) -> DenseVoter:
        """Put the weights of models into tables."""
        return cls(PairTables.of(models, n_columns, n_classes), n_classes)

    def votes(self, rows: Rows, n_jobs: int | None = None) -> Votes:
        """Return votes and summed scores, all in double."""
        _check_columns(rows, self._n_columns)
        votes = np.zeros((rows.n_rows, self.n_classes), np.int64)
        confidence = np.zeros((rows.n_rows, self.n_classes))
        every = np.arange(rows.n_rows)

        def vote(_: None, part: slice) -> None:
            block_votes(
                rows.data, rows.indices, rows.indptr, every[part], self._tables,
                self._slot, self._intercept, self._lower, self._upper, votes[part], confidence[part],
            )  # fmt: skip

        rows.map_row_chunks(vote, rows.n_rows, n_jobs, len(self._lower))
        return votes, confidence

    def winners(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.int64]:
        """Return the class of each row, in float32 where that is safe and both sides have it."""
        if rows.dtype != np.float32 or self._tables.dtype != np.float32:
            return winners(*self.votes(rows, n_jobs))
        _check_columns(rows, self._n_columns)
        winner = np.empty(rows.n_rows, np.int64)
        every = np.arange(rows.n_rows)
        width = len(self._tables) * TILE
        batch = max(1, min(_BATCH, rows.n_rows, _SCORES // width))

        def vote(_: None, part: slice) -> None:
            block_winners(
                rows.data, rows.indices, rows.indptr, every[part], self._tables, self._holds, self._n_whole,
                self._heaviest, self._intercepts, self._slot, self._intercept, self._lower, self._upper,
                np.empty((batch, width), np.float32), np.empty(batch, np.int32), np.empty(width, np.int32),
                np.empty(self.n_classes, np.int32), np.empty(self.n_classes), winner[part],
            )  # fmt: skip

        rows.map_row_chunks(vote, rows.n_rows, n_jobs, len(self._lower))
        return winner


@dataclass(frozen=True, slots=True)
class SparseVoter:
    """The weights of all pairs by column, ready to vote; see _kernels/one_vs_one.pyx."""

    n_classes: int
    starts: npt.NDArray[np.int64]
    block: npt.NDArray[np.int32]
    lines: Array
    intercept: npt.NDArray[np.float64]
    lower: npt.NDArray[np.int32]
    upper: npt.NDArray[np.int32]

    @classmethod
    def of(cls, models: Sequence[BinaryPairModel], n_columns: int, n_classes: int) -> SparseVoter:
        """Put the weights of models into lines, eight models at a time."""
        dtype = models[0].weights.dtype
        scratch = np.zeros((n_columns, _LINE), dtype)
        columns_of_block, lines_of_block = [], []
        for first in range(0, len(models), _LINE):
            touched = np.zeros(n_columns, bool)
            for place, model in enumerate(models[first : first + _LINE]):
                scratch[model.columns, place] = model.weights[:-1]
                touched[model.columns] = True
            columns = np.flatnonzero(touched)
            columns_of_block.append(columns)
            lines_of_block.append(scratch[columns])
            scratch[columns] = 0
        counts = np.zeros(n_columns, np.int64)
        for columns in columns_of_block:
            counts[columns] += 1
        starts = np.concatenate([[0], np.cumsum(counts)])
        lines = np.empty((starts[-1], _LINE), dtype)
        block = np.empty(starts[-1], np.int32)
        free = starts[:-1].copy()
        for number, (columns, some) in enumerate(zip(columns_of_block, lines_of_block, strict=True)):
            lines[free[columns]] = some
            block[free[columns]] = number
            free[columns] += 1
        return cls(
            n_classes, starts, block, lines.ravel(),
            np.array([model.weights[-1] for model in models], np.float64),
            np.array([model.lower for model in models], np.int32),
            np.array([model.upper for model in models], np.int32),
        )  # fmt: skip

    def votes(self, rows: Rows, n_jobs: int | None = None) -> Votes:
        """Return the votes of every class and its summed scores against the others, of shape (n_rows, n_classes)."""
        _check_columns(rows, len(self.starts) - 1)
        votes = np.zeros((rows.n_rows, self.n_classes), np.int64)
        confidence = np.zeros((rows.n_rows, self.n_classes))
        every = np.arange(rows.n_rows)
        width = -(-len(self.lower) // _LINE) * _LINE

        def vote(_: None, part: slice) -> None:
            longest = max(1, rows.longest)
            pair_votes(
                rows.data, rows.indices, rows.indptr, every[part],
                self.starts, self.block, self.lines, self.intercept, self.lower, self.upper,
                votes[part], confidence[part], np.empty(4 * width + longest), np.empty(longest, np.int64),
            )  # fmt: skip

        rows.map_row_chunks(vote, rows.n_rows, n_jobs, len(self.lower))
        return votes, confidence

    def winners(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.int64]:
        """Return the class of each row."""
        return winners(*self.votes(rows, n_jobs))


def winners(votes: npt.NDArray[np.int64], confidence: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the class of each row: most votes, then the highest summed score, then the lowest number.

    Examples
    --------
    >>> winners(np.array([[1, 1, 1], [0, 2, 1]]), np.array([[0.5, 0.7, -1.2], [0.0, 0.0, 0.0]])).tolist()
    [1, 1]
    """
    winner = np.empty(len(votes), np.int64)
    vote_winners(votes, confidence, winner)
    return winner
