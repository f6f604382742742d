"""Column pairs formed on the fly: rows that are expanded, a block at a time, by a hashed column per pair."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron.learn.rows import MAX_VALUE, Array, Rows, check_values, sum_duplicates
from textperceptron.learn.state import EMPTY
from textperceptron.learn.weight_tables import MAX_DENSE_WEIGHTS, ClassTable
from textperceptron.settings.learner import MAX_PAIR_BITS, check_pair_bits

# Entries of an expanded block: half a MB of columns, which fit into the second-level cache together with weights.
_BLOCK_ENTRIES = 1 << 17

# Entries of the longest row, pairs included, that is expanded: 11,585 columns. For many classes they take 2 GB.
_MAX_ROW_ENTRIES = 1 << 26

Integers = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class PairedRows(Rows):
    """Rows with a hashed column for each pair of their columns; all pairs share ``2**bits`` columns.

    ``data``, ``indices`` and ``indptr`` are those of the rows without pairs, with ascending columns and no zeros.
    ``n_columns`` includes the columns of pairs, which come last. Kernels never see this class: :meth:`blocks` yields
    plain rows, a few at a time. ``_kernels/hashed_pairs.pyx`` defines the hash.
    """

    bits: int

    @property
    def n_base_columns(self) -> int:
        """Number of columns without pairs."""
        return self.n_columns - (1 << self.bits)

    @property
    def lengths(self) -> Integers:
        """Number of entries of each row, pairs included."""
        return _lengths_with_pairs(np.diff(self.indptr))

    @property
    def n_stored(self) -> int:
        """Number of entries of all rows, including the pairs, which are not stored."""
        return int(self.lengths.sum())

    @property
    def rows_are_unit_length(self) -> bool:
        """Always false: pairs increase the norm of rows that were scaled without them."""
        return False

    @property
    def max_length(self) -> int:
        """Number of entries of the longest row, pairs included."""
        return int(self.lengths.max(initial=0))

    def max_value(self, dtype: np.dtype[Any]) -> float:
        """Return the largest value that rows of a type may contain: the root of the usual, for products."""
        return math.sqrt(MAX_VALUE[dtype.name])

    def blocks(
        self, which: Integers, weight: npt.NDArray[np.float64] = EMPTY
    ) -> Iterator[tuple[Rows, Integers, slice]]:
        """Yield the rows ``which`` in blocks, expanded by their pairs; the next block overwrites the arrays.

        Rows of ``weight`` 0 are not expanded and have no entries: kernels skip them.
        """
        n_stored = self.indptr[which + 1] - self.indptr[which]
        scratch = np.empty(int(n_stored.max(initial=1)), np.uint32)
        lengths = _lengths_with_pairs(n_stored)
        if len(weight):
            which = np.where(weight[which] == 0, -1, which)
            lengths[which < 0] = 0
        ends = np.cumsum(lengths)
        capacity = min(max(_BLOCK_ENTRIES, int(lengths.max(initial=0))), int(lengths.sum()))
        data = np.empty(capacity if len(self.data) else 0, self.dtype)
        indices = np.empty(capacity, self.indices.dtype)
        start = 0
        while start < len(which):
            before = ends[start - 1] if start else 0
            stop = max(start + 1, int(np.searchsorted(ends, before + capacity, side="right")))
            indptr = np.empty(stop - start + 1, self.indptr.dtype)
            _kernels.expand_pairs(
                self.data, self.indices, self.indptr, which[start:stop],
                self.n_base_columns, self.bits, scratch, data, indices, indptr,
            )  # fmt: skip
            yield Rows(data, indices, indptr, self.n_columns), np.arange(stop - start), slice(start, stop)
            start = stop


def with_pairs(rows: Rows, bits: int | None) -> Rows:
    """Return :class:`PairedRows` of ``2**bits`` hashed columns for pairs; the rows themselves if ``bits`` is None.

    Arrays are copied only if columns do not ascend or zeros are stored, which form no pairs.

    Raises
    ------
    ValueError
        If ``bits`` is out of range, a row has too many pairs, or a value is so large that products could overflow.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.learn import check_rows
    >>> from textperceptron.learn.column_pairs import with_pairs
    >>> rows = check_rows(np.ones(3, np.float32), np.array([0, 1, 2]), np.array([0, 3]), 3)
    >>> paired = with_pairs(rows, bits=4)
    >>> paired.n_columns, paired.lengths.tolist()  # three columns and three pairs
    (19, [6])
    """
    if bits is None:
        return rows
    n_columns = n_columns_with_pairs(rows.n_columns, bits)
    if len(rows.data) and not rows.data.all():
        rows = _without_zeros(rows)
    if not _kernels.rows_ascend(rows.indices, rows.indptr):
        data, indices, indptr = sum_duplicates(rows.values, rows.indices, rows.indptr)
        rows = Rows(data if len(rows.data) else rows.data, indices, indptr, rows.n_columns)
    paired = PairedRows(rows.data, rows.indices, rows.indptr, n_columns, int(bits))
    _check_longest_row(paired)
    if len(paired.data):
        limit = paired.max_value(paired.dtype)
        check_values(paired.data, paired.indices, paired.indptr, paired.dtype, limit, "scores of pairs")
    return paired


def n_columns_with_pairs(n_columns: int, bits: int | None) -> int:
    """Return the number of columns including those of pairs; ``bits`` is None for rows without pairs.

    Raises
    ------
    ValueError
        If ``bits`` is out of range, or the number does not fit into the kernels' column type.
    """
    if bits is None:
        return n_columns
    check_pair_bits("pair_bits", bits)
    if n_columns + (1 << int(bits)) > np.iinfo(np.int32).max:
        raise ValueError(
            f"pair_bits={bits}: {n_columns} columns and 2**{bits} for pairs are more than 2**31. "
            "Use fewer bits, or fewer columns."
        )
    return n_columns + (1 << int(bits))


def pair_slots(pairs: Integers, n_columns: int, bits: int) -> Integers:
    """Return the hash slot of each pair of columns, which come in either order: from 0 to ``2**bits - 1``."""
    lower, upper = np.ascontiguousarray(np.sort(pairs, axis=1).T, np.int64)
    slots = np.empty(len(pairs), np.int64)
    _kernels.pair_places(lower, upper, n_columns, bits, slots)
    return slots


class PairCollisions(NamedTuple):
    """The pairs of rows, and those that hash to some slots.

    Attributes
    ----------
    n_distinct : int
        Distinct pairs.
    n_alone : int
        Pairs that share their slot with no other.
    columns : array of shape (n_slots, 2)
        For each slot, the pair in most rows.
    n_rows : array of shape (n_slots,)
        The number of rows that contain it; 0 if no pair has this slot.
    n_sharing : array of shape (n_slots,)
        The number of pairs that share the slot.
    """

    n_distinct: int
    n_alone: int
    columns: Integers
    n_rows: Integers
    n_sharing: Integers


def count_collisions(rows: PairedRows, slots: Integers) -> PairCollisions:
    """Count the distinct pairs of rows, and find those that hash to ``slots``, which must ascend.

    Pairs are counted by their first column, so that they need not be stored: memory is a byte per slot, and a few
    integers per entry, column and row.
    """
    n, d = len(slots), rows.n_base_columns
    columns = rows.indices.astype(np.int32, copy=False)
    indptr = rows.indptr.astype(np.int64, copy=False)
    starts = np.zeros(d + 1, np.int64)
    np.cumsum(np.bincount(columns, minlength=d), out=starts[1:])
    by_column = np.empty(len(columns), np.int32)
    _kernels.rows_of_words(columns, indptr, starts[:-1].copy(), by_column)
    found = np.zeros((2, n), np.int64)
    n_rows, n_sharing = np.zeros(n, np.int64), np.zeros(n, np.int64)
    n_distinct, n_alone = _kernels.survey_pairs(
        columns, indptr, starts, by_column, d, rows.bits, slots,
        indptr[:-1].copy(), np.zeros(d, np.int32), np.empty(d, np.int32), np.zeros(1 << rows.bits, np.uint8),
        found[0], found[1], n_rows, n_sharing,
    )  # fmt: skip
    return PairCollisions(n_distinct, n_alone, found.T, n_rows, n_sharing)


def check_same_pair_bits(bits: int | None, before: int | None) -> None:
    """Raise ValueError if ``pair_bits`` has changed since training began."""
    if bits != before:
        raise ValueError(
            f"pair_bits={bits!r}: it was {before!r} when training began and cannot change in the middle of it. "
            "Fit a new estimator."
        )


def pair_table(n_columns: int, n_classes: int, bits: int, alternative: str = "") -> ClassTable:
    """Return the dense table of several classes; ``n_columns`` includes the columns of pairs.

    Raises
    ------
    ValueError
        If it would be too large. ``alternative`` is appended to the remedy.
    """
    table = ClassTable(n_columns, n_classes)
    if table.size > MAX_DENSE_WEIGHTS:
        n_base = n_columns - (1 << bits)
        fitting = [
            b for b in range(1, MAX_PAIR_BITS) if ClassTable(n_base + (1 << b), n_classes).size <= MAX_DENSE_WEIGHTS
        ]
        remedy = f"Use pair_bits={fitting[-1]} at most" if fitting else "Use fewer columns"
        raise ValueError(
            f"pair_bits={bits} with {n_classes} classes: {table.size:.2g} weights are more than "
            f"{MAX_DENSE_WEIGHTS:.2g}. {remedy}{alternative}."
        )
    return table


def _lengths_with_pairs(lengths: Array) -> Integers:
    n = lengths.astype(np.int64)
    return n + n * (n - 1) // 2


def _without_zeros(rows: Rows) -> Rows:
    kept = rows.data != 0
    before = np.zeros(len(kept) + 1, rows.indptr.dtype)
    np.cumsum(kept, out=before[1:])
    return replace(rows, data=rows.data[kept], indices=rows.indices[kept], indptr=before[rows.indptr])


def _check_longest_row(rows: PairedRows) -> None:
    if rows.max_length <= _MAX_ROW_ENTRIES:
        return
    row = int(np.argmax(rows.lengths))
    n = int(np.diff(rows.indptr)[row])
    n_bytes = rows.max_length * (rows.indices.itemsize + (rows.dtype.itemsize if len(rows.data) else 0))
    raise ValueError(
        f"pair_bits={rows.bits}: row {row} has {n:,} columns, and so {n * (n - 1) // 2:,} pairs, which would take "
        f"{n_bytes / 1e9:.1f} GB; at most {_MAX_ROW_ENTRIES:,} are formed. Leave out columns (with min_df, max_df or "
        "max_features of the vectoriser), split the texts, or choose pairs: Conjunctions(pivots=…)."
    )
