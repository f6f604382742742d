"""Rows that say which terms a document has, in the order in which it has them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import renumber
from textperceptron._parallel import balanced_chunks, ordered_map
from textperceptron.text.numbering import Numbered
from textperceptron.text.pieces import starts_of
from textperceptron.text.rows import CountMatrix, index_type

Array = npt.NDArray[Any]

_PART = 1 << 18  # terms that a thread renumbers at a time


def presence_as_met(numbered: Numbered, dtype: npt.DTypeLike) -> CountMatrix:
    """Make a matrix, without values, of terms that are numbered once a document; their array becomes that of columns.

    Nothing is sorted. If some terms are no columns, the rest moves together.
    """
    columns, n_tokens, n_columns = numbered.renumbering

    def write(terms: Array, row_starts: Array, sizes: Array, first_row: int) -> int:
        return renumber(terms, row_starts, columns, n_tokens, terms, sizes)

    return CountMatrix(np.empty(0, dtype), *_rewritten(numbered, write), n_columns)


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
