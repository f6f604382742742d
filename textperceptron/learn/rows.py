"""The border: a user's CSR arrays, checked once and then trusted by every kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._kernels import first_beyond, first_other_than_one, first_outside, first_repeat, rows_ascend
from textperceptron._parallel import count_jobs, ordered_map
from textperceptron.learn.state import EMPTY
from textperceptron.learn.weight_tables import BlockedTable, ClassTable

Array = npt.NDArray[Any]

# Far above any feature's value, far enough below the type's end that sums of products stay finite.
MAX_VALUE = {"float32": 1e18, "float64": 1e100}

# How far float32 values that are divided by their length can miss the length 1, with room.
_LENGTH_ERROR = 1e-3

# Entries whose scores a thread computes at a time, a few milliseconds, and those that are worth its start.
_PART_ENTRIES, _WORTH_A_THREAD = 1 << 20, 1 << 16
_PART_WORK = 1 << 28  # entries × models, about a tenth of a second


@dataclass(frozen=True, slots=True)
class Rows:
    """Sparse rows that have passed :func:`check_rows`; the arrays are the user's own, not copies.

    Attributes
    ----------
    data : array of float32 or float64
        The stored values. Empty when every stored value is 1: kernels then never read it.
    indices, indptr : arrays of int32 or int64, of the same type
        Columns of the entries, and where each row begins.
    n_columns : int
    """

    data: Array
    indices: Array
    indptr: Array
    n_columns: int

    @property
    def n_rows(self) -> int:
        """How many rows there are."""
        return len(self.indptr) - 1

    @property
    def n_stored(self) -> int:
        """How many entries are stored."""
        return int(self.indptr[-1])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values, and so of the weights learnt from them."""
        return self.data.dtype

    @property
    def values(self) -> Array:
        """The stored values, written out even where all are 1."""
        return self.data if len(self.data) else np.ones(len(self.indices), self.dtype)

    @property
    def rows_are_unit_length(self) -> bool:
        """Whether every row has the length 1, as far as its values are told apart; empty rows do not count."""
        lengths = np.empty(self.n_rows)
        _kernels.row_norms(self.data, self.indptr, lengths, 0.0)
        lengths = lengths[lengths > 0]
        return len(lengths) > 0 and bool(np.abs(lengths - 1).max() < _LENGTH_ERROR)

    def astype(self, dtype: npt.DTypeLike) -> Rows:
        """Return the same rows with values of another type; they themselves if it is theirs already."""
        if self.dtype == dtype:
            return self
        if len(self.data):
            limit = self.largest_value(np.dtype(dtype))
            check_values(self.data, self.indices, self.indptr, np.dtype(dtype), limit)
        return replace(self, data=self.data.astype(dtype))

    def take(self, which: npt.NDArray[np.int64]) -> Rows:
        """Return copies of the rows ``which``, in that order."""
        lengths = np.diff(self.indptr)[which]
        indptr = np.zeros(len(which) + 1, self.indptr.dtype)
        np.cumsum(lengths, out=indptr[1:])
        entries = np.arange(indptr[-1]) + np.repeat(self.indptr[which] - indptr[:-1], lengths)
        data = self.data[entries] if len(self.data) else self.data
        return replace(self, data=data, indices=self.indices[entries], indptr=indptr)

    def largest_value(self, dtype: np.dtype[Any]) -> float:
        """Return what no value may exceed if it is of a type."""
        return MAX_VALUE[dtype.name]

    @property
    def lengths(self) -> Array:
        """Entries of each row."""
        return np.diff(self.indptr)

    @property
    def longest(self) -> int:
        """Entries of the longest row."""
        return int(self.lengths.max(initial=0))

    def pieces(
        self, which: npt.NDArray[np.int64], weight: npt.NDArray[np.float64] = EMPTY
    ) -> Iterator[tuple[Rows, npt.NDArray[np.int64], slice]]:
        """Yield rows for kernels, which of them are the rows ``which``, and where they stand among these.

        Those of plain rows are all in one piece; ``weight`` is that of every row, or empty.
        """
        yield self, which, slice(0, len(which))

    def scores(
        self,
        weights: Array,
        *,
        pad: float,
        which: npt.NDArray[np.int64] | None = None,
        n_jobs: int | None = None,
    ) -> Array:
        """Return ``x·w + pad·intercept`` of every row, or of the rows ``which``; ``weights`` end with it."""
        if len(weights) != self.n_columns + 1:
            raise ValueError(f"the rows have {self.n_columns} columns, the model has {len(weights) - 1}.")
        order = np.arange(self.n_rows) if which is None else which
        out = np.empty(len(order))

        def score(_: None, part: slice) -> None:
            for rows, numbers, place in self.pieces(order[part]):
                _kernels.row_scores(rows.data, rows.indices, rows.indptr, numbers, weights, out[part][place], pad)

        self.map_row_chunks(score, len(order), n_jobs)
        return out

    def class_scores(
        self,
        weights: Array,
        layout: ClassTable | BlockedTable,
        *,
        pad: float,
        which: npt.NDArray[np.int64] | None = None,
        n_jobs: int | None = None,
    ) -> Array:
        """Return the scores of every row, or of the rows ``which``, of shape (n_rows, n_classes)."""
        if layout.n_columns != self.n_columns:
            raise ValueError(f"the rows have {self.n_columns} columns, the model has {layout.n_columns}.")
        order = np.arange(self.n_rows) if which is None else which
        out = np.empty((len(order), layout.n_classes))

        def score(_: None, part: slice) -> None:
            for rows, numbers, place in self.pieces(order[part]):
                for classes, table, inner in layout.parts:
                    _kernels.class_scores(
                        rows.data, rows.indices, rows.indptr, numbers, weights[table], out[part][place, classes],
                        pad, inner.stride, inner.line_bits, *inner.room(rows.longest),
                    )  # fmt: skip

        self.map_row_chunks(score, len(order), n_jobs, layout.n_classes)
        return out

    def map_row_chunks(
        self, score: Callable[[None, slice], None], n_rows: int, n_jobs: int | None, n_models: int = 1
    ) -> None:
        """Spread parts of the rows over threads; a part is worth the start of one, and Ctrl-C waits for its end."""
        jobs = count_jobs(n_jobs)
        entries = min(_PART_ENTRIES, _PART_WORK // n_models)
        size = max(1, entries * max(1, self.n_rows) // max(1, self.n_stored))
        if n_rows < jobs * size:  # few rows: divided evenly, unless a share is not worth the start of a thread
            size = min(size, max(1, -(-n_rows // jobs), size * _WORTH_A_THREAD // _PART_ENTRIES))
        parts = [slice(start, start + size) for start in range(0, n_rows, size)]
        for _ in ordered_map(score, parts, [None] * min(jobs, max(1, len(parts)))):
            pass


def check_rows(data: Array, indices: Array, indptr: Array, n_columns: int, *, name: str = "X") -> Rows:
    """Check CSR arrays and wrap them; ``name`` is what messages call the matrix.

    Rows with a column that stands twice are summed on a copy, because the length of a row cannot be told
    from duplicates; nothing else is copied, except values that are neither float32 nor float64 (they become
    float32) and row starts whose integer type differs from the columns'.

    Raises
    ------
    ValueError
        If a value is NaN, infinite or huge, a column is outside the matrix, or the row starts do not fit; the
        message names the row and the column.
    """
    if data.dtype.kind not in "fiub" or data.dtype == np.float16:
        raise ValueError(
            f"{name} holds values of type {data.dtype}, which no kernel takes. "
            f"Convert it, e.g. with {name}.astype(numpy.float32)."
        )
    data = data.astype(weight_dtype(data.dtype), copy=False)
    index_type = np.int64 if np.int64 in (indices.dtype, indptr.dtype) else np.int32
    indices = np.ascontiguousarray(indices, index_type)
    indptr = np.ascontiguousarray(indptr, index_type)
    _check_starts(indptr, len(indices), len(data), name)
    data = np.ascontiguousarray(data[: indptr[-1]])
    indices = indices[: indptr[-1]]
    ascending = rows_ascend(indices, indptr)
    _check_columns(indices, indptr, n_columns, ascending, name)
    ones = first_other_than_one(data) < 0
    if not ones:
        check_values(data, indices, indptr, data.dtype, MAX_VALUE[data.dtype.name])
    if not ascending and first_repeat(indices, indptr, np.zeros(n_columns, np.int64)) >= 0:
        data, indices, indptr = in_order(data, indices, indptr)
        ones = first_other_than_one(data) < 0
    return Rows(data[:0] if ones else data, indices, indptr, n_columns)


def weight_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of weights learnt from values of a type: its own if that is float32, or float64 or float32.

    Examples
    --------
    >>> [str(weight_dtype(np.dtype(name))) for name in (">f8", "float32", "int64", "bool")]
    ['float64', 'float32', 'float32', 'float32']
    """
    return np.dtype(np.float64 if dtype.kind == "f" and dtype.itemsize >= 8 else np.float32)


def check_values(
    data: Array, indices: Array, indptr: Array, dtype: np.dtype[Any], limit: float, whose: str = "scores"
) -> None:
    """Refuse values that are no finite numbers, or above a limit that weights of a type need."""
    if (bad := first_beyond(data, limit)) >= 0:
        value = "NaN" if np.isnan(data[bad]) else "infinity" if np.isinf(data[bad]) else f"{data[bad]:g}"
        raise ValueError(
            f"X contains {value} in row {_row_of(bad, indptr)}, column {indices[bad]}: use finite numbers, "
            f"of at most {limit:g} for weights of {dtype}, so that {whose} cannot overflow."
        )


def _check_starts(indptr: Array, n_indices: int, n_data: int, name: str) -> None:
    if len(indptr) == 0 or indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]):
        raise ValueError(f"{name}.indptr must begin with 0 and never decrease: this is not a CSR matrix.")
    if indptr[-1] > min(n_indices, n_data):
        raise ValueError(
            f"{name}.indptr ends at {indptr[-1]}, but {name} stores {n_indices} columns and {n_data} values: "
            "the arrays do not belong together."
        )


def _check_columns(indices: Array, indptr: Array, n_columns: int, ascending: bool, name: str) -> None:
    if ascending:  # then the first and the last column of a row bound all of it
        starts, stops = indptr[:-1][np.diff(indptr) > 0], indptr[1:][np.diff(indptr) > 0]
        if not len(starts) or (indices[starts].min() >= 0 and indices[stops - 1].max() < n_columns):
            return
    if (bad := first_outside(indices, n_columns)) >= 0:
        raise ValueError(
            f"{name} stores column {indices[bad]} in row {_row_of(bad, indptr)}, but has {n_columns} columns "
            f"(0 to {n_columns - 1})."
        )


def _row_of(position: int, indptr: Array) -> int:
    return int(np.searchsorted(indptr, position, side="right")) - 1


def in_order(data: Array, indices: Array, indptr: Array) -> tuple[Array, Array, Array]:
    """Return the same rows with ascending columns, each once, its values added in double."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((indices, rows))
    rows, columns = rows[order], indices[order]
    first = np.flatnonzero(np.r_[True, (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])])
    summed = np.add.reduceat(data[order].astype(np.float64), first).astype(data.dtype)
    starts = np.zeros(len(indptr), indptr.dtype)
    np.cumsum(np.bincount(rows[first], minlength=len(indptr) - 1), out=starts[1:])
    return summed, columns[first], starts
