"""Text → count matrix: learn a vocabulary on the way, or apply one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import add_occurrences, find_terms
from textperceptron.text.columns import ColumnSettings, choose_columns
from textperceptron.text.documents import read_documents
from textperceptron.text.pieces import Block, Pieces, Scratch, blocks_of, cut
from textperceptron.text.rows import CountMatrix, Occurrences, Renumbering, Rows, count_occurrences, gather, with_joined
from textperceptron.text.settings import TextSettings
from textperceptron.text.tally import Tally
from textperceptron.text.vocabulary import Vocabulary
from textperceptron.text.workers import jobs_for
from textperceptron.workers import aside, spread

Array = npt.NDArray[Any]


class _Numbered(NamedTuple):
    """Terms of all blocks, with the thread that numbered them, and which columns they become."""

    counted: list[tuple[int, Occurrences]]
    renumberings: list[Renumbering]
    make_vocabulary: Callable[[], Vocabulary]
    jobs: int


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

    The result is the same for every number of threads: each numbers terms as it meets them, but the columns
    are ordered by frequency or name in the end.

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
    numbered = _number_terms(raw_documents, settings, column_settings, binary=binary, dtype=dtype, n_jobs=n_jobs)
    vocabulary = aside(numbered.make_vocabulary, numbered.jobs)
    matrix = _assemble(numbered, binary=binary, dtype=dtype)
    return vocabulary(), matrix


def count_then_name(
    raw_documents: Iterable[Any],
    settings: TextSettings,
    column_settings: ColumnSettings,
    *,
    binary: bool = False,
    dtype: npt.DTypeLike = np.float32,
    n_jobs: int | None = None,
) -> tuple[Callable[[], Vocabulary], CountMatrix]:
    """Do the same for a caller who has something else to do before the names of the columns are needed.

    On several threads, one of them writes the names in the meantime; the function that is returned waits for it.
    Presence needs no values: with ``binary`` there are none in the matrix.

    Examples
    --------
    >>> from textperceptron.text.columns import ColumnSettings
    >>> from textperceptron.text.count import count_then_name
    >>> from textperceptron.text.settings import TextSettings
    >>> vocabulary, counts = count_then_name(["A fine film", "fine!"], TextSettings(), ColumnSettings(), binary=True)
    >>> counts.indices.tolist(), counts.data.tolist(), counts.indptr.tolist()
    ([0, 1, 0], [], [0, 2, 3])
    >>> vocabulary().names()
    ['fine', 'film']
    """
    numbered = _number_terms(raw_documents, settings, column_settings, binary=binary, dtype=dtype, n_jobs=n_jobs)
    matrix = _assemble(numbered, binary=binary, dtype=dtype, with_values=not binary)
    return aside(numbered.make_vocabulary, numbered.jobs), matrix


def _number_terms(
    raw_documents: Iterable[Any],
    settings: TextSettings,
    column_settings: ColumnSettings,
    *,
    binary: bool,
    dtype: npt.DTypeLike,
    n_jobs: int | None,
) -> _Numbered:
    settings.check()
    column_settings.check()
    jobs = jobs_for(n_jobs, settings)
    tallies = [Tally() for _ in range(jobs)]
    workers = [(number, tallies[number], Scratch()) for number in range(jobs)]
    joined: list[int] = []

    def count(worker: tuple[int, Tally, Scratch], block: Block) -> tuple[int, Occurrences]:
        number, tally, scratch = worker
        pieces = cut(block, settings, scratch)
        if pieces.joined is not None and len(pieces.joined.starts):
            joined.append(len(pieces.joined.starts))
        return number, Occurrences(*tally.number(pieces))

    documents = blocks_of(read_documents(raw_documents, settings), settings)
    counted = list(spread(count, documents, workers))
    workers.clear()
    if settings.conjunctions is not None and not joined:
        raise ValueError(f"No document has words to join: {settings.conjunctions.description}.")
    renumberings, make_vocabulary = _number_columns(counted, tallies, column_settings, binary=binary, dtype=dtype)
    return _Numbered(counted, renumberings, make_vocabulary, jobs)


def _assemble(numbered: _Numbered, *, binary: bool, dtype: npt.DTypeLike, with_values: bool = True) -> CountMatrix:
    """Make one matrix of the blocks that the threads have counted; both lists are used up."""
    counted, renumberings, _, jobs = numbered
    counted.reverse()

    def taken() -> Iterator[tuple[int, Occurrences]]:
        while counted:
            yield counted.pop()  # nothing else holds it once its rows are done

    def rows(scratch: Scratch, block: tuple[int, Occurrences]) -> Rows:
        return count_occurrences(block[1], renumberings[block[0]], scratch, binary=binary, dtype=dtype)

    parts = spread(rows, taken(), [Scratch() for _ in range(jobs)])
    matrix = gather(parts, renumberings[0].n_columns, dtype, with_values=with_values)
    renumberings.clear()
    return matrix


def _number_columns(
    counted: list[tuple[int, Occurrences]],
    tallies: list[Tally],
    settings: ColumnSettings,
    *,
    binary: bool,
    dtype: npt.DTypeLike,
) -> tuple[list[Renumbering], Callable[[], Vocabulary]]:
    """Merge the threads' tallies, which are used up; return each thread's columns, and what names them."""
    whole = tallies[0]
    others = tallies[:0:-1]
    tallies.clear()
    other_sizes = [other.n_tokens for other in reversed(others)]
    places = []
    while others:
        places.append(whole.absorb(others.pop()))  # whose tables are as large as the vocabulary, and go now
    n_tokens = whole.n_tokens
    sizes = [n_tokens, *other_sizes]
    for terms in places:
        # Where each thread's terms are among all; pairs behind all tokens, whose number is known only now.
        np.copyto(terms, (terms & np.int32(0x7FFFFFFF)) + np.int32(n_tokens), where=terms < 0)

    def totals(frequency: Array) -> Array:
        everything = np.arange(n_tokens + whole.n_pairs, dtype=np.int32)
        return _totals(counted, [everything, *places], sizes, frequency, binary=binary, dtype=dtype)

    columns, make_vocabulary = choose_columns(whole, settings, totals)
    n_columns = int(columns.max()) + 1
    renumbered = [columns, *(columns[terms] for terms in places)]
    places.clear()
    return [Renumbering(*each, n_columns) for each in zip(renumbered, sizes, strict=True)], make_vocabulary


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
    return gather(spread(rows, documents, [Scratch() for _ in range(jobs)]), len(vocabulary), dtype)


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


def _totals(
    counted: list[tuple[int, Occurrences]],
    places: list[Array],
    sizes: list[int],
    frequency: Array,
    *,
    binary: bool,
    dtype: npt.DTypeLike,
) -> Array:
    """Return the sum of each term's column."""
    if binary:
        totals = frequency.astype(np.int64)
    else:
        totals = np.zeros(len(frequency), np.int64)
        for number, block in counted:
            add_occurrences(block.items, places[number], sizes[number], totals)
    return summed_type(totals, dtype)


def summed_type(totals: Array, dtype: npt.DTypeLike) -> Array:
    """Return sums of columns, of the type that scipy would give them.

    float32, our default, counts as CountVectorizer's default int64: equal terms then fall the same way.
    """
    if np.dtype(dtype) in (np.dtype(np.float32), np.dtype(bool)) or np.dtype(dtype).kind == "i":
        return totals
    return totals.astype(np.uint64 if np.dtype(dtype).kind == "u" else dtype)
