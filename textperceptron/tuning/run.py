"""Search for settings under a budget."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from textperceptron._parallel import count_jobs
from textperceptron.model.classes import Classes, plain_labels
from textperceptron.settings import DEFAULT_RECIPE, Settings, recipe
from textperceptron.tuning.evaluator import Evaluator
from textperceptron.tuning.journal import Journal, corpus_digest
from textperceptron.tuning.mattered import what_mattered
from textperceptron.tuning.metric import Metric, MetricName
from textperceptron.tuning.result import Tuned
from textperceptron.tuning.search import Search, Watcher
from textperceptron.tuning.space import SPACE, Space

DEFAULT_TRIALS = 32


def tune(
    texts: Iterable[Any],
    labels: Iterable[Any],
    settings: Settings | str = DEFAULT_RECIPE,
    *,
    space: Mapping[str, Sequence[Any]] | None = None,
    metric: MetricName = "accuracy",
    label: Any = None,
    folds: int = 5,
    trials: int | None = None,
    time: float | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    journal: str | os.PathLike[str] | None = None,
    resume: bool = False,
    callback: Watcher | None = None,
) -> Tuned:
    """Search for the settings that suit a corpus, by cross-validation under a budget.

    It begins with the default recipe, and what it ends with is never worse than that on the folds. All candidates are
    measured on one fold, the better half of them on more, and so on (successive halving). The same arguments give the
    same result, for any number of threads; only under ``time`` it depends on the machine how far the search comes.

    Parameters
    ----------
    texts : iterable of str or bytes
    labels : iterable of str, int or bool
        One a text, all of one type.
    settings : Settings or name of a recipe
        What the search begins with. What is not searched stays as it is here.
    space : mapping of str to sequence, optional
        Names of settings and the values that they may have; :data:`textperceptron.tuning.SPACE` if not given.
    metric : {"accuracy", "macro-f1", "f1"}
        What is to be large.
    label : str, int or bool, optional
        With ``metric="f1"``, the class whose F1 it is.
    folds : int
        Parts that texts are divided into, each class evenly; 2 at least.
    trials : int, optional
        How many settings are tried, the first ones included; 32 if neither this nor ``time`` is given.
    time : float, optional
        Seconds after which no further model is trained. What the search begins with is measured in any case.
    seed : int
        Decides the folds and the candidates.
    n_jobs : int, optional
        Threads; -1 for all processors.
    journal : str or path, optional
        A file that keeps every evaluation as soon as it is finished.
    resume : bool
        Go on from the journal, if it is there: evaluations that it has are not repeated, the result is the same, and
        ``time`` counts from when the search first began.
    callback : callable, optional
        Called with a :class:`textperceptron.tuning.Trial` whenever there is news of it.

    Returns
    -------
    Tuned
        After Ctrl-C too, with the best so far.

    Raises
    ------
    ValueError
        If something makes no sense, a class has too few texts, or the journal is of another search.
    OSError
        If the journal cannot be read or written.
    KeyboardInterrupt
        If Ctrl-C came before the first settings were measured.

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
        raise ValueError("texts is one string: put it into a list, one text an item.")
    texts, labels = list(texts), list(plain_labels(labels))
    if len(texts) != len(labels):
        raise ValueError(f"there are {len(texts)} texts and {len(labels)} labels: give one label a text.")
    classes = Classes.among(labels)
    if len(classes) < 2:
        raise ValueError(f"there are texts of {len(classes)} classes: a classifier needs two to tell apart.")
    measure = Metric(metric, None if label is None else classes.code(label))
    start = recipe(settings) if isinstance(settings, str) else settings
    searched = Space(start, SPACE if space is None else space, len(classes))
    about = {
        "toolkit": _version(), "corpus": corpus_digest(texts, labels), "folds": folds, "seed": seed,
        "start": start.as_json(), "space": searched.as_json(),
    }  # fmt: skip
    jobs = count_jobs(n_jobs)
    evaluator = Evaluator(texts, labels, folds, seed, n_jobs, kept=max(6, 2 * jobs))
    with Journal(journal, about, len(classes), resume=resume) as kept:
        search = Search(searched, evaluator, measure, folds, kept, seed, trials, time, jobs, callback)
        stopped_by = search.run()
    best, first = search.best, search.trials[0]
    return Tuned(
        best.settings, measure.score(best.confusion()), measure.score(first.confusion()), best, tuple(search.trials),
        what_mattered(searched, search.trials, best, measure), measure,
        None if label is None else plain_labels([label])[0],
        folds, seed, search.seconds, stopped_by,
    )  # fmt: skip


def _check_budget(trials: int | None, time: float | None) -> None:
    if trials is not None and trials < 1:
        raise ValueError(f"trials={trials}: use 1 at least, which is what the search begins with.")
    if time is not None and not time > 0:
        raise ValueError(f"time={time}: use a number of seconds above 0.")


def _version() -> str:
    from textperceptron import __version__

    return __version__
