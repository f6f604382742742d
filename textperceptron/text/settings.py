"""What a document is and how it becomes terms: the parameters, validated once."""

from __future__ import annotations

import re
import unicodedata
import warnings
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from functools import cached_property, partial
from numbers import Integral
from typing import Any

from textperceptron.text.conjunctions.windows import WindowSettings
from textperceptron.text.vocabulary import Vocabulary
from textperceptron.text.word_lists import NEGATORS, named_stop_words

DEFAULT_PATTERN = r"(?u)\b\w\w+\b"
WORDS_AND_PUNCTUATION = r"(?u)\w+|[^\w\s]"

# Compiled patterns: whether words of one character are tokens, and which punctuation is
# (0 none, 1 each character, 2 each run).
COMPILED_PATTERNS = {
    r"\b\w\w+\b": (False, 0),
    r"\b\w+\b": (True, 0),
    r"\w+": (True, 0),
    r"\w+|[^\w\s]": (True, 1),
    r"\w+|[^\w\s]+": (True, 2),
}


@dataclass(frozen=True)
class TermSettings:
    """How documents become terms; parameters mean the same as in scikit-learn's ``CountVectorizer``.

    Attributes
    ----------
    negation : bool
        Words after a negator (``not``, ``never``, … or a word with ``n't``) get the mark ``NOT_`` up to
        the next punctuation. Apostrophes and hyphens do not count as punctuation.
    conjunctions : WindowSettings or None
        Which words of a document form conjunctions, as extra terms.
    prefixes : int
        The first characters of longer words are extra terms, such as ``wonder*`` with 6; 0 for none. No effect unless
        terms are made of words.

    See :class:`textperceptron.BagOfWords` for the others.
    """

    input: str = "content"
    encoding: str = "utf-8"
    decode_error: str = "strict"
    strip_accents: str | Callable[[str], str] | None = None
    lowercase: bool = True
    preprocessor: Callable[[str], str] | None = None
    tokenizer: Callable[[str], Iterable[str]] | None = None
    stop_words: str | Collection[str] | None = None
    token_pattern: str | None = DEFAULT_PATTERN
    ngram_range: tuple[int, int] = (1, 1)
    analyzer: str | Callable[[Any], Iterable[str]] = "word"
    negation: bool = False
    conjunctions: WindowSettings | None = None
    prefixes: int = 0

    def check(self) -> None:
        """Raise on invalid settings, and on settings that contradict each other.

        Raises
        ------
        ValueError
            With the setting, its value and the valid ones.
        """
        _one_of("input", self.input, ("content", "filename", "file"))
        _one_of("decode_error", self.decode_error, ("strict", "ignore", "replace"))
        if not callable(self.analyzer):
            _one_of("analyzer", self.analyzer, ("word", "char", "char_wb"))
        if self.strip_accents is not None and not callable(self.strip_accents):
            _one_of("strip_accents", self.strip_accents, ("ascii", "unicode"))
        if not isinstance(self.ngram_range, tuple | list) or len(self.ngram_range) != 2:
            raise ValueError(f"Invalid value for ngram_range={self.ngram_range}: use two numbers, e.g. (1, 2).")
        _ = self.stop_list
        low, high = self.ngram_range
        if not (isinstance(low, Integral) and isinstance(high, Integral) and high < 1 << 31):
            raise ValueError(f"Invalid value for ngram_range={self.ngram_range}: use integers below 2**31.")
        if low > high:
            raise ValueError(
                f"Invalid value for ngram_range={self.ngram_range} lower boundary larger than the upper boundary."
            )
        if low < 1:
            raise ValueError(f"Invalid value for ngram_range={self.ngram_range}: the lower boundary must be 1 or more.")
        if self.uses_words and self.tokenizer is None:
            if self.token_pattern is None:
                raise ValueError("token_pattern is None: give a pattern, or a tokenizer.")
            if re.compile(self.token_pattern).groups > 1:
                raise ValueError(
                    "More than 1 capturing group in token pattern. Only a single group should be captured."
                )
        if self.negation and self.compiled_pattern is None:
            raise ValueError(
                "negation=True has to see the punctuation between words: use it with analyzer='word', no "
                f"tokenizer and one of the token patterns {', '.join(map(repr, COMPILED_PATTERNS))}."
            )

        is_number = isinstance(self.prefixes, Integral) and not isinstance(self.prefixes, bool)
        if not is_number or not 0 <= self.prefixes < 1 << 31:
            raise ValueError(
                f"prefixes={self.prefixes!r}: use a number of characters, such as 6, or 0 for no prefixes."
            )
        if self.conjunctions is not None:
            self.conjunctions.check()
            if not self.uses_words:
                raise ValueError(
                    f"conjunctions join words, but analyzer={self.analyzer!r} gives something else. Use "
                    "analyzer='word', with a tokenizer or a token_pattern of your own if need be."
                )

    def warn_of_settings_without_effect(self) -> None:
        """Warn of settings that others override, as scikit-learn does in ``fit``."""
        unused = []
        if self.tokenizer is not None and self.token_pattern is not None:
            unused.append(("token_pattern", "'tokenizer' is not None'"))
        if callable(self.analyzer):
            if self.preprocessor is not None:
                unused.append(("preprocessor", "'analyzer' is callable'"))
            if tuple(self.ngram_range) != (1, 1):
                unused.append(("ngram_range", "'analyzer' is callable'"))
        if not self.uses_words:
            if self.stop_words is not None:
                unused.append(("stop_words", "'analyzer' != 'word'"))
            if self.token_pattern not in (None, DEFAULT_PATTERN):
                unused.append(("token_pattern", "'analyzer' != 'word'"))
            if self.tokenizer is not None:
                unused.append(("tokenizer", "'analyzer' != 'word'"))
        for name, reason in unused:
            warnings.warn(f"The parameter '{name}' will not be used since {reason}", stacklevel=3)

    @property
    def uses_words(self) -> bool:
        """Whether tokens are words, by a pattern or by a tokenizer."""
        return not callable(self.analyzer) and self.analyzer == "word"

    @cached_property
    def compiled_pattern(self) -> tuple[bool, int] | None:
        """The token pattern for compiled code, or None if it is not compiled."""
        if not self.uses_words or self.tokenizer is not None or self.token_pattern is None:
            return None
        return COMPILED_PATTERNS.get(self.token_pattern.removeprefix("(?u)"))

    @property
    def needs_python(self) -> bool:
        """Whether Python functions make the terms, document by document."""
        return callable(self.analyzer) or (self.uses_words and self.compiled_pattern is None)

    @cached_property
    def preprocess(self) -> Callable[[str], str] | None:
        """The function that preprocesses documents, if any; compiled code can only lower them."""
        if callable(self.analyzer):
            return None
        if self.preprocessor is not None:
            return self.preprocessor
        if self.strip_accents is None:
            return str.lower if self.needs_python and self.lowercase else None
        strip = ACCENT_STRIPPERS[self.strip_accents] if isinstance(self.strip_accents, str) else self.strip_accents
        # Lowering comes first: decomposing a letter can make new capitals, which stay.
        return partial(_lower_and_strip, strip=strip) if self.lowercase else strip

    @property
    def takes_any_object(self) -> bool:
        """Whether documents go to a user's function first, which may take other objects than text."""
        if callable(self.analyzer) or self.preprocessor is not None:
            return True
        return self.needs_python and self.preprocess is None

    @property
    def lowers_in_kernel(self) -> bool:
        """Whether compiled code lowers the text."""
        return self.lowercase and self.preprocess is None

    @cached_property
    def stop_list(self) -> frozenset[str] | None:
        """The stop words, if any.

        Raises
        ------
        ValueError
            If it is a string that is not the name of a list.
        """
        if self.stop_words is None or not self.uses_words:
            return None
        if isinstance(self.stop_words, str):
            return frozenset(named_stop_words(self.stop_words))
        return frozenset(self.stop_words)

    @cached_property
    def stop_vocabulary(self) -> Vocabulary:
        """The stop words, for compiled code."""
        return Vocabulary.from_names(sorted(self.stop_list or ()))

    @cached_property
    def negator_vocabulary(self) -> Vocabulary:
        """The negators, in lower case, capitalised and in capitals."""
        return Vocabulary.from_names(form for word in NEGATORS for form in (word, word.capitalize(), word.upper()))


def _one_of(name: str, value: object, allowed: Collection[str]) -> None:
    if value not in allowed:
        raise ValueError(f"Invalid value for {name}: {value!r}. Use one of {', '.join(map(repr, allowed))}.")


def strip_accents_unicode(text: str) -> str:
    """Remove accents from letters.

    Examples
    --------
    >>> strip_accents_unicode("naïve Ångström")
    'naive Angstrom'
    """
    if text.isascii():
        return text
    return "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))


def strip_accents_ascii(text: str) -> str:
    """Remove accents from letters, and all other characters outside ASCII.

    Examples
    --------
    >>> strip_accents_ascii("naïve Ω")
    'naive '
    """
    return unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode("ascii")


def _lower_and_strip(text: str, strip: Callable[[str], str]) -> str:
    return strip(text.lower())


ACCENT_STRIPPERS = {"ascii": strip_accents_ascii, "unicode": strip_accents_unicode}
