"""The training loop that every learner shares: order, slices, records, stopping."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import first_beyond
from textperceptron._parallel import CancelledError
from textperceptron.learn.label_sets import LabelSets
from textperceptron.learn.plan import Pace, Plan, StoppedBy
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.state import EMPTY, MISTAKES, POSITION, SEEN_BEFORE, Array, State
from textperceptron.learn.training_data import Problem


class EpochRecord(TypedDict):
    """What an epoch leaves in the history."""

    epoch: int
    mistakes: int
    updates: int
    online_loss: float | None
    """Mean over the examples of the loss that the rule acts on, each taken before its own update."""
    validation_accuracy: float | None
    seconds: float


class Progress(NamedTuple):
    """Where training is, handed to the callback after each slice of an epoch."""

    epoch: int
    max_iter: int
    rows_done: int
    rows_total: int
    mistakes: int


Callback = Callable[[Progress], object]


class OverflowedError(ValueError):
    """Weights or scores left the range of floating-point numbers: the state is of no use."""


@dataclass(slots=True)
class Run:
    """A state, how it came about and why training stopped there."""

    state: State
    history: list[EpochRecord]
    stopped_by: StoppedBy
    error: BaseException | None = None
    """What interrupted it: a KeyboardInterrupt or what the callback raised. The caller raises it when it has kept
    the state."""


@dataclass(slots=True)
class BestState:
    """The state with the highest validation accuracy, the earliest of several."""

    accuracy: float = -math.inf
    state: State | None = None
    epochs_since: int = 0

    def offer(self, state: State, accuracy: float) -> None:
        """Take a copy of a state that is better than all before."""
        if accuracy > self.accuracy:
            self.accuracy, self.state, self.epochs_since = accuracy, state.copy(), 0
        else:
            self.epochs_since += 1


@dataclass(slots=True)
class RunProgress:
    """What a run remembers beside its state, so that it can be interrupted for good and go on as if it had not been."""

    history: list[EpochRecord] = field(default_factory=list)
    best: BestState = field(default_factory=BestState)
    before: Array = field(default_factory=EMPTY.copy)
    """The inner weights when the epoch under way began, where a stopping rule compares with them."""
    within: bool = False
    """Whether the epoch under way is between its beginning and its end, of which either would not bear repetition."""

    def can_save(self, state: State) -> bool:
        """Whether a run can go on from the state and this, as they are now, as if nothing had happened.

        At every call of the callback it can; and after Ctrl-C, which comes anywhere, nearly always.
        """
        return self.within and state.counts[POSITION] > 0


def train(
    rule: Rule,
    rows: Rows,
    y: npt.NDArray[Any] | LabelSets,
    plan: Plan,
    *,
    weight: npt.NDArray[np.float64] = EMPTY,
    column_weight: Array = EMPTY,
    state: State | None = None,
    epoch_order: Callable[[int], npt.NDArray[np.int64]] | None = None,
    callback: Callback | None = None,
    progress: RunProgress | None = None,
) -> Run:
    """Train ``rule`` on ``rows`` with the labels that it takes (see Problem), from the start or on from ``state``.

    A state is changed in place and continues exactly: ``max_iter`` further epochs, numbered on from its own,
    beginning in the middle of one if it was left there. Ctrl-C, or an exception from the callback, ends training after
    the slice under way; the run then says ``"interrupted"`` and its state is that of the last finished slice.

    With ``epoch_order`` the rows of an epoch are those that it returns, instead of all in the order of the plan.
    With ``column_weight`` the columns count as if they were multiplied by it; a state keeps what it began with.
    With a ``progress`` that was kept together with the state, the run goes on as the one that they come from; it is
    changed in place, and fit to be kept whenever the callback is called.

    Raises
    ------
    OverflowedError
        If scores or weights leave the range of floating-point numbers.
    ValueError
        If rows, labels, weights and state do not fit together.
    RuntimeError
        If another thread is training the same state.
    """
    if state is None:
        state = rule.start(rows, column_weight)
    if state.n_columns != rows.n_columns:
        raise ValueError(f"the rows have {rows.n_columns} columns, the state was made for {state.n_columns}.")
    problem = Problem(rows.astype(state.weights.dtype), y, weight)
    with _alone(state):
        return _run(rule, problem, plan, state, epoch_order, callback, progress)


def _run(
    rule: Rule,
    problem: Problem,
    plan: Plan,
    state: State,
    epoch_order: Callable[[int], npt.NDArray[np.int64]] | None,
    callback: Callback | None,
    progress: RunProgress | None,
) -> Run:
    train_on, held_out = plan.split(problem.y, problem.weight)
    if epoch_order is None:
        epoch_order = partial(plan.order, train_on)
    rule.bind(problem, state)
    goes_on = progress is not None
    progress = progress or RunProgress()
    history, best = progress.history, progress.best
    if len(held_out) and state.seen and not goes_on:
        best.offer(state, rule.accuracy(problem, state, held_out))
    stopped_by: StoppedBy = "budget"
    error: BaseException | None = None
    last = state.epoch + plan.max_iter
    pace = Pace(problem.rows, rule.n_models)
    try:
        while state.epoch < last:
            if plan.tol is not None and not len(progress.before):
                progress.before = state.inner_weights.copy()
            record = _epoch(rule, problem, epoch_order(state.epoch), state, last, pace, callback, progress)
            history.append(record)
            if len(held_out):
                record["validation_accuracy"] = accuracy = rule.accuracy(problem, state, held_out)
                best.offer(state, accuracy)
            if record["updates"] == 0:
                stopped_by = "converged"
                break
            if best.epochs_since >= plan.n_iter_no_change:
                stopped_by = "validation"
                break
            if plan.tol is not None and rule.change(progress.before, state) < plan.tol:
                stopped_by = "small_change"
                break
            progress.before = EMPTY
    except OverflowedError:
        raise
    except BaseException as interruption:
        stopped_by, error = "interrupted", interruption
    if best.state is not None:
        state = best.state
    rule.release(problem, state)
    if first_beyond(state.weights, float(np.finfo(state.weights.dtype).max)) >= 0:
        raise _overflow(problem.rows, state)
    return Run(state, history, stopped_by, error)


_in_training: set[int] = set()
_in_training_lock = threading.Lock()


@contextmanager
def _alone(state: State) -> Iterator[None]:
    """Refuse a state that another thread is changing: its arrays would no longer fit the rows."""
    with _in_training_lock:
        if id(state) in _in_training:
            raise RuntimeError("another thread is training this model. Train one copy a thread, or take turns.")
        _in_training.add(id(state))
    try:
        yield
    finally:
        with _in_training_lock:
            _in_training.discard(id(state))


def _epoch(
    rule: Rule,
    problem: Problem,
    order: npt.NDArray[np.int64],
    state: State,
    last: int,
    pace: Pace,
    callback: Callback | None,
    progress: RunProgress,
) -> EpochRecord:
    began = time.perf_counter()
    if not state.is_within_epoch(len(order)):
        state.begin_epoch(len(order))
        rule.begin_epoch(problem, state)
    progress.within = True
    for part in pace.slices(order[state.counts[POSITION] :]):
        slice_began = time.perf_counter()
        for piece, piece_order in problem.pieces(part):
            rule.step(piece, piece_order, state)
        pace.took(time.perf_counter() - slice_began)
        if not math.isfinite(state.loss[0]):
            raise _overflow(problem.rows, state)
        if callback is not None:
            done = int(state.counts[POSITION])
            callback(Progress(state.epoch + 1, last, done, len(order), int(state.counts[MISTAKES])))
    progress.within = False
    rule.end_epoch(state)
    state.end_epoch()
    return EpochRecord(
        epoch=state.epoch,
        mistakes=int(state.counts[MISTAKES]),
        updates=state.updates,
        online_loss=float(state.loss[0]) / max(1, state.seen - int(state.counts[SEEN_BEFORE])),
        validation_accuracy=None,
        seconds=time.perf_counter() - began,
    )


def _overflow(rows: Rows, state: State) -> OverflowedError:
    largest = np.max(np.abs(rows.values), initial=0)
    return OverflowedError(
        f"The weights left the range of {state.weights.dtype} in epoch {state.epoch + 1}; the largest value in "
        f"X is {largest:g}. Scale the rows (e.g. sklearn.preprocessing.normalize), or use float64."
    )


def cancellable(stop: threading.Event, callback: Callback | None) -> Callback:
    """Return a callback that raises CancelledError once ``stop`` is set, and otherwise calls ``callback``.

    Training on several threads ends on all of them when it ends on one.
    """

    def check(progress: Progress) -> None:
        if stop.is_set():
            raise CancelledError
        if callback is not None:
            callback(progress)

    return check
