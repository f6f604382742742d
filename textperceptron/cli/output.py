"""Output streams: standard output, and files that appear when they are complete."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import Any, BinaryIO, TextIO

from textperceptron._format import escaped
from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.escaping import json_line

STANDARD_OUTPUT = "standard output"  # its name in messages


def standard_output() -> TextIO:
    """Return standard output.

    Raises
    ------
    OSError
        If the parent process has closed it.
    """
    if sys.stdout is None:
        raise OSError(errno.EBADF, "it is closed. Redirect it to a file, a pipe or /dev/null", STANDARD_OUTPUT)
    return sys.stdout


def report_stream(model: str | None) -> TextIO:
    """Return the stream of the report: standard error if the model goes to standard output.

    If a model is saved, a closed stream is replaced by /dev/null.

    Raises
    ------
    OSError
        If no model is saved and standard output is closed: the run would have no result.
    """
    if model is None:
        return standard_output()
    return (sys.stderr if model == "-" else sys.stdout) or open(os.devnull, "w", encoding="utf-8")


def use_utf8(stream: TextIO) -> TextIO:
    r"""Make a stream write UTF-8, whatever the locale: other programs read it.

    A lone surrogate, which UTF-8 cannot encode, is written as in JSON, for instance ``\ud800``.
    """
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    return stream


def print_json(value: Any, stream: TextIO | None = None) -> None:
    """Print a value as one line of JSON, to standard output by default."""
    print(json_line(value), file=use_utf8(standard_output() if stream is None else stream))


def print_path(path: str | os.PathLike[str]) -> None:
    """Print a path to standard output: its own bytes for other programs, escaped for a terminal."""
    stream = standard_output()
    text = os.fspath(path)
    if stream.isatty():
        text = escaped(text)
    elif isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="surrogateescape")  # a file name need not be valid text
    print(text, file=stream)


@contextlib.contextmanager
def open_results(path: str) -> Iterator[TextIO]:
    """Open a file for results, or standard output for ``-``; both as UTF-8.

    Raises
    ------
    OSError
        If it cannot be written; an existing file is then unchanged.
    """
    if path == "-":
        yield use_utf8(standard_output())
    elif is_special_file(path):
        with (
            _add_path_to_errors(path),
            open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream,
        ):
            yield stream
    else:
        with deferred_interrupts():
            from textperceptron.model.file.atomic_write import atomic_replace

        with atomic_replace(path) as file:
            stream = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="\n")
            yield stream
            stream.detach()  # flushes


@contextlib.contextmanager
def open_binary_results(path: str) -> Iterator[BinaryIO]:
    """Open a file for bytes, as :func:`open_results` does for text."""
    if is_special_file(path):
        with _add_path_to_errors(path), open(path, "wb") as stream:
            yield stream
    else:
        with deferred_interrupts():
            from textperceptron.model.file.atomic_write import atomic_replace

        with atomic_replace(path) as file:
            yield file


@contextlib.contextmanager
def _add_path_to_errors(path: str) -> Iterator[None]:
    """Add the path to errors without one, such as that of a full disk."""
    try:
        yield
    except OSError as problem:
        if problem.filename is None:
            raise OSError(problem.errno, problem.strerror, path) from None
        raise


def is_special_file(path: str) -> bool:
    """Whether a path is a device, a pipe or an open file descriptor, none of which can be replaced."""
    if not os.path.exists(path):
        return False
    folder = os.path.realpath(os.path.dirname(path) or os.curdir)
    return not os.path.isfile(path) or folder == "/dev" or folder.startswith("/proc/")  # /dev/stdout, /dev/fd/3
