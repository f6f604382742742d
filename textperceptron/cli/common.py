"""Options and helpers that all verbs share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import typer

VERB: dict[str, Any] = {"add_completion": False, "context_settings": {"help_option_names": ["-h", "--help"]}}
"""Arguments of each verb's ``typer.Typer``; shell completion is installed for the whole command."""


def _check_threads(n_jobs: int) -> int:
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
        callback=_check_threads,
    ),
]
ALL_PROCESSORS = -1


def flag(name: str, *, help: str, panel: str | None = None) -> Any:  # noqa: A002 - Typer's name
    """Return an option without a value, off by default; Typer's own help would not show that default."""
    return typer.Option(name, help=help, show_default="no", rich_help_panel=panel)


def complete_from(*values: str) -> Callable[[str], list[str]]:
    """Return the shell completion of an option whose values include these.

    Examples
    --------
    >>> complete_from("tsv", "text", "csv")("t")
    ['tsv', 'text']
    """
    return lambda incomplete: [  # Typer looks for a parameter of this name
        value for value in values if value.startswith(incomplete)
    ]
