"""Rows with their labels and weights."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.label_sets import LabelSets
from textperceptron.learn.rows import Rows
from textperceptron.learn.state import Array


@dataclass(frozen=True, slots=True)
class Problem:
    """What is learnt from: checked rows, their labels, and a weight a row (empty: all 1).

    Labels are signs −1 and +1 (int8) for two classes, numbers from 0 (int32) for more, or sets of such numbers.
    """

    rows: Rows
    y: npt.NDArray[Any] | LabelSets
    weight: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        n = self.rows.n_rows
        if len(self.y) != n or len(self.weight) not in (0, n):
            raise ValueError(
                f"there are {n} rows, {len(self.y)} labels and {len(self.weight)} weights: give one label a row, "
                "and one weight a row or none at all."
            )

    def pieces(self, part: npt.NDArray[np.int64]) -> Iterator[tuple[Problem, npt.NDArray[np.int64]]]:
        """Yield problems for kernels that are the rows ``part`` one after the other, and the order of their rows."""
        for rows, order, place in self.rows.pieces(part, self.weight):
            if rows is self.rows:
                yield self, order
            else:
                mine = part[place]
                yield Problem(rows, self.codes[mine], self.weight[mine] if len(self.weight) else self.weight), order

    @property
    def codes(self) -> npt.NDArray[Any]:
        """The labels, one a row."""
        if isinstance(self.y, LabelSets):
            raise TypeError("rows with sets of labels have no single label.")
        return self.y

    @property
    def arrays(self) -> tuple[Array, Array, Array, Array, npt.NDArray[np.float64]]:
        """The arrays with which kernels begin that take one label a row."""
        return self.rows.data, self.rows.indices, self.rows.indptr, self.codes, self.weight

    @property
    def arrays_with_sets(
        self,
    ) -> tuple[Array, Array, Array, npt.NDArray[np.int64], npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """The arrays with which kernels begin that take sets of labels."""
        labels = self.y if isinstance(self.y, LabelSets) else LabelSets.of_codes(self.y)
        return self.rows.data, self.rows.indices, self.rows.indptr, labels.starts, labels.label, self.weight
