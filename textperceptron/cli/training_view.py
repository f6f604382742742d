"""What ``train`` prints: the corpus, the epochs, how good the model is, and what it learnt."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any, NamedTuple

from textperceptron.cli.describe import in_words
from textperceptron.cli.evaluation_view import accuracy_line
from textperceptron.cli.labels import in_a_column, label_text
from textperceptron.cli.measure import Measured
from textperceptron.cli.progress import print_history
from textperceptron.cli.screen import Piece, Screen
from textperceptron.cli.shrinking import Shrunk
from textperceptron.corpus import Corpus
from textperceptron.model import TextModel
from textperceptron.model.top_terms import positive_terms
from textperceptron.settings import Settings
from textperceptron.settings import recipe as named

N_TERMS = 8  # words of a class


class Result(NamedTuple):
    """A training run that is over."""

    corpus: Corpus
    recipe: str
    model: TextModel
    measured: Sequence[Measured]
    shrunk: Shrunk | None
    seconds: float
    path: str | None
    size: int | None

    def top_terms(self) -> dict[str, list[str]]:
        """Return the words that speak most for each class; none where columns have no names or no weights."""
        try:
            words = {label: self.model.top_terms(label, N_TERMS) for label in self.model.classes}
        except ValueError:
            return {}
        return {label_text(label): [word for word, _ in positive_terms(found)] for label, found in words.items()}

    def as_dict(self) -> dict[str, Any]:
        """Return it as JSON has it."""
        summary = self.model.summary
        return {
            "corpus": self.corpus.name,
            "texts": dict(zip(map(label_text, self.model.classes), summary.rows_of_class, strict=True)),
            "recipe": self.recipe,
            "settings": self.model.settings.as_json(),
            "history": [asdict(epoch) for epoch in summary.history],
            "stopped_by": summary.stopped_by,
            "updates": summary.n_updates,
            "measured": [each.as_dict() for each in self.measured],
            "columns": self.model.n_columns,
            "shrunk": None if self.shrunk is None else self.shrunk.as_dict(),
            "top_terms": self.top_terms(),
            "seconds": self.seconds,
            "model": self.path,
            "bytes": self.size,
        }


def show_beginning(screen: Screen, corpus: Corpus, recipe: str, settings: Settings) -> None:
    """Print what is learnt from, and how."""
    counts = sorted(Counter(corpus.train.labels).items())
    shares = " · ".join(f"{label} {n}" for label, n in counts[:10]) + (" · …" if len(counts) > 10 else "")
    to_test = f", {len(corpus.test)} to test on" if corpus.test else ""
    screen.line((corpus.name, "bold"), f": {len(corpus.train)} texts to train on ({shares}){to_test}")
    changed = "" if settings == named(recipe) else ", changed"
    screen.line(f"recipe {recipe}{changed}: {in_words(settings)}")


def show_history(screen: Screen, model: TextModel) -> None:
    """Print the epochs, and why there were no more."""
    summary = model.summary
    if summary.history:
        print_history(screen, summary.history)
    else:
        screen.line()
    screen.line(f"stopped by {summary.stopped_by}: {summary.n_updates} updates")


def show_result(screen: Screen, result: Result) -> None:
    """Print how good the model is, what it cost and what it learnt."""
    top_terms = [(in_a_column(label), words) for label, words in result.top_terms().items()]
    width = max(5, *(len(each.name) for each in result.measured), *(len(label) for label, _ in top_terms), 0)
    screen.line()
    for each in result.measured:
        screen.line(*accuracy_line(f"{each.name:{width}}", each.accuracy, f"; {each.measured_on}"))
    if not result.measured:
        screen.line(f"no accuracy: there is no test split, and {_why(result)}. Use --holdout or --cv.")
    for label, words in top_terms:
        line: list[Piece] = [(f"{label:{width}}", "bold"), "  ", ", ".join(words)]
        screen.line(*line)
    if result.shrunk is not None:
        screen.line(f"{'small':{width}}  {result.shrunk.in_words(result.model)}")
    kept = result.model if result.shrunk is None else result.shrunk.model
    columns = f"{kept.n_columns:,} columns"
    if result.path is None:
        screen.line(f"{result.seconds:.2f} s · {columns} · not kept: --model FILE would keep it")
        return
    size = in_bytes(result.size or 0)
    where = "written to standard output" if result.path == "-" else f"kept in {result.path}"
    screen.line(f"{result.seconds:.2f} s · {columns} · {size} · {where}")


def _why(result: Result) -> str:
    if result.model.settings.learner.column_weight is None:
        return "mistakes are counted by class"
    return "there are too few texts to hold a fifth out"


def in_bytes(n: int) -> str:
    """Return a number of bytes as people say it."""
    return f"{n / 1e6:.1f} MB" if n >= 1e6 else f"{n / 1e3:.0f} kB"
