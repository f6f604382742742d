"""The function ``tune``, and its result."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textperceptron._parallel import count_jobs
from textperceptron.model import TextModel
from textperceptron.model.classes import Label, plain_labels
from textperceptron.model.cross_validation import CrossValidation
from textperceptron.model.targets import Targets
from textperceptron.report import folds as make_folds
from textperceptron.settings import DEFAULT_RECIPE, Settings, recipe
from textperceptron.text.frames import repeatable, values_of
from textperceptron.tuning.importance import SettingReport, setting_importance
from textperceptron.tuning.journal import Journal, corpus_digest
from textperceptron.tuning.metric import Metric, MetricName, Score, default_metric
from textperceptron.tuning.search import Callback, Search, StoppedBy
from textperceptron.tuning.space import Space, as_json_line, default_space
from textperceptron.tuning.trial import Trial

DEFAULT_TRIALS = 32


@dataclass(frozen=True, eq=False, repr=False)
class TuneResult:
    """The best settings, and every trial of the search.

    The score of the winner is slightly optimistic, because the winner was chosen by it: keep a test split that no
    search has seen.

    Attributes
    ----------
    settings : Settings
        The best settings.
    score : Score
        Their metric over all folds, with its 95 % confidence interval.
    start_score : Score
        The metric of the starting settings; never above ``score``.
    best : Trial
        The winner.
    trials : tuple of Trial
    importance : tuple of SettingReport
        Per setting, the loss of its other values.
    metric : Metric
    label : str, int, bool or None
        The class of ``metric="f1"``.
    n_folds, seed : int
    seconds : float
        Including those before an interruption.
    stopped_by : {"trials", "time", "space", "interrupted"}
    """

    settings: Settings
    score: Score
    start_score: Score
    best: Trial
    trials: tuple[Trial, ...]
    importance: tuple[SettingReport, ...]
    metric: Metric
    label: Label | None
    n_folds: int
    seed: int
    seconds: float
    stopped_by: StoppedBy

    def __repr__(self) -> str:
        low, high = self.score.interval
        measured = (
            f"{self.metric.name} {100 * self.score.value:.1f} % (95 % interval {100 * low:.1f}–{100 * high:.1f}), "
            f"{100 * self.start_score.value:.1f} % with the starting settings"
        )
        searched = f"{len(self.trials)} {'trial' if len(self.trials) == 1 else 'trials'} on {self.n_folds} folds"
        return f"<TuneResult: {measured}; {searched}; best: {self.best.describe_changes()}>"

    @property
    def n_evaluations(self) -> int:
        """Number of models trained: one per fold of each trial."""
        return sum(len(trial.confusions) for trial in self.trials)

    def train(self, texts: Iterable[Any], labels: Iterable[Any], **options: Any) -> TextModel:
        """Train a model with the best settings; options are those of :meth:`textperceptron.TextModel.train`."""
        return TextModel.train(texts, labels, self.settings, **options)

    def table(self) -> list[dict[str, Any]]:
        """Return one JSON object per trial, for a data frame or for printing."""
        return [self._row(trial) for trial in self.trials]

    def _row(self, trial: Trial) -> dict[str, Any]:
        return {
            "trial": trial.number,
            "changes": {name: as_json_line(value, name) for name, value in trial.changes.items()},
            "folds": len(trial.confusions),
            "score": trial.value(self.metric) if trial.confusions else None,
            "status": trial.status,
            "error": trial.error,
        }

    def as_dict(self) -> dict[str, Any]:
        """Return everything as a JSON object."""
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
            "importance": [report.as_dict() for report in self.importance],
            "evaluations": self.n_evaluations,
            "seconds": self.seconds,
            "stopped_by": self.stopped_by,
        }


def tune(
    texts: Iterable[Any],
    labels: Iterable[Any],
    settings: Settings | str = DEFAULT_RECIPE,
    *,
    space: Mapping[str, Sequence[Any]] | None = None,
    metric: MetricName | None = None,
    label: Any = None,
    folds: int = 5,
    trials: int | None = None,
    time: float | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    journal: str | os.PathLike[str] | None = None,
    resume: bool = False,
    callback: Callback | None = None,
) -> TuneResult:
    """Search for the settings that suit a corpus, by cross-validation under a budget.

    The search starts from the default recipe, and its result is never worse on the folds. All candidates are measured
    on one fold, the better half of them on more, and so on (successive halving). The same arguments give the same
    result, for any number of threads; only with ``time`` does the number of trials depend on the machine.

    Parameters
    ----------
    texts : iterable of str or bytes
    labels : iterable of str, int or bool, or of lists of them
        One per text, all of one type; or a list of labels per text.
    settings : Settings or name of a recipe
        The starting settings. Settings that are not searched keep their values.
    space : mapping of str to sequence, optional
        Names of settings and the values to try; by default :func:`textperceptron.tuning.default_space`.
    metric : {"accuracy", "macro-f1", "micro-f1", "f1"}, optional
        The objective; by default accuracy, or micro F1 if texts have several labels.
    label : str, int or bool, optional
        The class of ``metric="f1"``.
    folds : int
        Number of stratified folds, at least 2.
    trials : int, optional
        Number of trials, including the starting settings; 32 if neither this nor ``time`` is given.
    time : float, optional
        Seconds after which no further model is trained. The starting settings are always measured.
    seed : int
        Seed of the folds and the candidates.
    n_jobs : int, optional
        Threads; -1 for all processors.
    journal : str or path, optional
        A file that records every evaluation as soon as it is finished.
    resume : bool
        Resume from the journal, if it exists: its evaluations are not repeated, the result is the same, and ``time``
        counts from the first start of the search.
    callback : callable, optional
        Called with a :class:`textperceptron.tuning.Trial` after each of its evaluations and when it is finished.

    Returns
    -------
    TuneResult
        Also after Ctrl-C, with the best settings so far.

    Raises
    ------
    ValueError
        If an argument is invalid, a class has too few texts, or the journal belongs to another search.
    OSError
        If the journal cannot be read or written.
    KeyboardInterrupt
        If Ctrl-C came before the starting settings were measured.

    Examples
    --------
    >>> from textperceptron import load_corpus, tune
    >>> reviews = load_corpus("reviews").train
    >>> found = tune(reviews.texts, reviews.labels, folds=2, trials=4)
    >>> found.score.value >= found.start_score.value, len(found.trials), found.stopped_by
    (True, 4, 'trials')
    >>> found.train(reviews.texts, reviews.labels).classes
    ('neg', 'pos')
    """
    _check_budget(trials, time)
    if trials is None and time is None:
        trials = DEFAULT_TRIALS
    if isinstance(texts, str | bytes):
        raise ValueError("texts is one string: pass a list of texts.")
    texts, labels = repeatable(texts), values_of(labels, "labels")
    if len(texts) != len(labels):
        raise ValueError(f"there are {len(texts)} texts and {len(labels)} labels: give one label per text.")
    targets = Targets.of(labels)
    known, classes = targets.labels, targets.classes
    name = metric or default_metric(multilabel=targets.multilabel)
    measure = Metric(name, None if label is None else classes.code(label), targets.multilabel)
    start = recipe(settings) if isinstance(settings, str) else settings
    searched = Space(
        start, default_space(multilabel=targets.multilabel) if space is None else space, len(targets.class_sizes)
    )
    about = {
        "toolkit": _version(), "corpus": corpus_digest(texts, known), "folds": folds, "seed": seed,
        "start": start.as_json(), "space": searched.as_json(),
    }  # fmt: skip
    jobs = count_jobs(n_jobs)
    splits = list(make_folds(known, folds, seed))
    if measure.code is not None and targets.rows_of_class[measure.code] == 1:
        raise ValueError(f"label={label!r} has one text, so no fold can hold it out: its F1 cannot be measured.")
    validation = CrossValidation(texts, known, splits, n_jobs, cache_size=max(6, 2 * jobs))
    with Journal(journal, about, len(classes) + targets.multilabel, resume=resume) as records:
        search = Search(searched, validation, measure, folds, records, seed, trials, time, jobs, callback)
        stopped_by = search.run()
    best, first = search.best, search.trials[0]
    return TuneResult(
        best.settings, measure.score(best.confusion()), measure.score(first.confusion()), best, tuple(search.trials),
        setting_importance(searched, search.trials, best, measure), measure,
        None if label is None else plain_labels([label])[0],
        folds, seed, search.seconds, stopped_by,
    )  # fmt: skip


def _check_budget(trials: int | None, time: float | None) -> None:
    if trials is not None and trials < 1:
        raise ValueError(f"trials={trials}: use at least 1, the starting settings.")
    if time is not None and not time > 0:
        raise ValueError(f"time={time}: use a number of seconds above 0.")


def _version() -> str:
    from textperceptron import __version__

    return __version__
