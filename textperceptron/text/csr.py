"""Compressed sparse rows (CSR), written by kernels block by block."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._memory import AppendBuffer
from textperceptron.settings import TextSettings
from textperceptron.text.tokenize import Scratch

Array = npt.NDArray[Any]

KERNEL_TYPES = tuple(map(np.dtype, (np.int32, np.int64, np.float32, np.float64)))


class CountMatrix(NamedTuple):
    """A CSR matrix with ascending columns; if ``data`` is empty, every value is 1."""

    data: Array
    indices: Array
    indptr: Array
    n_columns: int


@dataclass(frozen=True, slots=True)
class RowBlock:
    """Rows of a block of documents.

    Attributes
    ----------
    sizes : int64 array
        Number of columns per row.
    indices, data : arrays
        The columns, row by row, and their values; ``data`` is empty if every value is 1.
    """

    sizes: Array
    indices: Array
    data: Array


@dataclass(frozen=True, slots=True)
class ColumnMap:
    """Maps items to columns.

    Attributes
    ----------
    columns : int32 array
        Column of each term, or -1; empty if items are columns.
    n_tokens : int
        Terms with smaller numbers are tokens, the others n-grams.
    n_columns : int
    n_shared : int
        Columns from this one on are nearly sorted in the order of a document's items.
    """

    columns: Array
    n_tokens: int
    n_columns: int
    n_shared: int


def kernel_type(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Return the type in which kernels write values of ``dtype``."""
    return np.dtype(dtype) if np.dtype(dtype) in KERNEL_TYPES else np.dtype(np.int64)


def write_rows(
    items: Array, row_starts: Array, mapping: ColumnMap, scratch: Scratch, *, binary: bool, dtype: npt.DTypeLike
) -> RowBlock:
    """Write the rows of documents over their items; values are counts, or 1 if ``binary``."""
    n_items = int(row_starts[-1])
    sizes = np.empty(len(row_starts) - 1, np.int64)
    spare = scratch.get("spare", 3 * int(np.diff(row_starts).max(initial=0)), np.int32)
    given = items, row_starts, mapping.columns, mapping.n_tokens, mapping.n_shared, spare, sizes, items
    if binary:
        return RowBlock(sizes, items[: _kernels.write_presence_rows(*given)], np.empty(0, kernel_type(dtype)))
    data = np.empty(n_items, kernel_type(dtype))
    n = _kernels.write_count_rows(*given, data)
    return RowBlock(sizes, items[:n], data[:n])


def concatenate_rows(blocks: Iterable[RowBlock], n_columns: int, dtype: npt.DTypeLike) -> CountMatrix:
    """Concatenate blocks to one matrix; each block is released once it is copied."""
    indices, data = AppendBuffer(np.int32), AppendBuffer(kernel_type(dtype))
    sizes = [np.zeros(0, np.int64)]
    for block in blocks:
        indices.append(block.indices)
        data.append(block.data)
        sizes.append(block.sizes)
    return count_matrix(data.finish(), indices.finish(), np.concatenate(sizes), n_columns, dtype)


def count_matrix(data: Array, indices: Array, sizes: Array, n_columns: int, dtype: npt.DTypeLike) -> CountMatrix:
    """Return a matrix of arrays written by kernels, with the index type that its size needs."""
    kind = np.int32 if len(indices) <= np.iinfo(np.int32).max else np.int64
    indptr = np.zeros(len(sizes) + 1, kind)
    np.cumsum(sizes, out=indptr[1:])
    return CountMatrix(data.astype(dtype, copy=False), indices.astype(kind, copy=False), indptr, n_columns)


def with_ones(matrix: CountMatrix) -> CountMatrix:
    """Return the matrix; if ``data`` is empty, with explicit values of 1."""
    if len(matrix.data) == len(matrix.indices):
        return matrix
    return matrix._replace(data=np.ones(len(matrix.indices), matrix.data.dtype))


def scale_rows(counts: CountMatrix, settings: TextSettings, n_words: int) -> CountMatrix:
    """Turn counts into values as the settings say, in place if they are stored.

    Columns from ``n_words`` on are n-grams of characters.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.settings import TextSettings
    >>> from textperceptron.text.csr import CountMatrix, scale_rows
    >>> rows = CountMatrix(np.array([3.0, 4.0, 2.0]), np.array([0, 2, 1]), np.array([0, 2, 2, 3]), 3)
    >>> scale_rows(rows, TextSettings(norm="l2"), 3).data
    array([0.6, 0.8, 1. ])
    >>> presence = CountMatrix(np.empty(0), np.array([0, 1, 2, 3, 1]), np.array([0, 4, 4, 5]), 4)
    >>> scale_rows(presence, TextSettings(characters=4, character_weight=0.6), 2).data
    array([1. , 1. , 0.6, 0.6, 1. ])
    """
    norm, sublinear = settings.norm_order, settings.sublinear_tf and not settings.is_binary
    if not len(counts.data) and n_words == counts.n_columns:
        if not norm:
            return counts
        values = np.empty(len(counts.indices), counts.data.dtype)
        _kernels.unit_values(counts.indptr, values, norm)
        return counts._replace(data=values)
    if norm or sublinear or n_words < counts.n_columns:
        counts = with_ones(counts)
        weight = settings.character_weight
        _kernels.scale_rows(counts.data, counts.indices, counts.indptr, sublinear, n_words, weight, norm)
    return counts
