"""The interface between a learner and the loop: initial state, training step, finished model."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._memory import prefaulted_zeros
from textperceptron._validation import fraction, one_of
from textperceptron.learn.models.base import Model
from textperceptron.learn.models.binary import BinaryModel
from textperceptron.learn.numerics import l2_norm
from textperceptron.learn.rows import Rows
from textperceptron.learn.state import EMPTY, Array, State
from textperceptron.learn.training_data import TrainingData
from textperceptron.learn.weight_tables import BlockedTable, ClassTable
from textperceptron.settings.fields import check_fields, describe_value
from textperceptron.settings.learner import learners

if TYPE_CHECKING:
    from textperceptron.learn.rules.one_vs_all import OneVsAllState

# Small enough that sums of products of its square with the largest float32 value stay finite.
_MAX_COLUMN_WEIGHT = 1e6


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule(ABC):
    """The settings and the kernel of a learner; the loop does everything else."""

    fit_intercept: bool = True
    interpolation: float | None = None
    """Share of the learnt weights in a finished model; the rest is the column weights. None for no interpolation."""

    fixed: ClassVar[tuple[str, ...]] = ("fit_intercept", "interpolation")
    """Settings that a state depends on: they cannot change in the middle of training."""
    has_weights: ClassVar[bool] = True
    """Whether the model has a weight per column."""
    uses_order: ClassVar[bool] = True
    """Whether the order of the rows matters."""

    def __post_init__(self) -> None:
        one_of("fit_intercept", self.fit_intercept, (True, False))
        if self.interpolation is not None:
            fraction("interpolation", self.interpolation)
        check_fields(self)

    def describe(self, name: str) -> list[str]:
        """Return the phrases that describe the learner, which is registered as ``name``, and its parameters."""
        label = name if "perceptron" in name else f"{name} perceptron"
        fields = learners()[name].parameters.values()
        return [label, *(phrase for each in fields for phrase in describe_value(each, getattr(self, each.name)))]

    def check_compatible(self, before: Rule) -> None:
        """Raise ValueError if this rule cannot continue from a state of ``before``."""
        if type(self) is not type(before):
            raise ValueError(
                f"training began with {type(before).__name__} and cannot continue with {type(self).__name__}. "
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
        """Number of models that learn from each row."""
        return 1

    @property
    def pad(self) -> float:
        """Value of the intercept's column in every row."""
        return 1.0 if self.fit_intercept else 0.0

    def start(self, rows: Rows, column_weight: Array = EMPTY) -> State:
        """Return the state before the first example, to train as if columns were multiplied by ``column_weight``.

        The multiplied rows are never stored: kernels use the squares of the column weights, see
        ``_kernels/rows.pxd``. The learnt weights apply to rows that are not multiplied.
        """
        n = rows.n_columns + 1
        squared_column_weight = square_column_weights(column_weight)
        state = State(
            prefaulted_zeros(n, rows.dtype),
            self.initial_accumulator(n, rows.dtype, squared_column_weight),
            squared_column_weight,
        )
        check_interpolation(self.interpolation, weighted=len(column_weight) > 0)
        if self.interpolation is not None:
            state.column_weight = column_weight
            state.rows_are_unit = np.array([rows.rows_are_unit_length], np.int8)
        return state

    def initial_accumulator(self, n: int, dtype: np.dtype[Any], squared_column_weight: Array) -> Array:
        """Return the initial accumulator of ``n`` weights; ``squared_column_weight`` has ``n`` entries, or none."""
        return EMPTY

    @abstractmethod
    def step(self, data: TrainingData, order: npt.NDArray[np.int64], state: State) -> None:
        """Train on the rows of ``order``, in that order; ``state`` changes in place."""

    def final_weights(self, state: State) -> Array:
        """Return the weights of the finished model, intercept last."""
        weights = self.learnt_weights(state)
        if self.interpolation is None:
            return weights
        return interpolated(weights, state.column_weight, self.interpolation, moved_only=bool(state.rows_are_unit[0]))

    def learnt_weights(self, state: State) -> Array:
        """Return the weights before interpolation, intercept last."""
        return state.weights

    def model(self, state: State) -> Model:
        """Return the finished model of a state: a copy, which further training does not change."""
        return BinaryModel(self.model_weights(state))

    def model_weights(self, state: State) -> Array:
        """Return the weights of the finished model in an array that the state does not share."""
        weights = self.final_weights(state)
        return weights.copy() if weights is state.weights else weights

    def scores(self, data: TrainingData, state: State, which: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the scores of some rows of ``data`` by the current model."""
        return data.rows.scores(self.final_weights(state), pad=self.pad, which=which)

    def accuracy(self, data: TrainingData, state: State, which: npt.NDArray[np.int64]) -> float:
        """Return the accuracy of the current model on some rows."""
        return float(np.mean((self.scores(data, state, which) > 0) == (data.codes[which] > 0)))

    def change(self, before: Array, state: State) -> float:
        """Return the change of the unscaled weights since ``before``, relative to their norm."""
        after = state.unscaled_weights
        norm = l2_norm(after)
        return l2_norm(after - before) / norm if norm else 0.0

    # Hooks, for rules with more state than weights.

    def bind(self, data: TrainingData, state: State) -> None:  # noqa: B027
        """Prepare ``state`` for training on ``data``."""

    def begin_epoch(self, data: TrainingData, state: State) -> None:  # noqa: B027
        """Prepare ``state`` for an epoch."""

    def end_epoch(self, state: State) -> None:  # noqa: B027
        """Finish an epoch, after its last row."""

    def release(self, data: TrainingData, state: State) -> None:  # noqa: B027
        """Make ``state`` independent of the rows it was trained on."""


def check_interpolation(interpolation: float | None, *, weighted: bool) -> None:
    """Raise ValueError for an interpolation without column weights."""
    if interpolation is not None and not weighted:
        raise ValueError(
            f"interpolation={interpolation} combines learnt weights with column weights, and there are none: set "
            "column_weight='log_count_ratio', or leave interpolation out."
        )


def square_column_weights(column_weight: Array) -> npt.NDArray[np.float64]:
    """Return the squares of column weights, and 1 for the intercept; an empty array without column weights."""
    if not len(column_weight):
        return EMPTY
    squares = np.empty(len(column_weight) + 1)
    np.multiply(column_weight, column_weight, out=squares[:-1])
    squares[-1] = 1
    return squares


def check_column_weights(weights: npt.NDArray[np.float64], n_columns: int) -> None:
    """Raise ValueError unless there is a finite number, of moderate size, per column."""
    if weights.shape != (n_columns,):
        raise ValueError(
            f"column_weight has shape {weights.shape}: pass one number for each of the {n_columns} columns."
        )
    bad = np.flatnonzero(~np.isfinite(weights) | (abs(weights) > _MAX_COLUMN_WEIGHT))
    if len(bad):
        raise ValueError(
            f"column_weight[{bad[0]}] is {weights[bad[0]]}: use finite numbers up to {_MAX_COLUMN_WEIGHT:g}."
        )


def interpolated(weights: Array, column_weight: Array, share: float, *, moved_only: bool) -> Array:
    """Return ``(1 − share) · m · r + share · w`` for weights w, intercept last, that were learnt with column weights r.

    A learner moves the unscaled weights ``v = w / r``, and m is the mean of their absolute values: of all, or with
    ``moved_only``, which is for rows of norm 1, of those that are not zero. So every v is drawn towards m. With share
    0 only the column weights would remain, which for log-count ratios is naive Bayes. The intercept, which has no
    column weight, becomes ``share · b``.

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
    total, n_moved = _kernels.sum_unscaled(weights, column_weight)
    mean = total / max(1, n_moved if moved_only else len(column_weight))
    result = np.empty_like(weights)
    _kernels.interpolate(weights, column_weight, share, (1 - share) * mean, result)
    return result


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
