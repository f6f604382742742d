"""Successive halving, in waves around the best settings so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from threading import Event
from typing import Any, Literal

import numpy as np

from textperceptron._parallel import ordered_map
from textperceptron.settings import Settings
from textperceptron.tuning.evaluator import Evaluator
from textperceptron.tuning.journal import Entry, Journal
from textperceptron.tuning.metric import Metric
from textperceptron.tuning.proposals import proposed
from textperceptron.tuning.space import Space, as_json_line
from textperceptron.tuning.trial import Trial

StoppedBy = Literal["trials", "time", "space", "interrupt"]
Watcher = Callable[[Trial], None]
Task = tuple[Trial, int]

WAVE = 8  # candidates that compete at a time

# Apart from the numbers that the engine and the splits draw with.
_WAVES = (1 << 33) + 2


class _StoppedError(Exception):
    """Somebody has pressed Ctrl-C, or the time is over, before an evaluation has begun."""


@dataclass
class Search:
    """A search under way.

    The first trial is what it begins with; it is measured on all folds before anything else, whatever the time. Then
    waves of candidates come: all are measured on one fold, the better half on more, and so on; the last ones on all
    folds. Of those on all folds, the best is what the next wave begins with. Nothing but what was measured decides, and
    each measurement depends on its settings and fold alone, so that neither the number of threads nor an interruption
    makes a difference.
    """

    space: Space
    evaluator: Evaluator
    metric: Metric
    n_folds: int
    journal: Journal
    seed: int = 0
    most_trials: int | None = None
    most_seconds: float | None = None
    jobs: int = 1
    watcher: Watcher | None = None
    trials: list[Trial] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._began = time.monotonic() - self.journal.elapsed
        self._stop = Event()
        self._seen: set[Settings] = set()

    @property
    def seconds(self) -> float:
        """Seconds that it has taken, those before an interruption too."""
        return time.monotonic() - self._began

    @property
    def best(self) -> Trial:
        """The best trial that was measured on all folds; of equal ones, the first."""
        return max(self._measured(), key=lambda trial: (trial.value(self.metric), -trial.number))

    def run(self) -> StoppedBy:
        """Search until something stops it.

        Raises
        ------
        ValueError
            If the texts cannot be learnt with the settings that it begins with.
        KeyboardInterrupt
            If Ctrl-C came before these were measured.
        """
        first = self._begin(self.space.start)
        self._measure([first], self.n_folds, in_any_case=True)
        if first.error is not None:
            raise ValueError(first.error)
        self._settle(first, "measured")
        try:
            return self._run_waves()
        except KeyboardInterrupt:
            return "interrupt"
        finally:
            self.trials = [trial for trial in self.trials if trial.confusions or trial.error]

    def _run_waves(self) -> StoppedBy:
        for number in range(1 << 31):
            if self.most_trials is not None and len(self.trials) >= self.most_trials:
                return "trials"
            size = WAVE if self.most_trials is None else min(WAVE, self.most_trials - len(self.trials))
            wave = [self._begin(settings) for settings in self._candidates(number, size)]
            if not wave:
                return "space"
            if not self._halve(wave):
                return "time"
        raise AssertionError("there are fewer settings than waves")

    def _candidates(self, wave: int, size: int) -> list[Settings]:
        random = np.random.default_rng([self.seed, _WAVES, wave])
        return proposed(self.space, self.best.settings, self._seen, size, random)

    def _begin(self, settings: Settings) -> Trial:
        self._seen.add(settings)
        trial = Trial(len(self.trials) + 1, settings, self.space.changes(settings))
        self.trials.append(trial)
        return trial

    def _halve(self, wave: Sequence[Trial]) -> bool:
        """Measure a wave on more and more folds, and the better half of it each time; return whether there was time."""
        standing = list(wave)
        for n_folds in rungs(self.n_folds):
            if not self._measure(standing, n_folds):
                return False
            for trial in [trial for trial in standing if trial.error is not None]:
                standing.remove(trial)
                self._settle(trial, "failed")
            standing.sort(key=lambda trial: (-trial.value(self.metric), trial.number))
            if n_folds < self.n_folds:
                kept = (len(standing) + 1) // 2
                for trial in sorted(standing[kept:], key=lambda trial: trial.number):
                    self._settle(trial, "left out")
                del standing[kept:]
        for trial in sorted(standing, key=lambda trial: trial.number):
            self._settle(trial, "measured")
        return True

    def _settle(self, trial: Trial, standing: Literal["measured", "left out", "failed"]) -> None:
        trial.standing = standing
        self._tell(trial)

    def _measured(self) -> list[Trial]:
        return [trial for trial in self.trials if trial.standing == "measured"]

    def _is_late(self) -> bool:
        return self.most_seconds is not None and self.seconds >= self.most_seconds

    def _tell(self, trial: Trial) -> None:
        if self.watcher is not None:
            self.watcher(trial)

    def _measure(self, trials: Sequence[Trial], n_folds: int, *, in_any_case: bool = False) -> bool:
        """Measure trials on the first folds; return whether there was time for all."""
        tasks = [(trial, fold) for trial in trials for fold in range(n_folds) if fold not in trial.confusions]
        tasks = in_order_of_text(tasks)
        with closing(self._evaluated(tasks, in_any_case)) as entries:
            for (trial, fold), entry in zip(tasks, entries, strict=True):
                if entry is None:
                    return False
                if entry.confusion is None:
                    trial.error = trial.error or entry.error
                else:
                    trial.confusions[fold] = entry.confusion
                self._tell(trial)
        return True

    def _evaluated(self, tasks: Sequence[Task], in_any_case: bool) -> Generator[Entry | None, None, None]:
        """Yield what becomes of tasks, in their order; None where there was no time."""

        def work(task: Task) -> Entry | None:
            if self._stop.is_set() or (not in_any_case and self._is_late() and self._known(task) is None):
                return None
            return self._entry(task)

        yield from ordered_map(
            lambda _, task: work(task), tasks, [None] * self.jobs,
            depth=None if self.jobs == 1 else len(tasks), on_cancel=self._stop.set,
        )  # fmt: skip

    def _known(self, task: Task) -> Entry | None:
        trial, fold = task
        return self.journal.find(_written(trial), fold)

    def _entry(self, task: Task) -> Entry:
        trial, fold = task
        if (known := self._known(task)) is not None:
            return known
        try:
            confusion, error = self.evaluator.evaluate(trial.settings, fold, self._heed), None
        except ValueError as problem:  # these texts cannot be learnt so, and never will
            confusion, error = None, str(problem)
        entry = Entry(confusion, error, self.seconds)
        self.journal.keep(_written(trial), fold, entry)
        return entry

    def _heed(self, progress: Any) -> None:
        if self._stop.is_set():
            raise _StoppedError


def rungs(n_folds: int) -> list[int]:
    """Return on how many folds candidates are measured, step by step.

    Examples
    --------
    >>> rungs(5), rungs(10), rungs(2)
    ([1, 2, 5], [1, 2, 5, 10], [1, 2])
    """
    steps = [n_folds]
    while steps[0] > 1:
        steps.insert(0, steps[0] // 2)
    return steps


def in_order_of_text(tasks: Sequence[Task]) -> list[Task]:
    """Return tasks so that those stand together that cut text alike, and among these those with the same rows."""
    terms: dict[Any, int] = {}
    parts: dict[Any, int] = {}
    for trial, _ in tasks:
        terms.setdefault(trial.settings.text.text_settings(), len(terms))
        parts.setdefault(trial.settings.text, len(parts))

    def place(task: Task) -> tuple[int, int, int]:
        trial, fold = task
        return terms[trial.settings.text.text_settings()], parts[trial.settings.text], fold

    return sorted(tasks, key=place)


def _written(trial: Trial) -> dict[str, Any]:
    return {name: as_json_line(value, name) for name, value in trial.changes.items()}
