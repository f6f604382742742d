"""Both parts together, changed by name, written to JSON and read back."""

from __future__ import annotations

from dataclasses import dataclass, field, fields, replace
from typing import Any

from textperceptron.settings.learner_part import LearnerPart
from textperceptron.settings.strict import as_json, from_json
from textperceptron.settings.text_part import TextPart


@dataclass(frozen=True)
class Settings:
    """How a text classifier is made: a text part and a learner part, both checked when they are made.

    Examples
    --------
    >>> from textperceptron.settings import Settings, recipe
    >>> settings = recipe("mira").changed(ngram_range=(1, 3), max_iter=5)
    >>> settings.text.ngram_range, settings.learner.C, settings.learner.max_iter
    ((1, 3), 0.01, 5)
    >>> Settings.from_json(settings.as_json()) == settings
    True
    """

    text: TextPart = field(default_factory=TextPart)
    learner: LearnerPart = field(default_factory=LearnerPart)

    def changed(self, **changes: Any) -> Settings:
        """Return settings with some values replaced; their names are those of the parts.

        What they leave without a meaning, and is not asked for, gives way: characters, say, are not negated.

        Raises
        ------
        ValueError
            If there is no such name, or a value makes no sense.
        """
        changes = self.text.giving_way(changes) | changes
        parts = {part.name: getattr(self, part.name) for part in fields(self)}
        for part, values in parts.items():
            mine = {name: changes.pop(name) for name in [each.name for each in fields(values)] if name in changes}
            parts[part] = replace(values, **mine)
        if changes:
            raise ValueError(f"there is no setting called {next(iter(changes))!r}. There are {', '.join(names())}.")
        return Settings(**parts)

    def as_json(self) -> dict[str, Any]:
        """Return the settings as JSON can hold them."""
        written: dict[str, Any] = as_json(self)
        return written

    @classmethod
    def from_json(cls, values: Any) -> Settings:
        """Return the settings that :meth:`as_json` wrote.

        Raises
        ------
        ValueError
            If a value is missing, unknown, of another type or makes no sense.
        """
        return from_json(cls, values, "settings")


def names() -> list[str]:
    """Return the names of all settings."""
    return [each.name for part in (TextPart, LearnerPart) for each in fields(part)]
