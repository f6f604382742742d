"""Names of conjunctions, such as ``excellent-and-not``, and lookup of conjunctions and pivots by name."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from itertools import islice
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from textperceptron.text.tokenize import JOINT

if TYPE_CHECKING:
    from textperceptron.text.conjunctions.table import ConjunctionTable

MAX_CANDIDATES = 50_000  # names that are searched for a similar one


def conjunction_name(*words: str) -> str:
    """Return the name of a conjunction: its words in alphabetical order, joined by ``-and-``.

    Words that are conjunctions themselves are split, so a name with its words in any order yields the canonical name.

    Examples
    --------
    >>> from textperceptron.text.conjunctions.names import conjunction_name
    >>> conjunction_name("terrible", "not")
    'not-and-terrible'
    >>> conjunction_name("terrible-and-not")
    'not-and-terrible'
    """
    return JOINT.join(sorted(JOINT.join(words).split(JOINT)))


def conjunction_names(names: Sequence[str], conjunctions: npt.NDArray[np.integer]) -> Iterator[str]:
    """Yield the name of each conjunction, given as a row of indices of names."""
    in_order = np.argsort(np.argsort(np.array(names, object), kind="stable"))
    rank = in_order[conjunctions]
    ordered = np.take_along_axis(conjunctions, np.argsort(rank, axis=1, kind="stable"), axis=1)
    return (JOINT.join([names[number] for number in row]) for row in ordered.tolist())


def unknown_words(words: Iterable[str], known: Collection[str]) -> str:
    """Describe unknown words for a message, each with the most similar known one.

    Examples
    --------
    >>> from textperceptron.text.conjunctions.names import unknown_words
    >>> unknown_words(["nott", "zzz"], ["not", "never"])
    "'nott' (did you mean 'not'?), 'zzz'"
    """
    candidates = list(islice(known, MAX_CANDIDATES))

    def described(word: str) -> str:
        near = get_close_matches(word, candidates, 1)
        return f"{word!r} (did you mean {near[0]!r}?)" if near else repr(word)

    return ", ".join(map(described, words))


def columns_by_name(names: Sequence[str]) -> dict[str, int]:
    """Return the column of each name, the first if a name occurs twice."""
    return {name: column for column, name in reversed(list(enumerate(names)))}


def find_conjunction(name: str, columns: Mapping[str, int], table: ConjunctionTable) -> int:
    """Return the number of a conjunction.

    Raises
    ------
    KeyError
        If the conjunction does not exist; the message says whether its words are unknown or it was not chosen.
    """
    for words in _readings(name):
        if all(word in columns for word in words):
            number = _number(table, [columns[word] for word in words])
            if number is not None:
                return number
    unknown = [word for word in name.split(JOINT) if word not in columns]
    reason = f"there is no column {unknown_words(unknown, columns)}" if unknown else "it was not chosen by fit"
    raise KeyError(f"{name!r} is not a column: {reason}.")


def _readings(name: str) -> Iterator[list[str]]:
    """Yield the ways to split a name into two or three words: a word may contain ``-and-`` itself."""
    parts = name.split(JOINT)
    for first in range(1, len(parts)):
        yield [JOINT.join(parts[:first]), JOINT.join(parts[first:])]
        for second in range(first + 1, len(parts)):
            yield [JOINT.join(parts[:first]), JOINT.join(parts[first:second]), JOINT.join(parts[second:])]


def _number(table: ConjunctionTable, columns: list[int]) -> int | None:
    words = np.sort([word for column in columns for word in np.flatnonzero(table.columns == column)])
    if len(words) != len(columns):
        return None
    if len(words) == 3:
        found = np.flatnonzero((table.triples == words).all(axis=1))
        return len(table.partners) + int(found[0]) if len(found) else None
    if words[0] + 1 >= len(table.pair_starts):
        return None
    start, stop = table.pair_starts[words[0] : words[0] + 2].tolist()
    number = start + int(np.searchsorted(table.partners[start:stop], words[1]))
    return number if number < stop and table.partners[number] == words[1] else None


def pivot_columns(pivots: Any, n_columns: int, names: Sequence[str] | None) -> npt.NDArray[np.int64]:
    """Return the columns of pivots, given by number or name, distinct and ascending.

    Examples
    --------
    >>> from textperceptron.text.conjunctions.names import pivot_columns
    >>> pivot_columns(["not", 0], 3, ["film", "not", "good"])
    array([0, 1])

    Raises
    ------
    ValueError
        If a pivot is not a column; the message lists all of these, with similar names.
    """
    if isinstance(pivots, str) or not isinstance(pivots, Iterable):
        raise ValueError(f"pivots={pivots!r}: use a list of columns, e.g. [{pivots!r}].")
    pivots = list(pivots)
    if not pivots:
        raise ValueError("pivots is empty, so there would be no conjunctions. Use None for conjunctions of any words.")
    words = [pivot for pivot in pivots if isinstance(pivot, str)]
    numbers = [pivot for pivot in pivots if not isinstance(pivot, str)]
    wrong = [number for number in numbers if not _is_column(number, n_columns)]
    if wrong:
        raise ValueError(
            f"pivots has {', '.join(map(repr, wrong))}: use numbers of columns from 0 to {n_columns - 1}, or "
            "names of columns."
        )
    return np.unique(np.array([*numbers, *_columns_of(words, names)], np.int64))


def _columns_of(words: list[str], names: Sequence[str] | None) -> list[int]:
    if not words:
        return []
    if names is None:
        raise ValueError(
            f"pivots has words ({', '.join(map(repr, words[:3]))}), but the columns of X have no names. Pass "
            "feature_names=vectoriser.get_feature_names_out(), or numbers of columns; inside a pipeline, "
            "BagOfWords(conjunctions=WordPairs(pivots=...)) takes words."
        )
    column = {name: number for number, name in enumerate(names)}
    if unknown := [word for word in words if word not in column]:
        raise ValueError(f"pivots that are not columns: {unknown_words(unknown, column)}.")
    return [column[word] for word in words]


def _is_column(number: object, n_columns: int) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool) and 0 <= int(number) < n_columns
