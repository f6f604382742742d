"""MIRA: the passive-aggressive rules."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Literal

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._validation import one_of, positive
from textperceptron.learn.rules.base import native_arguments, one_vs_all_arguments
from textperceptron.learn.rules.perceptron import Averaging
from textperceptron.learn.state import State
from textperceptron.learn.training_data import TrainingData
from textperceptron.learn.weight_tables import BlockedTable, ClassTable
from textperceptron.settings.fields import LEARNER, setting
from textperceptron.settings.learner import register_learner

if TYPE_CHECKING:
    from textperceptron.learn.rules.one_vs_all import OneVsAllState

Variant = Literal["pa", "pa1", "pa2"]
_VARIANTS: dict[Variant, str] = {"pa": "PA", "pa1": "PA-I", "pa2": "PA-II"}


@register_learner("mira", rank=2)
@dataclass(frozen=True, slots=True, kw_only=True)
class MiraRule(Averaging):
    """Take the smallest step that brings the hinge loss of a row to 0, limited by ``C``."""

    C: float = setting(
        1.0, "maximum step (pa1); smaller values damp steps more (pa2).",
        details="0.01 suits long documents with values of 1, 1 suits rows of length 1.",
        group=LEARNER, flags=("--C",), check=positive,
        tune=(0.01, 0.003, 0.03, 0.1, 0.001, 1.0), rank=6,
    )  # fmt: skip
    variant: Variant = setting(
        "pa1", "passive-aggressive rule: PA, PA-I or PA-II.",
        details="The step is ``L/‖x‖²``, ``min(C, L/‖x‖²)`` or ``L/(‖x‖² + 1/(2C))`` for the hinge loss L.",
        group=LEARNER, check=partial(one_of, allowed=("pa", "pa1", "pa2")),
    )  # fmt: skip

    def describe(self, name: str) -> list[str]:
        """Return the phrases that describe the learner."""
        said = ("averaged " if self.average else "") + _VARIANTS[self.variant]
        return [said, f"C = {self.C:g}"] if self.variant != "pa" else [said]

    @property
    def _limits(self) -> tuple[float, float]:
        """The longest step, and the number added to the squared norm of a row."""
        cap = self.C if self.variant == "pa1" else math.inf
        ridge = 1 / (2 * self.C) if self.variant == "pa2" else 0.0
        return cap, ridge

    def step(self, data: TrainingData, order: npt.NDArray[np.int64], state: State) -> None:
        """Train on the rows of ``order``."""
        _kernels.mira_slice(
            *data.arrays, order,
            state.squared_column_weight, state.weights, state.accumulator, state.counts, state.loss,
            *self._limits, self.pad,
        )  # fmt: skip

    def step_classes(self, data: TrainingData, order: npt.NDArray[np.int64], state: State, table: ClassTable) -> None:
        """Train all classes natively on the rows of ``order``."""
        cap, ridge = self._limits
        _kernels.mira_classes_slice(
            *data.arrays, order,
            state.squared_column_weight, state.weights, state.accumulator, state.counts, state.loss,
            cap, ridge, self.pad,
            *native_arguments(data, table),
        )  # fmt: skip

    def step_one_vs_all(
        self, data: TrainingData, order: npt.NDArray[np.int64], state: OneVsAllState, table: BlockedTable
    ) -> None:
        """Train each class against all others on the rows of ``order``."""
        cap, ridge = self._limits
        _kernels.mira_one_vs_all_slice(
            *data.arrays_with_sets, order,
            state.class_squared_column_weight, state.weights, state.accumulator, state.counts, state.loss,
            state.active, state.seen_of_class, state.updates_of_epoch, state.max_abs_weight,
            cap, ridge, self.pad,
            *one_vs_all_arguments(data, state, table),
        )  # fmt: skip
