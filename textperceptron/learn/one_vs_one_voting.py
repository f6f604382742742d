"""One-vs-one prediction: the votes of all class pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import dense_votes, dense_winners, sparse_votes, vote_winners
from textperceptron.learn.one_vs_one import BinaryPairModel
from textperceptron.learn.one_vs_one_tiles import TILE, PairTables, fits_dense_tables
from textperceptron.learn.rows import Rows
from textperceptron.learn.state import Array

Votes = tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]

_UNUSED_LANE_SCORE = 1e30  # far from 0, so that it never needs an exact score
_LINE = 8  # models whose weights share a line; see _kernels/one_vs_one.pyx
_BATCH_ROWS = 8192  # rows that are scored with one table before the next,
_BATCH_SCORES = 1 << 24  # or fewer, for at most 64 MB of float32 scores per thread


class PairVoter(Protocol):
    """The weights of all class pairs, arranged for voting."""

    def votes(self, rows: Rows, n_jobs: int | None = None) -> Votes:
        """Return the votes and the summed scores of every class: two arrays of shape (n_rows, n_classes)."""

    def winners(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.int64]:
        """Return the class code of each row: most votes, then the highest summed score, then the lowest code."""


def voter_of(models: Sequence[BinaryPairModel], n_columns: int, n_classes: int) -> PairVoter:
    """Arrange the weights of models in dense tables or, if these would be too large, in lines."""
    if fits_dense_tables(n_columns, n_classes):
        return DenseVoter.of(models, n_columns, n_classes)
    return SparseVoter.of(models, n_columns, n_classes)


def _check_columns(rows: Rows, n_columns: int) -> None:
    if rows.n_columns != n_columns:
        raise ValueError(f"the rows have {rows.n_columns} columns, the model has {n_columns}.")


class DenseVoter:
    """Weights in one table per 16 models; see _kernels/one_vs_one_dense.pyx."""

    def __init__(self, tables: PairTables, n_classes: int) -> None:
        self.n_classes = n_classes
        self._tables, self._max_abs_weight, self._n_columns = tables.tables, tables.max_abs_weight, tables.n_columns
        # Votes and scores are summed in the order of the class pairs, whatever the order of their weights.
        pairs = np.array(tables.pairs, np.int32)
        self._slot = np.lexsort(pairs.T[::-1]).astype(np.int32)
        self._lower, self._upper = np.ascontiguousarray(pairs[self._slot].T)
        self._has_class = np.zeros((len(tables.tables), n_classes), np.uint8)
        self._has_class[np.arange(len(pairs)) // TILE, pairs.T] = 1
        self._n_whole = tables.n_whole
        self._intercepts = tables.tables[:, -1].flatten()  # a copy
        self._intercepts[len(pairs) :] = _UNUSED_LANE_SCORE
        self._intercept = self._intercepts[self._slot].astype(np.float64)

    @classmethod
    def of(cls, models: Sequence[BinaryPairModel], n_columns: int, n_classes: int) -> DenseVoter:
        """Copy the weights of models into tables."""
        return cls(PairTables.of(models, n_columns, n_classes), n_classes)

    def votes(self, rows: Rows, n_jobs: int | None = None) -> Votes:
        """Return votes and summed scores, computed in double."""
        _check_columns(rows, self._n_columns)
        votes = np.zeros((rows.n_rows, self.n_classes), np.int64)
        confidence = np.zeros((rows.n_rows, self.n_classes))
        every = np.arange(rows.n_rows)

        def vote(_: None, chunk: slice) -> None:
            dense_votes(
                rows.data, rows.indices, rows.indptr, every[chunk], self._tables,
                self._slot, self._intercept, self._lower, self._upper, votes[chunk], confidence[chunk],
            )  # fmt: skip

        rows.map_row_chunks(vote, rows.n_rows, n_jobs, len(self._lower))
        return votes, confidence

    def winners(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.int64]:
        """Return the class code of each row; float32 rows are scored in float32, close calls exactly."""
        if rows.dtype != np.float32 or self._tables.dtype != np.float32:
            return winners(*self.votes(rows, n_jobs))
        _check_columns(rows, self._n_columns)
        winner = np.empty(rows.n_rows, np.int64)
        every = np.arange(rows.n_rows)
        width = len(self._tables) * TILE
        batch = max(1, min(_BATCH_ROWS, rows.n_rows, _BATCH_SCORES // width))

        def vote(_: None, chunk: slice) -> None:
            dense_winners(
                rows.data, rows.indices, rows.indptr, every[chunk], self._tables, self._has_class, self._n_whole,
                self._max_abs_weight, self._intercepts, self._slot, self._intercept, self._lower, self._upper,
                np.empty((batch, width), np.float32), np.empty(batch, np.int32), np.empty(width, np.int32),
                np.empty(self.n_classes, np.int32), np.empty(self.n_classes), winner[chunk],
            )  # fmt: skip

        rows.map_row_chunks(vote, rows.n_rows, n_jobs, len(self._lower))
        return winner


@dataclass(frozen=True, slots=True)
class SparseVoter:
    """Weights by column, in lines of 8 models; see _kernels/one_vs_one.pyx."""

    n_classes: int
    starts: npt.NDArray[np.int64]
    block: npt.NDArray[np.int32]
    lines: Array
    intercept: npt.NDArray[np.float64]
    lower: npt.NDArray[np.int32]
    upper: npt.NDArray[np.int32]

    @classmethod
    def of(cls, models: Sequence[BinaryPairModel], n_columns: int, n_classes: int) -> SparseVoter:
        """Copy the weights of models into lines."""
        dtype = models[0].weights.dtype
        scratch = np.zeros((n_columns, _LINE), dtype)
        columns_of_block, lines_of_block = [], []
        for first in range(0, len(models), _LINE):
            touched = np.zeros(n_columns, bool)
            for lane, model in enumerate(models[first : first + _LINE]):
                scratch[model.columns, lane] = model.weights[:-1]
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
        next_free = starts[:-1].copy()
        for number, (columns, lines_of_columns) in enumerate(zip(columns_of_block, lines_of_block, strict=True)):
            lines[next_free[columns]] = lines_of_columns
            block[next_free[columns]] = number
            next_free[columns] += 1
        return cls(
            n_classes, starts, block, lines.ravel(),
            np.array([model.weights[-1] for model in models], np.float64),
            np.array([model.lower for model in models], np.int32),
            np.array([model.upper for model in models], np.int32),
        )  # fmt: skip

    def votes(self, rows: Rows, n_jobs: int | None = None) -> Votes:
        """Return the votes and the summed scores of every class: two arrays of shape (n_rows, n_classes)."""
        _check_columns(rows, len(self.starts) - 1)
        votes = np.zeros((rows.n_rows, self.n_classes), np.int64)
        confidence = np.zeros((rows.n_rows, self.n_classes))
        every = np.arange(rows.n_rows)
        width = -(-len(self.lower) // _LINE) * _LINE

        def vote(_: None, chunk: slice) -> None:
            max_length = max(1, rows.max_length)
            sparse_votes(
                rows.data, rows.indices, rows.indptr, every[chunk],
                self.starts, self.block, self.lines, self.intercept, self.lower, self.upper,
                votes[chunk], confidence[chunk], np.empty(4 * width + max_length), np.empty(max_length, np.int64),
            )  # fmt: skip

        rows.map_row_chunks(vote, rows.n_rows, n_jobs, len(self.lower))
        return votes, confidence

    def winners(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.int64]:
        """Return the class code of each row."""
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
