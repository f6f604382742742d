"""The command ``textperceptron``: its verbs, its exit codes, and one line for a mistake of the user's."""

from __future__ import annotations

import errno
import gc
import importlib
import os
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import TracebackType
from typing import Annotated, Any, NoReturn

import typer
from typer.core import TyperGroup

from textperceptron import __version__, _interrupts
from textperceptron.cli.escaping import escaped_lines
from textperceptron.cli.output import STANDARD_OUTPUT, standard_output
from textperceptron.cli.screen import abandon_output, say
from textperceptron.cli.verb import VERB

# Verbs, in the order in which a person meets them. Each is a module, imported when it is asked for.
VERBS = ("train", "tune", "predict", "evaluate", "inspect", "explain", "corpora")

MISTAKE = 2
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

# Typer exports one kind of its usage errors; this is what they all are.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


class Verbs(TyperGroup):
    """The verbs, and what becomes of their errors."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the verbs."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a verb."""
        if cmd_name not in VERBS:
            return None
        verb = typer.main.get_command(importlib.import_module(f"textperceptron.cli.{cmd_name}").app)
        verb.name = cmd_name
        return verb

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Read the options that come before a verb; help and the version are printed here."""
        with _ending_in_order():
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Run a verb."""
        with _ending_in_order(), warnings.catch_warnings():
            warnings.showwarning = _warn_in_one_line
            super().invoke(ctx)


@contextmanager
def _ending_in_order() -> Iterator[None]:
    """Let what goes wrong within the block become an exit code, and a line that says what it is."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as head, has seen enough
        abandon_output()
        raise typer.Exit from None
    except KeyboardInterrupt:
        say(_interrupts.message())
        raise typer.Exit(_interrupts.exit_code()) from None
    except (OSError, ValueError, MemoryError) as problem:
        abandon_output()
        if os.environ.get("TEXTPERCEPTRON_TRACEBACK"):
            raise
        say(in_one_line(problem))
        raise typer.Exit(MISTAKE) from None


def in_one_line(problem: Exception | str) -> str:
    """Return what is wrong in one line; of an error of the system, the place first."""
    text = str(problem) or "there is not enough memory."  # which Python says without a word
    if isinstance(problem, OSError) and problem.strerror:
        text, place = f"{problem.strerror}.", problem.filename
        if problem.errno in _NO_ROOM:
            text += " Make room, or write to another place."
            place = place or STANDARD_OUTPUT  # whatever else is written has a name
        text = text if place is None else f"{place}: {text}"
    return " ".join(text.split("\n"))


def _warn_in_one_line(message: Warning | str, *_: Any, **__: Any) -> None:
    say(in_one_line(message))


app = typer.Typer(
    cls=Verbs,
    context_settings=VERB["context_settings"],
    help="Sparse, linear, online text classification: train on a corpus, keep the model, classify texts.",
    epilog="Begin with: textperceptron train reviews. A corpus is a path, several, a pattern, - for standard input, or "
    "a name that `corpora list` knows.",
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"textperceptron {__version__}", file=standard_output())
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _without_a_verb(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help(), file=standard_output())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Instead of those of the process.

    Returns
    -------
    int
        The exit code: 0, 2 for a mistake of the user's, which is named in one line, 130 after Ctrl-C, 143 after
        SIGTERM.
    """
    command = typer.main.get_command(app)
    try:
        code = command.main(
            None if arguments is None else list(arguments), prog_name="textperceptron", standalone_mode=False
        )
        with _ending_in_order():  # which writes what --help and --version have left to be written
            pass
    except typer.Exit as end:
        return end.exit_code
    except SystemExit as end:
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        abandon_output()  # help: what prints it would end with 1
        return 0
    except _UsageError as mistake:
        context: Any = getattr(mistake, "ctx", None)
        path = context.command_path if context is not None else "textperceptron"
        message = " ".join(mistake.format_message().split()).rstrip(".")  # type: ignore[attr-defined]
        say(f"{message}. See {path} --help.", by=path)
        return MISTAKE
    return int(code or 0)


def _show_traceback(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
    """Print a traceback to standard error, escaped: its last line may quote data."""
    import traceback

    if sys.stderr is not None:
        print(escaped_lines("".join(traceback.format_exception(kind, problem, trace))), end="", file=sys.stderr)


def run() -> NoReturn:
    """Run the command line as a process of its own, and end it.

    When all is written, nothing is left to do but to give memory back, which the system does faster: ending in Python's
    own way takes 40 ms after IMDB. Looking for cycles to free takes as long during imports, which make none.
    NumPy's BLAS would start threads when it is imported, which wait in a loop for work that no verb has for them, and
    take processors from those that count words.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    gc.set_threshold(100_000)
    sys.excepthook = _show_traceback
    code = main()
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            try:
                stream.flush()
            except OSError:
                sys.exit(code)  # which says what happened to the stream
    os._exit(code)
