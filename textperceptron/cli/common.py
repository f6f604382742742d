"""Options and helpers that all verbs share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand

VERB: dict[str, Any] = {
    "add_completion": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
    "rich_markup_mode": None,
}
"""Arguments of each verb's ``typer.Typer``; shell completion is installed for the whole command."""


class Verb(TyperCommand):
    """A command whose help is plain text, with a section per panel.

    Rich's tables have columns for the negative form and the type of an option. With 80 characters per line they cut
    option names off (``--n-iter-no-chan…``), and 18 characters are left for the explanations.
    """

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section for the arguments, and one per panel of options."""
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                names, text = record
                default = "Options" if parameter.param_type_name == "option" else "Arguments"
                panel = getattr(parameter, "rich_help_panel", None) or default
                text = re.sub(r"\[default: \((.*)\)\]$", r"[default: \1]", text)  # Typer's parentheses for words
                sections.setdefault(panel, []).append((names, text))
        for name, records in sections.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)


def _check_threads(n_jobs: int) -> int:
    if n_jobs == 0:
        raise typer.BadParameter("0 threads do nothing. Use 1 or more, or -1 for all processors")
    return n_jobs


Threads = Annotated[
    int,
    typer.Option(
        "--n-jobs",
        "--threads",
        metavar="N",
        help="Threads; -1 for all processors. The result does not depend on it.",
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
