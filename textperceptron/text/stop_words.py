"""Stop lists that have a name."""

from __future__ import annotations


def named_stop_words(name: str) -> tuple[str, ...]:
    """Return the words of a stop list in alphabetical order: of ``"english"``, which is scikit-learn's.

    The list stays where it is kept up. scikit-learn is imported when a list is asked for, and for nothing else below
    its own door.

    Raises
    ------
    ValueError
        If there is no list of this name.

    Examples
    --------
    >>> from textperceptron.text.stop_words import named_stop_words
    >>> named_stop_words("english")[:3]
    ('a', 'about', 'above')
    """
    if name != "english":
        raise ValueError(f"not a built-in stop list: {name}; use 'english' or a list of words")
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return tuple(sorted(ENGLISH_STOP_WORDS))
