"""Progress of training: the header, one line per epoch, a live bar in a terminal, and a hint after Ctrl-C."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from textperceptron._format import percent
from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.console import Console, Span, as_rich_text, plural, print_message, wrapped
from textperceptron.cli.corpus_split import class_sizes, column_lines, for_labels
from textperceptron.cli.escaping import listed_label
from textperceptron.model.text_profile import describe_choices
from textperceptron.settings import Settings
from textperceptron.settings import recipe as named_recipe
from textperceptron.settings.learner import MAX_CLASS_RATIO

if TYPE_CHECKING:
    from rich.text import Text

    from textperceptron.corpus import Corpus
    from textperceptron.learn import Progress
    from textperceptron.model import TextModel
    from textperceptron.model.parts import Epoch, Summary
    from textperceptron.model.text_profile import TextProfile

HEADING = "epoch  mistakes  accuracy during training"
BAR_WIDTH = 40
LIVE_BAR_WIDTH = 20  # leaves room for large counts in 80 columns
LIVE_EPOCHS = 10  # finished epochs above the live bar
HEADER_CLASSES = 10


def header_lines(
    corpus: Corpus, recipe: str, settings: Settings, profile: TextProfile | None = None
) -> list[list[Span]]:
    """Return the lines of the corpus, of its texts if there is a profile, and of the settings."""
    counts, sizes = sorted(corpus.train.count_labels().items()), class_sizes(corpus.train)
    classes = " · ".join(f"{listed_label(label)}: {n:,}" for label, n in counts[:HEADER_CLASSES])
    classes += " · …" if len(counts) > HEADER_CLASSES else ""
    test = f", {plural(len(corpus.test), 'test text')}" if corpus.test else ""
    changed = "" if settings == named_recipe(recipe) else ", changed"
    settings = for_labels(settings, corpus.train)
    found = []
    if profile is not None:
        resolved = profile.resolve_auto(settings.text, len(sizes))
        choices = describe_choices(settings.text, resolved)
        found = [*wrapped(["texts: "], profile.describe() + (f" → {choices}" if choices else ""))]
        settings = Settings(resolved, settings.learner).resolve_learner(sizes, 0)
    several = []
    if corpus.train.multilabel:
        n_labels = sum(n for _, n in counts) / len(corpus.train)
        several = [*wrapped(["several labels per text: "], f"{len(counts)} labels, {n_labels:.2f} per text")]
    return [
        *wrapped([(corpus.name, "bold")], f": {plural(len(corpus.train), 'training text')} ({classes}){test}"),
        *several,
        *column_lines(corpus),
        *found,
        *([] if several else _uneven_lines(counts, settings)),
        *wrapped([f"recipe {recipe}{changed}: "], settings.describe(len(sizes))),
    ]


def _uneven_lines(counts: list[tuple[str, int]], settings: Settings) -> list[list[Span]]:
    """Return the advice for two classes of which one is rare."""
    if len(counts) != 2 or settings.learner.threshold is not None:
        return []
    (rare, few), (_, many) = sorted(counts, key=lambda count: count[1])
    if many <= MAX_CLASS_RATIO * few:
        return []
    found = f"--threshold f1 or recall=0.9 finds more texts of {listed_label(rare)}"
    advice = f"1 : {many / few:.0f}; {found}, at some cost in accuracy"
    return [*wrapped(["uneven classes: "], advice)]


def fallback_lines(given: Settings, model: TextModel) -> list[list[Span]]:
    """Return why classes were not learnt one-vs-all, if ``auto`` had to choose otherwise."""
    n_classes, n_columns = len(model.classes), model.n_columns
    resolved = given.resolve_learner(model.summary.class_sizes, n_columns).learner
    if model.multilabel or n_classes == 2 or given.learner.multiclass != "auto" or resolved.multiclass != "native":
        return []
    if given.learner.pair_bits is not None:
        reason = "column pairs are learnt natively, without log-count ratios"
    else:
        reason = (
            f"learnt natively, without log-count ratios, because {n_classes} classes × {n_columns:,} columns, "
            "learnt one-vs-all, are too many weights; --min-df 2 or --n-features 65536 leaves fewer columns"
        )
    return [*wrapped(["classes: "], reason)]


def history_lines(history: Sequence[Epoch]) -> list[list[Span]]:
    """Return an empty line, a heading and one line per epoch."""
    heading = HEADING if history[0].progressive_accuracy is not None else "epoch  mistakes (summed over classes)"
    return [
        [],
        [(heading, "bold")],
        *(_epoch_line(e.epoch, e.mistakes, e.progressive_accuracy, e.validation_accuracy) for e in history),
    ]


def _epoch_line(epoch: int, mistakes: int, accuracy: float | None, validation: float | None = None) -> list[Span]:
    """Return the line of an epoch; without an accuracy and its bar if mistakes are not counted per text."""
    line: list[Span] = [f"{epoch:5}{mistakes:10}"]
    if accuracy is not None:
        line += [f"{percent(accuracy):>9} %  ", ("━" * round(BAR_WIDTH * accuracy), "green")]
    if validation is not None:
        line.append(f"  held out {percent(validation)} %")
    return line


# Why training stopped, if not because all epochs were done.
STOP_REASONS = {
    "converged": "the last epoch had no updates",
    "validation": "the accuracy on held-out texts did not grow",
    "small_change": "the weights hardly changed",
}


def training_line(summary: Summary) -> str:
    """Return the number of epochs and updates, and the reason of the end."""
    end = "interrupted" if summary.stopped_by == "interrupted" else "stopped"
    epochs = f" after {plural(len(summary.history), 'epoch')}" if summary.history else ""
    reason = STOP_REASONS.get(summary.stopped_by)
    return f"{end}{epochs} ({plural(summary.n_updates, 'update')})" + (f": {reason}" if reason else "")


@contextmanager
def training_progress(console: Console, *, has_accuracy: bool) -> Iterator[Callable[[Progress], None] | None]:
    """Show live progress in a terminal while the block trains; yield the callback for it, None elsewhere.

    ``has_accuracy`` says whether mistakes are counted per text.
    """
    if not console.is_terminal:
        yield None
        return
    progress = _EpochProgress(has_accuracy)
    with live(console, progress.render):
        yield progress.update


class _EpochProgress:
    """The finished epochs, and the position in the current one."""

    def __init__(self, has_accuracy: bool) -> None:
        self._has_accuracy = has_accuracy
        self._latest: Progress | None = None
        self._finished: list[list[Span]] = []

    def update(self, progress: Progress) -> None:
        """Store the position; called by the training loop."""
        self._latest = progress
        if self._has_accuracy and progress.rows_done == progress.rows_total:
            accuracy = 1 - progress.mistakes / max(1, progress.rows_total)
            self._finished.append(_epoch_line(progress.epoch, progress.mistakes, accuracy))

    def render(self) -> Text:
        """Return the last epochs and a bar; called by Rich's thread."""
        from rich.text import Text

        progress = self._latest
        if progress is None:
            return as_rich_text(("counting terms …", "dim"))
        # Otherwise the mistakes are those of one thread's classes.
        mistakes = f", {plural(progress.mistakes, 'mistake')}" if self._has_accuracy else ""
        current: list[Span] = [
            f"epoch {progress.epoch} of {progress.max_iter}  ",
            *_bar(progress),
            f"  {progress.rows_done:,} of {progress.rows_total:,} texts{mistakes}",
        ]  # fmt: skip
        return Text("\n").join(as_rich_text(*line) for line in (*self._finished[-LIVE_EPOCHS:], current))


@contextmanager
def reading_progress(console: Console) -> Iterator[Callable[[int], None] | None]:
    """Show in a terminal how many texts were read while the block reads; yield the callback for it, None elsewhere."""
    if not console.is_terminal:
        yield None
        return
    texts = 0

    def update(n: int) -> None:
        nonlocal texts
        texts = n

    with live(console, lambda: as_rich_text((f"reading … {plural(texts, 'text')}", "dim"))):
        yield update


@contextmanager
def measuring_progress(console: Console) -> Iterator[Callable[[int, int, Progress], None] | None]:
    """Show in a terminal which model is trained to measure the accuracy; yield the callback for it, None elsewhere.

    The callback takes the number of the model, the number of models, and its progress.
    """
    if not console.is_terminal:
        yield None
        return
    latest: tuple[int, int, Progress] | None = None

    def update(number: int, n_models: int, progress: Progress) -> None:
        nonlocal latest
        latest = number, n_models, progress

    def render() -> Text:
        if latest is None:
            return as_rich_text(("measuring the accuracy …", "dim"))
        number, n_models, progress = latest
        model = f"model {number} of {n_models}, " if n_models > 1 else ""
        return as_rich_text(
            f"measuring the accuracy: {model}epoch {progress.epoch} of {progress.max_iter}  ", *_bar(progress)
        )

    with live(console, render):
        yield update


def _bar(progress: Progress) -> list[Span]:
    filled = round(LIVE_BAR_WIDTH * progress.rows_done / max(1, progress.rows_total))
    return [("━" * filled, "cyan"), ("━" * (LIVE_BAR_WIDTH - filled), "dim")]


@contextmanager
def live(console: Console, render: Callable[[], Text]) -> Iterator[None]:
    """Show what ``render`` returns at the bottom of a terminal, ten times a second, until the block ends.

    Rich's thread starts and ends with interrupts deferred: Ctrl-C within ``threading`` could leave a lock held.
    """
    display = None
    try:
        with deferred_interrupts():
            from rich.live import Live

            display = Live(console=console.rich, transient=True, refresh_per_second=10, get_renderable=render)
            display.start()
        yield
    finally:
        with deferred_interrupts():
            if display is not None:
                display.stop()


@contextmanager
def resume_hint(what: str, path: str | None) -> Iterator[None]:
    """After Ctrl-C within the block, print how to resume, if the block has written the file."""
    before = _version(path)
    try:
        yield
    except KeyboardInterrupt:
        if _version(path) not in (None, before):
            print_message(f"{what} saved in {path}; run the same command with --resume to continue")
        raise


def _version(path: str | None) -> tuple[int, int, int] | None:
    """Return a value that changes whenever the file is written or replaced; None if there is no file."""
    try:
        found = os.stat(path) if path is not None else None
    except OSError:
        return None
    return None if found is None else (found.st_ino, found.st_mtime_ns, found.st_size)
