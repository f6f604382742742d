"""Rows and numbers of classes → a model, by the learner and the way to many classes that settings name."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron.learn import EMPTY, Callback, Rows
from textperceptron.learn.sample_weights import row_weights
from textperceptron.model.classes import Classes
from textperceptron.model.column_weight import ratios_of_two
from textperceptron.model.keeping import Keeper
from textperceptron.model.lesson import Codes, Lesson, finished, run_lesson
from textperceptron.model.outcome import Outcome
from textperceptron.settings import LearnerPart


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
    lesson = Lesson(rows, codes, len(classes), weight, learner, n_jobs, callback, keeper or Keeper())
    return _teach_calibrated(lesson) if learner.calibrate else _teach(lesson)


def _teach(lesson: Lesson) -> Outcome:
    if lesson.n_classes == 2:
        return _teach_two(lesson)
    with deferred_interrupts():
        from textperceptron.model.many_classes import teach_many

    return teach_many(lesson)


def _teach_calibrated(lesson: Lesson) -> Outcome:
    """Train on most of the rows, and learn from the others how scores become probabilities."""
    with deferred_interrupts():
        from textperceptron.learn.calibration import calibrate, hold_out

    rows, codes, learner = lesson.rows, lesson.codes, lesson.learner
    held_out = hold_out(codes, lesson.weight, learner.validation_fraction, learner.seed)
    weight = lesson.weight.copy() if len(lesson.weight) else np.ones(rows.n_rows)
    weight[held_out] = 0
    outcome = _teach(lesson._replace(weight=weight))
    outcome.calibration = calibrate(outcome.model.scores(rows.take(held_out), lesson.n_jobs), codes[held_out])
    return outcome


def class_weights(learner: LearnerPart) -> Any:
    """Return the class weights as the engine takes them."""
    chosen = learner.class_weight
    return dict(chosen) if isinstance(chosen, tuple) else chosen


def _teach_two(lesson: Lesson) -> Outcome:
    rule = lesson.learner.rule()
    signs = (2 * lesson.codes - 1).astype(np.int8)
    plan = lesson.learner.plan()
    column_weight = EMPTY
    if lesson.learner.column_weight is not None:
        training_rows = plan.training_rows(signs, lesson.weight)
        column_weight = ratios_of_two(lesson.rows, lesson.codes, training_rows, **lesson.learner.ratios())
    run = run_lesson(lesson, rule, signs, plan, column_weight)
    return finished(run, rule, len(plan.training_rows(signs, lesson.weight)))
