"""Which words are joined, as users say it."""

from __future__ import annotations

from collections.abc import Collection

from textperceptron.text.conjunctions.windows import STEMS, WindowSettings
from textperceptron.text.settings import NEGATORS


def window_settings(pivots: str | Collection[str] | None = "negators", window: int | None = 4) -> WindowSettings:
    """Return the settings of the engine, checked.

    Parameters
    ----------
    pivots : "negators", collection of str or None
        One word of a pair has to be among these; ``"negators"`` are *not*, *never*, *no*, *without* and the like, and
        the stems of *don't*, *isn't* and their kind. None for no such limit.
    window : int or None
        How many tokens apart the two may be; None for anywhere in the document.

    Raises
    ------
    ValueError
        If they make no sense.

    Examples
    --------
    >>> from textperceptron.text.conjunctions.choose import window_settings
    >>> window_settings(["not"], 2)
    WindowSettings(pivots=('not',), window=2)
    """
    if isinstance(pivots, str):
        if pivots != "negators":
            raise ValueError(f"pivots={pivots!r}: use 'negators' or a list of words, e.g. [{pivots!r}].")
        pivots = (*NEGATORS, *STEMS)
    settings = WindowSettings(None if pivots is None else tuple(pivots), window)
    settings.check()
    return settings
