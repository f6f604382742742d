"""One-vs-all: a block of classes, each against all others, trained in one pass over the rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._memory import mmap_zeros
from textperceptron.learn.models.multiclass import MulticlassModel
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import MulticlassRule, Rule, check_interpolation, interpolated
from textperceptron.learn.rules.perceptron import Averaging
from textperceptron.learn.state import EMPTY, Array, State
from textperceptron.learn.training_data import TrainingData
from textperceptron.learn.weight_tables import BlockedTable

_CHUNK_COLUMNS = 4096  # column weights of a block at a time, so that they stay in the cache


@dataclass(slots=True, kw_only=True)
class OneVsAllState(State):
    """Weights and counters of a block of classes, each trained against all others."""

    blocked_table: BlockedTable
    first: int
    """Code of the first class."""
    active: npt.NDArray[np.int8]
    """1 for a class in training, 0 once it has converged."""
    seen_of_class: npt.NDArray[np.int64]
    """Number of examples that each class has seen: T of its average."""
    updates_of_epoch: npt.NDArray[np.int64]
    updates_of_class: npt.NDArray[np.int64]
    epochs_of_class: npt.NDArray[np.int64]
    max_abs_weight: npt.NDArray[np.float64]
    """Upper bound of the absolute weights in each block of the table: it bounds the error of float32 scores."""
    label_signs: npt.NDArray[np.float32] = field(default_factory=lambda: np.empty((0, 0), np.float32))
    """Sign of each label for each model, 0 if the model skips its rows; empty for one-vs-all: labels are models."""
    class_squared_column_weight: Array = field(default_factory=EMPTY.copy, metadata={"key": "class_metric"})
    """Squared column weights, with the layout and the type of the weights; empty without column weights."""
    class_column_weight: Array = field(default_factory=EMPTY.copy)
    """The column weights themselves, with the same layout, if models are interpolated with them, else empty."""

    @property
    def n_columns(self) -> int:
        """Number of columns of the rows that this state belongs to."""
        return self.blocked_table.n_columns


@dataclass(frozen=True, slots=True, kw_only=True)
class OneVsAllRule(Rule):
    """Trains the classes from ``first`` on, as many as the table has, each against all others.

    Each class gets the same bits as if trained alone: it has its own counters, and stops once it has converged.
    """

    inner: MulticlassRule
    table: BlockedTable
    first: int

    fixed: ClassVar[tuple[str, ...]] = ()

    @property
    def n_models(self) -> int:
        """Number of models that learn from each row."""
        return self.table.n_classes

    @property
    def pad(self) -> float:
        """Value of the intercepts' column in every row."""
        return self.inner.pad

    def check_compatible(self, before: Rule) -> None:
        """Raise ValueError if this rule cannot continue from a state of ``before``."""
        assert isinstance(before, OneVsAllRule)
        self.inner.check_compatible(before.inner)

    def start(self, rows: Rows, column_weight: Array = EMPTY) -> OneVsAllState:
        """Return zero weights for every class; ``column_weight`` is shared, or has a row for each of all classes."""
        table = self.table
        check_interpolation(self.inner.interpolation, weighted=len(column_weight) > 0)
        column_weights, squared_column_weight = self.blocked_column_weights(column_weight, rows.dtype)
        counters = (np.zeros(table.stride, np.int64) for _ in range(4))
        seen, updates_of_epoch, updates_of_class, epochs_of_class = counters
        state = OneVsAllState(
            mmap_zeros(table.size, rows.dtype),
            self.inner.initial_accumulator(table.size, rows.dtype, squared_column_weight),
            blocked_table=table,
            first=self.first,
            active=np.ones(table.stride, np.int8),
            seen_of_class=seen,
            updates_of_epoch=updates_of_epoch,
            updates_of_class=updates_of_class,
            epochs_of_class=epochs_of_class,
            max_abs_weight=np.zeros(len(table.blocks)),
            class_squared_column_weight=squared_column_weight,
            class_column_weight=EMPTY.copy() if self.inner.interpolation is None else column_weights,
        )
        if self.inner.interpolation is not None:
            state.rows_are_unit = np.array([rows.rows_are_unit_length], np.int8)
        return state

    def blocked_column_weights(self, column_weight: Array, dtype: np.dtype[Any]) -> tuple[Array, Array]:
        """Return column weights with the layout of the weights, 1 for the intercepts, and their squares."""
        if not len(column_weight):
            return EMPTY.astype(dtype), EMPTY.astype(dtype)
        table = self.table
        of_class = np.atleast_2d(column_weight)
        if len(of_class) > 1:
            of_class = of_class[self.first : self.first + table.n_classes]
        of_class = np.broadcast_to(of_class, (table.n_classes, table.n_columns))
        column_weights, squared = np.ones(table.size, dtype), np.ones(table.size, dtype)
        for block in table.blocks:
            lines, squared_lines = (
                each[block.weights].reshape(table.n_columns + 1, -1) for each in (column_weights, squared)
            )
            for start in range(0, table.n_columns, _CHUNK_COLUMNS):
                part = of_class[block.classes, start : start + _CHUNK_COLUMNS].T
                where = slice(start, start + len(part)), slice(block.table.n_classes)
                lines[where], squared_lines[where] = part, np.square(part)
        return column_weights, squared

    def bind(self, data: TrainingData, state: State) -> None:
        """Activate all classes, unless training resumes within an epoch; bound the weights."""
        assert isinstance(state, OneVsAllState)
        if not state.is_within_epoch(data.rows.n_rows):
            state.active[:] = 1
        for number, block in enumerate(self.table.blocks):
            columns = state.weights[block.weights][: block.table.intercept_offset]
            state.max_abs_weight[number] = max(columns.max(initial=0), -columns.min(initial=0))

    def begin_epoch(self, data: TrainingData, state: State) -> None:
        """Reset the update counters of the classes."""
        assert isinstance(state, OneVsAllState)
        state.updates_of_epoch[:] = 0

    def step(self, data: TrainingData, order: npt.NDArray[np.int64], state: State) -> None:
        """Train on the rows of ``order``."""
        assert isinstance(state, OneVsAllState)
        self.inner.step_one_vs_all(data, order, state, self.table)

    def end_epoch(self, state: State) -> None:
        """Deactivate classes that had no update."""
        assert isinstance(state, OneVsAllState)
        state.epochs_of_class += state.active
        state.updates_of_class += state.updates_of_epoch
        state.active &= state.updates_of_epoch > 0

    def final_weights(self, state: State) -> Array:
        """Return the weights of the finished models."""
        assert isinstance(state, OneVsAllState)
        weights = self.learnt_weights(state)
        if self.inner.interpolation is None:
            return weights
        weights = weights.copy()
        share, moved_only = self.inner.interpolation, bool(state.rows_are_unit[0])
        for block in self.table.blocks:
            models = weights[block.weights].reshape(-1, block.table.stride)
            column_weight = state.class_column_weight[block.weights].reshape(-1, block.table.stride)
            for lane in range(block.table.n_classes):
                models[:, lane] = interpolated(models[:, lane], column_weight[:-1, lane], share, moved_only=moved_only)
        return weights

    def learnt_weights(self, state: State) -> Array:
        """Return the weights before interpolation."""
        assert isinstance(state, OneVsAllState)
        if not (isinstance(self.inner, Averaging) and self.inner.average):
            return state.weights
        mean = np.empty_like(state.weights)
        for classes, weights, table in self.table.blocks:
            seen = state.seen_of_class[classes.start : classes.start + table.stride]
            _kernels.mean_class_weights(state.weights[weights], state.accumulator[weights], seen, mean[weights])
        return mean

    def model(self, state: State) -> MulticlassModel:
        """Return the finished models as one table."""
        return MulticlassModel.of_dense(self.table.unblocked(self.model_weights(state)))

    def scores(self, data: TrainingData, state: State, which: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the scores of some rows, of shape (n_rows, n_classes)."""
        return data.rows.class_scores(self.final_weights(state), self.table, pad=self.pad, which=which)
