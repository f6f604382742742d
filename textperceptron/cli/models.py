"""Model files that a person named: what is wrong with one, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from textperceptron.model import TextModel
    from textperceptron.model.inspect import Inspection

Read = TypeVar("Read")


def open_model(path: str) -> TextModel:
    """Open a model file.

    Raises
    ------
    ValueError, OSError
        With the path and a remedy.
    """
    from textperceptron.model import TextModel

    return _read(TextModel.load, path)


def inspect_model(path: str, *, verify: bool = False) -> Inspection:
    """Read what a model file says about itself, and compare its digest if asked to; errors as in :func:`open_model`."""
    from textperceptron.model.inspect import inspect

    return _read(lambda path: inspect(path, verify=verify), path)


def refuse_other_checkpoint(path: str) -> None:
    """Raise, before anything is read, if there is a file that is no checkpoint; with the path and a remedy."""
    import os

    from textperceptron.model.file import ModelFileError, read_header

    remedy = "Name the checkpoint to go on from, or begin anew without --resume."
    try:
        if os.path.exists(path):
            read_header(path, "checkpoint")
    except ModelFileError as problem:
        raise ValueError(f"{problem} {remedy}") from None
    except OSError as problem:
        raise ValueError(f"{path}: the file cannot be read ({problem.strerror}). {remedy}") from None


def _read(read: Callable[[str], Read], path: str) -> Read:
    from textperceptron.model.file import ModelFileError

    make = "textperceptron train CORPUS --model FILE"
    try:
        return read(path)
    except FileNotFoundError:
        raise ValueError(f"{path}: there is no such model. Check the path, or make one: {make}") from None
    except IsADirectoryError:
        raise ValueError(f"{path}: this is a folder. Name a model file.") from None
    except OSError as problem:
        raise ValueError(
            f"{path}: the file cannot be read ({problem.strerror}). Check its permissions, or name another."
        ) from None
    except ModelFileError as problem:
        newer = "Install a newer version" in str(problem)
        raise ValueError(str(problem) if newer else f"{problem} Name another, or make one: {make}") from None
