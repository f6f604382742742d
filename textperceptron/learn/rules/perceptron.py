"""Perceptron and averaged perceptron."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import mean_weights, perceptron_slice
from textperceptron.learn.checks import at_least, positive
from textperceptron.learn.problem import Problem
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.state import Array, State

NO_LOG = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Averaging(Rule):
    """A rule whose model may be the mean of the weights after every example seen."""

    average: bool = True

    def start(self, rows: Rows) -> State:
        """Return zero weights and, for an average, their zero total."""
        state = State(np.zeros(rows.n_columns + 1, rows.dtype))
        if self.average:
            state.memory = np.zeros(rows.n_columns + 1)
        return state

    def bind(self, problem: Problem, state: State) -> None:
        """Refuse a state that has no total to go on with, or one that nothing would add to."""
        if self.average != bool(len(state.memory)):
            raise ValueError(f"average={self.average}: cannot change in the middle of training. Start anew.")

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
        positive("eta0", self.eta)
        at_least("margin", self.margin, 0)

    def step(self, problem: Problem, part: npt.NDArray[np.int64], state: State) -> None:
        """Learn from the rows of ``part``."""
        perceptron_slice(
            *problem.arrays, part,
            state.weights, state.memory, NO_LOG, state.counts, state.loss,
            self.eta, self.margin, self.pad,
        )  # fmt: skip
