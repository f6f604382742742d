"""Rows in which one entry stands for all columns that no other row has."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from textperceptron.learn.rows import Array, Rows


@dataclass(frozen=True, slots=True)
class FoldedRows(Rows):
    """Rows of presence whose last entry stands for several.

    A column that one row alone has moves when that row moves the weights, and never else: all such columns of a row
    have the same weight at any time. Two thirds of the word pairs of a corpus are of that kind; one weight for all
    of a row is learnt faster, and is the same.

    Attributes
    ----------
    n_shared : int
        Columns that several rows have. Behind them comes one for each row.
    further : int32 array
        How many further columns that of each row stands for.
    places : int32 array
        Where each column is that is not folded: the weight that it has.
    """

    n_shared: int
    further: npt.NDArray[np.int32]
    places: npt.NDArray[np.int32]

    @property
    def more(self) -> npt.NDArray[np.int32]:
        """How many further entries the last one of each row stands for."""
        return self.further

    def take(self, which: npt.NDArray[np.int64]) -> NoReturn:
        """Raise: the entry that stands for several is found by the number of its row, which others would have."""
        raise TypeError("folded rows are learnt from as they are; no others can be made of them.")

    def class_scores(self, *_: Any, **__: Any) -> NoReturn:
        """Raise: rows are folded for two classes alone."""
        raise TypeError("folded rows have one score each, not one a class.")

    def scores(
        self,
        weights: Array,
        *,
        pad: float,
        which: npt.NDArray[np.int64] | None = None,
        n_jobs: int | None = None,
    ) -> Array:
        """Return ``x·w + pad·intercept`` of every row, or of the rows ``which``."""
        rows = np.arange(self.n_rows) if which is None else which
        once: Array = Rows.scores(self, weights, pad=pad, which=which, n_jobs=n_jobs)
        return once + self.further[rows] * weights[self.n_shared + rows].astype(np.float64)
