"""The parameter ``column_weight`` of the learners."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from textperceptron.estimators.log_count_ratio import LogCountRatio

ColumnWeight = LogCountRatio | Literal["log_count_ratio"] | npt.ArrayLike | None


def split_column_weight(
    column_weight: ColumnWeight,
) -> tuple[dict[str, Any], npt.NDArray[np.float64] | None]:
    """Return the settings of log-count ratios, or the given column weights."""
    if column_weight is None:
        return {}, None
    if isinstance(column_weight, str):
        if column_weight != "log_count_ratio":
            raise ValueError(
                f"column_weight={column_weight!r}: use 'log_count_ratio', LogCountRatio(alpha=…), one number for each "
                "column, or None."
            )
        return {"column_weight": "log_count_ratio"}, None
    if isinstance(column_weight, LogCountRatio):
        column_weight.check_alpha()
        ratios = {"ratio_alpha": float(column_weight.alpha), "ratio_binary": bool(column_weight.binary)}
        return {"column_weight": "log_count_ratio", "ratio_balanced": bool(column_weight.balanced), **ratios}, None
    return {}, np.asarray(column_weight, np.float64)
