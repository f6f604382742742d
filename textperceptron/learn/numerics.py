"""Sums over whole arrays that are the same bits for any number of threads.

BLAS (``@``, ``numpy.linalg.norm``) splits a sum among its threads, so its last bits depend on the machine. On a busy
machine its threads also wait for each other: a margin search on IMDB took 27 s with BLAS and takes 1.2 s without.
"""

from __future__ import annotations

import math

import numpy as np

from textperceptron.learn.state import Array


def dot(a: Array, b: Array) -> float:
    """Return ``Σ a·b`` in double.

    Examples
    --------
    >>> dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
    11.0
    """
    return float(np.sum(np.multiply(a, b, dtype=np.float64)))


def l2_norm(vector: Array) -> float:
    """Return ``‖vector‖₂`` in double.

    Examples
    --------
    >>> l2_norm(np.array([3.0, 4.0]))
    5.0
    """
    return math.sqrt(dot(vector, vector))
