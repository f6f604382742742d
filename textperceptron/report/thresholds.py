"""Precision, recall and F1 at every threshold of a score."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class ThresholdCurve:
    """Precision, recall and F1 of "positive if the score is above the threshold", highest threshold first.

    Attributes
    ----------
    thresholds : array of float64
        Halfway between two neighbouring scores; the last is below all scores.
    precision, recall, f1 : array of float64
        At each threshold.
    """

    thresholds: Floats
    precision: Floats
    recall: Floats
    f1: Floats


def threshold_curve(scores: npt.ArrayLike, positive: npt.ArrayLike) -> ThresholdCurve:
    """Return precision, recall and F1 at every threshold that changes a prediction.

    Parameters
    ----------
    scores : array of n floats
    positive : array of n bool
        Whether each text belongs to the positive class.

    Raises
    ------
    ValueError
        If no text is positive: there is no recall then. (Without negative texts, precision is always 1.)

    Examples
    --------
    >>> from textperceptron.report import threshold_curve
    >>> curve = threshold_curve([-2.0, -1.0, 1.0, 3.0], [False, True, False, True])
    >>> curve.thresholds.tolist(), curve.recall.tolist()
    ([2.0, 0.0, -1.5, -5.0], [0.5, 0.5, 1.0, 1.0])
    """
    values, truth = np.asarray(scores, np.float64), np.asarray(positive, bool)
    if len(values) != len(truth):
        raise ValueError(f"there are {len(values)} scores and {len(truth)} labels: give one of each per text.")
    if not truth.any():
        raise ValueError("no text belongs to the positive class, so there is no recall. Use texts of both classes.")
    order = np.argsort(-values, kind="stable")
    ranked = values[order]
    last = np.append(ranked[:-1] != ranked[1:], True)  # no threshold separates equal scores
    hits, predicted = np.cumsum(truth[order])[last], np.flatnonzero(last) + 1
    distinct = ranked[last]
    below = np.append(distinct[1:], distinct[-1] - 2 * abs(distinct[-1]) - 2)  # as in learn.threshold
    n_positive = truth.sum()
    return ThresholdCurve(
        (distinct + below) / 2, hits / predicted, hits / n_positive, 2 * hits / (predicted + n_positive)
    )
