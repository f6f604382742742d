"""Text → count matrix: learn a vocabulary on the way, or apply one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import find_terms
from textperceptron._memory import explaining_memory
from textperceptron._parallel import in_background, ordered_map
from textperceptron.text.columns import ColumnSettings
from textperceptron.text.documents import read_documents
from textperceptron.text.numbering import Numbered, number_terms
from textperceptron.text.pieces import Block, Pieces, Scratch, blocks_of, cut
from textperceptron.text.presence import presence_as_met
from textperceptron.text.rows import CountMatrix, Occurrences, Renumbering, Rows, count_occurrences, gather, with_joined
from textperceptron.text.settings import TextSettings
from textperceptron.text.vocabulary import Vocabulary
from textperceptron.text.workers import jobs_for

Array = npt.NDArray[Any]


@explaining_memory()
def count_and_learn(
    raw_documents: Iterable[Any],
    settings: TextSettings,
    column_settings: ColumnSettings,
    *,
    binary: bool = False,
    dtype: npt.DTypeLike = np.float32,
    n_jobs: int | None = None,
) -> tuple[Vocabulary, CountMatrix]:
    """Count the terms of documents in one pass, and learn their vocabulary.

    The result is the same for every number of threads: terms get their numbers in the order of the documents, and the
    columns are ordered by frequency or name in the end.

    Examples
    --------
    >>> from textperceptron.text.columns import ColumnSettings
    >>> from textperceptron.text.count import count_and_learn
    >>> from textperceptron.text.settings import TextSettings
    >>> texts = ["A fine film", "fine, fine!"]
    >>> vocabulary, counts = count_and_learn(texts, TextSettings(), ColumnSettings())
    >>> vocabulary.names(), counts.indices.tolist(), counts.data.tolist(), counts.indptr.tolist()
    (['fine', 'film'], [0, 1, 0], [1.0, 1.0, 2.0], [0, 2, 3])
    """
    numbered = number_terms(raw_documents, settings, column_settings, binary=binary, dtype=dtype, n_jobs=n_jobs)
    vocabulary = in_background(numbered.name, numbered.jobs)
    matrix = _assemble(numbered, binary=binary, dtype=dtype)
    return vocabulary(), matrix


@explaining_memory()
def count_then_name(
    raw_documents: Iterable[Any],
    settings: TextSettings,
    column_settings: ColumnSettings,
    *,
    binary: bool = False,
    dtype: npt.DTypeLike = np.float32,
    n_jobs: int | None = None,
    as_met: bool = False,
) -> tuple[Callable[[], Vocabulary], CountMatrix]:
    """Do the same for a caller who has something else to do before the names of the columns are needed.

    On several threads, one of them writes the names in the meantime; the function that is returned waits for it.
    Presence needs no values: with ``binary`` there are none in the matrix. With ``as_met``, nothing is sorted by name
    either, if the settings allow it: columns of the same frequency are in the order in which their terms are met, and
    those of a document too if it is about presence.

    Examples
    --------
    >>> from textperceptron.text.columns import ColumnSettings
    >>> from textperceptron.text.count import count_then_name
    >>> from textperceptron.text.settings import TextSettings
    >>> texts = ["No fine film", "fine!"]
    >>> vocabulary, counts = count_then_name(texts, TextSettings(), ColumnSettings(), binary=True, as_met=True)
    >>> counts.indices.tolist(), counts.data.tolist(), counts.indptr.tolist()
    ([1, 0, 2, 0], [], [0, 3, 4])
    >>> vocabulary().names()
    ['fine', 'no', 'film']
    """
    numbered = number_terms(
        raw_documents, settings, column_settings, binary=binary, dtype=dtype, n_jobs=n_jobs, as_met=as_met
    )
    vocabulary = in_background(numbered.name, numbered.jobs)
    if numbered.once:
        return vocabulary, presence_as_met(numbered, dtype)
    return vocabulary, _assemble(numbered, binary=binary, dtype=dtype, with_values=not binary)


def _assemble(numbered: Numbered, *, binary: bool, dtype: npt.DTypeLike, with_values: bool = True) -> CountMatrix:
    """Make one matrix of the blocks that are counted; the list of them is used up."""
    counted, renumbering = numbered.counted, numbered.renumbering
    counted.reverse()

    def taken() -> Iterator[Occurrences]:
        while counted:
            yield counted.pop()  # nothing else holds it once its rows are done

    def rows(scratch: Scratch, block: Occurrences) -> Rows:
        return count_occurrences(block, renumbering, scratch, binary=binary, dtype=dtype)

    parts = ordered_map(rows, taken(), [Scratch() for _ in range(numbered.jobs)])
    return gather(parts, renumbering.n_columns, dtype, with_values=with_values)


@explaining_memory()
def count_known(
    raw_documents: Iterable[Any],
    settings: TextSettings,
    vocabulary: Vocabulary,
    *,
    binary: bool = False,
    dtype: npt.DTypeLike = np.float32,
    n_jobs: int | None = None,
) -> CountMatrix:
    """Count the terms of documents that a vocabulary holds.

    Examples
    --------
    >>> from textperceptron.text.count import count_known
    >>> from textperceptron.text.settings import TextSettings
    >>> from textperceptron.text.vocabulary import Vocabulary
    >>> counts = count_known(["a new film, new!"], TextSettings(), Vocabulary.from_names(["film", "new"]))
    >>> counts.indices.tolist(), counts.data.tolist()
    ([0, 1], [1.0, 2.0])
    """
    settings.check()
    jobs = jobs_for(n_jobs, settings)
    already = Renumbering(np.empty(0, np.int32), 0, len(vocabulary))

    def rows(scratch: Scratch, block: Block) -> Rows:
        found = with_joined(find, cut(block, settings, scratch), scratch)
        return count_occurrences(found, already, scratch, binary=binary, dtype=dtype)

    def find(pieces: Pieces, scratch: Scratch) -> Occurrences:
        row_starts = pieces.row_starts()
        found = scratch.get("found", int(row_starts[-1]), np.int32)
        find_terms(
            pieces.text, pieces.starts, pieces.stops, pieces.lengths, pieces.min_n, pieces.max_n,
            vocabulary.offsets, vocabulary.arena, vocabulary.slots, found, row_starts[1:],
        )  # fmt: skip
        return Occurrences(found, row_starts)

    documents = blocks_of(read_documents(raw_documents, settings), settings)
    return gather(ordered_map(rows, documents, [Scratch() for _ in range(jobs)]), len(vocabulary), dtype)


def tokens_of_stop_words(settings: TextSettings) -> list[str]:
    """Return what stop words become when they are cut like documents, as far as it is no stop word itself.

    Those tokens stay in the documents, which is seldom meant.

    Examples
    --------
    >>> from textperceptron.text.count import tokens_of_stop_words
    >>> from textperceptron.text.settings import TextSettings
    >>> tokens_of_stop_words(TextSettings(stop_words=["and", "we'll", "The"]))
    ['ll', 'the', 'we']
    """
    if not settings.stop_list:
        return []
    alone = replace(
        settings, stop_words=None, ngram_range=(1, 1), negation=False, conjunctions=None, prefixes=0, input="content"
    )
    try:
        tokens, _ = count_and_learn(sorted(settings.stop_list), alone, ColumnSettings())
    except Exception:  # a user's function that cannot take them, or no tokens at all
        return []
    return sorted(set(tokens) - settings.stop_list)
