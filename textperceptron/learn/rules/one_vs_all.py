"""One-vs-all: a group of classes, each against all others, in one walk over the rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import mean_class_weights
from textperceptron._memory import mmap_zeros
from textperceptron.learn.models.multiclass import MulticlassModel
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import Rule, interpolated
from textperceptron.learn.rules.multiclass import MulticlassRule
from textperceptron.learn.rules.perceptron import Averaging
from textperceptron.learn.state import EMPTY, Array, State
from textperceptron.learn.training_data import Problem
from textperceptron.learn.weight_tables import BlockedTable


@dataclass(slots=True, kw_only=True)
class OneVsAllState(State):
    """The weights of a group of classes, each against all others, and how far each of them has come."""

    blocks: BlockedTable
    first: int
    """The group's first class."""
    active: npt.NDArray[np.int8]
    """1 while a class learns, 0 once it has converged."""
    seen_of_class: npt.NDArray[np.int64]
    """Examples that each class has learnt from, the T of its average."""
    updates_of_epoch: npt.NDArray[np.int64]
    updates_of_class: npt.NDArray[np.int64]
    epochs_of_class: npt.NDArray[np.int64]
    max_abs_weight: npt.NDArray[np.float64]
    """At least the largest absolute weight of a column in each table: it tells how far quick scores can err."""
    label_signs: npt.NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    """The sign of each label's rows for each model, 0 for none; empty for one-vs-all, where labels are models."""
    class_squared_column_weight: Array = field(default_factory=EMPTY.copy, metadata={"key": "class_metric"})
    """Squared column weights, a table like the weights and of their type; empty where all are 1."""
    class_column_weight: Array = field(default_factory=EMPTY.copy)
    """The column weights themselves, a table like that, where finished models are interpolated with them."""

    @property
    def n_columns(self) -> int:
        """Columns that the weights are for."""
        return self.blocks.n_columns


@dataclass(frozen=True, slots=True, kw_only=True)
class OneVsAllRule(Rule):
    """A rule for the classes from ``first`` on, as many as the layout has.

    Each class does what it would do alone: it has its own number of examples seen and rests once it has converged.
    """

    inner: MulticlassRule
    layout: BlockedTable
    first: int

    fixed: ClassVar[tuple[str, ...]] = ()

    @property
    def n_models(self) -> int:
        """Models that learn from each row."""
        return self.layout.n_classes

    @property
    def pad(self) -> float:
        """Value of the intercepts' column in every row."""
        return self.inner.pad

    def check_compatible(self, before: Rule) -> None:
        """Raise ValueError if this rule cannot go on from a state of another."""
        assert isinstance(before, OneVsAllRule)
        self.inner.check_compatible(before.inner)

    def start(self, rows: Rows, column_weight: Array = EMPTY) -> OneVsAllState:
        """Return zero weights for every class; ``column_weight`` may have a row for each, of all classes."""
        layout = self.layout
        self.inner.check_interpolation(column_weight)
        tables = self._tables(column_weight)
        squared_column_weight = np.square(tables)
        counters = (np.zeros(layout.stride, np.int64) for _ in range(4))
        seen, updates_of_epoch, updates_of_class, epochs_of_class = counters
        state = OneVsAllState(
            mmap_zeros(layout.size, rows.dtype),
            self.inner.initial_accumulator(layout.size, rows.dtype, squared_column_weight),
            blocks=layout,
            first=self.first,
            active=np.ones(layout.stride, np.int8),
            seen_of_class=seen,
            updates_of_epoch=updates_of_epoch,
            updates_of_class=updates_of_class,
            epochs_of_class=epochs_of_class,
            max_abs_weight=np.zeros(len(layout.parts)),
            class_squared_column_weight=squared_column_weight.astype(rows.dtype),
            class_column_weight=EMPTY.copy() if self.inner.interpolation is None else tables.astype(rows.dtype),
        )
        if self.inner.interpolation is not None:
            state.rows_are_unit = np.array([rows.rows_are_unit_length], np.int8)
        return state

    def _tables(self, column_weight: Array) -> Array:
        """Return column weights where the weights of the same column and class stand, 1 for the intercepts."""
        if not len(column_weight):
            return EMPTY
        layout = self.layout
        mine = np.atleast_2d(column_weight)
        if len(mine) > 1:
            mine = mine[self.first : self.first + layout.n_classes]
        mine = np.broadcast_to(mine, (layout.n_classes, layout.n_columns))
        tables = np.ones(layout.size)
        for classes, where, part in layout.parts:
            table = tables[where].reshape(layout.n_columns + 1, part.stride)
            table[:-1, : part.n_classes] = mine[classes].T
        return tables

    def bind(self, problem: Problem, state: State) -> None:
        """Wake the classes, unless training goes on in the middle of an epoch; find the max_abs_weight weights."""
        assert isinstance(state, OneVsAllState)
        if not state.is_within_epoch(problem.rows.n_rows):
            state.active[:] = 1
        for number, (_, where, part) in enumerate(self.layout.parts):
            columns = state.weights[where][: part.table]
            state.max_abs_weight[number] = max(columns.max(initial=0), -columns.min(initial=0))

    def begin_epoch(self, problem: Problem, state: State) -> None:
        """Set the updates of each class to 0."""
        assert isinstance(state, OneVsAllState)
        state.updates_of_epoch[:] = 0

    def step(self, problem: Problem, part: npt.NDArray[np.int64], state: State) -> None:
        """Learn from the rows of ``part``."""
        assert isinstance(state, OneVsAllState)
        self.inner.step_one_vs_all(problem, part, state, self.layout)

    def end_epoch(self, state: State) -> None:
        """Let classes rest that had no update."""
        assert isinstance(state, OneVsAllState)
        state.epochs_of_class += state.active
        state.updates_of_class += state.updates_of_epoch
        state.active &= state.updates_of_epoch > 0

    def final_weights(self, state: State) -> Array:
        """Return the table of the finished models."""
        assert isinstance(state, OneVsAllState)
        weights = self.learnt_weights(state)
        if self.inner.interpolation is None:
            return weights
        weights = weights.copy()
        for _, where, part in self.layout.parts:
            models = weights[where].reshape(-1, part.stride)
            column_weight = state.class_column_weight[where].reshape(-1, part.stride)
            for place in range(part.n_classes):
                share = self.inner.interpolation
                models[:, place] = interpolated(
                    models[:, place], column_weight[:-1, place], share, moved_only=bool(state.rows_are_unit[0])
                )
        return weights

    def learnt_weights(self, state: State) -> Array:
        """Return the table that learning alone has led to."""
        assert isinstance(state, OneVsAllState)
        if not (isinstance(self.inner, Averaging) and self.inner.average):
            return state.weights
        mean = np.empty_like(state.weights)
        for classes, table, part in self.layout.parts:
            seen = state.seen_of_class[classes.start : classes.start + part.stride]
            mean_class_weights(state.weights[table], state.accumulator[table], seen, mean[table])
        return mean

    def model(self, state: State) -> MulticlassModel:
        """Return the finished models as one."""
        return MulticlassModel.of_table(self.layout.unblocked(self.own_weights(state)))

    def scores(self, problem: Problem, state: State, which: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the scores of some rows, a column a class of the group."""
        return problem.rows.class_scores(self.final_weights(state), self.layout, pad=self.pad, which=which)
