"""The places of terms in a text: what explanations point at; readable rather than fast.

The tokens are those of the kernels, with their offsets. The rules by which tokens become terms are written a second
time here, with a place for each term; ``tests/text/test_places.py`` compares the terms with those of the kernels.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from textperceptron import _kernels
from textperceptron.settings import TextSettings
from textperceptron.settings.text import ANY_SCRIPT, COMPILED_PATTERNS
from textperceptron.text.analyze import terms_of
from textperceptron.text.documents import python_preprocessor
from textperceptron.text.tokenize import JOINT, SLACK, max_distance, word_table
from textperceptron.text.vocabulary import Vocabulary

Span = tuple[int, int]  # start and end in code points

_NEGATED = "NOT_"
_FIRST_SCRIPT = "\u0300"  # no character below belongs to a script class
_UNSPACED, _SYLLABLE = 2, 3
_APOSTROPHES = ("'", "’")


class Occurrence(NamedTuple):
    """A term at a place of a text.

    Attributes
    ----------
    name : str
        Of the term.
    spans : tuple of (start, end)
        One, or two for a conjunction; none if the place is not known.
    word : str
        The word of which the term is a part (a prefix, an n-gram of characters), else the name itself.
    """

    name: str
    spans: tuple[Span, ...]
    word: str


class _Token(NamedTuple):
    name: str
    start: int  # in the preprocessed text
    end: int


def occurrences(text: str, settings: TextSettings) -> Iterator[Occurrence]:
    """Yield every term of a text with its place, in no particular order.

    A place is not known after a user's analyzer, or a preprocessor that changes more than the case; after a user's
    tokenizer it is where the token is next found.

    Examples
    --------
    >>> from textperceptron.settings import TextSettings
    >>> from textperceptron.text.places import occurrences
    >>> for found in occurrences("NOT wonderful", TextSettings(ngram_range=(1, 2), negation=True, prefixes=6)):
    ...     print(*found)
    not ((0, 3),) not
    not NOT_wonderful ((0, 13),) not NOT_wonderful
    NOT_wonderful ((4, 13),) NOT_wonderful
    wonder* ((4, 10),) NOT_wonderful
    """
    clean = str(python_preprocessor(settings)(text)) if not callable(settings.analyzer) else text
    place = _placer(text, clean, settings)
    if callable(settings.analyzer):
        yield from (Occurrence(name, (), name) for name in terms_of(text, settings))
    elif not settings.uses_words:
        for name, start, end in _analyzer_ngrams(clean, settings):
            yield Occurrence(name, place(start, end), name)
    else:
        yield from _terms_of_words(text, clean, settings, place)


class PlacedColumn(NamedTuple):
    """A column of a text's row: its name, and where its terms are."""

    name: str
    occurrences: list[Occurrence]


def place_columns(
    text: str, settings: TextSettings, vocabulary: Vocabulary | None, columns: list[int]
) -> list[PlacedColumn]:
    """Return names and places of columns in the row of a text; a hashed column has the names of its terms."""
    if vocabulary is not None:
        placed = [PlacedColumn(vocabulary.name(column), []) for column in columns]
        by_name = {each.name: each for each in placed}
        for found in occurrences(text, settings):
            if (each := by_name.get(found.name)) is not None:
                each.occurrences.append(found)
        return placed
    assert settings.n_features is not None
    terms: dict[str, list[Occurrence]] = {}
    for found in occurrences(text, settings):
        terms.setdefault(found.name, []).append(found)
    names = Vocabulary.from_names(sorted(terms, key=lambda name: terms[name][0].spans))
    hashed = np.empty(len(terms), np.int32)
    _kernels.hash_names(names.offsets, names.arena, settings.n_features, hashed)
    by_column: dict[int, list[str]] = {}
    for name, column in zip(names.names(), hashed.tolist(), strict=True):
        by_column.setdefault(column, []).append(name)
    return [
        PlacedColumn(" + ".join(by_column[column]), [found for name in by_column[column] for found in terms[name]])
        for column in columns
    ]


def join_places(name: str, columns: Sequence[PlacedColumn]) -> PlacedColumn:
    """Return the conjunction of columns, at the first place of each."""
    if not all(each.occurrences for each in columns):
        return PlacedColumn(name, [])
    spans = sorted(span for each in columns for span in each.occurrences[0].spans)
    return PlacedColumn(name, [Occurrence(name, tuple(spans), name)])


def words_in(text: str) -> list[Span]:
    """Return the words, punctuation and emoji of a text, of every script; *isn't* is one word.

    Examples
    --------
    >>> from textperceptron.text.places import words_in
    >>> text = "It isn't bad."
    >>> [text[start:end] for start, end in words_in(text)]
    ['It', "isn't", 'bad', '.']
    """
    found: list[Span] = []
    for start, end in _token_bounds(text, COMPILED_PATTERNS[ANY_SCRIPT][1]):
        begins_word = text[start].isalnum()
        apostrophe = len(found) > 1 and found[-1][1] == start and text[start - 1 : start] in _APOSTROPHES
        if begins_word and apostrophe and found[-2][1] == start - 1 and text[start - 2].isalnum():
            found[-2:] = [(found[-2][0], end)]
        else:
            found.append((start, end))
    return found


def _placer(text: str, clean: str, settings: TextSettings) -> Callable[[int, int], tuple[Span, ...]]:
    """Return the function from a span of the preprocessed text to spans of the text."""
    if len(clean) == len(text) and clean in (text, text.lower()):
        return lambda start, end: ((start, end),)
    if settings.preprocessor is not None or callable(settings.strip_accents):
        return lambda start, end: ()
    # Characters are lowered and lose their accents one by one: only their number differs.
    preprocess = python_preprocessor(settings)
    lengths = [len(preprocess(character)) for character in text]
    origin = np.repeat(np.arange(len(text)), lengths).tolist()
    if len(origin) != len(clean):
        return lambda start, end: ()
    origin.append(len(text))
    return lambda start, end: ((origin[start], origin[end - 1] + 1 if start < end else origin[start]),)


def _terms_of_words(
    text: str, clean: str, settings: TextSettings, place: Callable[[int, int], tuple[Span, ...]]
) -> Iterator[Occurrence]:
    tokens = _tokens(text, clean, settings)
    if tokens is None:
        yield from (Occurrence(name, (), name) for name in terms_of(text, settings))
        return
    min_n, max_n = settings.ngram_range
    for k, (name, start, end) in enumerate(tokens):
        if min_n == 1:
            yield Occurrence(name, place(start, end), name)
        longer = name
        for n in range(2, min(max_n, len(tokens) - k) + 1):
            longer = f"{longer} {tokens[k + n - 1].name}"
            if n >= min_n:
                yield Occurrence(longer, place(start, tokens[k + n - 1].end), longer)
    if settings.n_prefixes:
        yield from _prefixes(tokens, settings, place)
    if settings.unspaced_n:
        yield from _unspaced_ngrams(tokens, settings.unspaced_n, place)
    if settings.n_characters:
        yield from _character_ngrams(clean, tokens, settings, place)
    if settings.conjunctions is not None:
        yield from _conjunctions(tokens, settings, place)


def _tokens(text: str, clean: str, settings: TextSettings) -> list[_Token] | None:
    """Return the tokens with their offsets in the preprocessed text; None if the offsets are not known."""
    if settings.compiled_pattern is None:
        return _python_tokens(clean, settings)
    single, marks = settings.compiled_pattern
    bounds = [
        (start, end)
        for start, end in _token_bounds(clean, marks)
        if (single or end - start > 1) and clean[start:end] not in settings.stop_list
    ]
    # The names have the marks of negation.
    alone = replace(settings, ngram_range=(1, 1), conjunctions=None, prefixes=0, characters=0)
    return [_Token(name, *each) for name, each in zip(terms_of(text, alone), bounds, strict=True)]


def _token_bounds(clean: str, marks: int) -> list[Span]:
    """Return the bounds of the tokens that the kernel finds, single characters and stop words included.

    It finds them in UTF-8, and leaves that and their bounds in its scratch. It keeps all tokens here, so their number
    is that of its names.
    """
    size = 8 * len(clean) + SLACK
    utf8, classes, names = (np.empty(size, np.uint8) for _ in range(3))
    begins, ends, starts, stops = (np.empty(size, np.int32) for _ in range(4))
    empty = word_table(frozenset())
    no_words = empty.offsets, empty.arena, empty.slots[:0]
    n = _kernels.split_words(
        [clean], 0, 1, False, True, marks, False, 0, 0, 0, *no_words, *no_words,
        utf8, classes, begins, ends, names, starts, stops, np.empty(1, np.int32), np.empty(1, np.int32),
    )  # fmt: skip
    begins, ends = (begins[:n], ends[:n]) if marks else (begins[: 2 * n : 2], begins[1 : 2 * n : 2])
    n_bytes = len(clean.encode("utf-8", "surrogatepass"))
    before = np.zeros(n_bytes + 1, np.int64)  # characters before each byte
    np.cumsum((utf8[:n_bytes] & 0xC0) != 0x80, out=before[1:])
    return list(zip(before[begins].tolist(), before[ends].tolist(), strict=True))


def _python_tokens(clean: str, settings: TextSettings) -> list[_Token] | None:
    if settings.tokenizer is None:
        pattern = re.compile(settings.token_pattern or "")
        found = [_Token(match[pattern.groups], *match.span(pattern.groups)) for match in pattern.finditer(clean)]
    else:
        found, at = [], 0
        for name in settings.tokenizer(clean):
            start = clean.find(name, at)
            if start < 0:
                return None
            at = start + len(name)
            found.append(_Token(name, start, at))
    return [token for token in found if token.name not in settings.stop_list]


def _prefixes(tokens: list[_Token], settings: TextSettings, place: Callable[..., Any]) -> Iterator[Occurrence]:
    size = settings.n_prefixes
    for token in tokens:
        word = _without_mark(token.name, settings)
        if len(word) > size and _begins_word(token.name):
            start = token.end - len(word)
            yield Occurrence(f"{word[:size]}*", place(start, start + size), token.name)


def _character_ngrams(
    clean: str, tokens: list[_Token], settings: TextSettings, place: Callable[..., Any]
) -> Iterator[Occurrence]:
    for token in tokens:
        if not _begins_word(token.name) or _script(token.name[0]) == _UNSPACED:
            continue
        word = _without_mark(token.name, settings)
        n, size, first = len(word), settings.n_characters, token.end - len(word)
        span = max(2, (size + 1) // 2) if _script(word[0]) == _SYLLABLE else size
        for p in range(n + 3 - span):  # both ends of the word count as a character
            start, end = max(p - 1, 0), min(p + span - 1, n)
            name = ("~" if p else "^") + word[start:end] + ("$" if p + span == n + 2 else "")
            yield Occurrence(name, place(first + start, first + end), token.name)


def _unspaced_ngrams(tokens: list[_Token], size: int, place: Callable[..., Any]) -> Iterator[Occurrence]:
    run = 0
    for k, token in enumerate(tokens):
        run = run + 1 if _script(token.name[0]) == _UNSPACED else 0
        if run >= size:
            members = tokens[k - size + 1 : k + 1]
            name = "".join(member.name for member in members)
            yield Occurrence(name, place(members[0].start, token.end), name)


def _conjunctions(tokens: list[_Token], settings: TextSettings, place: Callable[..., Any]) -> Iterator[Occurrence]:
    window = settings.conjunctions
    assert window is not None
    far = max_distance(window)
    pivots = [k for k, token in enumerate(tokens) if window.pivots is None or token.name in window.pivots]
    is_pivot = set(pivots)
    for i, first in enumerate(tokens):
        last = min(i + far, len(tokens) - 1)
        near = pivots[bisect_right(pivots, i) : bisect_right(pivots, last)]
        for j in range(i + 1, last + 1) if i in is_pivot else near:
            second = tokens[j]
            if first.name != second.name:
                name = JOINT.join(sorted((first.name, second.name)))
                yield Occurrence(name, place(*first[1:]) + place(*second[1:]), name)


def _analyzer_ngrams(clean: str, settings: TextSettings) -> Iterator[tuple[str, int, int]]:
    """Yield the n-grams of the analyzers ``char`` and ``char_wb``; a space at the edge of a word has no width."""
    min_n, max_n = settings.ngram_range
    within_words = settings.analyzer == "char_wb"
    if within_words:
        groups = [
            [(" ", a, a), *((clean[k], k, k + 1) for k in range(a, b)), (" ", b, b)]
            for a, b in (found.span() for found in re.finditer(r"\S+", clean))
        ]
    else:
        runs = re.finditer(r"\s\s+|.", clean, re.DOTALL)
        groups = [[(" " if len(found[0]) > 1 else found[0], *found.span()) for found in runs]]
    for units in groups:
        least = min(min_n, len(units)) if within_words else min_n  # a short word counts once, whole
        for n in range(least, min(max(max_n, least), len(units)) + 1):
            for k in range(len(units) - n + 1):
                yield "".join(unit[0] for unit in units[k : k + n]), units[k][1], units[k + n - 1][2]


def _begins_word(name: str) -> bool:
    return name[0].isalnum() or name[0] == "_"


def _without_mark(name: str, settings: TextSettings) -> str:
    is_marked = settings.negation and len(name) > len(_NEGATED) and name.startswith(_NEGATED)
    return name[len(_NEGATED) :] if is_marked else name


def _script(character: str) -> int:
    """Return the script class of a character."""
    if character < _FIRST_SCRIPT:
        return 0
    return int(_scripts(0x10000 if character < "\U00010000" else 0x110000)[ord(character)])


@cache
def _scripts(limit: int) -> Any:
    classes, scripts = np.empty(limit, np.uint8), np.empty(limit, np.uint8)
    _kernels.character_tables(classes, scripts, np.empty(limit, np.int32))
    return scripts
