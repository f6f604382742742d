"""What texts look like: length, script and language, found in the first of them."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, islice
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from textperceptron.settings import TextSettings
from textperceptron.settings.languages import FREQUENT_WORDS, LANGUAGE_NAMES
from textperceptron.settings.text import ANY_SCRIPT, AUTO
from textperceptron.text.counted_texts import CountedTexts
from textperceptron.text.frames import python_value
from textperceptron.text.vectorize import transform
from textperceptron.text.vocabulary import Vocabulary

SAMPLE = 1000  # texts for their length
_LONGEST = 10_000  # characters of a text that count for the mean: one text of 1 MB says nothing about the others
_PARTS = 300  # texts for script and language
_PART = 200  # characters of such a text
# A language is known if its frequent words are at least this share of all words, and this many times those of the next.
# Over 205 languages and 43 corpora, any share from 0.06 to 0.1 finds the same ones: docs/text.md.
THRESHOLD = 0.08
LEAD = 1.25
_LEAST = 2  # different words of a language, of two letters or more: letters alone are no language
_SCRIPTS = {"CJK": "Han"}  # names of letters that do not begin with their script

Text = TypeVar("Text")


@dataclass(frozen=True)
class TextProfile:
    """Length, script and language of texts.

    Attributes
    ----------
    mean_length : float
        Mean number of characters.
    script : str or None
        The script of most letters, by its name in Unicode; None without letters.
    language : str or None
        The language by its code, if it is one of those with negators.

    Examples
    --------
    >>> from textperceptron.model.text_profile import profile_of
    >>> found, texts = profile_of(iter(["This is not what I wanted.", "The plot of the film is thin, but it works"]))
    >>> found
    TextProfile(mean_length=34.0, script='Latin', language='en')
    >>> found.describe()
    'Latin script, English, 34 characters per text'
    >>> len(list(texts))
    2
    """

    mean_length: float
    script: str | None
    language: str | None

    def resolve_auto(self, settings: TextSettings, n_classes: int) -> TextSettings:
        """Return the settings for texts like these, without ``"auto"``."""
        return settings.resolve_auto(n_classes, self.mean_length, self.language)

    def describe(self) -> str:
        """Return the profile in a few words."""
        found = [f"{self.script} script"] if self.script else []
        found += [LANGUAGE_NAMES[self.language]] if self.language else []
        return ", ".join([*found, f"{self.mean_length:.0f} characters per text"])


def describe_choices(given: TextSettings, resolved: TextSettings) -> str:
    """Return what ``"auto"`` became, in a few words; empty if there was none.

    Examples
    --------
    >>> from textperceptron.model.text_profile import describe_choices
    >>> from textperceptron.settings import recipe
    >>> given = recipe("best").text
    >>> describe_choices(given, given.resolve_auto(2, 99, "en"))
    'presence, character 4-grams, English negators'
    >>> describe_choices(given, given.resolve_auto(9, 99, "ca"))
    'log counts, character 4-grams, no negators'
    """
    said = [resolved.describe()[1]] if given.binary == AUTO else []
    if given.characters == AUTO:
        said.append(f"character {resolved.characters}-grams" if resolved.characters else "no characters")
    if given.language == AUTO and given.negation:
        said.append(f"{LANGUAGE_NAMES[resolved.language]} negators" if resolved.language else "no negators")
    return ", ".join(said)


def profile_of(texts: Iterable[Text]) -> tuple[TextProfile, Iterable[Text]]:
    """Return the profile of the first 1,000 texts, and all texts: an iterator is not exhausted."""
    first = list(islice(texts, SAMPLE))
    texts = chain(first, texts) if isinstance(texts, Iterator) else texts
    known = [text for text in map(_as_text, first) if text is not None]
    length = sum(min(len(text), _LONGEST) for text in known) / max(1, len(known))
    parts = [text[:_PART] for text in known[:_PARTS]]
    return TextProfile(length, _script_of(parts[:50]), _language_of(parts)), texts


def resolve_auto(
    texts: Iterable[Any] | CountedTexts, settings: TextSettings, n_classes: int
) -> tuple[TextSettings, Iterable[Any] | CountedTexts]:
    """Return the settings without ``"auto"``, and the texts: an iterator is not exhausted.

    Raises
    ------
    ValueError
        If the texts were counted with settings that depend on them.
    """
    if not settings.has_auto:
        return settings, texts
    if isinstance(texts, CountedTexts):
        raise ValueError("texts that are counted already need settings without 'auto'. Resolve them before counting.")
    profile, texts = profile_of(texts)
    return profile.resolve_auto(settings, n_classes), texts


def _as_text(document: Any) -> str | None:
    """Return a document as text; None for what is neither str nor bytes, which reading it will reject."""
    document = python_value(document)
    if isinstance(document, bytes):
        return document.decode("utf-8", "replace")
    return document if isinstance(document, str) else None


def _script_of(texts: list[str]) -> str | None:
    letters = Counter(filter(str.isalpha, "".join(texts)))
    scripts: Counter[str] = Counter()
    for letter, n in letters.items():
        scripts[unicodedata.name(letter, "unknown").split()[0]] += n
    return _SCRIPTS.get(most := scripts.most_common(1)[0][0], most.capitalize()) if scripts else None


def _language_of(texts: list[str]) -> str | None:
    """Return the language whose frequent words are the greatest share of all words, if it is clear."""
    vocabulary, columns = _frequent_words()
    counts = transform(texts, TextSettings(token_pattern=ANY_SCRIPT), vocabulary, n_jobs=1)
    totals = np.bincount(counts.indices, counts.data, len(vocabulary))
    n_words = sum(len(text.split()) for text in texts)
    found = sorted(((totals[of_language].sum(), language) for language, of_language in columns.items()), reverse=True)
    (most, language), (second, _) = found[:2]
    n_different = sum(len(FREQUENT_WORDS[language][k]) > 1 for k in np.flatnonzero(totals[columns[language]]))
    return language if n_different >= _LEAST and most >= max(THRESHOLD * n_words, LEAD * second) else None


@cache
def _frequent_words() -> tuple[Vocabulary, dict[str, npt.NDArray[np.intp]]]:
    """Return the frequent words of all languages, and the columns of each language."""
    vocabulary = Vocabulary.from_names(sorted({word for words in FREQUENT_WORDS.values() for word in words}))
    of_word = {word: column for column, word in enumerate(vocabulary.names())}
    return vocabulary, {
        language: np.array([of_word[word] for word in words]) for language, words in FREQUENT_WORDS.items()
    }
