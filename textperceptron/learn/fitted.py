"""The result of training: the model, the history, and the state for updates."""

from __future__ import annotations

import warnings
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron.learn.loop import Callback, EpochRecord, Run, RunProgress, train
from textperceptron.learn.models.base import Model
from textperceptron.learn.models.binary import BinaryModel
from textperceptron.learn.models.multiclass import MulticlassModel
from textperceptron.learn.plan import Plan, StoppedBy
from textperceptron.learn.rows import Rows
from textperceptron.learn.rules.base import MulticlassRule, Rule
from textperceptron.learn.rules.native import NativeRule
from textperceptron.learn.state import EMPTY, State
from textperceptron.learn.training_data import LabelSets
from textperceptron.learn.weight_tables import ClassTable, choose_table
from textperceptron.settings.learner import LearnerSettings, learners

if TYPE_CHECKING:
    from textperceptron.learn.calibration import Calibration
    from textperceptron.learn.class_counts import ClassCounts
    from textperceptron.learn.one_vs_one import BinaryPairModel
    from textperceptron.learn.threshold import ClassThreshold

Codes = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]


class NullCheckpoint:
    """The interface of checkpoints; this implementation does nothing.

    Training is either one long problem, whose state is saved while it is trained, or many short problems, which are
    saved when they are finished.
    """

    is_active: ClassVar[bool] = False

    def bind(self, rows: Rows, codes: Codes | LabelSets) -> None:
        """Set the training data, before training begins."""

    def restore(self, state: State, progress: RunProgress) -> None:
        """Fill an initial state and its progress with the saved ones, if any."""

    def save(self, state: State, progress: RunProgress, *, now: bool = False) -> None:
        """Save the current problem, if a checkpoint is due or ``now``."""

    def finished_problems(self) -> list[BinaryPairModel]:
        """Return the saved problems."""
        return []

    def save_problems(self, problems: Sequence[BinaryPairModel], *, now: bool = False) -> None:
        """Save finished problems, if a checkpoint is due or ``now``."""


@dataclass(slots=True, kw_only=True)
class Fitted(ABC):
    """A trained learner: the model, the history, and the state for updates.

    Attributes
    ----------
    settings : LearnerSettings
        With ``"auto"`` resolved.
    n_classes : int
    n_rows : int
        Number of rows of the last training: not held out, and of weight above 0.
    rows_of_class : array of int
        Number of rows per class, of all trainings; empty for label sets.
    history : list of EpochRecord
        Empty for problems that were trained one after another.
    stopped_by : str
    n_updates : int
    calibration : Platt, Temperature or None
    thresholds : tuple of ClassThreshold
        Those that were chosen on held-out rows.
    error : BaseException or None
        What interrupted training: Ctrl-C, or an exception of the callback. The model is that of the last slice.
    counts : ClassCounts or None
        What log-count ratios were computed from, so that an update can compute them from all rows; None without ratios.
    """

    settings: LearnerSettings
    n_classes: int
    n_rows: int = 0
    rows_of_class: npt.NDArray[np.int64] = field(default_factory=lambda: np.empty(0, np.int64))
    history: list[EpochRecord] = field(default_factory=list)
    stopped_by: StoppedBy = "budget"
    n_updates: int = 0
    calibration: Calibration | None = None
    thresholds: tuple[ClassThreshold, ...] = ()
    error: BaseException | None = None
    counts: ClassCounts | None = None
    _model: Model | None = None

    can_update: ClassVar[bool] = True

    @property
    def model(self) -> Model:
        """The finished model: a copy, made on first use, which further training does not change."""
        if self._model is None:
            self._model = self._make_model()
        return self._model

    @property
    def training(self) -> tuple[Rule, State] | None:
        """The rule and the state to save for updates, or None."""
        return None

    @abstractmethod
    def _make_model(self) -> Model: ...

    def update(
        self,
        rows: Rows,
        codes: Codes,
        n_classes: int,
        *,
        positions: npt.NDArray[np.intp] | None = None,
        columns: npt.NDArray[np.int64] | None = None,
        settings: LearnerSettings | None = None,
        epochs: int = 1,
        weight: Floats = EMPTY,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        same_rows: bool = False,
    ) -> Fitted:
        """Continue training; return this object, or a new one that replaces it.

        Parameters
        ----------
        rows, codes, n_classes, weight, n_jobs, callback
            As in :func:`textperceptron.learn.fit.fit`. New classes start at zero.
        positions : array of int, optional
            Positions of the old classes among all; by default they come first.
        columns : array of int, optional
            Positions of the old columns among those of the rows, ascending. If given, new columns are learnt, and
            log-count ratios are computed again from all rows so far. By default columns and ratios stay the same.
        settings : LearnerSettings, optional
            New settings; those that the state depends on cannot change.
        epochs : int
        same_rows : bool
            Continue an interrupted epoch over the same rows, instead of starting a new one.

        Raises
        ------
        ValueError
            If the state cannot be updated, or not with new classes.
        """
        raise ValueError(
            "there is no training state to update: one-vs-one, and classes trained one after another, have none. Train "
            "from the start."
        )

    def apply(self, thresholds: tuple[ClassThreshold, ...] | Floats) -> None:
        """Move the decision to the thresholds of some classes, or to one per label."""
        if isinstance(thresholds, np.ndarray):
            self.shift(thresholds)
            return
        self.thresholds = thresholds
        raised = np.zeros(self.n_classes)
        for each in thresholds:
            raised[each.code] = each.raised
        self.shift(raised[0] - raised[1] if self.n_classes == 2 else -raised)

    @property
    def can_grow(self) -> bool:
        """Whether an update can add columns: not to hashed weights, and not if ratios cannot be computed again."""
        is_fixed = self._has_hashed_weights or (self._has_column_weights and self.counts is None)
        return self.settings.pair_bits is None and not is_fixed

    @property
    def _has_hashed_weights(self) -> bool:
        return False

    @property
    def _has_column_weights(self) -> bool:
        return False

    def shift(self, thresholds: float | Floats) -> None:
        """Move the decision to a threshold of the score: of the second of two classes, or one per class."""
        if np.any(thresholds):
            assert isinstance(self.model, BinaryModel | MulticlassModel)
            self._model = self.model.shifted(thresholds)

    def calibrate(
        self, rows: Rows, codes: Codes | LabelSets, held_out: npt.NDArray[np.int64], n_jobs: int | None
    ) -> None:
        """Fit the calibration of scores on held-out rows."""
        if len(held_out) and self.error is None:
            with deferred_interrupts():
                from textperceptron.learn.calibration import calibrate

            labels = codes.take(held_out) if isinstance(codes, LabelSets) else codes[held_out]
            self.calibration = calibrate(self.model.scores(rows.take(held_out), n_jobs), labels)

    def _count_rows(self, codes: Codes, n_classes: int, positions: npt.NDArray[np.intp]) -> None:
        """Add the rows of an update; ``positions`` are those of the old classes among all."""
        if len(self.rows_of_class):
            counts = np.bincount(codes, minlength=n_classes)
            counts[positions] += self.rows_of_class
            self.rows_of_class = counts

    def _count_all(
        self,
        counts: ClassCounts,
        rows: Rows,
        codes: Codes,
        n_classes: int,
        positions: npt.NDArray[np.intp],
        columns: npt.NDArray[np.int64],
        weight: Floats,
        n_jobs: int | None,
    ) -> ClassCounts:
        """Return the counts of all rows: those so far, and those of an update."""
        with deferred_interrupts():
            from textperceptron.learn.column_weights import count_classes

        which = np.flatnonzero(weight) if len(weight) else np.arange(rows.n_rows)
        further = count_classes(rows, codes, n_classes, which, self.settings, n_jobs)
        return counts.extended(further, positions, columns, rows.n_columns)

    def _add(self, run: Run, history: list[EpochRecord]) -> None:
        """Add the results of an update."""
        self.history += history
        self.n_updates += sum(record["updates"] for record in history)
        self.stopped_by, self.error = run.stopped_by, run.error
        self.calibration = self._model = None  # they belong to the old weights


@dataclass(slots=True, kw_only=True)
class FittedProblems(Fitted):
    """Binary problems that were trained one after another, or one-vs-one: a model without a training state."""

    problems: Model

    can_update: ClassVar[bool] = False

    def _make_model(self) -> Model:
        return self.problems


@dataclass(slots=True, kw_only=True)
class SingleFit(Fitted):
    """One problem: two classes, or more classes natively."""

    rule: Rule
    state: State

    @property
    def training(self) -> tuple[Rule, State]:
        """The rule and the state to save for updates."""
        return self.rule, self.state

    @property
    def _has_hashed_weights(self) -> bool:
        return isinstance(self.rule, NativeRule) and self.rule.table.bits > 0

    @property
    def _has_column_weights(self) -> bool:
        return len(self.state.squared_column_weight) > 0

    def _make_model(self) -> Model:
        model, strength = self.rule.model(self.state), self.settings.adjustment
        if strength and isinstance(model, BinaryModel) and len(self.rows_of_class) == 2:
            first, second = np.maximum(self.rows_of_class, 1)
            return model.shifted(strength * np.log(second / first))
        return model

    def update(
        self,
        rows: Rows,
        codes: Codes,
        n_classes: int,
        *,
        positions: npt.NDArray[np.intp] | None = None,
        columns: npt.NDArray[np.int64] | None = None,
        settings: LearnerSettings | None = None,
        epochs: int = 1,
        weight: Floats = EMPTY,
        n_jobs: int | None = None,
        callback: Callback | None = None,
        same_rows: bool = False,
    ) -> Fitted:
        """Continue training; see :meth:`Fitted.update`."""
        positions = np.arange(self.n_classes) if positions is None else positions
        settings = self.settings if settings is None else settings
        has_new = n_classes > self.n_classes
        one_vs_all = self.settings.multiclass in ("one-vs-all", "one-vs-one") or self.counts is not None
        if has_new and n_classes > 2 and one_vs_all:
            from textperceptron.learn.one_vs_all import one_vs_all_from_two

            if settings.multiclass == "native":  # which has no ratios
                settings = settings.replace(multiclass="one-vs-all")
            return one_vs_all_from_two(self, positions).update(
                rows, codes, n_classes, positions=positions, columns=columns, settings=settings,
                epochs=epochs, weight=weight, n_jobs=n_jobs, callback=callback, same_rows=same_rows,
            )  # fmt: skip
        rule, state, counts = self.rule, self.state, self.counts
        if columns is not None and (len(columns) < rows.n_columns or counts is not None):
            with deferred_interrupts():
                from textperceptron.learn.new_columns import grow, reweight

            rule, state = grow(rule, state, columns, rows.n_columns)
            if counts is not None:
                before = np.zeros(rows.n_columns)
                before[columns] = counts.ratios(settings, each=False, n_jobs=n_jobs)[0]
                counts = self._count_all(counts, rows, codes, n_classes, positions, columns, weight, n_jobs)
                state = reweight(rule, state, before, counts.ratios(settings, each=False, n_jobs=n_jobs)[0])
        if has_new:
            rule, state = self._with_new_classes(rule, state, settings, n_classes, positions)
        if settings is not self.settings:
            rule = self._with_settings(rule, settings)
        if not same_rows:
            state.abandon_epoch()
        plan, labels = make_plan(settings, epochs), labels_for(rule, codes)
        held_out, weight = hold_out_rows(codes, weight, settings)
        run = train(rule, rows, labels, plan, weight=weight, state=state, callback=callback)
        self._count_rows(codes, n_classes, positions)
        self.rule, self.state, self.settings, self.n_classes = rule, run.state, settings, n_classes
        self.counts = counts
        self.n_rows = len(plan.training_rows(labels, weight))
        self._add(run, run.history)
        self.calibrate(rows, codes, held_out, n_jobs)
        return self

    def _with_settings(self, rule: Rule, settings: LearnerSettings) -> Rule:
        """Return the rule of new settings; raise ValueError if it cannot continue from the state."""
        new = make_rule(settings, weighted=len(self.state.squared_column_weight) > 0)
        if isinstance(rule, NativeRule):
            assert isinstance(new, MulticlassRule)
            n_classes, n_columns = rule.table.n_classes, rule.table.n_columns
            new = NativeRule(inner=new, table=native_table(n_columns, n_classes, settings))
        new.check_compatible(rule)
        return new

    def _with_new_classes(
        self,
        rule: Rule,
        state: State,
        settings: LearnerSettings,
        n_classes: int,
        positions: npt.NDArray[np.intp],
    ) -> tuple[Rule, State]:
        from textperceptron.learn.new_classes import add_classes, negated

        inner = rule.inner if isinstance(rule, NativeRule) else rule
        if n_classes == 2:  # one class becomes two, which have one weight vector
            assert isinstance(inner, MulticlassRule)
            return inner, state if positions[0] == 0 else negated(inner, state)
        if not isinstance(inner, MulticlassRule):
            raise ValueError(f"learner={self.settings.learner!r} learns two classes, and there are {n_classes} now.")
        if self.settings.column_weight is not None and len(state.squared_column_weight):
            raise ValueError(
                "column_weight compares two classes, so a third cannot be added: train from the start, on all texts."
            )
        table = native_table(state.n_columns, n_classes, settings)
        return NativeRule(inner=inner, table=table), add_classes(inner, state, positions, table)


def make_rule(settings: LearnerSettings, *, weighted: bool | None = None) -> Rule:
    """Return the rule of a binary problem; ``weighted``: whether columns have weights (default: by the settings)."""
    rule: Rule = learners()[settings.learner].rule(**settings.rule_arguments(weighted))
    return rule


def make_plan(settings: LearnerSettings, epochs: int | None = None) -> Plan:
    """Return row order and stopping rules, for ``epochs`` epochs (default: those of the settings)."""
    return Plan(
        max_iter=settings.max_iter if epochs is None else epochs,
        shuffle=settings.shuffle and learners()[settings.learner].rule.uses_order,
        seed=settings.seed, tol=settings.tol, early_stopping=settings.early_stopping,
        validation_fraction=settings.validation_fraction, n_iter_no_change=settings.n_iter_no_change,
    )  # fmt: skip


def hold_out_rows(codes: Codes, weight: Floats, settings: LearnerSettings) -> tuple[npt.NDArray[np.int64], Floats]:
    """Return the rows held out for calibration, and row weights of 0 for them."""
    if not settings.calibrate:
        return np.empty(0, np.int64), weight
    with deferred_interrupts():
        from textperceptron.learn.calibration import hold_out

    held_out = hold_out(codes, weight, settings.validation_fraction, settings.seed)
    weight = weight.copy() if len(weight) else np.ones(len(codes))
    weight[held_out] = 0
    return held_out, weight


def native_table(n_columns: int, n_classes: int, settings: LearnerSettings) -> ClassTable:
    """Return the table of native weights; warn if it is hashed although the settings do not ask for it."""
    if settings.pair_bits is not None:
        with deferred_interrupts():
            from textperceptron.learn.column_pairs import pair_table

        return pair_table(n_columns, n_classes, settings.pair_bits)
    table = choose_table(n_columns, n_classes, settings.hash_bits)
    if table.bits and settings.hash_bits is None:
        warnings.warn(
            f"{n_classes} classes × {n_columns} columns are {n_classes * n_columns:.2g} weights: they are "
            f"hashed to 2**{table.bits}. Set hash_bits to choose the size, or to 0 for no hashing.",
            stacklevel=6,
        )
    return table


def labels_for(rule: Rule, codes: Codes) -> npt.NDArray[Any]:
    """Return labels as a rule takes them: signs for two classes, codes for more."""
    return codes.astype(np.int32) if isinstance(rule, NativeRule) else (2 * codes - 1).astype(np.int8)
