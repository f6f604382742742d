"""Linear separability: yes, no or unknown, with the proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from textperceptron.margins.problem import Floats, read_problem
from textperceptron.margins.solve import Budget, Solution, solve

ANY_GAP = 1.0  # any separating direction, however small its margin, has a gap below this


@dataclass(frozen=True, slots=True, eq=False)
class Separability:
    """Whether data are separable, with the proof. ``bool()`` raises ValueError if it is unknown.

    Attributes
    ----------
    decided : bool or None
        None if the budget was exhausted before either was proved.
    coef, intercept : array of d float64 or None, float
        If yes: a direction with every row on its correct side by more than rounding.
    margin : float
        If yes: the geometric margin of this direction, not the largest possible; else ``-inf``.
    certificate : array of n float64 or None
        If no: weights λ ≥ 0 of the rows, of sum 1, such that ``Σ λ·y·(x, 1)`` is 0 (without an intercept,
        ``Σ λ·y·x``). No direction has a positive product with 0.
    exact : bool
        Whether the answer holds in exact arithmetic. A "no" with more than 60 weighted rows is not checked exactly.
    residual : float
        If no: the norm of that sum, 0 if exact, else at most 1e-9 of the radius. A "no" that is not exact means
        that no direction has a margin above the residual.
    found_by : str
    n_iter : int
        Epochs of coordinate descent.
    """

    decided: bool | None
    coef: Floats | None
    intercept: float
    margin: float
    certificate: Floats | None
    exact: bool
    residual: float
    found_by: str
    n_iter: int

    def __bool__(self) -> bool:
        if self.decided is None:
            raise ValueError(
                f"Unknown whether the data are separable: {self.n_iter:,} epochs found no separating direction. "
                "Raise max_iter or max_seconds, or test `.decided is True`."
            )
        return self.decided

    def __str__(self) -> str:
        if self.decided is None:
            return f"unknown: no separating direction after {self.n_iter:,} epochs"
        if self.decided:
            return f"separable, with a margin of {self.margin:.4g} ({self.found_by})"
        how = "exactly" if self.exact else f"to {self.residual:.1g}"
        return f"not separable, {how} ({self.found_by})"


def is_separable(
    X: Any,
    y: npt.ArrayLike,
    *,
    fit_intercept: bool = True,
    max_iter: int = 1000,
    max_seconds: float | None = 60.0,
    random_state: int = 0,
) -> Separability:
    """Decide whether the two classes are linearly separable.

    A "yes" is a direction, checked against every row. A "no" comes from equal rows with opposite labels, a zero row
    (without an intercept), non-negative least squares (up to 1e9 operations), or a linear program (up to a million
    entries and 2,000 rows or columns, whichever are fewer). For larger inseparable data the result is unknown.

    Parameters
    ----------
    X : scipy sparse matrix or array of shape (n, d)
    y : n labels of two classes
    fit_intercept : bool, default=True
        False for a hyperplane through the origin.
    max_iter : int, default=1000
        Maximum number of epochs of coordinate descent.
    max_seconds : float or None, default=60
        Time limit: the only reason for which two machines can differ.
    random_state : int, default=0
        Seed of the row order.

    Returns
    -------
    Separability

    Examples
    --------
    >>> from textperceptron.margins import is_separable
    >>> print(is_separable([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0]))
    not separable, exactly (least distance)
    >>> bool(is_separable([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 0, 0, 1]))
    True
    """
    problem = read_problem(X, y, "free" if fit_intercept else "none")
    return _separability(solve(problem, tol=ANY_GAP, budget=Budget.of(max_iter, max_seconds), seed=random_state))


def _separability(solution: Solution) -> Separability:
    bracket, proof = solution.bracket, solution.proof
    yes = solution.separable is True
    return Separability(
        decided=solution.separable,
        coef=bracket.coef,
        intercept=bracket.intercept,
        margin=bracket.lower,
        certificate=None if proof is None else proof.weights,
        exact=yes if proof is None else proof.exact,
        residual=bracket.upper if proof is None else proof.residual,
        found_by="a direction that separates" if yes else proof.found_by if proof else "nothing",
        n_iter=solution.n_iter,
    )
