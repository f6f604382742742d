"""Native multiclass: one model with a weight vector per class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from textperceptron.learn.models.multiclass import MulticlassModel
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import MulticlassRule, Rule, square_column_weights
from textperceptron.learn.state import EMPTY, Array, State
from textperceptron.learn.training_data import TrainingData
from textperceptron.learn.weight_tables import ClassTable


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeRule(Rule):
    """Updates of the row's own class and of the best wrong one."""

    inner: MulticlassRule
    table: ClassTable

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
        assert isinstance(before, NativeRule)
        self.inner.check_compatible(before.inner)
        if self.table.bits != before.table.bits:
            raise ValueError(
                f"hash_bits={self.table.bits}: it was {before.table.bits} when training began (0: not hashed) and "
                "cannot change in the middle of it. Fit a new estimator."
            )

    def start(self, rows: Rows, column_weight: Array = EMPTY) -> State:
        """Return the initial state: zero weights for every class."""
        table = self.table
        if self.inner.interpolation is not None:
            raise ValueError(
                f"interpolation={self.inner.interpolation}: native classes share the column weights, which favour none "
                "of them. Train one-vs-all."
            )
        squared_column_weight = square_column_weights(column_weight)
        if table.bits and len(squared_column_weight):
            raise ValueError(
                f"column_weight cannot be used with {table.n_classes} × {table.n_columns} weights that are hashed to "
                f"2**{table.bits}: multiply the columns beforehand."
            )
        accumulator = self.inner.initial_accumulator(
            table.size, rows.dtype, np.repeat(squared_column_weight, table.stride)
        )
        return State(np.zeros(table.size, rows.dtype), accumulator, squared_column_weight, table)

    def step(self, data: TrainingData, order: npt.NDArray[np.int64], state: State) -> None:
        """Train on the rows of ``order``."""
        self.inner.step_classes(data, order, state, self.table)

    def final_weights(self, state: State) -> Array:
        """Return the table of the finished model."""
        return self.inner.final_weights(state)

    def model(self, state: State) -> MulticlassModel:
        """Return the finished model."""
        return MulticlassModel(self.model_weights(state), self.table)

    def scores(self, data: TrainingData, state: State, which: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the scores of some rows, of shape (n_rows, n_classes)."""
        return data.rows.class_scores(self.final_weights(state), self.table, pad=self.pad, which=which)

    def accuracy(self, data: TrainingData, state: State, which: npt.NDArray[np.int64]) -> float:
        """Return the accuracy on some rows."""
        return float(np.mean(self.scores(data, state, which).argmax(axis=1) == data.codes[which]))
