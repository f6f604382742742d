"""Why data are not separable: weights λ ≥ 0, Σλ = 1, with Σ λ·y·(x, 1) = 0.

A direction with a positive margin would have a positive product with that sum, which is 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from hashlib import blake2b
from math import gcd, lcm

import numpy as np
import numpy.typing as npt

from textperceptron.margins.bracket import Bracket
from textperceptron.margins.problem import Floats, Problem

TOLERANCE = 1e-9  # of the radius: a sum shorter than this counts as 0 where it cannot be checked exactly
LARGEST_EXACT_SUPPORT = 60
NEGLIGIBLE = 1e-12  # of the largest weight: what an optimiser leaves where it means 0

Equation = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Refusal:
    """Weights that prove that nothing separates.

    Attributes
    ----------
    weights : array of float64
        λ: none negative, sum 1.
    residual : float
        Length of the weighted sum, 0 if it was proved to vanish: no margin can exceed it.
    exact : bool
        Whether the sum vanishes in exact arithmetic, for weights that round to these.
    found_by : str
    """

    weights: Floats
    residual: float
    exact: bool
    found_by: str


def contradiction(problem: Problem) -> Refusal | None:
    """Find a zero row where there is no intercept, or two equal rows of opposite labels."""
    keys = _row_keys(problem)
    if problem.intercept == "none" and _NO_ENTRIES in keys:
        return _exact(problem, [keys.index(_NO_ENTRIES)], "a zero row")
    seen: dict[bytes, int] = {}
    for row, key in enumerate(keys):
        other = seen.setdefault(key, row)
        if problem.signs[other] != problem.signs[row]:
            return _exact(problem, [other, row], "equal rows of opposite labels")
    return None


def vanishes(bracket: Bracket) -> bool:
    """Whether the hull reaches the origin as far as rounding lets see, and no direction is known."""
    return bracket.lower <= 0 and bracket.upper <= TOLERANCE * bracket.problem.radius


def refuse(bracket: Bracket, found_by: str) -> Refusal | None:
    """Turn the bracket's hull weights into a refusal, if their point is the origin."""
    problem = bracket.problem
    if not vanishes(bracket):
        return None
    weights = bracket.weights / bracket.weights.sum()
    support = np.flatnonzero(weights > NEGLIGIBLE * np.max(weights))
    if len(support) > LARGEST_EXACT_SUPPORT:
        return Refusal(weights, bracket.upper, False, found_by)
    shares = _vanishing_shares(_equations(problem, support), weights[support])
    if shares is None:  # on so few rows rounding is no excuse: the margin may be tiny instead
        return None
    exact = np.zeros(len(weights))
    exact[support] = shares
    return Refusal(exact, 0.0, True, found_by)


def _exact(problem: Problem, rows: list[int], found_by: str) -> Refusal:
    weights = np.zeros(len(problem.signs))
    weights[rows] = 1 / len(rows)
    return Refusal(weights, 0.0, True, found_by)


_NO_ENTRIES = blake2b(b"", digest_size=16).digest()


def _row_keys(problem: Problem) -> list[bytes]:
    """Digest each row's entries, sorted by column and without stored zeros."""
    rows, values = problem.rows, problem.rows.data
    keys = []
    for start, stop in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
        columns = rows.indices[start:stop]
        order = slice(None) if np.all(columns[1:] > columns[:-1]) else np.argsort(columns)
        entries = [columns[order]]
        if len(values):
            stored = values[start:stop][order]
            entries = [columns[order][stored != 0], stored[stored != 0]]
        keys.append(blake2b(b"".join(part.tobytes() for part in entries), digest_size=16).digest())
    return keys


def _equations(problem: Problem, support: npt.NDArray[np.int64]) -> list[Equation]:
    """Return what weights of the rows ``support`` must satisfy: one equation a column, each kind once."""
    columns: dict[int, list[Fraction]] = {}
    signs = [int(sign) for sign in problem.signs[support]]
    for place, row in enumerate(support.tolist()):
        span = slice(problem.rows.indptr[row], problem.rows.indptr[row + 1])
        values = problem.rows.data[span].tolist() or [1.0] * (span.stop - span.start)
        for column, value in zip(problem.rows.indices[span].tolist(), values, strict=True):
            equation = columns.setdefault(column, [Fraction(0)] * len(signs))
            equation[place] = signs[place] * Fraction(value)
    if problem.intercept != "none":
        columns[-1] = [Fraction(sign) for sign in signs]
    return sorted({_whole(equation) for equation in columns.values()}, key=_stored, reverse=True)


def _whole(equation: list[Fraction]) -> Equation:
    """Multiply an equation so that its numbers are whole and as small as can be."""
    scale = lcm(*(part.denominator for part in equation))
    numbers = [int(part * scale) for part in equation]
    common = gcd(*numbers) or 1
    return tuple(number // common for number in numbers)


def _stored(equation: Equation) -> tuple[int, Equation]:
    return sum(map(bool, equation)), equation  # the equation itself only makes the order of ties repeatable


def _vanishing_shares(equations: list[Equation], guess: Floats) -> Floats | None:
    """Solve the equations exactly, near ``guess``; None if no solution near it is without a negative."""
    shares = [Fraction(value) for value in guess.tolist()]
    for pivot, equation in reversed(_echelon(equations)):  # what no equation is solved for keeps its guess
        shares[pivot] = Fraction(0)
        shares[pivot] = -_product(equation, shares) / equation[pivot]
    total = sum(shares)
    if total <= 0 or min(shares) < 0 or any(_product(equation, shares) for equation in equations):
        return None
    return np.array([float(share / total) for share in shares])


def _echelon(equations: list[Equation]) -> list[tuple[int, Equation]]:
    """Eliminate without fractions (Bareiss 1968): each equation's pivot stands in no later equation."""
    solved: list[tuple[int, Equation]] = []
    for equation in equations:
        if len(solved) == len(equation) - 1:
            break  # one solution is left; the caller tries it on the other equations
        before, rest = 1, equation
        for pivot, known in solved:
            factor, lead = rest[pivot], known[pivot]
            rest = tuple((lead * a - factor * b) // before for a, b in zip(rest, known, strict=True))
            before = lead
        if any(rest):
            solved.append((next(place for place, part in enumerate(rest) if part), rest))
    return solved


def _product(equation: Equation, shares: list[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(equation, shares, strict=True) if a), Fraction(0))
