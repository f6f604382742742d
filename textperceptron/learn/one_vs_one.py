"""One-vs-one training: a binary problem for each pair of classes, on the rows of the two alone."""

from __future__ import annotations

import itertools
import math
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron._memory import check_memory
from textperceptron._parallel import count_jobs, ordered_map
from textperceptron.learn.loop import Callback, cancellable, train
from textperceptron.learn.plan import Plan
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules import Rule
from textperceptron.learn.state import EMPTY, Array, State

if TYPE_CHECKING:
    from textperceptron.learn.fitted import SingleFit

# Memory of a model beside its weights, and of a column's number; and what need not be compared with what is free.
_MODEL_BYTES, _COLUMN_BYTES, _WORTH_A_LOOK = 700, 8, 1 << 28


@dataclass(frozen=True, slots=True)
class BinaryPairModel:
    """What a binary problem has learnt, on the columns where it is not zero.

    Attributes
    ----------
    lower, upper : int
        Its classes: scores above 0 speak for ``upper``.
    columns : array of int64
    weights : array
        One a column and, last, the intercept.
    n_iter, n_updates, n_seen : int
        Epochs, updates and examples.
    """

    lower: int
    upper: int
    columns: npt.NDArray[np.int64]
    weights: Array
    n_iter: int
    n_updates: int
    n_seen: int

    @classmethod
    def of_fit(cls, fitted: SingleFit, lower: int, upper: int) -> BinaryPairModel:
        """Take the model of a problem, and keep the columns whose weights are not zero."""
        weights = fitted.rule.final_weights(fitted.state)
        columns = np.flatnonzero(weights[:-1] != 0)
        kept = weights[np.append(columns, len(weights) - 1)]
        return cls(lower, upper, columns, kept, len(fitted.history), fitted.n_updates, fitted.state.seen)


class EpochOrders:
    """The order of every epoch, as the permutation of all rows has it, restricted to the rows of some classes."""

    def __init__(self, plan: Plan, codes: npt.NDArray[np.int32]) -> None:
        self._plan, self._codes = plan, codes
        self._epochs: dict[int, tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]] = {}
        self._lock = threading.Lock()

    def _epoch(self, epoch: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        key = epoch if self._plan.shuffle is True else 0
        with self._lock:
            if key not in self._epochs:
                order = self._plan.order(np.arange(len(self._codes)), epoch)
                self._epochs[key] = order, self._codes[order]
            return self._epochs[key]

    def of_classes(self, epoch: int, chosen: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        """Return the rows of an epoch that belong to the classes ``chosen``."""
        order, codes = self._epoch(epoch)
        mine: npt.NDArray[np.int64] = order[chosen[codes]]
        return mine


class _PairWorkspace:
    """What a thread uses for one pair after the other: signs of all rows, and a state with room for all columns."""

    def __init__(self, rule: Rule, rows: Rows) -> None:
        self.signs = np.zeros(rows.n_rows, np.int8)
        self.state: State = rule.start(rows)
        self._fresh = self.state.accumulator[:1].copy()

    def lift(
        self, rule: Rule, n_entries: int, columns: Callable[[], Sequence[npt.NDArray[np.int64]]]
    ) -> tuple[npt.NDArray[np.int64], Array]:
        """Take the model, which is zero outside ``columns()``, and leave the state as it was at the start.

        It was learnt from ``n_entries``; only where columns are many more is it worth the time to know which.
        """
        state = self.state
        if 4 * n_entries > state.n_columns:
            model = rule.final_weights(state)
            kept = np.append(np.flatnonzero(model[:-1] != 0), state.n_columns)
            taken = kept[:-1], model[kept]
            state.weights.fill(0)
            if len(state.accumulator):
                state.accumulator.fill(self._fresh[0])
            state.counts[:] = 0
            return taken
        everywhere = [*columns(), np.array([state.n_columns])]
        weights, accumulator = [], []
        for some in everywhere:
            weights.append(state.weights[some])
            state.weights[some] = 0  # a column of both classes is then taken once; the second time it is zero
            if len(state.accumulator):
                accumulator.append(state.accumulator[some])
                state.accumulator[some] = self._fresh
        lifted = State(
            np.concatenate(weights), np.concatenate(accumulator) if accumulator else EMPTY, counts=state.counts.copy()
        )
        state.counts[:] = 0
        model = rule.final_weights(lifted)
        kept = np.append(np.flatnonzero(model[:-1] != 0), len(model) - 1)
        return np.concatenate(everywhere)[kept[:-1]], model[kept]


def check_pairs_fit(rows: Rows, codes: npt.NDArray[Any], n_classes: int) -> None:
    """Raise MemoryError if the models of all pairs of classes would not fit into memory.

    A model has weights for the columns of its two classes, and so each class's columns are in ``n_classes - 1`` models.
    """
    entries_of = np.bincount(codes, weights=rows.lengths, minlength=n_classes)
    weights = (n_classes - 1) * float(np.minimum(entries_of, rows.n_columns).sum())
    n_pairs = math.comb(n_classes, 2)
    n_bytes = n_pairs * _MODEL_BYTES + weights * (_COLUMN_BYTES + rows.dtype.itemsize)
    n_bytes = min(n_bytes, n_pairs * (_MODEL_BYTES + rows.n_columns * rows.dtype.itemsize))
    if n_bytes > _WORTH_A_LOOK:
        what = f"one-vs-one of {n_classes:,} classes: {n_pairs:,} binary problems"
        check_memory(n_bytes, None, what, "Learn natively, use one-vs-all, or leave out rare classes.")


def train_one_vs_one(
    rule: Rule,
    rows: Rows,
    codes: npt.NDArray[np.int32],
    n_classes: int,
    plan: Plan,
    *,
    weight: npt.NDArray[np.float64] = EMPTY,
    n_jobs: int | None = None,
    callback: Callback | None = None,
    pairs: Sequence[tuple[int, int]] | None = None,
) -> Iterator[BinaryPairModel]:
    """Train a model for each pair of classes, (0, 1) first, then (0, 2) and so on, or for the pairs given.

    Each has the bits that training it alone would give with weight 0 for all other rows, for any number of threads. The
    callback sees the progress of each, from the thread that trains it; what it raises ends training.
    """
    orders = EpochOrders(plan, codes)
    stop = threading.Event()
    rows_of = [np.flatnonzero(codes == c) for c in range(n_classes)]
    lengths = np.diff(rows.indptr)
    entries_of = [int(lengths[which].sum()) for which in rows_of]

    @cache
    def columns_of(c: int) -> npt.NDArray[np.int64]:
        return _columns(rows, rows_of[c])

    def learn(desk: _PairWorkspace, pair: tuple[int, int]) -> BinaryPairModel:
        lower, upper = pair
        both = np.isin(np.arange(n_classes), pair)
        desk.signs[rows_of[lower]] = -1
        desk.signs[rows_of[upper]] = 1
        run = train(
            rule, rows, desk.signs, plan,
            weight=weight, state=desk.state, callback=cancellable(stop, callback),
            epoch_order=lambda epoch: orders.of_classes(epoch, both),
        )  # fmt: skip
        if run.error is not None:
            raise run.error
        seen, updates = run.state.seen, sum(record["updates"] for record in run.history)
        columns, weights = desk.lift(
            rule, entries_of[lower] + entries_of[upper], lambda: [columns_of(lower), columns_of(upper)]
        )
        return BinaryPairModel(lower, upper, columns, weights, len(run.history), updates, seen)

    desks = [_PairWorkspace(rule, rows) for _ in range(count_jobs(n_jobs))]
    every = itertools.combinations(range(n_classes), 2) if pairs is None else pairs
    return ordered_map(learn, every, desks, on_cancel=stop.set)


def _columns(rows: Rows, which: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the columns that some rows store, ascending."""
    stored = np.zeros(rows.n_columns, bool)
    stored[rows.take(which).indices] = True
    return np.flatnonzero(stored)
