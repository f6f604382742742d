"""The threshold of a score with the highest F1."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

# Epochs count from 0 and stay far below this; other splits have other numbers (calibration.py, plan.py).
_FOLDS = (1 << 32) + 2


def best_threshold(scores: npt.NDArray[np.float64], positive: npt.NDArray[np.bool_]) -> float:
    """Return the threshold above which scores have the highest F1; 0 if no score is positive.

    It is halfway between two neighbouring scores; ties go to the lowest.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.learn.threshold import best_threshold
    >>> best_threshold(np.array([-3.0, -2.0, -1.0, 1.0]), np.array([False, False, True, True]))
    -1.5
    """
    if not positive.any():
        return 0.0
    order = np.argsort(-scores, kind="stable")
    ranked, hits = scores[order], np.cumsum(positive[order])
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + positive.sum())
    f1[:-1][ranked[:-1] == ranked[1:]] = -1  # no threshold separates equal scores
    best = int(np.flatnonzero(f1 == f1.max())[-1])
    below = ranked[best + 1] if best + 1 < len(ranked) else ranked[best] - 2 * abs(ranked[best]) - 2
    return float((ranked[best] + below) / 2)


def stratified_folds(codes: npt.NDArray[Any], which: npt.NDArray[np.bool_], seed: int, k: int = 5) -> Iterator[Any]:
    """Yield the rows of each fold: an equal share of the rows ``which`` of each of two classes.

    Raises
    ------
    ValueError
        If a class has fewer than two rows.
    """
    generator = np.random.default_rng([seed, _FOLDS])
    rows = [generator.permutation(np.flatnonzero((codes == code) & which)) for code in (0, 1)]
    k = min(k, *map(len, rows))
    if k < 2:
        raise ValueError("threshold='f1' needs at least two rows of each class. Give more rows, or no threshold.")
    for fold in range(k):
        yield np.sort(np.concatenate([each[fold::k] for each in rows]))
