"""AROW, adaptive regularisation of weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._validation import positive
from textperceptron.learn.layout import BlockLayout, ClassLayout
from textperceptron.learn.problem import Problem
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.rules.classwise import Classwise, native_arguments, one_vs_all_arguments
from textperceptron.learn.state import Array, State

if TYPE_CHECKING:
    from textperceptron.learn.rules.one_vs_all import OneVsAllState


@dataclass(frozen=True, slots=True, kw_only=True)
class ArowRule(Classwise):
    """A step for each column by its own variance, which shrinks with use."""

    r: float = 1.0

    def __post_init__(self) -> None:
        Rule.__post_init__(self)
        positive("r", self.r)

    def first_memory(self, n: int, dtype: np.dtype[Any], metric: Array) -> Array:
        """Return variances of 1, or of the square of each column's weight."""
        return metric.astype(dtype) if len(metric) else np.ones(n, dtype)

    def step(self, problem: Problem, part: npt.NDArray[np.int64], state: State) -> None:
        """Learn from the rows of ``part``."""
        _kernels.arow_slice(
            *problem.arrays, part,
            state.weights, state.memory, state.counts, state.loss,
            self.r, self.pad,
        )  # fmt: skip

    def step_classes(self, problem: Problem, part: npt.NDArray[np.int64], state: State, layout: ClassLayout) -> None:
        """Learn all classes natively from the rows of ``part``."""
        _kernels.arow_classes_slice(
            *problem.arrays, part,
            state.weights, state.memory, state.counts, state.loss,
            self.r, self.pad,
            *native_arguments(problem, layout),
        )  # fmt: skip

    def step_one_vs_all(
        self, problem: Problem, part: npt.NDArray[np.int64], state: OneVsAllState, layout: BlockLayout
    ) -> None:
        """Learn each class against the others from the rows of ``part``."""
        _kernels.arow_one_vs_all_slice(
            *problem.arrays_with_sets, part,
            state.weights, state.memory, state.counts, state.loss,
            state.active, state.seen_of_class, state.updates_of_epoch, state.heaviest,
            self.r, self.pad,
            *one_vs_all_arguments(problem, state, layout),
        )  # fmt: skip
