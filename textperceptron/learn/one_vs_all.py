"""One-vs-all training: a block of classes per thread, 16 classes in one pass over the rows."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from textperceptron._parallel import count_jobs, ordered_map
from textperceptron.learn.fitted import Fitted, SingleFit, make_plan, make_rule
from textperceptron.learn.loop import Callback, EpochRecord, Run, cancellable, train
from textperceptron.learn.models.base import Model
from textperceptron.learn.models.multiclass import MulticlassModel
from textperceptron.learn.plan import Plan, StoppedBy
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import MulticlassRule, Rule
from textperceptron.learn.rules.one_vs_all import OneVsAllRule, OneVsAllState
from textperceptron.learn.state import EMPTY, Array, State
from textperceptron.learn.training_data import LabelSets
from textperceptron.learn.weight_tables import MAX_DENSE_WEIGHTS, BlockedTable, ClassTable, check_training_memory
from textperceptron.settings.learner import LearnerSettings


@dataclass(frozen=True, slots=True)
class ClassBlock:
    """Consecutive classes that one thread trains: their rule and their run."""

    rule: OneVsAllRule
    run: Run

    @property
    def state(self) -> OneVsAllState:
        """The weights and counters of the block."""
        assert isinstance(self.run.state, OneVsAllState)
        return self.run.state

    def grown(self, columns: npt.NDArray[np.int64], n_columns: int) -> ClassBlock:
        """Return the block with more columns; ``columns`` are the positions of the old ones among all."""
        from textperceptron.learn.new_columns import grow

        rule, state = grow(self.rule, self.state, columns, n_columns)
        assert isinstance(rule, OneVsAllRule)
        return ClassBlock(rule, replace(self.run, state=state))

    def reweighted(self, before: Array, after: Array) -> ClassBlock:
        """Return the block after its column weights have changed: a row of each for every class, block after block."""
        from textperceptron.learn.new_columns import reweight_classes

        mine = slice(self.rule.first, self.rule.first + self.rule.table.n_classes)
        state = reweight_classes(self.rule, self.state, before[mine], after[mine])
        return ClassBlock(self.rule, replace(self.run, state=state))


def train_one_vs_all(
    inner: MulticlassRule,
    rows: Rows,
    labels: LabelSets,
    n_classes: int,
    plan: Plan,
    *,
    weight: npt.NDArray[np.float64] = EMPTY,
    column_weight: Array = EMPTY,
    blocks: Sequence[ClassBlock] | None = None,
    n_jobs: int | None = None,
    callback: Callback | None = None,
    first_class: int = 0,
    epoch: int = 0,
) -> list[ClassBlock]:
    """Train each class against all others, from the start or from ``blocks``.

    Every class gets the same bits as if trained alone, for any number of threads. The callback reports the progress
    of the first block. After Ctrl-C, or an exception of the callback, the run of the first block has the error, and
    all states are those of their last finished slices. Classes that join a training start with code ``first_class``,
    at epoch ``epoch``.
    """
    check_dense(rows.n_columns, n_classes)
    if blocks is None:
        undivided = OneVsAllRule(inner=inner, table=BlockedTable(rows.n_columns, n_classes), first=first_class)
        check_training_memory(undivided, rows, None, plan, "the learner")
        rules = [
            OneVsAllRule(inner=inner, table=BlockedTable(rows.n_columns, stop - first), first=first_class + first)
            for first, stop in split_classes(n_classes, count_jobs(n_jobs))
        ]
        states = [rule.start(rows, column_weight) for rule in rules]
        for state in states:
            state.set_progress(seen=0, epoch=epoch)
    else:
        rules = [OneVsAllRule(inner=inner, table=block.rule.table, first=block.rule.first) for block in blocks]
        for rule, block in zip(rules, blocks, strict=True):
            rule.check_compatible(block.rule)
        states = [block.state for block in blocks]
    stop = threading.Event()

    def learn(number: int) -> Run:
        run = train(
            rules[number], rows, labels, plan,
            weight=weight, state=states[number], callback=cancellable(stop, callback if number == 0 else None),
        )  # fmt: skip
        if run.error is not None:
            stop.set()
        return run

    runs, interruption = _run_blocks(learn, len(rules), count_jobs(n_jobs), stop)
    first_error = interruption or next((run.error for run in runs if run.error is not None), None)
    if first_error is not None:
        runs[0].error = first_error
        for run in runs:
            run.stopped_by = "interrupted"
    else:
        # A block whose classes have all converged has stopped earlier. All blocks continue with the same epoch, so that
        # its permutation does not depend on the division into blocks, that is on n_jobs.
        epoch = max(run.state.epoch for run in runs)
        for run in runs:
            run.state.set_progress(seen=run.state.seen, epoch=epoch)
    return [ClassBlock(rule, run) for rule, run in zip(rules, runs, strict=True)]


def check_dense(n_columns: int, n_classes: int) -> None:
    """Raise ValueError if a dense table of all classes would be too large."""
    if n_classes * (n_columns + 1) > MAX_DENSE_WEIGHTS:
        raise ValueError(
            f"one-vs-all of {n_classes} classes and {n_columns} columns needs {n_classes * n_columns:.2g} "
            f"weights, and a table has at most {MAX_DENSE_WEIGHTS:.2g}. Train natively, which hashes large tables, or "
            "use fewer columns (min_df, HashedBagOfWords)."
        )


def _run_blocks(
    learn: Callable[[int], Run], n_blocks: int, n_threads: int, stop: threading.Event
) -> tuple[list[Run], BaseException | None]:
    """Return the run of each block, and the exception that interrupted this thread, which sets ``stop``."""
    runs: dict[int, Run] = {}
    interruption: BaseException | None = None

    def work(_: None, number: int) -> None:
        runs[number] = learn(number)

    try:
        deque(ordered_map(work, range(n_blocks), [None] * min(n_blocks, n_threads), on_cancel=stop.set), maxlen=0)
    except BaseException as reason:
        interruption = reason
        stop.set()
    return [runs[number] if number in runs else learn(number) for number in range(n_blocks)], interruption


def split_classes(n_classes: int, n_blocks: int) -> list[tuple[int, int]]:
    """Return start and stop of each block of classes, so that the slowest block takes the least time.

    A pass over the rows takes about as long for 12 classes as for 16, and for 4 more than half as long.

    Examples
    --------
    >>> split_classes(20, 2), split_classes(40, 2), split_classes(3, 2)
    ([(0, 16), (16, 20)], [(0, 20), (20, 40)], [(0, 3)])
    """
    sizes = range(4, n_classes + 4, 4)
    size = min((size for size in sizes if size * n_blocks >= n_classes), key=lambda size: (_cost(size), -size))
    return [(first, min(first + size, n_classes)) for first in range(0, n_classes, size)]


def _cost(n_classes: int) -> float:
    """Return the cost of a multiple of 4 classes, in passes of 16."""
    whole, rest = divmod(n_classes, 16)
    return whole + (0, 0.6, 0.75, 1)[rest // 4]


def merge_blocks(
    blocks: Sequence[ClassBlock], order: npt.NDArray[np.intp] | None = None
) -> tuple[OneVsAllRule, OneVsAllState]:
    """Return one block of all classes, a copy; class k, counted through the blocks, becomes class ``order[k]``.

    The result does not depend on the division into blocks, so the counters of the last epoch, and unused lanes, are
    dropped.
    """
    tables, states = [block.rule.table for block in blocks], [block.state for block in blocks]
    table = BlockedTable(tables[0].n_columns, sum(each.n_classes for each in tables))
    rule = OneVsAllRule(inner=blocks[0].rule.inner, table=table, first=0)
    target = np.arange(table.n_classes) if order is None else order

    def merge_weights(arrays: Sequence[Array]) -> Array:
        if not len(arrays[0]):
            return arrays[0].copy()  # empty, of the type that kernels expect
        dense = np.empty((table.n_columns + 1, table.n_classes), arrays[0].dtype)
        dense[:, target] = np.hstack([each.unblocked(array) for each, array in zip(tables, arrays, strict=True)])
        return table.blocked(dense)

    def merge_counters(arrays: Sequence[Array]) -> Array:
        merged = np.zeros(table.stride, arrays[0].dtype)
        merged[target] = np.concatenate([array[: each.n_classes] for each, array in zip(tables, arrays, strict=True)])
        return merged

    state = OneVsAllState(
        merge_weights([each.weights for each in states]),
        merge_weights([each.accumulator for each in states]),
        blocked_table=table,
        first=0,
        active=merge_counters([each.active for each in states]),
        seen_of_class=merge_counters([each.seen_of_class for each in states]),
        updates_of_epoch=merge_counters([each.updates_of_epoch for each in states]),
        updates_of_class=merge_counters([each.updates_of_class for each in states]),
        epochs_of_class=merge_counters([each.epochs_of_class for each in states]),
        max_abs_weight=np.zeros(len(table.blocks)),  # computed when training continues
        class_squared_column_weight=merge_weights([each.class_squared_column_weight for each in states]),
        class_column_weight=merge_weights([each.class_column_weight for each in states]),
    )
    state.rows_are_unit = states[0].rows_are_unit
    state.set_progress(seen=max(each.seen for each in states), epoch=max(each.epoch for each in states))
    return rule, state


@dataclass(slots=True, kw_only=True)
class OneVsAllFit(Fitted):
    """Classes that were trained together, each against all others.

    Attributes
    ----------
    blocks : list of ClassBlock
        One per thread, and one per update that added classes.
    order : array of int
        The class of model k, counted through the blocks.
    """

    blocks: list[ClassBlock]
    order: npt.NDArray[np.intp]

    @classmethod
    def of_blocks(
        cls, blocks: list[ClassBlock], settings: LearnerSettings, n_rows: int, rows_of_class: npt.NDArray[np.int64]
    ) -> OneVsAllFit:
        """Wrap the blocks of a finished training."""
        n_classes = sum(block.rule.table.n_classes for block in blocks)
        history = merge_histories([block.run.history for block in blocks])
        return cls(
            settings=settings, n_classes=n_classes, n_rows=n_rows, history=history, stopped_by=merge_stopped_by(blocks),
            n_updates=sum(record["updates"] for record in history), error=blocks[0].run.error,
            blocks=blocks, order=np.arange(n_classes), rows_of_class=rows_of_class,
        )  # fmt: skip

    @property
    def training(self) -> tuple[Rule, State]:
        """The rule and a copy of the state of all classes, in their order."""
        return merge_blocks(self.blocks, self.order)

    @property
    def _has_column_weights(self) -> bool:
        return any(len(block.state.class_squared_column_weight) for block in self.blocks)

    def _make_model(self) -> Model:
        table = ClassTable(self.blocks[0].rule.table.n_columns, self.n_classes)
        weights = np.zeros((table.n_columns + 1, table.stride), self.blocks[0].state.weights.dtype)
        first = 0
        for block in self.blocks:
            finished = block.rule.final_weights(block.state)
            for _, where, part in block.rule.table.blocks:
                classes = self.order[first : first + part.n_classes]
                weights[:, classes] = finished[where].reshape(-1, part.stride)[:, : part.n_classes]
                first += part.n_classes
        model = MulticlassModel(weights.ravel(), table)
        adjustment = self.settings.adjustment
        return model.adjusted(self.rows_of_class, adjustment) if adjustment and len(self.rows_of_class) else model

    def update(
        self,
        rows: Rows,
        codes: npt.NDArray[np.intp],
        n_classes: int,
        *,
        positions: npt.NDArray[np.intp] | None = None,
        columns: npt.NDArray[np.int64] | None = None,
        settings: LearnerSettings | None = None,
        epochs: int = 1,
        weight: npt.NDArray[np.float64] = EMPTY,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        same_rows: bool = False,
    ) -> Fitted:
        """Continue training; new classes become a block of their own. See :meth:`Fitted.update`."""
        settings = self.settings if settings is None else settings
        n_new = n_classes - self.n_classes
        positions = np.arange(self.n_classes) if positions is None else positions
        known = positions[self.order]
        order = np.concatenate([known, np.setdiff1d(np.arange(n_classes), known)])
        blocks, counts, column_weight = self.blocks, self.counts, EMPTY
        if columns is not None:
            check_dense(rows.n_columns, n_classes)
            blocks = [block.grown(columns, rows.n_columns) for block in blocks]
            if counts is not None:
                before = np.zeros((self.n_classes, rows.n_columns))
                before[:, columns] = counts.ratios(settings, each=True, n_jobs=n_jobs)[self.order]
                counts = self._count_all(counts, rows, codes, n_classes, positions, columns, weight, n_jobs)
                column_weight = counts.ratios(settings, each=True, n_jobs=n_jobs)[order]
                blocks = [block.reweighted(before, column_weight) for block in blocks]
                del before
        if n_new and not len(column_weight) and self._has_column_weights:
            raise ValueError(
                "column_weight compares each class with all others, so none can be added: train from the start."
            )
        labels = LabelSets.of_codes(np.argsort(order)[codes].astype(np.int32))
        inner, plan = make_rule(settings, weighted=self._has_column_weights), make_plan(settings, epochs)
        assert isinstance(inner, MulticlassRule)
        first_epoch = blocks[0].state.epoch
        if not same_rows:
            for block in blocks:
                block.state.abandon_epoch()
        self.blocks = train_one_vs_all(
            inner, rows, labels, self.n_classes, plan,
            weight=weight, blocks=blocks, n_jobs=n_jobs, callback=callback,
        )  # fmt: skip
        if n_new and self.blocks[0].run.error is None:
            # At the epoch of the other blocks, so that they have the same permutation.
            added = train_one_vs_all(
                inner, rows, labels, n_new, plan, weight=weight, column_weight=column_weight, n_jobs=n_jobs,
                first_class=self.n_classes, epoch=first_epoch,
            )  # fmt: skip
            for block in added:
                block.state.rows_are_unit = blocks[0].state.rows_are_unit
            self.blocks += added
        elif n_new:
            error = self.blocks[0].run.error
            assert error is not None
            raise error
        self._count_rows(codes, n_classes, positions)
        self.settings, self.n_classes, self.order, self.counts = settings, n_classes, order, counts
        self.n_rows = len(plan.training_rows(labels, weight))
        self._add(self.blocks[0].run, merge_histories([block.run.history for block in self.blocks]))
        self.stopped_by = merge_stopped_by(self.blocks)
        return self

    def binary_fits(self) -> list[SingleFit]:
        """Return the binary problem of each class, as if it had been trained alone."""
        fits: dict[int, SingleFit] = {}
        for block in self.blocks:
            for position in range(block.rule.table.n_classes):
                fits[int(self.order[block.rule.first + position])] = _binary_fit(block, position, self.settings)
        return [fits[code] for code in sorted(fits)]


def _binary_fit(block: ClassBlock, position: int, settings: LearnerSettings) -> SingleFit:
    table, state = block.rule.table, block.state
    alone = State(table.of_class(state.weights, position))
    if len(state.accumulator):
        alone.accumulator = table.of_class(state.accumulator, position)
    if len(state.class_squared_column_weight):
        alone.squared_column_weight = table.of_class(state.class_squared_column_weight, position).astype(np.float64)
    if len(state.class_column_weight):
        alone.column_weight = table.of_class(state.class_column_weight, position)[:-1].astype(np.float64)
        alone.rows_are_unit = state.rows_are_unit
    alone.set_progress(seen=int(state.seen_of_class[position]), epoch=int(state.epochs_of_class[position]))
    return SingleFit(
        settings=settings, n_classes=2, n_updates=int(state.updates_of_class[position]),
        stopped_by=block.run.stopped_by if state.active[position] else "converged",
        rule=block.rule.inner, state=alone,
    )  # fmt: skip


def one_vs_all_from_two(fitted: SingleFit, positions: npt.NDArray[np.intp]) -> OneVsAllFit:
    """Return a training of two classes as one-vs-all, with a problem per class, so that classes can be added.

    Raises
    ------
    ValueError
        If classes cannot be added to this training.
    """
    from textperceptron.learn.new_classes import as_one_vs_all, as_two_classes, negated

    settings = fitted.settings
    if settings.multiclass == "one-vs-one":
        raise ValueError("one-vs-one cannot get a third class: train from the start, on all texts.")
    if settings.pair_bits is not None:
        raise ValueError("one-vs-all with pair_bits cannot get a third class: train from the start, on all texts.")
    if not isinstance(fitted.rule, MulticlassRule):
        raise ValueError(f"learner={settings.learner!r} can only tell two classes apart, and there are more now.")
    rule, one = as_one_vs_all(fitted.rule, fitted.state)
    # A single class so far was the negative one of its problem; of two, the first is the negated second.
    state = as_two_classes(rule.inner, one) if fitted.n_classes == 2 else negated(rule.inner, one)
    assert isinstance(state, OneVsAllState)
    block = ClassBlock(replace(rule, table=state.blocked_table), Run(state, [], fitted.stopped_by))
    return OneVsAllFit(
        settings=settings, n_classes=fitted.n_classes, n_rows=fitted.n_rows, history=fitted.history,
        stopped_by=fitted.stopped_by, n_updates=fitted.n_updates, blocks=[block], order=np.arange(fitted.n_classes),
        rows_of_class=fitted.rows_of_class, counts=fitted.counts,
    )  # fmt: skip


def merge_stopped_by(blocks: Sequence[ClassBlock]) -> StoppedBy:
    """Return ``"converged"`` if all blocks have converged, else the reason of the first that has not."""
    reasons = [block.run.stopped_by for block in blocks]
    return next((reason for reason in reasons if reason != "converged"), "converged")


def merge_histories(histories: Sequence[Sequence[EpochRecord]]) -> list[EpochRecord]:
    """Add up the histories of blocks; the result does not depend on the division into blocks.

    A block whose classes have all converged has fewer epochs. Losses are dropped: their sums depend on the division.
    """
    longest = max(histories, key=len)
    return [
        EpochRecord(
            epoch=record["epoch"],
            mistakes=sum(one[k]["mistakes"] for one in histories if k < len(one)),
            updates=sum(one[k]["updates"] for one in histories if k < len(one)),
            online_loss=None,
            validation_accuracy=None,
            seconds=max(one[k]["seconds"] for one in histories if k < len(one)),
        )
        for k, record in enumerate(longest)
    ]  # fmt: skip
