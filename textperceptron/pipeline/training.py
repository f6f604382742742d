"""Rows and numbers of classes → a model, by the learner and the way to many classes that settings name."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import (
    NOTHING,
    Callback,
    ClassLayout,
    Course,
    LabelSets,
    Plan,
    Rows,
    Run,
    StoppedBy,
    choose_layout,
    train,
)
from textperceptron.learn.calibration import calibrate, hold_out
from textperceptron.learn.layout import BlockLayout
from textperceptron.learn.merge import merged
from textperceptron.learn.models import BinaryModel, ClassModel, Model, VotesModel
from textperceptron.learn.on_the_fly import check_table, pair_layout
from textperceptron.learn.one_vs_all import ClassGroup, check_fits_one_table, train_one_vs_all
from textperceptron.learn.rules import Classwise, NativeRule, OneVsAllRule, Rule, VotedRule
from textperceptron.learn.rules.voted import VotedState
from textperceptron.learn.state import State
from textperceptron.learn.weights import row_weights
from textperceptron.pipeline.column_weight import ratios_of_each, ratios_of_two
from textperceptron.pipeline.history import Epoch, of_groups
from textperceptron.pipeline.keeping import Keeper
from textperceptron.pipeline.labels import Classes
from textperceptron.pipeline.outcome import Outcome, Training
from textperceptron.pipeline.problems import train_pairs, train_problems
from textperceptron.recipes import LearnerPart
from textperceptron.workers import count_jobs

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Lesson:
    """What is to be learnt: rows, the number of each one's class, and how much each counts (empty: all alike)."""

    rows: Rows
    codes: Codes
    n_classes: int
    weight: Floats
    learner: LearnerPart
    n_jobs: int | None
    callback: Callback | None
    keeper: Keeper


def teach(
    rows: Rows,
    codes: Codes,
    classes: Classes,
    learner: LearnerPart,
    *,
    sample_weight: npt.ArrayLike | None = None,
    n_jobs: int | None = None,
    callback: Callback | None = None,
    keeper: Keeper | None = None,
) -> Outcome:
    """Train from the start.

    Raises
    ------
    ValueError
        If the learner cannot learn so many classes in the way that is asked for.
    """
    learner = learner.settled(np.bincount(codes, minlength=len(classes)).tolist(), rows.n_columns)
    weight = row_weights(sample_weight, class_weights(learner), classes.array, codes)
    held_out = np.empty(0, np.int64)
    if learner.calibrate:
        held_out = hold_out(codes, weight, learner.validation_fraction, learner.seed)
        weight = weight.copy() if len(weight) else np.ones(rows.n_rows)
        weight[held_out] = 0
    lesson = Lesson(rows, codes, len(classes), weight, learner, n_jobs, callback, keeper or Keeper())
    outcome = _choose(lesson)
    if len(held_out):
        outcome.calibration = calibrate(outcome.model.scores(rows.take(held_out), n_jobs), codes[held_out])
    return outcome


def _choose(lesson: Lesson) -> Outcome:
    learner, rule = lesson.learner, lesson.learner.rule()
    if lesson.n_classes == 2:
        return _teach_two(lesson, rule)
    if isinstance(rule, VotedRule) or (learner.multiclass == "native" and not isinstance(rule, Classwise)):
        instead = "averaged" if isinstance(rule, VotedRule) else f"{learner.learner} with multiclass='one-vs-all'"
        raise ValueError(
            f"learner={learner.learner!r} learns two classes, and there are {lesson.n_classes}. Use {instead}."
        )
    # A rule to stop that looks at each problem; or pairs, whose tables side by side would be too large.
    alone = learner.early_stopping or learner.tol is not None or learner.pair_bits is not None
    if learner.multiclass == "native":
        assert isinstance(rule, Classwise)
        return _teach_natively(lesson, rule)
    if learner.multiclass == "one-vs-one":
        return train_pairs(lesson, rule)
    if alone or not isinstance(rule, Classwise):
        return train_problems(lesson, rule)
    return _teach_one_vs_all(lesson, rule)


def class_weights(learner: LearnerPart) -> Any:
    """Return the class weights as the engine takes them."""
    chosen = learner.class_weight
    return dict(chosen) if isinstance(chosen, tuple) else chosen


def _teach_two(lesson: Lesson, rule: Rule) -> Outcome:
    signs = (2 * lesson.codes - 1).astype(np.int8)
    plan = lesson.learner.plan()
    column_weight = NOTHING
    if lesson.learner.column_weight is not None:
        learnt_from = plan.learnt_from(signs, lesson.weight)
        column_weight = ratios_of_two(lesson.rows, lesson.codes, learnt_from, **lesson.learner.ratios())
    run = _run(lesson, rule, signs, plan, column_weight)
    return _finished(run, rule, len(plan.learnt_from(signs, lesson.weight)))


def _teach_natively(lesson: Lesson, rule: Classwise) -> Outcome:
    learner = lesson.learner
    if learner.column_weight is not None:
        raise ValueError(
            f"column_weight: log-count ratios compare two classes, and there are {lesson.n_classes}. Use "
            "multiclass='one-vs-all', which gives each class ratios of its own."
        )
    native = NativeRule(inner=rule, layout=layout_for(lesson.rows.n_columns, lesson.n_classes, learner))
    codes, plan = lesson.codes.astype(np.int32), learner.plan()
    run = _run(lesson, native, codes, plan, NOTHING)
    return _finished(run, native, len(plan.learnt_from(codes, lesson.weight)))


def layout_for(n_columns: int, n_classes: int, learner: LearnerPart) -> ClassLayout:
    """Return where native weights stand, with a warning where nobody asked for them to share places."""
    if learner.pair_bits is not None:
        return pair_layout(n_columns, n_classes, learner.pair_bits)
    layout = choose_layout(n_columns, n_classes, learner.hash_bits)
    if layout.bits and learner.hash_bits is None:
        warnings.warn(
            f"{n_classes} classes × {n_columns} columns are {n_classes * n_columns:.2g} weights: they share "
            f"2**{layout.bits} places by hashing. Set hash_bits to choose the size, or to 0 to keep all.",
            stacklevel=6,
        )
    return layout


def _teach_one_vs_all(lesson: Lesson, rule: Classwise) -> Outcome:
    rows, learner = lesson.rows, lesson.learner
    labels = LabelSets.of_codes(lesson.codes.astype(np.int32))
    column_weight = NOTHING
    if learner.column_weight is not None:
        column_weight = ratios_of_each(rows, labels, lesson.n_classes, lesson.weight, **learner.ratios())
    check_fits_one_table(rows.n_columns, lesson.n_classes)
    if count_jobs(lesson.n_jobs) > 1 and not lesson.keeper.keeps:  # a checkpoint is of one moment, so of one thread
        groups = train_one_vs_all(
            rule, rows, labels, lesson.n_classes, learner.plan(),
            weight=lesson.weight, column_weight=column_weight, n_jobs=lesson.n_jobs, callback=lesson.callback,
        )  # fmt: skip
    else:
        alone = OneVsAllRule(inner=rule, layout=BlockLayout(rows.n_columns, lesson.n_classes), first=0)
        groups = [ClassGroup(alone, _run(lesson, alone, labels, learner.plan(), column_weight))]
    whole, state = merged(groups)
    history = of_groups([group.run.history for group in groups], len(learner.plan().learnt_from(labels, lesson.weight)))
    return Outcome(
        model_of(whole, state), history, all_stopped_by(groups), sum(epoch.updates for epoch in history),
        Training(whole, state), error=groups[0].run.error,
    )  # fmt: skip


def all_stopped_by(groups: Sequence[ClassGroup]) -> StoppedBy:
    """Return what stopped the classes: all have converged, or something else has stopped the first that has not."""
    reasons = [group.run.stopped_by for group in groups]
    return next((reason for reason in reasons if reason != "converged"), "converged")


def _run(lesson: Lesson, rule: Rule, labels: Any, plan: Plan, column_weight: Floats) -> Run:
    """Train one problem, from the start or from where a checkpoint has left it."""
    check_table(rule, lesson.rows, lesson.learner.pair_bits, plan, f"learner={lesson.learner.learner!r}")
    state, course, keeper = rule.start(lesson.rows, column_weight), Course(), lesson.keeper
    keeper.restore(state, course)
    if state.epoch >= plan.max_iter:
        raise ValueError(f"the checkpoint is of epoch {state.epoch + 1}, and {plan.max_iter} are asked for.")

    def heed(progress: Any) -> None:
        if lesson.callback is not None:
            lesson.callback(progress)
        keeper.keep(state, course)

    run = train(
        rule, lesson.rows, labels, replace(plan, max_iter=plan.max_iter - state.epoch),
        weight=lesson.weight, state=state, callback=heed, course=course,
    )  # fmt: skip
    if run.error is not None:
        keeper.keep(state, course, at_once=True)
    return run


def _finished(run: Run, rule: Rule, n_rows: int) -> Outcome:
    return Outcome(
        model_of(rule, run.state),
        [Epoch.of(record, n_rows) for record in run.history],
        run.stopped_by,
        sum(record["updates"] for record in run.history),
        Training(rule, run.state),
        error=run.error,
    )


def model_of(rule: Rule, state: State) -> Model:
    """Return the finished model that a state is now; a copy, which further training leaves alone."""
    if isinstance(rule, VotedRule):
        assert isinstance(state, VotedState)
        return VotesModel(state.past, rule.kernel, state.seen)
    weights = rule.final_weights(state)
    if weights is state.weights:
        weights = weights.copy()
    if isinstance(rule, OneVsAllRule):
        return ClassModel.of_table(rule.layout.side_by_side(weights))
    return ClassModel(weights, rule.layout) if isinstance(rule, NativeRule) else BinaryModel(weights)
