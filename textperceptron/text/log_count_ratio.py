"""Log-count ratios: column weights from the relative frequency of a column in one class and in the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels

Array = npt.NDArray[Any]

_CHUNK_ENTRIES = 1 << 23


def class_sums(
    data: Array,
    indices: Array,
    indptr: Array,
    n_columns: int,
    codes: Array,
    n_classes: int,
    which: npt.NDArray[np.int64] | None = None,
) -> Array:
    """Return the sum of every column over the rows of each class, in float64, of shape (n_classes, n_columns).

    ``codes`` has the class code of each row; an empty ``data`` means that every value is 1. With ``which``, only
    those rows count.
    """
    sums = np.zeros((n_columns, n_classes))
    rows = np.arange(len(indptr) - 1) if which is None else which
    codes = codes.astype(np.int64, copy=False)
    size = max(1, _CHUNK_ENTRIES * len(rows) // (len(indices) + 1))  # Ctrl-C waits for one chunk
    for start in range(0, len(rows), size):
        _kernels.add_class_sums(data, indices, indptr, codes, rows[start : start + size], sums)
    return sums.T


def presence(data: Array) -> Array:
    """Return 1 for every value other than 0; an empty array if no value is 0.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.log_count_ratio import presence
    >>> presence(np.array([2.0, 0.0, 0.5])), len(presence(np.array([2.0, 0.5])))
    (array([1., 0., 1.]), 0)
    """
    there = data != 0
    return data[:0] if there.all() else there.astype(data.dtype)


def log_count_ratios(sums: Array, alpha: float, sizes: Array | None = None) -> Array:
    """Return ``log((p/‖p‖₁) / (q/‖q‖₁))`` with ``p`` and ``q`` smoothed sums of a class and of all others.

    Parameters
    ----------
    sums : array of shape (n_classes, n_columns)
        From :func:`class_sums`.
    alpha : float
        Added to every sum, greater than 0.
    sizes : array of shape (n_classes,), optional
        Number of rows per class. Twice ``alpha`` is then divided between a class and the others in proportion to their
        rows, so that a column with the same relative frequency in both gets weight 0, however rare it is. With equal
        parts, the smaller class would seem to have more of every rare column that it lacks.

    Returns
    -------
    array of shape (n_classes, n_columns), or (1, n_columns) for two classes
        For two classes, the row of the second, the positive class.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.log_count_ratio import log_count_ratios
    >>> log_count_ratios(np.array([[3.0, 0.0], [0.0, 1.0]]), alpha=1.0).round(3)
    array([[-0.875,  1.204]])
    >>> sums = np.array([[9.0, 0.0], [3.0, 0.0]])  # of 9 and 3 rows, all have the first column
    >>> log_count_ratios(sums, 1.0).round(3), log_count_ratios(sums, 1.0, sizes=np.array([9, 3])).round(3) + 0.0
    (array([[-0.128,  0.788]]), array([[0., 0.]]))
    """
    two = len(sums) == 2
    rows = None if sizes is None else np.maximum(sizes, 1)  # finite weights for a class without rows
    shares = np.full(len(sums), 0.5) if rows is None else rows / rows.sum()
    total = None if two else sums.sum(axis=0)
    ratios = np.empty((1 if two else len(sums), sums.shape[1]))
    for row, code in enumerate([1] if two else range(len(sums))):
        inside = np.add(sums[code], 2 * alpha * shares[code], out=ratios[row])
        outside = (sums[0] if total is None else total - sums[code]) + 2 * alpha * (1 - shares[code])
        # In place: a corpus of long n-grams has tens of millions of columns.
        inside /= inside.sum()
        outside /= outside.sum()
        inside /= outside
        np.log(inside, out=inside)
    return ratios


def scale_columns(data: Array, indices: Array, weights: Array) -> Array:
    """Return the values of rows with their columns multiplied by ``weights``.

    An empty ``data`` means that every value is 1.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.log_count_ratio import scale_columns
    >>> scale_columns(np.array([1.0, 2.0]), np.array([0, 2]), np.array([0.5, 9.0, -1.0]))
    array([ 0.5, -2. ])
    """
    scaled: Array = np.take(weights, indices)
    if len(data):
        scaled *= data
    return scaled
