"""The interface of finished models."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from textperceptron.learn.rows import Rows

Array = npt.NDArray[Any]


class Model(Protocol):
    """A finished model. With two classes it has one score per row, above 0 for the second class."""

    @property
    def n_columns(self) -> int:
        """Number of columns."""

    @property
    def n_classes(self) -> int:
        """Number of classes."""

    def scores(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return one score per row or, with more than two classes, an array of shape (n_rows, n_classes)."""

    def codes(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.intp]:
        """Return the class code of each row."""

    def contributions(self, columns: Array, values: Array) -> npt.NDArray[np.float64]:
        """Return what each entry of a row adds to the scores: shape (n_entries, n_classes), or (n_entries, 1) for two.

        Raises
        ------
        ValueError
            If scores are not sums over entries.
        """

    def intercepts(self) -> npt.NDArray[np.float64]:
        """Return the intercept of each class; one number for two classes."""

    def weights_of(self, code: int) -> Array:
        """Return the weight of every column for a class; with two classes, those of the first are the negated ones.

        Raises
        ------
        ValueError
            If the model has no weights of columns.
        """

    def largest_weights(self) -> Array:
        """Return the largest absolute weight of every column, over all classes.

        Raises
        ------
        ValueError
            If the model has no weights of columns.
        """

    def map_weights(self, change: Callable[[Array], Array]) -> Model:
        """Return the model with ``change(weights)`` for all its weights.

        Raises
        ------
        ValueError
            If the model has no weights.
        """

    def keep_columns(self, kept: npt.NDArray[np.int64]) -> Model:
        """Return the model without the other columns; the kept ones are renumbered in the order of ``kept``.

        Raises
        ------
        ValueError
            If the model has no weights of columns.
        """
