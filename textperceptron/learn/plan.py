"""Row order, stopping rules and slices of a training run."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from textperceptron._validation import at_least, between, integer, one_of
from textperceptron.learn.rows import Rows
from textperceptron.learn.training_data import Labels, LabelSets

Shuffle = bool | Literal["once"]
StoppedBy = Literal["converged", "validation", "small_change", "budget", "interrupted"]

# Target duration of a slice, because Ctrl-C, progress and checkpoints wait for its end; and its most entries.
SLICE_SECONDS = 0.1
SLICE_ENTRIES = 1 << 24
# The first slice has about 64 rows, clipped to these numbers of entries × models.
_FIRST_ROWS, _MIN_FIRST_WORK, _MAX_FIRST_WORK = 64, 1 << 14, 1 << 18

# In the seed of the split where permutations have the epoch, which stays far below.
_SPLIT = 1 << 32


@dataclass(frozen=True, slots=True)
class Plan:
    """Row order and stopping rules of a run; ``docs/learners.md`` describes each."""

    max_iter: int = 10
    shuffle: Shuffle = True
    seed: int = 0
    tol: float | None = None
    early_stopping: bool = False
    validation_fraction: float = 0.1
    n_iter_no_change: int = 5

    def __post_init__(self) -> None:
        at_least("max_iter", self.max_iter, 1)
        integer("max_iter", self.max_iter)
        one_of("shuffle", self.shuffle, (True, False, "once"))
        one_of("early_stopping", self.early_stopping, (True, False))
        at_least("random_state", self.seed, 0)
        if self.tol is not None:
            at_least("tol", self.tol, 0)
        between("validation_fraction", self.validation_fraction, 0, 1)
        at_least("n_iter_no_change", self.n_iter_no_change, 1)

    def order(self, rows: npt.NDArray[np.int64], epoch: int) -> npt.NDArray[np.int64]:
        """Return row numbers in the order of an epoch, which depends on the seed and the epoch only."""
        if not self.shuffle:
            return rows
        generator = np.random.default_rng([self.seed, 0 if self.shuffle == "once" else epoch])
        return rows[generator.permutation(len(rows))]

    def split(self, y: Labels, weight: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the rows to train on and the held-out rows, both ascending: the same fraction of each label.

        Rows of weight 0 are never held out.
        """
        if not self.early_stopping:
            return np.arange(len(y)), np.empty(0, np.int64)
        if isinstance(y, LabelSets):
            raise ValueError("early_stopping needs one label per row, to hold out the same fraction of each class.")
        generator = np.random.default_rng([self.seed, _SPLIT])
        held_out = np.zeros(len(y), bool)
        for label in sorted(set(y.tolist())):  # np.unique would import numpy.ma: 8 ms
            eligible = (y == label) & (weight != 0) if len(weight) else y == label
            rows = generator.permutation(np.flatnonzero(eligible))
            n = round(self.validation_fraction * len(rows))
            if not 0 < n < len(rows):
                raise ValueError(
                    f"early_stopping with validation_fraction={self.validation_fraction} would hold out {n} of "
                    f"the {len(rows)} rows of a class: it needs at least one to hold out and one to train on. "
                    "Change validation_fraction, or turn early_stopping off."
                )
            held_out[rows[:n]] = True
        return np.flatnonzero(~held_out), np.flatnonzero(held_out)

    def training_rows(self, y: Labels, weight: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
        """Return the rows that training sees: not held out, and of weight above 0."""
        train_on, _ = self.split(y, weight)
        return train_on[weight[train_on] != 0] if len(weight) else train_on


class Pace:
    """Cuts an epoch into slices of about ``SLICE_SECONDS`` each.

    The cost of an entry depends on the number of classes, on support vectors and on the machine. So each slice is
    sized by the duration of the last one. The first is small, and no slice is more than twice as large as the one
    before it. Slices do not change a bit of what is learnt.

    Parameters
    ----------
    rows : Rows
    n_models : int
        Number of models that learn from each row.
    """

    def __init__(self, rows: Rows, n_models: int = 1) -> None:
        self._rows = rows
        mean_length = rows.n_stored // max(1, rows.n_rows) + 1
        work = max(_MIN_FIRST_WORK, min(_MAX_FIRST_WORK, _FIRST_ROWS * mean_length * n_models))
        self._budget = max(1, work // n_models)
        self._entries = 0

    def slices(self, order: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
        """Yield slices of ``order``; the caller reports the duration of each with :meth:`record`."""
        ends = np.cumsum(self._rows.lengths[order] + 1)
        start = before = 0
        while start < len(order):
            budget = min(self._budget, SLICE_ENTRIES)
            stop = max(start + 1, int(np.searchsorted(ends, before + budget, side="right")))
            self._entries = int(ends[stop - 1]) - before
            yield order[start:stop]
            start, before = stop, int(ends[stop - 1])

    def record(self, seconds: float) -> None:
        """Size the next slice by the duration of the last; a short one, as at the end of an epoch, shrinks nothing."""
        fitting = int(self._entries * SLICE_SECONDS / max(seconds, 1e-9))
        self._budget = max(1, fitting if seconds > SLICE_SECONDS else min(2 * self._budget, max(self._budget, fitting)))
