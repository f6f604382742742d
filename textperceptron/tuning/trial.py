"""Trials: settings and their scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from textperceptron.settings import Settings
from textperceptron.tuning.metric import Confusion, Metric

Status = Literal["measured", "eliminated", "failed", "unfinished"]

_LONGEST = 40  # characters of a value in a summary


@dataclass(eq=False, repr=False)
class Trial:
    """One candidate of a search.

    Attributes
    ----------
    number : int
        From 1, the starting settings.
    settings : Settings
    changes : mapping
        The settings that differ from the starting settings.
    confusions : dict of fold to array
        The confusion matrix of every fold measured.
    status : {"measured", "eliminated", "failed", "unfinished"}
        Measured on all folds; eliminated after some, because other candidates were better; failed, because these
        settings cannot be trained on these texts; unfinished, because the search stopped.
    error : str or None
        Why it failed.
    """

    number: int
    settings: Settings
    changes: Mapping[str, Any]
    confusions: dict[int, Confusion] = field(default_factory=dict)
    status: Status = "unfinished"
    error: str | None = None

    def __repr__(self) -> str:
        n = len(self.confusions)
        return f"<Trial {self.number}: {self.status} on {n} {'fold' if n == 1 else 'folds'}; {self.describe_changes()}>"

    def describe_changes(self) -> str:
        """Return the changed settings in a line, long values shortened."""
        changes = (f"{name}={shortened(repr(value))}" for name, value in self.changes.items())
        return ", ".join(changes) or "the starting settings"

    @property
    def folds(self) -> list[int]:
        """The folds measured."""
        return sorted(self.confusions)

    def confusion(self, folds: Iterable[int] | None = None) -> Confusion:
        """Return the summed confusion matrix of some folds, by default of all that were measured."""
        chosen = self.folds if folds is None else folds
        total: Confusion = np.sum([self.confusions[fold] for fold in chosen], axis=0)
        return total

    def value(self, metric: Metric, folds: Iterable[int] | None = None) -> float:
        """Return the metric over some folds, by default over all that were measured."""
        return float(metric.value(self.confusion(folds)))


def shortened(text: str) -> str:
    """Return the beginning of a text, for a summary."""
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
