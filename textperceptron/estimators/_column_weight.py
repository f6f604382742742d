"""What the parameter ``column_weight`` of the learners stands for."""

from __future__ import annotations

from typing import Literal

import numpy as np
import numpy.typing as npt

from textperceptron.estimators.log_count_ratio import LogCountRatio
from textperceptron.learn import NOTHING, Rows
from textperceptron.text.weights import class_sums, log_count_ratios

ColumnWeight = LogCountRatio | Literal["log_count_ratio"] | npt.ArrayLike | None


def column_weights(
    column_weight: ColumnWeight, rows: Rows, labels: npt.NDArray[np.intp], which: npt.NDArray[np.int64]
) -> npt.NDArray[np.float64]:
    """Return one number a column, or an empty array if all are 1; ratios are those of the rows ``which`` alone."""
    if column_weight is None:
        return NOTHING
    if isinstance(column_weight, str):
        if column_weight != "log_count_ratio":
            raise ValueError(
                f"column_weight={column_weight!r}: use 'log_count_ratio', LogCountRatio(alpha=…), one number for each "
                "column, or None."
            )
        column_weight = LogCountRatio()
    if not isinstance(column_weight, LogCountRatio):
        return np.asarray(column_weight, np.float64)
    column_weight.check_alpha()
    column_weight.check_values(rows.data)
    sums = class_sums(rows.data, rows.indices, rows.indptr, rows.n_columns, labels, 2, which)
    ratios: npt.NDArray[np.float64] = log_count_ratios(sums, column_weight.alpha)[0]
    return ratios
