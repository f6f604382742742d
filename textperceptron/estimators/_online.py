"""What the online classifiers share: fitting, updating, predicting."""

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
from textperceptron.estimators._atomic import at_one_moment, atomic
from textperceptron.estimators._input import all_labels, classes_of, labels_of, positions, refuse_more_than_two, rows_of
from textperceptron.estimators._output import label_of, refuse_without_calibration
from textperceptron.estimators._parameters import ColumnWeight, split_column_weight
from textperceptron.estimators._shared_docs import with_shared_docs
from textperceptron.learn import Callback, EpochRecord, OverflowedError, Rows, StoppedBy
from textperceptron.learn.calibration import Calibration
from textperceptron.learn.column_pairs import check_same_pair_bits, with_pairs
from textperceptron.learn.fit import fit
from textperceptron.learn.fitted import Fitted
from textperceptron.learn.rules.base import check_interpolation
from textperceptron.learn.sample_weights import ClassWeight, row_weights
from textperceptron.settings import LearnerSettings, Shuffle
from textperceptron.settings.learner import check_pair_options, learner_fields


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

    _learner: ClassVar[str]
    _takes_many_classes: ClassVar[bool] = False

    classes_: npt.NDArray[Any]
    n_features_in_: int
    n_iter_: int
    n_updates_: int
    history_: list[EpochRecord]
    stopped_by_: StoppedBy
    calibration_: Calibration
    _fitted: Fitted

    def _settings(self, seed: int) -> LearnerSettings:
        """Return the settings that the parameters make."""
        check_interpolation(self.interpolation, weighted=self.column_weight is not None)
        own = inspect.signature(type(self)).parameters
        names = [name for name in learner_fields() if name in own and name not in ("class_weight", "column_weight")]
        ratios, _ = split_column_weight(self.column_weight)
        return LearnerSettings(
            learner=self._learner, seed=seed, **{name: getattr(self, name) for name in names}, **ratios
        )

    @at_one_moment
    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return a score a row, above 0 for ``classes_[1]``; for more than two classes a score for each."""
        check_is_fitted(self)
        return self._fitted.model.scores(self._rows(X, self._fitted), self.n_jobs)

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
        previous = self._fitted if self._is_trained else None
        rows = self._rows(X, previous)
        y = labels_of(y)
        known = self._classes_with(y, classes, previous)
        return self._train(previous, rows, y, known, sample_weight, 1, other_rows=True)

    def _classes_with(
        self, y: npt.NDArray[Any], classes: npt.ArrayLike | None, previous: Fitted | None
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

    def _rows(self, X: Any, fitted: Fitted | None) -> Rows:
        """Return checked rows, with pairs on the fly as the fitted model has them, or as a first fit needs them."""
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
        other_rows: bool = False,
    ) -> Self:
        codes = positions(y, rows.n_rows, classes)
        class_weight = self._weights_of(classes) if other_rows else self.class_weight
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
                    epochs=epochs, weight=weight, callback=self.callback, same_rows=not other_rows,
                )  # fmt: skip
        except OverflowedError:
            self.__dict__.pop("_fitted", None)  # its state is ruined: no model is left
            raise
        self._fitted, self.classes_ = fitted, classes
        self.history_, self.n_iter_, self.n_updates_ = fitted.history, len(fitted.history), fitted.n_updates
        self.stopped_by_ = fitted.stopped_by
        self.__dict__.pop("calibration_", None)
        if fitted.calibration is not None:
            self.calibration_ = fitted.calibration
        if fitted.error is not None:
            error, fitted.error = fitted.error, None
            raise error
        return self

    def _weights_of(self, classes: npt.NDArray[Any]) -> ClassWeight:
        """Return the class weights; of a dict those of classes known by now, if more may come."""
        if not isinstance(self.class_weight, Mapping) or not self._takes_many_classes:
            return self.class_weight
        known = set(classes.tolist())
        return {label: weight for label, weight in self.class_weight.items() if label in known}

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
            at_least("random_state", self.random_state, 0)
            return int(self.random_state)
        return int(check_random_state(self.random_state).randint(2**31 - 1))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_class = self._takes_many_classes
        return tags
