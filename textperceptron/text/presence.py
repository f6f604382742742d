"""Rows that say which terms a document has, in the order in which it has them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import renumber
from textperceptron.memory import passing_array
from textperceptron.text.numbering import Counted, Numbered
from textperceptron.text.pieces import starts_of
from textperceptron.text.rows import CountMatrix, Occurrences, index_type
from textperceptron.workers import spread

Array = npt.NDArray[Any]

_DONE = Counted(0, Occurrences(np.empty(0, np.int32), np.zeros(1, np.int64)), 0, 0)


def presence_as_met(numbered: Numbered, dtype: npt.DTypeLike) -> CountMatrix:
    """Make one matrix, without values, of terms that are numbered once a document; both lists are used up.

    Nothing is sorted. Threads write to its final place what each block has at most; if some terms are no columns, the
    blocks move together afterwards.
    """
    counted, renumberings, _, jobs, _ = numbered
    places = starts_of(np.array([block.terms.row_starts[-1] for block in counted]))
    indices = passing_array(int(places[-1]), np.int32)
    sizes = [np.empty(len(block.terms.row_starts) - 1, np.int64) for block in counted]

    def taken() -> Iterator[tuple[int, Counted]]:
        for number in range(len(counted)):
            block, counted[number] = counted[number], _DONE  # nothing else holds it once its rows are done
            yield number, block

    def write(_: None, item: tuple[int, Counted]) -> int:
        number, block = item
        columns, n_tokens, _n_columns = renumberings[block.thread]
        here = indices[places[number] : places[number + 1]]
        return renumber(block.terms.items, block.terms.row_starts, columns, n_tokens, here, sizes[number])

    at = 0
    for number, n in enumerate(spread(write, taken(), [None] * jobs)):
        if at < places[number]:
            indices[at : at + n] = indices[places[number] : places[number] + n]
        at += n
    indptr = starts_of(np.concatenate(sizes))
    kind = index_type(at)
    n_columns = renumberings[0].n_columns
    counted.clear()
    renumberings.clear()
    return CountMatrix(np.empty(0, dtype), indices[:at].astype(kind, copy=False), indptr.astype(kind), n_columns)
