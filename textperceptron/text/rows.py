"""Term numbers → CSR rows with ascending columns, block after block."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import write_count_rows
from textperceptron._memory import AppendBuffer
from textperceptron.text.pieces import SLACK, Pieces, Scratch, spans, starts_of

Array = npt.NDArray[Any]

KERNEL_TYPES = tuple(map(np.dtype, (np.int32, np.int64, np.float32, np.float64)))


class CountMatrix(NamedTuple):
    """A sparse matrix in compressed rows; the columns of a row are distinct and, unless it is said, ascend."""

    data: Array
    indices: Array
    indptr: Array
    n_columns: int


class Rows:
    """Rows of a block of documents: kernels write them, :func:`gather` takes them.

    Attributes
    ----------
    sizes : int64 array
        Columns of each row.
    indices, data : arrays
        The columns, row after row, and their values, with room for ``n_items`` of them.
    """

    __slots__ = ("data", "indices", "sizes")

    def __init__(self, n_rows: int, n_items: int, dtype: npt.DTypeLike) -> None:
        self.sizes = np.empty(n_rows, np.int64)
        self.indices = np.empty(n_items, np.int32)
        self.data = np.empty(n_items, _kernel_type(dtype))


def _kernel_type(dtype: npt.DTypeLike) -> np.dtype[Any]:
    """Return the type that kernels write for values of ``dtype``."""
    return np.dtype(dtype) if np.dtype(dtype) in KERNEL_TYPES else np.dtype(np.int64)


class Occurrences(NamedTuple):
    """Terms of a block of documents, one number an occurrence.

    Attributes
    ----------
    items : int32 array
        The numbers; document d has ``items[row_starts[d]:row_starts[d + 1]]``.
    row_starts : int64 array
    """

    items: Array
    row_starts: Array


def with_joined(number: Callable[[Pieces, Scratch], Occurrences], pieces: Pieces, scratch: Scratch) -> Occurrences:
    """Return the terms of a block, numbered by a function: n-grams, and behind them in every row what is joined."""
    grams = number(pieces, scratch)
    if pieces.joined is None:
        return grams
    n_grams, items = np.diff(grams.row_starts), grams.items[: grams.row_starts[-1]].copy()
    further = with_joined(number, pieces.joined, scratch)
    n_further = np.diff(further.row_starts)
    row_starts = starts_of(n_grams + n_further)
    both = np.empty(int(row_starts[-1]) + SLACK, np.int32)
    both[spans(row_starts[:-1], n_grams)] = items
    both[spans(row_starts[:-1] + n_grams, n_further)] = further.items[: further.row_starts[-1]]
    return Occurrences(both, row_starts)


class Renumbering(NamedTuple):
    """Columns that numbers stand for.

    Attributes
    ----------
    columns : int32 array
        Column of each number, or -1; empty if the numbers are columns already.
    n_tokens : int
        Where numbers with the top bit set begin in ``columns``.
    n_columns : int
        Columns of the matrix.
    """

    columns: Array
    n_tokens: int
    n_columns: int


def count_occurrences(
    block: Occurrences, renumbering: Renumbering, scratch: Scratch, *, binary: bool, dtype: npt.DTypeLike
) -> Rows:
    """Make rows of the terms of a block, which are used up; values are 1 if ``binary``, else counts."""
    n_items = int(block.row_starts[-1])
    rows = Rows(len(block.row_starts) - 1, n_items, dtype)
    write_count_rows(
        block.items, block.row_starts, renumbering.columns, renumbering.n_tokens,
        max(1, (renumbering.n_columns - 1).bit_length()), binary, scratch.get("spare", 2 * n_items + 2, np.int32),
        rows.sizes, rows.indices, rows.data,
    )  # fmt: skip
    return rows


def gather(parts: Iterable[Rows], n_columns: int, dtype: npt.DTypeLike, *, with_values: bool = True) -> CountMatrix:
    """Make one matrix of the rows of blocks; each is given up once it is copied."""
    indices, data = AppendBuffer(np.int32), AppendBuffer(_kernel_type(dtype))
    sizes = [np.zeros(1, np.int64)]
    for part in parts:
        n = int(part.sizes.sum())
        indices.append(part.indices[:n])
        if with_values:
            data.append(part.data[:n])
        sizes.append(part.sizes)
    indptr = np.cumsum(np.concatenate(sizes))
    kind = index_type(int(indptr[-1]))
    return CountMatrix(
        data.finish().astype(dtype, copy=False),
        indices.finish().astype(kind, copy=False),
        indptr.astype(kind, copy=False),
        n_columns,
    )


def index_type(n_entries: int) -> type[np.int32 | np.int64]:
    """Return the type of columns and row starts of a matrix with so many entries."""
    return np.int32 if n_entries <= np.iinfo(np.int32).max else np.int64
