"""CSR rows → rows of words: the columns that conjunctions can contain, renumbered."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import rows_of_words
from textperceptron.text.csr import CountMatrix
from textperceptron.text.tokenize import concatenated_ranges, offsets_from_lengths

Array = npt.NDArray[Any]


@dataclass(frozen=True, slots=True)
class WordRows:
    """Compressed rows of ascending words.

    Attributes
    ----------
    data : float array
        Values; empty if all are 1.
    words : int32 array
    indptr : int64 array
        Row r has ``words[indptr[r]:indptr[r + 1]]``; may start above 0.
    n_words : int
    """

    data: Array
    words: Array
    indptr: Array
    n_words: int

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.indptr) - 1

    def slice(self, start: int, stop: int) -> WordRows:
        """Return consecutive rows, which share the arrays."""
        return replace(self, indptr=self.indptr[start : stop + 1])

    def by_word(self) -> tuple[Array, Array]:
        """Return the rows that contain each word, and the offsets of the words."""
        words = self.words[self.indptr[0] : self.indptr[-1]]
        starts = offsets_from_lengths(np.bincount(words, minlength=self.n_words))
        rows = np.empty(len(words), np.int32)
        rows_of_words(self.words, self.indptr, starts[:-1].copy(), rows)
        return starts, rows

    def tail_lengths(self) -> Array:
        """Return the number of words after each entry in its row."""
        lengths = np.diff(self.indptr)
        return np.repeat(self.indptr[1:], lengths) - np.arange(self.indptr[0], self.indptr[-1]) - 1

    def tails(self, rows: Array, entries: Array, min_df: int) -> WordRows:
        """Return the words after ``entries`` in their rows, without those in fewer than ``min_df`` of these rows."""
        lengths = self.indptr[rows + 1] - entries - 1
        entries = concatenated_ranges(entries + 1, lengths)
        words = self.words[entries]
        indptr = offsets_from_lengths(lengths)
        data = self.data[entries] if len(self.data) else self.data
        kept = np.bincount(words, minlength=self.n_words)[words] >= min_df
        return keep_entries(WordRows(data, words, indptr, self.n_words), kept)


def keep_entries(rows: WordRows, kept: Array) -> WordRows:
    """Return the rows with the entries of a mask."""
    if kept.all():
        return rows
    data = rows.data[kept] if len(rows.data) else rows.data
    return WordRows(data, rows.words[kept], offsets_from_lengths(kept)[rows.indptr], rows.n_words)


def word_rows(matrix: CountMatrix, columns: Array, n_first: int) -> WordRows:
    """Renumber some columns as words, and drop the others.

    Parameters
    ----------
    matrix : CountMatrix
        An empty ``data`` means that all values are 1.
    columns : int array
        Column of each word: the first ``n_first`` ascend, and so do the others.
    n_first : int
        Number of words that precede the others in every row.
    """
    number = np.full(matrix.n_columns, -1, np.int32)
    number[columns] = np.arange(len(columns), dtype=np.int32)
    words = number[matrix.indices]
    rows = WordRows(matrix.data, words, matrix.indptr.astype(np.int64, copy=False), len(columns))
    rows = keep_entries(rows, words >= 0)
    return _with_first_words_first(rows, n_first) if 0 < n_first < len(columns) else rows


def _with_first_words_first(rows: WordRows, n_first: int) -> WordRows:
    """Move the words below ``n_first`` to the front of their row, stably."""
    first = rows.words < n_first
    before = offsets_from_lengths(first)
    row = np.repeat(np.arange(rows.n_rows), np.diff(rows.indptr))
    start = rows.indptr[row]
    rank = before[:-1] - before[start]
    in_row = np.diff(before[rows.indptr])[row]
    to = np.where(first, start + rank, np.arange(len(row)) + in_row - rank)
    words = np.empty_like(rows.words)
    words[to] = rows.words
    data = np.empty_like(rows.data)
    if len(data):
        data[to] = rows.data
    return replace(rows, data=data, words=words)


def without_zeros(matrix: CountMatrix) -> CountMatrix:
    """Return the matrix without stored zeros, or the matrix itself if it has none.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.conjunctions.word_rows import without_zeros
    >>> from textperceptron.text.csr import CountMatrix
    >>> dense = CountMatrix(np.array([0.0, 2.0]), np.array([0, 1]), np.array([0, 2]), 2)
    >>> without_zeros(dense).indices
    array([1])
    """
    if matrix.data.all():
        return matrix
    kept = matrix.data != 0
    indptr = offsets_from_lengths(kept)[matrix.indptr].astype(matrix.indptr.dtype)
    return CountMatrix(matrix.data[kept], matrix.indices[kept], indptr, matrix.n_columns)
