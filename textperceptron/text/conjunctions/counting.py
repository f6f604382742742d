"""Rows of words → their pairs and triples, with document frequencies."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import count_pairs
from textperceptron._parallel import balanced_chunks, ordered_map
from textperceptron.text.conjunctions.top_k import Found, TopK
from textperceptron.text.conjunctions.word_rows import WordRows
from textperceptron.text.tokenize import Scratch

Array = npt.NDArray[Any]

BLOCK = 1 << 23  # pairs counted before the strongest are chosen: 128 MB if all are distinct
CAPACITY = 1 << 18  # pairs per call of the kernel, besides those of one word; 64 at least
MAX_TRIPLES = 10**10  # in all rows together: about a minute


@dataclass(frozen=True, slots=True)
class RowClasses:
    """Classes of rows, for log-likelihood ratios; without labels, a single class and no table.

    G² of a conjunction is twice the sum of ``O·log(O/E)`` over the table of present or absent × class. With a
    table of ``x·log x``, this needs neither logarithms nor divisions.
    """

    codes: Array
    sizes: Array
    xlogx: Array
    of_sizes: float

    @classmethod
    def none(cls, n_rows: int) -> RowClasses:
        """Return one class for all rows."""
        return cls(np.zeros(n_rows, np.int32), np.array([n_rows], np.int64), np.empty(0), 0.0)

    @classmethod
    def of(cls, codes: Array) -> RowClasses:
        """Return the classes of rows, given as class codes."""
        sizes = np.bincount(codes).astype(np.int64)
        x = np.arange(len(codes) + 1, dtype=np.float64)
        xlogx = x * np.log(np.maximum(x, 1))
        return cls(codes.astype(np.int32), sizes, xlogx, float(xlogx[-1] - xlogx[sizes].sum()))

    def take(self, rows: Array) -> RowClasses:
        """Return the classes of some rows, with the class sizes of all rows."""
        return replace(self, codes=self.codes[rows])


class PairCounter:
    """Counts pairs of words in rows, by first word."""

    def __init__(self, rows: WordRows, classes: RowClasses, top: TopK) -> None:
        self._rows = rows
        self._classes = classes
        self._top = top
        self._starts, self._by_word = rows.by_word()

    def count(self, scratch: Scratch, first: int, last: int) -> Iterator[tuple[int, Found]]:
        """Yield the pairs with a first word from ``first`` to ``last - 1``, and the word before which they end."""
        rows, classes, chosen = self._rows, self._classes, self._top
        width = -(-rows.n_words // 64) * 64
        counter = np.uint16 if rows.n_rows <= np.iinfo(np.uint16).max else np.int32
        capacity = rows.n_words + CAPACITY
        partners, frequency = (scratch.get(name, capacity, np.int32) for name in ("partners", "frequency"))
        scores = scratch.get("scores", capacity if len(classes.xlogx) else 0, np.float64)
        n_partners = scratch.get("n_partners", rows.n_words, np.int64)
        while first < last:
            word, n = count_pairs(
                rows.words, rows.indptr, self._starts, self._by_word,
                classes.codes, classes.sizes, classes.xlogx, classes.of_sizes,
                first, last, chosen.low, chosen.high, chosen.above,
                scratch.get("cursor", rows.n_rows, np.int64),
                scratch.filled("counts", width * len(classes.sizes), counter),
                scratch.filled("touched", width // 64, np.uint8),
                partners, frequency, scores, n_partners,
            )  # fmt: skip
            words = np.empty((2, n), np.int32)
            words[0] = np.repeat(np.arange(first, word, dtype=np.int32), n_partners[first:word])
            words[1] = partners[:n]
            yield word, Found(words, frequency[:n].copy(), scores[:n].copy())
            first = word


def find_pairs(rows: WordRows, n_first: int, classes: RowClasses, top: TopK, jobs: int) -> None:
    """Add all pairs with a first word below ``n_first``, in order."""
    counter = PairCounter(rows, classes, top)
    mine = rows.words < n_first
    work = np.bincount(rows.words[mine], rows.tail_lengths()[mine], minlength=n_first)
    done = np.cumsum(work) / max(1, work.sum())

    def count(scratch: Scratch, chunk: tuple[int, int]) -> list[tuple[int, Found]]:
        return list(counter.count(scratch, *chunk))

    for pairs in ordered_map(count, balanced_chunks(work, BLOCK, jobs), [Scratch() for _ in range(jobs)]):
        for end, found in pairs:
            top.add(found, done=done[end - 1])


def find_triples(rows: WordRows, n_first: int, classes: RowClasses, top: TopK, jobs: int) -> None:
    """Add all triples with a first word below ``n_first``, in order.

    The triples of a word are the pairs of words after it.

    Raises
    ------
    ValueError
        If there are too many to count in reasonable time.
    """
    tails = rows.tail_lengths()[rows.words < n_first].astype(np.float64)
    n_triples = float((tails * (tails - 1) / 2).sum())
    if n_triples > MAX_TRIPLES:
        raise ValueError(
            f"degree=3: the rows have about {n_triples:.2g} triples of {rows.n_words:,} words, which would take "
            f"too long to count (the limit is {MAX_TRIPLES:.0e}). Use a larger min_df, pivots, or max_features of "
            "the vectoriser."
        )
    starts, by_word = rows.by_word()
    entries = np.argsort(rows.words, kind="stable")

    def count(scratch: Scratch, word: int) -> tuple[int, list[Found]]:
        mine = slice(starts[word], starts[word + 1])
        behind = rows.tails(by_word[mine], entries[mine], top.low)
        counter = PairCounter(behind, classes.take(by_word[mine]), top)
        pairs = [found for _, found in counter.count(scratch, word + 1, rows.n_words)]
        return word, [replace(found, words=_with_first(word, found.words)) for found in pairs]

    for word, triples in ordered_map(count, range(n_first), [Scratch() for _ in range(jobs)]):
        for found in triples:
            top.add(found, done=(word + 1) / n_first)


def _with_first(word: int, pairs: Array) -> Array:
    return np.vstack([np.full((1, pairs.shape[1]), word, np.int32), pairs])
