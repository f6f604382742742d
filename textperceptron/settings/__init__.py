"""Settings of a text classifier: what a document becomes, what learns from it, and names for good combinations."""

from textperceptron.settings.learner_part import LearnerName, LearnerPart, Multiclass
from textperceptron.settings.named import DEFAULT_RECIPE, RECIPES, RecipeName, recipe
from textperceptron.settings.settings import Settings
from textperceptron.settings.text_part import TextPart

__all__ = [
    "DEFAULT_RECIPE",
    "RECIPES",
    "LearnerName",
    "LearnerPart",
    "Multiclass",
    "RecipeName",
    "Settings",
    "TextPart",
    "recipe",
]
