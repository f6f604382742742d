"""What the other files work on: rows and signs, read from a user's matrix and labels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import add_rows, row_norms
from textperceptron.learn.rows import Array, Rows, check_rows

Floats = npt.NDArray[np.float64]
Intercept = Literal["free", "padded", "none"]


@dataclass(frozen=True, slots=True, eq=False)
class Problem:
    """Rows with their signs, and what the intercept is.

    Attributes
    ----------
    rows : Rows
    signs : array of int8
        +1 for the greater label, -1 for the other.
    norms : array of float64
        ``‖x‖`` of every row, without the padded 1.
    intercept : {"free", "padded", "none"}
        ``"free"`` does not count in the length of ``(w, b)`` (the geometric margin), ``"padded"`` does.
    """

    rows: Rows
    signs: npt.NDArray[np.int8]
    norms: Floats
    intercept: Intercept

    @property
    def pad(self) -> float:
        """The constant behind every row: 0 without an intercept, else 1."""
        return 0.0 if self.intercept == "none" else 1.0

    @property
    def radius(self) -> float:
        """The length of the longest row, the padded 1 included."""
        return float(np.sqrt(np.max(self.norms) ** 2 + self.pad**2))

    def with_intercept(self, intercept: Intercept) -> Problem:
        """Return the same rows under another kind of intercept."""
        return replace(self, intercept=intercept)

    def combine(self, weights: Floats) -> Floats:
        """Return ``Σ weights·y·(x, pad)``: a point of the hull of the signed rows, if the weights say so."""
        support = np.flatnonzero(weights)
        point = np.zeros(self.rows.n_columns + 1)
        step = weights[support] * self.signs[support]
        add_rows(self.rows.data, self.rows.indices, self.rows.indptr, support, step, point, self.pad)
        return point


def read_problem(X: Any, y: npt.ArrayLike, intercept: Intercept) -> Problem:
    """Check ``X`` and ``y`` and wrap them."""
    rows = read_rows(X)
    norms = lengths(rows)
    return Problem(rows, read_signs(y, rows.n_rows), norms, intercept)


def read_rows(X: Any) -> Rows:
    """Return the rows of a scipy sparse matrix, a 2-d array or ``Rows``."""
    if isinstance(X, Rows):
        return X
    if not hasattr(X, "tocsr"):
        X = np.asarray(X)
    if len(X.shape) != 2 or X.shape[0] == 0:
        raise ValueError(
            f"X has shape {X.shape}; it must be a matrix with at least one row and two dimensions. "
            "Write a single row as X.reshape(1, -1)."
        )
    data, indices, indptr = _sparse_parts(X) if hasattr(X, "tocsr") else _dense_parts(X)
    if data.dtype.kind in "iub":
        data = data.astype(np.float64)  # float32 would round integers from 2**24 on: not this data's margin
    return check_rows(data, indices, indptr, X.shape[1])


def _sparse_parts(X: Any) -> tuple[Array, Array, Array]:
    csr = X.tocsr()
    return csr.data, csr.indices, csr.indptr


def _dense_parts(X: Array) -> tuple[Array, Array, Array]:
    if X.dtype.kind not in "fiub":
        raise ValueError(
            f"X holds values of type {X.dtype}, not numbers. Turn texts into columns first, e.g. with BagOfWords."
        )
    rows, columns = np.nonzero(X)
    starts = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=X.shape[0]))])
    return X[rows, columns], columns, starts


def read_signs(y: npt.ArrayLike, n_rows: int, classes: Sequence[Any] | None = None) -> npt.NDArray[np.int8]:
    """Return +1 where ``y`` is the greater of its two labels, or ``classes[1]``, and -1 elsewhere."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"y has shape {labels.shape}; it must be one label a row. Pass y.ravel().")
    if len(labels) != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {len(labels)} labels: each row needs one label.")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise ValueError(f"y is NaN in row {int(np.isnan(labels).argmax())}. Drop rows without a label.")
    known = _two_classes(labels) if classes is None else np.asarray(classes)
    if len(known) != 2 or known[0] == known[1]:
        raise ValueError(f"classes is {classes!r}; give two different labels, the one that is -1 first.")
    positive, negative = labels == known[1], labels == known[0]
    if not np.all(positive | negative):
        row = int(np.argmin(positive | negative))
        raise ValueError(f"y is {labels.tolist()[row]!r} in row {row}, but classes are {known.tolist()!r}.")
    return np.where(positive, 1, -1).astype(np.int8)


def _two_classes(labels: Array) -> Array:
    try:
        known: Array = np.unique(labels)
    except TypeError:
        raise ValueError("y mixes labels that have no order, e.g. text and numbers. Use one type.") from None
    if len(known) != 2:
        shown = ", ".join(map(repr, known[:5].tolist())) + (", …" if len(known) > 5 else "")
        raise ValueError(
            f"y has {len(known)} class{'es' if len(known) != 1 else ''} ({shown}), but a margin needs two. "
            "For rows of one class give classes=(negative, positive) where the function takes it; for more "
            "than two take them one against the rest, y == label."
        )
    return known


def read_weights(coef: npt.ArrayLike, intercept: npt.ArrayLike, n_columns: int) -> Floats:
    """Return the coefficients with the intercept behind them; ``(1, d)`` and ``(1,)`` are taken as well."""
    w = np.asarray(coef, np.float64)
    w = w[0] if w.ndim == 2 and w.shape[0] == 1 else w
    if w.shape != (n_columns,):
        raise ValueError(
            f"coef has shape {np.shape(coef)}, but X has {n_columns} columns: give one coefficient a column."
        )
    b = np.asarray(intercept, np.float64).ravel()
    if len(b) != 1:
        raise ValueError(f"intercept has {len(b)} values; a separating direction has one.")
    together = np.concatenate([w, b])
    if not np.isfinite(together).all():
        bad = int(np.argmin(np.isfinite(together)))
        place = "intercept" if bad == n_columns else f"coef[{bad}]"
        raise ValueError(f"{place} is {together[bad]}. A direction must be finite: train again.")
    return together


def lengths(rows: Rows) -> Floats:
    """Return ``‖x‖`` of every row."""
    norms = np.empty(rows.n_rows)
    row_norms(rows.data, rows.indptr, norms, 0.0)
    return norms
