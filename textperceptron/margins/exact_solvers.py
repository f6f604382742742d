"""Exact solvers for small data: least distance, and a linear program."""

from __future__ import annotations

from typing import Any

import numpy as np

from textperceptron.learn.rows import Array
from textperceptron.margins.bracket import Bracket
from textperceptron.margins.problem import Floats, Problem

# Least distance makes the matrix dense and takes about min(rows, columns) steps over the whole matrix: 64 MB and about
# a second at the limit.
MAX_DENSE_VALUES = 8_000_000
MAX_DENSE_OPERATIONS = 1e9
# The linear program keeps the matrix sparse. At the limit it takes a minute; beyond it rarely finishes.
MAX_PROGRAM_ENTRIES = 1_000_000
MAX_PROGRAM_SIDE = 2_000
# A free intercept is padded with this multiple of the radius; the relative error of the optimum is 1e-6.
FREE_PADDING = 1e3


def used_columns(problem: Problem) -> Array:
    """Return the columns with entries; the others do not affect any score."""
    used = np.zeros(problem.rows.n_columns, bool)
    used[problem.rows.indices] = True
    return np.flatnonzero(used)


def fits_least_distance(problem: Problem, n_used: int) -> bool:
    """Whether :func:`least_distance` takes about a second at most."""
    size = problem.rows.n_rows * (n_used + 1)
    return size <= MAX_DENSE_VALUES and size * min(problem.rows.n_rows, n_used + 1) <= MAX_DENSE_OPERATIONS


def fits_linear_program(problem: Problem, n_used: int) -> bool:
    """Whether :func:`linear_program` is likely to take at most a minute."""
    return problem.rows.n_stored <= MAX_PROGRAM_ENTRIES and min(problem.rows.n_rows, n_used) <= MAX_PROGRAM_SIDE


def least_distance(problem: Problem, used: Array, bracket: Bracket) -> None:
    """Find the point of the hull nearest to the origin, by non-negative least squares.

    Lawson and Hanson, Solving Least Squares Problems, 1974, chapter 23.
    """
    from scipy.optimize import nnls

    signed = _signed_dense(problem, used)
    scale = float(np.max(np.abs(signed))) or 1.0
    system = np.vstack([signed.T / scale, np.ones(len(signed))])
    target = np.zeros(len(system))
    target[-1] = 1
    try:
        weights, _ = nnls(system, target)
    except RuntimeError:  # no convergence: coordinate descent follows
        return
    bracket.improve_upper(weights)
    support = np.flatnonzero(weights)
    tight, *_ = np.linalg.lstsq(signed[support], np.ones(len(support)), rcond=None)
    # The same direction in two ways: the sum loses digits where rows nearly cancel, the solution of w·a = 1 on the
    # support does not.
    for direction in (signed.T @ weights, tight):
        bracket.improve_lower(_all_columns(problem, used, direction))


def linear_program(problem: Problem, used: Array, bracket: Bracket, seconds: float) -> None:
    """Find the direction with ``|w| ≤ 1`` whose smallest score is largest, and the multipliers of the rows.

    The rows are scaled to norm 1, which does not affect separability. If the optimum is 0, the multipliers are
    weights whose combination is zero.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    rows = problem.rows
    norms = np.hypot(problem.norms, problem.pad)
    norms[norms == 0] = 1.0
    new_column = np.zeros(rows.n_columns, np.int64)
    new_column[used] = np.arange(len(used))
    matrix = csr_array((rows.values, new_column[rows.indices], rows.indptr), shape=(rows.n_rows, len(used)))
    factor = (-problem.signs / norms)[:, None]
    constraints = hstack([matrix.multiply(factor), problem.pad * factor, np.ones_like(factor)], format="csr")
    objective = np.zeros(constraints.shape[1])
    objective[-1] = -1
    bounds = np.tile([-1.0, 1.0], (len(objective), 1))
    result: Any = linprog(
        objective, A_ub=constraints, b_ub=np.zeros(rows.n_rows), bounds=bounds, method="highs",
        options={"time_limit": seconds},
    )  # fmt: skip
    if result.status != 0:
        return
    bracket.improve_lower(_all_columns(problem, used, result.x[:-1]))
    bracket.improve_upper(-result.ineqlin.marginals / norms)


def _signed_dense(problem: Problem, used: Array) -> Floats:
    """Return dense ``y·(x, pad)`` over the used columns; centred if the intercept is free, to keep precision."""
    rows = problem.rows
    new_column = np.zeros(rows.n_columns, np.int64)
    new_column[used] = np.arange(len(used))
    dense = np.zeros((rows.n_rows, len(used) + 1))
    dense[np.repeat(np.arange(rows.n_rows), np.diff(rows.indptr)), new_column[rows.indices]] = rows.values
    dense[:, -1] = problem.pad
    if problem.intercept == "free":
        dense -= dense.mean(axis=0)
        dense[:, -1] = FREE_PADDING * (float(np.max(np.linalg.norm(dense, axis=1))) or 1.0)
    dense *= problem.signs[:, None]
    return dense


def _all_columns(problem: Problem, used: Array, direction: Array) -> Floats:
    """Expand a direction over the used columns (intercept last) to all columns."""
    full = np.zeros(problem.rows.n_columns + 1)
    full[used] = direction[:-1]
    full[-1] = direction[-1]
    return full
