"""All settings of a text classifier, each declared once; learners register theirs; recipes name combinations."""

from textperceptron.settings.corpus_columns import CorpusColumns
from textperceptron.settings.fields import setting
from textperceptron.settings.learner import (
    LearnerSettings,
    Multiclass,
    Shuffle,
    learners,
    register_learner,
    unregister_learner,
)
from textperceptron.settings.recipes import (
    DEFAULT_RECIPE,
    RECIPES,
    RecipeName,
    Settings,
    recipe,
    setting_fields,
    setting_types,
)
from textperceptron.settings.text import TextSettings, WindowSettings

__all__ = [
    "DEFAULT_RECIPE",
    "RECIPES",
    "CorpusColumns",
    "LearnerSettings",
    "Multiclass",
    "RecipeName",
    "Settings",
    "Shuffle",
    "TextSettings",
    "WindowSettings",
    "learners",
    "recipe",
    "register_learner",
    "setting",
    "setting_fields",
    "setting_types",
    "unregister_learner",
]
