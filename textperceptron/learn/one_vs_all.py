"""One-vs-all training: blocks of classes, a thread each, 16 of them in one walk over the rows."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from textperceptron._parallel import count_jobs, ordered_map
from textperceptron.learn.column_pairs import check_table
from textperceptron.learn.fitted import Fitted, SingleFit, make_plan, make_rule
from textperceptron.learn.label_sets import LabelSets
from textperceptron.learn.loop import Callback, EpochRecord, Run, cancellable, train
from textperceptron.learn.models.base import Model
from textperceptron.learn.plan import Plan, StoppedBy
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.rules.multiclass import MulticlassRule
from textperceptron.learn.rules.one_vs_all import OneVsAllRule, OneVsAllState
from textperceptron.learn.state import EMPTY, Array, State
from textperceptron.learn.weight_tables import DENSE_WEIGHTS, BlockedTable
from textperceptron.settings.learner import LearnerSettings


@dataclass(frozen=True, slots=True)
class ClassBlock:
    """Some neighbouring classes with their rule and what it has learnt."""

    rule: OneVsAllRule
    run: Run

    @property
    def state(self) -> OneVsAllState:
        """The block's weights and counts."""
        assert isinstance(self.run.state, OneVsAllState)
        return self.run.state


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
    """Train each class against all others, from the start or on from ``blocks``.

    Every class gets the bits that it would get alone with the same plan, for any number of threads. The callback sees
    the progress of the first block. After Ctrl-C, or an exception from the callback, the run of the first block
    has the error, and all states are those of their last finished slices. ``first_class`` is the number of the first
    class, and ``epoch`` that of the first epoch, for classes that join a training under way.
    """
    check_dense(rows.n_columns, n_classes)
    if blocks is None:
        everything = OneVsAllRule(inner=inner, layout=BlockedTable(rows.n_columns, n_classes), first=first_class)
        check_table(everything, rows, None, plan, "the learner")
        rules = [
            OneVsAllRule(inner=inner, layout=BlockedTable(rows.n_columns, stop - first), first=first_class + first)
            for first, stop in split_classes(n_classes, count_jobs(n_jobs))
        ]
        states = [rule.start(rows, column_weight) for rule in rules]
        for state in states:
            state.set_progress(seen=0, epoch=epoch)
    else:
        rules = [OneVsAllRule(inner=inner, layout=block.rule.layout, first=block.rule.first) for block in blocks]
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

    runs, interruption = _side_by_side(learn, len(rules), count_jobs(n_jobs), stop)
    first_error = interruption or next((run.error for run in runs if run.error is not None), None)
    if first_error is not None:
        runs[0].error = first_error
        for run in runs:
            run.stopped_by = "interrupted"
    else:
        # A block whose classes have all converged has stopped earlier. The next epoch is the same for all, so that its
        # permutation does not depend on who shared a block, which is to say on n_jobs.
        epoch = max(run.state.epoch for run in runs)
        for run in runs:
            run.state.set_progress(seen=run.state.seen, epoch=epoch)
    return [ClassBlock(rule, run) for rule, run in zip(rules, runs, strict=True)]


def check_dense(n_columns: int, n_classes: int) -> None:
    """Raise ValueError if the weights of so many classes are too many for a dense table."""
    if n_classes * (n_columns + 1) > DENSE_WEIGHTS:
        raise ValueError(
            f"one-vs-all of {n_classes} classes and {n_columns} columns needs {n_classes * n_columns:.2g} "
            f"weights, and at most {DENSE_WEIGHTS:.2g} are kept in one table. Use the learner itself, which hashes so "
            "many weights, or fewer columns (min_df, HashedBagOfWords)."
        )


def _side_by_side(
    learn: Callable[[int], Run], n_groups: int, n_threads: int, stop: threading.Event
) -> tuple[list[Run], BaseException | None]:
    """Return the run of each block, and what interrupted waiting for them: Ctrl-C, which ``stop`` then hands on."""
    runs: dict[int, Run] = {}
    interruption: BaseException | None = None

    def work(_: None, number: int) -> None:
        runs[number] = learn(number)

    try:
        deque(ordered_map(work, range(n_groups), [None] * min(n_groups, n_threads), on_cancel=stop.set), maxlen=0)
    except BaseException as reason:
        interruption = reason
        stop.set()
    return [runs[number] if number in runs else learn(number) for number in range(n_groups)], interruption


def split_classes(n_classes: int, n_groups: int) -> list[tuple[int, int]]:
    """Return the first class of each block and the one behind its last, so that the longest takes the least time.

    A walk over the rows takes about as long for 12 classes as for 16, and for four more than half as long.

    Examples
    --------
    >>> split_classes(20, 2), split_classes(40, 2), split_classes(3, 2)
    ([(0, 16), (16, 20)], [(0, 20), (20, 40)], [(0, 3)])
    """
    sizes = range(4, n_classes + 4, 4)
    size = min((size for size in sizes if size * n_groups >= n_classes), key=lambda size: (_walks(size), -size))
    return [(first, min(first + size, n_classes)) for first in range(0, n_classes, size)]


def _walks(n_classes: int) -> float:
    """Return how long so many classes take, a multiple of 4, in walks of 16."""
    whole, rest = divmod(n_classes, 16)
    return whole + (0, 0.6, 0.75, 1)[rest // 4]


def merged(
    blocks: Sequence[ClassBlock], order: npt.NDArray[np.intp] | None = None
) -> tuple[OneVsAllRule, OneVsAllState]:
    """Return one block of all classes, a copy; class number k of the blocks becomes number ``order[k]``.

    The result is the same however the classes were divided into blocks, so what was counted in the last epoch, and what
    stands in the lanes behind the last class, is left out.
    """
    layouts, states = [block.rule.layout for block in blocks], [block.state for block in blocks]
    layout = BlockedTable(layouts[0].n_columns, sum(each.n_classes for each in layouts))
    rule = OneVsAllRule(inner=blocks[0].rule.inner, layout=layout, first=0)
    to = np.arange(layout.n_classes) if order is None else order

    def table(parts: Sequence[Array]) -> Array:
        if not len(parts[0]):
            return parts[0].copy()  # of its own type, which kernels look at
        whole = np.empty((layout.n_columns + 1, layout.n_classes), parts[0].dtype)
        whole[:, to] = np.hstack([each.unblocked(part) for each, part in zip(layouts, parts, strict=True)])
        return layout.blocked(whole)

    def counter(parts: Sequence[Array]) -> Array:
        whole = np.zeros(layout.stride, parts[0].dtype)
        whole[to] = np.concatenate([part[: each.n_classes] for each, part in zip(layouts, parts, strict=True)])
        return whole

    state = OneVsAllState(
        table([each.weights for each in states]),
        table([each.accumulator for each in states]),
        blocks=layout,
        first=0,
        active=counter([each.active for each in states]),
        seen_of_class=counter([each.seen_of_class for each in states]),
        updates_of_epoch=counter([each.updates_of_epoch for each in states]),
        updates_of_class=counter([each.updates_of_class for each in states]),
        epochs_of_class=counter([each.epochs_of_class for each in states]),
        max_abs_weight=np.zeros(len(layout.parts)),  # which are looked for when training goes on
        class_squared_column_weight=table([each.class_squared_column_weight for each in states]),
        class_column_weight=table([each.class_column_weight for each in states]),
    )
    state.rows_are_unit = states[0].rows_are_unit
    state.set_progress(seen=max(each.seen for each in states), epoch=max(each.epoch for each in states))
    return rule, state


@dataclass(slots=True, kw_only=True)
class OneVsAllFit(Fitted):
    """Classes trained each against all others, in one walk over the rows.

    Attributes
    ----------
    blocks : list of ClassBlock
        Each trained by one thread, or joined later.
    order : array of int
        Where problem k, counted through the blocks, stands among the classes.
    """

    blocks: list[ClassBlock]
    order: npt.NDArray[np.intp]

    @classmethod
    def of_blocks(cls, blocks: list[ClassBlock], settings: LearnerSettings, n_rows: int) -> OneVsAllFit:
        """Wrap the blocks of a finished training."""
        n_classes = sum(block.rule.layout.n_classes for block in blocks)
        history = merged_history([block.run.history for block in blocks])
        return cls(
            settings=settings, n_classes=n_classes, n_rows=n_rows, history=history, stopped_by=all_stopped_by(blocks),
            n_updates=sum(record["updates"] for record in history), error=blocks[0].run.error,
            blocks=blocks, order=np.arange(n_classes),
        )  # fmt: skip

    @property
    def training(self) -> tuple[Rule, State]:
        """The rule and the state of all classes, in their order; a copy."""
        return merged(self.blocks, self.order)

    def _make_model(self) -> Model:
        rule, state = merged(self.blocks, self.order)
        return rule.model(state)

    def update(
        self,
        rows: Rows,
        codes: npt.NDArray[np.intp],
        n_classes: int,
        *,
        positions: npt.NDArray[np.intp] | None = None,
        settings: LearnerSettings | None = None,
        epochs: int = 1,
        weight: npt.NDArray[np.float64] = EMPTY,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        same_rows: bool = False,
    ) -> Fitted:
        """Train on from where training stopped; new classes are a block of their own. See :meth:`Fitted.update`."""
        settings = self.settings if settings is None else settings
        n_new = n_classes - self.n_classes
        if n_new and any(len(block.state.class_squared_column_weight) for block in self.blocks):
            raise ValueError("column_weight compares each class with all others, so none can join: train anew.")
        positions = np.arange(self.n_classes) if positions is None else positions
        known = positions[self.order]
        order = np.concatenate([known, np.setdiff1d(np.arange(n_classes), known)])
        labels = LabelSets.of_codes(np.argsort(order)[codes].astype(np.int32))
        weighted = len(self.blocks[0].state.class_squared_column_weight) > 0
        inner, plan = make_rule(settings, weighted=weighted), make_plan(settings, epochs)
        assert isinstance(inner, MulticlassRule)
        first_epoch = self.blocks[0].state.epoch
        if not same_rows:
            for block in self.blocks:
                block.state.leave_epoch()
        self.blocks = train_one_vs_all(
            inner, rows, labels, self.n_classes, plan,
            weight=weight, blocks=self.blocks, n_jobs=n_jobs, callback=callback,
        )  # fmt: skip
        if n_new and self.blocks[0].run.error is None:
            # Their epoch, and so their permutation, is that of the others.
            self.blocks += train_one_vs_all(
                inner, rows, labels, n_new, plan,
                weight=weight, n_jobs=n_jobs, first_class=self.n_classes, epoch=first_epoch,
            )  # fmt: skip
        elif n_new:
            error = self.blocks[0].run.error
            assert error is not None
            raise error
        self.settings, self.n_classes, self.order = settings, n_classes, order
        self.n_rows = len(plan.training_rows(labels, weight))
        self._add(self.blocks[0].run, merged_history([block.run.history for block in self.blocks]))
        self.stopped_by = all_stopped_by(self.blocks)
        return self

    def binary_fits(self) -> list[SingleFit]:
        """Return the problem of each class, as training it alone would have left it."""
        fits: dict[int, SingleFit] = {}
        for block in self.blocks:
            for place in range(block.rule.layout.n_classes):
                fits[int(self.order[block.rule.first + place])] = _binary_fit(block, place, self.settings)
        return [fits[position] for position in sorted(fits)]


def _binary_fit(block: ClassBlock, place: int, settings: LearnerSettings) -> SingleFit:
    layout, state = block.rule.layout, block.state
    alone = State(layout.of_class(state.weights, place))
    if len(state.accumulator):
        alone.accumulator = layout.of_class(state.accumulator, place)
    if len(state.class_squared_column_weight):
        alone.squared_column_weight = layout.of_class(state.class_squared_column_weight, place).astype(np.float64)
    if len(state.class_column_weight):
        alone.column_weight = layout.of_class(state.class_column_weight, place)[:-1].astype(np.float64)
        alone.rows_are_unit = state.rows_are_unit
    alone.set_progress(seen=int(state.seen_of_class[place]), epoch=int(state.epochs_of_class[place]))
    return SingleFit(
        settings=settings, n_classes=2, n_updates=int(state.updates_of_class[place]),
        stopped_by=block.run.stopped_by if state.active[place] else "converged",
        rule=block.rule.inner, state=alone,
    )  # fmt: skip


def one_vs_all_of_two(fitted: SingleFit, positions: npt.NDArray[np.intp]) -> OneVsAllFit:
    """Return a training of two classes that a third can join: a problem for either class.

    Raises
    ------
    ValueError
        If it cannot.
    """
    from textperceptron.learn.new_classes import as_one_vs_all, as_two_classes, negated

    settings = fitted.settings
    if settings.multiclass == "one-vs-one":
        raise ValueError("one-vs-one cannot take in a third class: train anew on all texts.")
    if settings.pair_bits is not None:
        raise ValueError("one-vs-all with pair_bits cannot take in a third class: train anew on all texts.")
    if not isinstance(fitted.rule, MulticlassRule):
        raise ValueError(f"learner={settings.learner!r} learns two classes, and there are more now.")
    rule, one = as_one_vs_all(fitted.rule, fitted.state)
    # One class so far was the negative one of its problem; of two, the first is the mirror image of the second.
    state = as_two_classes(rule.inner, one) if fitted.n_classes == 2 else negated(rule.inner, one)
    assert isinstance(state, OneVsAllState)
    block = ClassBlock(replace(rule, layout=state.blocks), Run(state, [], fitted.stopped_by))
    return OneVsAllFit(
        settings=settings, n_classes=fitted.n_classes, n_rows=fitted.n_rows, history=fitted.history,
        stopped_by=fitted.stopped_by, n_updates=fitted.n_updates, blocks=[block], order=np.arange(fitted.n_classes),
    )  # fmt: skip


def all_stopped_by(blocks: Sequence[ClassBlock]) -> StoppedBy:
    """Return ``"converged"`` if all blocks have, or what stopped the first that has not."""
    reasons = [block.run.stopped_by for block in blocks]
    return next((reason for reason in reasons if reason != "converged"), "converged")


def merged_history(histories: Sequence[Sequence[EpochRecord]]) -> list[EpochRecord]:
    """Return the history of classes that were trained in blocks: the same for any division.

    A block whose classes have all converged has no more epochs. Losses are left out: their sums depend on the
    division.
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
