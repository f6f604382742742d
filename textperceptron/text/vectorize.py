"""Texts → count matrix, with a new vocabulary or a given one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import numpy as np

from textperceptron import _kernels
from textperceptron._memory import explaining_memory
from textperceptron._parallel import Future, ordered_map
from textperceptron.settings import TextSettings
from textperceptron.text.counted_texts import count_texts
from textperceptron.text.csr import ColumnMap, CountMatrix, RowBlock, concatenate_rows, write_rows
from textperceptron.text.documents import read_documents
from textperceptron.text.tokenize import Scratch, TextBlock, jobs_for, text_blocks, tokenize_block
from textperceptron.text.vocabulary import Vocabulary


@explaining_memory()
def fit_transform(
    raw_documents: Iterable[Any],
    settings: TextSettings,
    *,
    n_jobs: int | None = None,
) -> tuple[Future[Vocabulary], CountMatrix]:
    """Count the terms of documents in one pass; return their vocabulary and their rows.

    The result is the same for any number of threads. With several, the vocabulary is written in the background.
    With ``settings.binary``, all values are 1 and not stored.

    Examples
    --------
    >>> from textperceptron.settings import TextSettings
    >>> from textperceptron.text.vectorize import fit_transform
    >>> vocabulary, counts = fit_transform(["No fine film", "fine, fine!"], TextSettings())
    >>> counts.indices.tolist(), counts.data.tolist(), counts.indptr.tolist()
    ([0, 1, 2, 0], [1.0, 1.0, 1.0, 2.0], [0, 3, 4])
    >>> vocabulary.result().names()
    ['fine', 'no', 'film']
    """
    counted = count_texts(raw_documents, settings, unique=settings.is_binary, n_jobs=n_jobs)
    columns = counted.choose(settings)
    return counted.vocabulary(columns), counted.into_rows(columns, settings)


@explaining_memory()
def transform(
    raw_documents: Iterable[Any],
    settings: TextSettings,
    vocabulary: Vocabulary,
    *,
    n_jobs: int | None = None,
) -> CountMatrix:
    """Count the terms of documents that a vocabulary contains.

    With ``settings.binary``, all values are 1 and not stored.

    Examples
    --------
    >>> from textperceptron.settings import TextSettings
    >>> from textperceptron.text.vectorize import transform
    >>> from textperceptron.text.vocabulary import Vocabulary
    >>> counts = transform(["a new film, new!"], TextSettings(), Vocabulary.from_names(["film", "new"]))
    >>> counts.indices.tolist(), counts.data.tolist()
    ([0, 1], [1.0, 2.0])
    """
    jobs = jobs_for(n_jobs, settings)
    n_columns = len(vocabulary)
    identity = ColumnMap(np.empty(0, np.int32), 0, n_columns, n_columns)

    def rows(scratch: Scratch, block: TextBlock) -> RowBlock:
        tokens = tokenize_block(block, settings, scratch)
        row_starts = tokens.term_offsets(tokens.min_n)
        columns = np.empty(int(row_starts[-1]), np.int32)
        _kernels.find_terms(
            tokens.text, tokens.starts, tokens.stops, tokens.lengths, tokens.n_extra, tokens.min_n, tokens.max_n,
            vocabulary.offsets, vocabulary.arena, vocabulary.slots, columns, row_starts[1:],
        )  # fmt: skip
        return write_rows(columns, row_starts, identity, scratch, binary=settings.is_binary, dtype=settings.dtype)

    blocks = text_blocks(read_documents(raw_documents, settings), settings)
    return concatenate_rows(ordered_map(rows, blocks, [Scratch() for _ in range(jobs)]), n_columns, settings.dtype)


def inconsistent_stop_words(settings: TextSettings) -> list[str]:
    """Return the tokens of stop words that are not stop words themselves, and so are not removed.

    Examples
    --------
    >>> from textperceptron.settings import TextSettings
    >>> from textperceptron.text.vectorize import inconsistent_stop_words
    >>> inconsistent_stop_words(TextSettings(stop_words=["and", "we'll", "The"]))
    ['ll', 'the', 'we']
    """
    if not settings.stop_list:
        return []
    alone = replace(settings.tokens_only(), stop_words=None)
    try:
        vocabulary, _ = fit_transform(sorted(settings.stop_list), alone)
    except Exception:  # a user's function that does not accept them, or no tokens at all
        return []
    return sorted(set(vocabulary.result()) - settings.stop_list)
