"""Term numbers → CSR rows with ascending columns."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import sort_rows, write_counts
from textperceptron.text.pieces import starts_of
from textperceptron.workers import spread

Array = npt.NDArray[Any]

KERNEL_TYPES = tuple(map(np.dtype, (np.int32, np.int64, np.float32, np.float64)))


class CountMatrix(NamedTuple):
    """A sparse matrix in compressed rows; the columns of a row ascend and are distinct."""

    data: Array
    indices: Array
    indptr: Array
    n_columns: int


class Occurrences:
    """Terms of a block of documents, one number an occurrence, and the renumbering that they wait for.

    Attributes
    ----------
    items : int32 array
        The numbers; document d has ``items[row_starts[d]:row_starts[d + 1]]``.
    columns : int32 array
        Column of each number, or -1; empty if the numbers are columns already.
    n_tokens : int
        Where numbers with the top bit set begin in ``columns``.
    """

    __slots__ = ("columns", "distinct", "items", "n_tokens", "row_starts", "row_stops")

    def __init__(self, items: Array, row_starts: Array) -> None:
        self.items = items
        self.row_starts = row_starts
        self.columns = np.empty(0, np.int32)
        self.n_tokens = 0

    def sort(self, bits: int, shift: int) -> None:
        """Renumber, sort and count the rows."""
        n_rows = len(self.row_starts) - 1
        self.row_stops = np.empty(n_rows, np.int64)
        self.distinct = np.empty(n_rows, np.int64)
        spare = np.empty(2 * int(np.diff(self.row_starts).max(initial=0)) + 2, np.int32)
        sort_rows(
            self.items, self.row_starts, self.columns, self.n_tokens, bits, shift, spare,
            self.row_stops, self.distinct,
        )  # fmt: skip


def assemble(
    blocks: list[Occurrences],
    n_columns: int,
    *,
    binary: bool,
    dtype: npt.DTypeLike,
    n_jobs: int,
    shift: int = 0,
    write: Callable[..., None] = write_counts,
) -> CountMatrix:
    """Make one matrix of the blocks, which are used up.

    Parameters
    ----------
    blocks : list of Occurrences
        In the order of the documents; empty afterwards.
    n_columns : int
    binary : bool
        Whether values are 1 instead of counts.
    dtype : numpy dtype
        Type of the values.
    n_jobs : int
        Threads.
    shift : int
        Lowest bits of the numbers that are no part of the column.
    write : kernel
        What turns sorted rows into columns and values.
    """
    bits = max(1, (n_columns - 1).bit_length() + shift)
    for _ in spread(lambda _, block: block.sort(bits, shift), blocks, [None] * n_jobs):
        pass
    distinct = np.concatenate([block.distinct for block in blocks]) if blocks else np.empty(0, np.int64)
    indptr = starts_of(distinct)
    total = int(indptr[-1])
    index_type = np.int32 if total <= np.iinfo(np.int32).max else np.int64
    value_type = np.dtype(dtype)
    counts_type = value_type if value_type in KERNEL_TYPES else np.dtype(np.int64)
    indices = np.empty(total, index_type)
    data = np.empty(total, counts_type)
    # Taken from the end, so that each block is given up as soon as its part of the matrix is written.
    ends = np.cumsum([int(block.distinct.sum()) for block in blocks]).tolist()

    def parts() -> Any:
        while blocks:
            stop = ends.pop()
            yield blocks.pop(), ends[-1] if ends else 0, stop

    def write_part(_: None, part: tuple[Occurrences, int, int]) -> None:
        block, start, stop = part
        write(block.items, block.row_starts, block.row_stops, binary, indices[start:stop], data[start:stop])

    for _ in spread(write_part, parts(), [None] * n_jobs):
        pass
    return CountMatrix(data.astype(value_type, copy=False), indices, indptr.astype(index_type, copy=False), n_columns)
