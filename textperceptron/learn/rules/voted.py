"""The voted perceptron: every intermediate vector votes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar, Literal

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._validation import at_least, integer, one_of
from textperceptron.learn.models.voted import Kernel, VotedMistakes, VotedModel
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.rules.perceptron import mistake_margin, step_length
from textperceptron.learn.state import EMPTY, LOGGED, SUPPORT, Array, State
from textperceptron.learn.training_data import TrainingData
from textperceptron.settings.fields import LEARNER, setting
from textperceptron.settings.learner import register_learner

_NO_ROWS = np.empty(0, np.int64)


@dataclass(slots=True, kw_only=True)
class VotedState(State):
    """The mistakes of earlier training, and the log of the current one."""

    past: VotedMistakes
    log: npt.NDArray[np.int64] = field(default_factory=_NO_ROWS.copy)
    """Row and time of each update, alternating; valid up to ``counts[LOGGED]`` updates."""
    # The dual form only, see _kernels/voted.pyx:
    base: npt.NDArray[np.float64] = field(default_factory=EMPTY.copy)
    alpha: npt.NDArray[np.float64] = field(default_factory=EMPTY.copy)
    support: npt.NDArray[np.int64] = field(default_factory=_NO_ROWS.copy)
    dense: npt.NDArray[np.float64] = field(default_factory=EMPTY.copy)

    @property
    def n_columns(self) -> int:
        """Number of columns of the rows that this state belongs to; the dual form has no weights to count."""
        return self.past.support.n_columns


MAX_DEGREE = 1000
"""Largest degree of a kernel: far beyond useful ones, and small enough that a power is computed in time."""


def _check_degree(name: str, value: int) -> None:
    at_least(name, value, 1)
    integer(name, value)
    if value > MAX_DEGREE:
        raise ValueError(f"{name}={value}: use a number up to {MAX_DEGREE}.")


@register_learner("voted")
@dataclass(frozen=True, slots=True, kw_only=True)
class VotedRule(Rule):
    """The perceptron's updates, stored as a list of mistakes.

    A linear kernel trains weights, as the perceptron does. A ``degree`` above 1, or a ``coef0``, trains the dual form.
    """

    eta0: float = step_length()
    margin: float = mistake_margin()
    kernel: Literal["linear", "poly"] = setting(
        "linear", "kernel function.",
        details='``"poly"`` is ``(x·z + coef0)^degree``. The intercept adds 1 to either.',
        group=LEARNER, check=partial(one_of, allowed=("linear", "poly")),
    )  # fmt: skip
    degree: int = setting(2, "degree of the polynomial kernel.", group=LEARNER, check=_check_degree)
    coef0: float = setting(
        1.0, "constant of the polynomial kernel.", details="Above 0, it keeps the lower degrees.",
        group=LEARNER, check=partial(at_least, low=0),
    )  # fmt: skip

    has_weights: ClassVar[bool] = False
    fixed: ClassVar[tuple[str, ...]] = ("fit_intercept", "kernel", "degree", "coef0")

    @property
    def row_kernel(self) -> Kernel:
        """The kernel between two rows."""
        return Kernel(int(self.degree), float(self.coef0), self.pad) if self._is_polynomial else Kernel(pad=self.pad)

    @property
    def _is_polynomial(self) -> bool:
        return self.kernel == "poly"

    @property
    def _in_dual_form(self) -> bool:
        return self._is_polynomial and (self.degree != 1 or self.coef0 != 0)

    def start(self, rows: Rows, column_weight: Array = EMPTY) -> VotedState:
        """Return the state without mistakes; its models are rows, so it takes no column weights."""
        if len(column_weight):
            raise ValueError("the voted perceptron takes no column weights: multiply the columns beforehand.")
        weights = np.zeros(0 if self._in_dual_form else rows.n_columns + 1, rows.dtype)
        return VotedState(weights, past=VotedMistakes.empty(rows))

    def bind(self, data: TrainingData, state: State) -> None:
        """Compute the score of each row by the mistakes of earlier training."""
        assert isinstance(state, VotedState)
        state.counts[[SUPPORT, LOGGED]] = 0
        if self._in_dual_form:
            rows = data.rows
            state.base = state.past.votes(rows, self.row_kernel, state.seen)[1]
            state.alpha = np.zeros(rows.n_rows)
            state.support = np.zeros(rows.n_rows, np.int64)
            state.dense = np.zeros(rows.n_columns)

    def step(self, data: TrainingData, order: npt.NDArray[np.int64], state: State) -> None:
        """Train on the rows of ``order``."""
        assert isinstance(state, VotedState)
        needed = 2 * (int(state.counts[LOGGED]) + len(order))
        if needed > len(state.log):
            state.log = np.resize(state.log, 2 * needed)
        if self._in_dual_form:
            _kernels.kernel_slice(
                *data.arrays, order,
                state.base, state.alpha, state.support, state.dense,
                state.log, state.counts, state.loss,
                self.eta0, self.margin, self.pad, self.degree, self.coef0,
            )  # fmt: skip
        else:
            _kernels.perceptron_slice(
                *data.arrays, order,
                state.squared_column_weight, state.weights, EMPTY, state.log, state.counts, state.loss,
                self.eta0, self.margin, self.pad,
            )  # fmt: skip

    def mistakes(self, data: TrainingData, state: VotedState) -> VotedMistakes:
        """Return all mistakes so far, including those in the log."""
        log = state.log[: 2 * state.counts[LOGGED]]
        which, times = log[::2], log[1::2]
        steps = self.eta0 * data.codes[which].astype(np.float64)
        if len(data.weight):
            steps = steps * data.weight[which]
        return state.past.extended(data.rows, which, steps, times)

    def model(self, state: State) -> VotedModel:
        """Return the model whose mistakes vote."""
        assert isinstance(state, VotedState)
        return VotedModel(state.past, self.row_kernel, state.seen)

    def scores(self, data: TrainingData, state: State, which: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Return the votes on some rows of ``data``."""
        assert isinstance(state, VotedState)
        return self.mistakes(data, state).votes(data.rows, self.row_kernel, state.seen, which)[0]

    def release(self, data: TrainingData, state: State) -> None:
        """Copy the misclassified rows, so that the user's matrix can be freed."""
        assert isinstance(state, VotedState)
        state.past = self.mistakes(data, state)
        state.log, state.support = _NO_ROWS, _NO_ROWS
        state.base = state.alpha = state.dense = EMPTY
        state.counts[[SUPPORT, LOGGED]] = 0
