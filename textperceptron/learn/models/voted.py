"""The voted perceptron: its mistakes vote."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from textperceptron.learn.models.base import Array
from textperceptron.learn.rows import Rows
from textperceptron.learn.voted_mistakes import Kernel, VotedMistakes


@dataclass(frozen=True, slots=True)
class VotedModel:
    """The list of mistakes, the kernel between rows, and how many examples were seen."""

    past: VotedMistakes
    kernel: Kernel
    seen: int

    @property
    def n_columns(self) -> int:
        """Columns of the rows that it takes."""
        return self.past.support.n_columns

    @property
    def n_classes(self) -> int:
        """Two."""
        return 2

    def scores(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.float64]:
        """Return the votes for the second class less those for the first, as a share of all: −1 to 1."""
        return self.past.votes(rows, self.kernel, self.seen)[0] / max(1, self.seen)

    def codes(self, rows: Rows, n_jobs: int | None = None) -> npt.NDArray[np.intp]:
        """Return the number of each row's class."""
        return (self.scores(rows, n_jobs) > 0).astype(np.intp)

    def contributions(self, columns: Array, values: Array) -> NoReturn:
        """Refuse: a vote is no sum."""
        raise ValueError("the voted perceptron counts votes, which are no sums over words: nothing can be explained.")

    def intercepts(self) -> NoReturn:
        """Refuse: there are none."""
        raise ValueError("the voted perceptron keeps mistakes, and no intercept of its own.")

    def weights_of(self, code: int) -> NoReturn:
        """Refuse: there are none."""
        raise ValueError("the voted perceptron keeps mistakes, and no weights of columns.")

    def largest_weights(self) -> NoReturn:
        """Refuse: there are none."""
        self.weights_of(0)

    def map_weights(self, change: Callable[[Array], Array]) -> NoReturn:
        """Refuse: there are none."""
        self.weights_of(0)

    def keep_columns(self, kept: npt.NDArray[np.int64]) -> NoReturn:
        """Refuse: no column can be told to be light."""
        raise ValueError("the voted perceptron keeps mistakes, and no weights of columns: none can be left out.")
