"""One-vs-all training: groups of classes, a thread each, 16 of them in one walk over the rows."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from textperceptron._parallel import count_jobs, ordered_map
from textperceptron.learn.column_pairs import check_table
from textperceptron.learn.label_sets import LabelSets
from textperceptron.learn.loop import Callback, Run, cancellable, train
from textperceptron.learn.plan import Plan
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules import MulticlassRule, OneVsAllRule, OneVsAllState
from textperceptron.learn.state import EMPTY, Array
from textperceptron.learn.weight_tables import DENSE_WEIGHTS, BlockedTable


@dataclass(frozen=True, slots=True)
class ClassBlock:
    """Some neighbouring classes with their rule and what it has learnt."""

    rule: OneVsAllRule
    run: Run

    @property
    def state(self) -> OneVsAllState:
        """The group's weights and counts."""
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
    groups: Sequence[ClassBlock] | None = None,
    n_jobs: int | None = None,
    callback: Callback | None = None,
    first_class: int = 0,
    epoch: int = 0,
) -> list[ClassBlock]:
    """Train each class against all others, from the start or on from ``groups``.

    Every class gets the bits that it would get alone with the same plan, for any number of threads. The callback sees
    the progress of the first group. After Ctrl-C, or an exception from the callback, the run of the first group
    has the error, and all states are those of their last finished slices. ``first_class`` is the number of the first
    class, and ``epoch`` that of the first epoch, for classes that join a training under way.
    """
    check_fits_one_table(rows.n_columns, n_classes)
    if groups is None:
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
        rules = [OneVsAllRule(inner=inner, layout=group.rule.layout, first=group.rule.first) for group in groups]
        for rule, group in zip(rules, groups, strict=True):
            rule.check_compatible(group.rule)
        states = [group.state for group in groups]
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
        # A group whose classes have all converged has stopped earlier. The next epoch is the same for all, so that its
        # permutation does not depend on who shared a group, which is to say on n_jobs.
        epoch = max(run.state.epoch for run in runs)
        for run in runs:
            run.state.set_progress(seen=run.state.seen, epoch=epoch)
    return [ClassBlock(rule, run) for rule, run in zip(rules, runs, strict=True)]


def check_fits_one_table(n_columns: int, n_classes: int) -> None:
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
    """Return the run of each group, and what interrupted waiting for them: Ctrl-C, which ``stop`` then hands on."""
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
    """Return the first class of each group and the one behind its last, so that the longest takes the least time.

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


def one_vs_all_scores(
    groups: Sequence[ClassBlock], models: Sequence[Array], rows: Rows, n_jobs: int | None = None
) -> npt.NDArray[np.float64]:
    """Return the scores of all classes, of shape (n_rows, n_classes); ``models`` are the groups' final weights."""
    parts = [
        rows.class_scores(model, group.rule.layout, pad=group.rule.pad, n_jobs=n_jobs)
        for group, model in zip(groups, models, strict=True)
    ]
    return parts[0] if len(parts) == 1 else np.hstack(parts)


def merged(
    groups: Sequence[ClassBlock], order: npt.NDArray[np.intp] | None = None
) -> tuple[OneVsAllRule, OneVsAllState]:
    """Return one group of all classes, a copy; class number k of the groups becomes number ``order[k]``.

    The result is the same however the classes were divided into groups, so what was counted in the last epoch, and what
    stands in the lanes behind the last class, is left out.
    """
    layouts, states = [group.rule.layout for group in groups], [group.state for group in groups]
    layout = BlockedTable(layouts[0].n_columns, sum(each.n_classes for each in layouts))
    rule = OneVsAllRule(inner=groups[0].rule.inner, layout=layout, first=0)
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
