"""Lists of str → blocks of UTF-8 tokens, in compiled code or by a user's function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron import _kernels
from textperceptron._memory import mmap_zeros
from textperceptron._parallel import count_jobs
from textperceptron.settings import TextSettings, WindowSettings
from textperceptron.text.documents import lowers_in_kernel
from textperceptron.text.vocabulary import Vocabulary, pack

Array = npt.NDArray[Any]

BLOCK = 1 << 18  # characters that are tokenised and counted together: their tokens fit in the L2 cache
HEAP = 1 << 17  # bytes; larger arrays use mmap, because the heaps of threads do not return freed memory
JOINT = "-and-"  # between the words of a conjunction
SLACK = 256  # bytes that kernels may read and write beyond the end
LARGEST = np.iinfo(np.int32).max
_ANYWHERE = 2**31 - 1  # no limit on the distance of two words


@dataclass(frozen=True, slots=True)
class TextBlock:
    """Documents ``texts[start:stop]``, and bounds on the memory of their tokens."""

    texts: list[str]
    start: int
    stop: int
    n_characters: int = 0
    n_bytes: int = 0
    largest: int = 0

    @property
    def n_documents(self) -> int:
        """Number of documents."""
        return self.stop - self.start


@dataclass(frozen=True, slots=True)
class TokenBlock:
    """The tokens of a block of documents.

    Name i is ``text[starts[i]:stops[i]]``. Document d has ``lengths[d]`` tokens, followed by ``n_extra[d]`` extra terms
    (prefixes, conjunctions), whose names differ from those of all tokens. Its terms are the extra ones and the n-grams
    of ``min_n`` to ``max_n`` tokens, each of which is a slice of ``text``. ``n_conjunctions`` is the number of
    conjunctions in the block.
    """

    text: Array
    starts: Array
    stops: Array
    lengths: Array
    n_extra: Array
    min_n: int = 1
    max_n: int = 1
    n_conjunctions: int = 0

    def term_offsets(self, min_n: int) -> Array:
        """Return the offsets of the documents' terms, one per occurrence, with n-grams of at least ``min_n`` tokens."""
        offsets = np.empty(len(self.lengths) + 1, np.int64)
        _kernels.gram_starts(self.lengths, self.n_extra, min_n, self.max_n, offsets)
        return offsets


def offsets_from_lengths(lengths: Array) -> Array:
    """Return the offsets of consecutive ranges, from 0 to the end of the last."""
    offsets = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=offsets[1:])
    return offsets


def concatenated_ranges(starts: Array, lengths: Array) -> Array:
    """Return the indices of several ranges, concatenated.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.text.tokenize import concatenated_ranges
    >>> concatenated_ranges(np.array([10, 30]), np.array([3, 2]))
    array([10, 11, 12, 30, 31])
    """
    offsets = offsets_from_lengths(lengths)
    numbers: Array = np.arange(offsets[-1]) + np.repeat(starts - offsets[:-1], lengths)
    return numbers


class Scratch:
    """Buffers that one thread reuses; their contents are valid until the next block."""

    def __init__(self) -> None:
        self._arrays: dict[str, Array] = {}

    def get(self, name: str, size: int, dtype: type) -> Array:
        """Return an array of at least ``size`` entries."""
        array = self._arrays.get(name)
        if array is None or len(array) < size:
            is_small = size * np.dtype(dtype).itemsize < HEAP
            array = self._arrays[name] = np.empty(size, dtype) if is_small else mmap_zeros(size, dtype)
        return array

    def filled(self, name: str, size: int, dtype: type, value: int = 0) -> Array:
        """Return an array of ``size`` entries of ``value``; the caller must restore its contents after use."""
        array = self._arrays.get(name)
        if array is None or len(array) < size:
            array = self._arrays[name] = np.full(size, value, dtype)
        return array[:size]


@lru_cache(maxsize=8)
def word_table(words: frozenset[str]) -> Vocabulary:
    """Return a set of words for compiled code."""
    return Vocabulary.from_names(sorted(words))


def negator_table(settings: TextSettings) -> Vocabulary:
    """Return the negators in lower case, capitalised and in capitals."""
    return word_table(frozenset(form for word in settings.negators for form in (word, word.capitalize(), word.upper())))


def jobs_for(n_jobs: int | None, settings: TextSettings) -> int:
    """Return the number of threads to use; a user's functions are called on the caller's thread only."""
    return 1 if settings.needs_python else count_jobs(n_jobs)


def text_blocks(chunks: Iterable[list[str]], settings: TextSettings) -> Iterator[TextBlock]:
    """Divide lists of documents into blocks.

    Raises
    ------
    ValueError
        If one document is larger than a block can be.
    """
    for texts in chunks:
        if settings.needs_python:
            yield TextBlock(texts, 0, len(texts))
            continue
        start = 0
        while start < len(texts):
            block = TextBlock(texts, start, *_kernels.text_block(texts, start, BLOCK, lowers_in_kernel(settings)))
            if _max_growth(settings) * block.n_bytes > LARGEST:
                raise ValueError(
                    f"A document of {block.n_characters:,} characters is too large: the limit is "
                    f"{2048 // _max_growth(settings)} MB. Split it into paragraphs."
                )
            yield block
            start = block.stop


def _max_growth(settings: TextSettings) -> int:
    """Return an upper bound of the bytes of names per byte of text."""
    return 8 + (settings.n_characters + 4 if settings.n_characters else 0)


def tokenize_block(block: TextBlock, settings: TextSettings, scratch: Scratch) -> TokenBlock:
    """Split the documents of a block into tokens, whose arrays may be in the scratch."""
    if settings.needs_python:
        return _tokenize_in_python(block, settings)
    if settings.uses_words:
        tokens = _split_words(block, settings, scratch)
        return tokens if settings.conjunctions is None else _with_conjunctions(tokens, settings, scratch)
    return _split_characters(block, settings, scratch)


def _split_words(block: TextBlock, settings: TextSettings, scratch: Scratch) -> TokenBlock:
    assert settings.compiled_pattern is not None
    single, marks = settings.compiled_pattern
    stop_words, negators = word_table(settings.stop_list), negator_table(settings)
    # With punctuation, every character can be a token; words have at least one character between them.
    n_tokens = block.n_characters + 1 if marks else block.n_characters // 2 + block.n_documents + 1
    n_bytes = block.n_bytes + n_tokens * (5 if settings.negation else 1)
    n_names = n_tokens
    if settings.n_prefixes:
        n_names += block.n_characters // (settings.n_prefixes + 1)
        n_bytes += block.n_bytes
    if settings.unspaced_n:
        n_names += n_tokens
        n_bytes += settings.unspaced_n * block.n_bytes
    if settings.n_characters:
        n_names += block.n_characters + n_tokens
        n_bytes += settings.n_characters * block.n_bytes + 2 * (block.n_characters + n_tokens)
    text = scratch.get("text", n_bytes + SLACK, np.uint8)
    starts, stops = (scratch.get(name, n_names, np.int32) for name in ("starts", "stops"))
    lengths, n_extra = (_per_document(name, block, scratch) for name in ("lengths", "n_extra"))
    n = _kernels.split_words(
        block.texts, block.start, block.stop, lowers_in_kernel(settings), single, marks, settings.negation,
        settings.n_prefixes, settings.unspaced_n, settings.n_characters,
        stop_words.offsets, stop_words.arena, stop_words.slots if len(stop_words) else stop_words.slots[:0],
        negators.offsets, negators.arena, negators.slots,
        scratch.get("utf8", block.largest + SLACK, np.uint8),
        scratch.get("classes", block.largest + SLACK, np.uint8),
        scratch.get("begins", block.largest + SLACK, np.int32),
        scratch.get("ends", block.largest + SLACK, np.int32),
        text, starts, stops, lengths, n_extra,
    )  # fmt: skip
    return TokenBlock(text, starts[:n], stops[:n], lengths, n_extra, *settings.ngram_range)


def _with_conjunctions(tokens: TokenBlock, settings: TextSettings, scratch: Scratch) -> TokenBlock:
    """Add the conjunctions of tokens within the window.

    Raises
    ------
    ValueError
        If the names of one block take more than 2 GB.
    """
    window = settings.conjunctions
    assert window is not None
    names = tokens.text, tokens.starts, tokens.stops
    following = np.empty(0, np.int64)
    if window.pivots is not None:
        pivots = word_table(frozenset(window.pivots))
        following = scratch.get("following", len(tokens.starts) + 1, np.int64)
        _kernels.find_pivots(*names, pivots.offsets, pivots.arena, pivots.slots, following)
    given = *names, tokens.lengths, tokens.n_extra, following, max_distance(window)
    nothing = np.empty(0, np.int32)
    n_names, n_bytes, n = _kernels.join_near(*given, np.empty(0, np.uint8), nothing, nothing, nothing)
    if n_bytes > LARGEST - SLACK:
        raise ValueError(
            f"The {n:,} pairs of a document, or of consecutive documents, take {n_bytes / 1e9:.1f} GB. Use a smaller "
            "window, fewer pivots, or shorter documents."
        )
    text = scratch.get("joined_text", n_bytes + SLACK, np.uint8)
    starts, stops = (scratch.get(name, n_names, np.int32) for name in ("joined_starts", "joined_stops"))
    n_extra = np.empty_like(tokens.n_extra)
    _kernels.join_near(*given, text, starts, stops, n_extra)
    return replace(
        tokens, text=text, starts=starts[:n_names], stops=stops[:n_names], n_extra=n_extra, n_conjunctions=n
    )  # fmt: skip


def _split_characters(block: TextBlock, settings: TextSettings, scratch: Scratch) -> TokenBlock:
    within_words = settings.analyzer == "char_wb"
    min_n, max_n = settings.ngram_range
    max_n = min(max_n, block.largest + 2)
    n_sizes = max(1, max_n - min_n + 1)
    padded = 2 * block.n_characters + 2 * block.n_documents if within_words else block.n_characters
    text = scratch.get("text", block.n_bytes + padded + SLACK, np.uint8)
    starts, stops = (scratch.get(name, padded * n_sizes + 1, np.int32) for name in ("starts", "stops"))
    lengths = _per_document("lengths", block, scratch)
    n = _kernels.split_characters(
        block.texts, block.start, block.stop, lowers_in_kernel(settings), within_words, min_n, max_n,
        scratch.get("utf8", block.largest + SLACK, np.uint8),
        scratch.get("classes", block.largest + SLACK, np.uint8),
        scratch.get("begins", 2 * block.largest + SLACK, np.int32),
        text, starts, stops, lengths,
    )  # fmt: skip
    return TokenBlock(text, starts[:n], stops[:n], lengths, np.zeros_like(lengths))


def _per_document(name: str, block: TextBlock, scratch: Scratch) -> Array:
    return scratch.get(name, block.n_documents, np.int32)[: block.n_documents]


def _tokenize_in_python(block: TextBlock, settings: TextSettings) -> TokenBlock:
    """Return all terms as tokens: a user's tokens may be equal to n-grams, prefixes or conjunctions."""
    documents = block.texts[block.start : block.stop]
    if callable(settings.analyzer):
        return _packed(map(settings.analyzer, documents))
    tokenize = python_tokens(settings)
    tokens = [tokenize(document) for document in documents]
    min_n, max_n = settings.ngram_range
    terms = [tokens] if min_n == 1 else []
    if settings.n_prefixes:
        terms.append([prefixes_of(one, settings.n_prefixes) for one in tokens])
    n_conjunctions = 0
    if settings.conjunctions is not None:
        terms.append([join_tokens(one, settings.conjunctions) for one in tokens])
        n_conjunctions = sum(map(len, terms[-1]))
    terms.append([_ngrams(one, max(2, min_n), max_n) for one in tokens])
    return replace(_packed(map(chain, *terms)), n_conjunctions=n_conjunctions)


def _packed(documents: Iterable[Iterable[str]]) -> TokenBlock:
    terms: list[str] = []
    lengths = []
    for document in documents:
        before = len(terms)
        terms.extend(document)
        lengths.append(len(terms) - before)
    for term in terms:
        if not isinstance(term, str):
            raise TypeError(
                f"The analyzer or tokenizer returned {term!r} ({type(term).__name__}) as a term; terms must be str."
            )
    text, offsets = pack(terms)
    if offsets[-1] > LARGEST:
        raise ValueError("The terms of one document take more than 2 GB. Split it into paragraphs.")
    offsets = offsets.astype(np.int32)
    return TokenBlock(text, offsets[:-1], offsets[1:], np.array(lengths, np.int32), np.zeros(len(lengths), np.int32))


def python_tokens(settings: TextSettings) -> Callable[[str], list[str]]:
    """Return the tokeniser of preprocessed documents for patterns that are not compiled."""
    tokenize = settings.tokenizer or re.compile(settings.token_pattern or "").findall
    stop_list = settings.stop_list

    def tokens_of(text: str) -> list[str]:
        tokens = list(tokenize(text))
        return [token for token in tokens if token not in stop_list] if stop_list else tokens

    return tokens_of


def prefixes_of(tokens: Iterable[str], size: int) -> list[str]:
    """Return the prefixes of those tokens that are words of more than ``size`` characters.

    Examples
    --------
    >>> from textperceptron.text.tokenize import prefixes_of
    >>> prefixes_of(["a", "wonderful", "wonder", "wonders", "!!!!!!!!"], 6)
    ['wonder*', 'wonder*']
    """
    return [f"{token[:size]}*" for token in tokens if len(token) > size and (token[0].isalnum() or token[0] == "_")]


def _ngrams(tokens: list[str], min_n: int, max_n: int) -> list[str]:
    """Join tokens by spaces. A user's tokens may contain spaces, so different n-grams can have the same name."""
    return [
        " ".join(tokens[i : i + n])
        for n in range(min_n, min(max_n, len(tokens)) + 1)
        for i in range(len(tokens) - n + 1)
    ]


def max_distance(settings: WindowSettings) -> int:
    """Return the maximum distance of two words in tokens."""
    return _ANYWHERE if settings.window is None else int(settings.window)


def join_tokens(tokens: Sequence[str], settings: WindowSettings) -> list[str]:
    """Return the names of the conjunctions in a list of tokens, in plain Python.

    Examples
    --------
    >>> from textperceptron.settings import WindowSettings
    >>> from textperceptron.text.tokenize import join_tokens
    >>> join_tokens(["not", "so", "very", "good"], WindowSettings(pivots=("not",), window=2))
    ['not-and-so', 'not-and-very']
    """
    pivots = None if settings.pivots is None else frozenset(settings.pivots)
    return [
        JOINT.join(sorted((token, other)))
        for i, token in enumerate(tokens)
        for other in tokens[i + 1 : i + 1 + max_distance(settings)]
        if token != other and (pivots is None or token in pivots or other in pivots)
    ]
