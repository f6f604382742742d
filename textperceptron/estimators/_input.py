"""From what users pass to what the engine takes."""

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

_SETS = (set, frozenset, list, tuple)


def rows_of(estimator: BaseEstimator, X: Any, *, reset: bool) -> Rows:
    """Check ``X`` as scikit-learn would, without copying a CSR matrix, and wrap it for the kernels.

    A dense array is accepted and stored sparsely; integers and booleans become float32.
    """
    _refuse_types_that_hide_mistakes(X)
    # The engine's own check of the values names the row and the column, and costs less.
    X = validate_data(estimator, X, accept_sparse="csr", dtype=None, ensure_all_finite=False, reset=reset)
    _refuse_types_that_hide_mistakes(X)
    if not sp.issparse(X):
        X = sp.csr_array(X.astype(weight_dtype(X.dtype), copy=False))
    return check_rows(X.data, X.indices, X.indptr, X.shape[1])


def _refuse_types_that_hide_mistakes(X: Any) -> None:
    dtype = getattr(X, "dtype", None)
    if dtype is not None and dtype == np.dtype(object):
        raise ValueError(
            "X is an array of objects, which may hold anything. Convert it to numbers first, "
            "e.g. with X.astype(numpy.float32); texts go through a vectoriser."
        )
    if dtype == np.float16:
        raise ValueError("X is float16, which no kernel takes. Use X.astype(numpy.float32).")


def labels_of(target: Any) -> npt.NDArray[Any]:
    """Check that a target can be labels: one dimension, no missing values, classes rather than quantities."""
    if target is None:
        raise ValueError("This classifier requires y to be passed, but the target y is None.")
    if isinstance(target, list | tuple):
        for place, row in enumerate(target):
            if isinstance(row, _SETS) and len(row) != 1:
                raise ValueError(
                    f"y[{place}] is {row!r}: several labels a row, or none, need OneVsAll(estimator), which "
                    "learns each label against the rows without it."
                )
    y: npt.NDArray[Any] = np.asarray(column_or_1d(target, warn=True))
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        bad = np.flatnonzero(~np.isfinite(y))[0]
        raise ValueError(f"Input y contains NaN or infinity: y[{bad}] is {y[bad]}.")
    if y.dtype.kind == "O":
        missing = next((place for place, label in enumerate(y) if label is None or str(label) in ("nan", "<NA>")), None)
        if missing is not None:
            raise ValueError(f"y[{missing}] is {y[missing]!r}: every row needs a label.")
        _sorted_labels(y)  # refuses labels of different kinds
    if y.dtype.kind not in "biuU":  # of these types every value is a label
        check_classification_targets(y)
    return y


def classes_of(y: npt.NDArray[Any], *, at_least: int = 2) -> npt.NDArray[Any]:
    """Return the classes among labels, sorted."""
    classes = _sorted_labels(y)
    if len(classes) < at_least:
        found = f"only one class, {classes[0]!r}" if len(classes) else "no labels"
        raise ValueError(f"y has {found}: a classifier needs rows of two classes to learn from.")
    return classes


def all_labels(parts: Sequence[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    """Return the labels that stand in any of several arrays, sorted."""
    kinds = {"number" if part.dtype.kind in "biuf" else part.dtype.kind for part in parts}
    labels = np.concatenate(parts)
    if "number" in kinds and len(kinds) > 1:  # numpy would make strings of the numbers
        labels = np.concatenate([part.astype(object) for part in parts])
    return _sorted_labels(labels)


def _sorted_labels(labels: npt.NDArray[Any]) -> npt.NDArray[Any]:
    try:
        return np.asarray(np.unique(labels))
    except TypeError:
        first = labels[0]
        other = next(label for label in labels if type(label) is not type(first))
        raise ValueError(
            f"the labels {first!r} and {other!r} are of different kinds, which cannot be put in order: use only "
            "strings, or only numbers."
        ) from None


def refuse_more_than_two(classes: npt.NDArray[Any]) -> None:
    """Raise ValueError if there are more classes than a binary learner takes."""
    if len(classes) > 2:
        raise ValueError(
            f"Only binary classification is supported. The type of the target is {type_of_target(classes)}: "
            f"y has {len(classes)} classes. Wrap the learner in OneVsAll or OneVsOne."
        )


def positions(y: npt.NDArray[Any], n_rows: int, classes: npt.NDArray[Any]) -> npt.NDArray[np.intp]:
    """Return for each row the position of its label in the sorted ``classes``, which must hold it."""
    if len(y) != n_rows:
        raise ValueError(
            f"Found input variables with inconsistent numbers of samples: X has {n_rows} rows, "
            f"but y has {len(y)} labels. Give one label a row."
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
