"""Tokens → term numbers, while the vocabulary is being learnt: the tables of one thread."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron._kernels import append_pairs, count_terms, find_pairs, insert_pairs, keep_first, regrow
from textperceptron.memory import EnlargeableArray, passing_array, zero_table
from textperceptron.text.pieces import Pieces, Scratch, starts_of
from textperceptron.workers import even_parts, spread

Array = npt.NDArray[Any]

MOST_TERMS = 2**31 - 2
FIRST_SLOTS = 1 << 12
_MOVED = 1 << 16  # keys that are moved at a time
# A term's number needs 31 bits: the 32nd says whether it is a token or an n-gram of several.
PAIR = np.int32(-(2**31))
_NOT_WANTED = np.empty(0, np.uint8)


class _Table:
    """Slots that find numbers, and a record of two words a number: its key, and in how many documents it is."""

    def __init__(self) -> None:
        self.slots = np.zeros(FIRST_SLOTS, np.uint64)
        self._records = EnlargeableArray(2 * _load(self.slots), np.uint64)

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
            raise self._too_many()
        # Small tables grow faster: moving slots is then a small part of the work.
        larger = zero_table(len(self.slots) * (4 if len(self.slots) < 1 << 20 else 2), np.uint64)
        regrow(self.slots, larger)
        self.slots = larger
        self._records.enlarge(2 * self.room)

    def make_room(self, n: int, *, with_slots: bool) -> None:
        """Make room for ``n`` records; ``with_slots``, for finding them too."""
        while with_slots and self.room < n:
            self.grow()
        if n > MOST_TERMS:
            raise self._too_many()
        if 2 * n > len(self.records):
            self._records.enlarge(2 * n)

    @staticmethod
    def _too_many() -> ValueError:
        return ValueError(f"More than {MOST_TERMS:,} terms. Use HashedBagOfWords, or shorter n-grams.")

    def give_up_slots(self) -> None:
        """Give up what finds numbers; the records stay."""
        self.slots = np.empty(0, np.uint64)

    def release_keys(self, n: int) -> Array:
        """Return the keys of the first ``n`` terms, and give up everything else."""
        self.give_up_slots()
        records = self.records
        for start in range(0, n, _MOVED):
            stop = min(start + _MOVED, n)
            records[start:stop] = records[2 * start : 2 * stop : 2]
        del records
        self._records.shorten(n)
        return self.records


class Tally:
    """Terms seen so far: tokens by their bytes, longer n-grams as pairs of a shorter one and a token."""

    def __init__(self) -> None:
        self.sizes = np.zeros(3, np.int64)  # tokens, pairs, documents
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
        return int(self.sizes[1])

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

    def number(self, pieces: Pieces) -> tuple[Array, Array]:
        """Return the number of every term of a block, and where those of each document begin."""
        sizes = _sizes(pieces)
        row_starts = starts_of(np.sum(sizes, axis=0))
        items = passing_array(_room(pieces, row_starts), np.int32)
        self._add_all(pieces, sizes, row_starts, items, _NOT_WANTED)
        return items[: row_starts[-1]], row_starts

    def number_once(self, pieces: Pieces, scratch: Scratch) -> tuple[Array, Array]:
        """Do the same for the first occurrence of each term in each document, and leave the others out.

        What is joined to the pieces must have other names than they.
        """
        sizes = _sizes(pieces)
        row_starts = starts_of(np.sum(sizes, axis=0))
        room = _room(pieces, row_starts)
        items, first = scratch.get("items", room, np.int32), scratch.get("first", room, np.uint8)
        self._add_all(pieces, sizes, row_starts, items, first)
        keep_first(items, first, row_starts)
        kept = passing_array(int(row_starts[-1]), np.int32)
        kept[:] = items[: row_starts[-1]]
        return kept, row_starts

    def _add_all(self, pieces: Pieces, sizes: list[Array], row_starts: Array, items: Array, first: Array) -> None:
        """Give numbers to pieces and all that is joined to them; those of a document come one behind the other."""
        begins = row_starts[:-1]
        self.add(pieces, row_starts, items, first)
        for part, before in zip(list(pieces.chain())[1:], sizes, strict=False):
            begins = begins + before
            self.sizes[2] -= len(pieces.lengths)  # the same documents
            self.add(part, np.append(begins, row_starts[-1]), items, first)

    def add(self, pieces: Pieces, row_starts: Array, ids: Array, first: Array) -> None:
        """Write the number of every n-gram of a block to ``ids``, those of each document from its start on."""
        progress = np.array([0, 1, 0], np.int64)
        token_starts = np.concatenate([[0], np.cumsum(pieces.lengths, dtype=np.int64)])
        while full := count_terms(
            pieces.text, pieces.starts, pieces.stops, pieces.lengths, token_starts, row_starts,
            pieces.min_n, pieces.max_n, self._tokens.slots, self._tokens.records, self._token_offsets,
            self._token_bytes, self._pairs.slots, self._pairs.records, self.sizes, progress, ids, first,
        ):  # fmt: skip
            self._grow(full)

    def _grow(self, full: int) -> None:
        if full == 1:
            self._tokens.grow()
            self._token_offsets = _longer(self._token_offsets, self._tokens.room + 1)
        elif full == 2:
            self._token_bytes = _longer(self._token_bytes, 2 * len(self._token_bytes))
        else:
            self._pairs.grow()

    def release_pairs(self) -> Array:
        """Return the keys of all pairs, ``prefix << 32 | token``, and give up all else that is known of them."""
        return self._pairs.release_keys(self.n_pairs)

    def absorb(self, other: Tally, jobs: int, *, is_last: bool) -> tuple[Array, Array]:
        """Add another thread's terms; return the numbers that its tokens and pairs have in this tally.

        If it is the last, this tally will not be asked for pairs any more.
        """
        # Its tokens, taken as one document, get their numbers like any document's tokens.
        offsets = other.token_offsets
        text = np.concatenate([other.token_bytes, np.zeros(16, np.uint8)])
        if len(text) > np.iinfo(np.int32).max:
            raise ValueError("The vocabulary takes more than 2 GB. Use min_df, or HashedBagOfWords.")
        starts, stops = offsets[:-1].astype(np.int32), offsets[1:].astype(np.int32)
        lengths = np.array([other.n_tokens], np.int32)
        tokens = np.empty(other.n_tokens + 1, np.int32)
        pieces = Pieces(text, starts, stops, lengths, 1, 1)
        n_documents = self.sizes[2]
        self.add(pieces, pieces.row_starts(), tokens, _NOT_WANTED)
        self.sizes[2] = n_documents + other.sizes[2]
        tokens = tokens[:-1]
        marks = self._tokens.records[1::2]
        frequencies = np.empty(other.n_tokens, np.int32)
        other._tokens.write_frequencies(frequencies)
        marks[tokens] += frequencies.astype(np.uint64)
        marks[tokens] -= np.uint64(1)  # that document
        other._pairs.give_up_slots()
        return tokens, self._absorb_pairs(other, tokens, jobs, is_last=is_last)

    def _absorb_pairs(self, other: Tally, tokens: Array, jobs: int, *, is_last: bool) -> Array:
        pairs = other._pairs.records[: 2 * other.n_pairs]
        numbers = np.empty(other.n_pairs, np.int32)
        slots, records = self._pairs.slots, self._pairs.records

        def find(_: None, part: tuple[int, int]) -> None:
            find_pairs(pairs, tokens, *part, slots, records, numbers)

        # Longer n-grams wait for the pairs that they begin with.
        of_two = not len(pairs) or int(pairs[::2].max()) >> 63 == 0
        parts = even_parts(np.broadcast_to(1, other.n_pairs), other.n_pairs, jobs if of_two else 1)
        for _ in spread(find, parts, [None] * jobs):
            pass
        del records
        n_before = self.n_pairs
        n_after = n_before + int(np.count_nonzero(numbers < 0))
        self._pairs.make_room(n_after, with_slots=not is_last)
        append_pairs(pairs, tokens, self._pairs.records, self.sizes, numbers)
        if not is_last:
            insert_pairs(self._pairs.records, n_before, n_after, self._pairs.slots)
        return numbers


def _sizes(pieces: Pieces) -> list[Array]:
    """Return how many terms each document has, for the pieces and for each that is joined to them."""
    return [np.diff(part.row_starts()) for part in pieces.chain()]


def _room(pieces: Pieces, row_starts: Array) -> int:
    """How many numbers are written for a block, those that are not kept included."""
    return int(row_starts[-1]) + _shorter_grams(pieces.lengths, pieces.min_n)


def _shorter_grams(lengths: Array, min_n: int) -> int:
    """How many n-grams below ``min_n`` the longest document has."""
    longest = int(lengths.max(initial=0))
    return sum(max(0, longest - n + 1) for n in range(1, min_n))


def _load(slots: Array) -> int:
    """How many terms a table takes before it should grow."""
    return min(len(slots) * 7 // 10, MOST_TERMS)


def _longer(array: Array, size: int) -> Array:
    longer = np.empty(size, array.dtype)
    longer[: len(array)] = array
    return longer
