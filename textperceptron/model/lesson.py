"""What is to be learnt, and the way from there to a model where all of it is one problem."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron.learn import Callback, Plan, Rows, Run, RunProgress, train
from textperceptron.learn.column_pairs import check_table
from textperceptron.learn.rules.base import Rule
from textperceptron.model.keeping import Keeper
from textperceptron.model.outcome import Outcome, Training
from textperceptron.model.training_summary import Epoch
from textperceptron.settings import LearnerPart

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]


class Lesson(NamedTuple):
    """What is to be learnt: rows, the number of each one's class, and how much each counts (empty: all alike)."""

    rows: Rows
    codes: Codes
    n_classes: int
    weight: Floats
    learner: LearnerPart
    n_jobs: int | None
    callback: Callback | None
    keeper: Keeper


def run_lesson(lesson: Lesson, rule: Rule, labels: Any, plan: Plan, column_weight: Floats) -> Run:
    """Train one problem, from the start or from where a checkpoint has left it.

    What interrupted it is raised at once: a model of it, which takes seconds for many classes, would go unused.
    """
    check_table(rule, lesson.rows, lesson.learner.pair_bits, plan, f"learner={lesson.learner.learner!r}")
    state, course, keeper = rule.start(lesson.rows, column_weight), RunProgress(), lesson.keeper
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
        raise run.error
    return run


def finished(run: Run, rule: Rule, n_rows: int) -> Outcome:
    """Return what a run over so many rows leaves."""
    return Outcome(
        rule.model(run.state),
        [Epoch.from_record(record, n_rows) for record in run.history],
        run.stopped_by,
        sum(record["updates"] for record in run.history),
        Training(rule, run.state),
    )
