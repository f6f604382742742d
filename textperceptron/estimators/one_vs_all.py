"""One-vs-all over any binary classifier."""

from __future__ import annotations

from collections.abc import Callable
from numbers import Real
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from textperceptron._validation import between
from textperceptron.estimators._atomic import atomic, on_snapshot
from textperceptron.estimators._binary_problems import (
    check_takes_weights,
    fit_one,
    prototype,
    scores_of,
    takes_weights,
    trains_fused,
)
from textperceptron.estimators._docs import documented
from textperceptron.estimators._label_sets import MultiLabels, exact_matches, read_label_sets
from textperceptron.estimators._online import OnlineClassifier, label_of
from textperceptron.estimators._parameters import split_column_weight
from textperceptron.estimators._validation import all_labels, check_calibrated, classes_of, codes_of, labels_of, rows_of
from textperceptron.learn import EMPTY, LabelSets, OverflowedError, Rows
from textperceptron.learn.calibration import Calibration, Platt, calibrate, hold_out
from textperceptron.learn.fit import fit
from textperceptron.learn.fitted import Fitted, SingleFit
from textperceptron.learn.one_vs_all import OneVsAllFit
from textperceptron.learn.threshold import best_thresholds
from textperceptron.learn.training_data import row_weights
from textperceptron.settings import setting_fields

_NO_ROWS = np.empty(0, np.int64)


def _has_partial_fit(model: OneVsAll) -> bool:
    return trains_fused(model.estimator)


@documented(setting_fields())
class OneVsAll(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """One binary problem per class, against all others; the highest score wins.

    Works with any binary classifier, and with several labels per row. ``Perceptron``, ``AveragedPerceptron``, ``MIRA``
    and ``AROW`` are trained for all classes in one pass over the rows, with the same bits as one by one; others are
    cloned and trained in parallel by joblib, which may use Dask or Ray. With ``column_weight="log_count_ratio"``, each
    class has its own ratios.

    Parameters
    ----------
    estimator : classifier
        A binary classifier with ``decision_function`` or ``predict_proba``.
    threshold : float or "f1", default=0.0
        With several labels per row: predict the labels whose score is above this. ``"f1"`` chooses a threshold per
        label by F1 on held-out rows: halfway between the best for the label and the best for all labels alike.
    validation_fraction : float, default=0.1
        Fraction of the rows that ``calibrate`` and ``threshold="f1"`` hold out.
    {parameters}

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    estimators_ : list of classifiers
        One per class, in the order of ``classes_``; with two classes one, that of ``classes_[1]``.
    coef_, intercept_ : arrays of shape (n_classes, n_columns) and (n_classes,)
        Weights and intercepts, if the estimators have them.
    multilabel_ : bool
        Whether rows have several labels.
    thresholds_ : array of shape (n_classes,)
        Thresholds of the labels, if rows have several.

    Examples
    --------
    >>> from textperceptron import AveragedPerceptron, BagOfWords, OneVsAll
    >>> texts = ["goal by the striker", "the court and the law", "a cell under glass", "striker scores", "new law"]
    >>> y = ["sport", "politics", "science", "sport", "politics"]
    >>> bag = BagOfWords()
    >>> model = OneVsAll(AveragedPerceptron()).fit(bag.fit_transform(texts), y)
    >>> model.predict(bag.transform(["the striker", "a law", "glass cell"])).tolist()
    ['sport', 'politics', 'science']
    """

    classes_: npt.NDArray[Any]
    multilabel_: bool
    thresholds_: npt.NDArray[np.float64]
    _as_indicator: bool
    calibration_: Calibration | list[Platt]
    n_features_in_: int
    _fitted: Fitted
    _clones: list[Any]

    def __init__(
        self,
        estimator: Any,
        *,
        calibrate: bool = False,
        threshold: float | Literal["f1"] = 0.0,
        validation_fraction: float = 0.1,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.calibrate = calibrate
        self.threshold = threshold
        self.validation_fraction = validation_fraction
        self.n_jobs = n_jobs

    @atomic("_fitted", "_clones")
    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn a binary problem per class.

        Parameters
        ----------
        X : CSR matrix or array of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,), list of label sets, or indicator matrix of shape (n_rows, n_classes)
            Lists of 0 and 1 of one length above 1 are an indicator matrix, as in scikit-learn.
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        self
        """
        for name in ("_fitted", "_clones", "calibration_"):
            self.__dict__.pop(name, None)
        if self.threshold != "f1" and not isinstance(self.threshold, Real):
            raise ValueError(f"threshold={self.threshold!r}: use a number, or 'f1'.")
        between("validation_fraction", self.validation_fraction, 0, 1)
        sets = read_label_sets(y)
        self.multilabel_ = sets is not None
        if sets is None:
            y = labels_of(y)
            classes = classes_of(y)
        else:
            classes = sets.classes
            if len(classes) < 1:
                raise ValueError("y has no labels at all: a classifier needs some to learn from.")
            self._as_indicator = sets.as_indicator
            self.thresholds_ = np.full(len(classes), 0.0 if self.threshold == "f1" else float(self.threshold))
        rows: Rows | None = None
        if trains_fused(self.estimator):
            rows = rows_of(self, X, reset=True)
            n_rows = rows.n_rows
        else:
            X = validate_data(self, X, accept_sparse="csr", dtype=None)
            n_rows = X.shape[0]
        codes = codes_of(y, n_rows, classes) if sets is None else None
        if sets is not None and len(sets.sets) != n_rows:
            raise ValueError(f"X has {n_rows} rows, but y has {len(sets.sets)} label sets. Give one set per row.")
        weight = row_weights(sample_weight, None, classes, np.zeros(n_rows, np.intp))
        if rows is None and len(weight):
            check_takes_weights(self.estimator)
        self.classes_ = classes
        if rows is not None and sets is None:
            return self._adopt(self._fit_fused(rows, codes, weight, self.calibrate))
        held_out = self._held_out(codes, n_rows, weight)
        if len(held_out):
            weight = weight.copy() if len(weight) else np.ones(n_rows)
            weight[held_out] = 0
        if rows is not None:
            assert sets is not None
            self._adopt(self._fit_fused(rows, sets.sets, weight, False))
        else:
            self._fit_one_by_one(X, codes, sets, weight)
        if len(held_out):
            scores = self._scores_of_clones(X) if rows is None else self._fitted.model.scores(rows, self.n_jobs)
            self._learn_from_held_out(scores, held_out, codes, sets)
        return self

    def _fit_fused(
        self,
        rows: Rows,
        labels: npt.NDArray[np.intp] | LabelSets | None,
        weight: npt.NDArray[np.float64],
        calibrate: bool,
        **changes: Any,
    ) -> Fitted:
        """Train all classes in one pass over the rows."""
        assert labels is not None
        settings = self.estimator._settings(self.estimator._draw_seed()).replace(
            multiclass="one-vs-all", calibrate=calibrate, validation_fraction=self.validation_fraction, **changes
        )
        _, column_weight = split_column_weight(self.estimator.column_weight)
        return fit(
            rows, labels, len(self.classes_), settings,
            weight=weight, column_weight=column_weight, n_jobs=self.n_jobs, callback=self.estimator.callback,
        )  # fmt: skip

    def _adopt(self, fitted: Fitted) -> Self:
        """Take over a training; raise the error that interrupted it."""
        self._fitted = fitted
        if fitted.calibration is not None:
            self.calibration_ = fitted.calibration
        if fitted.error is not None:
            error, fitted.error = fitted.error, None
            raise error
        return self

    @available_if(_has_partial_fit)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Any, classes: npt.ArrayLike | None = None, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Continue with one epoch over these rows; a new class starts with weights of 0.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``, with one label per row.
        classes : array-like of labels, optional
            Labels of later calls, so that their problems learn from these rows too.

        Returns
        -------
        self
        """
        if self.estimator.column_weight is not None or self.calibrate or read_label_sets(y) is not None:
            raise ValueError("partial_fit needs one label per row, and no column_weight or calibrate. Use fit.")
        before = getattr(self, "_fitted", None)
        rows = rows_of(self, X, reset=before is None)
        y = labels_of(y)
        named = [y] if classes is None else [y, labels_of(classes)]
        known = all_labels(named if before is None else [self.classes_, *named])
        codes = codes_of(y, rows.n_rows, known)
        weight = row_weights(sample_weight, None, known, np.zeros(rows.n_rows, np.intp))
        old, self.classes_, self.multilabel_ = getattr(self, "classes_", known), known, False
        try:
            if before is None:
                return self._adopt(self._fit_fused(rows, codes, weight, False, max_iter=1))
            settings = self.estimator._settings(before.settings.seed).replace(multiclass="one-vs-all")
            fitted = before.update(
                rows, codes, len(known), positions=np.searchsorted(known, old), settings=settings,
                weight=weight, n_jobs=self.n_jobs, callback=self.estimator.callback,
            )  # fmt: skip
            return self._adopt(fitted)
        except OverflowedError:
            self.__dict__.pop("_fitted", None)  # its state is unusable
            raise
        except ValueError:
            self.classes_ = old
            raise

    @on_snapshot
    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return one score per row and class; with two classes, one per row."""
        check_is_fitted(self)
        if hasattr(self, "_fitted"):
            return self._fitted.model.scores(rows_of(self, X, reset=False), self.n_jobs)
        X = validate_data(self, X, accept_sparse="csr", dtype=None, reset=False)
        return self._one_column_for_two(self._scores_of_clones(X))

    @on_snapshot
    def predict(self, X: Any) -> Any:
        """Return the label with the highest score per row; with several labels, in the form of ``y`` in ``fit``."""
        scores = self.decision_function(X)
        if not self.multilabel_:
            return label_of(self.classes_, scores)
        chosen = self.thresholds_ < np.atleast_2d(scores.T).T
        if self._as_indicator:
            return chosen.astype(np.int64)
        return [set(self.classes_[row].tolist()) for row in chosen]

    def score(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> float:
        """Return the accuracy; with several labels per row, all of them must be right."""
        check_is_fitted(self)
        if not self.multilabel_ or self._as_indicator:
            return float(super().score(X, y, sample_weight))
        return exact_matches(self.predict(X), y, sample_weight)

    @property
    def predict_proba(self) -> Callable[[Any], npt.NDArray[np.float64]]:
        """Function from rows to probabilities of shape (n_rows, n_classes); only with ``calibrate=True``.

        With one label per row, a softmax with one temperature, or Platt's sigmoid for two classes; with several
        labels, Platt's sigmoid per label.
        """
        check_calibrated(self, self.calibrate)
        return self._probabilities

    def _probabilities(self, X: Any) -> npt.NDArray[np.float64]:
        check_is_fitted(self, "calibration_")
        scores = self.decision_function(X)
        if isinstance(self.calibration_, list):
            columns = [platt.probabilities(scores[:, k])[:, 1] for k, platt in enumerate(self.calibration_)]
            return np.column_stack(columns)
        return self.calibration_.probabilities(scores)

    @property
    def estimators_(self) -> list[Any]:
        """The binary classifiers; made on each use if all were trained in one pass."""
        check_is_fitted(self)
        if not hasattr(self, "_fitted"):
            return self._clones
        fits = self._fitted.binary_fits() if isinstance(self._fitted, OneVsAllFit) else [self._fitted]
        return [self._estimator_of(fitted) for fitted in fits]

    def _estimator_of(self, fitted: Fitted) -> OnlineClassifier:
        model: OnlineClassifier = clone(self.estimator)
        model._fitted, model.classes_, model.n_features_in_ = fitted, np.array([0, 1]), self.n_features_in_
        assert isinstance(fitted, SingleFit)
        model.history_, model.n_iter_, model.n_updates_ = [], fitted.state.epoch, fitted.n_updates
        model.stopped_by_ = fitted.stopped_by
        return model

    @property
    def coef_(self) -> npt.NDArray[Any]:
        """Weights, one row per class; one row for two classes."""
        return np.vstack([model.coef_ for model in self.estimators_])

    @property
    def intercept_(self) -> npt.NDArray[Any]:
        """Intercepts of the classes."""
        return np.concatenate([model.intercept_ for model in self.estimators_])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted") or hasattr(self, "_clones")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.classifier_tags.multi_label = True
        return tags

    def _held_out(
        self, codes: npt.NDArray[np.intp] | None, n_rows: int, weight: npt.NDArray[np.float64]
    ) -> npt.NDArray[np.int64]:
        if not self.calibrate and not (codes is None and self.threshold == "f1"):
            return _NO_ROWS
        seed = self.estimator._draw_seed() if isinstance(self.estimator, OnlineClassifier) else 0
        if codes is not None:
            return hold_out(codes, weight, self.validation_fraction, seed)
        try:
            halves = np.arange(n_rows) % 2  # several labels per row: any rows will do
            return hold_out(halves, weight, self.validation_fraction, seed)
        except ValueError:
            raise ValueError(
                f"validation_fraction={self.validation_fraction} of {n_rows} rows is too few to choose thresholds "
                "or to calibrate. Give more rows, or a larger validation_fraction."
            ) from None

    def _fit_one_by_one(
        self,
        X: Any,
        codes: npt.NDArray[np.intp] | None,
        sets: MultiLabels | None,
        weight: npt.NDArray[np.float64],
    ) -> None:
        estimator = prototype(self.estimator)
        train_on = None
        if len(weight) and not takes_weights(estimator):  # weights of 0 leave rows out: pass the others
            train_on, weight = np.flatnonzero(weight), EMPTY
        if sets is not None:
            problems = [sets.positive(position) for position in range(len(sets.classes))]
            for position, positive in enumerate(problems):
                if positive.all():
                    raise ValueError(f"every row has the label {sets.classes[position]!r}: it needs rows without it.")
        else:
            assert codes is not None
            which = [1] if len(self.classes_) == 2 else range(len(self.classes_))
            problems = [codes == position for position in which]
        self._clones = Parallel(n_jobs=self.n_jobs)(
            delayed(fit_one)(estimator, X, positive, train_on, weight) for positive in problems
        )

    def _learn_from_held_out(
        self,
        scores: npt.NDArray[np.float64],
        held_out: npt.NDArray[np.int64],
        codes: npt.NDArray[np.intp] | None,
        sets: MultiLabels | None,
    ) -> None:
        if sets is None:
            if len(held_out):
                assert codes is not None
                self.calibration_ = calibrate(self._one_column_for_two(scores[held_out]), codes[held_out])
            return
        if self.threshold == "f1":
            self.thresholds_ = best_thresholds(scores[held_out], sets.sets.take(held_out))
        if self.calibrate:
            self.calibration_ = [
                Platt.fit(scores[held_out, position], sets.positive(position)[held_out])
                for position in range(len(sets.classes))
            ]

    def _scores_of_clones(self, X: Any) -> npt.NDArray[np.float64]:
        columns = Parallel(n_jobs=self.n_jobs)(delayed(scores_of)(model, X) for model in self._clones)
        return np.column_stack(columns)

    def _one_column_for_two(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return scores if self.multilabel_ or scores.shape[1] > 1 else scores[:, 0]
