"""Log-count ratios: column weights from the relative frequency of a column in one class and in the others."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._parallel import count_jobs, ordered_map

Array = npt.NDArray[Any]

_CHUNK_ENTRIES, _CHUNK_COLUMNS = 1 << 23, 1 << 18  # of one call


def class_sums(
    data: Array,
    indices: Array,
    indptr: Array,
    n_columns: int,
    codes: Array,
    n_classes: int,
    which: npt.NDArray[np.int64] | None = None,
    n_jobs: int | None = None,
) -> npt.NDArray[np.float64]:
    """Return the sum of every column over the rows of each class, an array of shape (n_classes, n_columns).

    ``codes`` has the class code of each row; an empty ``data`` means that every value is 1. With ``which``, only
    those rows count.
    """
    rows = np.arange(len(indptr) - 1) if which is None else which
    sums = np.zeros((n_classes, n_columns))

    def add(_: None, code: int) -> None:
        add_column_sums(data, indices, indptr, rows[codes[rows] == code], sums[code])

    for _ in ordered_map(add, range(n_classes), [None] * min(n_classes, count_jobs(n_jobs))):
        pass
    return sums


def add_column_sums(
    data: Array, indices: Array, indptr: Array, which: npt.NDArray[np.int64], sums: npt.NDArray[np.float64]
) -> None:
    """Add the values of the rows ``which`` to ``sums``, which has one entry per column."""
    size = max(1, _CHUNK_ENTRIES * (len(indptr) - 1) // (len(indices) + 1))  # Ctrl-C waits for one chunk
    for start in range(0, len(which), size):
        _kernels.add_column_sums(data, indices, indptr, which[start : start + size], sums)


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


def log_count_ratios(
    sums: npt.NDArray[np.float64], alpha: float, sizes: Array | None = None, n_jobs: int | None = None
) -> npt.NDArray[np.float64]:
    """Return ``log((p/‖p‖₁) / (q/‖q‖₁))`` with ``p`` and ``q`` smoothed sums of a class and of all others.

    Parameters
    ----------
    sums : array of shape (n_classes, n_columns)
        From :func:`class_sums`.
    alpha : float
        Added to every sum, greater than 0.
    sizes : array of shape (n_classes,), optional
        Number of rows per class. One row more, the mean of all rows, is then added to a class and to the others, and
        twice ``alpha`` is divided between them in proportion to their rows. So a column with the same relative
        frequency in both gets weight 0, however rare it is, and the columns that a class of few rows happens to lack
        do not count much against it.

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
    n_rows = 0 if sizes is None else max(sizes.sum(), 1)
    average = 1 / n_rows if n_rows else 0.0
    shares = np.full(len(sums), 0.5) if sizes is None else (sizes + 1) / (n_rows + 2)
    total = sums.sum(axis=0) if not two else None
    ratios = np.empty((1 if two else len(sums), sums.shape[1]))
    for out, code in zip(ratios, [1] if two else range(len(sums)), strict=True):
        outside = sums[0] if total is None else total - sums[code]
        smoothing = (2 * alpha * shares[code], 2 * alpha * (1 - shares[code]))
        log_ratios(sums[code], outside, smoothing, average, out, n_jobs)
    return ratios


def log_ratios(
    inside: npt.NDArray[np.float64],
    outside: npt.NDArray[np.float64],
    smoothing: tuple[float, float],
    average: float,
    out: npt.NDArray[np.float64],
    n_jobs: int | None = None,
) -> None:
    """Write the ratios of the sums of two classes, each with its smoothing and a share of all sums, to ``out``."""
    n, jobs = len(out), count_jobs(n_jobs)
    of_inside, of_outside = inside.sum(), outside.sum()
    both = average * (of_inside + of_outside)
    scale = (of_outside + n * smoothing[1] + both) / (of_inside + n * smoothing[0] + both) if n else 1.0

    def write(_: None, start: int) -> None:
        chunk = slice(start, start + _CHUNK_COLUMNS)
        _kernels.log_ratios(inside[chunk], outside[chunk], *smoothing, average, scale, out[chunk])

    for _ in ordered_map(write, range(0, n, _CHUNK_COLUMNS), [None] * jobs):
        pass


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
