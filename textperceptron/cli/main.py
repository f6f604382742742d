"""The command ``textperceptron``: its verbs, its exit codes, and one-line error messages."""

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
from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.common import VERB
from textperceptron.cli.console import discard_output, print_message
from textperceptron.cli.escaping import escaped_lines
from textperceptron.cli.output import STANDARD_OUTPUT, standard_output

# In the order of the help. Each is a module, imported on use.
VERBS = (
    "train", "update", "tune", "predict", "evaluate", "inspect", "explain", "audit", "suggest", "compare", "serve",
    "export", "corpora",
)  # fmt: skip

USAGE_ERROR = 2
_NO_SPACE = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)

# The base class of Typer's usage errors, which it does not export.
_UsageError: type[Exception] = typer.BadParameter.__bases__[0]


class Verbs(TyperGroup):
    """The verbs as lazily imported commands whose errors become exit codes."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names of the verbs."""
        return list(VERBS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Import a verb and return its command."""
        if cmd_name not in VERBS:
            return None
        with deferred_interrupts():
            verb = typer.main.get_command(importlib.import_module(f"textperceptron.cli.{cmd_name}").app)
        verb.name = cmd_name
        return verb

    def make_context(self, *args: Any, **kwargs: Any) -> Any:
        """Parse the options before the verb; prints ``--help`` and ``--version``."""
        with _exit_codes(), deferred_interrupts():  # Typer imports modules for it
            return super().make_context(*args, **kwargs)

    def invoke(self, ctx: Any) -> Any:
        """Run a verb."""
        with _exit_codes(), warnings.catch_warnings():
            warnings.showwarning = _show_warning
            super().invoke(ctx)


@contextmanager
def _exit_codes() -> Iterator[None]:
    """Turn errors within the block into a one-line message and an exit code."""
    try:
        yield
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as head, has closed the pipe
        discard_output()
        raise typer.Exit from None
    except KeyboardInterrupt:
        print_message(_interrupts.message())
        raise typer.Exit(_interrupts.exit_code()) from None
    except (OSError, ValueError, MemoryError) as problem:
        discard_output()
        if os.environ.get("TEXTPERCEPTRON_TRACEBACK"):
            raise
        print_message(one_line(problem))
        raise typer.Exit(USAGE_ERROR) from None


def one_line(problem: Exception | str) -> str:
    """Return the message of an error in one line; that of an OSError starts with the path."""
    text = str(problem) or "not enough memory."  # Python's MemoryError has no message
    if isinstance(problem, OSError) and problem.strerror:
        text, path = f"{problem.strerror}.", problem.filename
        if problem.errno in _NO_SPACE:
            text += " Free some disk space, or write elsewhere."
            path = path or STANDARD_OUTPUT  # every other stream has a name
        text = text if path is None else f"{path}: {text}"
    return " ".join(text.split("\n"))


def _show_warning(message: Warning | str, *_: Any, **__: Any) -> None:
    print_message(one_line(message))


app = typer.Typer(
    cls=Verbs,
    context_settings=VERB["context_settings"],
    rich_markup_mode=None,
    help="Sparse, linear, online text classification: train a model on a corpus, save it, classify texts.",
    epilog="To start: textperceptron train reviews. A corpus is a path, a glob pattern, - for standard input, or a "
    "name from `corpora list`.",
)


def _print_version(requested: bool) -> None:
    if requested:
        print(f"textperceptron {__version__}", file=standard_output())
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _no_verb(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", help="Print the version.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        print(context.get_help(), file=standard_output())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        Default: ``sys.argv[1:]``.

    Returns
    -------
    int
        The exit code: 0, 2 after an error of the user, 130 after Ctrl-C, 143 after SIGTERM.
    """
    command = typer.main.get_command(app)
    try:
        code = command.main(
            None if arguments is None else list(arguments), prog_name="textperceptron", standalone_mode=False
        )
        with _exit_codes():  # flushes the output of --help and --version
            pass
    except typer.Exit as end:
        return end.exit_code
    except SystemExit as end:
        if not isinstance(end.__context__, BrokenPipeError):
            raise
        discard_output()  # Typer exits with 1 if the help cannot be printed
        return 0
    except _UsageError as error:
        context: Any = getattr(error, "ctx", None)
        path = context.command_path if context is not None else "textperceptron"
        message = " ".join(error.format_message().split()).rstrip(".")  # type: ignore[attr-defined]
        print_message(f"{message}. See {path} --help.", prefix=path)
        return USAGE_ERROR
    return int(code or 0)


def _show_traceback(kind: type[BaseException], problem: BaseException, trace: TracebackType | None) -> None:
    """Print a traceback to standard error with control characters escaped: its last line may quote data."""
    import traceback

    if sys.stderr is not None:
        print(escaped_lines("".join(traceback.format_exception(kind, problem, trace))), end="", file=sys.stderr)


def run() -> NoReturn:
    """Run the command line as a process, and exit.

    ``os._exit`` leaves freeing memory to the system: Python's own shutdown takes 40 ms after IMDB. The collector would
    take as long during imports, which create no garbage. NumPy's BLAS would start threads on import that spin while
    they wait for work no verb has, and take processors from the tokenisers.
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
                sys.exit(code)  # prints what happened to the stream
    os._exit(code)
