"""Two certificates around the attainable margin: a direction from below, hull weights from above.

Both are recomputed from the data whenever they are offered, with an allowance for rounding, so they hold
whatever the optimiser that found them did.
"""

from __future__ import annotations

from math import inf

import numpy as np

from textperceptron.learn.numerics import dot, length
from textperceptron.margins.problem import Floats, Problem

EPS = float(np.finfo(np.float64).eps)  # twice the rounding error of one operation: generous on purpose
TINY = 1e-150  # more than what squares lose that are too small for a double


class Bracket:
    """The best certificates offered so far.

    Attributes
    ----------
    lower : float
        Margin that ``coef`` and ``intercept`` have for certain; ``-inf`` until some direction separates.
    upper : float
        What no direction can exceed, by ``weights``.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.lower, self.upper = -inf, inf
        self.coef: Floats | None = None
        self.intercept = 0.0
        self.weights = np.ones(len(problem.signs))
        self.offer_weights(self.weights)

    @property
    def gap(self) -> float:
        """What is still unknown, relative to ``upper``; infinite until some direction separates."""
        return 1 - self.lower / self.upper if self.lower > 0 else inf

    def offer_direction(self, direction: Floats) -> None:
        """Keep ``direction`` (the intercept behind the coefficients) if it has a greater margin."""
        largest = float(np.max(np.abs(direction)))
        if not 0 < largest < inf:
            return
        unit = direction / largest  # first, or the squares of a long one overflow
        unit /= self._length(unit) or 1.0
        scores = self.problem.rows.scores(unit, pad=0.0)
        if self.problem.intercept == "free":
            unit[-1] = self._midpoint(scores)
        b = self.problem.pad * unit[-1]
        certain = self.problem.signs * (scores + b) - self._score_error(unit, scores, b)
        slack = 1 + (len(unit) + 4) * EPS  # of the length
        length = self._length(unit) * slack
        lower = float(np.min(certain)) / length if length else -inf
        if lower > max(0.0, self.lower):
            self.lower, self.coef, self.intercept = lower, unit[:-1], float(b)

    def offer_weights(self, weights: Floats) -> None:
        """Keep ``weights`` (of the rows, none negative) if their point is nearer to the origin."""
        shares = self._shares(weights)
        if shares is None:
            return
        point = self.problem.combine(shares)
        reach = dot(shares, np.hypot(self.problem.norms, self.problem.pad))
        # Each of the m additions into a column rounds, and so does the sum that makes the shares add to 1.
        error = (np.count_nonzero(shares) + 8) * EPS * reach + TINY
        distance = self._length(point) * (1 + (len(point) + 4) * EPS) + float(error)
        upper = distance / 2 if self.problem.intercept == "free" else distance
        if upper < self.upper:
            self.upper, self.weights = upper, shares

    def settle(self, weights: Floats, upper: float) -> None:
        """Take weights that were proved to have a point within ``upper`` of the origin."""
        shares = self._shares(weights)
        if shares is not None:
            self.upper, self.weights = upper, shares

    def _length(self, direction: Floats) -> float:
        counted = direction if self.problem.intercept == "padded" else direction[:-1]
        return length(counted)

    def _midpoint(self, scores: Floats) -> float:
        positive = self.problem.signs > 0
        return -float(np.min(scores[positive]) + np.max(scores[~positive])) / 2

    def _score_error(self, unit: Floats, scores: Floats, b: float) -> Floats:
        """Bound the rounding of each score: a sum of n products is off by at most n·eps·‖x‖·‖w‖."""
        products = np.diff(self.problem.rows.indptr) + 4.0
        reach = length(unit[:-1])
        error: Floats = EPS * (products * self.problem.norms * reach + 2 * (np.abs(scores) + abs(b)))
        return error + TINY

    def _shares(self, weights: Floats) -> Floats | None:
        """Scale the weights to sum to 1, by class where the intercept is free; None if they cannot be."""
        weights = np.maximum(weights, 0)
        if self.problem.intercept == "free":
            positive = self.problem.signs > 0
            totals = np.where(positive, weights[positive].sum(), weights[~positive].sum())
        else:
            totals = np.full(len(weights), weights.sum())
        if not np.all((totals > 0) & (totals < inf)):
            return None
        shares: Floats = weights / totals
        return shares
