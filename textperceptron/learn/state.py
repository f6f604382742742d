"""Everything a training run has to remember, in arrays that kernels change in place."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from textperceptron.learn.weight_tables import ClassTable

Array = npt.NDArray[Any]

# Places in ``counts``. The kernels know the first six, by the names in _kernels/rows.pxd; the loop adds the number of
# finished epochs, how many rows the epoch under way has and how many examples had been seen when it began.
SEEN, MISTAKES, UPDATES, POSITION, SUPPORT, LOGGED, EPOCH, EPOCH_ROWS, SEEN_BEFORE = range(9)

EMPTY = np.empty(0)
"""An empty array of float64: kernels read it as "no sample weights" or "no average"."""


@dataclass(slots=True)
class State:
    """Weights, what the rule keeps beside them, and how far training has come.

    With the seed of the plan this is the whole state of a run: the permutation of an epoch follows from
    seed and epoch, so going on from a state is the same as never having stopped.
    """

    weights: Array
    """One a column and, last, the intercept."""
    accumulator: Array = field(default_factory=EMPTY.copy, metadata={"key": "memory"})
    """What the rule keeps beside the weights, of the same length: the running total of an average (float64)
    or the variances of AROW; empty where there is none."""
    squared_column_weight: npt.NDArray[np.float64] = field(default_factory=EMPTY.copy, metadata={"key": "metric"})
    """The squares of the column weights with which rows are learnt from, 1 for the intercept; empty where all are 1."""
    layout: ClassTable | None = None
    """Where the weights of more than two classes stand."""
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(9, np.int64))
    loss: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))
    column_weight: npt.NDArray[np.float64] = field(default_factory=EMPTY.copy)
    """The column weights themselves, where a finished model is interpolated with them; else empty."""
    rows_are_unit: npt.NDArray[np.int8] = field(
        default_factory=lambda: np.empty(0, np.int8), metadata={"key": "of_length_one"}
    )
    """Whether the first rows had the length 1, where a finished model is interpolated; else empty."""

    @property
    def n_columns(self) -> int:
        """Columns of the rows that this state was made for."""
        return len(self.weights) - 1 if self.layout is None else self.layout.n_columns

    @property
    def inner_weights(self) -> Array:
        """The weights of the weighted columns, which are what a rule moves; 0 where a column weighs nothing."""
        if not len(self.squared_column_weight):
            return self.weights
        # A row for each column: of one weight, or of a weight a class.
        table = self.weights.reshape(len(self.squared_column_weight), -1)
        reach = np.sqrt(self.squared_column_weight)[:, np.newaxis]
        return np.divide(table, reach, out=np.zeros(table.shape), where=reach > 0).ravel()

    @property
    def epoch(self) -> int:
        """Finished epochs."""
        return int(self.counts[EPOCH])

    @property
    def seen(self) -> int:
        """Examples since training began, the T of an average."""
        return int(self.counts[SEEN])

    @property
    def updates(self) -> int:
        """Updates of the current epoch."""
        return int(self.counts[UPDATES])

    def set_progress(self, *, seen: int, epoch: int) -> None:
        """Say how many examples and epochs lie behind."""
        self.counts[[SEEN, EPOCH]] = seen, epoch

    def begin_epoch(self, n_rows: int) -> None:
        """Set what is counted per epoch to zero, for an epoch over that many rows."""
        self.loss[0] = 0
        self.counts[[MISTAKES, UPDATES, POSITION, EPOCH_ROWS, SEEN_BEFORE]] = 0, 0, 0, n_rows, self.seen

    def end_epoch(self) -> None:
        """Count an epoch; in one assignment, which Ctrl-C cannot split."""
        self.counts[[EPOCH, POSITION]] = self.epoch + 1, 0

    def leave_epoch(self) -> None:
        """Forget that an epoch was interrupted: the next one is over other rows."""
        self.counts[POSITION] = 0

    def is_within_epoch(self, n_rows: int) -> bool:
        """Whether an epoch over that many rows was interrupted, perhaps after its last row."""
        return bool(self.counts[POSITION] > 0 and self.counts[EPOCH_ROWS] == n_rows)

    def copy(self) -> Self:
        """Return a state that further training of this one leaves alone."""
        return copy.deepcopy(self)
