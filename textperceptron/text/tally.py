"""Tokens → term numbers, while the vocabulary is being learnt."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import count_grams, count_tokens, keep_terms, regrow, token_keys
from textperceptron._memory import ResizableArray, check_allocation, mmap_zeros, prefaulted_zeros
from textperceptron.text.pieces import Pieces, Scratch, starts_of

Array = npt.NDArray[Any]

MOST_TERMS = 2**31 - 2
FIRST_SLOTS = 1 << 12
_MOVED = 1 << 16  # keys that are moved at a time
# A term's number needs 31 bits: the 32nd says whether it is a token or an n-gram of several.
PAIR = np.int32(-(2**31))
_APART = 8  # the two numbers that two threads count are in different cache lines
# Secret numbers of the counting hash, the second odd. They are drawn per process, so that no text can be
# made up whose terms share one slot; columns follow the order of appearance, so no result depends on it.
_SEED = np.frombuffer(os.urandom(16), np.uint64) | np.array([0, 1], np.uint64)


class _Table:
    """Slots that find numbers, and a record of two words a number: its key, and in how many documents it is."""

    def __init__(self) -> None:
        self.slots = np.zeros(FIRST_SLOTS, np.uint64)
        self._records = ResizableArray(2 * _load(self.slots), np.uint64)

    @property
    def records(self) -> Array:
        """All records, those without a number behind the others; not to be held while the table grows."""
        return self._records.array

    @property
    def room(self) -> int:
        """How many numbers there is room for."""
        return _load(self.slots)

    def write_frequencies(self, out: Array) -> None:
        """Write in how many documents each of the first terms is, the lower half of the second word."""
        np.copyto(out, self.records[1 : 2 * len(out) : 2], casting="unsafe")

    def grow(self) -> None:
        """Make room for more."""
        if self.room >= MOST_TERMS:
            raise ValueError(f"More than {MOST_TERMS:,} terms. Use HashedBagOfWords, or shorter n-grams.")
        # Small tables grow faster: moving slots is then a small part of the work.
        n_slots = len(self.slots) * (4 if len(self.slots) < 1 << 20 else 2)
        n_bytes = (len(self.slots) + 3 * n_slots) * self.slots.itemsize  # new slots, and records for most of them
        check_allocation(n_bytes, f"A vocabulary of more than {self.room:,} terms")
        larger = prefaulted_zeros(n_slots, np.uint64)
        regrow(self.slots, larger)
        self.slots = larger
        self._records.grow(2 * self.room)

    def release_keys(self, n: int) -> Array:
        """Return the keys of the first ``n`` terms, and give up everything else."""
        self.slots = np.empty(0, np.uint64)
        records = self.records
        for start in range(0, n, _MOVED):
            stop = min(start + _MOVED, n)
            records[start:stop] = records[2 * start : 2 * stop : 2]
        del records
        self._records.shrink(n)
        return self.records


class Draft:
    """A block of documents on its way from tokens to numbers of terms.

    Making it and finishing it need no tally, so that several threads can do that for different blocks.

    Parameters
    ----------
    pieces : Pieces
    scratch : Scratch
        It is in use until the draft is finished.
    once : bool
        Whether only the first occurrence of each term in a document is wanted. What is joined to the pieces must then
        have other names than they.
    """

    def __init__(self, pieces: Pieces, scratch: Scratch, *, once: bool) -> None:
        self.scratch = scratch
        self.parts = list(pieces.chain())
        self.n_pairs = pieces.n_pairs
        self.lengths, self.min_n, self.max_n = pieces.lengths, pieces.min_n, pieces.max_n
        # In the row of a document: its tokens, longer n-grams level by level, and what is joined to them.
        rows = [part._replace(min_n=1).row_starts() for part in self.parts]
        self.starts = np.sum(rows, axis=0) if len(rows) > 1 else rows[0]
        self.begins = [self.starts[:-1]]
        for row_starts in rows[:-1]:
            self.begins.append(self.begins[-1] + np.diff(row_starts))
        n = int(self.starts[-1])
        self.in_scratch = once or self.min_n > 1
        self.ids = scratch.get("ids", n, np.int32) if self.in_scratch else mmap_zeros(n, np.int32)
        self.first = scratch.get("first", n, np.uint8) if once else np.empty(0, np.uint8)
        self.keys = []
        for number, part in enumerate(self.parts):
            self.keys.append(scratch.get(f"keys {number}", len(part.starts), np.uint64))
            token_keys(_SEED, part.text, part.starts, part.stops, self.keys[-1])

    def finish(self) -> tuple[Array, Array]:
        """Return the numbers of the terms that are wanted, and where those of each document begin.

        Unless all are wanted, the numbers are in the scratch.
        """
        if not self.in_scratch:
            return self.ids, self.starts
        row_starts = np.empty_like(self.starts)
        keep_terms(self.ids, self.first, self.starts, self.lengths, self.min_n, row_starts)
        return self.ids[: row_starts[-1]], row_starts


class Tally:
    """Terms seen so far: tokens by their bytes, longer n-grams as pairs of a shorter one and a token.

    A draft gets numbers for its tokens first, and then for its longer n-grams. Both need the drafts in order, but not
    each other: two threads can do them for different drafts.
    """

    def __init__(self) -> None:
        self.sizes = np.zeros(2 * _APART, np.int64)  # tokens, pairs
        self.n_documents = 0
        self._n_documents_of_pairs = 0
        self._tokens, self._pairs = _Table(), _Table()
        self._token_offsets = np.zeros(self._tokens.room + 1, np.int64)
        self._token_bytes = np.empty(1 << 15, np.uint8)

    @property
    def n_tokens(self) -> int:
        """How many tokens have a number."""
        return int(self.sizes[0])

    @property
    def n_pairs(self) -> int:
        """How many longer n-grams have a number."""
        return int(self.sizes[_APART])

    @property
    def token_offsets(self) -> Array:
        """Where each token begins in :attr:`token_bytes`."""
        return self._token_offsets[: self.n_tokens + 1]

    @property
    def token_bytes(self) -> Array:
        """The tokens, one after the other."""
        return self._token_bytes[: self._token_offsets[self.n_tokens]]

    @property
    def document_frequency(self) -> Array:
        """In how many documents each term is, tokens first; 0 for n-grams that are only parts of others."""
        frequency = np.empty(self.n_tokens + self.n_pairs, np.int32)
        self._tokens.write_frequencies(frequency[: self.n_tokens])
        self._pairs.write_frequencies(frequency[self.n_tokens :])
        return frequency

    def number_tokens(self, draft: Draft) -> None:
        """Give numbers to the tokens of the next draft, and to what is joined to them."""
        for part, keys, begins in zip(draft.parts, draft.keys, draft.begins, strict=True):
            progress = np.zeros(3, np.int64)
            token_starts = starts_of(part.lengths)
            while full := count_tokens(
                _SEED, keys, part.text, part.starts, part.stops, part.lengths, token_starts, begins, part.min_n == 1,
                self.n_documents, self._tokens.slots, self._tokens.records, self._token_offsets, self._token_bytes,
                self.sizes, progress, draft.ids, draft.first,
            ):  # fmt: skip
                self._grow(full)
        self.n_documents += len(draft.lengths)

    def number_grams(self, draft: Draft) -> None:
        """Give numbers to the longer n-grams of the next draft, whose tokens have theirs."""
        progress = np.array([0, 2, 0], np.int64)
        while full := count_grams(
            _SEED, draft.lengths, draft.starts, draft.min_n, draft.max_n, self._n_documents_of_pairs,
            self._pairs.slots, self._pairs.records, self.sizes, progress, draft.ids, draft.first,
        ):  # fmt: skip
            self._grow(full)
        self._n_documents_of_pairs += len(draft.lengths)

    def _grow(self, full: int) -> None:
        if full == 1:
            self._tokens.grow()
            self._token_offsets = _longer(self._token_offsets, self._tokens.room + 1)
        elif full == 2:
            self._token_bytes = _longer(self._token_bytes, 2 * len(self._token_bytes))
        else:
            self._pairs.grow()

    def release_pairs(self) -> tuple[Array, Array]:
        """Return the keys of all pairs, ``prefix << 32 | token``, and the memory of all else that was known of them."""
        slots = self._pairs.slots
        return self._pairs.release_keys(self.n_pairs), slots


def _load(slots: Array) -> int:
    """How many terms a table takes before it should grow."""
    return min(len(slots) * 7 // 10, MOST_TERMS)


def _longer(array: Array, size: int) -> Array:
    longer = np.empty(size, array.dtype)
    longer[: len(array)] = array
    return longer
