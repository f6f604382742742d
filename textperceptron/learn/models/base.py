"""What every finished model can do."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from textperceptron.learn.rows import Rows

Array = npt.NDArray[Any]


class Model(Protocol):
    """Scores of rows. A model of two classes has one score a row, above 0 for the second."""

    @property
    def n_columns(self) -> int:
        """Columns of the rows that it takes."""

    @property
    def n_classes(self) -> int:
        """Classes that it tells apart."""

    def scores(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return a score a row, or, of more than two classes, one for each."""

    def codes(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.intp]:
        """Return the number of each row's class."""

    def contributions(self, columns: Array, values: Array) -> npt.NDArray[np.float64]:
        """Return what each entry of a row adds to each class: of shape (n_entries, n_classes), or one column for two.

        Raises
        ------
        ValueError
            If the scores are no sums over the entries.
        """

    def intercepts(self) -> npt.NDArray[np.float64]:
        """Return what every row gets, a number for each class, or one for two."""

    def weights_of(self, code: int) -> Array:
        """Return the weight of every column for a class; of two classes, the first has the opposite of the second.

        Raises
        ------
        ValueError
            If the model has no weights for columns.
        """

    def largest_weights(self) -> Array:
        """Return the largest weight, whatever its sign, that a column has for any class.

        Raises
        ------
        ValueError
            If the model has no weights for columns.
        """

    def map_weights(self, change: Callable[[Array], Array]) -> Model:
        """Return the model with all its weights replaced by a function of them.

        Raises
        ------
        ValueError
            If the model has no weights.
        """

    def keep_columns(self, kept: npt.NDArray[np.int64]) -> Model:
        """Return the model of some columns alone, renumbered in the order given.

        Raises
        ------
        ValueError
            If the model has no weights for columns.
        """
