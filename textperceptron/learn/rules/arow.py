"""AROW, adaptive regularisation of weights."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import arow_slice
from textperceptron.learn.checks import positive
from textperceptron.learn.problem import Problem
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.state import NOTHING, Array, State


@dataclass(frozen=True, slots=True, kw_only=True)
class ArowRule(Rule):
    """A step for each column by its own variance, which shrinks with use."""

    r: float = 1.0

    def __post_init__(self) -> None:
        Rule.__post_init__(self)
        positive("r", self.r)

    def start(self, rows: Rows, column_weight: Array = NOTHING) -> State:
        """Return zero weights, each with variance 1 or with the square of its column's weight."""
        state = Rule.start(self, rows, column_weight)
        state.memory = (state.metric if len(state.metric) else np.ones(rows.n_columns + 1)).astype(rows.dtype)
        return state

    def step(self, problem: Problem, part: npt.NDArray[np.int64], state: State) -> None:
        """Learn from the rows of ``part``."""
        arow_slice(
            *problem.arrays, part,
            state.weights, state.memory, state.counts, state.loss,
            self.r, self.pad,
        )  # fmt: skip
