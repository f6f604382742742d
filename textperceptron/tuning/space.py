"""What is searched: a table of settings with the values that they may have."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from textperceptron.settings import Settings
from textperceptron.settings.learner_part import PARAMETERS_OF
from textperceptron.settings.settings import names
from textperceptron.settings.strict import as_json
from textperceptron.text.conjunctions.windows import STEMS, WindowSettings
from textperceptron.text.settings import NEGATORS

# Those that matter most come first: a short search tries these.
SPACE: dict[str, tuple[Any, ...]] = {
    "column_weight": ("log_count_ratio", None),
    "interpolation": (None, 0.25, 0.4, 0.5),
    "norm": ("l2", None),
    "learner": ("arow", "mira", "averaged", "perceptron"),
    "ngram_range": ((1, 2), (1, 3), (1, 1)),
    "C": (0.01, 0.003, 0.03, 0.1, 0.001, 1.0),
    "r": (1.0, 0.7, 0.5, 10.0, 0.1),
    "margin": (0.0, 1.0, 10.0),
    "binary": (True, False),
    "class_weight": (None, "balanced"),
    "max_iter": (10, 20, 5),
    "min_df": (1, 2),
    "multiclass": ("native", "one-vs-all"),
    "conjunctions": (None, WindowSettings((*NEGATORS, *STEMS), 4)),
    "prefixes": (6, 0),
    "negation": (False, True),
}
"""Settings and their values. A further setting is a further line."""

OF_RATIOS = ("ratio_alpha", "ratio_binary", "ratio_balanced", "interpolation")
"""Settings that mean something with a column weight only."""

MOST_DRAWS = 200  # candidates drawn before a space counts as searched


@dataclass(frozen=True)
class Space:
    """The settings that a search can reach from where it starts.

    Attributes
    ----------
    start : Settings
    values : mapping of names of settings to sequences of values
    n_classes : int

    Examples
    --------
    >>> from textperceptron.settings import recipe
    >>> space = Space(recipe("mira"), {"learner": ("mira", "arow"), "C": (0.01, 1.0), "r": (0.1, 1.0)}, 2)
    >>> for settings in space.one_change(space.start):
    ...     print(space.changes(settings))
    {'learner': 'arow'}
    {'C': 1.0}
    """

    start: Settings
    values: Mapping[str, Sequence[Any]]
    n_classes: int

    def __post_init__(self) -> None:
        for name, values in self.values.items():
            if name not in names():
                raise ValueError(f"there is no setting called {name!r} to search. There are {', '.join(names())}.")
            if isinstance(values, str) or not isinstance(values, Sequence) or not len(values):
                raise ValueError(f"the values of {name!r} to search are {values!r}: give a list of them.")
            for value in values:
                as_json_line(value, name)

    def one_change(self, base: Settings) -> Iterator[Settings]:
        """Yield settings that differ from some in one respect: for every setting a first value, then the second ones.

        A value that does not go together with the others is left out.
        """
        lines = [[{name: value} for value in values] for name, values in self.values.items()]
        for changes in (each for column in zip_longest(*lines) for each in column if each is not None):
            if (settings := self.changed(base, changes)) is not None and settings != base:
                yield settings

    def drawn(self, base: Settings, random: np.random.Generator) -> Iterator[Settings]:
        """Yield settings that differ from some in two respects or more, by chance."""
        searched = list(self.values)
        if len(searched) < 2:
            return
        for _ in range(MOST_DRAWS):
            n = min(len(searched), 1 + int(random.geometric(0.5)))
            chosen = [searched[k] for k in random.permutation(len(searched))[:n]]
            changes = {name: self.values[name][int(random.integers(len(self.values[name])))] for name in chosen}
            if (settings := self.changed(base, changes)) is not None and settings != base:
                yield settings

    def changed(self, base: Settings, changes: Mapping[str, Any]) -> Settings | None:
        """Return settings with some values replaced and without what has no effect; None if they cannot be."""
        try:
            return self._tidied(base.changed(**changes))
        except ValueError:
            return None

    def _tidied(self, settings: Settings) -> Settings:
        """Give what has no effect the value that it has at the start, so that the same is not tried twice.

        Ratios compare one class with the others: more than two classes are then learnt one against all.
        """
        learner = settings.learner
        back = {name: getattr(self.start.learner, name) for name in self.idle(settings)}
        if self.n_classes > 2 and learner.column_weight == "log_count_ratio" and learner.multiclass == "native":
            back["multiclass"] = "one-vs-all"
        return settings.changed(**back)

    def idle(self, settings: Settings) -> set[str]:
        """Return the names of the settings that have no effect beside the others."""
        own = PARAMETERS_OF[settings.learner.learner]
        of_others = {name for of_one in PARAMETERS_OF.values() for name in of_one if name not in own}
        of_ratios = OF_RATIOS if settings.learner.column_weight is None else ()
        of_many_classes = ("multiclass", "hash_bits") if self.n_classes == 2 else ()
        return of_others.union(of_ratios, of_many_classes)

    def changes(self, settings: Settings) -> dict[str, Any]:
        """Return the settings that are not those of the start, by name."""
        return differences(self.start, settings)

    def as_json(self) -> dict[str, Any]:
        """Return it as a journal has it."""
        return {name: [as_json_line(value, name) for value in values] for name, values in self.values.items()}


def value_of(settings: Settings, name: str) -> Any:
    """Return a setting by name, whichever part has it."""
    return getattr(settings.text if hasattr(settings.text, name) else settings.learner, name)


def differences(base: Settings, settings: Settings) -> dict[str, Any]:
    """Return the settings that differ from some, by name."""
    both = ((name, value_of(settings, name)) for name in names())
    return {name: value for name, value in both if value != value_of(base, name)}


def as_json_line(value: Any, name: str) -> Any:
    """Return a value as JSON has it.

    Raises
    ------
    ValueError
        If it is of no type that settings have.
    """
    written = as_json(value)
    if not isinstance(written, str | int | float | bool | list | dict | None):
        raise ValueError(f"{name!r} cannot be {value!r}: use the values that settings have.")
    return written
