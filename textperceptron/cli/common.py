"""Options and helpers that all verbs share."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperOption

from textperceptron.cli.output import standard_output

VERB: dict[str, Any] = {
    "add_completion": False,
    "context_settings": {"help_option_names": ["-h", "--help"]},
    "rich_markup_mode": None,
}
"""Arguments of each verb's ``typer.Typer``; shell completion is installed for the whole command."""


_ALL = "textperceptron.help_all"  # key of a context whose help shows all options
_NO_BREAK_HYPHEN = "\N{NON-BREAKING HYPHEN}"


class Verb(TyperCommand):
    """A command whose help is plain text, with a section per panel.

    Rich's tables have columns for the negative form and the type of an option. With 80 characters per line they cut
    option names off (``--n-iter-no-chan…``), and 18 characters are left for the explanations.
    """

    common: tuple[str, ...] = ()
    """The options that ``--help`` shows; empty if it shows all. ``--help-all`` shows all."""

    def get_params(self, ctx: Any) -> list[Any]:
        """Return the arguments and options, with ``--help-all`` if ``--help`` does not show all."""
        parameters = super().get_params(ctx)
        return [*parameters, self._help_all()] if self.common else parameters

    def _help_all(self) -> TyperOption:
        if not hasattr(self, "_help_all_option"):  # the parser compares options by identity
            options = [each for each in self.params if each.param_type_name == "option"]
            panels = dict.fromkeys(map(_panel, options))
            topics = ", ".join(panel[0].lower() + panel[1:] for panel in panels if panel != "Options")
            self._help_all_option = TyperOption(
                param_decls=["--help-all"], is_flag=True, is_eager=True, expose_value=False, callback=_show_all_options,
                help=f"Show all {len(options)} options and exit: {topics}.",
            )  # fmt: skip
        return self._help_all_option

    def get_help(self, ctx: Any) -> str:
        """Return the help; lines are broken at spaces only."""
        return super().get_help(ctx).replace(_NO_BREAK_HYPHEN, "-")

    def collect_usage_pieces(self, ctx: Any) -> list[str]:
        """Return the words of the usage line, without Typer's braces around required arguments."""
        return [piece.strip("{}") for piece in super().collect_usage_pieces(ctx)]

    def format_help_text(self, ctx: Any, formatter: Any) -> None:
        """Write the description."""
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(_unbroken(self.help or ""))

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write a section for the arguments, and one per panel of options, or one for the common options."""
        show_all = not self.common or _ALL in ctx.meta
        sections: dict[str, list[tuple[str, str]]] = {"Arguments": [], "Options": []}
        for parameter in self._in_order(self.get_params(ctx), show_all=show_all):
            record = parameter.get_help_record(ctx)
            if record is not None:
                names, text = record
                text = re.sub(r"\[default: \((.*)\)\]$", r"[default: \1]", text)  # Typer's parentheses for words
                panel = "Options" if parameter.name in self.common and not show_all else _panel(parameter)
                sections.setdefault(panel, []).append((_unbroken(names), _unbroken(text)))
        for name, records in sections.items():
            if records:
                with formatter.section(name):
                    formatter.write_dl(records)

    def _in_order(self, parameters: list[Any], *, show_all: bool) -> list[Any]:
        if show_all:
            return parameters
        ranks = {name: rank for rank, name in enumerate(self.common)}
        ranks |= {each.name: len(ranks) for each in parameters if each.name not in {own.name for own in self.params}}
        arguments = [each for each in parameters if each.param_type_name == "argument"]
        return arguments + sorted(
            (each for each in parameters if each.name in ranks), key=lambda each: ranks[each.name]
        )


def verb_with(*common: str) -> type[Verb]:
    """Return a class of verbs whose ``--help`` shows only these options, in this order."""
    return type("Verb", (Verb,), {"common": common})


def _panel(parameter: Any) -> str:
    """Return the section of a parameter in the help."""
    default = "Options" if parameter.param_type_name == "option" else "Arguments"
    return getattr(parameter, "rich_help_panel", None) or default


def _unbroken(text: str) -> str:
    return text.replace("-", _NO_BREAK_HYPHEN).replace("[default: ", "[default:\N{NO-BREAK SPACE}")


def _show_all_options(context: Any, _: Any, requested: bool) -> None:
    if requested and not context.resilient_parsing:
        context.meta[_ALL] = True
        print(context.get_help(), file=standard_output())
        raise typer.Exit


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
