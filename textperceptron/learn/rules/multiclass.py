"""Rules that can train more than two classes at once."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from textperceptron.learn.rules.base import Rule
from textperceptron.learn.state import State
from textperceptron.learn.training_data import TrainingData
from textperceptron.learn.weight_tables import BlockedTable, ClassTable

if TYPE_CHECKING:
    from textperceptron.learn.rules.one_vs_all import OneVsAllState


class MulticlassRule(Rule):
    """A rule with kernels for more than two classes, native and one-vs-all."""

    __slots__ = ()

    @abstractmethod
    def step_classes(self, data: TrainingData, order: npt.NDArray[np.int64], state: State, table: ClassTable) -> None:
        """Train all classes natively: a row updates its own class and the best wrong one."""

    @abstractmethod
    def step_one_vs_all(
        self, data: TrainingData, order: npt.NDArray[np.int64], state: OneVsAllState, table: BlockedTable
    ) -> None:
        """Train each class against all others, in one pass over the rows."""


def native_arguments(
    data: TrainingData, table: ClassTable
) -> tuple[int, int, int, npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the last arguments of every native kernel."""
    return table.n_classes, table.stride, table.line_bits, *table.scratch(data.rows.max_length)


def one_vs_all_arguments(
    data: TrainingData, state: OneVsAllState, table: BlockedTable
) -> tuple[int, int, npt.NDArray[np.float32], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the last arguments of every one-vs-all kernel."""
    return state.first, table.n_classes, state.label_signs, *table.scratch(data.rows.max_length)
