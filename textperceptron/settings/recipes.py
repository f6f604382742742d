"""Settings of a text classifier; recipes, which are named settings."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import Field, dataclass, field
from typing import Any, Literal

from textperceptron.settings.fields import declared_fields, describe_value
from textperceptron.settings.learner import LearnerSettings, learner_fields, learner_types
from textperceptron.settings.text import ANY_SCRIPT, TextSettings
from textperceptron.settings.typed_json import as_json, field_types, from_json, read_fields

RecipeName = Literal["best", "fast", "mira", "averaged", "perceptron"]
DEFAULT_RECIPE: RecipeName = "best"

_PRESENCE = {"ngram_range": (1, 2), "binary": True}
# Chosen by cross-validation on several corpora: docs/accuracy.md has the figures.
_BEST = {
    "ngram_range": (1, 2), "binary": "auto", "sublinear_tf": True, "norm": "l2", "token_pattern": ANY_SCRIPT,
    "negation": True, "language": "auto", "prefixes": "auto", "characters": "auto",
    "learner": "arow", "r": "auto", "max_iter": 5, "multiclass": "auto",
    "column_weight": "auto", "ratio_binary": True, "ratio_balanced": True, "interpolation": 0.4,
    "logit_adjustment": "auto",
}  # fmt: skip
RECIPES: dict[str, dict[str, Any]] = {
    "best": _BEST,
    "fast": {**_BEST, "characters": 0},
    "mira": {**_PRESENCE, "learner": "mira", "C": 0.01},
    "averaged": {**_PRESENCE, "learner": "averaged"},
    "perceptron": {**_PRESENCE, "learner": "perceptron"},
}  # fmt: skip
"""The settings of each recipe that differ from the defaults."""


def setting_fields() -> dict[str, Field[Any]]:
    """Return all settings by name."""
    return declared_fields(TextSettings) | learner_fields()


def setting_types() -> dict[str, Any]:
    """Return the types of all settings, by name."""
    return field_types(TextSettings) | learner_types()


@dataclass(frozen=True)
class Settings:
    """Settings of a text classifier: those of the text and those of the learner.

    Examples
    --------
    >>> from textperceptron.settings import Settings, recipe
    >>> settings = recipe("mira").replace(ngram_range=(1, 3), max_iter=5)
    >>> settings.text.ngram_range, settings.learner.C, settings["max_iter"]
    ((1, 3), 0.01, 5)
    >>> Settings.from_json(settings.as_json()) == settings
    True
    """

    text: TextSettings = field(default_factory=TextSettings)
    learner: LearnerSettings = field(default_factory=LearnerSettings)

    def __getitem__(self, name: str) -> Any:
        return getattr(self.text if name in TextSettings.__dataclass_fields__ else self.learner, name)

    def values(self) -> dict[str, Any]:
        """Return all settings by name."""
        return {name: self[name] for name in setting_fields()}

    def replace(self, **changes: Any) -> Settings:
        """Return settings with some values replaced.

        A setting that a change makes incompatible is reset, unless it is given too: there is no negation of characters.

        Raises
        ------
        ValueError
            If a name is unknown or a value is invalid.
        """
        known = setting_fields()
        if unknown := [name for name in changes if name not in known]:
            raise ValueError(f"there is no setting called {unknown[0]!r}. There are {', '.join(known)}.")
        changes = self.text.drop_incompatible(changes) | changes
        of_text = {name: changes.pop(name) for name in TextSettings.__dataclass_fields__ if name in changes}
        text = dataclasses.replace(self.text, **of_text) if of_text else self.text
        return Settings(text, self.learner.replace(**changes) if changes else self.learner)

    def differences(self, base: Settings) -> dict[str, Any]:
        """Return the settings that differ from those of ``base``, by name."""
        return {name: self[name] for name in setting_fields() if self[name] != base[name]}

    def resolve_learner(self, rows_of_class: Sequence[int], n_columns: int) -> Settings:
        """Return the settings with what ``"auto"`` of the learner means for these classes and columns."""
        return dataclasses.replace(self, learner=self.learner.resolve_auto(rows_of_class, n_columns))

    def describe(self, n_classes: int | None = None) -> str:
        """Return a description in one line; defaults, and settings without effect on two classes, are left out.

        Examples
        --------
        >>> from textperceptron.settings import recipe
        >>> recipe("mira").describe()
        'uni+bigrams, presence · averaged PA-I, C = 0.01 · 10 epochs · seed 0'
        >>> recipe("perceptron").replace(negation=True, max_iter=5).describe()
        'uni+bigrams, presence, negation · perceptron · 5 epochs · seed 0'
        """
        learner, unused = self.learner, self.learner.unused(n_classes) if n_classes else set()
        of_text = declared_fields(TextSettings)
        of_learner = {name: field for name, field in declared_fields(LearnerSettings).items() if name not in unused}
        phrases = [*self.text.describe(), *_say(self.text, of_text)], [*learner.describe(), *_say(learner, of_learner)]
        epochs = f"{learner.max_iter} epoch{'s' if learner.max_iter != 1 else ''}"
        return " · ".join([*map(", ".join, phrases), epochs, f"seed {learner.seed}"])

    def as_json(self) -> dict[str, Any]:
        """Return the settings as an object of JSON."""
        return {"text": as_json(self.text), "learner": {name: as_json(value) for name, value in self.learner.items()}}

    @classmethod
    def from_json(cls, values: Any) -> Settings:
        """Return the settings in an object of JSON.

        Raises
        ------
        ValueError
            If a value is missing, unknown, of another type or invalid.
        """
        parts = read_fields(values, {"text": Any, "learner": Any}, "settings")
        learner = read_fields(parts["learner"], learner_types(), "settings.learner", optional=learner_fields())
        return cls(from_json(TextSettings, parts["text"], "settings.text"), LearnerSettings(**learner))


def _say(values: Any, fields: Mapping[str, Field[Any]]) -> Iterator[str]:
    for name, each in fields.items():
        yield from describe_value(each, getattr(values, name))


def recipe(name: str = DEFAULT_RECIPE) -> Settings:
    """Return the settings of a recipe.

    ===========  =====================================================================================================
    best         words of any script, punctuation, bigrams and character 4-grams, negation, rows of length 1, log-count
                 ratios, AROW with interpolation, 5 epochs; one-vs-all for more than two classes
    fast         the same with prefixes of words instead of character 4-grams: half the time
    mira         presence of words and bigrams, averaged MIRA (PA-I, C = 0.01), 10 epochs
    averaged     the same with the averaged perceptron
    perceptron   the same with the perceptron
    ===========  =====================================================================================================

    Raises
    ------
    ValueError
        If there is no recipe of this name.

    Examples
    --------
    >>> from textperceptron.settings import recipe
    >>> recipe("mira").learner.C
    0.01
    """
    for known, changes in RECIPES.items():
        if known == name:
            return Settings().replace(**changes)
    raise ValueError(f"there is no recipe called {name!r}. There are {', '.join(RECIPES)}.")
