"""Log-count ratios of the rows that training sees: of one binary problem, or of each class against the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.rows import Rows
from textperceptron.learn.training_data import LabelSets
from textperceptron.text.log_count_ratio import class_sums, log_count_ratios, presence

if TYPE_CHECKING:
    from textperceptron.settings import LearnerSettings

Floats = npt.NDArray[np.float64]


def ratios_of_two(
    rows: Rows, codes: npt.NDArray[np.intp], which: npt.NDArray[np.int64], settings: LearnerSettings
) -> Floats:
    """Return one number per column: by how much the second class has more of it, in the rows ``which`` alone."""
    rows = _counted(rows, settings)
    sums = class_sums(rows.data, rows.indices, rows.indptr, rows.n_columns, codes, 2, which)
    sizes = np.bincount(codes[which], minlength=2) if settings.ratio_balanced else None
    ratios: Floats = log_count_ratios(sums, settings.ratio_alpha, sizes)[0]
    return ratios


def ratios_of_each(rows: Rows, labels: LabelSets, n_problems: int, weight: Floats, settings: LearnerSettings) -> Floats:
    """Return the ratios of each class against all others, of shape (n_problems, n_columns).

    ``labels`` hold the numbers of the problems for which a row is positive. Rows of weight 0 do not count.
    """
    rows = _counted(rows, settings)
    which = np.flatnonzero(weight) if len(weight) else np.arange(rows.n_rows)
    total = _sums(rows, which)
    ratios = np.empty((n_problems, rows.n_columns))
    row_of = np.repeat(np.arange(rows.n_rows), np.diff(labels.starts))
    counts = np.zeros(rows.n_rows, bool)
    counts[which] = True
    for problem in range(n_problems):
        mine = row_of[labels.label == problem]
        mine = mine[counts[mine]]
        inside = _sums(rows, mine)
        sizes = np.array([len(which) - len(mine), len(mine)]) if settings.ratio_balanced else None
        ratios[problem] = log_count_ratios(np.vstack([total - inside, inside]), settings.ratio_alpha, sizes)[0]
    return ratios


def _counted(rows: Rows, settings: LearnerSettings) -> Rows:
    """Return the rows with the values that ratios count."""
    if settings.ratio_binary:
        return replace(rows, data=presence(rows.data))
    check_counts(rows.data)
    return rows


def check_counts(data: npt.NDArray[Any]) -> None:
    """Raise ValueError if a value is below 0."""
    if len(data) and data.min() < 0:
        raise ValueError("Negative values in data: log-count ratios need counts, or presence (alternate_sign=False).")


def _sums(rows: Rows, which: npt.NDArray[np.int64]) -> Floats:
    codes = np.zeros(rows.n_rows, np.int64)
    sums: Floats = class_sums(rows.data, rows.indices, rows.indptr, rows.n_columns, codes, 1, which)[0]
    return sums
