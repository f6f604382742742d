"""Weights between what was learnt and what the column weights say by themselves."""

from __future__ import annotations

import numpy as np

from textperceptron.learn.state import Array


def interpolated(weights: Array, column_weight: Array, share: float, *, moved_only: bool) -> Array:
    """Return ``(1 − share) · m · r + share · w`` for weights w, intercept last, that were learnt with column weights r.

    What a learner moves are the weights ``v = w / r`` of the weighted columns, and m is the mean of their sizes: of
    all, or with ``moved_only``, which is for rows of length 1, of those that are not zero. So every v is drawn towards
    m, and with a share of 0 only the column weights would be left, which for log-count ratios is naive Bayes. The
    intercept, which has no column weight, becomes ``share · b``.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.learn.interpolation import interpolated
    >>> w, r = np.array([4.0, -1.0, 0.0, 0.5]), np.array([2.0, -1.0, 3.0])
    >>> interpolated(w, r, 0.5, moved_only=False)
    array([ 3. , -1. ,  1.5 ,  0.25])
    >>> interpolated(w, r, 0.5, moved_only=True)
    array([ 3.5 , -1.25,  2.25,  0.25])
    """
    own = np.asarray(weights[:-1], np.float64)
    moved = own != 0
    sizes = np.abs(own[moved] / column_weight[moved])
    mean = sizes.sum() / max(1, len(sizes) if moved_only else len(own))
    result = share * np.asarray(weights, np.float64)
    result[:-1] += (1 - share) * mean * column_weight
    return result.astype(weights.dtype)
