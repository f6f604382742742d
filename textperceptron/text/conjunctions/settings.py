"""Which conjunctions become columns."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.text.columns import ColumnSettings

Array = npt.NDArray[Any]

SCORES = ("document_frequency", "log_likelihood")
DEGREES = (2, 3)


@dataclass(frozen=True)
class ConjunctionSettings:
    """Limits on the conjunctions.

    Attributes
    ----------
    pivots : int array or None
        Columns of which every conjunction has one at least; None for no such limit.

    See :class:`textperceptron.Conjunctions` for the others.
    """

    degree: int = 2
    min_df: float = 1
    max_df: float = 1.0
    max_features: int | None = None
    select_by: str = "document_frequency"
    pivots: Array | None = None
    memory_limit: int | None = None

    def check(self) -> None:
        """Raise on invalid values.

        Raises
        ------
        ValueError
            With the setting, its value and the valid ones.
        """
        ColumnSettings(self.min_df, self.max_df, self.max_features).check()
        if isinstance(self.degree, bool) or self.degree not in DEGREES:
            raise ValueError(f"degree={self.degree!r}: use 2 for pairs, or 3 for pairs and triples.")
        if self.select_by not in SCORES:
            raise ValueError(f"select_by={self.select_by!r}: use one of {', '.join(map(repr, SCORES))}.")
        limit = self.memory_limit
        if limit is not None and (isinstance(limit, bool) or not isinstance(limit, Integral) or limit < 1):
            raise ValueError(f"memory_limit={limit!r}: use a number of bytes, or None for what is free.")

    @property
    def scored(self) -> bool:
        """Whether the classes of the rows decide which conjunctions are kept."""
        return self.select_by == "log_likelihood"

    def row_limits(self, n_rows: int) -> tuple[int, int]:
        """Return the fewest and the most rows that a conjunction may be in.

        Raises
        ------
        ValueError
            If the first is larger than the second.
        """
        low, high = ColumnSettings(self.min_df, self.max_df).document_limits(n_rows)
        return max(1, int(np.ceil(low))), min(n_rows, int(np.floor(high)))
