"""Recipes: settings that have a name."""

from __future__ import annotations

from textperceptron.recipes.learner_part import LearnerPart
from textperceptron.recipes.settings import Settings
from textperceptron.recipes.text_part import TextPart

_UNI_AND_BIGRAMS = TextPart(ngram_range=(1, 2), binary=True)

RECIPES = {
    "perceptron": Settings(_UNI_AND_BIGRAMS, LearnerPart(learner="perceptron")),
    "averaged": Settings(_UNI_AND_BIGRAMS, LearnerPart(learner="averaged")),
    "mira": Settings(_UNI_AND_BIGRAMS, LearnerPart(learner="mira", C=0.01)),
}

DEFAULT_RECIPE = "mira"
"""The recipe of those who name none."""


def recipe(name: str) -> Settings:
    """Return the settings of a recipe.

    ===========  ====================================================================
    perceptron   presence of words and pairs of neighbours, perceptron, 10 epochs
    averaged     the same with the averaged perceptron
    mira         the same with averaged MIRA (PA-I, C = 0.01)
    ===========  ====================================================================

    Raises
    ------
    ValueError
        If there is none of this name.

    Examples
    --------
    >>> from textperceptron.recipes import recipe
    >>> recipe("mira").learner.C
    0.01
    """
    if name not in RECIPES:
        raise ValueError(f"there is no recipe called {name!r}. There are {', '.join(RECIPES)}.")
    return RECIPES[name]
