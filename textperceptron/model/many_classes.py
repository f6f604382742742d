"""More than two classes → a model: natively, one-vs-all or one-vs-one."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import numpy as np

from textperceptron._parallel import count_jobs
from textperceptron.learn import EMPTY, ClassTable, LabelSets, StoppedBy, choose_table
from textperceptron.learn.column_pairs import pair_layout
from textperceptron.learn.one_vs_all import ClassBlock, check_fits_one_table, merged, train_one_vs_all
from textperceptron.learn.rules import MulticlassRule, NativeRule, OneVsAllRule, VotedRule
from textperceptron.learn.weight_tables import BlockedTable
from textperceptron.model.column_weight import ratios_of_each
from textperceptron.model.lesson import Lesson, finished, run_lesson
from textperceptron.model.outcome import Outcome, Training
from textperceptron.model.problems import train_pairs, train_problems
from textperceptron.model.training_summary import merge_histories
from textperceptron.settings import LearnerPart


def teach_many(lesson: Lesson) -> Outcome:
    """Train from the start.

    Raises
    ------
    ValueError
        If the learner cannot learn so many classes in the way that is asked for.
    """
    learner, rule = lesson.learner, lesson.learner.rule()
    if isinstance(rule, VotedRule) or (learner.multiclass == "native" and not isinstance(rule, MulticlassRule)):
        instead = "averaged" if isinstance(rule, VotedRule) else f"{learner.learner} with multiclass='one-vs-all'"
        raise ValueError(
            f"learner={learner.learner!r} learns two classes, and there are {lesson.n_classes}. Use {instead}."
        )
    # A rule to stop that looks at each problem; or pairs, whose tables side by side would be too large.
    alone = learner.early_stopping or learner.tol is not None or learner.pair_bits is not None
    if learner.multiclass == "native":
        assert isinstance(rule, MulticlassRule)
        return _teach_natively(lesson, rule)
    if learner.multiclass == "one-vs-one":
        return train_pairs(lesson, rule)
    if alone or not isinstance(rule, MulticlassRule):
        return train_problems(lesson, rule)
    return _teach_one_vs_all(lesson, rule)


def _teach_natively(lesson: Lesson, rule: MulticlassRule) -> Outcome:
    learner = lesson.learner
    if learner.column_weight is not None:
        raise ValueError(
            f"column_weight: log-count ratios compare two classes, and there are {lesson.n_classes}. Use "
            "multiclass='one-vs-all', which gives each class ratios of its own."
        )
    native = NativeRule(inner=rule, layout=layout_for(lesson.rows.n_columns, lesson.n_classes, learner))
    codes, plan = lesson.codes.astype(np.int32), learner.plan()
    run = run_lesson(lesson, native, codes, plan, EMPTY)
    return finished(run, native, len(plan.training_rows(codes, lesson.weight)))


def layout_for(n_columns: int, n_classes: int, learner: LearnerPart) -> ClassTable:
    """Return where native weights stand, with a warning where nobody asked for them to share places."""
    if learner.pair_bits is not None:
        return pair_layout(n_columns, n_classes, learner.pair_bits)
    layout = choose_table(n_columns, n_classes, learner.hash_bits)
    if layout.bits and learner.hash_bits is None:
        warnings.warn(
            f"{n_classes} classes × {n_columns} columns are {n_classes * n_columns:.2g} weights: they share "
            f"2**{layout.bits} places by hashing. Set hash_bits to choose the size, or to 0 to keep all.",
            stacklevel=8,
        )
    return layout


def _teach_one_vs_all(lesson: Lesson, rule: MulticlassRule) -> Outcome:
    rows, learner = lesson.rows, lesson.learner
    labels = LabelSets.of_codes(lesson.codes.astype(np.int32))
    column_weight = EMPTY
    if learner.column_weight is not None:
        column_weight = ratios_of_each(rows, labels, lesson.n_classes, lesson.weight, **learner.ratios())
    check_fits_one_table(rows.n_columns, lesson.n_classes)
    if count_jobs(lesson.n_jobs) > 1 and not lesson.keeper.keeps:  # a checkpoint is of one moment, so of one thread
        groups = train_one_vs_all(
            rule, rows, labels, lesson.n_classes, learner.plan(),
            weight=lesson.weight, column_weight=column_weight, n_jobs=lesson.n_jobs, callback=lesson.callback,
        )  # fmt: skip
        if groups[0].run.error is not None:
            raise groups[0].run.error
    else:
        alone = OneVsAllRule(inner=rule, layout=BlockedTable(rows.n_columns, lesson.n_classes), first=0)
        groups = [ClassBlock(alone, run_lesson(lesson, alone, labels, learner.plan(), column_weight))]
    whole, state = merged(groups)
    history = merge_histories(
        [group.run.history for group in groups], len(learner.plan().training_rows(labels, lesson.weight))
    )
    return Outcome(
        whole.model(state), history, all_stopped_by(groups), sum(epoch.updates for epoch in history),
        Training(whole, state),
    )  # fmt: skip


def all_stopped_by(groups: Sequence[ClassBlock]) -> StoppedBy:
    """Return what stopped the classes: all have converged, or something else has stopped the first that has not."""
    reasons = [group.run.stopped_by for group in groups]
    return next((reason for reason in reasons if reason != "converged"), "converged")
