"""Rows whose pairs of columns are formed on the fly."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import expand_pairs, pair_places, rows_ascend, rows_of_words, survey_pairs
from textperceptron._memory import check_memory
from textperceptron._validation import at_least, integer
from textperceptron.learn.plan import Plan
from textperceptron.learn.rows import MAX_VALUE, Array, Rows, check_values, in_order
from textperceptron.learn.rules.base import Rule
from textperceptron.learn.state import EMPTY
from textperceptron.learn.weight_tables import DENSE_WEIGHTS, ClassTable

MAX_PAIR_BITS = 30
_WORTH_A_LOOK = 1 << 26  # bytes that need not be compared with what is free

# Entries that are written at a time: half a MB of columns, so that the second-level cache holds them beside weights.
_PIECE_ENTRIES = 1 << 17

# Entries of a row, its pairs included, up to which it is expanded: 11,585 columns. For many classes they take 2 GB.
_LONGEST_ROW = 1 << 26

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PairedRows(Rows):
    """Rows with a column for each pair of theirs behind their own, of which ``2**bits`` are shared by hashing.

    ``data``, ``indices`` and ``indptr`` are those of the rows without pairs, their columns ascending and no value 0;
    ``n_columns`` counts the places of the pairs as well. Kernels never see this: they get :meth:`pieces` of it, a few
    rows written out. The places are described in ``_kernels/hashed_pairs.pyx``.
    """

    bits: int

    @property
    def n_words(self) -> int:
        """The columns that are no pairs."""
        return self.n_columns - (1 << self.bits)

    @property
    def lengths(self) -> Integers:
        """Entries of each row, its pairs included."""
        return _with_pairs(np.diff(self.indptr))

    @property
    def n_stored(self) -> int:
        """Entries of all rows, pairs included, though these are not stored."""
        return int(self.lengths.sum())

    @property
    def rows_are_unit_length(self) -> bool:
        """Never: pairs make rows longer than the words alone, which may have been scaled."""
        return False

    @property
    def longest(self) -> int:
        """Entries of the longest row, its pairs included."""
        return int(self.lengths.max(initial=0))

    def largest_value(self, dtype: np.dtype[Any]) -> float:
        """Return what no value may exceed: the root of what others may be, because products are values too."""
        return math.sqrt(MAX_VALUE[dtype.name])

    def pieces(
        self, which: Integers, weight: npt.NDArray[np.float64] = EMPTY
    ) -> Iterator[tuple[Rows, Integers, slice]]:
        """Yield the rows ``which`` a few at a time with their pairs, in arrays that the next piece overwrites.

        A row of ``weight`` 0 comes without entries, because nobody looks at it.
        """
        stored = self.indptr[which + 1] - self.indptr[which]
        beginnings = np.empty(int(stored.max(initial=1)), np.uint32)
        lengths = _with_pairs(stored)
        if len(weight):
            which = np.where(weight[which] == 0, -1, which)
            lengths[which < 0] = 0
        ends = np.cumsum(lengths)
        room = min(max(_PIECE_ENTRIES, int(lengths.max(initial=0))), int(lengths.sum()))
        data = np.empty(room if len(self.data) else 0, self.dtype)
        indices = np.empty(room, self.indices.dtype)
        start = 0
        while start < len(which):
            before = ends[start - 1] if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + room, side="right")))
            indptr = np.empty(stop - start + 1, self.indptr.dtype)
            expand_pairs(
                self.data, self.indices, self.indptr, which[start:stop],
                self.n_words, self.bits, beginnings, data, indices, indptr,
            )  # fmt: skip
            yield Rows(data, indices, indptr, self.n_columns), np.arange(stop - start), slice(start, stop)
            start = stop


def with_pairs(rows: Rows, bits: int) -> PairedRows:
    """Return rows whose pairs of columns are columns too, sharing ``2**bits`` places.

    Nothing is copied unless columns do not ascend or values of 0 are stored: these are no part of a pair.

    Raises
    ------
    ValueError
        If ``bits`` is out of range, a row has so many pairs that it cannot be expanded, or a value is so large that its
        products with others could overflow.
    """
    n_columns = n_columns_with_pairs(rows.n_columns, bits)
    if len(rows.data) and not rows.data.all():
        rows = _without_zeros(rows)
    if not rows_ascend(rows.indices, rows.indptr):
        data, indices, indptr = in_order(rows.values, rows.indices, rows.indptr)
        rows = Rows(data if len(rows.data) else rows.data, indices, indptr, rows.n_columns)
    paired = PairedRows(rows.data, rows.indices, rows.indptr, n_columns, int(bits))
    _check_longest(paired)
    if len(paired.data):
        limit = paired.largest_value(paired.dtype)
        check_values(paired.data, paired.indices, paired.indptr, paired.dtype, limit, "scores of pairs")
    return paired


def places_of(pairs: Integers, n_columns: int, bits: int) -> Integers:
    """Return the place of each pair of columns, given in either order, from 0 on."""
    lower, upper = np.ascontiguousarray(np.sort(pairs, axis=1).T, np.int64)
    places = np.empty(len(pairs), np.int64)
    pair_places(lower, upper, n_columns, bits, places)
    return places


class PairCollisions(NamedTuple):
    """Which pairs rows have, and who is found at some places."""

    n_different: int
    n_alone: int
    """Pairs that have a place to themselves."""
    columns: Integers
    """For each place asked for the pair in most rows, of shape (n_places, 2)."""
    in_rows: Integers
    """In how many; 0 where no pair was found."""
    sharing: Integers
    """How many pairs are at the place."""


def survey(rows: PairedRows, wanted: Integers) -> PairCollisions:
    """Count the pairs of rows, and find those at the ``wanted`` places, which ascend.

    Pairs are counted a first column at a time, so that none need be kept: it takes a byte a place and a few
    numbers an entry, a column and a row.
    """
    n, d = len(wanted), rows.n_words
    columns = rows.indices.astype(np.int32, copy=False)
    indptr = rows.indptr.astype(np.int64, copy=False)
    starts = np.zeros(d + 1, np.int64)
    np.cumsum(np.bincount(columns, minlength=d), out=starts[1:])
    by_column = np.empty(len(columns), np.int32)
    rows_of_words(columns, indptr, starts[:-1].copy(), by_column)
    found = np.zeros((2, n), np.int64)
    in_rows, sharing = np.zeros(n, np.int64), np.zeros(n, np.int64)
    n_different, n_alone = survey_pairs(
        columns, indptr, starts, by_column, d, rows.bits, wanted,
        indptr[:-1].copy(), np.zeros(d, np.int32), np.empty(d, np.int32), np.zeros(1 << rows.bits, np.uint8),
        found[0], found[1], in_rows, sharing,
    )  # fmt: skip
    return PairCollisions(n_different, n_alone, found.T, in_rows, sharing)


def _with_pairs(lengths: Array) -> Integers:
    """Return how many entries rows have once their pairs stand behind them."""
    n = lengths.astype(np.int64)
    return n + n * (n - 1) // 2


def _without_zeros(rows: Rows) -> Rows:
    kept = rows.data != 0
    before = np.zeros(len(kept) + 1, rows.indptr.dtype)
    np.cumsum(kept, out=before[1:])
    return replace(rows, data=rows.data[kept], indices=rows.indices[kept], indptr=before[rows.indptr])


def _check_longest(rows: PairedRows) -> None:
    if rows.longest <= _LONGEST_ROW:
        return
    row = int(np.argmax(rows.lengths))
    n = int(np.diff(rows.indptr)[row])
    n_bytes = rows.longest * (rows.indices.itemsize + (rows.dtype.itemsize if len(rows.data) else 0))
    raise ValueError(
        f"pair_bits={rows.bits}: row {row} has {n:,} columns, and so {n * (n - 1) // 2:,} pairs, which would take "
        f"{n_bytes / 1e9:.1f} GB while it is learnt from; at most {_LONGEST_ROW:,} are formed. Leave out columns (with "
        "min_df, max_df or max_features of the vectoriser), divide the texts, or choose pairs: Conjunctions(pivots=…)."
    )


def n_columns_with_pairs(n_columns: int, bits: int | None) -> int:
    """Return how many columns there are with the places of pairs behind them, if there are any.

    Raises
    ------
    ValueError
        If ``bits`` is out of range, or columns and places are more than kernels can number.
    """
    if bits is None:
        return n_columns
    check_bits(bits)
    if n_columns + (1 << int(bits)) > np.iinfo(np.int32).max:
        raise ValueError(
            f"pair_bits={bits}: 2**{bits} places behind {n_columns} columns are more than 2**31. "
            "Use fewer bits, or fewer columns."
        )
    return n_columns + (1 << int(bits))


def check_bits(bits: int) -> None:
    """Raise ValueError unless ``bits`` is a number of bits that a place can have."""
    integer("pair_bits", bits)
    at_least("pair_bits", bits, 1)
    if bits > MAX_PAIR_BITS:
        raise ValueError(f"pair_bits={bits!r}: use at most {MAX_PAIR_BITS}, a table of 2**{MAX_PAIR_BITS} weights.")


def paired(rows: Rows, bits: int | None) -> Rows:
    """Return rows with their pairs, or as they are where no pairs are asked for (None)."""
    if bits is None:
        return rows
    return with_pairs(rows, bits)


def check_pair_options(bits: int | None, *, column_weight: object, hash_bits: int | None) -> None:
    """Raise ValueError if ``bits`` are out of range, or if there are parameters that pairs cannot go with."""
    if bits is None:
        return
    check_bits(bits)
    if column_weight is not None:
        raise ValueError(
            f"pair_bits={bits} with a column_weight: pairs that are formed on the fly have no weights beside them. "
            "Multiply the columns beforehand (LogCountRatio does), which multiplies pairs by both."
        )
    if hash_bits:
        raise ValueError(
            f"pair_bits={bits} with hash_bits={hash_bits}: pairs are hashed already, and would be hashed twice. Leave "
            "hash_bits out, and choose pair_bits so that 2**pair_bits × classes fit."
        )


def check_same_pair_bits(bits: int | None, before: int | None) -> None:
    """Raise ValueError if the places of pairs are no longer those with which training began."""
    if bits != before:
        raise ValueError(
            f"pair_bits={bits!r}: it was {before!r} when training began and cannot change in the middle of it. "
            "Fit a new estimator."
        )


def pair_table(n_columns: int, n_classes: int, bits: int, otherwise: str = "") -> ClassTable:
    """Return the table of several classes; ``n_columns`` count the places of pairs.

    Raises
    ------
    ValueError
        If there are more weights than one table holds; ``otherwise`` is what can be done but for fewer bits.
    """
    layout = ClassTable(n_columns, n_classes)
    if layout.size > DENSE_WEIGHTS:
        n_words = n_columns - (1 << bits)
        fitting = [
            b for b in range(1, MAX_PAIR_BITS) if ClassTable(n_words + (1 << b), n_classes).size <= DENSE_WEIGHTS
        ]
        remedy = f"Use pair_bits={fitting[-1]} at most" if fitting else "Use fewer columns"
        raise ValueError(
            f"pair_bits={bits} with {n_classes} classes: {layout.size:.2g} weights are more than {DENSE_WEIGHTS:.2g}. "
            f"{remedy}{otherwise}."
        )
    return layout


def check_table(rule: Rule, rows: Rows, bits: int | None, plan: Plan, learner: str) -> None:
    """Raise MemoryError if the weights, and what the rule keeps beside them, would not fit into memory."""
    # Rules of many classes have both; to ask for their types would import them for two.
    layout, inner = getattr(rule, "layout", None), getattr(rule, "inner", rule)
    n = rows.n_columns + 1 if layout is None else layout.size
    beside = inner.initial_accumulator(1, rows.dtype, EMPTY)
    number = rows.dtype.itemsize
    state = number + (beside.itemsize if len(beside) else 0)
    each = state + number  # the model's own
    if plan.early_stopping:
        each += state  # the best so far
    if plan.tol is not None:
        each += 2 * number + 8  # the weights before an epoch, what changed, and its squares
    if n * each < _WORTH_A_LOOK:
        return
    whose = "" if bits is None else f"pair_bits={bits}: "
    remedy = "Use fewer columns (min_df, max_features, n_features) or classes." if bits is None else "Use fewer bits."
    check_memory(n * each, None, f"{whose}{n:,} weights, with what {learner} keeps beside them,", remedy)
