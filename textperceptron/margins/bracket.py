"""Bounds of the attainable margin with their certificates: a direction from below, hull weights from above.

Each candidate is evaluated on the data, with an allowance for rounding, so the bounds hold even if an optimiser is
wrong.
"""

from __future__ import annotations

from math import inf

import numpy as np

from textperceptron.learn.numerics import dot, l2_norm
from textperceptron.margins.problem import Floats, Problem

EPS = float(np.finfo(np.float64).eps)  # twice the rounding error of one operation: a deliberate allowance
TINY = 1e-150  # more than the underflow of squares loses


class Bracket:
    """The best certificates so far.

    Attributes
    ----------
    lower : float
        Proved margin of ``coef`` and ``intercept``; ``-inf`` until a separating direction is found.
    upper : float
        No direction has a larger margin; proved by ``weights``.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.lower, self.upper = -inf, inf
        self.coef: Floats | None = None
        self.intercept = 0.0
        self.weights = np.ones(len(problem.signs))
        self.improve_upper(self.weights)

    @property
    def gap(self) -> float:
        """Gap between the bounds relative to ``upper``; infinite until a separating direction is found."""
        return 1 - self.lower / self.upper if self.lower > 0 else inf

    def improve_lower(self, direction: Floats) -> None:
        """Raise ``lower`` if ``direction`` (coefficients, then the intercept) has a larger margin."""
        largest = float(np.max(np.abs(direction)))
        if not 0 < largest < inf:
            return
        unit = direction / largest  # first: the squares of a large one overflow
        unit /= self._norm(unit) or 1.0
        scores = self.problem.rows.scores(unit, pad=0.0)
        if self.problem.intercept == "free":
            unit[-1] = self._midpoint(scores)
        b = self.problem.pad * unit[-1]
        proved = self.problem.signs * (scores + b) - self._score_error(unit, scores, b)
        size = self._norm(unit) * (1 + (len(unit) + 4) * EPS)
        lower = float(np.min(proved)) / size if size else -inf
        if lower > max(0.0, self.lower):
            self.lower, self.coef, self.intercept = lower, unit[:-1], float(b)

    def improve_upper(self, weights: Floats) -> None:
        """Reduce ``upper`` if the point of ``weights`` (non-negative, one per row) is closer to the origin."""
        normalized = self._normalized(weights)
        if normalized is None:
            return
        point = self.problem.combine(normalized)
        reach = dot(normalized, np.hypot(self.problem.norms, self.problem.pad))
        # Each addition into a column rounds, and so does the normalisation of the weights.
        error = (np.count_nonzero(normalized) + 8) * EPS * reach + TINY
        distance = self._norm(point) * (1 + (len(point) + 4) * EPS) + float(error)
        upper = distance / 2 if self.problem.intercept == "free" else distance
        if upper < self.upper:
            self.upper, self.weights = upper, normalized

    def set_upper(self, weights: Floats, upper: float) -> None:
        """Set ``upper`` to a proved value and ``weights`` to its certificate."""
        normalized = self._normalized(weights)
        if normalized is not None:
            self.upper, self.weights = upper, normalized

    def _norm(self, direction: Floats) -> float:
        counted = direction if self.problem.intercept == "padded" else direction[:-1]
        return l2_norm(counted)

    def _midpoint(self, scores: Floats) -> float:
        positive = self.problem.signs > 0
        return -float(np.min(scores[positive]) + np.max(scores[~positive])) / 2

    def _score_error(self, unit: Floats, scores: Floats, b: float) -> Floats:
        """Bound the rounding error of each score: a sum of n products is off by at most n·eps·‖x‖·‖w‖."""
        products = np.diff(self.problem.rows.indptr) + 4.0
        reach = l2_norm(unit[:-1])
        error: Floats = EPS * (products * self.problem.norms * reach + 2 * (np.abs(scores) + abs(b)))
        return error + TINY

    def _normalized(self, weights: Floats) -> Floats | None:
        """Scale the weights to sum to 1, per class if the intercept is free; None if that is impossible."""
        weights = np.maximum(weights, 0)
        if self.problem.intercept == "free":
            positive = self.problem.signs > 0
            totals = np.where(positive, weights[positive].sum(), weights[~positive].sum())
        else:
            totals = np.full(len(weights), weights.sum())
        if not np.all((totals > 0) & (totals < inf)):
            return None
        normalized: Floats = weights / totals
        return normalized
