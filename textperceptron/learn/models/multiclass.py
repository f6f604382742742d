"""More than two classes: a weight for each column and class."""

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
    """A table of weights, learnt natively or one-vs-all; the highest score wins, the first of equals."""

    weights: Array
    layout: ClassTable

    @classmethod
    def of_table(cls, table: Array) -> MulticlassModel:
        """Make a model of one row a column and one column a class, the intercepts last."""
        layout = ClassTable(len(table) - 1, table.shape[1])
        weights = np.zeros((len(table), layout.stride), table.dtype)
        weights[:, : layout.n_classes] = table
        return cls(weights.ravel(), layout)

    @property
    def n_columns(self) -> int:
        """Columns of the rows that it takes."""
        return self.layout.n_columns

    @property
    def n_classes(self) -> int:
        """Classes that it tells apart."""
        return self.layout.n_classes

    def scores(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return the scores, of shape (n_rows, n_classes)."""
        return rows.class_scores(self.weights, self.layout, pad=1.0, n_jobs=n_jobs)

    def codes(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.intp]:
        """Return the number of each row's class."""
        codes: npt.NDArray[np.intp] = self.scores(rows, n_jobs).argmax(axis=1)
        return codes

    def contributions(self, columns: Array, values: Array) -> npt.NDArray[np.float64]:
        """Return what each entry of a row adds to each class."""
        if self.layout.bits:
            return self._contributions_by_scoring(columns, values)
        return np.multiply(values[:, np.newaxis], self._table[columns, : self.n_classes], dtype=np.float64)

    def _contributions_by_scoring(self, columns: Array, values: Array) -> npt.NDArray[np.float64]:
        """Do the same for a hashed table, whose places only the kernel knows: each entry as a row of its own."""
        n = len(columns)
        indptr = np.arange(n + 1, dtype=columns.dtype)
        alone = Rows(values, columns, indptr, self.n_columns)
        empty = Rows(values[:0], columns[:0], np.zeros(2, columns.dtype), self.n_columns)
        return np.asarray(self.scores(alone) - self.scores(empty))

    def intercepts(self) -> npt.NDArray[np.float64]:
        """Return the intercept of each class."""
        table = self.layout.table
        return self.weights[table : table + self.n_classes].astype(np.float64)

    def weights_of(self, code: int) -> Array:
        """Return the weight of every column for a class."""
        if self.layout.bits:
            raise ValueError(
                f"the weights of {self.n_classes} classes and {self.n_columns} columns are hashed to "
                f"2**{self.layout.bits} places: they cannot be read column by column. Train with hash_bits=0."
            )
        return self._table[:-1, code]

    def largest_weights(self) -> Array:
        """Return the largest weight of every column, without its sign."""
        self.weights_of(0)  # refuses hashed weights
        largest: Array = np.abs(self._table[:-1, : self.n_classes]).max(axis=1)
        return largest

    def map_weights(self, change: Callable[[Array], Array]) -> MulticlassModel:
        """Return the model with other weights."""
        return MulticlassModel(change(self.weights), self.layout)

    def keep_columns(self, kept: npt.NDArray[np.int64]) -> MulticlassModel:
        """Return the model of some columns alone."""
        self.weights_of(0)  # refuses hashed weights
        table = self._table[np.append(kept, self.n_columns)]
        return MulticlassModel(table.ravel(), ClassTable(len(kept), self.n_classes))

    @property
    def _table(self) -> Array:
        return self.weights.reshape(self.n_columns + 1, self.layout.stride)
