"""What is seen while a model learns: a line an epoch, and in a terminal how far the epoch under way is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from textperceptron.cli.screen import Piece, Screen, styled

if TYPE_CHECKING:
    from rich.text import Text

    from textperceptron.learn import Progress
    from textperceptron.model.history import Epoch

HEADING = "epoch  mistakes  accuracy while learning"
BAR = 40  # characters of a full one
LAST = 10  # epochs that are seen while another is under way


def epoch_line(number: int, mistakes: int, share: float | None, validation: float | None = None) -> list[Piece]:
    """Return the line of an epoch; without a bar where mistakes are not counted in documents."""
    line: list[Piece] = [f"{number:5}{mistakes:10}"]
    if share is not None:
        line += [f"{100 * share:9.1f} %  ", ("━" * round(BAR * share), "green")]
    if validation is not None:
        line.append(f"  held out {100 * validation:.1f} %")
    return line


def print_history(screen: Screen, history: Sequence[Epoch]) -> None:
    """Print a line for each epoch."""
    screen.line()
    screen.line((HEADING if history[0].progressive_accuracy is not None else "epoch  mistakes", "bold"))
    for epoch in history:
        screen.line(*epoch_line(epoch.epoch, epoch.mistakes, epoch.progressive_accuracy, epoch.validation_accuracy))


@contextmanager
def watching(screen: Screen, what: str, *, in_texts: bool = True) -> Iterator[Callable[[Progress], None] | None]:
    """Show how far training is until it is over, in a terminal; elsewhere there is nothing to call.

    ``in_texts`` says whether mistakes are counted in texts, so that there is an accuracy.
    """
    if not screen.is_terminal:
        yield None
        return
    from rich.live import Live

    watch = _Watch(what, in_texts)
    with Live(console=screen.console, transient=True, refresh_per_second=10, get_renderable=watch.now):
        yield watch.note


class _Watch:
    """The epochs that are over, and how far the one under way is."""

    def __init__(self, what: str, in_texts: bool) -> None:
        self._what, self._in_texts = what, in_texts
        self._progress: Progress | None = None
        self._over: list[list[Piece]] = []

    def note(self, progress: Progress) -> None:
        """Take in where training is."""
        self._progress = progress
        if progress.rows_done == progress.rows_total:
            share = 1 - progress.mistakes / max(1, progress.rows_total) if self._in_texts else None
            self._over.append(epoch_line(progress.epoch, progress.mistakes, share))

    def now(self) -> Text:
        """Return what is to be seen: the last epochs, and a bar."""
        from rich.text import Text

        progress = self._progress
        if progress is None:
            return styled((f"{self._what} …", "dim"))
        full = round(BAR * progress.rows_done / max(1, progress.rows_total))
        under_way: list[Piece] = [
            f"{self._what}: epoch {progress.epoch} of {progress.max_iter}  ",
            ("━" * full, "cyan"), ("━" * (BAR - full), "dim"),
            f"  {progress.rows_done} of {progress.rows_total} texts, {progress.mistakes} mistakes",
        ]  # fmt: skip
        return Text("\n").join(styled(*line) for line in (*self._over[-LAST:], under_way))
