"""Rows of length 1, so that long documents and short ones weigh alike."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron.text.csr import CountMatrix

Norm = Literal["l2"]


def check_norm(norm: str | None, dtype: npt.DTypeLike) -> None:
    """Raise unless values of a type can be scaled in this way.

    Raises
    ------
    ValueError
        With the value and the valid ones.
    """
    if norm not in (None, "l2"):
        raise ValueError(f"norm={norm!r}: use 'l2', which divides each row by its length, or None.")
    if norm is not None and np.dtype(dtype) not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(
            f"norm={norm!r} makes fractions, which dtype={np.dtype(dtype).name} cannot hold. Use float32 or float64."
        )


def normalize(counts: CountMatrix, norm: str | None) -> CountMatrix:
    """Divide each row by its length, in place where values are stored; empty rows stay, and all do without a norm.

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
    sizes = np.diff(counts.indptr)
    values = 1 / np.sqrt(np.maximum(sizes, 1))
    return counts._replace(data=np.repeat(values.astype(counts.data.dtype), sizes))
