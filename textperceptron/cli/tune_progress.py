"""Progress of ``tune``: one line per trial, and a live line in a terminal."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from textperceptron._format import percent
from textperceptron.cli.console import Console, Span, as_rich_text, plural
from textperceptron.cli.escaping import escaped_label
from textperceptron.cli.progress import live
from textperceptron.tuning import DEFAULT_TRIALS, Metric, Trial

if TYPE_CHECKING:
    from rich.text import Text

WIDTH = 9  # of the metric's column


def metric_name(metric: str, label: str | None) -> str:
    """Return the name of a metric in the report.

    Examples
    --------
    >>> metric_name("accuracy", None), metric_name("macro-f1", None), metric_name("f1", "spam")
    ('accuracy', 'macro-F1', 'F1 of spam')
    """
    name = metric.replace("f1", "F1")
    return name if label is None else f"{name} of {escaped_label(label)}"


def format_value(name: str, value: Any) -> str:
    """Return the value of a setting in a word or two.

    Examples
    --------
    >>> format_value("C", 0.003), format_value("ngram_range", (1, 3)), format_value("binary", False)
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


# Settings whose values need no name.
_SELF_EXPLANATORY = {"learner", "ngram_range", "binary", "multiclass", "analyzer"}


def describe_changes(changes: Mapping[str, Any]) -> str:
    """Return the changed settings in one line."""
    shown = (
        ("" if name in _SELF_EXPLANATORY else name.replace("_", " ") + " ") + format_value(name, value)
        for name, value in changes.items()
    )
    return ", ".join(shown) or "starting settings"


class SearchProgress:
    """Prints a line per finished trial, and a live line in a terminal.

    The header is printed with the first trial: a search that cannot start prints nothing.
    """

    def __init__(
        self, console: Console, metric: Metric, name: str, header: Sequence[Sequence[Span]], *, quiet: bool
    ) -> None:
        self._console, self._metric, self._name, self._quiet = console, metric, name, quiet
        self._header = header
        self._start, self._budget, self._folds = time.monotonic(), "", 0
        self._best: tuple[float, int] | None = None
        self._n_trials = 0

    @contextmanager
    def live(self, folds: int, trials: int | None, seconds: float | None) -> Iterator[None]:
        """Show the best trial so far in a terminal while the block searches."""
        if trials is None and seconds is None:
            trials = DEFAULT_TRIALS
        limits = (None if trials is None else plural(trials, "trial"), None if seconds is None else f"{seconds:g} s")
        self._budget, self._folds = " or ".join(filter(None, limits)), folds
        if self._quiet or not self._console.is_terminal:
            yield
            return
        with live(self._console, self._render):
            yield

    def update(self, trial: Trial) -> None:
        """Print a trial when it is finished; called by the search."""
        is_first = self._n_trials == 0
        self._n_trials = max(self._n_trials, trial.number)
        if self._quiet:
            return
        if is_first:
            self._console.lines(self._header)
            self._console.line(f"search: {self._budget}, {plural(self._folds, 'fold')}")
            self._console.line()
            self._console.line((f"trial  folds  {self._name:>{WIDTH}}  changes", "bold"))
        if trial.status == "unfinished":
            return
        value = trial.value(self._metric) if trial.confusions else None
        is_best = trial.status == "measured" and value is not None and (self._best is None or value > self._best[0])
        if is_best and value is not None:
            self._best = value, trial.number
        self._console.line(*_trial_line(trial, value, is_best=is_best, width=max(WIDTH, len(self._name))))

    def _render(self) -> Text:
        seconds = time.monotonic() - self._start
        if self._best is None:
            return as_rich_text((f"measuring the starting settings … {seconds:.0f} s", "dim"))
        best, number = self._best
        return as_rich_text(
            f"trial {self._n_trials}, {seconds:.0f} s of {self._budget}; ",
            (f"best so far {percent(best)} % (trial {number})", "green"),
        )


def _trial_line(trial: Trial, value: float | None, *, is_best: bool, width: int) -> list[Span]:
    """Return the line of a trial; a star marks the best so far."""
    shown = f"{percent(value)} %" if value is not None else "failed"
    line: list[Span] = [
        f"{trial.number:5}  {len(trial.confusions):5}  ", (f"{shown:>{width}}", "green" if is_best else ""),
        "* " if is_best else "  ", describe_changes(trial.changes),
    ]  # fmt: skip
    return line if trial.error is None else [*line, (f": {trial.error}", "red")]
