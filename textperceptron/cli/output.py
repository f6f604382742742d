"""Where results go: standard output, or a file that appears when it is complete."""

from __future__ import annotations

import contextlib
import errno
import io
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, TextIO

if TYPE_CHECKING:
    from textperceptron.pipeline import TextModel


@contextlib.contextmanager
def results(path: str) -> Iterator[TextIO]:
    """Open a file for results, or standard output for ``-``; both as UTF-8, whatever the terminal has.

    Raises
    ------
    OSError
        If it cannot be written; what was at the path is then still there.
    """
    if path == "-":
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace", newline="\n")
        yield sys.stdout
        return
    if os.path.exists(path) and not os.path.isfile(path):  # a device or a pipe: nothing to put in its place
        with open(path, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
            yield stream
        return
    unfinished = f"{path}.{os.getpid()}.tmp"
    try:
        try:
            with open(unfinished, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as stream:
                yield stream
            os.replace(unfinished, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(unfinished)
            raise
    except OSError as problem:
        if problem.filename in (None, unfinished):  # a full disk names no file
            raise OSError(problem.errno, problem.strerror, path) from None
        raise


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
            shutil.copyfileobj(file, sys.stdout.buffer)
    return size


def refuse_unwritable(path: str) -> None:
    """Raise before work is done that could not be kept.

    Raises
    ------
    OSError
        If the path is a folder, or is in no folder that can be written to.
    """
    folder = os.path.dirname(path) or os.curdir
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "this is a folder. Name a file in it", path)
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, f"there is no folder {folder}. Make it first", path)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, f"the folder {folder} cannot be written to. Name another", path)
