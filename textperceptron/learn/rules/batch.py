"""The batch perceptron: one step an epoch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._validation import one_of, positive
from textperceptron.learn.numerics import length
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.rules.perceptron import mistake_margin
from textperceptron.learn.state import UPDATES, Array, State
from textperceptron.learn.training_data import Problem
from textperceptron.settings.fields import LEARNER, setting
from textperceptron.settings.learner import register_learner


@register_learner("batch")
@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRule(Rule):
    """Add the mean (or the sum) of an epoch's mistaken rows, times their labels, to the weights."""

    alpha: float = setting(1.0, "length of a step.", group=LEARNER, check=positive)
    normalize: bool = setting(
        True, "divide a step by the number of rows.",
        group=LEARNER, check=partial(one_of, allowed=(True, False)),
    )  # fmt: skip
    margin: float = mistake_margin()

    uses_order: ClassVar[bool] = False

    def initial_accumulator(self, n: int, dtype: np.dtype[Any], squared_column_weight: Array) -> Array:
        """Return a zero step and, behind it, the sum of the sample weights of the epoch."""
        return np.zeros(n + 1)

    def begin_epoch(self, problem: Problem, state: State) -> None:
        """Empty the step and the sum of weights behind it."""
        state.accumulator[:] = 0

    def step(self, problem: Problem, part: npt.NDArray[np.int64], state: State) -> None:
        """Add the mistakes of ``part`` to the step of this epoch."""
        _kernels.batch_slice(
            *problem.arrays, part,
            state.weights, state.accumulator, state.counts, state.loss,
            self.margin, self.pad,
        )  # fmt: skip

    def end_epoch(self, state: State) -> None:
        """Take the step. It is an update if it moves anything."""
        step, total_weight = state.accumulator[:-1], state.accumulator[-1]
        if self.normalize:
            step /= total_weight
        if len(state.squared_column_weight):
            step *= state.squared_column_weight
        state.counts[UPDATES] = int(step.any())
        state.weights[:] = state.weights + self.alpha * step

    def change(self, before: Array, state: State) -> float:
        """Return the length of the step, as the batch rule's own stopping criterion wants it."""
        step = state.accumulator[:-1]
        if len(state.squared_column_weight):
            reach = np.sqrt(state.squared_column_weight)
            step = np.divide(step, reach, out=np.zeros_like(reach), where=reach > 0)
        return length(step)
