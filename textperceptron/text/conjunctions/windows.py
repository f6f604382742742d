"""Conjunctions of words that are near each other in a text, made before there are columns."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral

import numpy as np

from textperceptron.text.conjunctions.names import JOINT
from textperceptron.text.vocabulary import Vocabulary
from textperceptron.text.word_lists import NEGATION_PIVOTS


@dataclass(frozen=True)
class WindowSettings:
    """Which words of a document form conjunctions.

    Attributes
    ----------
    pivots : tuple of str or None
        One of the two words has to be among these; None for no such limit.
    window : int or None
        How many tokens apart the two may be, 1 for neighbours; None for anywhere in the document.
    """

    pivots: tuple[str, ...] | None
    window: int | None

    def check(self) -> None:
        """Raise on invalid values.

        Raises
        ------
        ValueError
            With the setting, its value and the valid ones.
        """
        window = self.window
        if window is not None and (isinstance(window, bool) or not isinstance(window, Integral) or window < 1):
            raise ValueError(f"window={window!r}: use a number of tokens from 1 on, or None for the whole document.")
        if self.pivots is None and window is None:
            raise ValueError(
                "conjunctions with neither pivots nor window would join all words of a document with all. Give "
                "one of them, or count words and use Conjunctions(min_df=...)."
            )
        if self.pivots is not None and len(self.pivots) == 0:
            raise ValueError("pivots is empty, so nothing would be joined. Use None for no such limit.")
        wrong = [pivot for pivot in self.pivots or () if not isinstance(pivot, str)]
        if wrong:
            raise ValueError(f"pivots holds {', '.join(map(repr, wrong))}: use words, the columns are not known yet.")

    @property
    def description(self) -> str:
        """Which words are joined, for messages."""
        near = "two different words" + ("" if self.window is None else f" at most {self.window} tokens apart")
        if self.pivots is None:
            return near
        some = ", ".join(map(repr, self.pivots[:3])) + (" …" if len(self.pivots) > 3 else "")
        return f"{near}, one of them among {some}"

    @property
    def reach(self) -> int:
        """Most tokens that two words may be apart."""
        return np.iinfo(np.int32).max if self.window is None else int(self.window)

    @cached_property
    def pivot_vocabulary(self) -> Vocabulary:
        """The pivots, for compiled code."""
        return Vocabulary.from_names(sorted(set(self.pivots or ())))


def window_settings(pivots: str | Collection[str] | None = "negators", window: int | None = 4) -> WindowSettings:
    """Return checked settings.

    Parameters
    ----------
    pivots : "negators", collection of str or None
        One of the two words has to be among these; ``"negators"`` are *not*, *never*, *no*, *without* and the like, and
        the stems of *don't*, *isn't* and their kind. None for no such limit.
    window : int or None
        How many tokens apart the two may be; None for anywhere in the document.

    Raises
    ------
    ValueError
        If they are invalid.

    Examples
    --------
    >>> from textperceptron.text.conjunctions.windows import window_settings
    >>> window_settings(["not"], 2)
    WindowSettings(pivots=('not',), window=2)
    """
    if isinstance(pivots, str):
        if pivots != "negators":
            raise ValueError(f"pivots={pivots!r}: use 'negators' or a list of words, e.g. [{pivots!r}].")
        pivots = NEGATION_PIVOTS
    settings = WindowSettings(None if pivots is None else tuple(pivots), window)
    settings.check()
    return settings


def join_tokens(tokens: Sequence[str], settings: WindowSettings) -> list[str]:
    """Return the names of the conjunctions in a list of tokens, in plain Python.

    Examples
    --------
    >>> from textperceptron.text.conjunctions.windows import WindowSettings, join_tokens
    >>> join_tokens(["not", "so", "very", "good"], WindowSettings(pivots=("not",), window=2))
    ['not-and-so', 'not-and-very']
    """
    pivots = None if settings.pivots is None else frozenset(settings.pivots)
    return [
        JOINT.join(sorted((token, other)))
        for i, token in enumerate(tokens)
        for other in tokens[i + 1 : i + 1 + settings.reach]
        if token != other and (pivots is None or token in pivots or other in pivots)
    ]
