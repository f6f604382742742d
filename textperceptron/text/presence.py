"""Rows that say which terms a document has, in the order in which it has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import fold_rows, renumber
from textperceptron.text.numbering import Numbered
from textperceptron.text.pieces import starts_of
from textperceptron.text.rows import CountMatrix, index_type
from textperceptron._parallel import balanced_chunks, ordered_map

Array = npt.NDArray[Any]

_PART = 1 << 18  # terms that a thread renumbers at a time


class Folded(NamedTuple):
    """Rows of presence in which one entry stands for all columns that no other document has.

    Attributes
    ----------
    indices, indptr : arrays
        Columns below ``n_shared`` are as they were. Behind them comes one for each row, the last entry of those that
        have such columns.
    n_shared : int
    more : int32 array
        How many further columns that of each row stands for.
    owners : int32 array
        For each column behind the shared ones, the one that it has become a part of.
    """

    indices: Array
    indptr: Array
    n_shared: int
    more: Array
    owners: Array

    def places(self) -> Array:
        """Return where each column is now."""
        return np.concatenate([np.arange(self.n_shared, dtype=np.int32), self.owners])


def presence_as_met(numbered: Numbered, dtype: npt.DTypeLike) -> CountMatrix:
    """Make a matrix, without values, of terms that are numbered once a document; their array becomes that of columns.

    Nothing is sorted. If some terms are no columns, the rest moves together.
    """
    columns, n_tokens, n_columns = numbered.renumbering

    def write(terms: Array, row_starts: Array, sizes: Array, first_row: int) -> int:
        return renumber(terms, row_starts, columns, n_tokens, terms, sizes)

    return CountMatrix(np.empty(0, dtype), *_rewritten(numbered, write), n_columns)


def folded_presence(numbered: Numbered) -> Folded:
    """Make folded rows of them; the columns are those of :func:`~textperceptron.text.columns.columns_as_met`."""
    columns, n_tokens, n_columns = numbered.renumbering
    n_shared = numbered.n_shared
    more = np.empty(len(numbered.counted[0].row_starts) - 1, np.int32)
    owners = np.empty(n_columns - n_shared + 1, np.int32)

    def write(terms: Array, row_starts: Array, sizes: Array, first_row: int) -> int:
        here = more[first_row : first_row + len(sizes)]
        return fold_rows(
            terms, row_starts, first_row, columns, n_tokens, n_shared, terms, sizes, here, owners
        )  # fmt: skip

    return Folded(*_rewritten(numbered, write), n_shared, more, owners[1:])


def _rewritten(numbered: Numbered, write: Callable[[Array, Array, Array, int], int]) -> tuple[Array, Array]:
    """Let threads write the columns of some documents where their terms are; return columns and row starts."""
    terms, row_starts = numbered.counted.pop()
    sizes = np.diff(row_starts)

    def write_part(_: None, part: tuple[int, int]) -> tuple[int, int]:
        starts = row_starts[part[0] : part[1] + 1]
        begin = int(starts[0])
        return begin, write(terms[begin : starts[-1]], starts - begin, sizes[part[0] : part[1]], part[0])

    at = 0
    for begin, n in ordered_map(write_part, balanced_chunks(sizes, _PART, numbered.jobs), [None] * numbered.jobs):
        if at < begin:
            terms[at : at + n] = terms[begin : begin + n]
        at += n
    kind = index_type(at)
    return terms[:at].astype(kind, copy=False), starts_of(sizes).astype(kind)
