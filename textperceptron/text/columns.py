"""Which terms become columns, and in which order."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import (
    count_frequencies,
    gram_lengths,
    name_offsets,
    number_by_frequency,
    order_by_frequency,
    sort_grams,
    sort_names,
    write_names,
)
from textperceptron._memory import mmap_zeros
from textperceptron.text.tally import Tally
from textperceptron.text.vocabulary import Vocabulary

Array = npt.NDArray[Any]

DIGIT = 18  # bits that n-grams are sorted by at a time, at most


@dataclass(frozen=True)
class ColumnSettings:
    """Limits on the terms, as in scikit-learn's ``CountVectorizer``, and the order of the columns."""

    min_df: float = 1
    max_df: float = 1.0
    max_features: int | None = None
    order: str = "frequency"

    def check(self) -> None:
        """Raise on values that make no sense.

        Raises
        ------
        ValueError
            With the setting, its value and what would be right.
        """
        for name in ("min_df", "max_df"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, Real):
                right = False
            else:
                right = int(value) >= 1 if isinstance(value, Integral) else 0 <= float(value) <= 1
            if not right:
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
            If no number of documents can be both.
        """
        low = self.min_df if isinstance(self.min_df, Integral) else self.min_df * n_documents
        high = self.max_df if isinstance(self.max_df, Integral) else self.max_df * n_documents
        if high < low:
            raise ValueError(
                f"max_df corresponds to < documents than min_df (min_df={self.min_df}, max_df={self.max_df}, "
                f"{n_documents} documents). Lower min_df or raise max_df."
            )
        return low, high


def chosen_terms(
    frequency: Array,
    n_documents: int,
    settings: ColumnSettings,
    in_alphabet: Callable[[Array], Array],
    totals: Callable[[], Array],
) -> Array:
    """Return the places of the terms that become columns, in the order of the columns.

    Parameters
    ----------
    frequency : int32 array
        Documents that each term is in.
    n_documents : int
    settings : ColumnSettings
    in_alphabet : callable
        Gives the places of the terms that a mask keeps, ordered by name.
    totals : callable
        Gives the number of occurrences of each term, of the type whose order decides ``max_features``. Only called if
        that limit bites.

    Raises
    ------
    ValueError
        If no term is left.
    """
    low, high = _frequencies(frequency, n_documents, settings)
    chosen = in_alphabet((frequency >= low) & (frequency <= high))
    if settings.max_features is not None and len(chosen) > settings.max_features:
        # The sort is not stable: with ties, only the same call on the same numbers in the same (alphabetical)
        # order keeps the terms that CountVectorizer keeps.
        chosen = chosen[np.sort((-totals()[chosen]).argsort()[: settings.max_features])]
    if len(chosen) == 0:
        raise _nothing_left()
    if settings.order == "frequency":
        by_name, chosen = chosen, np.empty_like(chosen)
        some = frequency if len(by_name) == len(frequency) else frequency[by_name]
        order_by_frequency(by_name, frequency, _behind_more_frequent(_terms_of_each(some)), chosen)
    return chosen


def _frequencies(frequency: Array, n_documents: int, settings: ColumnSettings) -> tuple[float, float]:
    """Return the fewest and the most documents of a column, which is in one at least."""
    if not frequency.any():
        raise ValueError("empty vocabulary; perhaps the documents only contain stop words")
    low, high = settings.document_limits(n_documents)
    return max(low, 1), high


def _nothing_left() -> ValueError:
    return ValueError("After pruning, no terms remain. Try a lower min_df or a higher max_df.")


class ColumnsAsMet(NamedTuple):
    """Columns by falling frequency and, where it is the same, in the order of their terms.

    Attributes
    ----------
    columns : int32 array
        Column of each term, or -1.
    places : int32 array
        Term of each column.
    n_shared : int
        Columns that are in more than one document: these come first.
    """

    columns: Array
    places: Array
    n_shared: int


def columns_as_met(frequency: Array, n_documents: int, settings: ColumnSettings) -> ColumnsAsMet:
    """Return columns whose order needs no names: nothing is sorted, and neighbours are often in the same documents.

    Parameters
    ----------
    frequency : int32 array
        Documents that each term is in. It becomes the array of columns.
    n_documents : int
    settings : ColumnSettings
        Only the limits of frequency are taken.

    Raises
    ------
    ValueError
        If no term is left.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.columns import ColumnSettings, columns_as_met
    >>> found = columns_as_met(np.array([1, 2, 1, 3], np.int32), 3, ColumnSettings())
    >>> found.columns.tolist(), found.places.tolist(), found.n_shared
    ([2, 1, 3, 0], [3, 1, 0, 2], 2)
    """
    low, high = _frequencies(frequency, n_documents, settings)
    terms_of = _terms_of_each(frequency)
    terms_of[: math.ceil(low)] = 0
    terms_of[math.floor(high) + 1 :] = 0
    n_columns = int(terms_of.sum())
    if n_columns == 0:
        raise _nothing_left()
    next_column = np.where(terms_of > 0, _behind_more_frequent(terms_of), -1).astype(np.int32)
    places = np.empty(n_columns, np.int32)
    number_by_frequency(frequency, next_column, places)
    return ColumnsAsMet(frequency, places, int(terms_of[2:].sum()))


def _terms_of_each(frequency: Array) -> Array:
    """Return how many terms have each frequency, from 0 on."""
    terms_of = np.zeros(int(frequency.max()) + 1, np.int64)
    count_frequencies(frequency, terms_of)
    return terms_of


def _behind_more_frequent(terms_of: Array) -> Array:
    """Return where the terms of each frequency begin, if the most frequent come first."""
    starts: Array = terms_of[::-1].cumsum()[::-1] - terms_of
    return starts


def columns_of(chosen: Array, n_terms: int) -> Array:
    """Return the column of each term, or -1."""
    columns = np.full(n_terms, -1, np.int32)
    columns[chosen] = np.arange(len(chosen), dtype=np.int32)
    return columns


class Terms:
    """Finished terms by place: tokens first, then pairs."""

    def __init__(self, tally: Tally) -> None:
        self._n_tokens = tally.n_tokens
        self._token_offsets = tally.token_offsets
        self._token_bytes = tally.token_bytes
        self._pairs, self._spare = tally.release_pairs()

    def vocabulary(self, places: Array) -> Vocabulary:
        """Return the names of terms, which are all different, and with them the memory of the tally's table."""
        spare, self._spare = self._spare, np.empty(0, np.uint64)
        return Vocabulary.from_bytes(*self.names(places), spare)

    def names(self, places: Array) -> tuple[Array, Array]:
        """Return the names of terms as offsets and arena."""
        offsets = np.empty(len(places) + 1, np.int64)
        name_offsets(places, self._pairs, self._token_offsets, offsets)
        arena = np.empty(offsets[-1], np.uint8)
        write_names(places, self._pairs, self._token_offsets, self._token_bytes, offsets, arena)
        return offsets, arena

    def in_alphabet(self, kept: Array) -> Array:
        """Return the places of the terms ``kept``, ordered by name (by code points, as Python does)."""
        if len(self._pairs) == 0:
            return sorted_by_name(self._token_offsets, self._token_bytes, places_of(kept))
        if self._names_sort_as_tokens_do():
            return self._in_alphabet_by_tokens(kept)
        places = places_of(kept)
        offsets, arena = self.names(places)
        return places[sorted_by_name(offsets, arena, np.arange(len(places), dtype=np.int32))]

    def _names_sort_as_tokens_do(self) -> bool:
        """Whether no token goes on, behind its first byte, with one up to the space that joins tokens.

        "a b" comes before "ac", and so does "a" before "ac"; but it comes behind "a" and a tabulator.
        """
        starts = self._token_offsets[:-1]
        if np.any(self._token_offsets[1:] == starts):
            return False
        further = self._token_bytes.copy()
        further[starts] = 0xFF
        return int(further.min(initial=0xFF)) > 0x20

    def _in_alphabet_by_tokens(self, kept: Array) -> Array:
        """Order n-grams by the ranks of their tokens: a term comes right before those it begins.

        Level by level, a longer n-gram sorts by the position of all but its last token, then by its last.
        """
        n = self._n_tokens
        order = sorted_by_name(self._token_offsets, self._token_bytes, np.arange(n, dtype=np.int32))
        rank = np.empty(n, np.int32)
        rank[order] = np.arange(n, dtype=np.int32)
        levels = self._levels()
        longest = int(levels.max(initial=2))
        position = rank if longest == 2 else np.concatenate([rank, np.empty(len(levels), np.int32)])
        for level in range(2, longest + 1):
            # The longest begin no others: those that are not kept need no position.
            wanted = kept if level == longest else np.ones(len(kept), bool)
            here = self._places_up_to(level, levels, wanted)
            order = self._sort(here, levels, level, position, rank)
            if level < longest:
                position[order] = np.arange(len(order), dtype=np.int32)
        return order

    def _places_up_to(self, level: int, levels: Array, wanted: Array) -> Array:
        """Return the places of the terms of at most so many tokens that are wanted."""
        if len(levels) and int(levels.max()) > level:
            wanted = wanted & np.concatenate([np.ones(self._n_tokens, bool), levels <= level])
        return np.arange(len(wanted), dtype=np.int32) if wanted.all() else places_of(wanted)

    def _sort(self, ascending: Array, levels: Array, level: int, position: Array, rank: Array) -> Array:
        """Return places by name: first by the last token, then, equal ones staying in order, by all before it."""
        places, ordered, spare = ascending, np.empty_like(ascending), np.empty_like(ascending)
        several = levels if int(levels.max(initial=2)) > 2 else levels[:0]
        for by_beginning, values in ((False, len(rank) + 1), (True, len(position))):
            bits = values.bit_length()
            digit = -(-bits // -(-bits // DIGIT))
            counts = np.empty(1 << digit, np.int32)
            for shift in range(0, bits, digit):
                sort_grams(
                    places, ascending, self._pairs, several, level, position, rank, by_beginning, shift, counts, ordered
                )  # fmt: skip
                places, ordered, spare = ordered, spare, ordered
        return places

    def _levels(self) -> Array:
        """Return how many tokens each pair has; an empty array if all have two."""
        if len(self._pairs) == 0 or int(self._pairs.max()) >> 63 == 0:
            return np.empty(0, np.int32)
        levels = np.empty(len(self._pairs), np.int32)
        gram_lengths(self._pairs, levels)
        return levels


def places_of(kept: Array) -> Array:
    """Return the places of the terms that a mask keeps."""
    return np.flatnonzero(kept).astype(np.int32)


def sorted_by_name(offsets: Array, arena: Array, items: Array) -> Array:
    """Return ``items``, numbers of names, by name."""
    items = np.array(items, np.int32)
    keys, spare_keys = (mmap_zeros(len(items), np.uint64) for _ in range(2))
    sort_names(offsets, arena, items, keys, spare_keys, mmap_zeros(len(items), np.int32))
    return items
