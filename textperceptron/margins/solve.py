"""The sequence of solvers, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Literal

import numpy as np

from textperceptron.margins.bracket import Bracket
from textperceptron.margins.coordinate_descent import CoordinateDescent
from textperceptron.margins.exact_solvers import (
    fits_least_distance,
    fits_linear_program,
    least_distance,
    linear_program,
    used_columns,
)
from textperceptron.margins.inseparability import (
    InseparabilityProof,
    find_contradiction,
    reaches_origin,
    try_prove_inseparable,
)
from textperceptron.margins.problem import Problem

EPOCHS_BEFORE_PROGRAM = 50  # usually enough to find a separating direction: IMDB unigrams take 16
PROGRAM_SECONDS = 60.0  # if the caller sets no limit

StoppedBy = Literal["converged", "not separable", "budget"]


@dataclass(frozen=True, slots=True)
class Budget:
    """Limits on epochs and time."""

    max_iter: int
    deadline: float

    @classmethod
    def of(cls, max_iter: int, max_seconds: float | None) -> Budget:
        """Validate the limits and start the clock."""
        if max_iter < 0:
            raise ValueError(f"max_iter is {max_iter}; give a number of epochs, 0 or more.")
        if max_seconds is not None and not max_seconds >= 0:
            raise ValueError(f"max_seconds is {max_seconds}; give seconds, 0 or more, or None for no limit.")
        return cls(max_iter, inf if max_seconds is None else monotonic() + max_seconds)

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, at least 0."""
        return max(0.0, self.deadline - monotonic())


@dataclass(frozen=True, slots=True, eq=False)
class Solution:
    """The result of :func:`solve`."""

    bracket: Bracket
    proof: InseparabilityProof | None
    n_iter: int
    stopped_by: StoppedBy

    @property
    def separable(self) -> bool | None:
        """True or False if proved, None if unknown."""
        if self.bracket.lower > 0:
            return True
        return None if self.proof is None else False


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # the bracket ignores what is not finite
def solve(problem: Problem, *, tol: float, budget: Budget, seed: int) -> Solution:
    """Narrow the bounds of the attainable margin to the relative gap ``tol``.

    In this order: contradictions, least distance if the data are small, coordinate descent and, if that finds no
    separating direction soon, a linear program if the size allows.
    """
    if not tol >= 0:
        raise ValueError(f"tol is {tol}; give the relative gap at which to stop, 0 or more.")
    bracket = Bracket(problem)
    descent = CoordinateDescent(problem, seed)

    def solution(proof: InseparabilityProof | None) -> Solution:
        stopped_by: StoppedBy = "budget"
        if proof is not None:
            bracket.set_upper(proof.weights, proof.residual)
            stopped_by = "not separable"
        elif bracket.gap <= tol:
            stopped_by = "converged"
        return Solution(bracket, proof, descent.epoch, stopped_by)

    if proof := find_contradiction(problem):
        return solution(proof)
    used = used_columns(problem)
    if fits_least_distance(problem, len(used)):
        least_distance(problem, used, bracket)
        if proof := try_prove_inseparable(bracket, "least distance"):
            return solution(proof)
    _descend(descent, bracket, tol, budget, epochs=EPOCHS_BEFORE_PROGRAM)
    if bracket.gap == inf and fits_linear_program(problem, len(used)):
        linear_program(problem, used, bracket, min(budget.seconds_left, PROGRAM_SECONDS))
        if proof := try_prove_inseparable(bracket, "a linear program"):
            return solution(proof)
    _descend(descent, bracket, tol, budget, epochs=budget.max_iter)
    return solution(try_prove_inseparable(bracket, "coordinate descent"))


def _descend(descent: CoordinateDescent, bracket: Bracket, tol: float, budget: Budget, epochs: int) -> None:
    last = min(budget.max_iter, descent.epoch + epochs)
    while bracket.gap > tol and not reaches_origin(bracket) and descent.epoch < last and budget.seconds_left > 0:
        descent.run_epoch(bracket, tol)
    if bracket.gap > tol and descent.epoch:
        descent.report(bracket)
