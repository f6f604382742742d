"""What a learner is to the loop: how its state begins, changes and becomes a model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from textperceptron._memory import prefaulted_zeros
from textperceptron._validation import fraction, one_of
from textperceptron.learn.models.base import Model
from textperceptron.learn.models.binary import BinaryModel
from textperceptron.learn.numerics import length
from textperceptron.learn.rows import Rows
from textperceptron.learn.state import EMPTY, Array, State
from textperceptron.learn.training_data import Problem
from textperceptron.settings.fields import check_fields, describe_value
from textperceptron.settings.learner import learners

# Its square times the largest value that float32 rows may hold still leaves room for sums of products.
_LARGEST_COLUMN_WEIGHT = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(ABC):
    """A learner's settings and its kernel; everything else about training is in the loop."""

    fit_intercept: bool = True
    interpolation: float | None = None
    """How much of a finished model is what was learnt; the rest is the column weights alone. None: all of it."""

    # Settings that a state depends on: they cannot change in the middle of training.
    fixed: ClassVar[tuple[str, ...]] = ("fit_intercept", "interpolation")

    # Whether the model is one weight per column.
    has_weights: ClassVar[bool] = True
    # Whether the order of the rows matters.
    uses_order: ClassVar[bool] = True

    def __post_init__(self) -> None:
        one_of("fit_intercept", self.fit_intercept, (True, False))
        if self.interpolation is not None:
            fraction("interpolation", self.interpolation)
        check_fields(self)

    def describe(self, name: str) -> list[str]:
        """Return the phrases with which a description names the learner and its parameters."""
        label = name if "perceptron" in name else f"{name} perceptron"
        fields = learners()[name].parameters.values()
        return [label, *(said for each in fields for said in describe_value(each, getattr(self, each.name)))]

    def check_compatible(self, before: Rule) -> None:
        """Raise ValueError if this rule cannot go on from a state of another."""
        if type(self) is not type(before):
            raise ValueError(
                f"training began with {type(before).__name__} and cannot go on with {type(self).__name__}. "
                "Fit a new estimator."
            )
        for name in self.fixed:
            if getattr(self, name) != getattr(before, name):
                raise ValueError(
                    f"{name}={getattr(self, name)!r}: it was {getattr(before, name)!r} when training began and cannot "
                    "change in the middle of it. Fit a new estimator."
                )

    @property
    def n_models(self) -> int:
        """Models that learn from each row."""
        return 1

    @property
    def pad(self) -> float:
        """Value of the intercept's column in every row."""
        return 1.0 if self.fit_intercept else 0.0

    def start(self, rows: Rows, column_weight: Array = EMPTY) -> State:
        """Return the state before the first example, to learn from rows whose columns are multiplied by weights.

        The weighted rows are never made, see the metric in ``_kernels/rows.pxd``. The weights belong to the columns as
        they come: rows to predict are not weighted.
        """
        n = rows.n_columns + 1
        squared_column_weight = squares(column_weight, rows.n_columns)
        state = State(
            prefaulted_zeros(n, rows.dtype),
            self.initial_accumulator(n, rows.dtype, squared_column_weight),
            squared_column_weight,
        )
        if self.interpolation is not None:
            self.check_interpolation(column_weight)
            state.column_weight = np.array(column_weight, np.float64)
            state.rows_are_unit = np.array([rows.rows_are_unit_length], np.int8)
        return state

    def check_interpolation(self, column_weight: Array) -> None:
        """Raise ValueError if weights are to be interpolated with column weights, and there are none."""
        if self.interpolation is not None and not len(column_weight):
            raise ValueError(
                f"interpolation={self.interpolation} is between what is learnt and the column weights, and there are "
                "none: give column_weight='log_count_ratio', or leave interpolation out."
            )

    def initial_accumulator(self, n: int, dtype: np.dtype[Any], squared_column_weight: Array) -> Array:
        """Return the initial accumulator of ``n`` weights; ``squared_column_weight`` has an entry for each, or none."""
        return EMPTY

    @abstractmethod
    def step(self, problem: Problem, part: npt.NDArray[np.int64], state: State) -> None:
        """Learn from the rows of ``part``, in that order; ``state`` changes in place."""

    def final_weights(self, state: State) -> Array:
        """Return the weights of the finished model, intercept last."""
        weights = self.learnt_weights(state)
        if self.interpolation is None:
            return weights
        return interpolated(weights, state.column_weight, self.interpolation, moved_only=bool(state.rows_are_unit[0]))

    def learnt_weights(self, state: State) -> Array:
        """Return the weights that learning alone has led to, intercept last."""
        return state.weights

    def model(self, state: State) -> Model:
        """Return the finished model that a state is now; a copy, which further training leaves alone."""
        return BinaryModel(self.own_weights(state))

    def own_weights(self, state: State) -> Array:
        """Return the weights of the finished model, which the state does not share."""
        weights = self.final_weights(state)
        return weights.copy() if weights is state.weights else weights

    def scores(self, problem: Problem, state: State, which: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the scores of some rows of ``problem`` by the model that ``state`` is now."""
        return problem.rows.scores(self.final_weights(state), pad=self.pad, which=which)

    def accuracy(self, problem: Problem, state: State, which: npt.NDArray[np.int64]) -> float:
        """Return the share of some rows that the model, as ``state`` is now, gets right."""
        return float(np.mean((self.scores(problem, state, which) > 0) == (problem.codes[which] > 0)))

    def change(self, before: Array, state: State) -> float:
        """Return how much an epoch changed the inner weights from ``before``, relative to their length."""
        after = state.inner_weights
        reach = length(after)
        return length(after - before) / reach if reach else 0.0

    # Most rules need none of the following; a rule with more state than weights overrides them.

    def bind(self, problem: Problem, state: State) -> None:  # noqa: B027
        """Prepare ``state`` for training on ``problem``."""

    def begin_epoch(self, problem: Problem, state: State) -> None:  # noqa: B027
        """Prepare ``state`` for an epoch."""

    def end_epoch(self, state: State) -> None:  # noqa: B027
        """Do what happens once, after the last row of an epoch."""

    def release(self, problem: Problem, state: State) -> None:  # noqa: B027
        """Make ``state`` independent of the rows it was trained on."""


def squares(column_weight: Array, n_columns: int) -> npt.NDArray[np.float64]:
    """Return the squares of column weights, and 1 for the intercept; empty without column weights."""
    if not len(column_weight):
        return EMPTY
    weights = np.asarray(column_weight, np.float64)
    if weights.shape != (n_columns,):
        raise ValueError(
            f"column_weight has shape {weights.shape}: give one number for each of the {n_columns} columns."
        )
    bad = np.flatnonzero(~np.isfinite(weights) | (abs(weights) > _LARGEST_COLUMN_WEIGHT))
    if len(bad):
        raise ValueError(
            f"column_weight[{bad[0]}] is {weights[bad[0]]}: use finite numbers up to {_LARGEST_COLUMN_WEIGHT:g}."
        )
    return np.append(weights * weights, 1.0)


def interpolated(weights: Array, column_weight: Array, share: float, *, moved_only: bool) -> Array:
    """Return ``(1 − share) · m · r + share · w`` for weights w, intercept last, that were learnt with column weights r.

    What a learner moves are the weights ``v = w / r`` of the weighted columns, and m is the mean of their sizes: of
    all, or with ``moved_only``, which is for rows of length 1, of those that are not zero. So every v is drawn towards
    m, and with a share of 0 only the column weights would be left, which for log-count ratios is naive Bayes. The
    intercept, which has no column weight, becomes ``share · b``.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.learn.rules.base import interpolated
    >>> w, r = np.array([4.0, -1.0, 0.0, 0.5]), np.array([2.0, -1.0, 3.0])
    >>> interpolated(w, r, 0.5, moved_only=False)
    array([ 3. , -1. ,  1.5 ,  0.25])
    >>> interpolated(w, r, 0.5, moved_only=True)
    array([ 3.5 , -1.25,  2.25,  0.25])
    """
    own = np.asarray(weights[:-1], np.float64)
    moved = own != 0
    sizes = np.abs(own[moved] / column_weight[moved])
    mean = sizes.sum() / max(1, len(sizes) if moved_only else len(own))
    result = share * np.asarray(weights, np.float64)
    result[:-1] += (1 - share) * mean * column_weight
    return result.astype(weights.dtype)
