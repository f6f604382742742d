"""Rows and signs, validated from a matrix and labels: the input of all other modules here."""

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
    """Rows, their signs, and the kind of intercept.

    Attributes
    ----------
    rows : Rows
    signs : array of int8
        +1 for the larger label, -1 for the other.
    norms : array of float64
        ``‖x‖`` of every row, without the padded 1.
    intercept : {"free", "padded", "none"}
        ``"free"`` is not part of the norm of ``(w, b)`` (geometric margin), ``"padded"`` is.
    """

    rows: Rows
    signs: npt.NDArray[np.int8]
    norms: Floats
    intercept: Intercept

    @property
    def pad(self) -> float:
        """The constant appended to every row: 0 without an intercept, else 1."""
        return 0.0 if self.intercept == "none" else 1.0

    @property
    def radius(self) -> float:
        """The norm of the longest row, including the padded 1."""
        return float(np.sqrt(np.max(self.norms) ** 2 + self.pad**2))

    def with_intercept(self, intercept: Intercept) -> Problem:
        """Return the same rows with another kind of intercept."""
        return replace(self, intercept=intercept)

    def combine(self, weights: Floats) -> Floats:
        """Return ``Σ weights·y·(x, pad)``, a point of the hull of the signed rows if the weights are convex."""
        support = np.flatnonzero(weights)
        point = np.zeros(self.rows.n_columns + 1)
        step = weights[support] * self.signs[support]
        add_rows(self.rows.data, self.rows.indices, self.rows.indptr, support, step, point, self.pad)
        return point


def read_problem(X: Any, y: npt.ArrayLike, intercept: Intercept) -> Problem:
    """Validate ``X`` and ``y``."""
    rows = read_rows(X)
    return Problem(rows, read_signs(y, rows.n_rows), row_lengths(rows), intercept)


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
    data, indices, indptr = _from_sparse(X) if hasattr(X, "tocsr") else _from_dense(X)
    if data.dtype.kind in "iub":
        data = data.astype(np.float64)  # float32 would round integers from 2**24 on
    return check_rows(data, indices, indptr, X.shape[1])


def _from_sparse(X: Any) -> tuple[Array, Array, Array]:
    csr = X.tocsr()
    return csr.data, csr.indices, csr.indptr


def _from_dense(X: Array) -> tuple[Array, Array, Array]:
    if X.dtype.kind not in "fiub":
        raise ValueError(
            f"X has values of type {X.dtype}, not numbers. Turn texts into columns first, e.g. with BagOfWords."
        )
    rows, columns = np.nonzero(X)
    indptr = np.concatenate([[0], np.cumsum(np.bincount(rows, minlength=X.shape[0]))])
    return X[rows, columns], columns, indptr


def read_signs(y: npt.ArrayLike, n_rows: int, classes: Sequence[Any] | None = None) -> npt.NDArray[np.int8]:
    """Return +1 where ``y`` is the larger of its two labels, or ``classes[1]``, and -1 elsewhere."""
    labels = np.asarray(y)
    if labels.ndim != 1:
        raise ValueError(f"y has shape {labels.shape}; it must have one label per row. Pass y.ravel().")
    if len(labels) != n_rows:
        raise ValueError(f"X has {n_rows} rows, but y has {len(labels)} labels: each row needs one label.")
    if labels.dtype.kind == "f" and np.isnan(labels).any():
        raise ValueError(f"y is NaN in row {int(np.isnan(labels).argmax())}. Drop rows without a label.")
    known = _two_classes(labels) if classes is None else np.asarray(classes)
    if len(known) != 2 or known[0] == known[1]:
        raise ValueError(f"classes is {classes!r}; give two different labels, the negative one first.")
    positive, negative = labels == known[1], labels == known[0]
    if not np.all(positive | negative):
        row = int(np.argmin(positive | negative))
        raise ValueError(f"y is {labels.tolist()[row]!r} in row {row}, but classes are {known.tolist()!r}.")
    return np.where(positive, 1, -1).astype(np.int8)


def _two_classes(labels: Array) -> Array:
    try:
        known: Array = np.unique(labels)
    except TypeError:
        raise ValueError("y mixes labels that cannot be ordered, e.g. text and numbers. Use one type.") from None
    if len(known) != 2:
        shown = ", ".join(map(repr, known[:5].tolist())) + (", …" if len(known) > 5 else "")
        raise ValueError(
            f"y has {len(known)} class{'es' if len(known) != 1 else ''} ({shown}), but a margin needs two. "
            "For rows of one class pass classes=(negative, positive) where the function accepts it; for more "
            "than two classes compare one with the rest: y == label."
        )
    return known


def read_weights(coef: npt.ArrayLike, intercept: npt.ArrayLike, n_columns: int) -> Floats:
    """Return the coefficients followed by the intercept; shapes ``(1, d)`` and ``(1,)`` are accepted."""
    w = np.asarray(coef, np.float64)
    w = w[0] if w.ndim == 2 and w.shape[0] == 1 else w
    if w.shape != (n_columns,):
        raise ValueError(
            f"coef has shape {np.shape(coef)}, but X has {n_columns} columns: give one coefficient per column."
        )
    b = np.asarray(intercept, np.float64).ravel()
    if len(b) != 1:
        raise ValueError(f"intercept has {len(b)} values; a hyperplane has one.")
    weights = np.concatenate([w, b])
    if not np.isfinite(weights).all():
        bad = int(np.argmin(np.isfinite(weights)))
        name = "intercept" if bad == n_columns else f"coef[{bad}]"
        raise ValueError(f"{name} is {weights[bad]}. A direction must be finite. Train again.")
    return weights


def row_lengths(rows: Rows) -> Floats:
    """Return ``‖x‖`` of every row."""
    norms = np.empty(rows.n_rows)
    row_norms(rows.data, rows.indptr, norms, 0.0)
    return norms
