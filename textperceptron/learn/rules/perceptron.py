"""The perceptron and the averaged perceptron."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._memory import prefaulted_zeros
from textperceptron._validation import at_least, one_of, positive
from textperceptron.learn.rules.base import MulticlassRule, native_arguments, one_vs_all_arguments
from textperceptron.learn.state import EMPTY, Array, State
from textperceptron.learn.training_data import TrainingData
from textperceptron.learn.weight_tables import BlockedTable, ClassTable
from textperceptron.settings.fields import LEARNER, setting
from textperceptron.settings.learner import register_learner

if TYPE_CHECKING:
    from textperceptron.learn.rules.one_vs_all import OneVsAllState

NO_LOG = np.empty(0, np.int64)


def step_length() -> Any:
    """Declare the step length of perceptrons."""
    return setting(
        1.0, "factor of a step.", details="It scales the weights, and has no other effect while ``margin`` is 0.",
        group=LEARNER, check=positive,
    )  # fmt: skip


def mistake_margin() -> Any:
    """Declare the margin of perceptrons."""
    return setting(
        0.0, "scores up to this count as mistakes.", details="The score of a row is multiplied by its label, 1 or -1.",
        group=LEARNER, check=partial(at_least, low=0), tune=(0.0, 1.0, 10.0), rank=8,
    )  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Averaging(MulticlassRule):
    """A rule whose model can be the mean of the weights over all examples seen."""

    average: bool = setting(
        True, "use the mean of the weights over all examples, not the last weights.",
        group=LEARNER, check=partial(one_of, allowed=(True, False)),
    )  # fmt: skip

    fixed: ClassVar[tuple[str, ...]] = ("fit_intercept", "interpolation", "average")

    def initial_accumulator(self, n: int, dtype: np.dtype[Any], squared_column_weight: Array) -> Array:
        """Return the zero total of the weights, if they are averaged."""
        return prefaulted_zeros(n, np.float64) if self.average else EMPTY

    def learnt_weights(self, state: State) -> Array:
        """Return the mean of the weights, or the last ones."""
        if not self.average:
            return state.weights
        mean = np.empty_like(state.weights)
        _kernels.mean_weights(state.weights, state.accumulator, mean, max(1, state.seen))
        return mean


@register_learner("perceptron", rank=4, average=False)
@register_learner("averaged", rank=3, average=True)
@dataclass(frozen=True, slots=True, kw_only=True)
class PerceptronRule(Averaging):
    """Add a misclassified row, times its label, to the weights."""

    eta0: float = step_length()
    margin: float = mistake_margin()

    def step(self, data: TrainingData, order: npt.NDArray[np.int64], state: State) -> None:
        """Train on the rows of ``order``."""
        _kernels.perceptron_slice(
            *data.arrays, order,
            state.squared_column_weight, state.weights, state.accumulator, NO_LOG, state.counts, state.loss,
            self.eta0, self.margin, self.pad,
        )  # fmt: skip

    def step_classes(self, data: TrainingData, order: npt.NDArray[np.int64], state: State, table: ClassTable) -> None:
        """Train all classes natively on the rows of ``order``."""
        _kernels.perceptron_classes_slice(
            *data.arrays, order,
            state.squared_column_weight, state.weights, state.accumulator, state.counts, state.loss,
            self.eta0, self.margin, self.pad,
            *native_arguments(data, table),
        )  # fmt: skip

    def step_one_vs_all(
        self, data: TrainingData, order: npt.NDArray[np.int64], state: OneVsAllState, table: BlockedTable
    ) -> None:
        """Train each class against all others on the rows of ``order``."""
        _kernels.perceptron_one_vs_all_slice(
            *data.arrays_with_sets, order,
            state.class_squared_column_weight, state.weights, state.accumulator, state.counts, state.loss,
            state.active, state.seen_of_class, state.updates_of_epoch, state.max_abs_weight,
            self.eta0, self.margin, self.pad,
            *one_vs_all_arguments(data, state, table),
        )  # fmt: skip
