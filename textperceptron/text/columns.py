"""Which terms become columns, and in which order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron.settings import TextSettings

Array = npt.NDArray[Any]


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
    n_words : int
        Columns from here on are n-grams of characters.
    """

    terms: Array
    of_term: Array
    n_shared: int
    n_words: int

    def __len__(self) -> int:
        return len(self.terms)


def document_limits(min_df: float, max_df: float, n_documents: int) -> tuple[float, float]:
    """Return the minimum and the maximum number of documents of a term.

    Raises
    ------
    ValueError
        If the minimum is larger than the maximum.
    """
    low = min_df if isinstance(min_df, Integral) else min_df * n_documents
    high = max_df if isinstance(max_df, Integral) else max_df * n_documents
    if high < low:
        raise ValueError(
            f"max_df corresponds to < documents than min_df (min_df={min_df}, max_df={max_df}, "
            f"{n_documents} documents). Lower min_df or raise max_df."
        )
    return low, high


def choose_columns(
    order: Array,
    frequency: Array,
    n_documents: int,
    settings: TextSettings,
    in_alphabet: Callable[[Array], Array],
    totals: Callable[[], Array],
    are_characters: Callable[[], Array],
) -> Columns:
    """Choose the terms that become columns, and number them.

    Parameters
    ----------
    order : int32 array
        Terms in order of first appearance.
    frequency : int32 array
        Documents that have each term.
    n_documents : int
    settings : TextSettings
        Its ``dtype`` is that of the rows: with ``order="alphabet"``, it decides as in CountVectorizer which of equal
        terms ``max_features`` keeps.
    in_alphabet : callable
        Gives the terms of a mask, ordered by name. Only called for ``order="alphabet"``.
    totals : callable
        Gives the number of occurrences of each term. Only called if ``max_features`` is below the number of terms.
    are_characters : callable
        Gives a mask of the terms that are n-grams of characters, which come last. Only called if the settings have any.

    Raises
    ------
    ValueError
        If no term is left.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.settings import TextSettings
    >>> from textperceptron.text.columns import choose_columns
    >>> order, frequency = np.array([0, 1, 3, 2], np.int32), np.array([1, 2, 1, 3], np.int32)
    >>> unused = lambda *_: None
    >>> columns = choose_columns(order, frequency, 3, TextSettings(), unused, unused, unused)
    >>> columns.terms.tolist(), columns.of_term.tolist(), columns.n_shared
    ([3, 1, 0, 2], [2, 1, 3, 0], 2)
    """
    if not frequency.any():
        raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
    low, high = document_limits(settings.min_df, settings.max_df, n_documents)
    kept = (frequency >= max(low, 1)) & (frequency <= high)
    by_name = settings.order == "alphabet"
    terms = in_alphabet(kept) if by_name else order if kept.all() else order[kept[order]]
    if settings.max_features is not None and len(terms) > settings.max_features:
        counts = totals()[terms]
        # CountVectorizer's sort is unstable: only the same call on the same numbers keeps the same of equal terms.
        order = (-_sum_type(counts, settings.dtype)).argsort() if by_name else (-counts).argsort(kind="stable")
        terms = terms[np.sort(order[: settings.max_features])]
    if len(terms) == 0:
        raise ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")
    of_term = np.full(len(frequency), -1, np.int32)
    if settings.n_characters:
        ordered = terms if by_name else terms[(-frequency[terms]).argsort(kind="stable")]
        return _characters_last(ordered, of_term, are_characters())
    if by_name:
        of_term[terms] = np.arange(len(terms), dtype=np.int32)
        return Columns(terms, of_term, len(terms), len(terms))
    with_frequency = np.zeros(int(frequency.max()) + 1, np.int64)
    _kernels.count_frequencies(terms, frequency, with_frequency)
    starts = with_frequency[::-1].cumsum()[::-1] - with_frequency  # the most frequent come first
    by_frequency = np.empty_like(terms)
    _kernels.order_by_frequency(terms, frequency, starts, by_frequency, of_term)
    return Columns(by_frequency, of_term, int(with_frequency[2:].sum()), len(terms))


def _characters_last(terms: Array, of_term: Array, are_characters: Array) -> Columns:
    """Return columns in the order of ``terms``, words before n-grams of characters."""
    mask = are_characters[terms]
    terms = np.concatenate([terms[~mask], terms[mask]])
    of_term[terms] = np.arange(len(terms), dtype=np.int32)
    return Columns(terms, of_term, len(terms), len(terms) - int(mask.sum()))


def _sum_type(totals: Array, dtype: npt.DTypeLike) -> Array:
    """Return totals in the type that scipy gives to the sums of a matrix of ``dtype``.

    float32, our default, counts like CountVectorizer's default int64: it then keeps the same of equal terms.
    """
    if np.dtype(dtype) in (np.dtype(np.float32), np.dtype(bool)) or np.dtype(dtype).kind == "i":
        return totals
    return totals.astype(np.uint64 if np.dtype(dtype).kind == "u" else dtype)
