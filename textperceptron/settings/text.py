"""Settings of a text: how a document becomes a row."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from textperceptron.settings.fields import NOT_AN_OPTION, PAIRS, TEXT, setting
from textperceptron.settings.option_values import format_words, parse_number_or_fraction, parse_stop_words, parse_words
from textperceptron.text.columns import ColumnSettings
from textperceptron.text.conjunctions.windows import WindowSettings
from textperceptron.text.hashing import check_n_features
from textperceptron.text.normalize import Norm, check_norm
from textperceptron.text.settings import DEFAULT_PATTERN, WORDS_AND_PUNCTUATION, TermSettings
from textperceptron.text.word_lists import NEGATION_PIVOTS, named_stop_words

_MAX_WINDOW = int(np.iinfo(np.int32).max)
_NGRAMS = {(1, 1): "unigrams", (1, 2): "uni+bigrams", (2, 2): "bigrams", (1, 3): "1-3-grams"}
_PATTERNS = {WORDS_AND_PUNCTUATION: "punctuation too", r"(?u)\b\w+\b": "words of one letter too"}
_NAMED_PIVOTS: dict[str, tuple[str, ...] | None] = {"negators": NEGATION_PIVOTS, "any": None}


def _parse_pivots(word: str) -> tuple[str, ...] | None:
    if word in _NAMED_PIVOTS:
        return _NAMED_PIVOTS[word]
    pivots = parse_words(word)
    if not pivots:
        raise ValueError(f"--pivots {word!r}: there is no word in it. Give some, or any for all words.")
    return pivots


def _format_pivots(pivots: tuple[str, ...] | None) -> list[str]:
    return [next((name for name, known in _NAMED_PIVOTS.items() if known == pivots), ",".join(pivots or ()))]


def _parse_window(word: str) -> int | None:
    if int(word) < 0:
        raise ValueError(f"--window {word}: use a number of words from 1 on, or 0 for anywhere in the document.")
    return int(word) or None


@dataclass(frozen=True)
class WindowOptions:
    """The settings of :class:`WindowSettings` as options of a command."""

    pivots: tuple[str, ...] | None = setting(
        _NAMED_PIVOTS["negators"],
        "One word of a pair is among these: words with commas between, negators, or any.",
        group=PAIRS, metavar="WORDS", suggest=tuple(_NAMED_PIVOTS), parse=_parse_pivots, unparse=_format_pivots,
    )  # fmt: skip
    window: int | None = setting(
        4, "How many words apart the two may be; 0 for anywhere in the document.",
        group=PAIRS, metavar="INTEGER", parse=_parse_window, unparse=lambda window: [str(window or 0)],
    )  # fmt: skip


def _say_window(chosen: WindowSettings) -> str:
    near = f" up to {chosen.window} apart" if chosen.window else ""
    return f"pairs of words{near}{' with pivots' if chosen.pivots is not None else ''}"


@dataclass(frozen=True, kw_only=True)
class TextSettings:
    r"""Everything about text that needs no Python function, under the names that :class:`BagOfWords` uses.

    ``stop_words="english"`` becomes the words of that list: a file keeps the words themselves.

    Examples
    --------
    >>> from textperceptron.settings import TextSettings
    >>> TextSettings(ngram_range=(1, 2)).term_settings().ngram_range
    (1, 2)
    """

    ngram_range: tuple[int, int] = setting(
        (1, 1), "Shortest and longest n-grams.", group=TEXT, metavar="MIN MAX", say="",
        tune=((1, 2), (1, 3), (1, 1)), rank=5,
    )  # fmt: skip
    binary: bool = setting(
        False, "Whether words are present, or how often.", group=TEXT, flags=("--binary/--counts",), say="",
        tune=(True, False), rank=9,
    )  # fmt: skip
    norm: Norm | None = setting(
        None, "Divide rows by their length.", group=TEXT, say="rows of length 1", tune=("l2", None), rank=3
    )
    lowercase: bool = setting(True, "Lower the text.", group=TEXT)
    strip_accents: Literal["ascii", "unicode"] | None = setting(None, "Remove accents.", group=TEXT)
    stop_words: tuple[str, ...] | None = setting(
        None, "Words to leave out: english, words with commas between, or @FILE with one a line.",
        group=TEXT, metavar="WORDS", suggest=("english",), parse=parse_stop_words, unparse=format_words,
        say=lambda words: f"{len(words)} stop words",
    )  # fmt: skip
    n_features: int | None = setting(
        None, "Hash terms to so many columns instead of keeping their names.", group=TEXT, say="hashed to {} columns"
    )
    conjunctions: WindowSettings | None = setting(
        None, "Join words that stand near each other: good-and-not.", group=PAIRS,
        say=_say_window, nested=WindowOptions,
        tune=(None, WindowSettings(_NAMED_PIVOTS["negators"], 4)), rank=14,
    )  # fmt: skip
    prefixes: int = setting(
        0, "Let words of more characters count by their first ones too; 0 for none.", group=TEXT, say="prefixes of {}",
        tune=(6, 0), rank=15,
    )  # fmt: skip
    token_pattern: str = setting(
        DEFAULT_PATTERN, "A regular expression: what a word is.", group=TEXT, metavar="PATTERN",
        say=lambda pattern: _PATTERNS.get(pattern, f"token pattern = {pattern}"),
    )  # fmt: skip
    analyzer: Literal["word", "char", "char_wb"] = setting(
        "word", "N-grams of words or of characters.", group=TEXT, say=""
    )
    negation: bool = setting(
        False, "Mark the words after not, never … up to the next punctuation.", group=TEXT, tune=(False, True), rank=16
    )
    min_df: int | float = setting(
        1, "Leave out terms in fewer documents: a number (3), or a share (0.01).",
        group=TEXT, metavar="N", parse=parse_number_or_fraction, tune=(1, 2), rank=12,
    )  # fmt: skip
    max_df: int | float = setting(
        1.0, "Leave out terms in more documents, likewise.", group=TEXT, metavar="N", parse=parse_number_or_fraction
    )
    max_features: int | None = setting(None, "Keep so many terms, the most frequent.", group=TEXT)
    alternate_sign: bool = setting(True, "Whether the hash gives signs too.", group=TEXT)
    order: Literal["frequency", "alphabet"] = setting("frequency", "How columns are numbered.", group=TEXT)
    dtype: Literal["float32", "float64"] = setting("float32", "Type of the weights.", group=TEXT)
    encoding: str = setting("utf-8", NOT_AN_OPTION, group=TEXT)  # corpora are decoded when they are read
    decode_error: Literal["strict", "ignore", "replace"] = setting("strict", NOT_AN_OPTION, group=TEXT)

    def __post_init__(self) -> None:
        if isinstance(self.stop_words, str):
            object.__setattr__(self, "stop_words", named_stop_words(self.stop_words))
        try:
            self.term_settings().check()
        except (re.error, RecursionError, OverflowError) as problem:
            raise ValueError(f"token_pattern={self.token_pattern!r} is no pattern: {problem}.") from None
        try:
            "".encode(self.encoding)  # raises for encodings of bytes too, such as zlib
        except LookupError:
            raise ValueError(f"encoding={self.encoding!r} is none that Python knows for text.") from None
        self.column_settings().check()
        if self.dtype not in ("float32", "float64"):
            raise ValueError(f"dtype={self.dtype!r}: use 'float32' or 'float64'.")
        check_norm(self.norm, self.dtype)
        window = self.conjunctions.window if self.conjunctions is not None else None
        if window is not None and window > _MAX_WINDOW:
            raise ValueError(f"window={window}: use a number of tokens below 2**31.")
        if self.n_features is not None:
            check_n_features(self.n_features)
            if (self.min_df, self.max_df, self.max_features) != (1, 1.0, None):
                raise ValueError(
                    "min_df, max_df and max_features choose among terms, and hashed columns (n_features) know none. "
                    "Leave one or the other out."
                )

    def drop_incompatible(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings to reset when ``changes`` leave words of a built-in pattern.

        Examples
        --------
        >>> from textperceptron.settings import TextSettings
        >>> TextSettings(negation=True).drop_incompatible({"token_pattern": r"[a-z]+"})
        {'negation': False}
        """
        terms = {name: changes[name] for name in ("analyzer", "token_pattern") if name in changes}
        if not terms:
            return {}
        settings = replace(self.term_settings(), **terms)
        if not settings.uses_words:
            return {"token_pattern": DEFAULT_PATTERN, "negation": False, "prefixes": 0}
        return {"negation": False} if settings.compiled_pattern is None else {}

    def describe(self) -> list[str]:
        """Return the phrases with which a description begins: what terms are, and what is counted of them."""
        low, high = self.ngram_range
        terms = _NGRAMS.get((low, high), f"{low}-{high}-grams")
        if self.analyzer != "word":
            terms = f"{low}-{high}-grams of characters" + (" within words" if self.analyzer == "char_wb" else "")
        return [terms, "presence" if self.binary else "counts"]

    def term_settings(self) -> TermSettings:
        """Return the settings that decide what the terms of a document are."""
        return TermSettings(
            encoding=self.encoding, decode_error=self.decode_error, strip_accents=self.strip_accents,
            lowercase=self.lowercase, stop_words=self.stop_words, token_pattern=self.token_pattern,
            ngram_range=self.ngram_range, analyzer=self.analyzer, negation=self.negation,
            conjunctions=self.conjunctions, prefixes=self.prefixes,
        )  # fmt: skip

    def column_settings(self) -> ColumnSettings:
        """Return the settings that decide which terms become columns."""
        return ColumnSettings(self.min_df, self.max_df, self.max_features, self.order)
