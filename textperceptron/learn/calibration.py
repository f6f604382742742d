"""Scores → probabilities, fitted on rows that training did not see."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from textperceptron.learn.training_data import LabelSets

# Epochs count from 0 and stay far below this; the split for early stopping has another number (plan.py).
_HELD_OUT = (1 << 32) + 1
_STEPS = 100

Floats = npt.NDArray[np.float64]


def hold_out(codes: npt.NDArray[np.intp], weight: Floats, fraction: float, seed: int) -> npt.NDArray[np.int64]:
    """Return rows to calibrate on, ascending: a share of each class, none of a class with too few rows.

    Raises
    ------
    ValueError
        If fewer than two classes have a row to spare.
    """
    generator = np.random.default_rng([seed, _HELD_OUT])
    counts = weight != 0 if len(weight) else np.ones(len(codes), bool)
    parts = []
    for code in np.flatnonzero(np.bincount(codes[counts])):  # np.unique would import numpy.ma: 8 ms
        rows = generator.permutation(np.flatnonzero((codes == code) & counts))
        n = min(len(rows) - 1, round(fraction * len(rows)))
        if n > 0:
            parts.append(rows[:n])
    if len(parts) < 2:
        raise ValueError(
            f"validation_fraction={fraction} would hold out rows of {len(parts)} classes to calibrate on, or to choose "
            "thresholds by, and some of at least two are needed. Give more rows, or a larger validation_fraction."
        )
    return np.sort(np.concatenate(parts))


@dataclass(frozen=True, slots=True)
class Platt:
    """Two classes: ``p = 1 / (1 + exp(−(slope · score + offset)))`` (Platt 1999)."""

    slope: float
    offset: float

    @classmethod
    def fit(cls, scores: Floats, positive: npt.NDArray[np.bool_]) -> Platt:
        """Find the most likely slope and offset by Newton's method.

        The targets are Platt's: a little less than 1 and more than 0, as many rows as there are, so that separable
        scores do not ask for an infinite slope.
        """
        n_positive = int(positive.sum())
        n_negative = len(positive) - n_positive
        target = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
        scale = _spread(scores)
        x = scores / scale
        slope, offset = 0.0, math.log((n_positive + 1) / (n_negative + 1))
        loss = _log_loss(slope * x + offset, target)
        for _ in range(_STEPS):
            p = sigmoid(slope * x + offset)
            error, curve = p - target, p * (1 - p)
            gradient = np.array([np.sum(error * x), np.sum(error)])
            a, b, d = np.sum(curve * x * x) + 1e-10, np.sum(curve * x), np.sum(curve) + 1e-10
            determinant = a * d - b * b
            if determinant <= 0 or np.abs(gradient).max() < 1e-9 * len(x):
                break
            step = np.array([d * gradient[0] - b * gradient[1], a * gradient[1] - b * gradient[0]]) / determinant
            size = 1.0
            while size > 1e-8:  # halve until the loss falls
                trial = slope - size * step[0], offset - size * step[1]
                trial_loss = _log_loss(trial[0] * x + trial[1], target)
                if trial_loss < loss:
                    break
                size /= 2
            else:
                break
            (slope, offset), loss = trial, trial_loss
        return cls(float(slope / scale), float(offset))

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probabilities of both classes, of shape (n_rows, 2)."""
        upper = sigmoid(self.slope * scores + self.offset)
        return np.column_stack([1 - upper, upper])

    def of_row(self, scores: list[float]) -> list[float]:
        """Return the probabilities of both classes for the score of one row, with the bits of :meth:`probabilities`."""
        x = self.slope * scores[0] + self.offset
        small = float(np.exp(-abs(x)))  # math.exp may differ in the last bit
        upper = (1 if x >= 0 else small) / (1 + small)
        return [1 - upper, upper]


@dataclass(frozen=True, slots=True)
class Temperature:
    """More classes: ``p = softmax(sharpness · scores)``; the arg max stays what it was."""

    sharpness: float

    @classmethod
    def fit(cls, scores: Floats, codes: npt.NDArray[np.intp]) -> Temperature:
        """Find the most likely sharpness, a convex problem in one number, by bisection.

        A pseudo-row that is wrong keeps it finite where every held-out row is right.
        """
        scale = _spread(scores)
        x = scores / scale
        right = x[np.arange(len(x)), codes]
        low, high = 0.0, 1.0
        while _slope(x, right, high) < 0 and high < 1e8:
            low, high = high, 2 * high
        for _ in range(_STEPS):
            middle = (low + high) / 2
            if _slope(x, right, middle) < 0:
                low = middle
            else:
                high = middle
            if high - low < 1e-9 * high:
                break
        return cls(float((low + high) / 2 / scale))

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probability of every class, of shape (n_rows, n_classes)."""
        return softmax(self.sharpness * scores)

    def of_row(self, scores: list[float]) -> list[float]:
        """Return the probability of every class for the scores of one row, with the bits of :meth:`probabilities`."""
        x = self.sharpness * np.array(scores)
        e = np.exp(x - x.max())
        probabilities: list[float] = (e / e.sum()).tolist()
        return probabilities


@dataclass(frozen=True, slots=True)
class PlattPerLabel:
    """Several labels per row: Platt's sigmoid for each; the probabilities of a row need not add up to 1."""

    slopes: tuple[float, ...]
    offsets: tuple[float, ...]

    @property
    def n_labels(self) -> int:
        """Number of labels; 0 if there are not as many slopes as offsets."""
        return len(self.slopes) if len(self.slopes) == len(self.offsets) else 0

    @classmethod
    def fit(cls, scores: Floats, sets: LabelSets) -> PlattPerLabel:
        """Fit the sigmoid of each label."""
        labels = [Platt.fit(scores[:, code], sets.positive(code)) for code in range(scores.shape[1])]
        return cls(tuple(each.slope for each in labels), tuple(each.offset for each in labels))

    def probabilities(self, scores: Floats) -> Floats:
        """Return the probability of every label, of shape (n_rows, n_labels)."""
        return sigmoid(np.array(self.slopes) * scores + np.array(self.offsets))

    def of_row(self, scores: list[float]) -> list[float]:
        """Return the probability of every label for the scores of one row."""
        probabilities: list[float] = self.probabilities(np.array(scores)).tolist()
        return probabilities


Calibration = Platt | Temperature | PlattPerLabel


def calibrate(scores: Floats, codes: npt.NDArray[np.intp] | LabelSets) -> Calibration:
    """Fit the calibration that suits the scores: one a row for two classes, else one for each class."""
    if isinstance(codes, LabelSets):
        return PlattPerLabel.fit(scores, codes)
    return Platt.fit(scores, codes == 1) if scores.ndim == 1 else Temperature.fit(scores, codes)


def sigmoid(x: Floats) -> Floats:
    """Return ``1 / (1 + exp(−x))`` without overflow."""
    small = np.exp(-np.abs(x))
    return np.where(x >= 0, 1 / (1 + small), small / (1 + small))


def softmax(x: Floats) -> Floats:
    """Return ``exp(x)`` over its sum, row by row, without overflow."""
    e = np.exp(x - x.max(axis=1, keepdims=True))
    result: Floats = e / e.sum(axis=1, keepdims=True)
    return result


def _spread(scores: Floats) -> float:
    """Return a number by which scores become of the size of 1."""
    return float(np.std(scores)) or 1.0


def _log_loss(margin: Floats, target: Floats) -> float:
    return float(np.sum(np.logaddexp(0, margin) - target * margin))


def _slope(x: Floats, right: Floats, sharpness: float) -> float:
    """Return the derivative of the log loss, with a pseudo-row that is wrong by the mean gap of a row."""
    p = softmax(sharpness * x)
    expected = np.sum(p * x, axis=1)
    mean = x.mean(axis=1)
    gap = float(np.mean(np.abs(right - mean))) or 1.0
    return float(np.sum(expected - right)) + gap


@dataclass(frozen=True, slots=True, eq=False)
class ReliabilityBins:
    """Rows in bins of equal width by confidence, the largest probability of a row.

    Attributes
    ----------
    counts, right : arrays of n_bins int64
        Rows, and those of them whose most probable class is the true one.
    confidence : array of n_bins float64
        Sum of the confidences.
    """

    counts: npt.NDArray[np.int64]
    right: npt.NDArray[np.int64]
    confidence: Floats

    @property
    def expected_calibration_error(self) -> float:
        """Mean difference between confidence and accuracy, weighted by rows."""
        return float(np.abs(self.right - self.confidence).sum() / self.counts.sum())


def reliability_bins(probabilities: Floats, codes: npt.NDArray[np.intp], n_bins: int = 15) -> ReliabilityBins:
    """Count rows and correct ones per bin of confidence.

    Examples
    --------
    >>> bins = reliability_bins(np.array([[0.9, 0.1], [0.4, 0.6]]), np.array([0, 0]), n_bins=5)
    >>> bins.counts.tolist(), bins.right.tolist()
    ([0, 0, 0, 1, 1], [0, 0, 0, 0, 1])
    """
    confidence = probabilities.max(axis=1)
    right = probabilities.argmax(axis=1) == codes
    bins = np.minimum((confidence * n_bins).astype(int), n_bins - 1)
    return ReliabilityBins(
        np.bincount(bins, minlength=n_bins),
        np.bincount(bins[right], minlength=n_bins),
        np.bincount(bins, confidence, minlength=n_bins).astype(np.float64),
    )


def expected_calibration_error(probabilities: Floats, codes: npt.NDArray[np.intp], n_bins: int = 15) -> float:
    """Return the mean difference between confidence and accuracy, over bins of equal width by confidence.

    Examples
    --------
    >>> sure = np.array([[0.9, 0.1]] * 10)
    >>> round(expected_calibration_error(sure, np.array([0] * 9 + [1])), 3)
    0.0
    """
    return reliability_bins(probabilities, codes, n_bins).expected_calibration_error
