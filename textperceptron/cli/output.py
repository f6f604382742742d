"""Where results go: standard output, or a file that appears when it is complete."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, TextIO

from textperceptron.cli.escaping import escaped, json_line

if TYPE_CHECKING:
    from textperceptron.model import TextModel

STANDARD_OUTPUT = "standard output"  # as messages call it


def standard_output() -> TextIO:
    """Return standard output.

    Raises
    ------
    OSError
        If whoever started the command has closed it.
    """
    if sys.stdout is None:
        raise OSError(errno.EBADF, "it is closed. Send it to a file, a pipe or /dev/null", STANDARD_OUTPUT)
    return sys.stdout


def report_stream(model: str | None) -> TextIO:
    """Return where to report to: standard error if the model goes to standard output.

    A closed stream does not keep a model from being kept: the report then goes nowhere.

    Raises
    ------
    OSError
        If the report is all that there will be, and nobody would see it.
    """
    if model is None:
        return standard_output()
    return (sys.stderr if model == "-" else sys.stdout) or open(os.devnull, "w", encoding="utf-8")


def as_utf8(stream: TextIO) -> TextIO:
    r"""Let a stream write UTF-8, whatever the terminal has: other programs read it.

    Half of a surrogate pair, which UTF-8 does not have, becomes what JSON writes for it, such as ``\ud800``.
    """
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
    return stream


def print_json(value: Any, stream: TextIO | None = None) -> None:
    """Print a value as a line of JSON to standard output, or to another stream."""
    print(json_line(value), file=as_utf8(standard_output() if stream is None else stream))


def print_path(path: str | os.PathLike[str]) -> None:
    """Print a path to standard output: its own bytes for other programs, escaped for a terminal."""
    stream = standard_output()
    text = os.fspath(path)
    if stream.isatty():
        text = escaped(text)
    elif isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="surrogateescape")  # a name may be no text
    print(text, file=stream)


@contextlib.contextmanager
def results(path: str) -> Iterator[TextIO]:
    """Open a file for results, or standard output for ``-``; both as UTF-8.

    Raises
    ------
    OSError
        If it cannot be written; what was at the path is then still there.
    """
    if path == "-":
        yield as_utf8(standard_output())
    elif _is_no_file(path):
        with _naming(path), open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            yield stream
    else:
        from textperceptron.model.file.replacing import replacing

        with replacing(path) as file:
            stream = io.TextIOWrapper(file, encoding="utf-8", errors="backslashreplace", newline="\n")
            yield stream
            stream.detach()  # which writes the rest


@contextlib.contextmanager
def _naming(path: str) -> Iterator[None]:
    """Name a path in errors that name none, such as that of a full disk."""
    try:
        yield
    except OSError as problem:
        if problem.filename is None:
            raise OSError(problem.errno, problem.strerror, path) from None
        raise


def _is_no_file(path: str) -> bool:
    """Whether a device or a pipe is there, or what is open already: nothing can be put in its place."""
    if not os.path.exists(path):
        return False
    folder = os.path.realpath(os.path.dirname(path) or os.curdir)
    return not os.path.isfile(path) or folder == "/dev" or folder.startswith("/proc/")  # /dev/stdout, /dev/fd/3


def save_model(model: TextModel, path: str) -> int:
    """Write a model to a file, or to standard output for ``-``, and return its size in bytes.

    Raises
    ------
    OSError
        If it cannot be written; what was at the path is then still there.
    """
    if path != "-":
        return model.save(path)
    import shutil
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        whole = os.path.join(folder, "model")
        size = model.save(whole)
        with open(whole, "rb") as file:
            shutil.copyfileobj(file, standard_output().buffer)
    return size


def refuse_unwritable(path: str, *, devices: bool = False) -> None:
    """Raise before work is done that could not be kept; ``-`` is standard output.

    Raises
    ------
    OSError
        If the path is a folder, or is in no folder that can be written to, or standard output is closed. Devices and
        pipes do only where ``devices`` says so: nothing can be put in their place.
    """
    if path == "-":
        standard_output()
        return
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "this is a folder. Name a file in it", path)
    if _is_no_file(path):
        if not devices:
            raise OSError(errno.EINVAL, "this is no regular file, which alone can be replaced. Name another", path)
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "it cannot be written to. Name another", path)
        return
    folder = os.path.dirname(os.path.realpath(path) if os.path.islink(path) else path) or os.curdir
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder}. Make it first", path)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, f"the folder {folder} cannot be written to. Name another", path)
