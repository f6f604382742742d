"""What a rule has to know to learn more than two classes."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from textperceptron.learn.rules.base import Rule
from textperceptron.learn.state import State
from textperceptron.learn.training_data import Problem
from textperceptron.learn.weight_tables import BlockedTable, ClassTable

if TYPE_CHECKING:
    from textperceptron.learn.rules.one_vs_all import OneVsAllState


class MulticlassRule(Rule):
    """A rule with kernels for more than two classes, native and one-vs-all."""

    __slots__ = ()

    @abstractmethod
    def step_classes(self, problem: Problem, part: npt.NDArray[np.int64], state: State, layout: ClassTable) -> None:
        """Learn all classes natively: a row moves its own class and the best wrong one."""

    @abstractmethod
    def step_one_vs_all(
        self, problem: Problem, part: npt.NDArray[np.int64], state: OneVsAllState, layout: BlockedTable
    ) -> None:
        """Learn every class against all others, in one walk over the rows."""


def native_arguments(
    problem: Problem, layout: ClassTable
) -> tuple[int, int, int, npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the arguments with which every native kernel ends."""
    return layout.n_classes, layout.stride, layout.line_bits, *layout.room(problem.rows.longest)


def one_vs_all_arguments(
    problem: Problem, state: OneVsAllState, layout: BlockedTable
) -> tuple[int, int, npt.NDArray[np.float32], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the arguments with which every one-vs-all kernel ends."""
    return state.first, layout.n_classes, state.label_signs, *layout.room(problem.rows.longest)
