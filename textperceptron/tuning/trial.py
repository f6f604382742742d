"""A candidate, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np

from textperceptron.settings import Settings
from textperceptron.tuning.metric import Confusion, Metric

Standing = Literal["measured", "left out", "failed", "unfinished"]


@dataclass(eq=False)
class Trial:
    """Settings that were tried.

    Attributes
    ----------
    number : int
        From 1, which is what the search begins with.
    settings : Settings
    changes : mapping
        Settings that are not those of the first trial.
    confusions : dict of fold to table
        How often each class was taken for each, in the folds that were measured.
    standing : {"measured", "left out", "failed", "unfinished"}
        On all folds; on some, because others were better; not at all, since these texts cannot be learnt so; on some,
        because the search was over.
    error : str or None
        Why it failed.
    """

    number: int
    settings: Settings
    changes: Mapping[str, Any]
    confusions: dict[int, Confusion] = field(default_factory=dict)
    standing: Standing = "unfinished"
    error: str | None = None

    @property
    def folds(self) -> list[int]:
        """Folds that were measured."""
        return sorted(self.confusions)

    def confusion(self, folds: Iterable[int] | None = None) -> Confusion:
        """Return the table of some folds together, all that were measured if none are named."""
        chosen = self.folds if folds is None else folds
        table: Confusion = np.sum([self.confusions[fold] for fold in chosen], axis=0)
        return table

    def value(self, metric: Metric, folds: Iterable[int] | None = None) -> float:
        """Return the metric over some folds, all that were measured if none are named."""
        return float(metric.value(self.confusion(folds)))
