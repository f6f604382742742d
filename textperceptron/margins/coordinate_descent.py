"""Coordinate descent to the point of the hull nearest to the origin: the solver for data of any size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import margin_dual_slice
from textperceptron.learn.numerics import dot
from textperceptron.margins.bracket import Bracket
from textperceptron.margins.problem import Problem

# An epoch visits all rows once, then the rows with a multiplier twice, then the quarter of these with the largest
# error three times as often, and so on. Rows that nearly cancel, such as one review with both labels, need many
# visits, the rest few: IMDB uni+bigrams takes 11 epochs instead of 150.
FIRST_VISITS, VISITS_FACTOR, ROWS_DIVISOR, MIN_ROWS = 2, 3, 4, 32
SLICE_ENTRIES = 4_000_000  # about 50 ms: how long Ctrl-C waits
# A free intercept is solved with padding, of this fraction of the typical norm of a row. The padding affects only the
# speed: 1 takes five times as many epochs on IMDB unigrams, 0.03 as many as 0.1.
FREE_PADDING = 0.1


class CoordinateDescent:
    """Solver of the hard-margin dual, one epoch at a time.

    A free intercept is padded too; after every pass its multiplier moves to balance the two classes (method of
    multipliers).
    """

    def __init__(self, problem: Problem, seed: int) -> None:
        if seed < 0:
            raise ValueError(f"random_state is {seed}; give an integer, 0 or more.")
        self.problem = problem
        self.seed = seed
        self.epoch = 0
        self.pad = problem.pad
        if problem.intercept == "free":
            typical = float(np.sqrt(np.mean(problem.norms**2)))
            self.pad = FREE_PADDING * typical or 1.0
        self.sqnorms = problem.norms**2 + self.pad**2
        self.alpha = np.zeros(len(problem.signs))
        self.w = np.zeros(problem.rows.n_columns + 1)
        self.scores = np.zeros(len(problem.signs))
        self._float_signs = problem.signs.astype(np.float64)  # ten times faster than a product with int8
        self._next_report = 1

    def run_epoch(self, bracket: Bracket, tol: float) -> None:
        """Visit all rows once and difficult rows more often; report to the bracket if an improvement is likely."""
        rng = np.random.default_rng([self.seed, self.epoch])
        self.epoch += 1
        self._pass(rng.permutation(len(self.alpha)))
        chosen, visits = np.flatnonzero(self.alpha), FIRST_VISITS
        while visits == FIRST_VISITS or len(chosen) >= MIN_ROWS:
            for _ in range(visits):
                self._pass(rng.permutation(chosen))
            chosen, visits = self._largest_errors(chosen, len(chosen) // ROWS_DIVISOR), visits * VISITS_FACTOR
        if self.epoch >= self._next_report or self._seems_within(tol):
            self.report(bracket)
            self._next_report = self.epoch + 1 + self.epoch // 4

    def report(self, bracket: Bracket) -> None:
        """Offer the current weights and multipliers to the bracket."""
        bracket.improve_lower(self.w)
        bracket.improve_upper(self.alpha)

    def _pass(self, order: npt.NDArray[np.int64]) -> None:
        rows = self.problem.rows
        for rows_slice in self._slices(order):
            margin_dual_slice(
                rows.data, rows.indices, rows.indptr, self.problem.signs, self.sqnorms, rows_slice,
                self.alpha, self.w, self.scores, self.pad,
            )  # fmt: skip
        if self.problem.intercept == "free":
            self.w[-1] += self.pad * dot(self.alpha, self._float_signs)

    def _largest_errors(self, chosen: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
        """Return the rows whose scores were furthest from 1; ties are stable, so that all machines agree."""
        return chosen[np.argsort(-np.abs(1 - self.scores[chosen]), kind="stable")[:count]]

    def _slices(self, order: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
        rows = self.problem.rows
        size = 1 + SLICE_ENTRIES * rows.n_rows // (rows.n_stored + 1)
        for start in range(0, len(order), size):
            yield order[start : start + size]

    def _seems_within(self, tol: float) -> bool:
        """Estimate the gap from the scores of this epoch: at the optimum their minimum is 1 and ‖w‖² = Σα."""
        counted = self.w[:-1] if self.problem.intercept == "free" else self.w
        return float(np.min(self.scores)) * float(self.alpha.sum()) >= (1 - tol) * dot(counted, counted)
