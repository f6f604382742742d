"""Which conjunctions become columns."""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.settings.text import check_document_frequency, check_max_features
from textperceptron.text.columns import document_limits

Array = npt.NDArray[Any]

SCORES = ("document_frequency", "log_likelihood")
DEGREES = (2, 3)


@dataclass(frozen=True)
class ConjunctionSettings:
    """Limits on the conjunctions, checked when they are made.

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

    def __post_init__(self) -> None:
        check_document_frequency("min_df", self.min_df)
        check_document_frequency("max_df", self.max_df)
        if self.max_features is not None:
            check_max_features("max_features", self.max_features)
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
        """Return the minimum and the maximum number of rows of a conjunction.

        Raises
        ------
        ValueError
            If the minimum is larger than the maximum.
        """
        low, high = document_limits(self.min_df, self.max_df, n_rows)
        return max(1, int(np.ceil(low))), min(n_rows, int(np.floor(high)))
