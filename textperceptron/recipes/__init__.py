"""Settings of a text classifier: what a document becomes, what learns from it, and names for good combinations."""

from textperceptron.recipes.learner_part import LearnerName, LearnerPart, Multiclass
from textperceptron.recipes.named import DEFAULT_RECIPE, RECIPES, recipe
from textperceptron.recipes.settings import Settings
from textperceptron.recipes.text_part import TextPart

__all__ = ["DEFAULT_RECIPE", "RECIPES", "LearnerName", "LearnerPart", "Multiclass", "Settings", "TextPart", "recipe"]
