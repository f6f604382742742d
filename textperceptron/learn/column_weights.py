"""Log-count ratios of the rows that training sees: of one binary problem, or of each class against the others."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron._parallel import count_jobs, ordered_map
from textperceptron.learn.class_counts import ClassCounts, nonzero, ratios_against
from textperceptron.learn.rows import Rows
from textperceptron.learn.training_data import LabelSets
from textperceptron.text.log_count_ratio import add_column_sums, class_sums, log_count_ratios, presence

if TYPE_CHECKING:
    from textperceptron.settings import LearnerSettings

Floats = npt.NDArray[np.float64]


def ratios_of_two(
    rows: Rows,
    codes: npt.NDArray[np.intp],
    which: npt.NDArray[np.int64],
    settings: LearnerSettings,
    n_jobs: int | None = None,
) -> Floats:
    """Return one number per column: by how much the second class has more of it, in the rows ``which`` alone."""
    rows = _counted(rows, settings)
    sums = class_sums(rows.data, rows.indices, rows.indptr, rows.n_columns, codes, 2, which, n_jobs)
    sizes = np.bincount(codes[which], minlength=2) if settings.ratio_balanced else None
    ratios: Floats = log_count_ratios(sums, settings.ratio_alpha, sizes, n_jobs)[0]
    return ratios


def count_classes(
    rows: Rows,
    codes: npt.NDArray[np.intp],
    n_classes: int,
    which: npt.NDArray[np.int64],
    settings: LearnerSettings,
    n_jobs: int | None = None,
) -> ClassCounts:
    """Return the counts of the rows ``which``, that ratios are computed from."""
    rows = _counted(rows, settings)
    mine = [which[codes[which] == code] for code in range(n_classes)]
    sparse: list[Any] = [None] * n_classes

    def count(_: None, code: int) -> None:
        sums = np.zeros(rows.n_columns)
        add_column_sums(rows.data, rows.indices, rows.indptr, mine[code], sums)
        sparse[code] = nonzero(sums)

    for _ in ordered_map(count, range(n_classes), [None] * min(n_classes, count_jobs(n_jobs))):
        pass
    n_rows = np.array([len(each) for each in mine])
    return ClassCounts(n_rows, rows.n_columns, *zip(*sparse, strict=True))


def ratios_of_each(
    rows: Rows,
    labels: LabelSets,
    n_problems: int,
    weight: Floats,
    settings: LearnerSettings,
    n_jobs: int | None = None,
) -> Floats:
    """Return the ratios of each class against all others, of shape (n_problems, n_columns).

    ``labels`` hold the numbers of the problems for which a row is positive. Rows of weight 0 do not count.
    """
    rows = _counted(rows, settings)
    counts = weight > 0 if len(weight) else np.ones(rows.n_rows, bool)
    n_rows, total = int(counts.sum()), np.zeros(rows.n_columns)
    add_column_sums(rows.data, rows.indices, rows.indptr, np.flatnonzero(counts), total)
    row_of = np.repeat(np.arange(rows.n_rows), np.diff(labels.starts))
    by_problem = np.argsort(labels.label, kind="stable")
    bounds = np.searchsorted(labels.label[by_problem], np.arange(n_problems + 1))
    ratios = np.empty((n_problems, rows.n_columns))

    def write(_: None, problem: int) -> None:
        mine = row_of[by_problem[bounds[problem] : bounds[problem + 1]]]
        mine = mine[counts[mine]]
        inside = np.zeros(rows.n_columns)
        add_column_sums(rows.data, rows.indices, rows.indptr, mine, inside)
        ratios[problem] = ratios_against(inside, total, (n_rows - len(mine), len(mine)), settings)

    for _ in ordered_map(write, range(n_problems), [None] * min(n_problems, count_jobs(n_jobs))):
        pass
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
