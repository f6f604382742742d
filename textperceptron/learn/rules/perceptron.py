"""Perceptron and averaged perceptron."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._memory import prefaulted_zeros
from textperceptron._validation import at_least, one_of, positive
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.rules.multiclass import MulticlassRule, native_arguments, one_vs_all_arguments
from textperceptron.learn.state import EMPTY, Array, State
from textperceptron.learn.training_data import Problem
from textperceptron.learn.weight_tables import BlockedTable, ClassTable

if TYPE_CHECKING:
    from textperceptron.learn.rules.one_vs_all import OneVsAllState

NO_LOG = np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, kw_only=True)
class Averaging(MulticlassRule):
    """A rule whose model may be the mean of the weights after every example seen."""

    average: bool = True

    fixed: ClassVar[tuple[str, ...]] = ("fit_intercept", "interpolation", "average")

    def __post_init__(self) -> None:
        Rule.__post_init__(self)
        one_of("average", self.average, (True, False))

    def initial_accumulator(self, n: int, dtype: np.dtype[Any], squared_column_weight: Array) -> Array:
        """Return, for an average, the zero total of the weights."""
        return prefaulted_zeros(n, np.float64) if self.average else EMPTY

    def learnt_weights(self, state: State) -> Array:
        """Return the last weights or their mean."""
        if not self.average:
            return state.weights
        mean = np.empty_like(state.weights)
        _kernels.mean_weights(state.weights, state.accumulator, mean, max(1, state.seen))
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
        _kernels.perceptron_slice(
            *problem.arrays, part,
            state.squared_column_weight, state.weights, state.accumulator, NO_LOG, state.counts, state.loss,
            self.eta, self.margin, self.pad,
        )  # fmt: skip

    def step_classes(self, problem: Problem, part: npt.NDArray[np.int64], state: State, layout: ClassTable) -> None:
        """Learn all classes natively from the rows of ``part``."""
        _kernels.perceptron_classes_slice(
            *problem.arrays, part,
            state.squared_column_weight, state.weights, state.accumulator, state.counts, state.loss,
            self.eta, self.margin, self.pad,
            *native_arguments(problem, layout),
        )  # fmt: skip

    def step_one_vs_all(
        self, problem: Problem, part: npt.NDArray[np.int64], state: OneVsAllState, layout: BlockedTable
    ) -> None:
        """Learn each class against the others from the rows of ``part``."""
        _kernels.perceptron_one_vs_all_slice(
            *problem.arrays_with_sets, part,
            state.class_squared_column_weight, state.weights, state.accumulator, state.counts, state.loss,
            state.active, state.seen_of_class, state.updates_of_epoch, state.max_abs_weight,
            self.eta, self.margin, self.pad,
            *one_vs_all_arguments(problem, state, layout),
        )  # fmt: skip
