"""What the online classifiers share: fitting and going on."""

from __future__ import annotations

import inspect
import warnings
from abc import abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from textperceptron.estimators._atomic import at_one_moment, atomic
from textperceptron.estimators._column_weight import ColumnWeight, column_weights
from textperceptron.estimators._input import all_labels, classes_of, labels_of, positions, refuse_more_than_two, rows_of
from textperceptron.estimators._output import label_of, refuse_without_calibration
from textperceptron.estimators._shared_docs import with_shared_docs
from textperceptron.learn import (
    EMPTY,
    Callback,
    EpochRecord,
    OverflowedError,
    Plan,
    Rows,
    Shuffle,
    State,
    StoppedBy,
    choose_table,
    train,
)
from textperceptron.learn.calibration import Calibration, calibrate, hold_out
from textperceptron.learn.column_pairs import check_pair_options, check_same_pair_bits, check_table, pair_layout, paired
from textperceptron.learn.new_classes import grow, negated
from textperceptron.learn.rules import MulticlassRule, NativeRule, Rule
from textperceptron.learn.sample_weights import ClassWeight, row_weights

_NO_ROWS = np.empty(0, np.int64)


@dataclass(slots=True)
class Training:
    """What a further call needs in order to go on."""

    rule: Rule
    state: State
    seed: int
    model: npt.NDArray[Any] | None = None
    """The finished weights, once asked for."""
    pair_bits: int | None = None


class OnlineClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that learns row by row; a subclass adds parameters and says which rule.

    The parameters that all of them share are described once, in ``_shared_docs``, and appear in the
    docstring of each where it says ``{parameters}`` and ``{attributes}``.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__doc__ = with_shared_docs(cls.__doc__, inspect.signature(cls).parameters)

    fit_intercept: bool
    max_iter: int
    shuffle: Shuffle = True
    tol: float | None = None
    early_stopping: bool
    validation_fraction: float
    n_iter_no_change: int
    class_weight: ClassWeight
    column_weight: ColumnWeight = None
    interpolation: float | None = None
    pair_bits: int | None = None
    warm_start: bool
    random_state: int | np.random.RandomState | None
    callback: Callback | None
    calibrate: bool = False
    hash_bits: int | None = None
    n_jobs: int | None = None

    _takes_many_classes: ClassVar[bool] = False

    classes_: npt.NDArray[Any]
    n_features_in_: int
    n_iter_: int
    n_updates_: int
    history_: list[EpochRecord]
    stopped_by_: StoppedBy
    calibration_: Calibration
    _training: Training

    @abstractmethod
    def _rule(self) -> Rule:
        """Return the rule with this estimator's parameters."""

    def _shared_settings(self) -> dict[str, Any]:
        """Return the settings that every rule has."""
        return {"fit_intercept": self.fit_intercept, "interpolation": self.interpolation}

    @at_one_moment
    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return a score a row, above 0 for ``classes_[1]``; for more than two classes a score for each."""
        check_is_fitted(self)
        return self._scores(self._rows(X, self._training))

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from all rows, up to ``max_iter`` times.

        Parameters
        ----------
        X : CSR matrix or array of shape (n_rows, n_columns)
            float32 or float64; not copied when it is CSR.
        y : array-like of shape (n_rows,)
            Labels of any type: two classes, or more if the learner takes them.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts; 0 leaves it out.

        Returns
        -------
        self

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C. The estimator is then fitted, with the weights of the last finished slice.
        ValueError
            If rows, labels and settings do not fit together. The estimator is then what it was before.
        """
        if self.warm_start and self._is_trained:
            return self._fit(X, y, sample_weight, self._training)
        return self._fit_anew(X, y, sample_weight)

    @atomic("_training")
    def _fit_anew(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None) -> Self:
        return self._fit(X, y, sample_weight, None)

    def _fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, previous: Training | None) -> Self:
        rows = self._rows(X, previous)
        y = labels_of(y)
        classes = classes_of(y)
        if not self._takes_many_classes:
            refuse_more_than_two(classes)
        if previous is not None and not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"warm_start goes on with the classes {self.classes_.tolist()}, but y has {classes.tolist()}. "
                "Fit a new estimator, or set warm_start=False."
            )
        return self._train(previous, rows, y, classes, sample_weight, self.max_iter)

    def partial_fit(
        self, X: Any, y: Any, classes: npt.ArrayLike | None = None, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Go over the rows once, on from where the last call stopped.

        Ten calls with the same rows give the same bits as ``fit`` with ``max_iter=10``; calls with consecutive
        parts of a matrix, as ``fit`` with ``max_iter=1`` and ``shuffle=False`` if these have ``shuffle=False`` too.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``; ``y`` may hold only some of the classes.
        classes : array-like of labels, optional
            Labels that later calls will bring. A label that no call has named grows the model by a class, which
            begins at zero; learners of two classes need both by the first call.

        Returns
        -------
        self
        """
        if self.early_stopping:
            raise ValueError(
                "early_stopping=True needs all rows at once to hold some out. Use fit, or early_stopping=False."
            )
        if isinstance(self.class_weight, str):
            raise ValueError(
                f"class_weight={self.class_weight!r} needs all rows at once. Pass a dict, "
                "e.g. made with sklearn.utils.class_weight.compute_class_weight."
            )
        if self.calibrate:
            raise ValueError("calibrate=True needs all rows at once to hold some out. Use fit, or calibrate=False.")
        previous = self._training if self._is_trained else None
        rows = self._rows(X, previous)
        y = labels_of(y)
        known = self._classes_with(y, classes, previous)
        return self._train(previous, rows, y, known, sample_weight, 1, other_rows=True)

    def _classes_with(
        self, y: npt.NDArray[Any], classes: npt.ArrayLike | None, previous: Training | None
    ) -> npt.NDArray[Any]:
        """Return the classes known so far, with those that a call of ``partial_fit`` adds."""
        named = None if classes is None else classes_of(labels_of(classes), at_least=1)
        if self._takes_many_classes:
            parts = [y] if named is None else [y, named]
            return all_labels(parts if previous is None else [self.classes_, *parts])
        if previous is None:
            known = classes_of(y) if named is None else named
            refuse_more_than_two(known)
            return known
        if named is not None and not np.array_equal(named, self.classes_):
            raise ValueError(f"classes={named.tolist()} differ from those of the first call, {self.classes_.tolist()}.")
        return self.classes_

    @at_one_moment
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row: that of the highest score, the first in ``classes_`` on ties."""
        scores = self.decision_function(X)
        return label_of(self.classes_, scores)

    def _rows(self, X: Any, training: Training | None) -> Rows:
        """Return checked rows, with pairs if there are any: those of a training, or those to begin one with."""
        rows = rows_of(self, X, reset=training is None)
        if training is None:
            check_pair_options(self.pair_bits, column_weight=self.column_weight, hash_bits=self.hash_bits)
        return paired(rows, self.pair_bits if training is None else training.pair_bits)

    @property
    def _is_trained(self) -> bool:
        return hasattr(self, "_training")

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_trained

    def _train(
        self,
        previous: Training | None,
        rows: Rows,
        y: npt.NDArray[Any],
        classes: npt.NDArray[Any],
        sample_weight: npt.ArrayLike | None,
        epochs: int,
        *,
        other_rows: bool = False,
    ) -> Self:
        rule = self._rule_for(len(classes), rows.n_columns)
        if previous is not None:
            check_same_pair_bits(self.pair_bits, previous.pair_bits)
            previous = self._grown(previous, rule, classes)
            rule.check_compatible(previous.rule)
        plan = Plan(
            max_iter=epochs,
            shuffle=self.shuffle,
            seed=self._draw_seed() if previous is None else previous.seed,
            tol=self.tol,
            early_stopping=self.early_stopping,
            validation_fraction=self.validation_fraction,
            n_iter_no_change=self.n_iter_no_change,
        )
        if previous is None:
            check_table(rule, rows, self.pair_bits, plan, type(self).__name__)
        codes = positions(y, rows.n_rows, classes)
        class_weight = self._weights_of(classes) if other_rows else self.class_weight
        weight = row_weights(sample_weight, class_weight, classes, codes)
        held_out = hold_out(codes, weight, self.validation_fraction, plan.seed) if self.calibrate else _NO_ROWS
        if len(held_out):
            weight = weight.copy() if len(weight) else np.ones(rows.n_rows)
            weight[held_out] = 0
        labels: npt.NDArray[Any] = (
            codes.astype(np.int32) if isinstance(rule, NativeRule) else (2 * codes - 1).astype(np.int8)
        )
        state = None if previous is None else previous.state
        column_weight = EMPTY
        if state is None:
            training_rows = plan.training_rows(labels, weight)
            column_weight = column_weights(self.column_weight, rows, codes, training_rows, len(classes))
        elif other_rows:
            state.leave_epoch()
        try:
            run = train(
                rule, rows, labels, plan,
                weight=weight, column_weight=column_weight, state=state, callback=self.callback,
            )  # fmt: skip
        except OverflowedError:
            self.__dict__.pop("_training", None)  # what went on from it has ruined it: no model is left
            raise
        self._training = Training(rule, run.state, plan.seed, pair_bits=self.pair_bits)
        self.classes_ = classes
        if previous is None:
            self.history_, self.n_iter_, self.n_updates_ = [], 0, 0
        self.history_ += run.history
        self.n_iter_ += len(run.history)
        self.n_updates_ += sum(record["updates"] for record in run.history)
        self.stopped_by_ = run.stopped_by
        self.__dict__.pop("calibration_", None)  # that of other weights
        if len(held_out):
            self.calibration_ = calibrate(self._scores(rows, held_out), codes[held_out])
        if run.error is not None:
            raise run.error
        return self

    def _rule_for(self, n_classes: int, n_columns: int) -> Rule:
        rule = self._rule()
        if n_classes <= 2 or not isinstance(rule, MulticlassRule):
            return rule
        if self.pair_bits is not None:
            instead = ", or wrap the learner in OneVsAll, which trains one class after the other"
            return NativeRule(inner=rule, layout=pair_layout(n_columns, n_classes, self.pair_bits, instead))
        layout = choose_table(n_columns, n_classes, self.hash_bits)
        if layout.bits and self.hash_bits is None:
            warnings.warn(
                f"{n_classes} classes × {n_columns} columns are {n_classes * n_columns:.2g} weights: they share "
                f"2**{layout.bits} places by hashing. Set hash_bits to choose the size, or to 0 to keep all.",
                stacklevel=5,
            )
        return NativeRule(inner=rule, layout=layout)

    def _grown(self, previous: Training, rule: Rule, classes: npt.NDArray[Any]) -> Training:
        """Return the training so far with room for classes that it did not know."""
        if len(classes) == len(self.classes_):
            return previous
        if not isinstance(rule, NativeRule):  # one class has become two, and has its one weight vector already
            if classes[0] == self.classes_[0]:
                return previous
            assert isinstance(rule, MulticlassRule)
            return replace(previous, state=negated(rule, previous.state), model=None)
        before = previous.rule.inner if isinstance(previous.rule, NativeRule) else previous.rule
        assert isinstance(before, MulticlassRule)
        state = grow(before, previous.state, np.searchsorted(classes, self.classes_), rule.layout)
        return replace(previous, rule=NativeRule(inner=before, layout=rule.layout), state=state, model=None)

    def _weights_of(self, classes: npt.NDArray[Any]) -> ClassWeight:
        """Return the class weights; of a dict those of classes known by now, if more may come."""
        if not isinstance(self.class_weight, Mapping) or not self._takes_many_classes:
            return self.class_weight
        known = set(classes.tolist())
        return {label: weight for label, weight in self.class_weight.items() if label in known}

    @abstractmethod
    def _scores(self, rows: Rows, which: npt.NDArray[np.int64] | None = None) -> npt.NDArray[np.float64]:
        """Return what :meth:`decision_function` returns, for checked rows."""

    @property
    def predict_proba(self) -> Callable[[Any], npt.NDArray[np.float64]]:
        """A function from rows to the probability of every class, of shape (n_rows, n_classes).

        Only with ``calibrate=True``: for two classes Platt's sigmoid, for more a softmax with one temperature, fitted
        to rows that training did not see.
        """
        refuse_without_calibration(self)
        return self._probabilities

    @at_one_moment
    def _probabilities(self, X: Any) -> npt.NDArray[np.float64]:
        check_is_fitted(self, "calibration_")
        return self.calibration_.probabilities(self.decision_function(X))

    def _draw_seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = self._takes_many_classes
        return tags
