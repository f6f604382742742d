"""One-vs-one training, one class pair at a time: a binary problem on the rows of the two classes."""

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
from textperceptron.learn.loop import cancellable, train
from textperceptron.learn.plan import Plan
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules import Rule
from textperceptron.learn.state import EMPTY, Array, State

if TYPE_CHECKING:
    from textperceptron.learn.fitted import SingleFit

# Memory of a model apart from its weights, and of a column number.
_MODEL_BYTES, _COLUMN_BYTES = 700, 8
# Smaller allocations are not compared with the available memory.
_CHECK_ABOVE_BYTES = 1 << 28


@dataclass(frozen=True, slots=True)
class BinaryPairModel:
    """The model of a binary problem, on the columns whose weights are not zero.

    Attributes
    ----------
    lower, upper : int
        Its classes: a score above 0 means ``upper``. Both are the positive class in one-vs-all.
    columns : array of int64
    weights : array
        One per column, then the intercept.
    n_iter, n_updates, n_seen : int
        Numbers of epochs, updates and examples seen.
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
        """Take the model of a trained problem, without columns of weight zero."""
        weights = fitted.rule.final_weights(fitted.state)
        columns = np.flatnonzero(weights[:-1] != 0)
        kept = weights[np.append(columns, len(weights) - 1)]
        return cls(lower, upper, columns, kept, len(fitted.history), fitted.n_updates, fitted.state.seen)


class EpochOrders:
    """The row order of every epoch, restricted to the rows of some classes."""

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
        """Return the rows of an epoch that belong to the classes ``chosen``, a mask."""
        order, codes = self._epoch(epoch)
        restricted: npt.NDArray[np.int64] = order[chosen[codes]]
        return restricted


class _PairWorkspace:
    """The arrays that a thread reuses for one class pair after another: signs of all rows, and a state."""

    def __init__(self, rule: Rule, rows: Rows) -> None:
        self.signs = np.zeros(rows.n_rows, np.int8)
        self.state: State = rule.start(rows)
        self._initial_accumulator = self.state.accumulator[:1].copy()

    def extract_model(
        self, rule: Rule, n_entries: int, columns: Callable[[], Sequence[npt.NDArray[np.int64]]]
    ) -> tuple[npt.NDArray[np.int64], Array]:
        """Return columns and weights of the model, and reset the state.

        The model was trained on ``n_entries`` entries and is zero outside ``columns()``. These are computed only if
        the state has many more columns than that.
        """
        state = self.state
        if 4 * n_entries > state.n_columns:
            model = rule.final_weights(state)
            kept = np.append(np.flatnonzero(model[:-1] != 0), state.n_columns)
            extracted = kept[:-1], model[kept]
            state.weights.fill(0)
            if len(state.accumulator):
                state.accumulator.fill(self._initial_accumulator[0])
            state.counts[:] = 0
            return extracted
        touched = [*columns(), np.array([state.n_columns])]
        weights, accumulator = [], []
        for some in touched:
            weights.append(state.weights[some])
            state.weights[some] = 0  # so a column of both classes is extracted once: the second time it is zero
            if len(state.accumulator):
                accumulator.append(state.accumulator[some])
                state.accumulator[some] = self._initial_accumulator
        compact = State(
            np.concatenate(weights), np.concatenate(accumulator) if accumulator else EMPTY, counts=state.counts.copy()
        )
        state.counts[:] = 0
        model = rule.final_weights(compact)
        kept = np.append(np.flatnonzero(model[:-1] != 0), len(model) - 1)
        return np.concatenate(touched)[kept[:-1]], model[kept]


def check_pairs_fit(rows: Rows, codes: npt.NDArray[Any], n_classes: int) -> None:
    """Raise MemoryError if the models of all class pairs would not fit into memory.

    A model has weights for the columns of its two classes, so the columns of a class are in ``n_classes - 1`` models.
    """
    entries_of = np.bincount(codes, weights=rows.lengths, minlength=n_classes)
    weights = (n_classes - 1) * float(np.minimum(entries_of, rows.n_columns).sum())
    n_pairs = math.comb(n_classes, 2)
    n_bytes = n_pairs * _MODEL_BYTES + weights * (_COLUMN_BYTES + rows.dtype.itemsize)
    n_bytes = min(n_bytes, n_pairs * (_MODEL_BYTES + rows.n_columns * rows.dtype.itemsize))
    if n_bytes > _CHECK_ABOVE_BYTES:
        what = f"one-vs-one of {n_classes:,} classes: {n_pairs:,} binary problems"
        check_memory(n_bytes, None, what, "Train natively, use one-vs-all, or leave out rare classes.")


def train_one_vs_one(
    rule: Rule,
    rows: Rows,
    codes: npt.NDArray[np.int32],
    n_classes: int,
    plan: Plan,
    *,
    weight: npt.NDArray[np.float64] = EMPTY,
    n_jobs: int | None = None,
    pairs: Sequence[tuple[int, int]] | None = None,
) -> Iterator[BinaryPairModel]:
    """Yield a model for each class pair, in the order (0, 1), (0, 2) and so on, or for ``pairs``.

    Each has the same bits as if trained alone with weight 0 for all other rows, for any number of threads.
    """
    orders = EpochOrders(plan, codes)
    stop = threading.Event()
    rows_of = [np.flatnonzero(codes == c) for c in range(n_classes)]
    lengths = np.diff(rows.indptr)
    entries_of = [int(lengths[which].sum()) for which in rows_of]

    @cache
    def columns_of(c: int) -> npt.NDArray[np.int64]:
        return _columns(rows, rows_of[c])

    def learn(workspace: _PairWorkspace, pair: tuple[int, int]) -> BinaryPairModel:
        lower, upper = pair
        both = np.isin(np.arange(n_classes), pair)
        workspace.signs[rows_of[lower]] = -1
        workspace.signs[rows_of[upper]] = 1
        run = train(
            rule, rows, workspace.signs, plan,
            weight=weight, state=workspace.state, callback=cancellable(stop),
            epoch_order=lambda epoch: orders.of_classes(epoch, both),
        )  # fmt: skip
        if run.error is not None:
            raise run.error
        seen, updates = run.state.seen, sum(record["updates"] for record in run.history)
        columns, weights = workspace.extract_model(
            rule, entries_of[lower] + entries_of[upper], lambda: [columns_of(lower), columns_of(upper)]
        )
        return BinaryPairModel(lower, upper, columns, weights, len(run.history), updates, seen)

    workspaces = [_PairWorkspace(rule, rows) for _ in range(count_jobs(n_jobs))]
    pairs = list(itertools.combinations(range(n_classes), 2)) if pairs is None else pairs
    return ordered_map(learn, pairs, workspaces, on_cancel=stop.set)


def _columns(rows: Rows, which: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return the columns that some rows contain, ascending."""
    stored = np.zeros(rows.n_columns, bool)
    stored[rows.take(which).indices] = True
    return np.flatnonzero(stored)
