"""Weights as float16, scaled by a power of two that brings the largest weight near the end of the range."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

MAX_EXPONENT = 126
_TOP = 15  # the largest weight is stored as a value from 2**14 to 2**15; float16 ends at 65504


def choose_exponent(weights: Array) -> int:
    """Return the power of two to scale weights by.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.model.float16 import choose_exponent, decode, encode
    >>> weights = np.array([0.5, -0.001], np.float32)
    >>> choose_exponent(weights)
    -15
    >>> decode(encode(weights, -15), -15)
    array([ 0.5      , -0.0010004], dtype=float32)
    """
    largest = float(np.abs(weights).max(initial=0))
    exponent = math.frexp(largest)[1] - _TOP if largest else 0
    return max(-MAX_EXPONENT, min(MAX_EXPONENT, exponent))


def encode(weights: Array, exponent: int) -> Array:
    """Divide weights by ``2**exponent`` and round them to float16; infinite if out of range."""
    with np.errstate(over="ignore"):
        return np.ldexp(weights.astype(np.float64), -exponent).astype(np.float16)


def decode(stored: Array, exponent: int) -> Array:
    """Multiply float16 values by ``2**exponent``, as float32; infinite if out of range."""
    with np.errstate(over="ignore"):
        return np.ldexp(stored.astype(np.float32), exponent)
