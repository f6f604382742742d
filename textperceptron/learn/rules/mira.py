"""MIRA, the passive-aggressive rules."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._validation import one_of, positive
from textperceptron.learn.rules.multiclass import native_arguments, one_vs_all_arguments
from textperceptron.learn.rules.perceptron import Averaging
from textperceptron.learn.state import State
from textperceptron.learn.training_data import Problem
from textperceptron.learn.weight_tables import BlockedTable, ClassTable
from textperceptron.settings.fields import LEARNER, setting
from textperceptron.settings.learner import register_learner

if TYPE_CHECKING:
    from textperceptron.learn.rules.one_vs_all import OneVsAllState

Variant = Literal["pa", "pa1", "pa2"]
_VARIANTS: dict[Variant, str] = {"pa": "PA", "pa1": "PA-I", "pa2": "PA-II"}


@register_learner("mira", tune=2)
@dataclass(frozen=True, slots=True, kw_only=True)
class MiraRule(Averaging):
    """The smallest step that brings the hinge loss of a row to 0, limited by ``C``."""

    C: float = setting(
        1.0, "longest step (pa1), or how much it is damped (pa2).", group=LEARNER, flags=("--C",), check=positive,
        tune=(0.01, 0.003, 0.03, 0.1, 0.001, 1.0), rank=6,
    )  # fmt: skip
    variant: Variant = setting(
        "pa1", "passive-aggressive, I or II.", group=LEARNER, check=partial(one_of, allowed=("pa", "pa1", "pa2"))
    )

    def describe(self, name: str) -> list[str]:
        """Return the phrases of a description."""
        said = ("averaged " if self.average else "") + _VARIANTS[self.variant]
        return [said, f"C = {self.C:g}"] if self.variant != "pa" else [said]

    @property
    def _limits(self) -> tuple[float, float]:
        """The longest step, and what is added to the squared length of a row."""
        cap = self.C if self.variant == "pa1" else math.inf
        ridge = 1 / (2 * self.C) if self.variant == "pa2" else 0.0
        return cap, ridge

    def step(self, problem: Problem, part: npt.NDArray[np.int64], state: State) -> None:
        """Learn from the rows of ``part``."""
        _kernels.mira_slice(
            *problem.arrays, part,
            state.squared_column_weight, state.weights, state.accumulator, state.counts, state.loss,
            *self._limits, self.pad,
        )  # fmt: skip

    def step_classes(self, problem: Problem, part: npt.NDArray[np.int64], state: State, layout: ClassTable) -> None:
        """Learn all classes natively from the rows of ``part``."""
        cap, ridge = self._limits
        _kernels.mira_classes_slice(
            *problem.arrays, part,
            state.squared_column_weight, state.weights, state.accumulator, state.counts, state.loss,
            cap, ridge, self.pad,
            *native_arguments(problem, layout),
        )  # fmt: skip

    def step_one_vs_all(
        self, problem: Problem, part: npt.NDArray[np.int64], state: OneVsAllState, layout: BlockedTable
    ) -> None:
        """Learn each class against the others from the rows of ``part``."""
        cap, ridge = self._limits
        _kernels.mira_one_vs_all_slice(
            *problem.arrays_with_sets, part,
            state.class_squared_column_weight, state.weights, state.accumulator, state.counts, state.loss,
            state.active, state.seen_of_class, state.updates_of_epoch, state.max_abs_weight,
            cap, ridge, self.pad,
            *one_vs_all_arguments(problem, state, layout),
        )  # fmt: skip
