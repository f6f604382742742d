"""Many classes as binary problems that are trained one after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from textperceptron.learn import EMPTY, Progress, train
from textperceptron.learn.column_pairs import check_table, pair_layout
from textperceptron.learn.models import MulticlassModel, OneVsOneModel
from textperceptron.learn.models.one_vs_one import all_pairs, in_order
from textperceptron.learn.one_vs_all import check_fits_one_table
from textperceptron.learn.one_vs_one import BinaryPairModel, check_pairs_fit, train_one_vs_one
from textperceptron.learn.one_vs_one_tiles import fits_dense_tables, train_tiles
from textperceptron.learn.rules import MulticlassRule, Rule
from textperceptron.model.column_weight import ratios_of_two
from textperceptron.model.lesson import Lesson
from textperceptron.model.outcome import Outcome


def train_pairs(lesson: Lesson, rule: Rule) -> Outcome:
    """Train one-vs-one: a problem for each pair of classes, on the rows of the two alone."""
    learner = lesson.learner
    check_pairs_fit(lesson.rows, lesson.codes, lesson.n_classes)
    pairs = all_pairs(lesson.n_classes)
    together = (
        isinstance(rule, MulticlassRule)
        and not learner.early_stopping
        and learner.tol is None
        and learner.column_weight is None
        and learner.pair_bits is None
    )
    n_columns = lesson.rows.n_columns
    problem = (lesson.rows, lesson.codes.astype(np.int32), lesson.n_classes, learner.plan())

    def tell(n_done: int) -> None:
        if lesson.callback is not None:
            lesson.callback(Progress(1, 1, n_done, len(pairs), 0))

    if together and not lesson.keeper.keeps and fits_dense_tables(n_columns, lesson.n_classes):
        assert isinstance(rule, MulticlassRule)
        tables = train_tiles(rule, *problem, weight=lesson.weight, n_jobs=lesson.n_jobs, when_done=tell)
        model = OneVsOneModel(tables.models(), n_columns, lesson.n_classes)
        return Outcome(model, n_updates=sum(count.n_updates for count in tables.counts))
    done = lesson.keeper.finished()
    if together:
        left = train_one_vs_one(rule, *problem, weight=lesson.weight, n_jobs=lesson.n_jobs, pairs=pairs[len(done) :])
    else:
        left = (_pair(lesson, rule, *pair) for pair in pairs[len(done) :])
    if [(each.lower, each.upper) for each in done] != pairs[: len(done)]:
        raise ValueError("the checkpoint holds problems of other classes: begin anew without resuming.")
    models = _collect(lesson, done, left, len(pairs))
    model = OneVsOneModel([in_order(each) for each in models], n_columns, lesson.n_classes)
    return Outcome(model, n_updates=sum(each.n_updates for each in models))


def train_problems(lesson: Lesson, rule: Rule) -> Outcome:
    """Train one-vs-all, each class alone: for learners and stopping rules that know two classes only."""
    bits = lesson.learner.pair_bits
    if bits is None:
        check_fits_one_table(lesson.rows.n_columns, lesson.n_classes)
    else:
        pair_layout(
            lesson.rows.n_columns, lesson.n_classes, bits, ", or multiclass='one-vs-one', which keeps what it met"
        )
    done = lesson.keeper.finished()
    if [each.upper for each in done] != list(range(len(done))) or len(done) > lesson.n_classes:
        raise ValueError("the checkpoint holds problems of other classes: begin anew without resuming.")
    left = (_one_against_all(lesson, rule, code) for code in range(len(done), lesson.n_classes))
    models = _collect(lesson, done, left, lesson.n_classes)
    n_columns = lesson.rows.n_columns
    table = np.zeros((n_columns + 1, lesson.n_classes), lesson.rows.dtype)
    for each in models:
        table[np.append(each.columns, n_columns), each.upper] = each.weights
    return Outcome(MulticlassModel.of_table(table), n_updates=sum(each.n_updates for each in models))


def _collect(
    lesson: Lesson, done: list[BinaryPairModel], left: Iterator[BinaryPairModel], total: int
) -> Sequence[BinaryPairModel]:
    """Return all problems; after each of them progress is told and kept."""
    models = list(done)
    try:
        for each in left:
            models.append(each)
            if lesson.callback is not None:
                lesson.callback(Progress(1, 1, len(models), total, 0))
            lesson.keeper.keep_finished(models)
    except BaseException:
        lesson.keeper.keep_finished(models, at_once=True)
        raise
    return models


def _pair(lesson: Lesson, rule: Rule, lower: int, upper: int) -> BinaryPairModel:
    weight = np.zeros(lesson.rows.n_rows)
    which = np.flatnonzero((lesson.codes == lower) | (lesson.codes == upper))
    weight[which] = lesson.weight[which] if len(lesson.weight) else 1.0
    return _binary(lesson, rule, lesson.codes == upper, weight, lower, upper)


def _one_against_all(lesson: Lesson, rule: Rule, code: int) -> BinaryPairModel:
    return _binary(lesson, rule, lesson.codes == code, lesson.weight, code, code)


def _binary(
    lesson: Lesson,
    rule: Rule,
    positive: npt.NDArray[np.bool_],
    weight: npt.NDArray[np.float64],
    lower: int,
    upper: int,
) -> BinaryPairModel:
    plan, rows = lesson.learner.plan(), lesson.rows
    signs = np.where(positive, 1, -1).astype(np.int8)
    column_weight = EMPTY
    if lesson.learner.column_weight is not None:
        training_rows = plan.training_rows(signs, weight)
        column_weight = ratios_of_two(rows, positive.astype(np.intp), training_rows, **lesson.learner.ratios())
    check_table(rule, rows, lesson.learner.pair_bits, plan, f"learner={lesson.learner.learner!r}")
    run = train(rule, rows, signs, plan, weight=weight, column_weight=column_weight)
    if run.error is not None:
        raise run.error
    weights = rule.final_weights(run.state)
    columns = np.flatnonzero(weights[:-1] != 0)
    updates = sum(record["updates"] for record in run.history)
    kept = weights[np.append(columns, rows.n_columns)]
    return BinaryPairModel(lower, upper, columns, kept, len(run.history), updates, run.state.seen)
