"""From a name, in any order of its words, to the conjunction."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from textperceptron.text.conjunctions.names import JOINT, unknown_words
from textperceptron.text.conjunctions.table import ConjunctionTable


def columns_by_name(names: Sequence[str]) -> dict[str, int]:
    """Return the column of each name; of a name that comes twice, the first."""
    return {name: column for column, name in reversed(list(enumerate(names)))}


def find_conjunction(name: str, columns: Mapping[str, int], table: ConjunctionTable) -> int:
    """Return the number of a conjunction.

    Raises
    ------
    KeyError
        If there is none of that name; the message says whether its words are unknown, or it was not chosen.
    """
    for words in _readings(name):
        if all(word in columns for word in words):
            number = _number(table, [columns[word] for word in words])
            if number is not None:
                return number
    unknown = [word for word in name.split(JOINT) if word not in columns]
    reason = f"no column is called {unknown_words(unknown, columns)}" if unknown else "it was not chosen by fit"
    raise KeyError(f"{name!r} is no column: {reason}.")


def _readings(name: str) -> Iterator[list[str]]:
    """Yield the ways to read a name as two or three words: a word may hold ``-and-`` itself."""
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
    place = start + int(np.searchsorted(table.partners[start:stop], words[1]))
    return place if place < stop and table.partners[place] == words[1] else None
