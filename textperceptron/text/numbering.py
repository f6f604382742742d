"""Text → numbered terms and the columns that they become; rows and names are made of them afterwards."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import add_occurrences
from textperceptron._memory import AppendBuffer
from textperceptron._parallel import ordered_map, prefetch_map
from textperceptron.text.columns import ColumnSettings, Terms, chosen_terms, columns_as_met, columns_of
from textperceptron.text.documents import read_documents
from textperceptron.text.pieces import Block, Scratch, blocks_of, cut, starts_of
from textperceptron.text.rows import Occurrences, Renumbering
from textperceptron.text.settings import TextSettings
from textperceptron.text.tally import Draft, Tally
from textperceptron.text.vocabulary import Vocabulary
from textperceptron.text.workers import jobs_for

Array = npt.NDArray[Any]


class Numbered(NamedTuple):
    """The terms of all blocks by number, and which columns these become.

    Attributes
    ----------
    counted : list of Occurrences
        Of one block after the other; all in one if ``once``.
    renumbering : Renumbering
    name : callable
        Makes the names of the columns.
    jobs : int
    once : bool
        Whether a document's term is numbered at its first occurrence alone.
    n_shared : int
        Columns that are in more than one document, if these come first; else all.
    """

    counted: list[Occurrences]
    renumbering: Renumbering
    name: Callable[[], Vocabulary]
    jobs: int
    once: bool
    n_shared: int


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
        Whether columns of the same frequency may be in the order in which their terms are met. It is not taken where
        names decide which terms are columns, or where these are (``max_features``, ``order``).
    """
    settings.check()
    column_settings.check()
    as_met = as_met and takes_as_met(column_settings)
    once = as_met and binary
    jobs = jobs_for(n_jobs, settings)
    tally = Tally()
    counted, n_pairs = _count(raw_documents, settings, tally, jobs, once=once)
    if settings.conjunctions is not None and not n_pairs:
        raise ValueError(f"No document has words to join: {settings.conjunctions.description}.")
    columns, n_shared, name = _columns(counted, tally, column_settings, binary=binary, dtype=dtype, as_met=as_met)
    n_columns = int(columns.max()) + 1
    renumbering = Renumbering(columns, tally.n_tokens, n_columns)
    return Numbered(counted, renumbering, name, jobs, once, n_columns if n_shared is None else n_shared)


def _count(
    raw_documents: Iterable[Any], settings: TextSettings, tally: Tally, jobs: int, *, once: bool
) -> tuple[list[Occurrences], int]:
    """Give numbers to all terms; return them, and how many are pairs of words.

    Numbers follow the order of the documents, so each of the two tables is one thread's. But while that of longer
    n-grams is used by this thread, another can number the tokens of later blocks, and others can cut them.
    """
    spare: list[Scratch] = []
    n_pairs = 0

    def draft(block: Block) -> Draft:
        try:
            scratch = spare.pop()
        except IndexError:  # asking before would not do: another thread may take the last one in between
            scratch = Scratch()
        return Draft(cut(block, settings, scratch), scratch, once=once)

    def with_tokens(draft: Draft) -> Draft:
        tally.number_tokens(draft)
        return draft

    blocks = blocks_of(read_documents(raw_documents, settings), settings)
    if jobs == 1:
        drafts: Iterable[Draft] = (with_tokens(draft(block)) for block in blocks)
    elif jobs == 2:
        drafts = prefetch_map(draft, with_tokens, blocks)
    else:
        cut_ones = ordered_map(lambda _, block: draft(block), blocks, [None] * (jobs - 2), depth=jobs)
        drafts = ordered_map(lambda _, each: with_tokens(each), cut_ones, [None], depth=4)
    blocks_of_terms, all_terms, sizes = [], AppendBuffer(np.int32), [np.empty(0, np.int64)]
    for each in drafts:
        tally.number_grams(each)
        terms, row_starts = each.finish()
        if once:
            all_terms.append(terms)
            sizes.append(np.diff(row_starts))
        else:
            blocks_of_terms.append(Occurrences(terms.copy() if each.in_scratch else terms, row_starts))
        n_pairs += each.n_pairs
        spare.append(each.scratch)
    if once:
        blocks_of_terms.append(Occurrences(all_terms.finish(), starts_of(np.concatenate(sizes))))
    return blocks_of_terms, n_pairs


def _columns(
    counted: list[Occurrences],
    tally: Tally,
    settings: ColumnSettings,
    *,
    binary: bool,
    dtype: npt.DTypeLike,
    as_met: bool,
) -> tuple[Array, int | None, Callable[[], Vocabulary]]:
    """Return the column of each term, or -1, how many of them are shared, and what names the columns."""
    frequency, n_tokens = tally.document_frequency, tally.n_tokens
    if as_met:
        columns, places, n_shared = columns_as_met(frequency, tally.n_documents, settings)
        return columns, n_shared, lambda: Terms(tally).vocabulary(places)
    terms = Terms(tally)
    totals = partial(_totals, counted, n_tokens, frequency, binary=binary, dtype=dtype)
    chosen = chosen_terms(frequency, tally.n_documents, settings, terms.in_alphabet, totals)
    return columns_of(chosen, len(frequency)), None, lambda: terms.vocabulary(chosen)


def takes_as_met(settings: ColumnSettings) -> bool:
    """Whether columns can be numbered without their names."""
    return settings.order == "frequency" and settings.max_features is None


def _totals(
    counted: list[Occurrences], n_tokens: int, frequency: Array, *, binary: bool, dtype: npt.DTypeLike
) -> Array:
    """Return the sum of each term's column."""
    if binary:
        totals = frequency.astype(np.int64)
    else:
        totals = np.zeros(len(frequency), np.int64)
        for block in counted:
            add_occurrences(block.items, n_tokens, totals)
    return summed_type(totals, dtype)


def summed_type(totals: Array, dtype: npt.DTypeLike) -> Array:
    """Return sums of columns, of the type that scipy would give them.

    float32, our default, counts as CountVectorizer's default int64: equal terms then fall the same way.
    """
    if np.dtype(dtype) in (np.dtype(np.float32), np.dtype(bool)) or np.dtype(dtype).kind == "i":
        return totals
    return totals.astype(np.uint64 if np.dtype(dtype).kind == "u" else dtype)
