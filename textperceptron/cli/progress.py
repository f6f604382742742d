"""What is seen while a model learns: a line an epoch, and in a terminal how far the epoch under way is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from textperceptron.cli.screen import Piece, Screen, styled

if TYPE_CHECKING:
    from textperceptron.learn import Progress
    from textperceptron.pipeline.history import Epoch

HEADING = "epoch  mistakes  accuracy while learning"
BAR = 40  # characters of a full one


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
def watching(screen: Screen, what: str) -> Iterator[Callable[[Progress], None] | None]:
    """Show how far training is until it is over, in a terminal; elsewhere there is nothing to call."""
    if not screen.is_terminal:
        yield None
        return
    from rich.live import Live

    state: dict[str, Any] = {}
    with Live(console=screen.console, transient=True, refresh_per_second=10, get_renderable=lambda: _now(what, state)):

        def note(progress: Progress) -> None:
            state["progress"] = progress

        yield note


def _now(what: str, state: dict[str, Any]) -> Any:
    progress: Progress | None = state.get("progress")
    if progress is None:
        return styled((f"{what} …", "dim"))
    done = progress.rows_done / max(1, progress.rows_total)
    full = round(BAR * done)
    return styled(
        f"{what}: epoch {progress.epoch} of {progress.max_iter}  ",
        ("━" * full, "cyan"), ("━" * (BAR - full), "dim"),
        f"  {progress.rows_done} of {progress.rows_total} texts, {progress.mistakes} mistakes",
    )  # fmt: skip
