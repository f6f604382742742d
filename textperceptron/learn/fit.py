"""Train a learner: the only orchestration of training, for every API and command.

``fit`` resolves ``"auto"``, chooses the multiclass strategy, computes column weights, holds out rows for calibration
and trains. It returns a :class:`~textperceptron.learn.fitted.Fitted`, which has the model and can be updated.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron._parallel import count_jobs
from textperceptron.learn.column_weights import count_classes, ratios_of_each, ratios_of_two
from textperceptron.learn.fitted import (
    Codes,
    Fitted,
    FittedProblems,
    Floats,
    NullCheckpoint,
    SingleFit,
    hold_out_rows,
    labels_for,
    make_plan,
    make_rule,
    native_table,
)
from textperceptron.learn.loop import Callback, Progress, Run, RunProgress, train
from textperceptron.learn.plan import Plan
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import MulticlassRule, Rule, check_column_weights
from textperceptron.learn.rules.native import NativeRule
from textperceptron.learn.state import EMPTY, Array
from textperceptron.learn.training_data import LabelSets, class_sizes
from textperceptron.learn.weight_tables import BlockedTable, check_training_memory
from textperceptron.settings.learner import LearnerSettings
from textperceptron.settings.threshold import ThresholdRule

if TYPE_CHECKING:
    from textperceptron.learn.one_vs_one import BinaryPairModel
    from textperceptron.learn.threshold import ClassThreshold


def fit(
    rows: Rows,
    codes: Codes | LabelSets,
    n_classes: int,
    settings: LearnerSettings,
    *,
    weight: Floats = EMPTY,
    column_weight: npt.ArrayLike | None = None,
    n_jobs: int | None = None,
    callback: Callback | None = None,
    checkpoint: NullCheckpoint | None = None,
    class_names: Sequence[str] = (),
) -> Fitted:
    """Train a learner from the start.

    Parameters
    ----------
    rows : Rows
        Checked rows, from :func:`~textperceptron.learn.column_pairs.with_pairs` if ``settings.pair_bits`` is set.
    codes : array of int, or LabelSets
        The class of each row, from 0. Label sets are trained one-vs-all.
    n_classes : int
    settings : LearnerSettings
    weight : array
        Weight per row, sample weight times class weight; empty for 1.
    column_weight : array-like of shape (n_columns,), optional
        Column weights, instead of those of the settings.
    n_jobs : int, optional
        Number of threads; the result does not depend on it.
    callback : callable, optional
        Called after each slice of an epoch; in one-vs-one, after each finished problem.
    checkpoint : NullCheckpoint, optional
    class_names : sequence of str
        The labels of the classes, for a threshold that names one.

    Raises
    ------
    ValueError
        If the learner cannot train these classes with these settings.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.learn import check_rows
    >>> from textperceptron.learn.fit import fit
    >>> from textperceptron.settings import LearnerSettings
    >>> rows = check_rows(np.ones(2, np.float32), np.array([0, 1]), np.array([0, 1, 2]), 2)
    >>> fitted = fit(rows, np.array([0, 1]), 2, LearnerSettings(learner="perceptron", fit_intercept=False))
    >>> fitted.model.weights.tolist(), fitted.stopped_by, fitted.n_updates
    ([-1.0, 1.0, 0.0], 'converged', 2)
    """
    settings = settings.resolve_auto(class_sizes(codes, n_classes), rows.n_columns)
    column_weights = None if column_weight is None else np.array(column_weight, np.float64)
    if column_weights is not None:
        check_column_weights(column_weights, rows.n_columns)
    job = _Job(
        rows, codes, n_classes, weight, settings, column_weights, n_jobs, callback, checkpoint or NullCheckpoint()
    )
    rule, thresholds = settings.threshold_rule, None
    if rule is not None:
        from textperceptron.learn.threshold import N_FOLDS

        thresholds = _choose_thresholds(job, rule, class_names)
        job = replace(job, callback=_part_of(callback, N_FOLDS, N_FOLDS + 1))
    held_out, weight = hold_out_rows(job.strata, weight, settings)
    fitted = _fit(replace(job, weight=weight))
    if thresholds is not None:
        fitted.apply(thresholds)
    fitted.calibrate(rows, codes, held_out, n_jobs)
    return fitted


@dataclass(frozen=True, slots=True)
class _Job:
    """The arguments of :func:`fit`."""

    rows: Rows
    codes: Codes | LabelSets
    n_classes: int
    weight: Floats
    settings: LearnerSettings
    column_weight: Array | None
    n_jobs: int | None
    callback: Callback | None
    checkpoint: NullCheckpoint

    @property
    def class_codes(self) -> Codes:
        """The class of each row; raises ValueError for label sets."""
        if isinstance(self.codes, LabelSets):
            raise ValueError("rows with several labels are trained one-vs-all.")
        return self.codes

    @property
    def strata(self) -> Codes:
        """The values of which a split has equal shares: the classes, or the rarest label of each row."""
        return self.codes.rarest(self.n_classes) if isinstance(self.codes, LabelSets) else self.codes

    def positive(self, code: int) -> npt.NDArray[np.bool_]:
        """Return a mask of the rows of a class, or with a label."""
        return self.codes.positive(code) if isinstance(self.codes, LabelSets) else self.codes == code

    @property
    def rows_of_class(self) -> npt.NDArray[np.int64]:
        """Number of rows per class; empty for label sets."""
        if isinstance(self.codes, LabelSets):
            return np.empty(0, np.int64)
        return np.bincount(self.codes, minlength=self.n_classes)

    @property
    def is_trained_on(self) -> npt.NDArray[np.bool_]:
        """Whether each row has a weight above 0."""
        return self.weight != 0 if len(self.weight) else np.ones(self.rows.n_rows, bool)

    def column_weights_of(self, codes: Codes, plan: Plan) -> Array:
        """Return the column weights of a binary problem, computed from the rows that training sees."""
        if self.column_weight is not None:
            return self.column_weight
        if self.settings.column_weight is None:
            return EMPTY
        which = plan.training_rows(codes, self.weight)
        return ratios_of_two(self.rows, codes, which, self.settings, self.n_jobs)


def _fit(job: _Job) -> Fitted:
    settings = job.settings
    rule = make_rule(settings, weighted=settings.column_weight is not None or job.column_weight is not None)
    has_label_sets = isinstance(job.codes, LabelSets)
    if job.n_classes <= 2 and not has_label_sets:
        plan = make_plan(settings)
        if job.column_weight is not None or settings.column_weight is None:
            return _fit_single(job, rule, plan, job.column_weights_of(job.class_codes, plan))
        which = plan.training_rows(job.class_codes, job.weight)
        counts = count_classes(job.rows, job.class_codes, 2, which, settings, job.n_jobs)
        fitted = _fit_single(job, rule, plan, counts.ratios(settings, each=False, n_jobs=job.n_jobs)[0])
        fitted.counts = counts
        return fitted
    if not rule.has_weights or (settings.multiclass == "native" and not isinstance(rule, MulticlassRule)):
        alternative = f"{settings.learner} with multiclass='one-vs-all'" if rule.has_weights else "averaged"
        raise ValueError(
            f"learner={settings.learner!r} learns two classes, and there are {job.n_classes}. Use {alternative}."
        )
    if settings.multiclass == "native" and not has_label_sets:
        assert isinstance(rule, MulticlassRule)
        return _fit_native(job, rule)
    if settings.multiclass == "one-vs-one":
        return _fit_one_vs_one(job, rule)
    # Stopping rules belong to one problem, and tables for column pairs are too large to train several at once.
    one_by_one = settings.early_stopping or settings.tol is not None or settings.pair_bits is not None
    if one_by_one or not isinstance(rule, MulticlassRule):
        return _fit_one_by_one(job, rule)
    return _fit_one_vs_all(job, rule)


def _choose_thresholds(
    job: _Job, rule: ThresholdRule, class_names: Sequence[str]
) -> tuple[ClassThreshold, ...] | Floats:
    """Return the thresholds that are best on held-out rows; of label sets, one number per label."""
    from textperceptron.learn.threshold import F1, best_thresholds, choose_thresholds, find_targets

    if isinstance(job.codes, LabelSets):
        if rule != F1:
            raise ValueError(f"threshold='{rule}' is for one label per text. Use threshold='f1' or threshold='0'.")
        held_out, scores = _out_of_fold_scores(job)
        return best_thresholds(scores, job.codes.take(held_out))
    if job.n_classes > 2 and job.settings.multiclass == "one-vs-one":
        raise ValueError(f"threshold='{rule}': votes of one-vs-one have no threshold. Use native or one-vs-all.")
    sizes = np.bincount(job.codes[job.is_trained_on], minlength=job.n_classes)
    targets = find_targets(rule, sizes, class_names)
    held_out, scores = _out_of_fold_scores(job)
    return choose_thresholds(scores, job.codes[held_out], targets)


def _out_of_fold_scores(job: _Job) -> tuple[Codes, Floats]:
    """Return the rows that were held out once, and the scores of each by a model that did not see it."""
    from textperceptron.learn.threshold import N_FOLDS, out_of_fold_scores

    def score_without(fold: Codes, number: int) -> Floats:
        weight = job.weight.copy() if len(job.weight) else np.ones(job.rows.n_rows)
        weight[fold] = 0
        callback = _part_of(job.callback, number, N_FOLDS + 1)
        fitted = _fit(replace(job, weight=weight, callback=callback, checkpoint=NullCheckpoint()))
        if fitted.error is not None:
            raise fitted.error
        return fitted.model.scores(job.rows.take(fold), job.n_jobs)

    return out_of_fold_scores(job.strata, job.is_trained_on, job.settings.seed, score_without)


def _part_of(callback: Callback | None, number: int, n_parts: int) -> Callback | None:
    """Return a callback that counts the epochs of all parts of training; this part is one of them."""
    if callback is None:
        return None

    def report(done: Progress) -> object:
        epoch, max_iter = number * done.max_iter + done.epoch, n_parts * done.max_iter
        return callback(done._replace(epoch=epoch, max_iter=max_iter))

    return report


def _fit_single(job: _Job, rule: Rule, plan: Plan, column_weight: Array) -> SingleFit:
    labels = labels_for(rule, job.class_codes)
    run = _run(job, rule, labels, plan, column_weight)
    return SingleFit(
        settings=job.settings, n_classes=job.n_classes, n_rows=len(plan.training_rows(labels, job.weight)),
        rows_of_class=job.rows_of_class,
        history=run.history, stopped_by=run.stopped_by, n_updates=sum(record["updates"] for record in run.history),
        error=run.error, rule=rule, state=run.state,
    )  # fmt: skip


def _fit_native(job: _Job, rule: MulticlassRule) -> SingleFit:
    if job.settings.column_weight is not None and job.column_weight is None:
        raise ValueError(
            f"column_weight: log-count ratios compare two classes, and there are {job.n_classes}. Use "
            "multiclass='one-vs-all', or OneVsAll, which compute ratios for each class."
        )
    native = NativeRule(inner=rule, table=native_table(job.rows.n_columns, job.n_classes, job.settings))
    return _fit_single(job, native, make_plan(job.settings), EMPTY if job.column_weight is None else job.column_weight)


def _run(job: _Job, rule: Rule, labels: Any, plan: Plan, column_weight: Array) -> Run:
    """Train one problem, from the start or from a checkpoint."""
    check_training_memory(rule, job.rows, job.settings.pair_bits, plan, f"learner={job.settings.learner!r}")
    state, progress, checkpoint = rule.start(job.rows, column_weight), RunProgress(), job.checkpoint
    checkpoint.restore(state, progress)
    if state.epoch >= plan.max_iter:
        raise ValueError(
            f"the checkpoint is of epoch {state.epoch + 1}, and max_iter={plan.max_iter}: use a larger max_iter."
        )

    def after_slice(done: Progress) -> None:
        if job.callback is not None:
            job.callback(done)
        checkpoint.save(state, progress)

    run = train(
        rule, job.rows, labels, replace(plan, max_iter=plan.max_iter - state.epoch),
        weight=job.weight, state=state, callback=after_slice, progress=progress,
    )  # fmt: skip
    if run.error is not None:
        checkpoint.save(state, progress, now=True)
    return run


def _fit_one_vs_all(job: _Job, rule: MulticlassRule) -> Fitted:
    with deferred_interrupts():
        from textperceptron.learn.one_vs_all import ClassBlock, OneVsAllFit, check_dense, train_one_vs_all
        from textperceptron.learn.rules.one_vs_all import OneVsAllRule

    rows, settings, plan = job.rows, job.settings, make_plan(job.settings)
    labels = job.codes if isinstance(job.codes, LabelSets) else LabelSets.of_codes(job.codes.astype(np.int32))
    column_weight = EMPTY if job.column_weight is None else job.column_weight
    counts = None
    if settings.column_weight is not None and job.column_weight is None:
        if isinstance(job.codes, LabelSets):
            column_weight = ratios_of_each(rows, labels, job.n_classes, job.weight, settings, job.n_jobs)
        else:
            which = np.flatnonzero(job.is_trained_on)
            counts = count_classes(rows, job.codes, job.n_classes, which, settings, job.n_jobs)
            column_weight = counts.ratios(settings, each=True, n_jobs=job.n_jobs)
    check_dense(rows.n_columns, job.n_classes)
    if count_jobs(job.n_jobs) > 1 and not job.checkpoint.is_active:  # a checkpoint has the state of one thread
        blocks = train_one_vs_all(
            rule, rows, labels, job.n_classes, plan,
            weight=job.weight, column_weight=column_weight, n_jobs=job.n_jobs, callback=job.callback,
        )  # fmt: skip
    else:
        undivided = OneVsAllRule(inner=rule, table=BlockedTable(rows.n_columns, job.n_classes), first=0)
        blocks = [ClassBlock(undivided, _run(job, undivided, labels, plan, column_weight))]
    fitted = OneVsAllFit.of_blocks(blocks, settings, len(plan.training_rows(labels, job.weight)), job.rows_of_class)
    fitted.counts = counts
    return fitted


def _fit_one_vs_one(job: _Job, rule: Rule) -> FittedProblems:
    """Train a binary problem for each class pair, on the rows of the two classes."""
    with deferred_interrupts():
        from textperceptron.learn.models.one_vs_one import OneVsOneModel, class_pairs, sort_columns
        from textperceptron.learn.one_vs_one import check_pairs_fit, train_one_vs_one
        from textperceptron.learn.one_vs_one_tiles import fits_dense_tables, train_tiles

    rows, codes, n_classes, settings = job.rows, job.class_codes, job.n_classes, job.settings
    check_pairs_fit(rows, codes, n_classes)
    pairs = class_pairs(n_classes)
    fused = (
        isinstance(rule, MulticlassRule)
        and not settings.early_stopping
        and settings.tol is None
        and settings.column_weight is None
        and job.column_weight is None
        and settings.pair_bits is None
    )
    arguments = (rows, codes.astype(np.int32), n_classes, make_plan(settings))

    def report(n_done: int) -> None:
        if job.callback is not None:
            job.callback(Progress(1, 1, n_done, len(pairs), 0))

    if fused and not job.checkpoint.is_active and fits_dense_tables(rows.n_columns, n_classes):
        assert isinstance(rule, MulticlassRule)
        tables = train_tiles(rule, *arguments, weight=job.weight, n_jobs=job.n_jobs, on_progress=report)
        model = OneVsOneModel.of_tables(tables, n_classes)
        return _fitted_problems(job, model, sum(count.n_updates for count in tables.counts))
    done = job.checkpoint.finished_problems()
    if [(each.lower, each.upper) for each in done] != pairs[: len(done)]:
        raise ValueError("the checkpoint has problems of other classes: start over without resuming.")
    if fused:
        remaining = train_one_vs_one(
            rule, *arguments, weight=job.weight, n_jobs=job.n_jobs, pairs=pairs[len(done) :]
        )  # fmt: skip
    else:
        remaining = (_fit_class_pair(job, rule, *pair) for pair in pairs[len(done) :])
    models = [sort_columns(each) for each in _collected(job, done, remaining, len(pairs))]
    return _fitted_problems(
        job, OneVsOneModel(models, rows.n_columns, n_classes), sum(each.n_updates for each in models)
    )


def _fit_one_by_one(job: _Job, rule: Rule) -> FittedProblems:
    """Train one-vs-all, one class after another: for learners and stopping rules of two classes."""
    with deferred_interrupts():
        from textperceptron.learn.models.multiclass import MulticlassModel
        from textperceptron.learn.one_vs_all import check_dense

    n_columns, n_classes = job.rows.n_columns, job.n_classes
    if job.settings.pair_bits is None:
        check_dense(n_columns, n_classes)
    else:
        with deferred_interrupts():
            from textperceptron.learn.column_pairs import pair_table

        alternative = ", or multiclass='one-vs-one', which stores only weights that are not zero"
        pair_table(n_columns, n_classes, job.settings.pair_bits, alternative)
    done = job.checkpoint.finished_problems()
    if [each.upper for each in done] != list(range(len(done))) or len(done) > n_classes:
        raise ValueError("the checkpoint has problems of other classes: start over without resuming.")
    problems = range(len(done), n_classes)
    remaining = (_fit_binary(job, rule, job.positive(code), job.weight, code, code) for code in problems)
    models = _collected(job, done, remaining, n_classes)
    dense = np.zeros((n_columns + 1, n_classes), job.rows.dtype)
    for each in models:
        dense[np.append(each.columns, n_columns), each.upper] = each.weights
    model = MulticlassModel.of_dense(dense)
    if job.settings.adjustment and len(job.rows_of_class):
        model = model.adjusted(job.rows_of_class, job.settings.adjustment)
    return _fitted_problems(job, model, sum(each.n_updates for each in models))


def _fitted_problems(job: _Job, model: Any, n_updates: int) -> FittedProblems:
    return FittedProblems(settings=job.settings, n_classes=job.n_classes, n_updates=n_updates, problems=model)


def _collected(
    job: _Job, done: list[BinaryPairModel], remaining: Iterator[BinaryPairModel], total: int
) -> list[BinaryPairModel]:
    """Return all problems; report progress and save a checkpoint after each."""
    models = list(done)
    try:
        for each in remaining:
            models.append(each)
            if job.callback is not None:
                job.callback(Progress(1, 1, len(models), total, 0))
            job.checkpoint.save_problems(models)
    except BaseException:
        job.checkpoint.save_problems(models, now=True)
        raise
    return models


def _fit_class_pair(job: _Job, rule: Rule, lower: int, upper: int) -> BinaryPairModel:
    codes = job.class_codes
    weight = np.zeros(job.rows.n_rows)
    which = np.flatnonzero((codes == lower) | (codes == upper))
    weight[which] = job.weight[which] if len(job.weight) else 1.0
    return _fit_binary(job, rule, codes == upper, weight, lower, upper)


def _fit_binary(
    job: _Job, rule: Rule, positive: npt.NDArray[np.bool_], weight: Floats, lower: int, upper: int
) -> BinaryPairModel:
    """Train one of many binary problems."""
    with deferred_interrupts():
        from textperceptron.learn.one_vs_one import BinaryPairModel

    plan = make_plan(job.settings)
    alone = replace(
        job, codes=positive.astype(np.intp), n_classes=2, weight=weight, callback=None, checkpoint=NullCheckpoint()
    )
    fitted = _fit_single(alone, rule, plan, alone.column_weights_of(alone.class_codes, plan))
    if fitted.error is not None:
        raise fitted.error
    return BinaryPairModel.of_fit(fitted, lower, upper)
