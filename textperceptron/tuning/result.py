"""What a search has found, and how."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from textperceptron.model import TextModel
from textperceptron.model.classes import Label
from textperceptron.settings import Settings
from textperceptron.tuning.mattered import SettingReport
from textperceptron.tuning.metric import Metric, Score
from textperceptron.tuning.search import StoppedBy
from textperceptron.tuning.space import as_json_line
from textperceptron.tuning.trial import Trial


@dataclass(frozen=True, eq=False)
class Tuned:
    """The best settings, and everything that was tried.

    The score of the best of many is a little better than what it will be on other texts, since it was chosen for it:
    keep a test split that no search has seen.

    Attributes
    ----------
    settings : Settings
        The best.
    score : Score
        Their metric over all folds, with its 95 % confidence interval.
    start_score : Score
        That of the settings that the search began with; never above ``score``.
    best : Trial
    trials : tuple of Trial
    mattered : tuple of SettingReport
        Per setting, what other values lose.
    metric : Metric
    label : str, int, bool or None
        Whose F1 it is.
    n_folds, seed : int
    seconds : float
        Those before an interruption too.
    stopped_by : {"trials", "time", "space", "interrupt"}
    """

    settings: Settings
    score: Score
    start_score: Score
    best: Trial
    trials: tuple[Trial, ...]
    mattered: tuple[SettingReport, ...]
    metric: Metric
    label: Label | None
    n_folds: int
    seed: int
    seconds: float
    stopped_by: StoppedBy

    @property
    def n_evaluations(self) -> int:
        """Models that were trained, one for each fold of each trial."""
        return sum(len(trial.confusions) for trial in self.trials)

    def train(self, texts: Iterable[Any], labels: Iterable[Any], **options: Any) -> TextModel:
        """Train a model with the best settings; options are those of :meth:`textperceptron.TextModel.train`."""
        return TextModel.train(texts, labels, self.settings, **options)

    def table(self) -> list[dict[str, Any]]:
        """Return a dictionary for each trial, as JSON has it: for a data frame, or to be printed."""
        return [self._row(trial) for trial in self.trials]

    def _row(self, trial: Trial) -> dict[str, Any]:
        return {
            "trial": trial.number,
            "changes": {name: as_json_line(value, name) for name, value in trial.changes.items()},
            "folds": len(trial.confusions),
            "score": trial.value(self.metric) if trial.confusions else None,
            "standing": trial.standing,
            "error": trial.error,
        }

    def as_dict(self) -> dict[str, Any]:
        """Return all of it as JSON has it."""
        return {
            "metric": self.metric.name,
            "label": self.label,
            "folds": self.n_folds,
            "seed": self.seed,
            "score": self.score.as_dict(),
            "start_score": self.start_score.as_dict(),
            "best": self.best.number,
            "settings": self.settings.as_json(),
            "trials": self.table(),
            "mattered": [report.as_dict() for report in self.mattered],
            "evaluations": self.n_evaluations,
            "seconds": self.seconds,
            "stopped_by": self.stopped_by,
        }
