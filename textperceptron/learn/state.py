"""Everything a training run has to remember, in arrays that kernels change in place."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

# Places in ``counts``; the kernels' names for them are in _kernels/rows.pxd.
SEEN, MISTAKES, UPDATES, POSITION, SUPPORT, LOGGED = range(6)

NOTHING = np.empty(0)
"""An empty array of float64: kernels read it as "no sample weights" or "no average"."""


@dataclass(slots=True)
class State:
    """Weights, what the rule keeps beside them, and how far training has come.

    With the seed of the plan this is the whole state of a run: the permutation of an epoch follows from
    seed and epoch, so going on from a state is the same as never having stopped.
    """

    weights: Array
    """One a column and, last, the intercept."""
    memory: Array = field(default_factory=NOTHING.copy)
    """What the rule keeps beside the weights, of the same length: the running total of an average (float64)
    or the variances of AROW; empty where there is none."""
    epoch: int = 0
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(6, np.int64))
    loss: npt.NDArray[np.float64] = field(default_factory=lambda: np.zeros(1))

    @property
    def seen(self) -> int:
        """Examples since training began, the T of an average."""
        return int(self.counts[SEEN])

    @property
    def updates(self) -> int:
        """Updates of the current epoch."""
        return int(self.counts[UPDATES])

    def begin_epoch(self) -> None:
        """Set what is counted per epoch to zero."""
        self.counts[[MISTAKES, UPDATES, POSITION]] = 0
        self.loss[0] = 0

    def copy(self) -> Self:
        """Return a state that further training of this one leaves alone."""
        return copy.deepcopy(self)
