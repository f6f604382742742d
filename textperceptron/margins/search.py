"""The order in which the optimisers are tried, and when to stop."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from time import monotonic
from typing import Literal

import numpy as np

from textperceptron.margins.bracket import Bracket
from textperceptron.margins.descent import Descent
from textperceptron.margins.problem import Problem
from textperceptron.margins.programs import (
    fits_least_distance,
    fits_linear_program,
    least_distance,
    linear_program,
    used_columns,
)
from textperceptron.margins.refusal import Refusal, contradiction, refuse, vanishes

EPOCHS_BEFORE_PROGRAM = 50  # a separator that exists is mostly found by then: IMDB unigrams take 16
PROGRAM_SECONDS = 60.0  # where the caller sets no limit

StoppedBy = Literal["converged", "not separable", "budget"]


@dataclass(frozen=True, slots=True)
class Budget:
    """How long a search may take."""

    max_iter: int
    deadline: float

    @classmethod
    def of(cls, max_iter: int, max_seconds: float | None) -> Budget:
        """Check the limits and start the clock."""
        if max_iter < 0:
            raise ValueError(f"max_iter is {max_iter}; give a number of epochs, 0 or more.")
        if max_seconds is not None and not max_seconds >= 0:
            raise ValueError(f"max_seconds is {max_seconds}; give seconds, 0 or more, or None for no limit.")
        return cls(max_iter, inf if max_seconds is None else monotonic() + max_seconds)

    @property
    def seconds_left(self) -> float:
        """Seconds until the deadline, not below 0."""
        return max(0.0, self.deadline - monotonic())


@dataclass(frozen=True, slots=True, eq=False)
class Outcome:
    """What a search came to."""

    bracket: Bracket
    refusal: Refusal | None
    n_iter: int
    stopped_by: StoppedBy

    @property
    def separable(self) -> bool | None:
        """True or False where proved, None where not known."""
        if self.bracket.lower > 0:
            return True
        return None if self.refusal is None else False


@np.errstate(over="ignore", invalid="ignore", divide="ignore")  # the bracket refuses what is not finite
def search(problem: Problem, *, tol: float, budget: Budget, seed: int) -> Outcome:
    """Close the bracket around the attainable margin to the relative gap ``tol``.

    In this order: contradictions that can be seen, least distance if the data are small, coordinate descent,
    and, if that has found no separator soon, a linear program where the size allows.
    """
    if not tol >= 0:
        raise ValueError(f"tol is {tol}; give the relative gap at which to stop, 0 or more.")
    bracket = Bracket(problem)
    descent = Descent(problem, seed)

    def outcome(refusal: Refusal | None) -> Outcome:
        stopped_by: StoppedBy = "budget"
        if refusal is not None:
            bracket.settle(refusal.weights, refusal.residual)
            stopped_by = "not separable"
        elif bracket.gap <= tol:
            stopped_by = "converged"
        return Outcome(bracket, refusal, descent.epoch, stopped_by)

    if refusal := contradiction(problem):
        return outcome(refusal)
    used = used_columns(problem)
    if fits_least_distance(problem, len(used)):
        least_distance(problem, used, bracket)
        if refusal := refuse(bracket, "least distance"):
            return outcome(refusal)
    _descend(descent, bracket, tol, budget, epochs=EPOCHS_BEFORE_PROGRAM)
    if bracket.gap == inf and fits_linear_program(problem, len(used)):
        linear_program(problem, used, bracket, min(budget.seconds_left, PROGRAM_SECONDS))
        if refusal := refuse(bracket, "a linear program"):
            return outcome(refusal)
    _descend(descent, bracket, tol, budget, epochs=budget.max_iter)
    return outcome(refuse(bracket, "coordinate descent"))


def _descend(descent: Descent, bracket: Bracket, tol: float, budget: Budget, epochs: int) -> None:
    last = min(budget.max_iter, descent.epoch + epochs)
    while bracket.gap > tol and not vanishes(bracket) and descent.epoch < last and budget.seconds_left > 0:
        descent.run_epoch(bracket, tol)
    if bracket.gap > tol and descent.epoch:
        descent.offer(bracket)
