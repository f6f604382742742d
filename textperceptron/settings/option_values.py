"""Values of settings ↔ words of the command line."""

from __future__ import annotations

from typing import Any

_SHUFFLE: dict[str, bool | str] = {"each-epoch": True, "once": "once", "no": False}


def parse_number_or_fraction(word: str) -> int | float:
    """Return an int, or a float if the number has a decimal point."""
    try:
        return int(word)
    except ValueError:
        return float(word)


def parse_words(word: str) -> tuple[str, ...]:
    """Split at commas."""
    return tuple(each.strip() for each in word.split(",") if each.strip())


def format_words(words: tuple[str, ...]) -> list[str]:
    """Join with commas."""
    return [",".join(words)]


def parse_stop_words(word: str) -> str | tuple[str, ...]:
    """Return the name of a list, the given words, or the words in the file of ``@FILE``."""
    if word.startswith("@"):
        with open(word[1:], encoding="utf-8-sig") as lines:
            return tuple(line.strip() for line in lines if line.strip())
    return word if word == "english" else parse_words(word)


def parse_class_weight(word: str) -> str | tuple[tuple[str, float], ...]:
    """Return ``balanced``, or the items of ``pos=2,neg=1``."""
    if word == "balanced":
        return word
    items = [item.rpartition("=") for item in parse_words(word)]
    return tuple((label, float(weight)) for label, _, weight in items)


def format_class_weight(value: str | tuple[tuple[Any, float], ...]) -> list[str]:
    """Return the word that :func:`parse_class_weight` reads."""
    return [value if isinstance(value, str) else ",".join(f"{label}={weight:g}" for label, weight in value)]


def parse_shuffle(word: str) -> bool | str:
    """Return the value of a choice."""
    return _SHUFFLE[word]


def format_shuffle(value: bool | str) -> list[str]:
    """Return the word that :func:`parse_shuffle` reads."""
    return [next(word for word, known in _SHUFFLE.items() if known is value or known == value is not True)]


SHUFFLE_CHOICES = tuple(_SHUFFLE)
