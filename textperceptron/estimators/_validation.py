"""Validation of input: X → rows, y → labels, classes and codes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.base import BaseEstimator
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import column_or_1d, validate_data

from textperceptron.learn import Rows, check_rows
from textperceptron.learn.rows import weight_dtype
from textperceptron.text.frames import is_missing, values_of

_SETS = (set, frozenset, list, tuple)
_PLAIN = {str, int, bool}


def rows_of(estimator: BaseEstimator, X: Any, *, reset: bool) -> Rows:
    """Validate ``X`` as scikit-learn does, and return its rows; a CSR matrix is not copied.

    A dense array is converted to CSR; integers and booleans become float32.
    """
    _check_dtype(X)
    # The engine's own check of the values names the row and the column, and costs less.
    X = validate_data(estimator, X, accept_sparse="csr", dtype=None, ensure_all_finite=False, reset=reset)
    _check_dtype(X)
    if not sp.issparse(X):
        X = sp.csr_array(X.astype(weight_dtype(X.dtype), copy=False))
    return check_rows(X.data, X.indices, X.indptr, X.shape[1])


def _check_dtype(X: Any) -> None:
    dtype = getattr(X, "dtype", None)
    if dtype is not None and dtype == np.dtype(object):
        raise ValueError(
            "X is an array of objects. Convert it to numbers first, "
            "e.g. with X.astype(numpy.float32); texts go through a vectoriser."
        )
    if dtype == np.float16:
        raise ValueError("X is float16, which no kernel takes. Use X.astype(numpy.float32).")


def labels_of(target: Any) -> npt.NDArray[Any]:
    """Return the labels in a target; raise ValueError unless there is one per row, and all are of one kind."""
    if target is None:
        raise ValueError("This classifier requires y to be passed, but the target y is None.")
    if isinstance(target, list | tuple):
        target = values_of(target, "y")
        for number, row in enumerate(target) if not set(map(type, target)) <= _PLAIN else ():
            if is_missing(row):  # numpy would make it the label "nan"
                raise ValueError(f"y[{number}] is {row!r}: every row needs a label.")
            if isinstance(row, _SETS) and len(row) != 1:
                raise ValueError(
                    f"y[{number}] is {row!r}: a row with several labels, or none, needs OneVsAll(estimator), "
                    "which learns each label against the rows without it."
                )
    y: npt.NDArray[Any] = np.asarray(column_or_1d(target, warn=True))
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        bad = np.flatnonzero(~np.isfinite(y))[0]
        raise ValueError(f"Input y contains NaN or infinity: y[{bad}] is {y[bad]}.")
    if y.dtype.kind == "O":
        missing = next((k for k, label in enumerate(y) if label is None or str(label) in ("nan", "<NA>")), None)
        if missing is not None:
            raise ValueError(f"y[{missing}] is {y[missing]!r}: every row needs a label.")
        _sorted_labels(y)  # raises for labels of different kinds
    if y.dtype.kind not in "biuU":  # of these types every value is a label
        check_classification_targets(y)
    return y


def classes_of(y: npt.NDArray[Any], *, at_least: int = 2) -> npt.NDArray[Any]:
    """Return the distinct labels, sorted."""
    classes = _sorted_labels(y)
    if len(classes) < at_least:
        found = f"only one class, {classes[0]!r}" if len(classes) else "no labels"
        raise ValueError(f"y has {found}: a classifier needs rows of two classes to learn from.")
    return classes


def all_labels(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Return the distinct labels of several arrays, sorted."""
    kinds = {"number" if part.dtype.kind in "biuf" else part.dtype.kind for part in parts}
    labels = np.concatenate(parts)
    if "number" in kinds and len(kinds) > 1:  # numpy would convert numbers to strings
        labels = np.concatenate([part.astype(object) for part in parts])
    return _sorted_labels(labels)


def _sorted_labels(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    try:
        return np.asarray(np.unique(labels))
    except TypeError:
        first = labels[0]
        other = next(label for label in labels if type(label) is not type(first))
        raise ValueError(
            f"the labels {first!r} and {other!r} are of different kinds, which cannot be sorted: use only "
            "strings, or only numbers."
        ) from None


def check_binary(classes: npt.NDArray[Any]) -> None:
    """Raise ValueError for more than two classes."""
    if len(classes) > 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {type_of_target(classes)}: "
            f"y has {len(classes)} classes. Wrap the learner in OneVsAll or OneVsOne."
        )


def codes_of(y: npt.NDArray[Any], n_rows: int, classes: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return the code of each row: the position of its label in ``classes``."""
    if len(y) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, "
            f"but y has {len(y)} labels. Give one label per row."
        )
    try:
        codes = np.minimum(np.searchsorted(classes, y), len(classes) - 1)
        unknown = np.flatnonzero(classes[codes] != y)
    except TypeError:  # labels of another kind, such as numbers among strings
        codes, unknown = np.zeros(len(y), np.intp), np.arange(len(y))
    if len(unknown):
        raise ValueError(
            f"y[{unknown[0]}] is {y[unknown[0]]!r}, which is not among the classes {classes.tolist()}. "
            "Name every label in the `classes` of the first partial_fit."
        )
    return codes


def check_calibrated(estimator: Any, calibrate: bool, what: str = "rows") -> None:
    """Raise AttributeError, as for a method that does not exist, unless an estimator learns probabilities."""
    if not calibrate:
        raise AttributeError(
            f"{type(estimator).__name__} has scores, not probabilities: use decision_function, or set calibrate=True, "
            f"which holds out validation_fraction of the {what} to learn probabilities from."
        )
