"""Hashed columns: no vocabulary to learn or to store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from textperceptron import _kernels
from textperceptron._parallel import ordered_map
from textperceptron.settings import TextSettings
from textperceptron.text.csr import CountMatrix, RowBlock, concatenate_rows, kernel_type
from textperceptron.text.documents import read_documents
from textperceptron.text.tokenize import SLACK, Scratch, TextBlock, jobs_for, text_blocks, tokenize_block
from textperceptron.text.vocabulary import Vocabulary


def count_hashed(raw_documents: Iterable[Any], settings: TextSettings, *, n_jobs: int | None = None) -> CountMatrix:
    """Count the terms of documents by hashed column.

    Examples
    --------
    >>> from textperceptron.settings import TextSettings
    >>> from textperceptron.text.hashing import count_hashed
    >>> counts = count_hashed(["good good film"], TextSettings(n_features=16, alternate_sign=False))
    >>> counts.indices.tolist(), counts.data.tolist()
    ([1, 9], [2.0, 1.0])
    """
    n_features, binary, dtype = settings.n_features, settings.is_binary, settings.dtype
    assert n_features is not None
    jobs = jobs_for(n_jobs, settings)
    signed = settings.alternate_sign and not binary
    bits = max(1, (n_features - 1).bit_length() + signed)

    def rows(scratch: Scratch, block: TextBlock) -> RowBlock:
        tokens = tokenize_block(block, settings, scratch)
        row_starts = tokens.term_offsets(tokens.min_n)
        n_items = int(row_starts[-1])
        items = scratch.get("items", n_items + SLACK, np.int32)
        _kernels.hash_terms(
            tokens.text, tokens.starts, tokens.stops, tokens.lengths, tokens.n_extra, tokens.min_n, tokens.max_n,
            n_features, signed, items, row_starts[1:],
        )  # fmt: skip
        sizes, indices = np.empty(len(tokens.lengths), np.int64), np.empty(n_items, np.int32)
        data = np.empty(n_items, kernel_type(dtype))
        spare = scratch.get("spare", int(np.diff(row_starts).max(initial=0)), np.int32)
        _kernels.write_hashed_rows(items, row_starts, signed, bits, binary, spare, sizes, indices, data)
        n = int(sizes.sum())
        return RowBlock(sizes, indices[:n], data[:n])

    blocks = text_blocks(read_documents(raw_documents, settings), settings)
    return concatenate_rows(ordered_map(rows, blocks, [Scratch() for _ in range(jobs)]), n_features, dtype)


class Collisions(NamedTuple):
    """Terms that share hashed columns.

    Attributes
    ----------
    n_terms : int
        Number of distinct terms.
    n_columns : int
        Number of columns in use.
    n_colliding : int
        Number of terms that share their column with another.
    shared : list of lists of str
        The terms of each shared column, the columns with most terms first.
    """

    n_terms: int
    n_columns: int
    n_colliding: int
    shared: list[list[str]]

    @property
    def rate(self) -> float:
        """Proportion of terms that share their column."""
        return self.n_colliding / self.n_terms if self.n_terms else 0.0


def find_collisions(vocabulary: Vocabulary, n_features: int, limit: int) -> Collisions:
    """Report which terms of a vocabulary share a hashed column; at most ``limit`` columns are listed."""
    columns = np.empty(len(vocabulary), np.int32)
    _kernels.hash_names(vocabulary.offsets, vocabulary.arena, n_features, columns)
    order = np.argsort(columns, kind="stable")
    starts = np.flatnonzero(np.r_[True, columns[order][1:] != columns[order][:-1]])
    sizes = np.diff(np.r_[starts, len(order)])
    fullest = np.argsort(-sizes, kind="stable")[:limit]

    def names() -> Iterator[list[str]]:
        for k in fullest[sizes[fullest] > 1]:
            yield sorted(vocabulary.name(int(c)) for c in order[starts[k] : starts[k] + sizes[k]])

    return Collisions(len(vocabulary), len(starts), int(sizes[sizes > 1].sum()), list(names()))
