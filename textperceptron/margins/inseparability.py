"""Proofs that data are not separable: weights λ ≥ 0, Σλ = 1, with Σ λ·y·(x, 1) = 0.

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

TOLERANCE = 1e-9  # times the radius: a shorter sum counts as 0 if it cannot be checked exactly
MAX_EXACT_SUPPORT = 60
NEGLIGIBLE = 1e-12  # times the largest weight: smaller ones are an optimiser's zeros

Equation = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class InseparabilityProof:
    """Weights that prove that no hyperplane separates the classes.

    Attributes
    ----------
    weights : array of float64
        λ: non-negative, of sum 1.
    residual : float
        Norm of the weighted sum, 0 if proved to be zero: no margin can exceed it.
    exact : bool
        Whether the sum is zero in exact arithmetic, for weights that round to these.
    found_by : str
    """

    weights: Floats
    residual: float
    exact: bool
    found_by: str


def find_contradiction(problem: Problem) -> InseparabilityProof | None:
    """Find two equal rows of opposite labels or, without an intercept, a zero row."""
    keys = _row_keys(problem)
    if problem.intercept == "none" and _EMPTY_ROW in keys:
        return _exact_proof(problem, [keys.index(_EMPTY_ROW)], "a zero row")
    seen: dict[bytes, int] = {}
    for row, key in enumerate(keys):
        other = seen.setdefault(key, row)
        if problem.signs[other] != problem.signs[row]:
            return _exact_proof(problem, [other, row], "equal rows of opposite labels")
    return None


def reaches_origin(bracket: Bracket) -> bool:
    """Whether the hull contains the origin up to rounding, and no separating direction is known."""
    return bracket.lower <= 0 and bracket.upper <= TOLERANCE * bracket.problem.radius


def try_prove_inseparable(bracket: Bracket, found_by: str) -> InseparabilityProof | None:
    """Turn the bracket's hull weights into a proof, if their point is the origin."""
    problem = bracket.problem
    if not reaches_origin(bracket):
        return None
    weights = bracket.weights / bracket.weights.sum()
    support = np.flatnonzero(weights > NEGLIGIBLE * np.max(weights))
    if len(support) > MAX_EXACT_SUPPORT:
        return InseparabilityProof(weights, bracket.upper, False, found_by)
    solution = _solve_near(_equations(problem, support), weights[support])
    if solution is None:  # with few rows rounding is not the reason: the margin may be tiny but positive
        return None
    exact = np.zeros(len(weights))
    exact[support] = solution
    return InseparabilityProof(exact, 0.0, True, found_by)


def _exact_proof(problem: Problem, rows: list[int], found_by: str) -> InseparabilityProof:
    weights = np.zeros(len(problem.signs))
    weights[rows] = 1 / len(rows)
    return InseparabilityProof(weights, 0.0, True, found_by)


_EMPTY_ROW = blake2b(b"", digest_size=16).digest()


def _row_keys(problem: Problem) -> list[bytes]:
    """Return a digest of each row: its entries sorted by column, without stored zeros."""
    rows, values = problem.rows, problem.rows.data
    keys = []
    for start, stop in zip(rows.indptr[:-1].tolist(), rows.indptr[1:].tolist(), strict=True):
        columns = rows.indices[start:stop]
        order = slice(None) if np.all(columns[1:] > columns[:-1]) else np.argsort(columns)
        entries = [columns[order]]
        if len(values):
            stored = values[start:stop][order]
            entries = [columns[order][stored != 0], stored[stored != 0]]
        keys.append(blake2b(b"".join(array.tobytes() for array in entries), digest_size=16).digest())
    return keys


def _equations(problem: Problem, support: npt.NDArray[np.int64]) -> list[Equation]:
    """Return the equations for weights of the rows ``support``: one per column, without duplicates."""
    columns: dict[int, list[Fraction]] = {}
    signs = [int(sign) for sign in problem.signs[support]]
    for k, row in enumerate(support.tolist()):
        span = slice(problem.rows.indptr[row], problem.rows.indptr[row + 1])
        values = problem.rows.data[span].tolist() or [1.0] * (span.stop - span.start)
        for column, value in zip(problem.rows.indices[span].tolist(), values, strict=True):
            equation = columns.setdefault(column, [Fraction(0)] * len(signs))
            equation[k] = signs[k] * Fraction(value)
    if problem.intercept != "none":
        columns[-1] = [Fraction(sign) for sign in signs]
    return sorted({_as_integers(equation) for equation in columns.values()}, key=_sort_key, reverse=True)


def _as_integers(equation: list[Fraction]) -> Equation:
    """Scale an equation to the smallest integers."""
    scale = lcm(*(term.denominator for term in equation))
    numbers = [int(term * scale) for term in equation]
    common = gcd(*numbers) or 1
    return tuple(number // common for number in numbers)


def _sort_key(equation: Equation) -> tuple[int, Equation]:
    return sum(map(bool, equation)), equation  # the equation itself makes the order of ties reproducible


def _solve_near(equations: list[Equation], guess: Floats) -> Floats | None:
    """Solve the equations exactly, starting from ``guess``; None if the solution has a negative weight."""
    weights = [Fraction(value) for value in guess.tolist()]
    for pivot, equation in reversed(_echelon(equations)):  # free variables keep their guess
        weights[pivot] = Fraction(0)
        weights[pivot] = -_product(equation, weights) / equation[pivot]
    total = sum(weights)
    if total <= 0 or min(weights) < 0 or any(_product(equation, weights) for equation in equations):
        return None
    return np.array([float(weight / total) for weight in weights])


def _echelon(equations: list[Equation]) -> list[tuple[int, Equation]]:
    """Eliminate without fractions (Bareiss 1968): the pivot of an equation is in no later equation."""
    solved: list[tuple[int, Equation]] = []
    for equation in equations:
        if len(solved) == len(equation) - 1:
            break  # one solution is left; the caller checks the other equations
        previous, rest = 1, equation
        for pivot, known in solved:
            factor, lead = rest[pivot], known[pivot]
            rest = tuple((lead * a - factor * b) // previous for a, b in zip(rest, known, strict=True))
            previous = lead
        if any(rest):
            solved.append((next(k for k, term in enumerate(rest) if term), rest))
    return solved


def _product(equation: Equation, weights: list[Fraction]) -> Fraction:
    return sum((a * b for a, b in zip(equation, weights, strict=True) if a), Fraction(0))
