"""Exact optimisers for data that are small enough: least distance, and a linear program."""

from __future__ import annotations

from typing import Any

import numpy as np

from textperceptron.learn.rows import Array
from textperceptron.margins.bracket import Bracket
from textperceptron.margins.problem import Floats, Problem

# Least distance writes the matrix out and takes some min(rows, columns) steps, each over all of it:
# 64 MB and about a second at the limit.
DENSE_VALUES = 8_000_000
DENSE_OPERATIONS = 1e9
# The linear program stays sparse. At the limit it takes a minute, on a longer one it rarely ends.
PROGRAM_ENTRIES = 1_000_000
PROGRAM_SIDE = 2_000
# A free intercept is padded with so many radii, which misses the optimum by a share of 1e-6.
FREE_PADDING = 1e3


def used_columns(problem: Problem) -> Array:
    """Return the columns with entries; the others cannot help a direction."""
    used = np.zeros(problem.rows.n_columns, bool)
    used[problem.rows.indices] = True
    return np.flatnonzero(used)


def fits_least_distance(problem: Problem, n_used: int) -> bool:
    """Whether :func:`least_distance` is quick."""
    size = problem.rows.n_rows * (n_used + 1)
    return size <= DENSE_VALUES and size * min(problem.rows.n_rows, n_used + 1) <= DENSE_OPERATIONS


def fits_linear_program(problem: Problem, n_used: int) -> bool:
    """Whether :func:`linear_program` may end within a minute."""
    return problem.rows.n_stored <= PROGRAM_ENTRIES and min(problem.rows.n_rows, n_used) <= PROGRAM_SIDE


def least_distance(problem: Problem, used: Array, bracket: Bracket) -> None:
    """Offer the hull's nearest point, by non-negative least squares (Lawson and Hanson 1974, chapter 23)."""
    from scipy.optimize import nnls

    signed = _signed_dense(problem, used)
    scale = float(np.max(np.abs(signed))) or 1.0
    system = np.vstack([signed.T / scale, np.ones(len(signed))])
    target = np.zeros(len(system))
    target[-1] = 1
    try:
        weights, _ = nnls(system, target)
    except RuntimeError:  # it did not settle: coordinate descent will do
        return
    bracket.offer_weights(weights)
    support = np.flatnonzero(weights)
    tight, *_ = np.linalg.lstsq(signed[support], np.ones(len(support)), rcond=None)
    # The same direction twice: as the sum it loses digits where the rows nearly cancel, as the solution
    # of w·a = 1 on the support it does not.
    for direction in (signed.T @ weights, tight):
        bracket.offer_direction(_spread(problem, used, direction))


def linear_program(problem: Problem, used: Array, bracket: Bracket, seconds: float) -> None:
    """Offer the direction with ``|w| ≤ 1`` whose least score is greatest, and the multipliers of its rows.

    The rows are scaled to length 1, which changes neither side of the question. If the optimum is 0, the
    multipliers are weights whose sum vanishes.
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array, hstack

    rows = problem.rows
    lengths = np.hypot(problem.norms, problem.pad)
    lengths[lengths == 0] = 1.0
    place = np.zeros(rows.n_columns, np.int64)
    place[used] = np.arange(len(used))
    matrix = csr_array((rows.values, place[rows.indices], rows.indptr), shape=(rows.n_rows, len(used)))
    factor = (-problem.signs / lengths)[:, None]
    constraints = hstack([matrix.multiply(factor), problem.pad * factor, np.ones_like(factor)], format="csr")
    goal = np.zeros(constraints.shape[1])
    goal[-1] = -1
    bounds = np.tile([-1.0, 1.0], (len(goal), 1))
    answer: Any = linprog(
        goal, A_ub=constraints, b_ub=np.zeros(rows.n_rows), bounds=bounds, method="highs",
        options={"time_limit": seconds},
    )  # fmt: skip
    if answer.status != 0:
        return
    bracket.offer_direction(_spread(problem, used, answer.x[:-1]))
    bracket.offer_weights(-answer.ineqlin.marginals / lengths)


def _signed_dense(problem: Problem, used: Array) -> Floats:
    """Write out ``y·(x, pad)`` over the used columns; centred if the intercept is free, to lose no digits."""
    rows = problem.rows
    place = np.zeros(rows.n_columns, np.int64)
    place[used] = np.arange(len(used))
    dense = np.zeros((rows.n_rows, len(used) + 1))
    dense[np.repeat(np.arange(rows.n_rows), np.diff(rows.indptr)), place[rows.indices]] = rows.values
    dense[:, -1] = problem.pad
    if problem.intercept == "free":
        dense -= dense.mean(axis=0)
        dense[:, -1] = FREE_PADDING * (float(np.max(np.linalg.norm(dense, axis=1))) or 1.0)
    dense *= problem.signs[:, None]
    return dense


def _spread(problem: Problem, used: Array, direction: Array) -> Floats:
    """Put a direction over the used columns, its intercept last, back in its place."""
    full = np.zeros(problem.rows.n_columns + 1)
    full[used] = direction[:-1]
    full[-1] = direction[-1]
    return full
