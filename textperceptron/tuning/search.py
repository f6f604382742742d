"""Successive halving, in waves of candidates around the best settings so far."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import chain, islice
from threading import Event
from typing import Any, Literal

import numpy as np

from textperceptron._parallel import CancelledError, ordered_map
from textperceptron.model.cross_validation import CrossValidation
from textperceptron.settings import Settings
from textperceptron.tuning.journal import Entry, Journal
from textperceptron.tuning.metric import Metric
from textperceptron.tuning.space import Space, as_json_line
from textperceptron.tuning.trial import Status, Trial

StoppedBy = Literal["trials", "time", "space", "interrupted"]
Callback = Callable[[Trial], None]
Task = tuple[Trial, int]

WAVE_SIZE = 8  # candidates that compete
# Fraction of a wave that differs from the best settings in one respect; the others differ in several.
ONE_CHANGE = 3 / 4

# A stream of random numbers that neither training nor the splits use.
_WAVES = (1 << 33) + 2


@dataclass
class Search:
    """State of a search.

    The first trial is the starting settings, measured on all folds regardless of the time. Waves of candidates follow:
    all are measured on one fold, the better half on more, and so on; the last ones on all folds. The best trial on all
    folds is the base of the next wave. Decisions depend only on measurements, and each measurement only on its settings
    and fold, so neither the number of threads nor an interruption changes the result.
    """

    space: Space
    validation: CrossValidation
    metric: Metric
    n_folds: int
    journal: Journal
    seed: int = 0
    max_trials: int | None = None
    max_seconds: float | None = None
    jobs: int = 1
    callback: Callback | None = None
    trials: list[Trial] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._start = time.monotonic() - self.journal.elapsed
        self._cancelled = Event()
        self._seen: set[Settings] = set()

    @property
    def seconds(self) -> float:
        """Seconds since the search first started, including those before an interruption."""
        return time.monotonic() - self._start

    @property
    def best(self) -> Trial:
        """The best trial on all folds; the first one of a tie."""
        return max(self._measured(), key=lambda trial: (trial.value(self.metric), -trial.number))

    def run(self) -> StoppedBy:
        """Search until the budget or the space is exhausted.

        Raises
        ------
        ValueError
            If the starting settings cannot be trained on these texts.
        KeyboardInterrupt
            If Ctrl-C came before the starting settings were measured.
        """
        first = self._add_trial(self.space.start)
        self._measure([first], self.n_folds, ignore_time=True)
        if first.error is not None:
            raise ValueError(first.error)
        self._finish(first, "measured")
        try:
            return self._run_waves()
        except KeyboardInterrupt:
            return "interrupted"
        finally:
            self.trials = [trial for trial in self.trials if trial.confusions or trial.error]

    def _run_waves(self) -> StoppedBy:
        for number in range(1 << 31):
            if self.max_trials is not None and len(self.trials) >= self.max_trials:
                return "trials"
            size = WAVE_SIZE if self.max_trials is None else min(WAVE_SIZE, self.max_trials - len(self.trials))
            wave = [self._add_trial(settings) for settings in self._candidates(number, size)]
            if not wave:
                return "space"
            if not self._halve(wave):
                return "time"
        raise AssertionError("there are fewer settings than waves")

    def _candidates(self, wave: int, size: int) -> list[Settings]:
        random = np.random.default_rng([self.seed, _WAVES, wave])
        return find_candidates(self.space, self.best.settings, self._seen, size, random)

    def _add_trial(self, settings: Settings) -> Trial:
        self._seen.add(settings)
        trial = Trial(len(self.trials) + 1, settings, settings.differences(self.space.start))
        self.trials.append(trial)
        return trial

    def _halve(self, wave: Sequence[Trial]) -> bool:
        """Measure a wave on more and more folds, halving it each time; return False if the time is over."""
        candidates = list(wave)
        for n_folds in rungs(self.n_folds):
            if not self._measure(candidates, n_folds):
                return False
            for trial in [trial for trial in candidates if trial.error is not None]:
                candidates.remove(trial)
                self._finish(trial, "failed")
            candidates.sort(key=lambda trial: (-trial.value(self.metric), trial.number))
            if n_folds < self.n_folds:
                n_kept = (len(candidates) + 1) // 2
                for trial in sorted(candidates[n_kept:], key=lambda trial: trial.number):
                    self._finish(trial, "eliminated")
                del candidates[n_kept:]
        for trial in sorted(candidates, key=lambda trial: trial.number):
            self._finish(trial, "measured")
        return True

    def _finish(self, trial: Trial, status: Status) -> None:
        trial.status = status
        self._notify(trial)

    def _measured(self) -> list[Trial]:
        return [trial for trial in self.trials if trial.status == "measured"]

    def _is_late(self) -> bool:
        return self.max_seconds is not None and self.seconds >= self.max_seconds

    def _notify(self, trial: Trial) -> None:
        if self.callback is not None:
            self.callback(trial)

    def _measure(self, trials: Sequence[Trial], n_folds: int, *, ignore_time: bool = False) -> bool:
        """Measure trials on the first ``n_folds`` folds; return False if the time is over."""
        tasks = [(trial, fold) for trial in trials for fold in range(n_folds) if fold not in trial.confusions]
        tasks = grouped_by_text(tasks)
        with closing(self._evaluate(tasks, ignore_time)) as entries:
            for (trial, fold), entry in zip(tasks, entries, strict=True):
                if entry is None:
                    return False
                if entry.confusion is None:
                    trial.error = trial.error or entry.error
                else:
                    trial.confusions[fold] = entry.confusion
                self._notify(trial)
        return True

    def _evaluate(self, tasks: Sequence[Task], ignore_time: bool) -> Generator[Entry | None, None, None]:
        """Yield the evaluations of tasks in order; None once the time is over."""

        def work(_: None, task: Task) -> Entry | None:
            if self._cancelled.is_set() or (not ignore_time and self._is_late() and self._known(task) is None):
                return None
            return self._entry(task)

        yield from ordered_map(
            work, tasks, [None] * self.jobs,
            depth=None if self.jobs == 1 else len(tasks), on_cancel=self._cancelled.set,
        )  # fmt: skip

    def _known(self, task: Task) -> Entry | None:
        trial, fold = task
        return self.journal.find(_changes_as_json(trial), fold)

    def _entry(self, task: Task) -> Entry:
        trial, fold = task
        if (known := self._known(task)) is not None:
            return known
        try:
            confusion, error = self.validation.evaluate(trial.settings, fold, self._check_cancelled), None
        except ValueError as problem:  # these settings cannot be trained on these texts
            confusion, error = None, str(problem)
        entry = Entry(confusion, error, self.seconds)
        self.journal.add(_changes_as_json(trial), fold, entry)
        return entry

    def _check_cancelled(self, progress: Any) -> None:
        if self._cancelled.is_set():
            raise CancelledError


def find_candidates(
    space: Space, base: Settings, seen: Collection[Settings], size: int, random: np.random.Generator
) -> list[Settings]:
    """Return ``size`` new candidates around ``base``, fewer if there are no more.

    Most differ from ``base`` in one setting, in the order of the space, which shows the effect of that setting; the
    others are drawn at random, because some settings are good only in combination.
    """
    found: list[Settings] = []

    def new(candidates: Iterator[Settings]) -> Iterator[Settings]:
        return (each for each in candidates if each not in seen and each not in found)

    for candidate in islice(new(space.one_change(base)), max(1, int(size * ONE_CHANGE))):
        found.append(candidate)
    for candidate in chain(new(space.drawn(base, random)), new(space.one_change(base))):
        if len(found) >= size:
            break
        found.append(candidate)
    return found


def rungs(n_folds: int) -> list[int]:
    """Return the number of folds at each step of successive halving.

    Examples
    --------
    >>> rungs(5), rungs(10), rungs(2)
    ([1, 2, 5], [1, 2, 5, 10], [1, 2])
    """
    steps = [n_folds]
    while steps[0] > 1:
        steps.insert(0, steps[0] // 2)
    return steps


def grouped_by_text(tasks: Sequence[Task]) -> list[Task]:
    """Sort tasks so that those with the same terms are adjacent and, among these, those with the same rows."""
    terms: dict[Any, int] = {}
    rows: dict[Any, int] = {}
    for trial, _ in tasks:
        terms.setdefault(trial.settings.text.terms_only(), len(terms))
        rows.setdefault(trial.settings.text, len(rows))

    def key(task: Task) -> tuple[int, int, int]:
        trial, fold = task
        return terms[trial.settings.text.terms_only()], rows[trial.settings.text], fold

    return sorted(tasks, key=key)


def _changes_as_json(trial: Trial) -> dict[str, Any]:
    return {name: as_json_line(value, name) for name, value in trial.changes.items()}
