"""The model of the voted perceptron: the ordered list of its mistakes, which vote."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron.learn.models.base import Array
from textperceptron.learn.plan import Pace
from textperceptron.learn.rows import Rows


@dataclass(frozen=True, slots=True)
class Kernel:
    """``(x·z + coef0)^degree + pad``; linear with degree 1 and coef0 0."""

    degree: int = 1
    coef0: float = 0.0
    pad: float = 1.0


@dataclass(frozen=True, slots=True)
class VotedMistakes:
    """The misclassified rows in the order of the mistakes, and how long each weight vector survived.

    Mistake k added ``steps[k]`` times support row ``mistaken[k]`` at example ``times[k]``, counted from 1. Within one
    call of training, a row is stored once however often it was misclassified.
    """

    support: Rows
    mistaken: npt.NDArray[np.int32]
    steps: npt.NDArray[np.float64]
    times: npt.NDArray[np.int64]

    @classmethod
    def empty(cls, like: Rows) -> VotedMistakes:
        """Return the empty list, for rows with the columns and types of ``like``."""
        no_rows = like.take(np.empty(0, np.int64))
        return cls(no_rows, np.empty(0, np.int32), np.empty(0), np.empty(0, np.int64))

    def extended(
        self,
        rows: Rows,
        which: npt.NDArray[np.int64],
        steps: npt.NDArray[np.float64],
        times: npt.NDArray[np.int64],
    ) -> VotedMistakes:
        """Return this list followed by mistakes on the rows ``which`` of ``rows``."""
        unique, position = np.unique(which, return_inverse=True)
        return VotedMistakes(
            _stacked(self.support, rows.take(unique)),
            np.concatenate([self.mistaken, (position + self.support.n_rows).astype(np.int32)]),
            np.concatenate([self.steps, steps]),
            np.concatenate([self.times, times]),
        )

    def survived(self, seen: int) -> npt.NDArray[np.int64]:
        """Return c_k: the number of examples, of ``seen``, after which the vector of mistake k was current."""
        return np.diff(self.times, append=seen + 1)

    def votes(
        self, rows: Rows, kernel: Kernel, seen: int, which: npt.NDArray[np.int64] | None = None
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return ``Σ c_k·sign(score_k)`` and the score by the last vector, for every row or for the rows ``which``."""
        if rows.n_columns != self.support.n_columns:
            raise ValueError(f"the rows have {rows.n_columns} columns, the model has {self.support.n_columns}.")
        order = np.arange(rows.n_rows) if which is None else which
        votes, last = np.zeros(len(order)), np.zeros(len(order))
        by_column, survived = _by_column(self.support), self.survived(seen)
        products = np.empty(self.support.n_rows)
        pace = Pace(rows)
        start = 0
        for slice_order in pace.slices(order):
            stop = start + len(slice_order)
            slice_start = time.perf_counter()
            _kernels.vote_scores(
                rows.data, rows.indices, rows.indptr, slice_order,
                *by_column, self.mistaken, self.steps, survived,
                products, votes[start:stop], last[start:stop],
                kernel.pad, kernel.degree, kernel.coef0,
            )  # fmt: skip
            pace.record(time.perf_counter() - slice_start)
            start = stop
        return votes, last


def _by_column(
    rows: Rows,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return the rows as CSC arrays: offset of each column, row and value of each entry."""
    starts = np.zeros(rows.n_columns + 1, np.int64)
    np.cumsum(np.bincount(rows.indices, minlength=rows.n_columns), out=starts[1:])
    order = np.argsort(rows.indices, kind="stable")
    row_of = np.repeat(np.arange(rows.n_rows, dtype=np.int32), np.diff(rows.indptr))
    return starts, row_of[order], rows.values.astype(np.float64)[order]


def _stacked(upper: Rows, lower: Rows) -> Rows:
    if upper.n_rows == 0:
        return lower
    data = np.concatenate([upper.values, lower.values])
    indptr = np.concatenate([upper.indptr, lower.indptr[1:] + upper.indptr[-1]])
    return Rows(data, np.concatenate([upper.indices, lower.indices]), indptr, upper.n_columns)


@dataclass(frozen=True, slots=True)
class VotedModel:
    """The list of mistakes, the kernel, and the number of examples seen."""

    past: VotedMistakes
    kernel: Kernel
    seen: int

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.past.support.n_columns

    @property
    def n_classes(self) -> int:
        """Two."""
        return 2

    def scores(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return the votes for the second class minus those for the first, as a fraction of all: from −1 to 1."""
        return self.past.votes(rows, self.kernel, self.seen)[0] / max(1, self.seen)

    def codes(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.intp]:
        """Return the class code of each row."""
        return (self.scores(rows, n_jobs) > 0).astype(np.intp)

    def contributions(self, columns: Array, values: Array) -> NoReturn:
        """Raise ValueError: votes are not sums over columns."""
        raise ValueError("the voted perceptron counts votes, which are not sums over words: it cannot explain a score.")

    def intercepts(self) -> NoReturn:
        """Raise ValueError: there is no intercept."""
        raise ValueError("the voted perceptron stores mistakes and has no intercept.")

    def weights_of(self, code: int) -> NoReturn:
        """Raise ValueError: there are no weights."""
        raise ValueError("the voted perceptron stores mistakes and has no weights of columns.")

    def largest_weights(self) -> NoReturn:
        """Raise ValueError: there are no weights."""
        self.weights_of(0)

    def map_weights(self, change: Callable[[Array], Array]) -> NoReturn:
        """Raise ValueError: there are no weights."""
        self.weights_of(0)

    def keep_columns(self, kept: npt.NDArray[np.int64]) -> NoReturn:
        """Raise ValueError: no column can be left out."""
        raise ValueError("the voted perceptron stores mistakes, not weights of columns: no column can be left out.")
