"""Coordinate descent towards the hull's nearest point: the optimiser for data of any size."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import hull_slice
from textperceptron.learn.numerics import dot
from textperceptron.margins.bracket import Bracket
from textperceptron.margins.problem import Problem

# After all rows come those with a multiplier, twice; then the quarter of them that is furthest off, three
# times as often; and so on. Rows that nearly cancel, such as one review with both labels, need many
# visits to each other and few to the rest: with it IMDB uni+bigrams takes 11 epochs, not 150.
FIRST_VISITS, MORE_VISITS, FEWER_ROWS, FEWEST_ROWS = 2, 3, 4, 32
SLICE_ENTRIES = 4_000_000  # some 50 ms: what Ctrl-C waits for
# A free intercept is found as if padded with this share of the rows' typical length. The padding changes the
# speed only: 1 takes five times as many epochs on IMDB unigrams, 0.03 as many as 0.1.
FREE_PADDING = 0.1


class Descent:
    """Hard-margin dual of a problem, resumable epoch by epoch.

    The intercept of a free one is padded too, but its price is moved after every pass to where the
    multipliers of the two classes balance (the method of multipliers).
    """

    def __init__(self, problem: Problem, seed: int) -> None:
        if seed < 0:
            raise ValueError(f"random_state is {seed}; give a whole number, 0 or more.")
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
        self._float_signs = problem.signs.astype(np.float64)  # a product with int8 takes ten times as long
        self._next_offer = 1

    def run_epoch(self, bracket: Bracket, tol: float) -> None:
        """Pass over all rows, then more often over fewer; offer the result if it may be of use."""
        rng = np.random.default_rng([self.seed, self.epoch])
        self.epoch += 1
        self._pass(rng.permutation(len(self.alpha)))
        chosen, visits = np.flatnonzero(self.alpha), FIRST_VISITS
        while visits == FIRST_VISITS or len(chosen) >= FEWEST_ROWS:
            for _ in range(visits):
                self._pass(rng.permutation(chosen))
            chosen, visits = self._furthest(chosen, len(chosen) // FEWER_ROWS), visits * MORE_VISITS
        if self.epoch >= self._next_offer or self._seems_within(tol):
            self.offer(bracket)
            self._next_offer = self.epoch + 1 + self.epoch // 4

    def offer(self, bracket: Bracket) -> None:
        """Let the bracket judge the weights as they stand."""
        bracket.offer_direction(self.w)
        bracket.offer_weights(self.alpha)

    def _pass(self, order: npt.NDArray[np.int64]) -> None:
        rows = self.problem.rows
        for part in self._slices(order):
            hull_slice(
                rows.data, rows.indices, rows.indptr, self.problem.signs, self.sqnorms, part,
                self.alpha, self.w, self.scores, self.pad,
            )  # fmt: skip
        if self.problem.intercept == "free":
            self.w[-1] += self.pad * dot(self.alpha, self._float_signs)

    def _furthest(self, chosen: npt.NDArray[np.int64], count: int) -> npt.NDArray[np.int64]:
        """Return the rows whose scores were furthest from 1; stable, so that every machine agrees on ties."""
        return chosen[np.argsort(-np.abs(1 - self.scores[chosen]), kind="stable")[:count]]

    def _slices(self, order: npt.NDArray[np.int64]) -> Iterator[npt.NDArray[np.int64]]:
        rows = self.problem.rows
        size = 1 + SLICE_ENTRIES * rows.n_rows // (rows.n_stored + 1)
        for start in range(0, len(order), size):
            yield order[start : start + size]

    def _seems_within(self, tol: float) -> bool:
        """Guess the gap from the scores met on the way: at the optimum the least is 1 and ‖w‖² = Σα."""
        counted = self.w[:-1] if self.problem.intercept == "free" else self.w
        return float(np.min(self.scores)) * float(self.alpha.sum()) >= (1 - tol) * dot(counted, counted)
