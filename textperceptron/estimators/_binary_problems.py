"""Binary problems of OneVsAll and OneVsOne, for any classifier."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from textperceptron.estimators._online import OnlineClassifier
from textperceptron.learn import EMPTY


def trains_fused(estimator: Any) -> bool:
    """Whether all binary problems of an estimator can be trained in one pass.

    Stopping rules and class weights differ per problem, and the tables of column pairs would be too large together.
    """
    return (
        isinstance(estimator, OnlineClassifier)
        and estimator._takes_many_classes
        and not estimator.early_stopping
        and not estimator.calibrate
        and estimator.tol is None
        and estimator.class_weight is None
        and estimator.pair_bits is None
        and not estimator.warm_start
    )


def prototype(estimator: Any) -> Any:
    """Return a clone whose seed is drawn, so that all problems have the same."""
    copy = clone(estimator)
    if isinstance(copy, OnlineClassifier):
        copy.set_params(random_state=copy._draw_seed())
    return copy


def takes_weights(estimator: Any) -> bool:
    """Whether ``fit`` has a parameter ``sample_weight``."""
    return bool(has_fit_parameter(estimator, "sample_weight"))


def check_takes_weights(estimator: Any) -> None:
    """Raise ValueError unless ``fit`` has a parameter ``sample_weight``."""
    if not takes_weights(estimator):
        raise ValueError(f"{type(estimator).__name__} takes no sample_weight.")


def fit_one(
    estimator: Any,
    X: Any,
    positive: npt.NDArray[np.bool_],
    which: npt.NDArray[np.int64] | None = None,
    weight: npt.NDArray[np.float64] = EMPTY,
) -> Any:
    """Fit a clone to a binary problem, on all rows or on the rows ``which``.

    An online classifier gets all rows, the others with weight 0: the permutation is then that of training all problems
    in one pass.
    """
    model = clone(estimator)
    labels = positive.astype(np.int64)
    if which is None:
        return model.fit(X, labels, sample_weight=weight) if len(weight) else model.fit(X, labels)
    if isinstance(model, OnlineClassifier):
        mask = np.zeros(len(labels))
        mask[which] = weight[which] if len(weight) else 1.0
        return model.fit(X, labels, sample_weight=mask)
    if len(weight):
        return model.fit(X[which], labels[which], sample_weight=weight[which])
    return model.fit(X[which], labels[which])


def partial_fit_one(
    model: Any,
    X: Any,
    positive: npt.NDArray[np.bool_],
    which: npt.NDArray[np.int64],
    weight: npt.NDArray[np.float64] = EMPTY,
) -> Any:
    """Continue a binary problem with the rows ``which``, as :func:`fit_one` starts it; without rows, leave it."""
    if not len(which):
        return model
    labels, classes = positive.astype(np.int64), np.array([0, 1])
    if isinstance(model, OnlineClassifier):
        mask = np.zeros(len(labels))
        mask[which] = weight[which] if len(weight) else 1.0
        return model.partial_fit(X, labels, classes=classes, sample_weight=mask)
    if len(weight):
        return model.partial_fit(X[which], labels[which], classes=classes, sample_weight=weight[which])
    return model.partial_fit(X[which], labels[which], classes=classes)


def is_fitted(model: Any) -> bool:
    """Whether a classifier has been fitted."""
    try:
        check_is_fitted(model)
    except NotFittedError:
        return False
    return True


def scores_of(model: Any, X: Any) -> npt.NDArray[np.float64]:
    """Return scores above 0 for the positive class, from ``decision_function`` or ``predict_proba``."""
    if hasattr(model, "decision_function"):
        return np.ravel(model.decision_function(X)).astype(np.float64)
    probabilities = model.predict_proba(X)
    return np.asarray(probabilities[:, 1] - 0.5, np.float64)
