"""Settings of the text: how a document becomes a row."""

from __future__ import annotations

import re
import warnings
from collections.abc import Mapping
from dataclasses import Field, dataclass, replace
from functools import cached_property, partial
from numbers import Integral, Real
from typing import Any, ClassVar, Literal, Self

from textperceptron._validation import one_of, positive
from textperceptron.settings.fields import (
    COLUMNS,
    PAIRS,
    TERMS,
    check_fields,
    declared_fields,
    format_words,
    parse_number_or_fraction,
    parse_stop_words,
    parse_words,
    setting,
)
from textperceptron.settings.languages import NEGATORS_OF
from textperceptron.settings.word_lists import NEGATION_PIVOTS, named_stop_words

Norm = Literal["l2", "l1"]

DEFAULT_PATTERN = r"(?u)\b\w\w+\b"
WORDS_AND_PUNCTUATION = r"(?u)\w+|[^\w\s]"

ANY_SCRIPT = "any-script"
AUTO = "auto"

# "auto" takes characters unless there are two classes and texts are longer than this in the mean: long reviews gain
# nothing from characters, and would take twice the time. docs/accuracy.md has the figures.
MAX_MEAN_LENGTH = 1000
CHARACTERS = 4
PREFIXES = 6  # without characters

# Compiled patterns: whether words of one character are tokens, and which punctuation is
# (0 none, 1 each character, 2 each run, 3 each character by the rule of every script).
COMPILED_PATTERNS = {
    ANY_SCRIPT: (True, 3),
    r"\b\w\w+\b": (False, 0),
    r"\b\w+\b": (True, 0),
    r"\w+": (True, 0),
    r"\w+|[^\w\s]": (True, 1),
    r"\w+|[^\w\s]+": (True, 2),
}

_MAX_HASHED_COLUMNS = 2**30
_NGRAMS = {(1, 1): "unigrams", (1, 2): "uni+bigrams", (2, 2): "bigrams", (1, 3): "1-3-grams"}
_PATTERNS = {
    ANY_SCRIPT: "words of any script and punctuation",
    WORDS_AND_PUNCTUATION: "punctuation",
    r"(?u)\b\w+\b": "one-letter words",
}
_NAMED_PIVOTS: dict[str, tuple[str, ...] | None] = {"negators": NEGATION_PIVOTS, "any": None}


def _group(field: Field[Any]) -> str:
    group: str = field.metadata["setting"].group
    return group


def _is_integer(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _check_ngram_range(name: str, value: Any) -> None:
    if not isinstance(value, tuple) or len(value) != 2:
        raise ValueError(f"Invalid value for {name}={value}: use two numbers, e.g. (1, 2).")
    low, high = value
    if not (isinstance(low, Integral) and isinstance(high, Integral) and high < 1 << 31):
        raise ValueError(f"Invalid value for {name}={value}: use integers below 2**31.")
    if low > high:
        raise ValueError(f"Invalid value for {name}={value} lower boundary larger than the upper boundary.")
    if low < 1:
        raise ValueError(f"Invalid value for {name}={value}: the lower boundary must be 1 or more.")


def _check_norm(name: str, value: Any) -> None:
    if value not in (None, "l1", "l2"):
        raise ValueError(
            f"{name}={value!r}: use 'l2', which divides each row by its length, 'l1', by the sum of its absolute "
            "values, or None."
        )


def _check_prefixes(name: str, value: Any) -> None:
    if value != AUTO and (not _is_integer(value) or not 0 <= value < 1 << 31):
        raise ValueError(f"{name}={value!r}: use a number of characters, such as 6, 0 for no prefixes, or 'auto'.")


def _check_characters(name: str, value: Any) -> None:
    if value != AUTO and (not _is_integer(value) or not (value == 0 or 2 <= value <= 20)):
        raise ValueError(f"{name}={value!r}: use a number from 2 to 20, such as 4, 0 for no characters, or 'auto'.")


def _parse_auto_or_int(text: str) -> int | str:
    return text if text == AUTO else int(text)


def _check_language(name: str, value: Any) -> None:
    if value not in (None, AUTO, *NEGATORS_OF):
        raise ValueError(
            f"{name}={value!r}: negators are known for {', '.join(NEGATORS_OF)}. Use one of them, or None."
        )


def _check_n_features(name: str, value: Any) -> None:
    if not _is_integer(value) or not 1 <= int(value) <= _MAX_HASHED_COLUMNS:
        raise ValueError(f"{name}={value!r}: use a number of columns from 1 to 2**30, best a power of two.")


def check_document_frequency(name: str, value: Any) -> None:
    """Raise ValueError unless ``value`` is a number of documents or a fraction of them."""
    if _is_integer(value):
        is_valid = value >= 1
    else:
        is_valid = isinstance(value, Real) and not isinstance(value, bool) and 0 <= float(value) <= 1
    if not is_valid:
        raise ValueError(
            f"The '{name}' parameter must be a float in the range [0.0, 1.0] (a fraction of the "
            f"documents) or an int in the range [1, inf) (a number of them). Got {value!r} instead."
        )


def check_max_features(name: str, value: Any) -> None:
    """Raise ValueError unless ``value`` is a number of terms."""
    if not isinstance(value, Integral) or value < 1:
        raise ValueError(f"The '{name}' parameter must be an int in the range [1, inf) or None. Got {value!r} instead.")


def _check_encoding(name: str, value: str) -> None:
    try:
        "".encode(value)  # raises for codecs of bytes too, such as zlib
    except LookupError:
        raise ValueError(f"{name}={value!r}: Python has no such text encoding.") from None


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


def _check_window(name: str, value: Any) -> None:
    if value is None:
        return
    if not _is_integer(value) or value < 1:
        raise ValueError(f"{name}={value!r}: use a number of tokens from 1 on, or None for the whole document.")
    if value >= 1 << 31:
        raise ValueError(f"{name}={value}: use a number of tokens below 2**31.")


def _check_pivots(name: str, value: Any) -> None:
    if value is None:
        return
    if len(value) == 0:
        raise ValueError(f"{name} is empty, so nothing would be joined. Use None for no such limit.")
    if wrong := [pivot for pivot in value if not isinstance(pivot, str)]:
        raise ValueError(f"{name} holds {', '.join(map(repr, wrong))}: use words, the columns are not known yet.")


@dataclass(frozen=True)
class WindowSettings:
    """Which words of a document form conjunctions.

    ``pivots="negators"`` becomes the words of that list.

    Examples
    --------
    >>> from textperceptron.settings.text import WindowSettings
    >>> WindowSettings(["not"], window=2)
    WindowSettings(pivots=('not',), window=2)
    """

    pivots: tuple[str, ...] | None = setting(
        NEGATION_PIVOTS, "Words of which each pair has at least one.",
        details='``"negators"`` are *not*, *never*, *no*, *without* and the like, and the stems of *don\'t* and '
        "*isn't*. None for all words.",
        syntax="words separated by commas, negators, or any for all words.",
        group=PAIRS, check=_check_pivots, metavar="WORDS", suggest=tuple(_NAMED_PIVOTS),
        parse=_parse_pivots, unparse=_format_pivots,
    )  # fmt: skip
    window: int | None = setting(
        4, "Maximum distance of the two words in tokens, 1 for neighbours.",
        details="None for anywhere in the document.", syntax="Use 0 for anywhere in the document.",
        group=PAIRS, check=_check_window, metavar="N",
        parse=_parse_window, unparse=lambda window: [str(window or 0)],
    )  # fmt: skip

    def __post_init__(self) -> None:
        pivots: Any = self.pivots
        if isinstance(pivots, str):
            if pivots != "negators":
                raise ValueError(f"pivots={pivots!r}: use 'negators' or a list of words, e.g. [{pivots!r}].")
            pivots = NEGATION_PIVOTS
        object.__setattr__(self, "pivots", None if pivots is None else tuple(pivots))
        check_fields(self)
        if self.pivots is None and self.window is None:
            raise ValueError(
                "conjunctions with neither pivots nor window would join all words of a document with all. Give "
                "one of them, or count words and use Conjunctions(min_df=...)."
            )

    @property
    def description(self) -> str:
        """Which words are joined, for messages."""
        near = "two different words" + ("" if self.window is None else f" at most {self.window} tokens apart")
        if self.pivots is None:
            return near
        some = ", ".join(map(repr, self.pivots[:3])) + (" …" if len(self.pivots) > 3 else "")
        return f"{near}, one of them among {some}"


def _say_window(chosen: WindowSettings) -> str:
    near = f" up to {chosen.window} apart" if chosen.window else ""
    return f"pairs of words{near}{' with pivots' if chosen.pivots is not None else ''}"


@dataclass(frozen=True, kw_only=True)
class TextSettings:
    """All settings of the text, under the names that :class:`BagOfWords` uses; checked when they are made.

    ``stop_words="english"`` becomes the words of that list: a model file has the words themselves.

    Examples
    --------
    >>> from textperceptron.settings import TextSettings
    >>> TextSettings(ngram_range=(1, 2)).describe()
    ['uni+bigrams', 'counts']
    """

    ngram_range: tuple[int, int] = setting(
        (1, 1), "Minimum and maximum length of n-grams.", group=TERMS, check=_check_ngram_range, metavar="MIN MAX",
        say="", tune=((1, 2), (1, 3), (1, 1)), rank=5,
    )  # fmt: skip
    binary: bool | Literal["auto"] = setting(
        False, "Use presence (1) instead of counts.",
        details='In :class:`TextClassifier`, ``"auto"`` is presence for two classes, counts for more.',
        syntax="With auto, presence for two classes.",
        group=COLUMNS, flags=("--binary/--counts",), say="", tune=(True, False), rank=9,
    )  # fmt: skip
    sublinear_tf: bool = setting(
        False, "Use 1 + log(count) instead of counts.", details="It has no effect with ``binary``.",
        group=COLUMNS, say="", tune=(False, True), rank=10,
    )  # fmt: skip
    norm: Norm | None = setting(
        None, "Scale each row to length 1.",
        details='Long and short documents then have the same influence. ``"l1"`` divides by the sum of the absolute '
        "values instead.",
        group=COLUMNS, check=_check_norm, tune=("l2", None), rank=3,
        say=lambda norm: "rows of sum 1" if norm == "l1" else "rows of length 1",
    )  # fmt: skip
    lowercase: bool = setting(True, "Convert the text to lower case.", group=TERMS)
    strip_accents: Literal["ascii", "unicode"] | None = setting(
        None, "Remove accents.", details='``"ascii"`` also removes all other characters outside ASCII.',
        group=TERMS, check=partial(one_of, allowed=("ascii", "unicode", None)),
    )  # fmt: skip
    stop_words: tuple[str, ...] | None = setting(
        None, "Words to ignore.", details='``"english"`` is scikit-learn\'s list.',
        syntax="english, words separated by commas, or @FILE with one per line.",
        group=TERMS, metavar="WORDS", suggest=("english",), parse=parse_stop_words, unparse=format_words,
        say=lambda words: f"{len(words)} stop words",
    )  # fmt: skip
    n_features: int | None = setting(
        None, "Hash terms to this number of columns, best a power of two, instead of learning a vocabulary.",
        group=COLUMNS, check=_check_n_features, say="hashed to {} columns",
    )  # fmt: skip
    conjunctions: WindowSettings | None = setting(
        None, "Also count pairs of words near each other, such as good-and-not.", group=PAIRS,
        say=_say_window, nested=WindowSettings, tune=(None, WindowSettings()), rank=14,
    )  # fmt: skip
    prefixes: int | Literal["auto"] = setting(
        0, "Also count the first N characters of longer words; 0 for none.",
        details="With 6, *wonders* and *wonderful* share the term ``wonder*``, which helps where texts are short or "
        f'few. In :class:`TextClassifier`, ``"auto"`` is {PREFIXES}, but 0 if n-grams of ``characters`` are counted.',
        syntax=f"With auto, {PREFIXES}, but 0 beside characters.",
        group=TERMS, check=_check_prefixes, metavar="N", parse=_parse_auto_or_int,
        say=lambda n: "prefixes" if n == AUTO else f"prefixes of {n}", tune=(6, 0), rank=15,
    )  # fmt: skip
    characters: int | Literal["auto"] = setting(
        0, "Also count n-grams of N characters of words; 0 for none.",
        details="Both ends of a word count as a character: with 4, *good* has the terms ``^goo``, ``~good`` and "
        "``~ood$``. Syllables of Hangul, Ethiopic and the like count as two characters. N-grams help where words have "
        "many forms or spellings, above all in short texts. "
        f'In :class:`TextClassifier`, ``"auto"`` is {CHARACTERS}, but 0 for two classes if texts have more than '
        f"{MAX_MEAN_LENGTH:,} characters in the mean.",
        syntax=f"With auto, {CHARACTERS}, but 0 for two classes of texts above {MAX_MEAN_LENGTH:,} characters.",
        group=TERMS, check=_check_characters, metavar="N", parse=_parse_auto_or_int,
        say=lambda n: "character n-grams by length of texts" if n == AUTO else f"character {n}-grams",
        tune=(0, CHARACTERS), rank=6,
    )  # fmt: skip
    character_weight: float = setting(
        0.6, "Value of an n-gram of characters, beside 1 for a word.", group=COLUMNS, check=positive, say="",
    )  # fmt: skip
    token_pattern: str = setting(
        DEFAULT_PATTERN, "Regular expression of a token, or any-script for words of every script and punctuation.",
        details="``\"any-script\"`` keeps marks and joiners with their letters, and emoji in one piece. Each character "
        "of a script without spaces (Han, Hiragana, Katakana, Thai, Lao, Khmer, Myanmar, Tibetan) is a token, and "
        "n-grams of such characters are one longer than ``ngram_range``, unless that ends at 1. "
        r"``\b\w\w+\b``, ``\b\w+\b``, ``\w+``, ``\w+|[^\w\s]`` and ``\w+|[^\w\s]+`` are compiled; other "
        "patterns run in Python's ``re``.",
        group=TERMS, metavar="PATTERN", say=lambda pattern: _PATTERNS.get(pattern, f"token pattern = {pattern}"),
        tune=(ANY_SCRIPT, WORDS_AND_PUNCTUATION, DEFAULT_PATTERN), rank=17,
    )  # fmt: skip
    analyzer: Literal["word", "char", "char_wb"] = setting(
        "word", "Take n-grams of words, of characters, or of characters within words.", group=TERMS,
        check=partial(one_of, allowed=("word", "char", "char_wb")), say="",
    )  # fmt: skip
    negation: bool = setting(
        False, "Mark words between a negator (not, never, …) and the next punctuation.",
        details="They get the prefix ``NOT_``. Apostrophes and hyphens do not count as punctuation.",
        group=TERMS, tune=(False, True), rank=16,
    )  # fmt: skip
    language: str | None = setting(
        "en", "Language of the negators.",
        details=f"One of {', '.join(NEGATORS_OF)}, or None for no negators. In :class:`TextClassifier`, ``\"auto\"`` "
        "detects the language by its most frequent words; if it is none of these, there is no negation.",
        syntax=f"{', '.join(NEGATORS_OF)}, none, or auto to detect it.",
        group=TERMS, check=_check_language, metavar="CODE", suggest=("auto", *NEGATORS_OF), say="",
    )  # fmt: skip
    min_df: int | float = setting(
        1, "Drop terms in fewer documents: a number (3) or a fraction (0.01).",
        group=COLUMNS, check=check_document_frequency, metavar="N", parse=parse_number_or_fraction,
        tune=(1, 2), rank=12,
    )  # fmt: skip
    max_df: int | float = setting(
        1.0, "Drop terms in more documents: a number (1000) or a fraction (0.5).",
        group=COLUMNS, check=check_document_frequency, metavar="N", parse=parse_number_or_fraction,
    )  # fmt: skip
    max_features: int | None = setting(
        None, "Maximum number of terms, those with the largest counts.",
        details='Ties go to the term that appears first; with ``order="alphabet"``, as in ``CountVectorizer``.',
        group=COLUMNS, check=check_max_features, metavar="N",
    )  # fmt: skip
    alternate_sign: bool = setting(
        True, "Give half of the hashed terms a negative sign.", details="Collisions then cancel out on average.",
        group=COLUMNS,
    )  # fmt: skip
    order: Literal["frequency", "alphabet"] = setting(
        "frequency", "Order of the columns.",
        details='``"frequency"`` is decreasing document frequency, ties in order of first appearance; ``"alphabet"`` '
        "is the order of ``CountVectorizer``.",
        group=COLUMNS, check=partial(one_of, allowed=("frequency", "alphabet")),
    )  # fmt: skip
    dtype: Literal["float32", "float64"] = setting(
        "float32", "Type of values and weights.", group=COLUMNS, check=partial(one_of, allowed=("float32", "float64"))
    )
    encoding: str = setting(  # the command line decodes texts when it reads a corpus
        "utf-8", "Encoding of documents that are bytes.", group=TERMS, check=_check_encoding, is_option=False
    )
    decode_error: Literal["strict", "ignore", "replace"] = setting(
        "strict", "What to do with bytes that cannot be decoded.", group=TERMS,
        check=partial(one_of, allowed=("strict", "ignore", "replace")), is_option=False,
    )  # fmt: skip

    # Python functions, and where documents are: only the vectorizers' subclass has other values.
    input: ClassVar[str] = "content"
    preprocessor: ClassVar[Any] = None
    tokenizer: ClassVar[Any] = None

    def __post_init__(self) -> None:
        if isinstance(self.stop_words, str):
            object.__setattr__(self, "stop_words", named_stop_words(self.stop_words))
        elif self.stop_words is not None and not isinstance(self.stop_words, tuple):
            object.__setattr__(self, "stop_words", tuple(sorted(self.stop_words)))
        if isinstance(self.ngram_range, list):
            object.__setattr__(self, "ngram_range", tuple(self.ngram_range))
        check_fields(self)
        self._check_combinations()

    def _check_combinations(self) -> None:
        if self.uses_words and self.tokenizer is None:
            self._check_pattern()
        if self.negation and self.compiled_pattern is None:
            raise ValueError(
                "negation=True has to see the punctuation between words: use it with analyzer='word', no "
                f"tokenizer and one of the token patterns {', '.join(map(repr, COMPILED_PATTERNS))}."
            )
        if self.conjunctions is not None and not self.uses_words:
            raise ValueError(
                f"conjunctions join words, but analyzer={self.analyzer!r} gives something else. Use "
                "analyzer='word', with a tokenizer or a token_pattern of your own if need be."
            )
        if self.characters not in (0, AUTO) and not self.can_have_characters:
            raise ValueError(
                f"characters={self.characters} needs words of a compiled token pattern, and a vocabulary. Use "
                "analyzer='word' without a tokenizer or n_features, or analyzer='char_wb'."
            )
        if self.n_features is not None and (self.min_df, self.max_df, self.max_features) != (1, 1.0, None):
            raise ValueError(
                "min_df, max_df and max_features select terms, but hashed columns (n_features) have no terms. "
                "Leave one or the other out."
            )

    def _check_pattern(self) -> None:
        if self.token_pattern is None:
            raise ValueError("token_pattern is None: give a pattern, or a tokenizer.")
        try:
            n_groups = re.compile(self.token_pattern).groups
        except (re.error, RecursionError, OverflowError) as problem:
            raise ValueError(f"token_pattern={self.token_pattern!r} is not a valid pattern: {problem}.") from None
        if n_groups > 1:
            raise ValueError("More than 1 capturing group in token pattern. Only a single group should be captured.")

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
    def unspaced_n(self) -> int:
        """Length of the longest n-grams of characters of scripts without spaces, if they exceed ``ngram_range``."""
        is_longer = self.token_pattern == ANY_SCRIPT and self.compiled_pattern is not None and self.ngram_range[1] > 1
        return self.ngram_range[1] + 1 if is_longer else 0

    @property
    def is_binary(self) -> bool:
        """Whether values are 1, once ``"auto"`` is resolved."""
        assert not isinstance(self.binary, str)
        return bool(self.binary)

    @property
    def norm_order(self) -> int:
        """The norm that is 1 for every row, 1 or 2; 0 without ``norm``."""
        return 0 if self.norm is None else int(self.norm[1])

    @property
    def n_prefixes(self) -> int:
        """Length of prefixes of words, or 0, once ``"auto"`` is resolved."""
        assert not isinstance(self.prefixes, str)
        return self.prefixes

    @property
    def n_characters(self) -> int:
        """Length of n-grams of characters of words, or 0, once ``"auto"`` is resolved."""
        assert not isinstance(self.characters, str)
        return self.characters

    @property
    def negators(self) -> tuple[str, ...]:
        """The negators that have an effect."""
        return NEGATORS_OF[self.language] if self.negation and self.language is not None else ()

    @property
    def can_have_characters(self) -> bool:
        """Whether n-grams of characters of words can be counted."""
        return self.compiled_pattern is not None and self.n_features is None

    @property
    def needs_python(self) -> bool:
        """Whether Python functions make the terms, document by document."""
        return callable(self.analyzer) or (self.uses_words and self.compiled_pattern is None)

    @cached_property
    def stop_list(self) -> frozenset[str]:
        """The stop words that have an effect."""
        return frozenset(self.stop_words or ()) if self.uses_words else frozenset()

    def terms_only(self) -> Self:
        """Return these settings with the defaults of columns: equal for settings that give the same terms.

        Examples
        --------
        >>> from textperceptron.settings import TextSettings
        >>> TextSettings(prefixes=6, min_df=2, norm="l2").terms_only() == TextSettings(prefixes=6)
        True
        """
        fields = declared_fields(self).values()
        defaults: dict[str, Any] = {each.name: each.default for each in fields if _group(each) == COLUMNS}
        return replace(self, **defaults)

    def tokens_only(self) -> Self:
        """Return settings under which the terms of a text are all of its tokens and nothing else."""
        return replace(
            self.terms_only(), ngram_range=(1, 1), negation=False, conjunctions=None, prefixes=0, characters=0
        )

    def drop_incompatible(self, changes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the settings to reset when ``changes`` leave words of a built-in pattern.

        Examples
        --------
        >>> from textperceptron.settings import TextSettings
        >>> TextSettings(negation=True).drop_incompatible({"token_pattern": r"[a-z]+"})
        {'negation': False, 'characters': 0}
        """
        terms = {name: changes[name] for name in ("analyzer", "token_pattern") if name in changes}
        if not terms:
            return {"characters": 0} if changes.get("n_features") is not None and self.characters != AUTO else {}
        settings = replace(self, negation=False, conjunctions=None, characters=0, **terms)
        if not settings.uses_words:
            return {"token_pattern": DEFAULT_PATTERN, "negation": False, "prefixes": 0, "characters": 0}
        return {"negation": False, "characters": 0} if settings.compiled_pattern is None else {}

    def warn_of_unused(self, stacklevel: int = 3) -> None:
        """Warn of settings that others override, as scikit-learn does in ``fit``."""
        unused = []
        if self.tokenizer is not None and self.token_pattern is not None:
            unused.append(("token_pattern", "'tokenizer' is not None'"))
        if callable(self.analyzer):
            if self.preprocessor is not None:
                unused.append(("preprocessor", "'analyzer' is callable'"))
            if self.ngram_range != (1, 1):
                unused.append(("ngram_range", "'analyzer' is callable'"))
        if not self.uses_words:
            if self.stop_words is not None:
                unused.append(("stop_words", "'analyzer' != 'word'"))
            if self.token_pattern not in (None, DEFAULT_PATTERN):
                unused.append(("token_pattern", "'analyzer' != 'word'"))
            if self.tokenizer is not None:
                unused.append(("tokenizer", "'analyzer' != 'word'"))
        for name, reason in unused:
            warnings.warn(f"The parameter '{name}' will not be used since {reason}", stacklevel=stacklevel)

    def describe(self) -> list[str]:
        """Return the first phrases of a description: the terms and their values."""
        low, high = self.ngram_range
        terms = _NGRAMS.get((low, high), f"{low}-{high}-grams")
        if self.analyzer != "word":
            terms = f"{low}-{high}-grams of characters" + (" within words" if self.analyzer == "char_wb" else "")
        counts = "log counts" if self.sublinear_tf else "counts"
        values = f"presence or {counts}" if self.binary == AUTO else "presence" if self.binary else counts
        return [terms, values]

    def resolve_auto(self, n_classes: int, mean_length: float, language: str | None) -> Self:
        """Return the settings without ``"auto"``.

        Parameters
        ----------
        n_classes : int
        mean_length : float
            Mean length of the texts in characters.
        language : str or None
            Detected language.

        Examples
        --------
        >>> from textperceptron.settings import recipe
        >>> reviews = recipe("best").text.resolve_auto(2, 1300, "en")
        >>> reviews.binary, reviews.characters, reviews.negation
        (True, 0, True)
        >>> topics = recipe("best").text.resolve_auto(20, 1300, None)
        >>> topics.binary, topics.characters, topics.negation
        (False, 4, False)
        """
        chosen: dict[str, Any] = {}
        if self.binary == AUTO:
            chosen["binary"] = n_classes == 2
        if self.characters == AUTO:
            helps = n_classes > 2 or mean_length <= MAX_MEAN_LENGTH
            chosen["characters"] = CHARACTERS if helps and self.can_have_characters else 0
        if self.prefixes == AUTO:
            chosen["prefixes"] = PREFIXES if self.uses_words and not chosen.get("characters", self.characters) else 0
        if self.language == AUTO:
            known = language if language in NEGATORS_OF else None
            chosen |= {"language": known, "negation": self.negation and known is not None}
        return replace(self, **chosen) if chosen else self

    @property
    def has_auto(self) -> bool:
        """Whether a setting depends on the texts."""
        return AUTO in (self.binary, self.prefixes, self.characters, self.language)
