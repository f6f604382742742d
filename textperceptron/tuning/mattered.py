"""Which settings made a difference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from textperceptron.tuning.metric import Metric
from textperceptron.tuning.space import Space, as_json_line, value_of
from textperceptron.tuning.trial import Trial


@dataclass(frozen=True, slots=True)
class ValueReport:
    """What the best trial with one value of a setting lacks.

    Attributes
    ----------
    value
        As JSON has it.
    lost : float
        By how much the winner is better, on the folds that this trial was measured on.
    n_folds : int
        How many these are.
    n_trials : int
        Trials that had this value.
    is_winner : bool
        Whether it is the winner's own.
    """

    value: Any
    lost: float
    n_folds: int
    n_trials: int
    is_winner: bool


@dataclass(frozen=True, slots=True)
class SettingReport:
    """The values of a setting: the winner's own, then those that were measured on the most folds, the best first."""

    name: str
    values: tuple[ValueReport, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        return {"name": self.name, "values": [asdict(each) for each in self.values]}


def what_mattered(space: Space, trials: Sequence[Trial], best: Trial, metric: Metric) -> tuple[SettingReport, ...]:
    """Return the settings of which several values were tried.

    A value is judged by one trial, the best that has it among those on the most folds, beside the winner on the same
    folds: what comes of the other settings is left to that trial. No more can be said without trying all combinations.
    First come the settings whose second value was measured on the most folds; of these, the one that loses most by it.
    """
    measured = [trial for trial in trials if trial.confusions]
    reports = []
    for name in space.values:
        having: dict[str, list[Trial]] = {}
        for trial in (trial for trial in measured if name not in space.idle(trial.settings)):
            having.setdefault(repr(value_of(trial.settings, name)), []).append(trial)
        if len(having) > 1:
            values = [_value_report(name, each, best, metric) for each in having.values()]
            reports.append(SettingReport(name, tuple(sorted(values, key=_surest_first))))
    return tuple(sorted(reports, key=lambda report: (-report.values[1].n_folds, -report.values[1].lost)))


def _surest_first(report: ValueReport) -> tuple[bool, int, float]:
    return not report.is_winner, -report.n_folds, report.lost


def _value_report(name: str, trials: Sequence[Trial], best: Trial, metric: Metric) -> ValueReport:
    def lost(trial: Trial) -> float:
        return best.value(metric, trial.folds) - trial.value(metric)

    chosen = min(trials, key=lambda trial: (trial is not best, -len(trial.folds), lost(trial), trial.number))
    value = as_json_line(value_of(chosen.settings, name), name)
    return ValueReport(value, lost(chosen), len(chosen.folds), len(trials), chosen is best)
