"""Terms of texts, counted once; columns, rows and a vocabulary for all texts or any subset."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._memory import AppendBuffer, explaining_memory
from textperceptron._parallel import Future, balanced_chunks, in_background, ordered_map, prefetch_map
from textperceptron.settings import TextSettings
from textperceptron.text.columns import Columns, choose_columns
from textperceptron.text.csr import (
    ColumnMap,
    CountMatrix,
    RowBlock,
    concatenate_rows,
    count_matrix,
    kernel_type,
    write_rows,
)
from textperceptron.text.documents import read_documents
from textperceptron.text.term_table import NumberedBlock, Terms, TermTable
from textperceptron.text.tokenize import Scratch, TextBlock, jobs_for, offsets_from_lengths, text_blocks, tokenize_block
from textperceptron.text.vocabulary import Vocabulary

Array = npt.NDArray[Any]
Which = npt.NDArray[np.int64]

_CHUNK = 1 << 18  # items per chunk of rows


class CountedTexts:
    """The terms of documents, one item per occurrence, in order.

    Columns and rows of a subset are the same as if only the subset had been counted, but no text is tokenised twice.
    Create one with :func:`count_texts`. Threads may share it.

    Attributes
    ----------
    terms : Terms
    frequency : int32 array
        Documents that have each term; 0 for mere parts of n-grams.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.settings import TextSettings
    >>> from textperceptron.text.counted_texts import count_texts
    >>> settings = TextSettings()
    >>> counted = count_texts(["A fine film", "fine, fine!", "a new film"], settings)
    >>> columns = counted.choose(settings, which=np.array([1, 2]))
    >>> counted.vocabulary(columns).result().names()
    ['fine', 'new', 'film']
    >>> rows = counted.rows(columns, settings, which=np.array([0, 1]))
    >>> rows.indices.tolist(), rows.data.tolist(), rows.indptr.tolist()
    ([0, 2, 0], [1.0, 1.0, 2.0], [0, 2, 3])
    """

    def __init__(
        self,
        items: AppendBuffer,
        sizes: Array,
        seen: tuple[Array, Array],
        terms: Terms,
        frequency: Array,
        *,
        is_unique: bool,
        jobs: int,
        documents: Iterable[Any] | None = None,
    ) -> None:
        self.documents = documents  # unless they can be read only once
        self._buffer, self._items = items, items.finish()
        self._sizes, self._row_starts = sizes, offsets_from_lengths(sizes)
        self._seen, self.terms, self.frequency = seen, terms, frequency
        self._is_unique, self._jobs = is_unique, jobs

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return len(self._sizes)

    def choose(self, settings: TextSettings, which: Which | None = None) -> Columns:
        """Choose columns from all documents, or from the documents ``which`` alone.

        Raises
        ------
        ValueError
            If no term is left.
        """
        n_terms, n_tokens = len(self.terms), self.terms.n_tokens
        if which is None:
            n_documents, frequency = self.n_documents, self.frequency
            order = np.empty(n_terms, np.int32)
            _kernels.order_of_appearance(*self._seen, order)
        else:
            n_documents, frequency = len(which), np.empty(n_terms, np.int32)
            order, marks = np.empty(n_terms + 1, np.int32), np.zeros(n_terms, np.uint64)
            counted = self._items, self._row_starts, self._documents(which)
            order = order[: _kernels.count_documents(*counted, n_tokens, marks, order)]
            np.copyto(frequency, marks, casting="unsafe")  # keeps the lower half

        def totals() -> Array:
            if settings.is_binary:
                return frequency.astype(np.int64)
            sums = np.zeros(n_terms, np.int64)
            _kernels.add_occurrences(self._items, self._row_starts, self._documents(which), n_tokens, sums)
            return sums

        return choose_columns(
            order, frequency, n_documents, settings, self.terms.in_alphabet, totals, self.terms.are_characters
        )

    def vocabulary(self, columns: Columns) -> Future[Vocabulary]:
        """Write the names of columns in the background; return a future of the vocabulary."""
        return in_background(lambda: self.terms.vocabulary(columns.terms), self._jobs)

    def rows(
        self,
        columns: Columns,
        settings: TextSettings,
        which: Which | None = None,
        *,
        n_jobs: int | None = None,
    ) -> CountMatrix:
        """Return the rows of all documents, or of the documents ``which``, in their order.

        Values are counts; with ``settings.binary`` they are 1 and not stored. The default of ``n_jobs`` is that of
        counting.
        """
        binary, dtype = self._values(settings)
        jobs = self._jobs if n_jobs is None else n_jobs
        documents = self._documents(which)
        sizes = self._sizes[documents]

        def write(scratch: Scratch, chunk: tuple[int, int]) -> RowBlock:
            starts = offsets_from_lengths(sizes[slice(*chunk)])
            items = np.empty(starts[-1], np.int32)
            _kernels.copy_documents(self._items, self._row_starts, documents[slice(*chunk)], items)
            return write_rows(items, starts, self._map(columns), scratch, binary=binary, dtype=dtype)

        chunks = balanced_chunks(sizes, _CHUNK, jobs)
        blocks = ordered_map(write, chunks, [Scratch() for _ in range(jobs)])
        return concatenate_rows(blocks, len(columns), dtype)

    def into_rows(self, columns: Columns, settings: TextSettings) -> CountMatrix:
        """Return the rows of all documents, in the memory of the counts; afterwards only :meth:`vocabulary` works."""
        binary, dtype = self._values(settings)
        sizes, row_starts, mapping = [np.empty(0, np.int64)], self._row_starts, self._map(columns)

        def write(scratch: Scratch, chunk: tuple[int, int]) -> tuple[int, RowBlock]:
            starts = row_starts[chunk[0] : chunk[1] + 1]
            begin, end = int(starts[0]), int(starts[-1])
            items = self._items[begin:end]
            return begin, write_rows(items, starts - begin, mapping, scratch, binary=binary, dtype=dtype)

        at, data = 0, AppendBuffer(kernel_type(dtype))
        chunks = balanced_chunks(self._sizes, _CHUNK, self._jobs)
        for begin, block in ordered_map(write, chunks, [Scratch() for _ in range(self._jobs)]):
            n = len(block.indices)
            if at < begin:
                self._items[at : at + n] = block.indices
            at += n
            data.append(block.data)
            sizes.append(block.sizes)
            del block
        self._items = np.empty(0, np.int32)  # the buffer can shrink once no array uses it
        return count_matrix(data.finish(), self._buffer.shrink(at), np.concatenate(sizes), len(columns), dtype)

    def _map(self, columns: Columns) -> ColumnMap:
        return ColumnMap(columns.of_term, self.terms.n_tokens, len(columns), columns.n_shared)

    def _documents(self, which: Which | None) -> Array:
        return np.arange(self.n_documents) if which is None else np.ascontiguousarray(which, np.int64)

    def _values(self, settings: TextSettings) -> tuple[bool, npt.DTypeLike]:
        if self._is_unique and not settings.is_binary:
            raise ValueError("Only the first occurrence of each term was counted: use binary=True.")
        return settings.is_binary, settings.dtype


@explaining_memory()
def count_texts(
    raw_documents: Iterable[Any], settings: TextSettings, *, unique: bool = False, n_jobs: int | None = None
) -> CountedTexts:
    """Count the terms of documents in one pass.

    Parameters
    ----------
    raw_documents : iterable of str or bytes
    settings : TextSettings
    unique : bool
        Count only the first occurrence of a term in a document: enough for binary rows.
    n_jobs : int, optional
        Number of threads; the result is the same for any number.

    Raises
    ------
    ValueError
        If conjunctions are enabled and no document has any.
    """
    jobs = jobs_for(n_jobs, settings)
    table = TermTable()
    items = AppendBuffer(np.int32)
    sizes = [np.empty(0, np.int64)]
    seen_tokens, seen_ngrams = [np.empty(0, np.int32)], [np.empty(0, np.int32)]
    n_conjunctions = 0
    spare: list[Scratch] = []
    for block in _numbered_blocks(raw_documents, settings, table, jobs, spare, unique=unique):
        table.number_ngrams(block)
        block_items, row_starts = block.finish()
        items.append(block_items)
        sizes.append(np.diff(row_starts))
        seen_tokens.append(block.seen_tokens)
        seen_ngrams.append(block.seen_ngrams)
        n_conjunctions += block.tokens.n_conjunctions
        spare.append(block.scratch)
    if settings.conjunctions is not None and not n_conjunctions:
        raise ValueError(f"No document has words to join: {settings.conjunctions.description}.")
    seen = np.concatenate(seen_tokens), np.concatenate(seen_ngrams)
    documents = raw_documents if hasattr(raw_documents, "__len__") else None
    return CountedTexts(
        items, np.concatenate(sizes), seen, *table.finish(), is_unique=unique, jobs=jobs, documents=documents
    )


def _numbered_blocks(
    raw_documents: Iterable[Any],
    settings: TextSettings,
    table: TermTable,
    jobs: int,
    spare: list[Scratch],
    *,
    unique: bool,
) -> Iterator[NumberedBlock]:
    """Yield blocks with numbered tokens; the caller returns their scratch to ``spare``.

    Numbers follow the order of the documents, so only one thread at a time uses each of the two tables. But while the
    caller's thread numbers longer n-grams, another can number the tokens of later blocks, and others can tokenise.
    """

    def tokenized(block: TextBlock) -> NumberedBlock:
        try:
            scratch = spare.pop()
        except IndexError:  # testing first would be a race with other threads
            scratch = Scratch()
        return NumberedBlock(tokenize_block(block, settings, scratch), scratch, unique=unique)

    def with_tokens(block: NumberedBlock) -> NumberedBlock:
        table.number_tokens(block)
        return block

    blocks = text_blocks(read_documents(raw_documents, settings), settings)
    if jobs == 1:
        return (with_tokens(tokenized(block)) for block in blocks)
    if jobs == 2:
        return prefetch_map(tokenized, with_tokens, blocks)
    ready = ordered_map(lambda _, block: tokenized(block), blocks, [None] * (jobs - 2), depth=jobs)
    return ordered_map(lambda _, block: with_tokens(block), ready, [None], depth=4)
