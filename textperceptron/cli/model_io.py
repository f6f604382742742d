"""Model files named on the command line: errors with a remedy, and models on standard output."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypeVar

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.output import standard_output
from textperceptron.model import Inspection, TextModel, inspect
from textperceptron.model.file import ModelFileError, read_header

Read = TypeVar("Read")

_TRAIN = "textperceptron train CORPUS --model FILE"


def open_model(path: str) -> TextModel:
    """Open a model file.

    Raises
    ------
    ValueError
        With the path and a remedy.
    """
    return _read(TextModel.load, path)


def inspect_model(path: str, *, verify: bool = False) -> Inspection:
    """Read the header of a model file, and verify its digest on request; errors as in :func:`open_model`."""
    return _read(lambda path: inspect(path, verify=verify), path)


def check_checkpoint(path: str) -> None:
    """Raise ValueError if a file exists that is not a checkpoint; with the path and a remedy."""
    remedy = "Name the checkpoint to resume from, or start again without --resume."
    try:
        if os.path.exists(path):
            read_header(path, "checkpoint")
    except ModelFileError as problem:
        raise ValueError(f"{problem} {remedy}") from None
    except OSError as problem:
        raise ValueError(f"{path}: the file cannot be read ({problem.strerror}). {remedy}") from None


def save_model(model: TextModel, path: str) -> int:
    """Write a model to a file, or to standard output for ``-``; return its size in bytes.

    Raises
    ------
    OSError
        If it cannot be written; an existing file is then unchanged.
    """
    if path != "-":
        return model.save(path)
    with deferred_interrupts():
        import shutil
        import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file_path = os.path.join(folder, "model")
        size = model.save(file_path)
        with open(file_path, "rb") as file:
            shutil.copyfileobj(file, standard_output().buffer)
    return size


def _read(read: Callable[[str], Read], path: str) -> Read:
    try:
        return read(path)
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such file. Check the path, or train a model: {_TRAIN}") from None
    except IsADirectoryError:
        raise ValueError(f"{path}: this is a folder. Name a model file.") from None
    except OSError as problem:
        raise ValueError(
            f"{path}: the file cannot be read ({problem.strerror}). Check its permissions, or name another."
        ) from None
    except ModelFileError as problem:
        newer = "Install a newer version" in str(problem)
        raise ValueError(
            str(problem) if newer else f"{problem} Name another file, or train a model: {_TRAIN}"
        ) from None
