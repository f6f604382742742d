"""What a rule has to know to learn more than two classes."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from textperceptron.learn.layout import BlockLayout, ClassLayout
from textperceptron.learn.problem import Problem
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.state import NOTHING, Array, State


@dataclass(slots=True, kw_only=True)
class OneVsAllState(State):
    """The weights of a group of classes, each against all others, and how far each of them has come."""

    blocks: BlockLayout
    first: int
    """The group's first class."""
    active: npt.NDArray[np.int8]
    """1 while a class learns, 0 once it has converged."""
    seen_of_class: npt.NDArray[np.int64]
    """Examples that each class has learnt from, the T of its average."""
    updates_of_epoch: npt.NDArray[np.int64]
    updates_of_class: npt.NDArray[np.int64]
    epochs_of_class: npt.NDArray[np.int64]
    heaviest: npt.NDArray[np.float64]
    """At least the largest absolute weight of a column in each table: it tells how far quick scores can err."""
    opinions: npt.NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    """The sign of each label's rows for each model, 0 for none; empty for one-vs-all, where labels are models."""
    class_metric: Array = field(default_factory=NOTHING.copy)
    """Squared column weights, a table like the weights and of their type; empty where all are 1."""
    class_column_weight: Array = field(default_factory=NOTHING.copy)
    """The column weights themselves, a table like that, where finished models are interpolated with them."""

    @property
    def n_columns(self) -> int:
        """Columns that the weights are for."""
        return self.blocks.n_columns


@dataclass(frozen=True, slots=True, kw_only=True)
class Classwise(Rule):
    """A rule with kernels for more than two classes, native and one-vs-all."""

    @abstractmethod
    def step_classes(self, problem: Problem, part: npt.NDArray[np.int64], state: State, layout: ClassLayout) -> None:
        """Learn all classes natively: a row moves its own class and the best wrong one."""

    @abstractmethod
    def step_one_vs_all(
        self, problem: Problem, part: npt.NDArray[np.int64], state: OneVsAllState, layout: BlockLayout
    ) -> None:
        """Learn every class against all others, in one walk over the rows."""


def native_arguments(
    problem: Problem, layout: ClassLayout
) -> tuple[int, int, int, npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the arguments with which every native kernel ends."""
    return layout.n_classes, layout.stride, layout.line_bits, *layout.room(problem.rows.longest)


def one_vs_all_arguments(
    problem: Problem, state: OneVsAllState, layout: BlockLayout
) -> tuple[int, int, npt.NDArray[np.float32], npt.NDArray[np.float64], npt.NDArray[np.int64]]:
    """Return the arguments with which every one-vs-all kernel ends."""
    return state.first, layout.n_classes, state.opinions, *layout.room(problem.rows.longest)
