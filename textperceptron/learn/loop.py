"""The training loop of every learner: order, slices, records, stopping."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, TypedDict

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import first_beyond
from textperceptron._parallel import CancelledError
from textperceptron.learn.plan import Pace, Plan, StoppedBy
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.state import EMPTY, MISTAKES, POSITION, SEEN_BEFORE, Array, State
from textperceptron.learn.training_data import Labels, TrainingData


class EpochRecord(TypedDict):
    """An epoch in the history."""

    epoch: int
    mistakes: int
    updates: int
    online_loss: float | None
    """Mean of the rule's loss over the examples, each computed before its own update."""
    validation_accuracy: float | None
    seconds: float


class Progress(NamedTuple):
    """How far training is: the argument of the callback, after each slice of an epoch."""

    epoch: int
    max_iter: int
    rows_done: int
    rows_total: int
    mistakes: int


Callback = Callable[[Progress], object]


class OverflowedError(ValueError):
    """Weights or scores left the range of floating-point numbers: the state is unusable."""


@dataclass(slots=True)
class Run:
    """The result of a run: its state, its history and why it stopped."""

    state: State
    history: list[EpochRecord]
    stopped_by: StoppedBy
    error: BaseException | None = None
    """What interrupted the run: KeyboardInterrupt, or an exception of the callback. The caller raises it after it has
    stored the state."""


@dataclass(slots=True)
class BestState:
    """The state with the highest validation accuracy; of equals, the first."""

    accuracy: float = -math.inf
    state: State | None = None
    epochs_since: int = 0

    def offer(self, state: State, accuracy: float) -> None:
        """Copy a state if it is better than all before."""
        if accuracy > self.accuracy:
            self.accuracy, self.state, self.epochs_since = accuracy, state.copy(), 0
        else:
            self.epochs_since += 1


@dataclass(slots=True)
class RunProgress:
    """Everything besides the state that an exact resume needs."""

    history: list[EpochRecord] = field(default_factory=list)
    best: BestState = field(default_factory=BestState)
    weights_before: Array = field(default_factory=EMPTY.copy)
    """The unscaled weights at the start of the current epoch, if ``tol`` compares with them."""
    in_epoch: bool = False
    """True inside an epoch: its begin and end hooks must not run twice."""

    def can_save(self, state: State) -> bool:
        """Whether a run can resume exactly from the state and this object.

        True at every call of the callback, and nearly always after Ctrl-C, which can come anywhere.
        """
        return self.in_epoch and state.counts[POSITION] > 0


def train(
    rule: Rule,
    rows: Rows,
    y: Labels,
    plan: Plan,
    *,
    weight: npt.NDArray[np.float64] = EMPTY,
    column_weight: Array = EMPTY,
    state: State | None = None,
    epoch_order: Callable[[int], npt.NDArray[np.int64]] | None = None,
    callback: Callback | None = None,
    progress: RunProgress | None = None,
) -> Run:
    """Train a rule on rows, from the start or from a state.

    Ctrl-C, or an exception of the callback, ends training after the current slice. The run is then ``"interrupted"``,
    and its state is that of the last finished slice.

    Parameters
    ----------
    rule : Rule
    rows : Rows
    y : array or LabelSets
        Labels as the rule takes them, see :class:`~textperceptron.learn.TrainingData`.
    plan : Plan
    weight : array
        Weight per row; empty for 1.
    column_weight : array
        Train as if columns were multiplied by these weights. Ignored with a state, which has its own.
    state : State, optional
        Changed in place. Trained for ``max_iter`` more epochs, starting within one if it was interrupted there.
    epoch_order : callable, optional
        Returns the row numbers of an epoch, instead of the plan.
    callback : callable, optional
        Called after each slice.
    progress : RunProgress, optional
        Saved together with the state, to resume the same run. Changed in place; consistent whenever the callback is
        called.

    Raises
    ------
    OverflowedError
        If scores or weights leave the range of floating-point numbers.
    ValueError
        If rows, labels, weights and state do not match.
    RuntimeError
        If another thread is training the same state.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.learn import Plan, check_rows, train
    >>> from textperceptron.learn.rules import PerceptronRule
    >>> rows = check_rows(np.ones(2, np.float32), np.array([0, 1]), np.array([0, 1, 2]), 2)
    >>> run = train(PerceptronRule(average=False), rows, np.array([-1, 1], np.int8), Plan(shuffle=False))
    >>> run.state.weights.tolist(), run.stopped_by
    ([-1.0, 1.0, 0.0], 'converged')
    """
    if state is None:
        state = rule.start(rows, column_weight)
    if state.n_columns != rows.n_columns:
        raise ValueError(f"the rows have {rows.n_columns} columns, the state was made for {state.n_columns}.")
    data = TrainingData(rows.astype(state.weights.dtype), y, weight)
    with _exclusive(state):
        return _run(rule, data, plan, state, epoch_order, callback, progress)


def _run(
    rule: Rule,
    data: TrainingData,
    plan: Plan,
    state: State,
    epoch_order: Callable[[int], npt.NDArray[np.int64]] | None,
    callback: Callback | None,
    progress: RunProgress | None,
) -> Run:
    train_on, held_out = plan.split(data.y, data.weight)
    if epoch_order is None:
        epoch_order = partial(plan.order, train_on)
    rule.bind(data, state)
    is_resumed = progress is not None
    progress = progress or RunProgress()
    history, best = progress.history, progress.best
    if len(held_out) and state.seen and not is_resumed:
        best.offer(state, rule.accuracy(data, state, held_out))
    stopped_by: StoppedBy = "budget"
    error: BaseException | None = None
    last = state.epoch + plan.max_iter
    pace = Pace(data.rows, rule.n_models)
    try:
        while state.epoch < last:
            if plan.tol is not None and not len(progress.weights_before):
                progress.weights_before = state.unscaled_weights.copy()
            record = _epoch(rule, data, epoch_order(state.epoch), state, last, pace, callback, progress)
            history.append(record)
            if len(held_out):
                record["validation_accuracy"] = accuracy = rule.accuracy(data, state, held_out)
                best.offer(state, accuracy)
            if record["updates"] == 0:
                stopped_by = "converged"
                break
            if best.epochs_since >= plan.n_iter_no_change:
                stopped_by = "validation"
                break
            if plan.tol is not None and rule.change(progress.weights_before, state) < plan.tol:
                stopped_by = "small_change"
                break
            progress.weights_before = EMPTY
    except OverflowedError:
        raise
    except BaseException as interruption:
        stopped_by, error = "interrupted", interruption
    if best.state is not None:
        state = best.state
    rule.release(data, state)
    if first_beyond(state.weights, float(np.finfo(state.weights.dtype).max)) >= 0:
        raise _overflow(data.rows, state)
    return Run(state, history, stopped_by, error)


_in_training: set[int] = set()
_in_training_lock = threading.Lock()


@contextmanager
def _exclusive(state: State) -> Iterator[None]:
    """Raise RuntimeError if another thread is training this state: its arrays may belong to other rows."""
    with _in_training_lock:
        if id(state) in _in_training:
            raise RuntimeError(
                "another thread is training this model. Train one copy per thread, or wait for the other thread."
            )
        _in_training.add(id(state))
    try:
        yield
    finally:
        with _in_training_lock:
            _in_training.discard(id(state))


def _epoch(
    rule: Rule,
    data: TrainingData,
    order: npt.NDArray[np.int64],
    state: State,
    last: int,
    pace: Pace,
    callback: Callback | None,
    progress: RunProgress,
) -> EpochRecord:
    start = time.perf_counter()
    if not state.is_within_epoch(len(order)):
        state.begin_epoch(len(order))
        rule.begin_epoch(data, state)
    progress.in_epoch = True
    for slice_order in pace.slices(order[state.counts[POSITION] :]):
        slice_start = time.perf_counter()
        for block, block_order in data.row_blocks(slice_order):
            rule.step(block, block_order, state)
        pace.record(time.perf_counter() - slice_start)
        if not math.isfinite(state.loss[0]):
            raise _overflow(data.rows, state)
        if callback is not None:
            done = int(state.counts[POSITION])
            callback(Progress(state.epoch + 1, last, done, len(order), int(state.counts[MISTAKES])))
    progress.in_epoch = False
    rule.end_epoch(state)
    state.end_epoch()
    return EpochRecord(
        epoch=state.epoch,
        mistakes=int(state.counts[MISTAKES]),
        updates=state.updates,
        online_loss=float(state.loss[0]) / max(1, state.seen - int(state.counts[SEEN_BEFORE])),
        validation_accuracy=None,
        seconds=time.perf_counter() - start,
    )


def _overflow(rows: Rows, state: State) -> OverflowedError:
    largest = np.max(np.abs(rows.values), initial=0)
    return OverflowedError(
        f"The weights left the range of {state.weights.dtype} in epoch {state.epoch + 1}; the largest value in "
        f"X is {largest:g}. Scale the rows (e.g. sklearn.preprocessing.normalize), or use float64."
    )


def cancellable(stop: threading.Event, callback: Callback | None = None) -> Callback:
    """Return a callback that raises CancelledError once ``stop`` is set, and otherwise calls ``callback``.

    So training on several threads ends on all of them when it ends on one.
    """

    def check(progress: Progress) -> None:
        if stop.is_set():
            raise CancelledError
        if callback is not None:
            callback(progress)

    return check
