"""The effect of each setting on the score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from textperceptron.tuning.metric import Metric
from textperceptron.tuning.space import Space, as_json_line
from textperceptron.tuning.trial import Trial, shortened


@dataclass(frozen=True, slots=True)
class ValueReport:
    """The best trial with one value of a setting, compared with the winner.

    Attributes
    ----------
    value
        As in JSON.
    lost : float
        By how much the winner is better, on the folds of this trial.
    n_folds : int
        Number of these folds.
    n_trials : int
        Number of trials with this value.
    is_winner : bool
        Whether it is the winner's value.
    """

    value: Any
    lost: float
    n_folds: int
    n_trials: int
    is_winner: bool


@dataclass(frozen=True, slots=True, repr=False)
class SettingReport:
    """The values of a setting: the winner's first, then by number of folds, then by score."""

    name: str
    values: tuple[ValueReport, ...]

    def __repr__(self) -> str:
        winner, *others = ((shortened(repr(each.value)), each) for each in self.values)
        losses = (f"{value} {0.0 - round(100 * each.lost, 1):+.1f} (folds: {each.n_folds})" for value, each in others)
        return f"<SettingReport {self.name}: {' · '.join([winner[0], *losses])}>"

    def as_dict(self) -> dict[str, Any]:
        """Return it as a JSON object."""
        return {"name": self.name, "values": [asdict(each) for each in self.values]}


def setting_importance(space: Space, trials: Sequence[Trial], best: Trial, metric: Metric) -> tuple[SettingReport, ...]:
    """Compare the values of every setting that was tried with more than one.

    A value is represented by one trial: the best one that has it, among those on the most folds. It is compared with
    the winner on the same folds; the other settings may differ. Only a search over all combinations could tell more.
    Settings whose second value was measured on the most folds come first; among these, the largest loss.
    """
    measured = [trial for trial in trials if trial.confusions]
    reports = []
    for name in space.values:
        by_value: dict[str, list[Trial]] = {}
        for trial in (trial for trial in measured if name not in space.unused(trial.settings)):
            by_value.setdefault(repr(trial.settings[name]), []).append(trial)
        if len(by_value) > 1:
            values = [_value_report(name, each, best, metric) for each in by_value.values()]
            reports.append(SettingReport(name, tuple(sorted(values, key=_most_certain_first))))
    return tuple(sorted(reports, key=lambda report: (-report.values[1].n_folds, -report.values[1].lost)))


def _most_certain_first(report: ValueReport) -> tuple[bool, int, float]:
    return not report.is_winner, -report.n_folds, report.lost


def _value_report(name: str, trials: Sequence[Trial], best: Trial, metric: Metric) -> ValueReport:
    def lost(trial: Trial) -> float:
        return best.value(metric, trial.folds) - trial.value(metric)

    chosen = min(trials, key=lambda trial: (trial is not best, -len(trial.folds), lost(trial), trial.number))
    value = as_json_line(chosen.settings[name], name)
    return ValueReport(value, lost(chosen), len(chosen.folds), len(trials), chosen is best)
