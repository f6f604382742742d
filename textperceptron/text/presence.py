"""Rows that say which terms a document has, in the order in which it has them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import renumber
from textperceptron.text.numbering import Numbered
from textperceptron.text.pieces import starts_of
from textperceptron.text.rows import CountMatrix, index_type
from textperceptron.workers import even_parts, spread

_PART = 1 << 18  # terms that a thread renumbers at a time


def presence_as_met(numbered: Numbered, dtype: npt.DTypeLike) -> CountMatrix:
    """Make a matrix, without values, of terms that are numbered once a document; their array becomes that of columns.

    Nothing is sorted. If some terms are no columns, the rest moves together.
    """
    (terms, row_starts), (columns, n_tokens, n_columns) = numbered.counted.pop(), numbered.renumbering
    sizes = np.diff(row_starts)

    def write(_: None, part: tuple[int, int]) -> tuple[int, int]:
        starts = row_starts[part[0] : part[1] + 1]
        here = terms[starts[0] : starts[-1]]
        return int(starts[0]), renumber(here, starts - starts[0], columns, n_tokens, here, sizes[part[0] : part[1]])

    at = 0
    for start, n in spread(write, even_parts(sizes.copy(), _PART, numbered.jobs), [None] * numbered.jobs):
        if at < start:
            terms[at : at + n] = terms[start : start + n]
        at += n
    kind = index_type(at)
    indptr = starts_of(sizes).astype(kind)
    return CountMatrix(np.empty(0, dtype), terms[:at].astype(kind, copy=False), indptr, n_columns)
