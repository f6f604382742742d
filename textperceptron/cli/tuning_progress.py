"""What is seen while ``tune`` searches: a line for each trial, and in a terminal how far it is."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from textperceptron.cli.labels import in_a_column
from textperceptron.cli.screen import Piece, Screen, styled
from textperceptron.tuning import DEFAULT_TRIALS, Metric, Trial

if TYPE_CHECKING:
    from rich.text import Text

WIDTH = 9  # of the column with the metric


def metric_name(metric: str, label: str | None) -> str:
    """Return a metric as a person says it.

    Examples
    --------
    >>> metric_name("accuracy", None), metric_name("macro-f1", None), metric_name("f1", "spam")
    ('accuracy', 'macro-F1', 'F1 of spam')
    """
    name = metric.replace("f1", "F1")
    return name if label is None else f"{name} of {in_a_column(label)}"


def value_in_words(name: str, value: Any) -> str:
    """Return a setting's value in a word or two.

    Examples
    --------
    >>> value_in_words("C", 0.003), value_in_words("ngram_range", (1, 3)), value_in_words("binary", False)
    ('0.003', '1-3-grams', 'counts')
    """
    if name == "conjunctions":
        return "none" if value is None else "with pivots"
    if name == "ngram_range":
        return "-".join(map(str, value)) + "-grams"
    if name == "binary":
        return "presence" if value else "counts"
    if value is None or isinstance(value, bool):
        return {True: "yes", False: "no", None: "none"}[value]
    return str(value)


# Settings whose values say what is meant.
_CLEAR = {"learner", "ngram_range", "binary", "multiclass", "analyzer"}


def in_words(changes: Mapping[str, Any]) -> str:
    """Return what is different, in one line."""
    said = (
        ("" if name in _CLEAR else name.replace("_", " ") + " ") + value_in_words(name, value)
        for name, value in changes.items()
    )
    return ", ".join(said) or "what it begins with"


class View:
    """Prints a line for each trial that is over, and in a terminal how far the search is.

    What stands before the first line is printed with it: a search that cannot begin prints nothing.
    """

    def __init__(
        self, screen: Screen, metric: Metric, name: str, show_beginning: Callable[[], None], *, quiet: bool
    ) -> None:
        self._screen, self._metric, self._name, self._quiet = screen, metric, name, quiet
        self._show_beginning = show_beginning
        self._began, self._budget, self._folds = time.monotonic(), "", 0
        self._best: tuple[float, int] | None = None
        self._n_trials = 0

    @contextmanager
    def watching(self, folds: int, trials: int | None, seconds: float | None) -> Iterator[None]:
        """Show how far the search is until it is over."""
        if trials is None and seconds is None:
            trials = DEFAULT_TRIALS
        limits = (None if trials is None else some(trials, "trial"), None if seconds is None else f"{seconds:g} s")
        self._budget, self._folds = " or ".join(filter(None, limits)), folds
        if self._quiet or not self._screen.is_terminal:
            yield
            return
        from rich.live import Live

        with Live(console=self._screen.console, transient=True, refresh_per_second=10, get_renderable=self._now):
            yield

    def note(self, trial: Trial) -> None:
        """Take in news of a trial."""
        is_first = self._n_trials == 0
        self._n_trials = max(self._n_trials, trial.number)
        if self._quiet:
            return
        if is_first:
            self._show_beginning()
            self._screen.line(f"search for {self._budget}, measured on {some(self._folds, 'fold')}")
            self._screen.line()
            self._screen.line((f"trial  folds  {self._name:>{WIDTH}}  what is different", "bold"))
        if trial.standing == "unfinished":
            return
        value = trial.value(self._metric) if trial.confusions else None
        is_best = trial.standing == "measured" and value is not None and (self._best is None or value > self._best[0])
        if is_best and value is not None:
            self._best = value, trial.number
        self._screen.line(*trial_line(trial, value, is_best=is_best, width=max(WIDTH, len(self._name))))

    def _now(self) -> Text:
        seconds = time.monotonic() - self._began
        if self._best is None:
            return styled((f"measuring what it begins with … {seconds:.0f} s", "dim"))
        best, number = self._best
        return styled(
            f"trial {self._n_trials}, {seconds:.0f} s of {self._budget}; ",
            (f"best so far {100 * best:.1f} % (trial {number})", "green"),
        )


def trial_line(trial: Trial, value: float | None, *, is_best: bool, width: int) -> list[Piece]:
    """Return the line of a trial; the best so far has a star."""
    shown = f"{100 * value:.1f} %" if value is not None else "failed"
    line: list[Piece] = [
        f"{trial.number:5}  {len(trial.confusions):5}  ", (f"{shown:>{width}}", "green" if is_best else ""),
        "* " if is_best else "  ", in_words(trial.changes),
    ]  # fmt: skip
    return line if trial.error is None else [*line, (f": {trial.error}", "red")]


def some(n: int, what: str) -> str:
    """Return a number of things.

    Examples
    --------
    >>> some(1, "trial"), some(2, "trial")
    ('1 trial', '2 trials')
    """
    return f"{n} {what}" + ("s" if n != 1 else "")
