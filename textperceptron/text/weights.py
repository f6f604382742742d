"""Supervised column weights: how much more of a column one class has than the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]


def class_sums(data: Array, indices: Array, indptr: Array, n_columns: int, codes: Array, n_classes: int) -> Array:
    """Return the sum of every column over the rows of each class, in float64.

    ``codes`` holds each row's class as a number from 0; an empty ``data`` means that every value is 1.
    """
    sums = np.empty((n_classes, n_columns))
    lengths = np.diff(indptr)
    row_class = np.repeat(codes, lengths)
    for code in range(n_classes):
        mine = row_class == code
        values = data[mine] if len(data) else None
        sums[code] = np.bincount(indices[mine], values, minlength=n_columns)
    return sums


def log_count_ratios(sums: Array, alpha: float) -> Array:
    """Return ``log((p/‖p‖₁) / (q/‖q‖₁))`` with ``p`` and ``q`` smoothed sums of a class and of all others.

    Parameters
    ----------
    sums : array of shape (n_classes, n_columns)
        As :func:`class_sums` gives them.
    alpha : float
        Added to every sum, greater than 0.

    Returns
    -------
    array of shape (n_classes, n_columns), or (1, n_columns) for two classes
        For two classes the row is that of the second, which learners call positive.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.weights import log_count_ratios
    >>> log_count_ratios(np.array([[3.0, 0.0], [0.0, 1.0]]), alpha=1.0).round(3)
    array([[-0.875,  1.204]])
    """
    total = sums.sum(axis=0)
    ratios = np.empty((1 if len(sums) == 2 else len(sums), sums.shape[1]))
    for row, code in enumerate([1] if len(sums) == 2 else range(len(sums))):
        inside = alpha + sums[code]
        outside = alpha + (total - sums[code])
        ratios[row] = np.log((inside / inside.sum()) / (outside / outside.sum()))
    return ratios


def scale_columns(data: Array, indices: Array, weights: Array, out: Array | None = None) -> Array:
    """Return the values of rows whose columns are multiplied by ``weights``; the columns stay where they are.

    An empty ``data`` means that every value is 1. With ``out`` nothing is allocated: a learner can weight a
    matrix for one class after the other in the same array, beside the one set of columns.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.weights import scale_columns
    >>> scale_columns(np.array([1.0, 2.0]), np.array([0, 2]), np.array([0.5, 9.0, -1.0]))
    array([ 0.5, -2. ])
    """
    scaled = np.take(weights, indices, out=out, mode="clip" if out is not None else "raise")
    if len(data):
        scaled *= data
    return scaled
