"""Native multiclass: one model with a weight vector a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from textperceptron.learn.models.multiclass import MulticlassModel
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import Rule, squares
from textperceptron.learn.rules.multiclass import MulticlassRule
from textperceptron.learn.state import EMPTY, Array, State
from textperceptron.learn.training_data import Problem
from textperceptron.learn.weight_tables import ClassTable


@dataclass(frozen=True, slots=True, kw_only=True)
class NativeRule(Rule):
    """A rule applied to the row's own class and the best wrong one."""

    inner: MulticlassRule
    layout: ClassTable

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
        assert isinstance(before, NativeRule)
        self.inner.check_compatible(before.inner)
        if self.layout.bits != before.layout.bits:
            raise ValueError(
                f"hash_bits={self.layout.bits}: it was {before.layout.bits} when training began (0: not hashed) and "
                "cannot change in the middle of it. Fit a new estimator."
            )

    def start(self, rows: Rows, column_weight: Array = EMPTY) -> State:
        """Return zero weights for every class, and what the rule keeps beside them."""
        layout = self.layout
        if self.inner.interpolation is not None:
            raise ValueError(
                f"interpolation={self.inner.interpolation}: classes that are learnt natively share the column weights, "
                "which then speak for none of them. Learn each against all others (one-vs-all)."
            )
        squared_column_weight = squares(column_weight, rows.n_columns)
        if layout.bits and len(squared_column_weight):
            raise ValueError(
                f"column_weight needs a place for each of {layout.n_classes} × {layout.n_columns} weights, but these "
                f"are hashed to 2**{layout.bits}: multiply the columns beforehand."
            )
        accumulator = self.inner.initial_accumulator(
            layout.size, rows.dtype, np.repeat(squared_column_weight, layout.stride)
        )
        return State(np.zeros(layout.size, rows.dtype), accumulator, squared_column_weight, layout)

    def step(self, problem: Problem, part: npt.NDArray[np.int64], state: State) -> None:
        """Learn from the rows of ``part``."""
        self.inner.step_classes(problem, part, state, self.layout)

    def final_weights(self, state: State) -> Array:
        """Return the table of the finished model."""
        return self.inner.final_weights(state)

    def model(self, state: State) -> MulticlassModel:
        """Return the finished model."""
        return MulticlassModel(self.own_weights(state), self.layout)

    def scores(self, problem: Problem, state: State, which: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the scores of some rows, a column a class."""
        return problem.rows.class_scores(self.final_weights(state), self.layout, pad=self.pad, which=which)

    def accuracy(self, problem: Problem, state: State, which: npt.NDArray[np.int64]) -> float:
        """Return the share of some rows whose highest score is that of their class."""
        return float(np.mean(self.scores(problem, state, which).argmax(axis=1) == problem.codes[which]))
