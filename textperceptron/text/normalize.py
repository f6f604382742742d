"""Rows of length 1, so that long and short documents have equal influence."""

from __future__ import annotations

import numpy as np

from textperceptron import _kernels
from textperceptron.text.csr import CountMatrix


def normalize(counts: CountMatrix, norm: str | None) -> CountMatrix:
    """Divide each row by its length, in place if values are stored; with ``norm=None`` rows are unchanged.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.csr import CountMatrix
    >>> from textperceptron.text.normalize import normalize
    >>> rows = CountMatrix(np.array([3.0, 4.0, 2.0]), np.array([0, 2, 1]), np.array([0, 2, 2, 3]), 3)
    >>> normalize(rows, "l2").data
    array([0.6, 0.8, 1. ])
    >>> presence = CountMatrix(np.empty(0), np.array([0, 1, 2, 3, 1]), np.array([0, 4, 4, 5]), 4)
    >>> normalize(presence, "l2").data
    array([0.5, 0.5, 0.5, 0.5, 1. ])
    """
    if norm is None:
        return counts
    if len(counts.data):
        _kernels.normalize_rows(counts.data, counts.indptr)
        return counts
    values = np.empty(len(counts.indices), counts.data.dtype)
    _kernels.unit_values(counts.indptr, values)
    return counts._replace(data=values)
