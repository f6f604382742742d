"""Tokens → term numbers, while the vocabulary is learnt; then the names and alphabetical order of terms."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._memory import ResizableArray, check_allocation, mmap_zeros, prefaulted_zeros
from textperceptron.text.tokenize import Scratch, TokenBlock, offsets_from_lengths
from textperceptron.text.vocabulary import Vocabulary, is_character_ngram

Array = npt.NDArray[Any]

MAX_TERMS = 2**31 - 2
FIRST_SLOTS = 1 << 12
_CHUNK = 1 << 16  # keys moved at a time
_NGRAMS = 8  # index in ``sizes``; the sizes that two threads change are in different cache lines
_DIGIT = 18  # most bits per pass of the radix sort of n-grams
# Random seeds of the hash, the second odd, drawn per process: no text can be constructed whose terms all collide.
# Columns follow the order of first appearance, so no result depends on the seeds.
_SEED = np.frombuffer(os.urandom(16), np.uint64) | np.array([0, 1], np.uint64)


class _HashTable:
    """Hash slots → term numbers, and a record of two words per number: its key and its document frequency."""

    def __init__(self) -> None:
        self.slots = np.zeros(FIRST_SLOTS, np.uint64)
        self._records = ResizableArray(2 * _capacity(self.slots), np.uint64)

    @property
    def records(self) -> Array:
        """A view of the records; release it before the table grows."""
        return self._records.array

    @property
    def capacity(self) -> int:
        """Number of terms that fit before the table has to grow."""
        return _capacity(self.slots)

    def write_frequencies(self, out: Array) -> None:
        """Write the document frequency of the first terms: the lower half of the second word."""
        np.copyto(out, self.records[1 : 2 * len(out) : 2], casting="unsafe")

    def grow(self) -> None:
        if self.capacity >= MAX_TERMS:
            raise ValueError(f"More than {MAX_TERMS:,} terms. Use HashedBagOfWords, or shorter n-grams.")
        # Small tables grow faster: moving slots is then a small part of the work.
        n_slots = len(self.slots) * (4 if len(self.slots) < 1 << 20 else 2)
        n_bytes = (len(self.slots) + 3 * n_slots) * self.slots.itemsize  # new slots, and records for most of them
        check_allocation(n_bytes, f"A vocabulary of more than {self.capacity:,} terms")
        larger = prefaulted_zeros(n_slots, np.uint64)
        _kernels.rehash(self.slots, larger)
        self.slots = larger
        self._records.grow(2 * self.capacity)

    def release_keys(self, n: int) -> Array:
        """Return the keys of the first ``n`` terms, and release everything else."""
        self.slots = np.empty(0, np.uint64)
        records = self.records
        for start in range(0, n, _CHUNK):
            stop = min(start + _CHUNK, n)
            records[start:stop] = records[2 * start : 2 * stop : 2]
        del records
        self._records.shrink(n)
        return self.records


class NumberedBlock:
    """A token block while its terms are numbered; the result is one item (term number) per occurrence.

    Creating and finishing a block needs no table, so several threads can do that for different blocks.

    Parameters
    ----------
    tokens : TokenBlock
    scratch : Scratch
        In use until the block is finished.
    unique : bool
        Keep only the first occurrence of each term in a document.
    """

    def __init__(self, tokens: TokenBlock, scratch: Scratch, *, unique: bool) -> None:
        self.tokens = tokens
        self.scratch = scratch
        self.name_starts = offsets_from_lengths(tokens.lengths + tokens.n_extra)
        # The row of a document: tokens, extra terms, and longer n-grams level by level.
        self.row_starts = tokens.term_offsets(min_n=1)
        n = int(self.row_starts[-1])
        self.items = scratch.get("items", n, np.int32)[:n]
        self.first = scratch.get("first", n, np.uint8) if unique else np.empty(0, np.uint8)
        self.keys = scratch.get("keys", len(tokens.starts), np.uint64)
        _kernels.token_keys(_SEED, tokens.text, tokens.starts, tokens.stops, self.keys)
        self.seen_tokens, self.seen_ngrams = np.zeros((2, len(tokens.lengths)), np.int32)

    def finish(self) -> tuple[Array, Array]:
        """Return the items, in the scratch, and the offsets of the documents."""
        tokens = self.tokens
        if len(self.first) == 0 and tokens.min_n == 1:
            return self.items, self.row_starts
        row_starts = np.empty_like(self.row_starts)
        _kernels.keep_terms(
            self.items, self.first, self.row_starts, tokens.lengths, tokens.n_extra, tokens.min_n, row_starts
        )
        return self.items[: row_starts[-1]], row_starts


class TermTable:
    """Terms seen so far: tokens by their bytes, longer n-grams as a shorter n-gram and a token.

    The tokens of a block are numbered first, then its longer n-grams. Both steps need the blocks in order, but not each
    other: two threads can do them for different blocks.
    """

    def __init__(self) -> None:
        self.sizes = np.zeros(2 * _NGRAMS, np.int64)
        self._n_documents = [0, 0]  # with numbered tokens, with numbered n-grams
        self._tokens, self._ngrams = _HashTable(), _HashTable()
        self._token_offsets = np.zeros(self._tokens.capacity + 1, np.int64)
        self._token_bytes = np.empty(1 << 15, np.uint8)

    def number_tokens(self, block: NumberedBlock) -> None:
        """Assign numbers to the tokens and extra terms of the next block."""
        tokens, table = block.tokens, self._tokens
        progress = np.zeros(3, np.int64)
        while full := _kernels.count_tokens(
            _SEED, block.keys, tokens.text, tokens.starts, tokens.stops, tokens.lengths, tokens.n_extra,
            block.name_starts, tokens.min_n == 1, block.row_starts, self._n_documents[0], table.slots, table.records,
            self._token_offsets, self._token_bytes, self.sizes, progress, block.items, block.first, block.seen_tokens,
        ):  # fmt: skip
            if full == 1:
                table.grow()
                self._token_offsets = _enlarged(self._token_offsets, table.capacity + 1)
            else:
                self._token_bytes = _enlarged(self._token_bytes, 2 * len(self._token_bytes))
        self._n_documents[0] += len(tokens.lengths)

    def number_ngrams(self, block: NumberedBlock) -> None:
        """Assign numbers to the longer n-grams of the next block, after its tokens."""
        tokens, table = block.tokens, self._ngrams
        progress = np.array([0, 2, 0], np.int64)
        while _kernels.count_ngrams(
            _SEED, tokens.lengths, tokens.n_extra, block.row_starts, tokens.min_n, tokens.max_n, self._n_documents[1],
            table.slots, table.records, self.sizes, progress, block.items, block.first, block.seen_ngrams,
        ):  # fmt: skip
            table.grow()
        self._n_documents[1] += len(tokens.lengths)

    def finish(self) -> tuple[Terms, Array]:
        """Return the terms and their document frequencies (0 for mere parts of n-grams); release the rest."""
        n_tokens, n_ngrams = int(self.sizes[0]), int(self.sizes[_NGRAMS])
        frequency = np.empty(n_tokens + n_ngrams, np.int32)
        self._tokens.write_frequencies(frequency[:n_tokens])
        self._ngrams.write_frequencies(frequency[n_tokens:])
        offsets = self._token_offsets[: n_tokens + 1]
        slots = self._ngrams.slots
        return Terms(offsets, self._token_bytes[: offsets[-1]], self._ngrams.release_keys(n_ngrams), slots), frequency


class Terms:
    """All terms of a corpus by number: tokens first, then longer n-grams.

    Parameters
    ----------
    token_offsets, token_bytes : arrays
        The tokens, concatenated.
    ngram_keys : uint64 array
        ``item of all but the last token << 32 | last token``; an item is a token's number, or that of a longer n-gram
        with the top bit set.
    spare : uint64 array
        Memory that the first vocabulary may reuse.
    """

    def __init__(self, token_offsets: Array, token_bytes: Array, ngram_keys: Array, spare: Array) -> None:
        self.n_tokens = len(token_offsets) - 1
        self._offsets, self._bytes, self._keys = token_offsets, token_bytes, ngram_keys
        self._spare = [spare]

    def __len__(self) -> int:
        return self.n_tokens + len(self._keys)

    def vocabulary(self, terms: Array) -> Vocabulary:
        """Return the vocabulary of some terms, in their order."""
        return Vocabulary.from_bytes(*self.names(terms), self._spare.pop() if self._spare else None)

    def names(self, terms: Array) -> tuple[Array, Array]:
        """Return the names of some terms: their offsets, and the names concatenated."""
        offsets = np.empty(len(terms) + 1, np.int64)
        _kernels.name_offsets(terms, self._keys, self._offsets, offsets)
        arena = np.empty(offsets[-1], np.uint8)
        _kernels.write_names(terms, self._keys, self._offsets, self._bytes, offsets, arena)
        return offsets, arena

    def are_characters(self) -> Array:
        """Return a mask of the terms that are n-grams of characters."""
        mask = np.zeros(len(self), bool)
        mask[: self.n_tokens] = is_character_ngram(self._offsets, self._bytes)
        return mask

    def in_alphabet(self, kept: Array) -> Array:
        """Return the terms of a mask, ordered by name (by code points, as in Python)."""
        if len(self._keys) == 0:
            return sorted_by_name(self._offsets, self._bytes, masked(kept))
        if self._names_sort_like_tokens():
            return self._in_alphabet_by_tokens(kept)
        terms = masked(kept)
        offsets, arena = self.names(terms)
        return terms[sorted_by_name(offsets, arena, np.arange(len(terms), dtype=np.int32))]

    def _names_sort_like_tokens(self) -> bool:
        """Whether no token has a byte up to the space, which joins tokens, after its first byte.

        "a b" sorts before "ac", and so does "a"; but it sorts after "a" followed by a tab.
        """
        starts = self._offsets[:-1]
        if np.any(self._offsets[1:] == starts):
            return False
        further = self._bytes.copy()
        further[starts] = 0xFF
        return int(further.min(initial=0xFF)) > 0x20

    def _in_alphabet_by_tokens(self, kept: Array) -> Array:
        """Order n-grams by the ranks of their tokens: a term sorts right before those that start with it.

        Level by level, a longer n-gram sorts by the position of all but its last token, then by its last.
        """
        n = self.n_tokens
        order = sorted_by_name(self._offsets, self._bytes, np.arange(n, dtype=np.int32))
        rank = np.empty(n, np.int32)
        rank[order] = np.arange(n, dtype=np.int32)
        levels = self._levels()
        longest = int(levels.max(initial=2))
        position = rank if longest == 2 else np.concatenate([rank, np.empty(len(levels), np.int32)])
        for level in range(2, longest + 1):
            # No term starts with one of the longest: of these, only the kept ones need a position.
            wanted = kept if level == longest else np.ones(len(kept), bool)
            order = self._sort(self._up_to_level(level, levels, wanted), levels, level, position, rank)
            if level < longest:
                position[order] = np.arange(len(order), dtype=np.int32)
        return order

    def _up_to_level(self, level: int, levels: Array, wanted: Array) -> Array:
        if len(levels) and int(levels.max()) > level:
            wanted = wanted & np.concatenate([np.ones(self.n_tokens, bool), levels <= level])
        return np.arange(len(wanted), dtype=np.int32) if wanted.all() else masked(wanted)

    def _sort(self, ascending: Array, levels: Array, level: int, position: Array, rank: Array) -> Array:
        """Sort terms by name: first by the last token, then stably by all before it."""
        terms, ordered, spare = ascending, np.empty_like(ascending), np.empty_like(ascending)
        several = levels if int(levels.max(initial=2)) > 2 else levels[:0]
        for by_beginning, values in ((False, len(rank) + 1), (True, len(position))):
            bits = values.bit_length()
            digit = -(-bits // -(-bits // _DIGIT))
            counts = np.empty(1 << digit, np.int32)
            for shift in range(0, bits, digit):
                _kernels.sort_ngrams(
                    terms, ascending, self._keys, several, level, position, rank, by_beginning, shift, counts, ordered
                )
                terms, ordered, spare = ordered, spare, ordered
        return terms

    def _levels(self) -> Array:
        """Return the number of tokens per n-gram; an empty array if all have two."""
        if len(self._keys) == 0 or int(self._keys.max()) >> 63 == 0:
            return np.empty(0, np.int32)
        levels = np.empty(len(self._keys), np.int32)
        _kernels.ngram_lengths(self._keys, levels)
        return levels


def masked(kept: Array) -> Array:
    """Return the numbers of the terms of a mask."""
    return np.flatnonzero(kept).astype(np.int32)


def sorted_by_name(offsets: Array, arena: Array, terms: Array) -> Array:
    """Sort terms, given as indices of names in an arena, by name."""
    terms = np.array(terms, np.int32)
    keys, spare_keys = (mmap_zeros(len(terms), np.uint64) for _ in range(2))
    _kernels.sort_names(offsets, arena, terms, keys, spare_keys, mmap_zeros(len(terms), np.int32))
    return terms


def _capacity(slots: Array) -> int:
    return min(len(slots) * 7 // 10, MAX_TERMS)


def _enlarged(array: Array, size: int) -> Array:
    larger = np.empty(size, array.dtype)
    larger[: len(array)] = array
    return larger
