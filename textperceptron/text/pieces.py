"""Lists of str → blocks of UTF-8 tokens, in compiled code or by a user's function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._memory import mmap_zeros
from textperceptron.text.conjunctions.windows import join_tokens, joined_names
from textperceptron.text.prefixes import prefix_names, prefixes_of
from textperceptron.text.settings import TextSettings
from textperceptron.text.vocabulary import pack

Array = npt.NDArray[Any]

# Characters that are cut and counted together: their tokens stay in the second-level cache.
BLOCK = 1 << 18
HEAP = 1 << 17  # bytes from which on an array gets memory of its own: heaps of threads keep what was freed to them
SLACK = 256  # kernels write and read a little behind the end


class Block(NamedTuple):
    """Documents ``texts[start:stop]`` and how much room their tokens can take."""

    texts: list[str]
    start: int
    stop: int
    n_characters: int
    n_bytes: int
    largest: int


class Pieces(NamedTuple):
    """Tokens of a block: token i is ``text[starts[i]:stops[i]]``, document d has ``lengths[d]`` of them.

    N-grams of ``min_n`` to ``max_n`` tokens are the terms, each a slice of ``text``. ``joined`` has further terms of
    the same documents, pairs of words or prefixes, whose names no token has, and may itself have further ones. Of all
    terms, ``n_pairs`` are pairs of words.
    """

    text: Array
    starts: Array
    stops: Array
    lengths: Array
    min_n: int
    max_n: int
    joined: Pieces | None = None
    n_pairs: int = 0

    def row_starts(self) -> Array:
        """Return where the terms of each document begin when all are written one after the other."""
        starts = np.empty(len(self.lengths) + 1, np.int64)
        _kernels.gram_starts(self.lengths, self.min_n, self.max_n, starts)
        return starts

    def chain(self) -> Iterator[Pieces]:
        """Yield these pieces and those that are joined to them, one after the other."""
        part: Pieces | None = self
        while part is not None:
            yield part
            part = part.joined


def starts_of(sizes: Array) -> Array:
    """Return where each of several parts begins, and where the last ends."""
    starts = np.zeros(len(sizes) + 1, np.int64)
    np.cumsum(sizes, out=starts[1:])
    return starts


def spans(starts: Array, lengths: Array) -> Array:
    """Return the numbers from each start on, as many as its length says, one span after the other.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.pieces import spans
    >>> spans(np.array([10, 30]), np.array([3, 2]))
    array([10, 11, 12, 30, 31])
    """
    bounds = starts_of(lengths)
    numbers: Array = np.arange(bounds[-1]) + np.repeat(starts - bounds[:-1], lengths)
    return numbers


class Scratch:
    """Arrays that one thread uses again and again; their contents last until the next block."""

    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}

    def get(self, name: str, size: int, dtype: type) -> Array:
        """Return an array of ``size`` entries at least."""
        array = self._arrays.get(name)
        if array is None or len(array) < size:
            few = size * np.dtype(dtype).itemsize < HEAP
            array = self._arrays[name] = np.empty(size, dtype) if few else mmap_zeros(size, dtype)
        return array

    def filled(self, name: str, size: int, dtype: type, value: int = 0) -> Array:
        """Return an array of exactly ``size`` entries of ``value``, to be given back with the same contents."""
        array = self._arrays.get(name)
        if array is None or len(array) < size:
            array = self._arrays[name] = np.full(size, value, dtype)
        return array[:size]


def blocks_of(chunks: Iterable[list[str]], settings: TextSettings) -> Iterator[Block]:
    """Divide lists of documents into blocks.

    Raises
    ------
    ValueError
        If one document alone is larger than a block can be.
    """
    for texts in chunks:
        if settings.needs_python:
            yield Block(texts, 0, len(texts), 0, 0, 0)
            continue
        start = 0
        while start < len(texts):
            block = Block(texts, start, *_kernels.text_block(texts, start, BLOCK, settings.lowers_in_kernel))
            if 8 * block.n_bytes > np.iinfo(np.int32).max:
                raise ValueError(
                    f"A document of {block.n_characters:,} characters is too large: the limit is 256 MB. "
                    "Split it into paragraphs."
                )
            yield block
            start = block.stop


def cut(block: Block, settings: TextSettings, scratch: Scratch) -> Pieces:
    """Cut the documents of a block into tokens."""
    if settings.needs_python:
        return _cut_in_python(block, settings)
    if settings.uses_words:
        return _cut_into_words(block, settings, scratch)
    return _cut_into_characters(block, settings, scratch)


def _cut_into_words(block: Block, settings: TextSettings, scratch: Scratch) -> Pieces:
    assert settings.compiled_pattern is not None
    single, marks = settings.compiled_pattern
    stop_words, negators = settings.stop_vocabulary, settings.negator_vocabulary
    n_documents = block.stop - block.start
    # Every character can be a token where punctuation counts; words have something between them.
    most = block.n_characters + 1 if marks else block.n_characters // 2 + n_documents + 1
    text = scratch.get("text", block.n_bytes + most * (5 if settings.negation else 1) + SLACK, np.uint8)
    starts, stops = (scratch.get(name, most, np.int32) for name in ("starts", "stops"))
    lengths = scratch.get("lengths", n_documents, np.int32)[:n_documents]
    n = _kernels.split_words(
        block.texts, block.start, block.stop, settings.lowers_in_kernel, single, marks, settings.negation,
        stop_words.offsets, stop_words.arena, stop_words.slots if len(stop_words) else stop_words.slots[:0],
        negators.offsets, negators.arena, negators.slots,
        scratch.get("folded", block.largest + SLACK, np.uint8),
        scratch.get("classes", block.largest + SLACK, np.uint8),
        scratch.get("begins", block.largest + SLACK, np.int32),
        scratch.get("ends", block.largest + SLACK, np.int32),
        text, starts, stops, lengths,
    )  # fmt: skip
    pieces = Pieces(text, starts[:n], stops[:n], lengths, *settings.ngram_range)
    tokens = text, pieces.starts, pieces.stops, lengths
    if settings.prefixes:
        names = prefix_names(*tokens, settings.prefixes, scratch, negation=settings.negation)
        pieces = pieces._replace(joined=Pieces(*names, 1, 1))
    if settings.conjunctions is not None:
        names = joined_names(*tokens, settings.conjunctions, scratch)
        pieces = pieces._replace(joined=Pieces(*names, 1, 1, pieces.joined), n_pairs=len(names[1]))
    return pieces


def _cut_into_characters(block: Block, settings: TextSettings, scratch: Scratch) -> Pieces:
    within_words = settings.analyzer == "char_wb"
    min_n, max_n = settings.ngram_range
    n_documents = block.stop - block.start
    max_n = min(max_n, block.largest + 2)
    n_sizes = max(1, max_n - min_n + 1)
    padded = 2 * block.n_characters + 2 * n_documents if within_words else block.n_characters
    text = scratch.get("text", block.n_bytes + padded + SLACK, np.uint8)
    starts, stops = (scratch.get(name, padded * n_sizes + 1, np.int32) for name in ("starts", "stops"))
    lengths = scratch.get("lengths", n_documents, np.int32)[:n_documents]
    n = _kernels.split_characters(
        block.texts, block.start, block.stop, settings.lowers_in_kernel, within_words, min_n, max_n,
        scratch.get("folded", block.largest + SLACK, np.uint8),
        scratch.get("classes", block.largest + SLACK, np.uint8),
        scratch.get("begins", 2 * block.largest + SLACK, np.int32),
        text, starts, stops, lengths,
    )  # fmt: skip
    return Pieces(text, starts[:n], stops[:n], lengths, 1, 1)


def _cut_in_python(block: Block, settings: TextSettings) -> Pieces:
    documents = block.texts[block.start : block.stop]
    if callable(settings.analyzer):
        return _packed(map(settings.analyzer, documents))
    tokenize = python_tokens(settings)
    tokens = [tokenize(document) for document in documents]
    parts = [[_ngrams(one, *settings.ngram_range) for one in tokens]]
    n_pairs = 0
    if settings.conjunctions is not None:
        parts.append([join_tokens(one, settings.conjunctions) for one in tokens])
        n_pairs = sum(map(len, parts[-1]))
    if settings.prefixes:
        parts.append([prefixes_of(one, settings.prefixes) for one in tokens])
    # In one, as a user's tokens may have the names of pairs and prefixes.
    return _packed(map(chain, *parts))._replace(n_pairs=n_pairs)


def _packed(documents: Iterable[Iterable[str]]) -> Pieces:
    """Return the terms of documents as a block; none is part of another."""
    terms: list[str] = []
    lengths = []
    for document in documents:
        before = len(terms)
        terms.extend(document)
        lengths.append(len(terms) - before)
    for term in terms:
        if not isinstance(term, str):
            raise TypeError(
                f"The analyzer or tokenizer gave {term!r} ({type(term).__name__}) as a term; terms must be str."
            )
    text, offsets = pack(terms)
    if offsets[-1] > np.iinfo(np.int32).max:
        raise ValueError("The terms of one document take more than 2 GB. Split it into paragraphs.")
    offsets = offsets.astype(np.int32)
    return Pieces(text, offsets[:-1], offsets[1:], np.array(lengths, np.int32), 1, 1)


def python_tokens(settings: TextSettings) -> Callable[[str], list[str]]:
    """Return the function from a preprocessed document to its tokens, for settings that compiled code does not know."""
    tokenize = settings.tokenizer or re.compile(settings.token_pattern or "").findall
    stop_list = settings.stop_list

    def tokens_of(text: str) -> list[str]:
        tokens = list(tokenize(text))
        return tokens if stop_list is None else [token for token in tokens if token not in stop_list]

    return tokens_of


def _ngrams(tokens: list[str], min_n: int, max_n: int) -> list[str]:
    """Join n-grams here, instead of numbering them from their tokens.

    A user's tokens may hold spaces, and then two different n-grams have one name.
    """
    if max_n == 1:
        return tokens
    return [
        " ".join(tokens[i : i + n])
        for n in range(min_n, min(max_n, len(tokens)) + 1)
        for i in range(len(tokens) - n + 1)
    ]
