"""What all verbs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

VERB: dict[str, Any] = {"add_completion": False, "context_settings": {"help_option_names": ["-h", "--help"]}}
"""How a verb is made: completion is installed for the whole command, not for each."""


def _some_threads(n_jobs: int) -> int:
    if n_jobs == 0:
        raise typer.BadParameter("0 threads do nothing. Use 1 or more, or -1 for all processors")
    return n_jobs


Threads = Annotated[
    int,
    typer.Option(
        "--n-jobs",
        "--threads",
        help="Threads; -1 for all processors. The result is the same for any number.",
        show_default="all processors",
        callback=_some_threads,
    ),
]
ALL_PROCESSORS = -1


def flag(name: str, *, help: str, panel: str | None = None) -> Any:  # noqa: A002 - what Typer calls it
    """Return an option without a value, which is off unless it is given; Typer would not say so."""
    return typer.Option(name, help=help, show_default="no", rich_help_panel=panel)


def offering(*values: str) -> Callable[[str], list[str]]:
    """Return what a shell completes to, of an option that takes these values and perhaps others.

    Examples
    --------
    >>> offering("tsv", "text", "csv")("t")
    ['tsv', 'text']
    """
    return lambda incomplete: [
        value for value in values if value.startswith(incomplete)
    ]  # by this name, Typer finds it
