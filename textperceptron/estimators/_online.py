"""Base class of the online classifiers: fit, update, predict."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from textperceptron._validation import at_least
from textperceptron.estimators._atomic import atomic, on_snapshot
from textperceptron.estimators._docs import documented
from textperceptron.estimators._parameters import ColumnWeight, split_column_weight
from textperceptron.estimators._validation import (
    all_labels,
    check_binary,
    check_calibrated,
    classes_of,
    codes_of,
    labels_of,
    rows_of,
)
from textperceptron.learn import Callback, OverflowedError, Rows, StoppedBy
from textperceptron.learn.calibration import Calibration
from textperceptron.learn.column_pairs import check_same_pair_bits, with_pairs
from textperceptron.learn.fit import fit
from textperceptron.learn.fitted import Fitted
from textperceptron.learn.rules.base import check_interpolation
from textperceptron.learn.training_data import ClassWeight, row_weights
from textperceptron.model import Epoch
from textperceptron.settings import LearnerSettings, Shuffle, learners
from textperceptron.settings.fields import declared_fields
from textperceptron.settings.learner import check_pair_options, learner_fields


class OnlineClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A classifier that learns row by row; a subclass has parameters and the name of a learner."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if hasattr(cls, "_learner"):
            documented(learners()[cls._learner].parameters | declared_fields(LearnerSettings))(cls)

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

    _learner: ClassVar[str]
    _takes_many_classes: ClassVar[bool] = False

    classes_: npt.NDArray[Any]
    n_features_in_: int
    n_iter_: int
    n_updates_: int
    history_: list[Epoch]
    stopped_by_: StoppedBy
    calibration_: Calibration
    _fitted: Fitted

    def _settings(self, seed: int) -> LearnerSettings:
        """Return the parameters as settings."""
        check_interpolation(self.interpolation, weighted=self.column_weight is not None)
        own = inspect.signature(type(self)).parameters
        names = [name for name in learner_fields() if name in own and name not in ("class_weight", "column_weight")]
        ratios, _ = split_column_weight(self.column_weight)
        return LearnerSettings(
            learner=self._learner, seed=seed, **{name: getattr(self, name) for name in names}, **ratios
        )

    @on_snapshot
    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return one score per row, above 0 for ``classes_[1]``; one per row and class for more than two."""
        check_is_fitted(self)
        return self._fitted.model.scores(self._rows(X, self._fitted), self.n_jobs)

    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn from the rows, in at most ``max_iter`` epochs.

        Parameters
        ----------
        X : CSR matrix or array of shape (n_rows, n_columns)
            In float32 or float64. A CSR matrix is not copied.
        y : array-like of shape (n_rows,)
            Labels of two classes, or of more if the learner supports them.
        sample_weight : array-like of shape (n_rows,), optional
            Weight of each row; rows of weight 0 are left out.

        Returns
        -------
        self

        Raises
        ------
        KeyboardInterrupt
            After Ctrl-C. The estimator is then fitted, with the weights of the last complete slice.
        ValueError
            If rows, labels or parameters are invalid. The estimator is then unchanged.
        """
        if self.warm_start and self._is_trained:
            return self._fit(X, y, sample_weight, self._fitted)
        return self._fit_anew(X, y, sample_weight)

    @atomic("_fitted")
    def _fit_anew(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None) -> Self:
        return self._fit(X, y, sample_weight, None)

    def _fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None, previous: Fitted | None) -> Self:
        rows = self._rows(X, previous)
        y = labels_of(y)
        classes = classes_of(y)
        if not self._takes_many_classes:
            check_binary(classes)
        if previous is not None and not np.array_equal(classes, self.classes_):
            raise ValueError(
                f"warm_start continues with the classes {self.classes_.tolist()}, but y has {classes.tolist()}. "
                "Fit a new estimator, or set warm_start=False."
            )
        return self._train(previous, rows, y, classes, sample_weight, self.max_iter)

    def partial_fit(
        self, X: Any, y: Any, classes: npt.ArrayLike | None = None, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Continue with one epoch over these rows.

        Ten calls with the same rows give the same bits as ``fit`` with ``max_iter=10``. With ``shuffle=False``, calls
        with consecutive row blocks of a matrix give the same bits as ``fit`` with ``max_iter=1``.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``. ``y`` need not have all classes.
        classes : array-like of labels, optional
            Labels of later calls. A new label adds a class with weights of 0; a binary learner needs both labels in
            the first call.

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
        previous = self._fitted if self._is_trained else None
        rows = self._rows(X, previous)
        y = labels_of(y)
        known = self._classes_with(y, classes, previous)
        return self._train(previous, rows, y, known, sample_weight, 1, new_rows=True)

    def _classes_with(
        self, y: npt.NDArray[Any], classes: npt.ArrayLike | None, previous: Fitted | None
    ) -> npt.NDArray[Any]:
        """Return the known classes and those that a call of ``partial_fit`` adds."""
        named = None if classes is None else classes_of(labels_of(classes), at_least=1)
        if self._takes_many_classes:
            parts = [y] if named is None else [y, named]
            return all_labels(parts if previous is None else [self.classes_, *parts])
        if previous is None:
            known = classes_of(y) if named is None else named
            check_binary(known)
            return known
        if named is not None and not np.array_equal(named, self.classes_):
            raise ValueError(f"classes={named.tolist()} differ from those of the first call, {self.classes_.tolist()}.")
        return self.classes_

    @on_snapshot
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label with the highest score per row; ties go to the first in ``classes_``."""
        scores = self.decision_function(X)
        return label_of(self.classes_, scores)

    def _rows(self, X: Any, fitted: Fitted | None) -> Rows:
        """Return validated rows, with column pairs as the fitted model or a first fit needs them."""
        rows = rows_of(self, X, reset=fitted is None)
        if fitted is None:
            check_pair_options(self.pair_bits, column_weight=self.column_weight, hash_bits=self.hash_bits)
        return with_pairs(rows, self.pair_bits if fitted is None else fitted.settings.pair_bits)

    @property
    def _is_trained(self) -> bool:
        return hasattr(self, "_fitted")

    def __sklearn_is_fitted__(self) -> bool:
        return self._is_trained

    def _train(
        self,
        previous: Fitted | None,
        rows: Rows,
        y: npt.NDArray[Any],
        classes: npt.NDArray[Any],
        sample_weight: npt.ArrayLike | None,
        epochs: int,
        *,
        new_rows: bool = False,
    ) -> Self:
        codes = codes_of(y, rows.n_rows, classes)
        class_weight = self._weights_of(classes) if new_rows else self.class_weight
        weight = row_weights(sample_weight, class_weight, classes, codes)
        settings = self._settings(self._draw_seed() if previous is None else previous.settings.seed)
        try:
            if previous is None:
                _, column_weight = split_column_weight(self.column_weight)
                fitted = fit(
                    rows, codes, len(classes), settings.replace(max_iter=epochs),
                    weight=weight, column_weight=column_weight, callback=self.callback,
                )  # fmt: skip
            else:
                check_same_pair_bits(self.pair_bits, previous.settings.pair_bits)
                fitted = previous.update(
                    rows, codes, len(classes), positions=np.searchsorted(classes, self.classes_), settings=settings,
                    epochs=epochs, weight=weight, callback=self.callback, same_rows=not new_rows,
                )  # fmt: skip
        except OverflowedError:
            self.__dict__.pop("_fitted", None)  # its state is unusable
            raise
        self._fitted, self.classes_ = fitted, classes
        before = [] if previous is None else self.history_
        new = fitted.history[len(before) :]
        self.history_ = [*before, *(Epoch.from_record(record, fitted.n_rows) for record in new)]
        self.n_iter_, self.n_updates_ = len(self.history_), fitted.n_updates
        self.stopped_by_ = fitted.stopped_by
        self.__dict__.pop("calibration_", None)
        if fitted.calibration is not None:
            self.calibration_ = fitted.calibration
        if fitted.error is not None:
            error, fitted.error = fitted.error, None
            raise error
        return self

    def _weights_of(self, classes: npt.NDArray[Any]) -> ClassWeight:
        """Return the class weights; those of classes that later calls may add are left out."""
        if not isinstance(self.class_weight, Mapping) or not self._takes_many_classes:
            return self.class_weight
        known = set(classes.tolist())
        return {label: weight for label, weight in self.class_weight.items() if label in known}

    @property
    def predict_proba(self) -> Callable[[Any], npt.NDArray[np.float64]]:
        """Function from rows to probabilities of shape (n_rows, n_classes); only with ``calibrate=True``.

        Platt's sigmoid for two classes, a softmax with one temperature for more, fitted to held-out rows.
        """
        check_calibrated(self, self.calibrate)
        return self._probabilities

    @on_snapshot
    def _probabilities(self, X: Any) -> npt.NDArray[np.float64]:
        check_is_fitted(self, "calibration_")
        return self.calibration_.probabilities(self.decision_function(X))

    def _draw_seed(self) -> int:
        if isinstance(self.random_state, int | np.integer):
            at_least("random_state", self.random_state, 0)
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = self._takes_many_classes
        return tags


def label_of(classes: npt.NDArray[Any], scores: npt.NDArray[np.float64]) -> npt.NDArray[Any]:
    """Return the label of each row: by the sign of its score, or by the highest of its scores."""
    codes = (scores > 0).astype(np.intp) if scores.ndim == 1 else scores.argmax(axis=1)
    codes = np.minimum(codes, len(classes) - 1)  # partial_fit may have seen one class only
    labels: npt.NDArray[Any] = classes[codes]
    return labels
