"""Perceptron and averaged perceptron."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import mean_weights, perceptron_slice
from textperceptron.learn.checks import at_least, one_of, positive
from textperceptron.learn.problem import Problem
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.state import NOTHING, Array, State

NO_LOG = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Averaging(Rule):
    """A rule whose model may be the mean of the weights after every example seen."""

    average: bool = True

    fixed: ClassVar[tuple[str, ...]] = ("fit_intercept", "average")

    def __post_init__(self) -> None:
        Rule.__post_init__(self)
        one_of("average", self.average, (True, False))

    def start(self, rows: Rows, column_weight: Array = NOTHING) -> State:
        """Return zero weights and, for an average, their zero total."""
        state = Rule.start(self, rows, column_weight)
        if self.average:
            state.memory = np.zeros(rows.n_columns + 1)
        return state

    def final_weights(self, state: State) -> Array:
        """Return the last weights or their mean."""
        if not self.average:
            return state.weights
        mean = np.empty_like(state.weights)
        mean_weights(state.weights, state.memory, mean, max(1, state.seen))
        return mean


@dataclass(frozen=True, slots=True, kw_only=True)
class PerceptronRule(Averaging):
    """Add a mistaken row, times its label, to the weights."""

    eta: float = 1.0
    margin: float = 0.0

    def __post_init__(self) -> None:
        Averaging.__post_init__(self)
        positive("eta0", self.eta)
        at_least("margin", self.margin, 0)

    def step(self, problem: Problem, part: npt.NDArray[np.int64], state: State) -> None:
        """Learn from the rows of ``part``."""
        perceptron_slice(
            *problem.arrays, part,
            state.metric, state.weights, state.memory, NO_LOG, state.counts, state.loss,
            self.eta, self.margin, self.pad,
        )  # fmt: skip
