"""Margins and losses of a given hyperplane, and the radius of the data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.numerics import l2_norm
from textperceptron.margins.problem import Floats, read_rows, read_signs, read_weights, row_lengths


def point_margins(
    X: Any,
    y: npt.ArrayLike,
    coef: npt.ArrayLike,
    intercept: npt.ArrayLike = 0.0,
    *,
    padded: bool = False,
    classes: Sequence[Any] | None = None,
) -> Floats:
    """Return the signed distance of every row from the hyperplane ``w·x + b = 0``, negative on the wrong side.

    Parameters
    ----------
    X : scipy sparse matrix or array of shape (n, d)
    y : n labels of two classes
        The larger label is the positive one.
    coef, intercept : d floats, float
        ``w`` and ``b``; ``coef_`` and ``intercept_`` of an estimator are accepted.
    padded : bool, default=False
        Divide by ``‖(w, b)‖`` instead of ``‖w‖``: the margin of the mistake bound.
    classes : sequence of two labels, optional
        The negative and the positive label; needed if all rows are of one class.

    Returns
    -------
    array of n float64

    Examples
    --------
    >>> from textperceptron.margins import point_margins
    >>> point_margins([[3.0, 0.0], [0.0, 2.0]], ["pos", "neg"], [1.0, 0.0], -1.0).tolist()
    [2.0, 1.0]
    """
    rows = read_rows(X)
    signs = read_signs(y, rows.n_rows, classes)
    w = read_weights(coef, intercept, rows.n_columns)
    norm = l2_norm(w if padded else w[:-1])
    if norm == 0:
        zero = "coef and intercept are" if padded else "coef is"
        raise ValueError(f"{zero} all 0, so there is no direction: a margin is divided by its norm.")
    margins: Floats = signs * rows.scores(w, pad=1.0) / norm
    return margins


def margin(
    X: Any,
    y: npt.ArrayLike,
    coef: npt.ArrayLike,
    intercept: npt.ArrayLike = 0.0,
    *,
    padded: bool = False,
    classes: Sequence[Any] | None = None,
) -> float:
    """Return the margin of a data set: the minimum of :func:`point_margins`, positive if every row is correct.

    Examples
    --------
    >>> from textperceptron.margins import margin
    >>> margin([[3.0, 0.0], [0.0, 2.0]], ["pos", "neg"], [1.0, 0.0], -1.0)
    1.0
    """
    return float(np.min(point_margins(X, y, coef, intercept, padded=padded, classes=classes)))


def radius(X: Any, *, fit_intercept: bool = True) -> float:
    """Return the radius R of the data: the largest ``‖(x, 1)‖``, or ``‖x‖`` without an intercept.

    Examples
    --------
    >>> from textperceptron.margins import radius
    >>> radius([[3.0, 4.0], [1.0, 0.0]], fit_intercept=False)
    5.0
    """
    longest = float(np.max(row_lengths(read_rows(X))))
    return float(np.hypot(longest, 1.0)) if fit_intercept else longest


@dataclass(frozen=True, slots=True)
class Losses:
    """Mean losses of a hyperplane over a data set.

    Attributes
    ----------
    zero_one : float
        Fraction of wrong predictions. A score of exactly 0 predicts the smaller label.
    perceptron : float
        Mean of ``max(0, -y·a)``.
    hinge : float
        Mean of ``max(0, 1 - y·a)``.
    """

    zero_one: float
    perceptron: float
    hinge: float

    def __str__(self) -> str:
        return f"0/1 {self.zero_one:.4f} · perceptron {self.perceptron:.4g} · hinge {self.hinge:.4g}"


def losses(
    X: Any,
    y: npt.ArrayLike,
    coef: npt.ArrayLike,
    intercept: npt.ArrayLike = 0.0,
    *,
    classes: Sequence[Any] | None = None,
) -> Losses:
    """Return the mean 0/1, perceptron and hinge losses of ``w·x + b``; parameters as in :func:`point_margins`.

    Examples
    --------
    >>> from textperceptron.margins import losses
    >>> print(losses([[2.0], [0.5], [0.0]], [1, -1, -1], [1.0]))
    0/1 0.3333 · perceptron 0.1667 · hinge 0.8333
    """
    rows = read_rows(X)
    signs = read_signs(y, rows.n_rows, classes)
    scores = rows.scores(read_weights(coef, intercept, rows.n_columns), pad=1.0)
    agreement = signs * scores
    return Losses(
        zero_one=float(np.mean((scores > 0) != (signs > 0))),
        perceptron=float(np.mean(np.maximum(0, -agreement))),
        hinge=float(np.mean(np.maximum(0, 1 - agreement))),
    )
