"""The voted perceptron's model: the ordered list of its mistakes."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import vote_scores
from textperceptron.learn.plan import Pace
from textperceptron.learn.rows import Rows


@dataclass(frozen=True, slots=True)
class Kernel:
    """``(x·z + coef0)^degree + pad``; degree 1 and coef0 0 is the linear one."""

    degree: int = 1
    coef0: float = 0.0
    pad: float = 1.0


@dataclass(frozen=True, slots=True)
class VotedMistakes:
    """Which rows were mistaken, in which order, and for how long each vector lived.

    Mistake k added ``steps[k]`` times support row ``mistaken[k]`` at example ``times[k]`` (the first is 1).
    Within one call of training, a row is kept once however often it was mistaken.
    """

    support: Rows
    mistaken: npt.NDArray[np.int32]
    steps: npt.NDArray[np.float64]
    times: npt.NDArray[np.int64]

    @classmethod
    def none(cls, like: Rows) -> VotedMistakes:
        """Return the empty list, for rows such as these."""
        empty = like.take(np.empty(0, np.int64))
        return cls(empty, np.empty(0, np.int32), np.empty(0), np.empty(0, np.int64))

    def with_more(
        self,
        rows: Rows,
        which: npt.NDArray[np.int64],
        steps: npt.NDArray[np.float64],
        times: npt.NDArray[np.int64],
    ) -> VotedMistakes:
        """Return this list followed by mistakes on the rows ``which`` of ``rows``."""
        unique, place = np.unique(which, return_inverse=True)
        return VotedMistakes(
            _stacked(self.support, rows.take(unique)),
            np.concatenate([self.mistaken, (place + self.support.n_rows).astype(np.int32)]),
            np.concatenate([self.steps, steps]),
            np.concatenate([self.times, times]),
        )

    def survived(self, seen: int) -> npt.NDArray[np.int64]:
        """Return c_k: the number of examples, of ``seen``, after which the vector of mistake k was current."""
        return np.diff(self.times, append=seen + 1)

    def votes(
        self, rows: Rows, kernel: Kernel, seen: int, which: npt.NDArray[np.int64] | None = None
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return ``Σ c_k·sign(score_k)`` and the last vector's score of each row, or of the rows ``which``."""
        if rows.n_columns != self.support.n_columns:
            raise ValueError(f"the rows have {rows.n_columns} columns, the model has {self.support.n_columns}.")
        order = np.arange(rows.n_rows) if which is None else which
        votes, last = np.zeros(len(order)), np.zeros(len(order))
        by_column, survived = _by_column(self.support), self.survived(seen)
        products = np.empty(self.support.n_rows)
        pace = Pace(rows)
        start = 0
        for part in pace.slices(order):
            stop = start + len(part)
            began = time.perf_counter()
            vote_scores(
                rows.data, rows.indices, rows.indptr, part,
                *by_column, self.mistaken, self.steps, survived,
                products, votes[start:stop], last[start:stop],
                kernel.pad, kernel.degree, kernel.coef0,
            )  # fmt: skip
            pace.took(time.perf_counter() - began)
            start = stop
        return votes, last


def _by_column(
    rows: Rows,
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
    """Return, column by column, where it starts, which rows hold it and with which value."""
    starts = np.zeros(rows.n_columns + 1, np.int64)
    np.cumsum(np.bincount(rows.indices, minlength=rows.n_columns), out=starts[1:])
    order = np.argsort(rows.indices, kind="stable")
    holders = np.repeat(np.arange(rows.n_rows, dtype=np.int32), np.diff(rows.indptr))
    return starts, holders[order], rows.values.astype(np.float64)[order]


def _stacked(upper: Rows, lower: Rows) -> Rows:
    if upper.n_rows == 0:
        return lower
    data = np.concatenate([upper.values, lower.values])
    indptr = np.concatenate([upper.indptr, lower.indptr[1:] + upper.indptr[-1]])
    return Rows(data, np.concatenate([upper.indices, lower.indices]), indptr, upper.n_columns)
