"""Weights in two bytes: float16, times a power of two that brings the largest of them near its end."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

MOST_EXPONENT = 126
_TOP = 15  # the largest weight is kept as a number from 2**14 to 2**15; float16 ends at 65504


def exponent_for(weights: Array) -> int:
    """Return the power of two for some weights.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.model.halves import exponent_for, halved, unhalved
    >>> weights = np.array([0.5, -0.001], np.float32)
    >>> exponent_for(weights)
    -15
    >>> unhalved(halved(weights, -15), -15)
    array([ 0.5      , -0.0010004], dtype=float32)
    """
    largest = float(np.abs(weights).max(initial=0))
    exponent = math.frexp(largest)[1] - _TOP if largest else 0
    return max(-MOST_EXPONENT, min(MOST_EXPONENT, exponent))


def halved(weights: Array, exponent: int) -> Array:
    """Return weights over a power of two, rounded to float16; infinite if that is beyond its range."""
    with np.errstate(over="ignore"):
        return np.ldexp(weights.astype(np.float64), -exponent).astype(np.float16)


def unhalved(stored: Array, exponent: int) -> Array:
    """Return weights of float16, times a power of two, as float32; infinite if that is beyond its range."""
    with np.errstate(over="ignore"):
        return np.ldexp(stored.astype(np.float32), exponent)
