"""What OneVsAll and OneVsOne share: binary problems for any classifier, one by one or in one pass."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.validation import has_fit_parameter

from textperceptron.estimators._online import OnlineClassifier
from textperceptron.learn import EMPTY


def trains_fused(estimator: Any) -> bool:
    """Whether all binary problems of an estimator can be trained together.

    Not with a stopping rule that looks at each problem's own held-out rows or weights, nor with class weights, which
    weigh a row differently in each problem, nor with pairs, whose tables side by side would be too large.
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
    """Return a copy of an estimator to clone for each problem, with its seed drawn once."""
    copy = clone(estimator)
    if isinstance(copy, OnlineClassifier):
        copy.set_params(random_state=copy._draw_seed())
    return copy


def takes_weights(estimator: Any) -> bool:
    """Whether an estimator's ``fit`` has a ``sample_weight``."""
    return bool(has_fit_parameter(estimator, "sample_weight"))


def check_takes_weights(estimator: Any) -> None:
    """Raise ValueError if an estimator's ``fit`` has no ``sample_weight``."""
    if not takes_weights(estimator):
        raise ValueError(f"{type(estimator).__name__} takes no sample_weight.")


def fit_one(
    estimator: Any,
    X: Any,
    positive: npt.NDArray[np.bool_],
    which: npt.NDArray[np.int64] | None = None,
    weight: npt.NDArray[np.float64] = EMPTY,
) -> Any:
    """Fit a clone to a binary problem, on all rows or on those of ``which``.

    Our own learners see their rows in the order of the permutation of all, as they do when all problems are trained in
    one pass: other rows get weight 0 instead of being cut out.
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


def scores_of(model: Any, X: Any) -> npt.NDArray[np.float64]:
    """Return scores that are above 0 for the positive class, from whatever a classifier has."""
    if hasattr(model, "decision_function"):
        return np.ravel(model.decision_function(X)).astype(np.float64)
    probabilities = model.predict_proba(X)
    return np.asarray(probabilities[:, 1] - 0.5, np.float64)
