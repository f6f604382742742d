"""What ``tune`` prints at the end: the best settings, what mattered, and the command that trains with them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from textperceptron import _interrupts
from textperceptron.cli.evaluation_view import accuracy_line
from textperceptron.cli.measure import Measurer
from textperceptron.cli.screen import Piece, Screen
from textperceptron.cli.tables import columns
from textperceptron.cli.training_view import in_bytes
from textperceptron.cli.tuning_progress import some, value_in_words
from textperceptron.cli.written import recipe_and_options
from textperceptron.corpus import Corpus
from textperceptron.model import TextModel
from textperceptron.settings import Settings
from textperceptron.tuning import Score, SettingReport, Tuned


def train_words(
    corpus: Sequence[str], recipe: str, settings: Settings, options: Mapping[str, Any], model: str | None
) -> list[str]:
    """Return the command that trains with settings, word by word."""
    words = ["textperceptron", "train", *corpus, *recipe_and_options(settings, recipe)]
    usual = {"encoding": "utf-8", "errors": "strict", "on_bad": "raise"}
    for name, value in options.items():
        if value == usual.get(name):
            continue
        flag = f"--{name.replace('_', '-')}"
        if name == "on_bad":
            words.append("--skip-bad")
        elif isinstance(value, bool):
            words.append(flag if value else f"--no-{flag[2:]}")
        else:
            words += [flag, str(value)]
    return words if model is None else [*words, "--model", model]


@dataclass
class Result:
    """A search that is over, and the model if one was trained."""

    corpus: Corpus
    recipe: str
    found: Tuned
    words: list[str]
    trained: TextModel | None = None
    path: str | None = None
    size: int | None = None

    def measurer(self, n_jobs: int) -> Measurer:
        """Return what measures the model on the test split."""
        return Measurer(self.corpus, None, None, None, self.found.settings, n_jobs)

    def as_dict(self, n_jobs: int) -> dict[str, Any]:
        """Return it as JSON has it."""
        measured = [] if self.trained is None else self.measurer(n_jobs).measure(self.trained)
        return {
            "corpus": self.corpus.name,
            "recipe": self.recipe,
            **self.found.as_dict(),
            "command": self.words,
            "measured": [each.as_dict() for each in measured],
            "model": self.path,
            "bytes": self.size,
        }


def show_result(screen: Screen, result: Result, metric: str, n_jobs: int) -> None:
    """Print what was found."""
    found = result.found
    screen.line()
    for name, score, number in (("best", found.score, found.best.number), ("start", found.start_score, 1)):
        screen.line(
            f"{name:6} ", (f"{100 * score.value:.1f} %", "bold"),
            f"  (95 % interval {_interval(score)}; {metric}, {score.n} texts, {found.n_folds} folds; trial {number})",
        )  # fmt: skip
    _show_mattered(screen, found)
    stopped = _interrupts.name() if found.stopped_by == "interrupt" else found.stopped_by
    screen.line()
    tried = f"{some(len(found.trials), 'trial')}, {found.n_evaluations} models"
    screen.line(f"{tried}, {found.seconds:.2f} s; stopped by {stopped}; seed {found.seed}")
    if result.trained is not None and result.path is not None:
        for each in result.measurer(n_jobs).measure(result.trained):
            screen.line(*accuracy_line(each.name, each.accuracy, f"; {each.measured_on}"))
        where = "written to standard output" if result.path == "-" else f"kept in {result.path}"
        screen.line(f"{result.trained.n_columns:,} columns · {in_bytes(result.size or 0)} · {where}")
    screen.line("this trains with the best settings:")
    screen.line((shlex.join(result.words), "bold"))


def _show_mattered(screen: Screen, found: Tuned) -> None:
    if not found.mattered:
        return
    screen.line()
    screen.line(("what mattered", "bold"), ": points that the best trial with another value lacks (on so many folds)")
    rows: list[list[Piece]] = [[report.name.replace("_", " "), _values(report)] for report in found.mattered]
    for line in columns(rows, left=2):
        screen.line(*line)


def _values(report: SettingReport) -> str:
    said = []
    for each in report.values:
        value = value_in_words(report.name, each.value)
        said.append(value if each.is_winner else f"{value} {-100 * each.lost:+.1f} ({each.n_folds})")
    return " · ".join(said)


def _interval(score: Score) -> str:
    low, high = score.interval
    return f"{100 * low:.1f}–{100 * high:.1f}"
