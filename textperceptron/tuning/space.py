"""The search space: settings and their possible values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

import numpy as np

from textperceptron.settings import Settings, learners, setting_fields
from textperceptron.settings.fields import declaration_of
from textperceptron.settings.typed_json import as_json

MAX_DRAWS = 200  # candidates drawn before a space counts as searched


def default_space(*, multilabel: bool = False) -> dict[str, tuple[Any, ...]]:
    """Return the settings to search with their values, as declared; those that matter most come first.

    Texts with several labels are always trained one-vs-all, without class weights.
    """
    declared = {name: declaration for name, field in setting_fields().items() if (declaration := declaration_of(field))}
    tuned = {name: each.tune for name, each in declared.items() if each.tune}
    ranked = sorted((each for each in learners().values() if each.rank is not None), key=lambda each: each.rank or 0)
    tuned["learner"] = tuple(each.name for each in ranked)
    for name in ("multiclass", "class_weight") if multilabel else ():
        del tuned[name]
    return dict(sorted(tuned.items(), key=lambda item: declared[item[0]].rank))


@dataclass(frozen=True)
class Space:
    """The settings that a search can reach from its starting settings.

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
    ...     print(settings.differences(space.start))
    {'learner': 'arow'}
    {'C': 1.0}
    """

    start: Settings
    values: Mapping[str, Sequence[Any]]
    n_classes: int

    def __post_init__(self) -> None:
        known = setting_fields()
        for name, values in self.values.items():
            if name not in known:
                raise ValueError(f"there is no setting {name!r} to search. Use {', '.join(known)}.")
            if isinstance(values, str) or not isinstance(values, Sequence) or not len(values):
                raise ValueError(f"the values of {name!r} to search are {values!r}: give a list of them.")
            for value in values:
                as_json_line(value, name)

    def one_change(self, base: Settings) -> Iterator[Settings]:
        """Yield settings that differ from ``base`` in one setting: the first value of each, then the second values.

        A value that cannot be combined with the others is left out.
        """
        lines = [[{name: value} for value in values] for name, values in self.values.items()]
        for changes in (each for column in zip_longest(*lines) for each in column if each is not None):
            if (settings := self.changed(base, changes)) is not None and settings != base:
                yield settings

    def drawn(self, base: Settings, random: np.random.Generator) -> Iterator[Settings]:
        """Yield settings that differ from ``base`` in two settings or more, at random."""
        searched = list(self.values)
        if len(searched) < 2:
            return
        for _ in range(MAX_DRAWS):
            n = min(len(searched), 1 + int(random.geometric(0.5)))
            chosen = [searched[k] for k in random.permutation(len(searched))[:n]]
            changes = {name: self.values[name][int(random.integers(len(self.values[name])))] for name in chosen}
            if (settings := self.changed(base, changes)) is not None and settings != base:
                yield settings

    def changed(self, base: Settings, changes: Mapping[str, Any]) -> Settings | None:
        """Return ``base`` with some values replaced and unused settings reset; None if values cannot be combined."""
        try:
            return self._reset_unused(base.replace(**changes))
        except ValueError:
            return None

    def _reset_unused(self, settings: Settings) -> Settings:
        """Reset settings without an effect to their starting values, so that nothing is tried twice.

        Ratios compare one class with the others: more than two classes are then learnt one-vs-all.
        """
        learner = settings.learner
        back = {name: self.start[name] for name in self.unused(settings)}
        if self.n_classes > 2 and learner.column_weight == "log_count_ratio" and learner.multiclass == "native":
            back["multiclass"] = "one-vs-all"
        return settings.replace(**back)

    def unused(self, settings: Settings) -> set[str]:
        """Return the names of settings that the other settings make irrelevant."""
        return settings.learner.unused(self.n_classes)

    def as_json(self) -> dict[str, Any]:
        """Return the searched values as JSON, for a journal."""
        return {name: [as_json_line(value, name) for value in values] for name, values in self.values.items()}


def as_json_line(value: Any, name: str) -> Any:
    """Convert a value to JSON.

    Raises
    ------
    ValueError
        If no setting has values of its type.
    """
    written = as_json(value)
    if not isinstance(written, str | int | float | bool | list | dict | None):
        raise ValueError(f"{name!r} cannot be {value!r}: use the values that settings have.")
    return written
