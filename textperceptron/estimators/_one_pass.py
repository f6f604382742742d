"""One-vs-all in one pass: the groups of classes, in the order in which the classes were met."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone

from textperceptron.estimators._binary_problems import plan_of
from textperceptron.estimators._column_weight import class_column_weights
from textperceptron.estimators._online import OnlineClassifier, Training
from textperceptron.learn import LabelSets, Rows, State
from textperceptron.learn.new_classes import as_two_classes
from textperceptron.learn.one_vs_all import ClassBlock, one_vs_all_scores, train_one_vs_all
from textperceptron.learn.rules import MulticlassRule


def rule_of(estimator: OnlineClassifier) -> MulticlassRule:
    """Return an estimator's rule, which learns many classes."""
    rule = estimator._rule()
    assert isinstance(rule, MulticlassRule)
    return rule


@dataclass(slots=True)
class OnePass:
    """Problems trained side by side.

    Attributes
    ----------
    groups : list of ClassBlock
    seed : int
    order : array
        Where each problem, in the order in which they were met, stands among the sorted classes.
    models : list of arrays
        The finished weights of each group, once asked for.
    """

    groups: list[ClassBlock]
    seed: int
    order: npt.NDArray[np.intp]
    models: list[npt.NDArray[Any]] = field(default_factory=list)

    @classmethod
    def fit(
        cls,
        estimator: OnlineClassifier,
        rows: Rows,
        labels: LabelSets,
        n_problems: int,
        weight: npt.NDArray[np.float64],
        n_jobs: int | None,
    ) -> OnePass:
        """Train problem k on rows with label k against the others; an interruption is in ``error``."""
        plan = plan_of(estimator)
        column_weight = class_column_weights(estimator.column_weight, rows, labels, n_problems, weight)
        groups = train_one_vs_all(
            rule_of(estimator), rows, labels, n_problems, plan,
            weight=weight, column_weight=column_weight, n_jobs=n_jobs, callback=estimator.callback,
        )  # fmt: skip
        return cls(groups, plan.seed, np.arange(n_problems))

    @classmethod
    def joining(
        cls,
        estimator: OnlineClassifier,
        rows: Rows,
        labels: LabelSets,
        n_problems: int,
        weight: npt.NDArray[np.float64],
        n_jobs: int | None,
        others: OnePass | None,
    ) -> OnePass:
        """Return ``others`` with further problems that have gone over the rows once.

        They are numbered on from those of ``others``, whose epoch, and so whose permutation, they share.
        """
        plan = plan_of(estimator, 1, None if others is None else others.seed)
        first = 0 if others is None else len(others.order)
        groups = train_one_vs_all(
            rule_of(estimator), rows, labels, n_problems, plan,
            weight=weight, n_jobs=n_jobs, first_class=first,
            epoch=0 if others is None else others.groups[0].state.epoch - 1,
        )  # fmt: skip
        if others is not None:
            groups = [*others.groups, *groups]
        return cls(groups, plan.seed, np.arange(first + n_problems))

    def of_both_classes(self) -> OnePass:
        """Return a problem for either of two classes from the one problem that tells them apart."""
        (group,) = self.groups
        state = as_two_classes(group.rule.inner, group.state)
        rule, run = replace(group.rule, layout=state.blocks), replace(group.run, state=state)
        return OnePass([ClassBlock(rule, run)], self.seed, np.arange(2))

    def go_on(
        self,
        estimator: OnlineClassifier,
        rows: Rows,
        labels: LabelSets,
        weight: npt.NDArray[np.float64],
        n_jobs: int | None,
    ) -> None:
        """Go over further rows once with the problems that there are."""
        for group in self.groups:
            group.state.leave_epoch()
        self.groups = train_one_vs_all(
            rule_of(estimator), rows, labels, len(self.order), plan_of(estimator, 1, self.seed),
            weight=weight, groups=self.groups, n_jobs=n_jobs, callback=estimator.callback,
        )  # fmt: skip
        self.models = []

    @property
    def error(self) -> BaseException | None:
        """What interrupted training."""
        return self.groups[0].run.error

    def scores(self, rows: Rows, n_jobs: int | None) -> npt.NDArray[np.float64]:
        """Return the scores of the problems, a column each, in the order of the sorted classes."""
        if not self.models:
            self.models = [group.rule.final_weights(group.state) for group in self.groups]
        scores = one_vs_all_scores(self.groups, self.models, rows, n_jobs)
        if np.array_equal(self.order, np.arange(len(self.order))):
            return scores
        in_order = np.empty_like(scores)
        in_order[:, self.order] = scores
        return in_order

    def estimators(self, estimator: OnlineClassifier, n_features: int) -> list[OnlineClassifier]:
        """Return the binary classifier of each problem, as fitting it alone would have left it."""
        made: dict[int, OnlineClassifier] = {}
        for group in self.groups:
            for place in range(group.rule.layout.n_classes):
                position = int(self.order[group.rule.first + place])
                made[position] = self._estimator_of(estimator, group, place)
                made[position].n_features_in_ = n_features
        return [made[position] for position in sorted(made)]

    def _estimator_of(self, estimator: OnlineClassifier, group: ClassBlock, place: int) -> OnlineClassifier:
        layout, state = group.rule.layout, group.state
        alone = State(layout.of_class(state.weights, place))
        if len(state.accumulator):
            alone.accumulator = layout.of_class(state.accumulator, place)
        if len(state.class_squared_column_weight):
            alone.squared_column_weight = layout.of_class(state.class_squared_column_weight, place).astype(np.float64)
        if len(state.class_column_weight):
            alone.column_weight = layout.of_class(state.class_column_weight, place)[:-1].astype(np.float64)
            alone.rows_are_unit = state.rows_are_unit
        alone.set_progress(seen=int(state.seen_of_class[place]), epoch=int(state.epochs_of_class[place]))
        model: OnlineClassifier = clone(estimator)
        model._training = Training(group.rule.inner, alone, self.seed)
        model.classes_ = np.array([0, 1])
        model.history_ = []
        model.n_iter_ = int(state.epochs_of_class[place])
        model.n_updates_ = int(state.updates_of_class[place])
        model.stopped_by_ = group.run.stopped_by if state.active[place] else "converged"
        return model
