"""Which words of a text are joined: a parameter of the vectorisers."""

from __future__ import annotations

from collections.abc import Collection

from sklearn.base import BaseEstimator

from textperceptron.settings import WindowSettings


class WordPairs(BaseEstimator):  # type: ignore[misc]
    """Which words ``BagOfWords(conjunctions=...)`` joins: those near each other, or near certain words.

    A pair is one more term of the vocabulary, called ``good-and-not`` whichever word came first, and counted
    once for every two places where its words stand. So ``window=None`` gives the product of the words' counts,
    as :class:`Conjunctions` does. Words are what the token pattern makes of the text, less stop words; a word
    is not joined with itself.

    Parameters
    ----------
    pivots : "negators", collection of str or None, default="negators"
        One word of a pair has to be among these; ``"negators"`` are *not*, *never*, *no*, *without* and the
        like, and the stems of *don't*, *isn't* and their kind. None for no such limit.
    window : int or None, default=4
        How many tokens apart the two may be, 1 for neighbours; None for anywhere in the document.

    Examples
    --------
    >>> from textperceptron import BagOfWords, WordPairs
    >>> bag = BagOfWords(conjunctions=WordPairs(pivots=["not"], window=2))
    >>> bag.fit(["not a very good film"]).get_feature_names_out()
    array(['not', 'very', 'good', 'film', 'not-and-very', 'good-and-not'],
          dtype=object)
    """

    def __init__(self, pivots: str | Collection[str] | None = "negators", window: int | None = 4) -> None:
        self.pivots = pivots
        self.window = window

    def settings(self) -> WindowSettings:
        """Return the settings of the engine, checked.

        Returns
        -------
        WindowSettings

        Raises
        ------
        ValueError
            If they make no sense.
        """
        return WindowSettings(self.pivots, self.window)  # type: ignore[arg-type]  # it converts them
