"""Rows of one length, so that long documents and short ones weigh alike."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron.text.rows import CountMatrix

Norm = Literal["l2"]


def check_norm(norm: str | None, dtype: npt.DTypeLike) -> None:
    """Raise unless values of a type can be scaled in this way.

    Raises
    ------
    ValueError
        With the value and what would be right.
    """
    if norm not in (None, "l2"):
        raise ValueError(f"norm={norm!r}: use 'l2', which divides each row by its length, or None.")
    if norm is not None and np.dtype(dtype) not in (np.dtype(np.float32), np.dtype(np.float64)):
        raise ValueError(
            f"norm={norm!r} makes fractions, which dtype={np.dtype(dtype).name} cannot hold. Use float32 or float64."
        )


def scaled(counts: CountMatrix, norm: str | None) -> CountMatrix:
    """Return rows of length 1, in the same arrays; those without a term stay empty, and all stay if there is no norm.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.lengths import scaled
    >>> from textperceptron.text.rows import CountMatrix
    >>> rows = CountMatrix(np.array([3.0, 4.0, 2.0]), np.array([0, 2, 1]), np.array([0, 2, 2, 3]), 3)
    >>> scaled(rows, "l2").data
    array([0.6, 0.8, 1. ])
    """
    if norm is not None:
        _kernels.scale_rows(counts.data, counts.indptr)
    return counts


def scaled_presence(counts: CountMatrix, dtype: npt.DTypeLike) -> CountMatrix:
    """Return rows of length 1 for counts that were made without values, each of which stands for 1.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.lengths import scaled_presence
    >>> from textperceptron.text.rows import CountMatrix
    >>> rows = CountMatrix(np.empty(0), np.array([0, 1, 2, 3, 1]), np.array([0, 4, 4, 5]), 4)
    >>> scaled_presence(rows, np.float32).data.tolist()
    [0.5, 0.5, 0.5, 0.5, 1.0]
    """
    sizes = np.diff(counts.indptr)
    values = 1 / np.sqrt(np.maximum(sizes, 1))
    return counts._replace(data=np.repeat(values.astype(dtype), sizes))
