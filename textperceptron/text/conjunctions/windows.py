"""Conjunctions of words that are near each other in a text, made before there are columns."""

from __future__ import annotations

from collections.abc import Sequence

from textperceptron.settings import WindowSettings
from textperceptron.text.conjunctions.names import JOINT

_ANYWHERE = 2**31 - 1


def max_distance(settings: WindowSettings) -> int:
    """Return the maximum distance of two words in tokens."""
    return _ANYWHERE if settings.window is None else int(settings.window)


def join_tokens(tokens: Sequence[str], settings: WindowSettings) -> list[str]:
    """Return the names of the conjunctions in a list of tokens, in plain Python.

    Examples
    --------
    >>> from textperceptron.settings import WindowSettings
    >>> from textperceptron.text.conjunctions.windows import join_tokens
    >>> join_tokens(["not", "so", "very", "good"], WindowSettings(pivots=("not",), window=2))
    ['not-and-so', 'not-and-very']
    """
    pivots = None if settings.pivots is None else frozenset(settings.pivots)
    return [
        JOINT.join(sorted((token, other)))
        for i, token in enumerate(tokens)
        for other in tokens[i + 1 : i + 1 + max_distance(settings)]
        if token != other and (pivots is None or token in pivots or other in pivots)
    ]
