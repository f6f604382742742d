"""MIRA, the passive-aggressive rules."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import mira_slice
from textperceptron.learn.checks import one_of, positive
from textperceptron.learn.problem import Problem
from textperceptron.learn.rules.perceptron import Averaging
from textperceptron.learn.state import State

Variant = Literal["pa", "pa1", "pa2"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MiraRule(Averaging):
    """The smallest step that brings the hinge loss of a row to 0, limited by ``C``."""

    C: float = 1.0
    variant: Variant = "pa1"

    def __post_init__(self) -> None:
        Averaging.__post_init__(self)
        positive("C", self.C)
        one_of("variant", self.variant, ("pa", "pa1", "pa2"))

    def step(self, problem: Problem, part: npt.NDArray[np.int64], state: State) -> None:
        """Learn from the rows of ``part``."""
        cap = self.C if self.variant == "pa1" else math.inf
        ridge = 1 / (2 * self.C) if self.variant == "pa2" else 0.0
        mira_slice(
            *problem.arrays, part,
            state.metric, state.weights, state.memory, state.counts, state.loss,
            cap, ridge, self.pad,
        )  # fmt: skip
