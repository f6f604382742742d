"""Word lists: negators, and named stop lists."""

from __future__ import annotations

NEGATORS = (
    "cannot", "neither", "never", "no", "nobody", "none", "nor", "not", "nothing", "nowhere", "without",
)  # fmt: skip
# "don't" and the like as the token patterns split them: don and t, or don alone.
NEGATED_STEMS = (
    "ain", "aren", "couldn", "didn", "doesn", "don", "hadn", "hasn", "haven", "isn", "mustn", "needn", "shan",
    "shouldn", "wasn", "weren", "wouldn",
)  # fmt: skip
NEGATION_PIVOTS = (*NEGATORS, *NEGATED_STEMS)


def named_stop_words(name: str) -> tuple[str, ...]:
    """Return a stop list in alphabetical order; ``"english"`` is scikit-learn's.

    scikit-learn maintains the list; it is imported on use.

    Raises
    ------
    ValueError
        If there is no list of this name.

    Examples
    --------
    >>> from textperceptron.settings.word_lists import named_stop_words
    >>> named_stop_words("english")[:3]
    ('a', 'about', 'above')
    """
    if name != "english":
        raise ValueError(f"not a built-in stop list: {name}; use 'english' or a list of words")
    from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS

    return tuple(sorted(ENGLISH_STOP_WORDS))
