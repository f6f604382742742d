"""Whether some direction has every row on its right side: yes, no, or not known, with the proof."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from textperceptron.margins.problem import Floats, read_problem
from textperceptron.margins.search import Budget, Outcome, search

ANY_GAP = 1.0  # a direction with a positive margin, however small, leaves a gap below this


@dataclass(frozen=True, slots=True, eq=False)
class Separability:
    """An answer with its proof. ``bool(answer)`` is an error where the answer is not known.

    Attributes
    ----------
    decided : bool or None
        None where the budget ended before either was proved.
    coef, intercept : array of d float64 or None, float
        If yes: a direction with every row on its right side, beyond doubt by rounding.
    margin : float
        If yes: the geometric margin that this direction has, not the greatest; else ``-inf``.
    certificate : array of n float64 or None
        If no: weights λ ≥ 0 of the rows, of sum 1, such that ``Σ λ·y·(x, 1)`` is 0 (without the 1 if there is
        no intercept). No direction has a positive product with 0.
    exact : bool
        Whether the answer holds in exact arithmetic. A "no" on more than 60 weighted rows is not checked so.
    residual : float
        If no: the length of that sum, 0 if exact, else at most 1e-9 of the radius. A "no" that is not exact
        means just this: no direction has a margin above the residual.
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
                f"Not known whether the data are separable: {self.n_iter:,} epochs found no separator. "
                "Raise max_iter or max_seconds, or test `.decided is True`."
            )
        return self.decided

    def __str__(self) -> str:
        if self.decided is None:
            return f"not known: no separator after {self.n_iter:,} epochs"
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

    A "yes" is a direction, checked against every row. A "no" comes from equal rows with opposite labels, a
    zero row (without an intercept), non-negative least squares (up to 1e9 operations), or a linear program
    (up to a million entries and 2,000 rows or columns, whichever are fewer). Larger data that no direction
    separates end as "not known".

    Parameters
    ----------
    X : scipy sparse matrix or array of shape (n, d)
    y : n labels of two kinds
    fit_intercept : bool, default=True
        False asks for a direction through the origin.
    max_iter : int, default=1000
        Stop after so many epochs of coordinate descent.
    max_seconds : float or None, default=60
        Stop after so many seconds: the only thing by which two machines can differ.
    random_state : int, default=0
        Seed of the orders in which rows are visited.

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
    return _answer(search(problem, tol=ANY_GAP, budget=Budget.of(max_iter, max_seconds), seed=random_state))


def _answer(outcome: Outcome) -> Separability:
    bracket, refusal = outcome.bracket, outcome.refusal
    yes = outcome.separable is True
    return Separability(
        decided=outcome.separable,
        coef=bracket.coef,
        intercept=bracket.intercept,
        margin=bracket.lower,
        certificate=None if refusal is None else refusal.weights,
        exact=yes if refusal is None else refusal.exact,
        residual=bracket.upper if refusal is None else refusal.residual,
        found_by="a direction that separates" if yes else refusal.found_by if refusal else "nothing",
        n_iter=outcome.n_iter,
    )
