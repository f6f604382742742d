"""CSR rows: validated once at the border, then trusted by every kernel."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._interrupts import deferred_interrupts
from textperceptron._kernels import first_beyond, first_other_than_one, first_outside, first_repeat, rows_ascend
from textperceptron._parallel import count_jobs, ordered_map
from textperceptron.learn.state import EMPTY
from textperceptron.learn.weight_tables import BlockedTable, ClassTable

Array = npt.NDArray[Any]

# Far above any real feature value, and small enough that sums of products stay finite.
MAX_VALUE = {"float32": 1e18, "float64": 1e100}

# Tolerance for the norm of float32 rows that were scaled to norm 1; rounding stays well below it.
_NORM_TOLERANCE = 1e-3

# Entries that a thread scores at a time (a few milliseconds), and the fewest that justify starting a thread.
_CHUNK_ENTRIES, _MIN_CHUNK_ENTRIES = 1 << 20, 1 << 16
_CHUNK_WORK = 1 << 28  # entries × models: about a tenth of a second


@dataclass(frozen=True, slots=True)
class Rows:
    """Sparse rows that have passed :func:`check_rows`. The arrays are the user's own, not copies.

    Attributes
    ----------
    data : array of float32 or float64
        Stored values. Empty if all of them are 1: kernels then never read it.
    indices, indptr : arrays of int32 or int64, of the same type
        Column of each entry, and offset of each row.
    n_columns : int
    """

    data: Array
    indices: Array
    indptr: Array
    n_columns: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    @property
    def n_stored(self) -> int:
        """Number of stored entries."""
        return int(self.indptr[-1])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the values, and of the weights learnt from them."""
        return self.data.dtype

    @property
    def values(self) -> Array:
        """Stored values, materialised even if all of them are 1."""
        return self.data if len(self.data) else np.ones(len(self.indices), self.dtype)

    @property
    def rows_are_unit_length(self) -> bool:
        """Whether every row that is not empty has norm 1, up to rounding."""
        norms = np.empty(self.n_rows)
        _kernels.row_norms(self.data, self.indptr, norms, 0.0)
        norms = norms[norms > 0]
        return len(norms) > 0 and bool(np.abs(norms - 1).max() < _NORM_TOLERANCE)

    def astype(self, dtype: npt.DTypeLike) -> Rows:
        """Return the rows with values of another type; the same object if they have it already."""
        if self.dtype == dtype:
            return self
        if len(self.data):
            limit = self.max_value(np.dtype(dtype))
            check_values(self.data, self.indices, self.indptr, np.dtype(dtype), limit)
        return replace(self, data=self.data.astype(dtype))

    def with_pairs(self, bits: int | None) -> Rows:
        """Return the rows with ``2**bits`` hashed columns for pairs of columns; themselves if ``bits`` is None."""
        if bits is None:
            return self
        with deferred_interrupts():
            from textperceptron.learn.column_pairs import with_pairs

        return with_pairs(self, bits)

    def take(self, which: npt.NDArray[np.int64]) -> Rows:
        """Return copies of the rows ``which``, in that order."""
        lengths = np.diff(self.indptr)[which]
        indptr = np.zeros(len(which) + 1, self.indptr.dtype)
        np.cumsum(lengths, out=indptr[1:])
        entries = np.arange(indptr[-1]) + np.repeat(self.indptr[which] - indptr[:-1], lengths)
        data = self.data[entries] if len(self.data) else self.data
        return replace(self, data=data, indices=self.indices[entries], indptr=indptr)

    def max_value(self, dtype: np.dtype[Any]) -> float:
        """Return the largest value that rows of a type may contain."""
        return MAX_VALUE[dtype.name]

    @property
    def lengths(self) -> Array:
        """Number of entries of each row."""
        return np.diff(self.indptr)

    @property
    def max_length(self) -> int:
        """Number of entries of the longest row."""
        return int(self.lengths.max(initial=0))

    def blocks(
        self, which: npt.NDArray[np.int64], weight: npt.NDArray[np.float64] = EMPTY
    ) -> Iterator[tuple[Rows, npt.NDArray[np.int64], slice]]:
        """Yield the rows ``which`` in blocks that kernels can read.

        Each item is the rows to pass to a kernel, the numbers of the wanted rows among them, and their span in
        ``which``. Plain rows are one block. ``weight`` has an entry per row of this object, or none.
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
        """Return ``x·w + pad·intercept`` of every row, or of the rows ``which``; the intercept is the last weight."""
        if len(weights) != self.n_columns + 1:
            raise ValueError(f"the rows have {self.n_columns} columns, the model has {len(weights) - 1}.")
        order = np.arange(self.n_rows) if which is None else which
        out = np.empty(len(order))

        def score(_: None, chunk: slice) -> None:
            for rows, numbers, span in self.blocks(order[chunk]):
                _kernels.row_scores(rows.data, rows.indices, rows.indptr, numbers, weights, out[chunk][span], pad)

        self.map_row_chunks(score, len(order), n_jobs)
        return out

    def class_scores(
        self,
        weights: Array,
        table: ClassTable | BlockedTable,
        *,
        pad: float,
        which: npt.NDArray[np.int64] | None = None,
        n_jobs: int | None = None,
    ) -> Array:
        """Return the scores of every row, or of the rows ``which``: an array of shape (n_rows, n_classes)."""
        if table.n_columns != self.n_columns:
            raise ValueError(f"the rows have {self.n_columns} columns, the model has {table.n_columns}.")
        order = np.arange(self.n_rows) if which is None else which
        out = np.empty((len(order), table.n_classes))

        def score(_: None, chunk: slice) -> None:
            for rows, numbers, span in self.blocks(order[chunk]):
                for block in table.blocks:
                    _kernels.class_scores(
                        rows.data, rows.indices, rows.indptr, numbers,
                        weights[block.weights], out[chunk][span, block.classes],
                        pad, block.table.stride, block.table.line_bits, *block.table.scratch(rows.max_length),
                    )  # fmt: skip

        self.map_row_chunks(score, len(order), n_jobs, table.n_classes)
        return out

    def map_row_chunks(
        self, work: Callable[[None, slice], None], n_rows: int, n_jobs: int | None, n_models: int = 1
    ) -> None:
        """Call ``work(None, chunk)`` for chunks of ``n_rows`` rows, on ``n_jobs`` threads; Ctrl-C waits for a chunk."""
        jobs = count_jobs(n_jobs)
        entries = min(_CHUNK_ENTRIES, _CHUNK_WORK // n_models)
        size = max(1, entries * max(1, self.n_rows) // max(1, self.n_stored))
        if n_rows < jobs * size:  # few rows: split evenly, but into chunks that justify starting a thread
            size = min(size, max(1, -(-n_rows // jobs), size * _MIN_CHUNK_ENTRIES // _CHUNK_ENTRIES))
        chunks = [slice(start, start + size) for start in range(0, n_rows, size)]
        for _ in ordered_map(work, chunks, [None] * min(jobs, max(1, len(chunks)))):
            pass


def check_rows(data: Array, indices: Array, indptr: Array, n_columns: int, *, name: str = "X") -> Rows:
    """Validate CSR arrays and wrap them.

    Arrays are copied only where they must change. Duplicate entries are summed, because the norm of a row cannot be
    computed from duplicates. Values that are neither float32 nor float64 become float32. ``indptr`` gets the integer
    type of ``indices``.

    Parameters
    ----------
    data, indices, indptr : arrays
        As in ``scipy.sparse.csr_array``.
    n_columns : int
    name : str
        Name of the matrix in error messages.

    Raises
    ------
    ValueError
        If a value is NaN, infinite or huge, a column is outside the matrix, or ``indptr`` does not match the other
        arrays. The message names the row and the column.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.learn import check_rows
    >>> rows = check_rows(np.array([1.0, 2.0]), np.array([0, 2]), np.array([0, 1, 2]), 3)
    >>> rows.n_rows, rows.n_columns, rows.lengths.tolist()
    (2, 3, [1, 1])
    >>> check_rows(np.array([np.nan]), np.array([2]), np.array([0, 1]), 3)
    Traceback (most recent call last):
    ...
    ValueError: X contains NaN in row 0, column 2: use finite numbers, of at most 1e+100 for weights of float64,
    so that scores cannot overflow.
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
        data, indices, indptr = sum_duplicates(data, indices, indptr)
        ones = first_other_than_one(data) < 0
    return Rows(data[:0] if ones else data, indices, indptr, n_columns)


def weight_dtype(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the type of weights learnt from values of a type: float64 for float64 and longer, else float32.

    Examples
    --------
    >>> [str(weight_dtype(np.dtype(name))) for name in (">f8", "float32", "int64", "bool")]
    ['float64', 'float32', 'float32', 'float32']
    """
    return np.dtype(np.float64 if dtype.kind == "f" and dtype.itemsize >= 8 else np.float32)


def check_values(
    data: Array, indices: Array, indptr: Array, dtype: np.dtype[Any], limit: float, what: str = "scores"
) -> None:
    """Raise ValueError for the first value that is not finite or above ``limit``, the most that ``what`` allow."""
    if (bad := first_beyond(data, limit)) >= 0:
        value = "NaN" if np.isnan(data[bad]) else "infinity" if np.isinf(data[bad]) else f"{data[bad]:g}"
        raise ValueError(
            f"X contains {value} in row {_row_of(bad, indptr)}, column {indices[bad]}: use finite numbers, "
            f"of at most {limit:g} for weights of {dtype}, so that {what} cannot overflow."
        )


def _check_starts(indptr: Array, n_indices: int, n_data: int, name: str) -> None:
    if len(indptr) == 0 or indptr[0] != 0 or np.any(indptr[1:] < indptr[:-1]):
        raise ValueError(f"{name}.indptr must start with 0 and never decrease: this is not a CSR matrix.")
    if indptr[-1] > min(n_indices, n_data):
        raise ValueError(
            f"{name}.indptr ends at {indptr[-1]}, but {name} stores {n_indices} columns and {n_data} values: "
            "the arrays do not belong together."
        )


def _check_columns(indices: Array, indptr: Array, n_columns: int, ascending: bool, name: str) -> None:
    if ascending:  # the first and the last column of a row bound the others
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


def sum_duplicates(data: Array, indices: Array, indptr: Array) -> tuple[Array, Array, Array]:
    """Return the same rows with ascending columns and without duplicates, whose values are summed in double."""
    rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
    order = np.lexsort((indices, rows))
    rows, columns = rows[order], indices[order]
    first = np.flatnonzero(np.r_[True, (rows[1:] != rows[:-1]) | (columns[1:] != columns[:-1])])
    summed = np.add.reduceat(data[order].astype(np.float64), first).astype(data.dtype)
    starts = np.zeros(len(indptr), indptr.dtype)
    np.cumsum(np.bincount(rows[first], minlength=len(indptr) - 1), out=starts[1:])
    return summed, columns[first], starts
