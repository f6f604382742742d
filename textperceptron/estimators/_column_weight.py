"""What the parameter ``column_weight`` of the learners stands for."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from textperceptron.estimators.log_count_ratio import LogCountRatio
from textperceptron.learn import EMPTY, LabelSets, Rows
from textperceptron.learn.rules.base import squares
from textperceptron.model.column_weight import ratios_of_each, ratios_of_two

ColumnWeight = LogCountRatio | Literal["log_count_ratio"] | npt.ArrayLike | None


def class_column_weights(
    column_weight: ColumnWeight,
    rows: Rows,
    labels: LabelSets,
    n_problems: int,
    weight: npt.NDArray[np.float64],
) -> npt.NDArray[np.float64]:
    """Return the column weights of each class against all others, of shape (n_problems, n_columns), or nothing.

    ``labels`` hold the numbers of the problems for which a row is positive; one outside them, such as -1, is for none.
    """
    ratio = _ratio(column_weight)
    if ratio is None:
        same = column_weights(column_weight, rows, np.empty(0, np.intp), np.empty(0, np.int64), 2)
        squares(same, rows.n_columns)  # refuses what cannot be column weights
        return same
    ratio.check_alpha()
    ratio.check_values(rows.data)
    return ratios_of_each(rows, labels, n_problems, weight, ratio.alpha, binary=ratio.binary, balanced=ratio.balanced)


def column_weights(
    column_weight: ColumnWeight,
    rows: Rows,
    codes: npt.NDArray[np.intp],
    which: npt.NDArray[np.int64],
    n_classes: int,
) -> npt.NDArray[np.float64]:
    """Return one number a column, or an empty array if all are 1; ratios are those of the rows ``which`` alone."""
    if column_weight is None:
        return EMPTY
    ratio = _ratio(column_weight)
    if ratio is None:
        return np.asarray(column_weight, np.float64)
    if n_classes != 2:
        raise ValueError(
            f"column_weight: log-count ratios compare two classes, and y has {n_classes}. Wrap the learner in "
            "OneVsAll, which gives each class ratios of its own."
        )
    ratio.check_alpha()
    ratio.check_values(rows.data)
    return ratios_of_two(rows, codes, which, ratio.alpha, binary=ratio.binary, balanced=ratio.balanced)


def _ratio(column_weight: ColumnWeight) -> LogCountRatio | None:
    """Return the log-count ratios that are asked for, or None if they are not."""
    if isinstance(column_weight, str):
        if column_weight != "log_count_ratio":
            raise ValueError(
                f"column_weight={column_weight!r}: use 'log_count_ratio', LogCountRatio(alpha=…), one number for each "
                "column, or None."
            )
        return LogCountRatio()
    return column_weight if isinstance(column_weight, LogCountRatio) else None
