"""CSR rows and a table of conjunctions → CSR rows with conjunctions."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import count_row_pairs, write_pairs
from textperceptron._memory import check_memory
from textperceptron._parallel import balanced_chunks, count_jobs, ordered_map
from textperceptron.text.conjunctions.table import ConjunctionTable
from textperceptron.text.conjunctions.top_k import REMEDY
from textperceptron.text.conjunctions.word_rows import WordRows, without_zeros, word_rows
from textperceptron.text.csr import CountMatrix
from textperceptron.text.tokenize import Scratch, concatenated_ranges, offsets_from_lengths

Array = npt.NDArray[Any]

LARGEST_INT32 = np.iinfo(np.int32).max
BLOCK = 1 << 25  # pairs of words per chunk of rows


def conjoin(
    matrix: CountMatrix,
    table: ConjunctionTable,
    *,
    keep_words: bool = True,
    n_jobs: int | None = None,
    memory_limit: int | None = None,
) -> CountMatrix:
    """Add the conjunctions in each row, after its own columns or instead of them.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.conjunctions.apply import conjoin
    >>> from textperceptron.text.conjunctions.settings import ConjunctionSettings
    >>> from textperceptron.text.conjunctions.table import learn_conjunctions
    >>> from textperceptron.text.csr import CountMatrix
    >>> rows = CountMatrix(np.array([2.0, 3.0, 1.0]), np.array([0, 1, 1]), np.array([0, 2, 3]), 2)
    >>> both = conjoin(rows, learn_conjunctions(rows, ConjunctionSettings()))
    >>> both.indices.tolist(), both.data.tolist(), both.indptr.tolist()
    ([0, 1, 2, 1], [2.0, 3.0, 6.0, 1.0], [0, 3, 4])

    Raises
    ------
    MemoryError
        If the result would not fit.
    """
    matrix = without_zeros(matrix)
    jobs = count_jobs(n_jobs)
    _check_products(matrix.data, 3 if len(table.triples) else 2)
    rows = word_rows(matrix, table.columns, table.n_pivots)
    n_words = np.diff(rows.indptr)
    chunks = list(balanced_chunks(n_words * (n_words - 1) // 2 + 1, BLOCK, jobs))
    lengths = np.zeros(rows.n_rows, np.int64)

    def count(scratch: Scratch, chunk: tuple[int, int]) -> None:
        RowConjunctions(rows.slice(*chunk), table, scratch).count(lengths[slice(*chunk)])

    scratches = [Scratch() for _ in range(jobs)]
    for _ in ordered_map(count, chunks, scratches):
        pass
    own = np.diff(matrix.indptr) if keep_words else 0
    indptr = offsets_from_lengths(lengths + own)
    n_entries = int(indptr[-1])
    first_column = matrix.n_columns if keep_words else 0
    n_columns = first_column + table.n_conjunctions
    index_type = np.int32 if max(n_entries, n_columns) <= LARGEST_INT32 else np.int64
    what = f"{n_entries:,} entries of {rows.n_rows:,} rows with {table.n_conjunctions:,} conjunctions"
    check_memory(n_entries * (np.dtype(index_type).itemsize + matrix.data.itemsize), memory_limit, what, REMEDY)
    indices = np.empty(n_entries, index_type)
    data = np.empty(n_entries, matrix.data.dtype) if len(matrix.data) else np.ones(n_entries, matrix.data.dtype)

    def write(scratch: Scratch, chunk: tuple[int, int]) -> None:
        begins, ends = (indptr[:-1] + own)[slice(*chunk)], indptr[1:][slice(*chunk)]
        RowConjunctions(rows.slice(*chunk), table, scratch).write(first_column, begins, ends, indices, data)

    for _ in ordered_map(write, chunks, scratches):
        pass
    if keep_words:
        to = concatenated_ranges(indptr[:-1], np.diff(matrix.indptr))
        indices[to] = matrix.indices
        if len(matrix.data):
            data[to] = matrix.data
    return CountMatrix(data, indices, indptr.astype(index_type, copy=False), n_columns)


class RowConjunctions:
    """The conjunctions of some rows."""

    def __init__(self, rows: WordRows, table: ConjunctionTable, scratch: Scratch) -> None:
        self._rows = rows
        self._table = table
        self._scratch = scratch
        self._starts, self._by_word = rows.by_word()

    def count(self, lengths: Array) -> None:
        """Add the number of conjunctions of each row."""
        table, rows = self._table, self._rows
        place = self._scratch.filled("place", rows.n_words, np.int32, -1)
        cursor = self._scratch.get("cursor", rows.n_rows, np.int64)
        count_row_pairs(
            rows.words, rows.indptr, self._starts, self._by_word, table.pair_starts, table.partners,
            cursor, place, lengths,
        )  # fmt: skip
        for which, _, tails, pair_starts, partners, _ in self._after_first_words():
            found = np.zeros(tails.n_rows, np.int64)
            count_row_pairs(
                tails.words, tails.indptr, *tails.by_word(), pair_starts, partners, cursor, place, found
            )  # fmt: skip
            lengths[which] += found

    def write(self, first_column: int, begins: Array, ends: Array, indices: Array, data: Array) -> None:
        """Write the conjunctions of each row between its offsets."""
        table, rows = self._table, self._rows
        place = self._scratch.filled("place", rows.n_words, np.int32, -1)
        cursor = self._scratch.get("cursor", rows.n_rows, np.int64)
        at = begins.copy()
        write_pairs(
            rows.data, rows.words, rows.indptr, self._starts, self._by_word, table.pair_starts, table.partners,
            first_column, data[:0], cursor, place, at, ends, indices, data,
        )  # fmt: skip
        first_triple = first_column + len(table.partners)
        for which, entries, tails, pair_starts, partners, number in self._after_first_words():
            here = at[which]
            scale = rows.data[entries] if len(rows.data) else rows.data
            write_pairs(
                tails.data, tails.words, tails.indptr, *tails.by_word(), pair_starts, partners,
                first_triple + number, scale, cursor, place, here, ends[which], indices, data,
            )  # fmt: skip
            at[which] = here

    def _after_first_words(self) -> Iterator[tuple[Array, Array, WordRows, Array, Array, int]]:
        """Yield for each first word of triples: rows, entries, following words, their pairs, first number."""
        triples, rows = self._table.triples, self._rows
        if len(triples) == 0:
            return
        firsts, numbers = np.unique(triples[:, 0], return_index=True)
        entries = np.argsort(rows.words[rows.indptr[0] : rows.indptr[-1]], kind="stable") + rows.indptr[0]
        for word, (number, stop) in zip(firsts, pairwise([*numbers.tolist(), len(triples)]), strict=True):
            mine = slice(self._starts[word], self._starts[word + 1])
            which = self._by_word[mine]
            if len(which):
                pairs = triples[number:stop, 1:]
                tails = rows.tails(which, entries[mine], 1)
                pair_starts = offsets_from_lengths(np.bincount(pairs[:, 0]))
                partners = np.ascontiguousarray(pairs[:, 1])
                yield which, entries[mine], tails, pair_starts, partners, number


def _check_products(data: Array, degree: int) -> None:
    """Raise ValueError for values whose products are infinite."""
    if degree == 3 and len(data):
        largest = float(np.abs(data).max())
        if largest**3 > float(np.finfo(data.dtype).max):
            raise ValueError(
                f"X has values up to {largest:g}, whose triple product overflows {data.dtype}: scale them."
            )
