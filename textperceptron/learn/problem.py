"""Rows with their labels and weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from textperceptron.learn.rows import Rows
from textperceptron.learn.state import Array


@dataclass(frozen=True, slots=True)
class Problem:
    """What is learnt from: checked rows, labels −1 and +1, and a weight a row (empty: all 1)."""

    rows: Rows
    y: npt.NDArray[np.int8]
    weight: npt.NDArray[np.float64]

    def __post_init__(self) -> None:
        n = self.rows.n_rows
        if len(self.y) != n or len(self.weight) not in (0, n):
            raise ValueError(
                f"there are {n} rows, {len(self.y)} labels and {len(self.weight)} weights: give one label a row, "
                "and one weight a row or none at all."
            )

    @property
    def arrays(self) -> tuple[Array, Array, Array, npt.NDArray[np.int8], npt.NDArray[np.float64]]:
        """The arrays in the order in which every training kernel begins."""
        return self.rows.data, self.rows.indices, self.rows.indptr, self.y, self.weight
