"""The state of a training run, in arrays that kernels change in place."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from textperceptron.learn.weight_tables import ClassTable

Array = npt.NDArray[Any]

# Indices into ``counts``. Kernels use the first six, by the names in _kernels/rows.pxd. The loop adds the number of
# finished epochs, the number of rows of the current epoch, and the number of examples seen before it.
SEEN, MISTAKES, UPDATES, POSITION, SUPPORT, LOGGED, EPOCH, EPOCH_ROWS, SEEN_BEFORE = range(9)

EMPTY = np.empty(0)
"""An empty array of float64. Kernels read it as "no sample weights" or "no average"."""


@dataclass(slots=True)
class State:
    """Weights, accumulators and counters of a rule.

    Together with the seed of the plan this is the whole state of a run. The order of an epoch depends on seed and
    epoch only, so a resumed run gives the same bits as one that was never interrupted.
    """

    weights: Array
    """One per column, then the intercept."""
    accumulator: Array = field(default_factory=EMPTY.copy, metadata={"key": "memory"})
    """A number per weight: the running total of an average (float64), or the variance of AROW. Empty if unused."""
    squared_column_weight: npt.NDArray[np.float64] = field(default_factory=EMPTY.copy, metadata={"key": "metric"})
    """Squares of the column weights, and 1 for the intercept. Empty without column weights."""
    table: ClassTable | None = None
    """Layout of the weights of more than two classes."""
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(9, np.int64))
    loss: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    column_weight: npt.NDArray[np.float64] = field(default_factory=EMPTY.copy)
    """The column weights themselves, if the model is interpolated with them, else empty."""
    rows_are_unit: npt.NDArray[np.int8] = field(
        default_factory=lambda: np.empty(0, np.int8), metadata={"key": "of_length_one"}
    )
    """Whether the rows of the first training had norm 1, if the model is interpolated, else empty."""

    @property
    def n_columns(self) -> int:
        """Number of columns of the rows that this state belongs to."""
        return len(self.weights) - 1 if self.table is None else self.table.n_columns

    @property
    def unscaled_weights(self) -> Array:
        """The weights divided by the column weights; 0 for columns of weight 0."""
        if not len(self.squared_column_weight):
            return self.weights
        table = self.weights.reshape(len(self.squared_column_weight), -1)  # columns × classes
        scale = np.sqrt(self.squared_column_weight)[:, np.newaxis]
        return np.divide(table, scale, out=np.zeros(table.shape), where=scale > 0).ravel()

    @property
    def epoch(self) -> int:
        """Number of finished epochs."""
        return int(self.counts[EPOCH])

    @property
    def seen(self) -> int:
        """Number of examples seen since training began: T of the average."""
        return int(self.counts[SEEN])

    @property
    def updates(self) -> int:
        """Number of updates in the current epoch."""
        return int(self.counts[UPDATES])

    def set_progress(self, *, seen: int, epoch: int) -> None:
        """Set the numbers of examples seen and of finished epochs."""
        self.counts[[SEEN, EPOCH]] = seen, epoch

    def begin_epoch(self, n_rows: int) -> None:
        """Reset the counters of an epoch over ``n_rows`` rows."""
        self.loss[0] = 0
        self.counts[[MISTAKES, UPDATES, POSITION, EPOCH_ROWS, SEEN_BEFORE]] = 0, 0, 0, n_rows, self.seen

    def end_epoch(self) -> None:
        """Count an epoch, in one assignment that Ctrl-C cannot split."""
        self.counts[[EPOCH, POSITION]] = self.epoch + 1, 0

    def abandon_epoch(self) -> None:
        """Forget an interrupted epoch: the next one is over other rows."""
        self.counts[POSITION] = 0

    def is_within_epoch(self, n_rows: int) -> bool:
        """Whether an epoch over ``n_rows`` rows was interrupted, possibly after its last row."""
        return bool(self.counts[POSITION] > 0 and self.counts[EPOCH_ROWS] == n_rows)

    def copy(self) -> Self:
        """Return a deep copy."""
        return copy.deepcopy(self)
