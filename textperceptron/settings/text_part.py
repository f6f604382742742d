"""What a document becomes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from textperceptron.text.columns import ColumnSettings
from textperceptron.text.conjunctions.windows import WindowSettings
from textperceptron.text.hashing import check_n_features
from textperceptron.text.lengths import Norm, check_norm
from textperceptron.text.settings import DEFAULT_PATTERN, TextSettings
from textperceptron.text.stop_words import named_stop_words

_MOST = int(np.iinfo(np.int32).max)


@dataclass(frozen=True, kw_only=True)
class TextPart:
    r"""Everything about text that needs no Python function, under the names that :class:`BagOfWords` uses.

    Attributes
    ----------
    stop_words : tuple of str or None
        Words to leave out. The name ``"english"`` becomes the words of that list, so that a file keeps words, whatever
        becomes of the list.
    conjunctions : WindowSettings or None
        Which words of a document are joined.
    n_features : int or None
        Columns by a hash, so many; None for columns by name.
    alternate_sign : bool
        Whether the hash gives signs too.

    The others are those of :class:`textperceptron.BagOfWords`.

    Examples
    --------
    >>> from textperceptron.settings import TextPart
    >>> TextPart(ngram_range=(1, 2)).text_settings().ngram_range
    (1, 2)
    """

    encoding: str = "utf-8"
    decode_error: Literal["strict", "ignore", "replace"] = "strict"
    strip_accents: Literal["ascii", "unicode"] | None = None
    lowercase: bool = True
    stop_words: tuple[str, ...] | None = None
    token_pattern: str = DEFAULT_PATTERN
    ngram_range: tuple[int, int] = (1, 1)
    analyzer: Literal["word", "char", "char_wb"] = "word"
    negation: bool = False
    conjunctions: WindowSettings | None = None
    prefixes: int = 0
    binary: bool = False
    dtype: Literal["float32", "float64"] = "float32"
    min_df: int | float = 1
    max_df: int | float = 1.0
    max_features: int | None = None
    order: Literal["frequency", "alphabet"] = "frequency"
    n_features: int | None = None
    alternate_sign: bool = True
    norm: Norm | None = None

    def __post_init__(self) -> None:
        if isinstance(self.stop_words, str):
            object.__setattr__(self, "stop_words", named_stop_words(self.stop_words))
        try:
            self.text_settings().check()
        except (re.error, RecursionError, OverflowError) as problem:
            raise ValueError(f"token_pattern={self.token_pattern!r} is no pattern: {problem}.") from None
        try:
            "".encode(self.encoding)  # refuses what is no encoding of text, such as zlib, too
        except LookupError:
            raise ValueError(f"encoding={self.encoding!r} is none that Python knows for text.") from None
        self.column_settings().check()
        if self.dtype not in ("float32", "float64"):
            raise ValueError(f"dtype={self.dtype!r}: use 'float32' or 'float64'.")
        check_norm(self.norm, self.dtype)
        window = self.conjunctions.window if self.conjunctions is not None else None
        if window is not None and window > _MOST:
            raise ValueError(f"window={window}: use a number of tokens below 2**31.")
        if self.n_features is not None:
            check_n_features(self.n_features)
            if (self.min_df, self.max_df, self.max_features) != (1, 1.0, None):
                raise ValueError(
                    "min_df, max_df and max_features choose among terms, and hashed columns (n_features) know none. "
                    "Leave one or the other out."
                )

    def giving_way(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return what becomes of settings that only words of a known pattern can have, if there will be others.

        Examples
        --------
        >>> from textperceptron.settings import TextPart
        >>> TextPart(negation=True).giving_way({"token_pattern": r"[a-z]+"})
        {'negation': False}
        """
        terms = {name: changes[name] for name in ("analyzer", "token_pattern") if name in changes}
        if not terms:
            return {}
        settings = replace(self.text_settings(), **terms)
        if not settings.uses_words:
            return {"token_pattern": DEFAULT_PATTERN, "negation": False, "prefixes": 0}
        return {"negation": False} if settings.compiled_pattern is None else {}

    def text_settings(self) -> TextSettings:
        """Return the settings of the text engine."""
        return TextSettings(
            encoding=self.encoding, decode_error=self.decode_error, strip_accents=self.strip_accents,
            lowercase=self.lowercase, stop_words=self.stop_words, token_pattern=self.token_pattern,
            ngram_range=self.ngram_range, analyzer=self.analyzer, negation=self.negation,
            conjunctions=self.conjunctions, prefixes=self.prefixes,
        )  # fmt: skip

    def column_settings(self) -> ColumnSettings:
        """Return the limits on the terms that become columns."""
        return ColumnSettings(self.min_df, self.max_df, self.max_features, self.order)
