"""The batch perceptron: one step per epoch."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._validation import one_of, positive
from textperceptron.learn.numerics import l2_norm
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.rules.perceptron import mistake_margin
from textperceptron.learn.state import UPDATES, Array, State
from textperceptron.learn.training_data import TrainingData
from textperceptron.settings.fields import LEARNER, setting
from textperceptron.settings.learner import register_learner


@register_learner("batch")
@dataclass(frozen=True, slots=True, kw_only=True)
class BatchRule(Rule):
    """Add the mean (or the sum) of the misclassified rows of an epoch, times their labels, to the weights."""

    alpha: float = setting(1.0, "factor of a step.", group=LEARNER, check=positive)
    normalize: bool = setting(
        True, "divide a step by the number of rows.", details="False is the fixed-increment rule.",
        group=LEARNER, check=partial(one_of, allowed=(True, False)),
    )  # fmt: skip
    margin: float = mistake_margin()

    uses_order: ClassVar[bool] = False

    def initial_accumulator(self, n: int, dtype: np.dtype[Any], squared_column_weight: Array) -> Array:
        """Return zeros for the step of an epoch and, last, the sum of its sample weights."""
        return np.zeros(n + 1)

    def begin_epoch(self, data: TrainingData, state: State) -> None:
        """Reset the step and the sum of sample weights."""
        state.accumulator[:] = 0

    def step(self, data: TrainingData, order: npt.NDArray[np.int64], state: State) -> None:
        """Add the mistakes among the rows of ``order`` to the step of the epoch."""
        _kernels.batch_slice(
            *data.arrays, order,
            state.weights, state.accumulator, state.counts, state.loss,
            self.margin, self.pad,
        )  # fmt: skip

    def end_epoch(self, state: State) -> None:
        """Take the step; it counts as an update unless it is zero."""
        step, total_weight = state.accumulator[:-1], state.accumulator[-1]
        if self.normalize:
            step /= total_weight
        if len(state.squared_column_weight):
            step *= state.squared_column_weight
        state.counts[UPDATES] = int(step.any())
        state.weights[:] = state.weights + self.alpha * step

    def change(self, before: Array, state: State) -> float:
        """Return the norm of the step, the stopping criterion of the batch perceptron."""
        step = state.accumulator[:-1]
        if len(state.squared_column_weight):
            scale = np.sqrt(state.squared_column_weight)
            step = np.divide(step, scale, out=np.zeros_like(scale), where=scale > 0)
        return l2_norm(step)
