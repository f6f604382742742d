"""Pairs of words near each other: a parameter of the vectorizers."""

from __future__ import annotations

from collections.abc import Collection

from sklearn.base import BaseEstimator

from textperceptron.estimators._docs import documented
from textperceptron.settings import WindowSettings
from textperceptron.settings.fields import declared_fields


@documented(declared_fields(WindowSettings))
class WordPairs(BaseEstimator):  # type: ignore[misc]
    """Which pairs of words ``BagOfWords(conjunctions=...)`` counts: words near each other, or near certain words.

    A pair is a further term, called ``good-and-not`` in either order of the words, and counted once per pair of
    occurrences. So with ``window=None`` its count is the product of the words' counts, as in :class:`Conjunctions`.
    Words are the tokens without stop words. A word forms no pair with itself.

    Parameters
    ----------
    {parameters}

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
        """Return the parameters as settings.

        Returns
        -------
        WindowSettings

        Raises
        ------
        ValueError
            If a value is invalid.
        """
        return WindowSettings(self.pivots, self.window)  # type: ignore[arg-type]  # it converts them
