"""Text → numbered terms and the columns that they become; rows and names are made of them afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import add_occurrences
from textperceptron.text.columns import ColumnSettings, Terms, chosen_terms, columns_as_met, columns_of
from textperceptron.text.documents import read_documents
from textperceptron.text.pieces import Block, Scratch, blocks_of, cut
from textperceptron.text.rows import Occurrences, Renumbering
from textperceptron.text.settings import TextSettings
from textperceptron.text.tally import Tally
from textperceptron.text.vocabulary import Vocabulary
from textperceptron.text.workers import jobs_for
from textperceptron.workers import spread

Array = npt.NDArray[Any]


class Counted(NamedTuple):
    """The terms of a block of documents, by a thread's own numbers, and how many the thread has numbered by then.

    Attributes
    ----------
    thread : int
    terms : Occurrences
    n_tokens, n_pairs : int
    """

    thread: int
    terms: Occurrences
    n_tokens: int
    n_pairs: int


class Named(NamedTuple):
    """The names of columns in their final order.

    Attributes
    ----------
    vocabulary : Vocabulary
    order : int32 array
        Where each of these columns is in the rows; empty if it is there already.
    """

    vocabulary: Vocabulary
    order: Array


class Numbered(NamedTuple):
    """Terms of all blocks, and which columns each thread's numbers become.

    Attributes
    ----------
    counted : list of Counted
    renumberings : list of Renumbering
        One a thread.
    name : callable
        Makes the names of the columns.
    jobs : int
    once : bool
        Whether a document's term is numbered at its first occurrence alone.
    """

    counted: list[Counted]
    renumberings: list[Renumbering]
    name: Callable[[], Named]
    jobs: int
    once: bool


def number_terms(
    raw_documents: Iterable[Any],
    settings: TextSettings,
    column_settings: ColumnSettings,
    *,
    binary: bool,
    dtype: npt.DTypeLike,
    n_jobs: int | None,
    as_met: bool = False,
) -> Numbered:
    """Give numbers to the terms of documents, and choose the columns.

    Parameters
    ----------
    as_met : bool
        Whether columns of the same frequency may be in the order in which their terms are met, which is the same for
        every number of threads too. It is not taken where names decide which terms are columns (``max_features``).
    """
    settings.check()
    column_settings.check()
    as_met = as_met and column_settings.max_features is None
    # A user's tokens may have the names of what is joined to them: their repetitions are found when rows are sorted.
    once = as_met and binary and not settings.needs_python
    jobs = jobs_for(n_jobs, settings)
    tallies = [Tally() for _ in range(jobs)]
    workers = [(number, tallies[number], Scratch()) for number in range(jobs)]
    joined: list[int] = []

    def count(worker: tuple[int, Tally, Scratch], block: Block) -> Counted:
        number, tally, scratch = worker
        pieces = cut(block, settings, scratch)
        if pieces.joined is not None and len(pieces.joined.starts):
            joined.append(len(pieces.joined.starts))
        terms = tally.number_once(pieces, scratch) if once else tally.number(pieces)
        return Counted(number, Occurrences(*terms), tally.n_tokens, tally.n_pairs)

    documents = blocks_of(read_documents(raw_documents, settings), settings)
    counted = list(spread(count, documents, workers))
    workers.clear()
    if settings.conjunctions is not None and not joined:
        raise ValueError(f"No document has words to join: {settings.conjunctions.description}.")
    renumberings, name = _number_columns(counted, tallies, column_settings, binary=binary, dtype=dtype, as_met=as_met)
    return Numbered(counted, renumberings, name, jobs, once)


def _number_columns(
    counted: list[Counted],
    tallies: list[Tally],
    settings: ColumnSettings,
    *,
    binary: bool,
    dtype: npt.DTypeLike,
    as_met: bool,
) -> tuple[list[Renumbering], Callable[[], Named]]:
    """Merge the threads' tallies, which are used up; return each thread's columns, and what names them."""
    whole = tallies[0]
    others = tallies[:0:-1]
    tallies.clear()
    jobs = 1 + len(others)
    absorbed = []
    while others:
        # Whose tables are as large as the vocabulary, and go now.
        absorbed.append(whole.absorb(others.pop(), jobs, is_last=len(others) == 0))
    n_tokens = whole.n_tokens
    # Where each thread's terms are among all: pairs behind all tokens. The first thread's numbers are the tally's own.
    places = [np.arange(n_tokens + whole.n_pairs, dtype=np.int32)]
    places += [np.concatenate([tokens, pairs + np.int32(n_tokens)]) for tokens, pairs in absorbed]
    sizes = [n_tokens, *(len(tokens) for tokens, _ in absorbed)]
    absorbed.clear()
    frequency, n_documents = whole.document_frequency, int(whole.sizes[2])

    def choose(terms: Terms) -> Array:
        totals = lambda: _totals(counted, places, sizes, frequency, binary=binary, dtype=dtype)  # noqa: E731
        return chosen_terms(frequency, n_documents, settings, terms.in_alphabet, totals)

    if as_met:
        columns = columns_as_met(frequency, n_documents, settings, _met(counted, places, sizes))

        def name() -> Named:
            terms = Terms(whole)
            chosen = choose(terms)
            return Named(Vocabulary.from_bytes(*terms.names(chosen)), columns[chosen])
    else:
        terms = Terms(whole)
        chosen = choose(terms)
        columns = columns_of(chosen, len(frequency))

        def name() -> Named:
            return Named(Vocabulary.from_bytes(*terms.names(chosen)), np.empty(0, np.int32))

    n_columns = int(columns.max()) + 1
    renumbered = [columns, *(columns[places_of_thread] for places_of_thread in places[1:])]
    places.clear()
    return [Renumbering(*each, n_columns) for each in zip(renumbered, sizes, strict=True)], name


def _met(counted: list[Counted], places: list[Array], sizes: list[int]) -> Iterator[Array]:
    """Yield the places of terms, block after block, that each thread met first there.

    A term is yielded first for the first block that has it, whichever threads count it: to its thread it is new.
    """
    done = [(0, 0)] * len(places)
    for thread, _, n_tokens, n_pairs in counted:
        tokens_before, pairs_before = done[thread]
        yield places[thread][tokens_before:n_tokens]
        yield places[thread][sizes[thread] + pairs_before : sizes[thread] + n_pairs]
        done[thread] = n_tokens, n_pairs


def _totals(
    counted: list[Counted],
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
        for thread, terms, _, _ in counted:
            add_occurrences(terms.items, places[thread], sizes[thread], totals)
    return summed_type(totals, dtype)


def summed_type(totals: Array, dtype: npt.DTypeLike) -> Array:
    """Return sums of columns, of the type that scipy would give them.

    float32, our default, counts as CountVectorizer's default int64: equal terms then fall the same way.
    """
    if np.dtype(dtype) in (np.dtype(np.float32), np.dtype(bool)) or np.dtype(dtype).kind == "i":
        return totals
    return totals.astype(np.uint64 if np.dtype(dtype).kind == "u" else dtype)
