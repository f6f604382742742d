"""Recipes: settings that have a name."""

from __future__ import annotations

from typing import Literal

from textperceptron.settings.learner_part import LearnerPart
from textperceptron.settings.settings import Settings
from textperceptron.settings.text_part import TextPart
from textperceptron.text.settings import WORDS_AND_PUNCTUATION

RecipeName = Literal["best", "mira", "averaged", "perceptron"]

_UNI_AND_BIGRAMS = TextPart(ngram_range=(1, 2), binary=True)

RECIPES: dict[RecipeName, Settings] = {
    # Every choice was made on folds of several corpora: docs/accuracy.md has the figures.
    "best": Settings(
        TextPart(
            token_pattern=WORDS_AND_PUNCTUATION, ngram_range=(1, 2), negation=True, prefixes=6, binary=True, norm="l2"
        ),
        LearnerPart(
            learner="arow", r=0.7, max_iter=5, multiclass="auto",
            column_weight="auto", ratio_binary=True, ratio_balanced=True, interpolation=0.4,
        ),
    ),
    "mira": Settings(_UNI_AND_BIGRAMS, LearnerPart(learner="mira", C=0.01)),
    "averaged": Settings(_UNI_AND_BIGRAMS, LearnerPart(learner="averaged")),
    "perceptron": Settings(_UNI_AND_BIGRAMS, LearnerPart(learner="perceptron")),
}  # fmt: skip
DEFAULT_RECIPE: RecipeName = "best"
"""The recipe of those who name none."""


def recipe(name: str = DEFAULT_RECIPE) -> Settings:
    """Return the settings of a recipe.

    ===========  =====================================================================================================
    best         presence of words (negated ones marked), prefixes, punctuation and pairs of neighbours,
                 rows of length 1, log-count ratios, AROW, 5 epochs, interpolated; more than two classes one-vs-all
    mira         presence of words and pairs of neighbours, averaged MIRA (PA-I, C = 0.01), 10 epochs
    averaged     the same with the averaged perceptron
    perceptron   the same with the perceptron
    ===========  =====================================================================================================

    Raises
    ------
    ValueError
        If there is none of this name.

    Examples
    --------
    >>> from textperceptron.settings import recipe
    >>> recipe("mira").learner.C
    0.01
    """
    for known, settings in RECIPES.items():
        if known == name:
            return settings
    raise ValueError(f"there is no recipe called {name!r}. There are {', '.join(RECIPES)}.")
