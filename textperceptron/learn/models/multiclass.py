"""The model of more than two classes: a weight per column and class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from textperceptron.learn.models.base import Array
from textperceptron.learn.rows import Rows
from textperceptron.learn.weight_tables import ClassTable


@dataclass(frozen=True, slots=True)
class MulticlassModel:
    """A table of weights, trained natively or one-vs-all. The highest score wins; of equals, the first."""

    weights: Array
    table: ClassTable

    @classmethod
    def of_dense(cls, dense: Array) -> MulticlassModel:
        """Make a model of weights of shape (n_columns + 1, n_classes), intercepts last."""
        table = ClassTable(len(dense) - 1, dense.shape[1])
        weights = np.zeros((len(dense), table.stride), dense.dtype)
        weights[:, : table.n_classes] = dense
        return cls(weights.ravel(), table)

    @property
    def n_columns(self) -> int:
        """Number of columns."""
        return self.table.n_columns

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.table.n_classes

    def scores(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return the scores: an array of shape (n_rows, n_classes)."""
        return rows.class_scores(self.weights, self.table, pad=1.0, n_jobs=n_jobs)

    def codes(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.intp]:
        """Return the class code of each row."""
        codes: npt.NDArray[np.intp] = self.scores(rows, n_jobs).argmax(axis=1)
        return codes

    def contributions(self, columns: Array, values: Array) -> npt.NDArray[np.float64]:
        """Return what each entry of a row adds to the score of each class."""
        if self.table.bits:
            return self._contributions_by_scoring(columns, values)
        return np.multiply(values[:, np.newaxis], self._lines[columns, : self.n_classes], dtype=np.float64)

    def _contributions_by_scoring(self, columns: Array, values: Array) -> npt.NDArray[np.float64]:
        """Score each entry as a row of its own: only the kernel can read a hashed table."""
        n = len(columns)
        indptr = np.arange(n + 1, dtype=columns.dtype)
        alone = Rows(values, columns, indptr, self.n_columns)
        empty = Rows(values[:0], columns[:0], np.zeros(2, columns.dtype), self.n_columns)
        return np.asarray(self.scores(alone) - self.scores(empty))

    def intercepts(self) -> npt.NDArray[np.float64]:
        """Return the intercept of each class."""
        start = self.table.intercept_offset
        return self.weights[start : start + self.n_classes].astype(np.float64)

    def weights_of(self, code: int) -> Array:
        """Return the weight of every column for a class."""
        if self.table.bits:
            raise ValueError(
                f"the weights of {self.n_classes} classes and {self.n_columns} columns are hashed to "
                f"2**{self.table.bits}: they cannot be read column by column. Train with hash_bits=0."
            )
        return self._lines[:-1, code]

    def largest_weights(self) -> Array:
        """Return the largest absolute weight of every column, over all classes."""
        self.weights_of(0)  # raises ValueError for hashed weights
        largest: Array = np.abs(self._lines[:-1, : self.n_classes]).max(axis=1)
        return largest

    def adjusted(self, rows_of_class: npt.NDArray[np.int64], strength: float) -> MulticlassModel:
        """Return the model with the logit adjustment: the scores of classes with few rows are raised.

        Examples
        --------
        >>> import numpy as np
        >>> from textperceptron.learn.models import MulticlassModel
        >>> model = MulticlassModel.of_dense(np.zeros((1, 3)))
        >>> model.adjusted(np.array([10, 10, 10]), 0.03).intercepts().tolist()
        [0.0, 0.0, 0.0]
        >>> model.adjusted(np.array([80, 10, 0]), 0.03).intercepts().round(3).tolist()
        [-0.029, 0.033, 0.102]
        """
        rarity = rows_of_class.mean() / np.maximum(rows_of_class, 1)
        return self.shifted(-strength * np.log(rarity))

    def shifted(self, thresholds: float | npt.NDArray[np.float64]) -> MulticlassModel:
        """Return the model whose scores are above 0 where those of this one are above thresholds, one per class."""
        start, weights = self.table.intercept_offset, self.weights.copy()
        weights[start : start + self.n_classes] -= thresholds
        return MulticlassModel(weights, self.table)

    def map_weights(self, change: Callable[[Array], Array]) -> MulticlassModel:
        """Return the model with ``change(weights)``."""
        return MulticlassModel(change(self.weights), self.table)

    def keep_columns(self, kept: npt.NDArray[np.int64]) -> MulticlassModel:
        """Return the model without the other columns."""
        self.weights_of(0)  # raises ValueError for hashed weights
        lines = self._lines[np.append(kept, self.n_columns)]
        return MulticlassModel(lines.ravel(), ClassTable(len(kept), self.n_classes))

    @property
    def _lines(self) -> Array:
        return self.weights.reshape(self.n_columns + 1, self.table.stride)
