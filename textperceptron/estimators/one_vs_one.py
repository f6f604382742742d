"""One-vs-one over any binary classifier."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from textperceptron.estimators._atomic import atomic, on_snapshot
from textperceptron.estimators._binary_problems import (
    check_takes_weights,
    fit_one,
    is_fitted,
    partial_fit_one,
    prototype,
    scores_of,
    trains_fused,
)
from textperceptron.estimators._docs import documented
from textperceptron.estimators._validation import all_labels, classes_of, codes_of, labels_of, rows_of
from textperceptron.learn.fit import fit
from textperceptron.learn.fitted import Fitted, SingleFit
from textperceptron.learn.models.one_vs_one import OneVsOneModel, votes_and_confidence
from textperceptron.learn.one_vs_one import BinaryPairModel
from textperceptron.learn.one_vs_one_voting import winners
from textperceptron.learn.training_data import row_weights


def _has_partial_fit(model: OneVsOne) -> bool:
    return hasattr(model.estimator, "partial_fit")


@documented({})
class OneVsOne(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):  # type: ignore[misc]
    """One binary problem per class pair, on the rows of the two classes; the class with most votes wins.

    Ties go to the class with the highest sum of scores, then to the first. Works with any binary classifier.
    ``Perceptron``, ``AveragedPerceptron``, ``MIRA`` and ``AROW`` are trained without a copy of the rows and vote in one
    compiled pass over a row, with the same bits as one by one (the permutation is always that of all rows); others are
    cloned and trained in parallel by joblib.

    Parameters
    ----------
    estimator : classifier
        A binary classifier with ``decision_function`` or ``predict_proba``.
    {parameters}

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
        The labels, sorted.
    pairs_ : list of tuples
        The two labels of each problem; scores above 0 speak for the second.
    pair_models_ : list of BinaryPairModel
        Columns and weights of each class pair, if all were trained in one pass.
    estimators_ : list of classifiers
        One per class pair, if they were trained one by one, as by ``partial_fit``.

    Examples
    --------
    >>> from textperceptron import AveragedPerceptron, BagOfWords, OneVsOne
    >>> texts = ["goal by the striker", "the court and the law", "a cell under glass", "striker scores", "new law"]
    >>> y = ["sport", "politics", "science", "sport", "politics"]
    >>> bag = BagOfWords()
    >>> model = OneVsOne(AveragedPerceptron()).fit(bag.fit_transform(texts), y)
    >>> model.predict(bag.transform(["the striker", "a law", "glass cell"])).tolist()
    ['sport', 'politics', 'science']
    """

    classes_: npt.NDArray[Any]
    n_features_in_: int
    estimators_: list[Any]
    _fitted: Fitted

    def __init__(self, estimator: Any, *, n_jobs: int | None = None) -> None:
        self.estimator = estimator
        self.n_jobs = n_jobs

    @atomic("_fitted", "estimators_")
    def fit(self, X: Any, y: Any, sample_weight: npt.ArrayLike | None = None) -> Self:
        """Learn a binary problem per class pair.

        Parameters
        ----------
        X : CSR matrix or array of shape (n_rows, n_columns)
        y : array-like of shape (n_rows,)
        sample_weight : array-like of shape (n_rows,), optional

        Returns
        -------
        self
        """
        for name in ("_fitted", "estimators_"):
            self.__dict__.pop(name, None)
        y = labels_of(y)
        classes = classes_of(y)
        if trains_fused(self.estimator) and self.estimator.column_weight is None:
            self._fit_fused(X, y, classes, sample_weight)
        else:
            self._fit_one_by_one(X, y, classes, sample_weight)
        self.classes_ = classes
        return self

    def _fit_fused(
        self, X: Any, y: npt.NDArray[Any], classes: npt.NDArray[Any], sample_weight: npt.ArrayLike | None
    ) -> None:
        rows = rows_of(self, X, reset=True)
        codes = codes_of(y, rows.n_rows, classes)
        settings = self.estimator._settings(self.estimator._draw_seed()).replace(multiclass="one-vs-one")
        self._fitted = fit(
            rows, codes, len(classes), settings, weight=row_weights(sample_weight, None, classes, codes),
            n_jobs=self.n_jobs, callback=self.estimator.callback,
        )  # fmt: skip
        if self._fitted.error is not None:
            raise self._fitted.error

    def _fit_one_by_one(
        self, X: Any, y: npt.NDArray[Any], classes: npt.NDArray[Any], sample_weight: npt.ArrayLike | None
    ) -> None:
        X = validate_data(self, X, accept_sparse="csr", dtype=None)
        codes = codes_of(y, X.shape[0], classes)
        weight = row_weights(sample_weight, None, classes, codes)
        estimator = prototype(self.estimator)
        if len(weight):
            check_takes_weights(estimator)
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(fit_one)(estimator, X, codes == upper, np.flatnonzero((codes == lower) | (codes == upper)), weight)
            for lower, upper in itertools.combinations(range(len(classes)), 2)
        )

    @available_if(_has_partial_fit)  # type: ignore[untyped-decorator]
    def partial_fit(
        self, X: Any, y: Any, classes: npt.ArrayLike | None = None, sample_weight: npt.ArrayLike | None = None
    ) -> Self:
        """Continue each class pair with one epoch over its rows among these.

        Each pair is the estimator's own ``partial_fit`` with the rows of its two classes, so it keeps an estimator
        with weights for all columns: for many classes, :class:`OneVsAll` needs less memory. A pair without rows stays
        as it is, and does not vote before it has seen some.

        Parameters
        ----------
        X, y, sample_weight
            As for ``fit``. ``y`` need not have all classes.
        classes : array-like of labels, optional
            Labels of later calls, so that their pairs learn from these rows too. A new label adds a pair with every
            known class.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Also after a ``fit`` that trained all class pairs in one pass: it keeps no state to continue from.
        """
        if hasattr(self, "_fitted"):
            raise ValueError(
                "fit trained all class pairs in one pass and kept no state to continue from. Call partial_fit from the "
                "first rows on; each call is an epoch."
            )
        is_first = not hasattr(self, "estimators_")
        y = labels_of(y)
        named = [y] if classes is None else [y, labels_of(classes)]
        known = all_labels(named if is_first else [self.classes_, *named])
        classes_of(known)  # raises for fewer than two
        X = validate_data(self, X, accept_sparse="csr", dtype=None, reset=is_first)
        codes = codes_of(y, X.shape[0], known)
        weight = row_weights(sample_weight, None, known, codes)
        models = {} if is_first else dict(zip(self.pairs_, self.estimators_, strict=True))
        new = prototype(self.estimator)
        if len(weight):
            check_takes_weights(new)
        pairs = list(itertools.combinations(range(len(known)), 2))
        names = list(itertools.combinations(known.tolist(), 2))
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(partial_fit_one)(
                models[name] if name in models else clone(new), X, codes == upper,
                np.flatnonzero((codes == lower) | (codes == upper)), weight,
            )
            for (lower, upper), name in zip(pairs, names, strict=True)
        )  # fmt: skip
        self.classes_ = known
        return self

    @property
    def pair_models_(self) -> Sequence[BinaryPairModel]:
        """Columns and weights of each class pair, if all were trained in one pass."""
        check_is_fitted(self)
        if not hasattr(self, "_fitted"):
            raise AttributeError("the class pairs were trained one by one: see estimators_.")
        model = self._fitted.model
        if isinstance(model, OneVsOneModel):
            return model.pairs
        assert isinstance(self._fitted, SingleFit)
        return [BinaryPairModel.of_fit(self._fitted, 0, 1)]

    @property
    def pairs_(self) -> list[tuple[Any, Any]]:
        """The two labels of each problem; scores above 0 speak for the second."""
        check_is_fitted(self)
        return list(itertools.combinations(self.classes_.tolist(), 2))

    @on_snapshot
    def decision_function(self, X: Any) -> npt.NDArray[np.float64]:
        """Return votes plus confidence, of shape (n_rows, n_classes); with two classes, one score per row.

        The confidence is ``c / (3 (|c| + 1))`` for a sum of scores c: it breaks ties of votes.
        """
        check_is_fitted(self)
        if hasattr(self, "_fitted"):
            return self._fitted.model.scores(rows_of(self, X, reset=False), self.n_jobs)
        votes, confidence = self._votes(X)
        return confidence[:, 1] if len(self.classes_) == 2 else votes_and_confidence(votes, confidence)

    @on_snapshot
    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row."""
        check_is_fitted(self)
        if hasattr(self, "_fitted"):
            return self.classes_[self._fitted.model.codes(rows_of(self, X, reset=False), self.n_jobs)]
        return self.classes_[winners(*self._votes(X))]

    def _votes(self, X: Any) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.float64]]:
        if hasattr(self, "_fitted") and isinstance(self._fitted.model, OneVsOneModel):
            return self._fitted.model.voter.votes(rows_of(self, X, reset=False), self.n_jobs)
        X = validate_data(self, X, accept_sparse="csr", dtype=None, reset=False)
        pairs = itertools.combinations(range(len(self.classes_)), 2)
        trained = [each for each in zip(pairs, self.estimators_, strict=True) if is_fitted(each[1])]
        columns = Parallel(n_jobs=self.n_jobs)(delayed(scores_of)(model, X) for _, model in trained)
        votes = np.zeros((X.shape[0], len(self.classes_)), np.int64)
        confidence = np.zeros(votes.shape)
        every = np.arange(len(votes))
        for ((lower, upper), _), scores in zip(trained, columns, strict=True):
            votes[every, np.where(scores > 0, upper, lower)] += 1
            confidence[:, upper] += scores
            confidence[:, lower] -= scores
        return votes, confidence

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "_fitted") or hasattr(self, "estimators_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags
