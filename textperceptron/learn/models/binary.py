"""The model of two classes: one weight per column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from textperceptron.learn.models.base import Array
from textperceptron.learn.rows import Rows


@dataclass(frozen=True, slots=True)
class BinaryModel:
    """One weight per column, then the intercept."""

    weights: Array

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return len(self.weights) - 1

    @property
    def n_classes(self) -> int:
        """Two."""
        return 2

    def scores(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return one score per row, above 0 for the second class."""
        return rows.scores(self.weights, pad=1.0, n_jobs=n_jobs)

    def codes(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.intp]:
        """Return the class code of each row."""
        return (self.scores(rows, n_jobs) > 0).astype(np.intp)

    def contributions(self, columns: Array, values: Array) -> npt.NDArray[np.float64]:
        """Return what each entry of a row adds to the score: an array of shape (n_entries, 1)."""
        return np.multiply(values, self.weights[columns], dtype=np.float64)[:, np.newaxis]

    def intercepts(self) -> npt.NDArray[np.float64]:
        """Return the intercept."""
        return self.weights[-1:].astype(np.float64)

    def weights_of(self, code: int) -> Array:
        """Return the weight of every column for a class."""
        return self.weights[:-1] if code else -self.weights[:-1]

    def largest_weights(self) -> Array:
        """Return the absolute weight of every column."""
        return np.abs(self.weights[:-1])

    def shifted(self, threshold: float | npt.NDArray[np.float64]) -> BinaryModel:
        """Return the model whose scores are above 0 where those of this one are above a threshold."""
        weights = self.weights.copy()
        weights[-1] -= threshold
        return BinaryModel(weights)

    def map_weights(self, change: Callable[[Array], Array]) -> BinaryModel:
        """Return the model with ``change(weights)``."""
        return BinaryModel(change(self.weights))

    def keep_columns(self, kept: npt.NDArray[np.int64]) -> BinaryModel:
        """Return the model without the other columns."""
        return BinaryModel(self.weights[np.append(kept, self.n_columns)])
