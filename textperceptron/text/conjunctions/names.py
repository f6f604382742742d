"""``excellent-and-not``: how conjunctions are called and looked up."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from difflib import get_close_matches
from itertools import islice

import numpy as np
import numpy.typing as npt

JOINT = "-and-"
LOOKED_AT = 50_000  # names among which a similar one is looked for


def conjunction_name(*words: str) -> str:
    """Return the name of a conjunction: its words in alphabetical order, joined by ``-and-``.

    Words that are conjunctions themselves are taken apart, so that the name of a pair in either order, or of
    a triple in any, gives the one name that it has.

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
    """Yield the name of each conjunction, given as a row of numbers of names."""
    in_order = np.argsort(np.argsort(np.array(names, object), kind="stable"))
    rank = in_order[conjunctions]
    ordered = np.take_along_axis(conjunctions, np.argsort(rank, axis=1, kind="stable"), axis=1)
    return (JOINT.join([names[number] for number in row]) for row in ordered.tolist())


def unknown_words(words: Iterable[str], known: Collection[str]) -> str:
    """Describe words that are not among the known ones, each with the most similar that is.

    Examples
    --------
    >>> from textperceptron.text.conjunctions.names import unknown_words
    >>> unknown_words(["nott", "zzz"], ["not", "never"])
    "'nott' (did you mean 'not'?), 'zzz'"
    """
    candidates = list(islice(known, LOOKED_AT))

    def described(word: str) -> str:
        near = get_close_matches(word, candidates, 1)
        return f"{word!r} (did you mean {near[0]!r}?)" if near else repr(word)

    return ", ".join(map(described, words))
