"""What the online classifiers share: fitting, going on, and predicting with weights."""

from __future__ import annotations

import inspect
from abc import abstractmethod
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from textperceptron.estimators._column_weight import ColumnWeight, column_weights
from textperceptron.estimators._input import binary_classes, labels_of, positions, rows_of
from textperceptron.estimators._shared_docs import with_shared_docs
from textperceptron.learn import (
    NOTHING,
    Callback,
    EpochRecord,
    OverflowedError,
    Plan,
    Rows,
    Shuffle,
    State,
    StoppedBy,
    train,
)
from textperceptron.learn.rules import Rule
from textperceptron.learn.weights import ClassWeight, row_weights


@dataclass(slots=True)
class Training:
    """What a further call needs in order to go on."""

    rule: Rule
    state: State
    seed: int
    model: npt.NDArray[Any] | None = None
    """The finished weights, once asked for."""


class OnlineClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A binary classifier that learns row by row; a subclass adds parameters and says which rule.

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
    warm_start: bool
    random_state: int | np.random.RandomState | None
    callback: Callback | None

    classes_: npt.NDArray[Any]
    n_features_in_: int
    n_iter_: int
    n_updates_: int
    history_: list[EpochRecord]
    stopped_by_: StoppedBy
    _training: Training

    @abstractmethod
    def _rule(self) -> Rule:
        """Return the rule with this estimator's parameters."""

    @abstractmethod
    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return a score a row: above 0 for ``classes_[1]``."""

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from all rows, up to ``max_iter`` times.

        Parameters
        ----------
        X : CSR matrix or array of shape (n_rows, n_columns)
            float32 or float64; not copied when it is CSR.
        y : array-like of shape (n_rows,)
            Two classes of any type.
        sample_weight : array-like of shape (n_rows,), optional
            How much each row counts; 0 leaves it out.

        Returns
        -------
        self

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C. The estimator is then fitted, with the weights of the last finished slice.
        """
        previous = self._training if self.warm_start and self._is_trained else None
        if previous is None:
            self.__dict__.pop("_training", None)  # a fit that is refused leaves no model, not one of other columns
        rows = rows_of(self, X, reset=previous is None)
        y = labels_of(y)
        classes = binary_classes(y)
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
            As for ``fit``; ``y`` may hold only one of the classes.
        classes : array-like of two labels
            Needed by the first call, unless its ``y`` has both.

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
        previous = self._training if self._is_trained else None
        rows = rows_of(self, X, reset=previous is None)
        y = labels_of(y)
        if previous is None:
            known = binary_classes(y if classes is None else labels_of(classes))
        else:
            known = self.classes_
            if classes is not None and not np.array_equal(np.unique(np.asarray(classes)), known):
                raise ValueError(
                    f"classes={np.asarray(classes).tolist()} differ from those of the first call, {known.tolist()}."
                )
        return self._train(previous, rows, y, known, sample_weight, 1, other_rows=True)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row; a score of exactly 0 means ``classes_[0]``."""
        scores = self.decision_function(X)
        return self.classes_[(scores > 0).astype(np.intp)]

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
        rule = self._rule()
        if previous is not None:
            rule.refuse_change(previous.rule)
        plan = Plan(
            max_iter=epochs,
            shuffle=self.shuffle,
            seed=self._draw_seed() if previous is None else previous.seed,
            tol=self.tol,
            early_stopping=self.early_stopping,
            validation_fraction=self.validation_fraction,
            n_iter_no_change=self.n_iter_no_change,
        )
        labels = positions(y, rows.n_rows, classes)
        weight = row_weights(sample_weight, self.class_weight, classes, labels)
        signs = np.where(labels == 1, np.int8(1), np.int8(-1))
        state = None if previous is None else previous.state
        column_weight = NOTHING
        if state is None:
            column_weight = column_weights(self.column_weight, rows, labels, _learnt_from(plan, signs, weight))
        if state is not None and other_rows:
            state.leave_epoch()
        try:
            run = train(
                rule, rows, signs, plan, weight=weight, column_weight=column_weight, state=state, callback=self.callback
            )
        except OverflowedError:
            self.__dict__.pop("_training", None)  # what went on from it has ruined it: no model is left
            raise
        self._training = Training(rule, run.state, plan.seed)
        self.classes_ = classes
        if previous is None:
            self.history_, self.n_updates_ = [], 0
        self.history_ += run.history
        self.n_iter_ = len(self.history_)
        self.n_updates_ += sum(record["updates"] for record in run.history)
        self.stopped_by_ = run.stopped_by
        if run.error is not None:
            raise run.error
        return self

    def _draw_seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = False
        return tags


def _learnt_from(plan: Plan, signs: npt.NDArray[np.int8], weight: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Return the rows that training will see."""
    train_on, _ = plan.split(signs, weight)
    return train_on[weight[train_on] != 0] if len(weight) else train_on


class LinearClassifier(OnlineClassifier):
    """An online classifier whose model is one weight a column and an intercept."""

    @property
    def coef_(self) -> npt.NDArray[Any]:
        """Weights, of shape (1, n_columns): above 0 speaks for ``classes_[1]``."""
        check_is_fitted(self)
        return self._final_weights()[np.newaxis, :-1]

    @property
    def intercept_(self) -> npt.NDArray[Any]:
        """The intercept, of shape (1,)."""
        check_is_fitted(self)
        return self._final_weights()[-1:]

    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return ``x·w + b`` of each row: above 0 for ``classes_[1]``."""
        check_is_fitted(self)
        return rows_of(self, X, reset=False).scores(self._final_weights(), pad=1.0)

    def _final_weights(self) -> npt.NDArray[Any]:
        """Return the model's weights, intercept last; made when first asked for, so that fitting is cheap.

        A copy where the state's own weights are the model: those change in place with further training, and
        a user may have kept what ``coef_`` was before.
        """
        training = self._training
        if training.model is None:
            training.model = training.rule.final_weights(training.state)
            if training.model is training.state.weights:
                training.model = training.model.copy()
        return training.model
