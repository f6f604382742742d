"""Log-count ratios of the rows that training sees, for one problem or for each class against the others."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from textperceptron.learn import LabelSets, Rows
from textperceptron.text.weights import class_sums, log_count_ratios, presence

Floats = npt.NDArray[np.float64]


def ratios_of_two(
    rows: Rows,
    codes: npt.NDArray[np.intp],
    which: npt.NDArray[np.int64],
    alpha: float,
    *,
    binary: bool,
    balanced: bool,
) -> Floats:
    """Return one number a column: by how much the second class has more of it, in the rows ``which`` alone.

    If ``binary``, a row counts once for each column that it has, whatever the value. If ``balanced``, alpha is shared
    out by the rows of the classes.
    """
    rows = _counted(rows, binary=binary)
    sums = class_sums(rows.data, rows.indices, rows.indptr, rows.n_columns, codes, 2, which)
    sizes = np.bincount(codes[which], minlength=2) if balanced else None
    ratios: Floats = log_count_ratios(sums, alpha, sizes)[0]
    return ratios


def ratios_of_each(
    rows: Rows, labels: LabelSets, n_problems: int, weight: Floats, alpha: float, *, binary: bool, balanced: bool
) -> Floats:
    """Return the ratios of each class against all others, of shape (n_problems, n_columns).

    ``labels`` hold the numbers of the problems for which a row is positive; one outside them, such as -1, is for none.
    """
    rows = _counted(rows, binary=binary)
    which = np.flatnonzero(weight) if len(weight) else np.arange(rows.n_rows)
    everything = _sums(rows, which)
    ratios = np.empty((n_problems, rows.n_columns))
    row_of = np.repeat(np.arange(rows.n_rows), np.diff(labels.starts))
    counts = np.zeros(rows.n_rows, bool)
    counts[which] = True
    for problem in range(n_problems):
        mine = row_of[labels.label == problem]
        mine = mine[counts[mine]]
        inside = _sums(rows, mine)
        sizes = np.array([len(which) - len(mine), len(mine)]) if balanced else None
        ratios[problem] = log_count_ratios(np.vstack([everything - inside, inside]), alpha, sizes)[0]
    return ratios


def _counted(rows: Rows, *, binary: bool) -> Rows:
    """Return the rows with the values that ratios count; raise ValueError if one is below 0."""
    if binary:
        return replace(rows, data=presence(rows.data))
    if len(rows.data) and rows.data.min() < 0:
        raise ValueError("Negative values in data: log-count ratios need counts, or presence (alternate_sign=False).")
    return rows


def _sums(rows: Rows, which: npt.NDArray[np.int64]) -> Floats:
    codes = np.zeros(rows.n_rows, np.int64)
    sums: Floats = class_sums(rows.data, rows.indices, rows.indptr, rows.n_columns, codes, 1, which)[0]
    return sums
