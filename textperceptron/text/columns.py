"""Which terms become columns, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class ColumnSettings:
    """Limits on the terms, as in scikit-learn's ``CountVectorizer``, and the order of the columns."""

    min_df: float = 1
    max_df: float = 1.0
    max_features: int | None = None
    order: str = "frequency"

    def check(self) -> None:
        """Raise on invalid values.

        Raises
        ------
        ValueError
            With the setting, its value and the valid ones.
        """
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Real):
                is_valid = False
            else:
                is_valid = int(value) >= 1 if isinstance(value, Integral) else 0 <= float(value) <= 1
            if not is_valid:
                raise ValueError(
                    f"The '{name}' parameter must be a float in the range [0.0, 1.0] (a share of the "
                    f"documents) or an int in the range [1, inf) (a number of them). Got {value!r} instead."
                )
        if self.max_features is not None and (not isinstance(self.max_features, Integral) or self.max_features < 1):
            raise ValueError(
                "The 'max_features' parameter must be an int in the range [1, inf) or None. "
                f"Got {self.max_features!r} instead."
            )
        if self.order not in ("frequency", "alphabet"):
            raise ValueError(f"Invalid value for order: {self.order!r}. Use 'frequency' or 'alphabet'.")

    def document_limits(self, n_documents: int) -> tuple[float, float]:
        """Return the fewest and the most documents that a term may be in.

        Raises
        ------
        ValueError
            If the first is larger than the second.
        """
        low = self.min_df if isinstance(self.min_df, Integral) else self.min_df * n_documents
        high = self.max_df if isinstance(self.max_df, Integral) else self.max_df * n_documents
        if high < low:
            raise ValueError(
                f"max_df corresponds to < documents than min_df (min_df={self.min_df}, max_df={self.max_df}, "
                f"{n_documents} documents). Lower min_df or raise max_df."
            )
        return low, high


@dataclass(frozen=True, slots=True)
class Columns:
    """The terms that become columns.

    Attributes
    ----------
    terms : int32 array
        Term of each column.
    of_term : int32 array
        Column of each term, or -1.
    n_shared : int
        Columns from here on belong to terms of one document each, in order of first appearance.
    """

    terms: Array
    of_term: Array
    n_shared: int

    def __len__(self) -> int:
        return len(self.terms)


def choose_columns(
    order: Array,
    frequency: Array,
    n_documents: int,
    settings: ColumnSettings,
    in_alphabet: Callable[[Array], Array],
    totals: Callable[[], Array],
    dtype: npt.DTypeLike = np.float32,
) -> Columns:
    """Choose the terms that become columns, and number them.

    Parameters
    ----------
    order : int32 array
        Terms in order of first appearance.
    frequency : int32 array
        Documents that have each term.
    n_documents : int
    settings : ColumnSettings
    in_alphabet : callable
        Gives the terms of a mask, ordered by name. Only called for ``order="alphabet"``.
    totals : callable
        Gives the number of occurrences of each term. Only called if ``max_features`` is below the number of terms.
    dtype : numpy dtype
        Type of the rows' values: with ``order="alphabet"``, it decides as in CountVectorizer which of equal terms
        ``max_features`` keeps.

    Raises
    ------
    ValueError
        If no term is left.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.columns import ColumnSettings, choose_columns
    >>> order, frequency = np.array([0, 1, 3, 2], np.int32), np.array([1, 2, 1, 3], np.int32)
    >>> columns = choose_columns(order, frequency, 3, ColumnSettings(), lambda mask: mask, lambda: frequency)
    >>> columns.terms.tolist(), columns.of_term.tolist(), columns.n_shared
    ([3, 1, 0, 2], [2, 1, 3, 0], 2)
    """
    if not frequency.any():
        raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
    low, high = settings.document_limits(n_documents)
    kept = (frequency >= max(low, 1)) & (frequency <= high)
    by_name = settings.order == "alphabet"
    terms = in_alphabet(kept) if by_name else order if kept.all() else order[kept[order]]
    if settings.max_features is not None and len(terms) > settings.max_features:
        counts = totals()[terms]
        # CountVectorizer's sort is unstable: only the same call on the same numbers keeps the same of equal terms.
        order = (-_sum_type(counts, dtype)).argsort() if by_name else (-counts).argsort(kind="stable")
        terms = terms[np.sort(order[: settings.max_features])]
    if len(terms) == 0:
        raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
    of_term = np.full(len(frequency), -1, np.int32)
    if by_name:
        of_term[terms] = np.arange(len(terms), dtype=np.int32)
        return Columns(terms, of_term, len(terms))
    with_frequency = np.zeros(int(frequency.max()) + 1, np.int64)
    _kernels.count_frequencies(terms, frequency, with_frequency)
    starts = with_frequency[::-1].cumsum()[::-1] - with_frequency  # the most frequent come first
    by_frequency = np.empty_like(terms)
    _kernels.order_by_frequency(terms, frequency, starts, by_frequency, of_term)
    return Columns(by_frequency, of_term, int(with_frequency[2:].sum()))


def _sum_type(totals: Array, dtype: npt.DTypeLike) -> Array:
    """Return totals in the type that scipy gives to the sums of a matrix of ``dtype``.

    float32, our default, counts like CountVectorizer's default int64: it then keeps the same of equal terms.
    """
    if np.dtype(dtype) in (np.dtype(np.float32), np.dtype(bool)) or np.dtype(dtype).kind == "i":
        return totals
    return totals.astype(np.uint64 if np.dtype(dtype).kind == "u" else dtype)
