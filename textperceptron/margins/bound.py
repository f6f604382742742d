"""The perceptron convergence theorem applied to data: radius, margins and the bound on updates."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf, isinf
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.margins.attainable import AttainableMargin, solve_margin
from textperceptron.margins.problem import read_problem
from textperceptron.margins.solve import Budget


@dataclass(frozen=True, slots=True, eq=False)
class MistakeBound:
    """The bound ``(R/γ*)²`` on a perceptron's updates, as precise as the bounds of γ*.

    Attributes
    ----------
    radius : float
        R: the largest ``‖(x, 1)‖``, or ``‖x‖`` without an intercept.
    margin : AttainableMargin
        γ*: padded, or through the origin without an intercept.
    lower, upper : float
        The bound lies between ``(R/γ upper)²`` and ``(R/γ lower)²``; infinite if the data are not separable. Only
        ``upper`` is guaranteed.
    """

    radius: float
    margin: AttainableMargin

    @property
    def lower(self) -> float:
        """The smallest value that the bound can have."""
        return _ratio_squared(self.radius, self.margin.upper)

    @property
    def upper(self) -> float:
        """The largest value that the bound can have: no perceptron makes more updates."""
        return _ratio_squared(self.radius, self.margin.lower)

    def allows(self, updates: int) -> bool:
        """Whether ``updates`` is a possible total for a perceptron that starts at 0, with margin threshold 0."""
        return updates <= self.upper

    def __str__(self) -> str:
        if isinf(self.lower):
            return "none: not separable"
        if isinf(self.upper):
            return f"at least {self.lower:,.0f}, if any"
        return f"at most {np.floor(self.upper):,.0f} updates"


def mistake_bound(
    X: Any,
    y: npt.ArrayLike,
    *,
    fit_intercept: bool = True,
    tol: float = 1e-3,
    max_iter: int = 1000,
    max_seconds: float | None = None,
    random_state: int = 0,
) -> MistakeBound:
    """Bound the number of updates that a perceptron can make on the data, in any order and any number of epochs.

    On separable data a perceptron that starts at 0 and updates on ``y·a ≤ 0`` makes at most ``(R/γ*)²`` updates.
    R and γ* are both padded if the learner has an intercept, else neither is. (With R padded and γ* geometric the
    theorem is false: see the example.) Parameters as in :func:`attainable_margin`.

    Examples
    --------
    A perceptron makes 155 updates on these two rows. The geometric margin is 1, and R² only 101.

    >>> from textperceptron.margins import mistake_bound
    >>> bound = mistake_bound([[10.0], [8.0]], ["pos", "neg"])
    >>> int(bound.upper), bound.allows(155)
    (8282, True)
    """
    problem = read_problem(X, y, "padded" if fit_intercept else "none")
    budget = Budget.of(max_iter, max_seconds)
    return MistakeBound(problem.radius, solve_margin(problem, tol=tol, budget=budget, seed=random_state))


@dataclass(frozen=True, slots=True, eq=False)
class MarginReport:
    """Radius, margins and mistake bound of a data set; prints as a few lines.

    Attributes
    ----------
    n_negative, n_positive : int
    geometric, padded : AttainableMargin
        The same object without an intercept.
    bound : MistakeBound
    updates : int or None
        Updates that a perceptron made, to compare with the bound.
    """

    n_negative: int
    n_positive: int
    geometric: AttainableMargin
    padded: AttainableMargin
    bound: MistakeBound
    updates: int | None

    def __str__(self) -> str:
        rows = f"{self.n_negative + self.n_positive:,}  ({self.n_negative:,} − · {self.n_positive:,} +)"
        lines = {"rows": rows, "radius R": f"{self.bound.radius:.5g}"}
        if self.geometric is self.padded:
            lines["margin"] = self.geometric.range_text()
        else:
            lines["geometric margin"] = self.geometric.range_text()
            lines["padded margin γ"] = self.padded.range_text()
        lines["bound (R/γ)²"] = str(self.bound)
        if self.updates is not None:
            lines["updates made"] = f"{self.updates:,}{self._percentage_of_bound()}"
        return "\n".join(f"{name:<18}{text}" for name, text in lines.items())

    def _percentage_of_bound(self) -> str:
        if self.updates is None or isinf(self.bound.upper):
            return ""
        return f"  ({self.updates / self.bound.upper:.2%} of the bound)"


def report(
    X: Any,
    y: npt.ArrayLike,
    *,
    updates: int | None = None,
    fit_intercept: bool = True,
    tol: float = 1e-2,
    max_iter: int = 1000,
    max_seconds: float | None = None,
    random_state: int = 0,
) -> MarginReport:
    """Collect R, both attainable margins and the mistake bound of a data set.

    Parameters
    ----------
    X, y, fit_intercept, tol, max_iter, max_seconds, random_state
        As in :func:`attainable_margin`; ``max_seconds`` covers both margins.
    updates : int, optional
        Updates that a perceptron made on the data (``n_updates_``), to compare with the bound.

    Examples
    --------
    >>> from textperceptron.margins import report
    >>> print(report([[10.0], [8.0]], ["pos", "neg"], updates=155))
    rows              2  (1 − · 1 +)
    radius R          10.05
    geometric margin  1
    padded margin γ   0.11043
    bound (R/γ)²      at most 8,282 updates
    updates made      155  (1.87% of the bound)
    """
    problem = read_problem(X, y, "padded" if fit_intercept else "none")
    budget = Budget.of(max_iter, max_seconds)
    padded = geometric = solve_margin(problem, tol=tol, budget=budget, seed=random_state)
    if fit_intercept:
        geometric = solve_margin(problem.with_intercept("free"), tol=tol, budget=budget, seed=random_state)
    n_positive = int(np.sum(problem.signs > 0))
    return MarginReport(
        n_negative=len(problem.signs) - n_positive,
        n_positive=n_positive,
        geometric=geometric,
        padded=padded,
        bound=MistakeBound(problem.radius, padded),
        updates=updates,
    )


def _ratio_squared(radius: float, margin: float) -> float:
    return (radius / margin) ** 2 if margin > 0 else inf
