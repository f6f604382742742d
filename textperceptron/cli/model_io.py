"""Model files named on the command line: errors with a remedy, and models on standard output."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.output import standard_output
from textperceptron.model import Inspection, TextModel, inspect
from textperceptron.model.file import ModelFileError, read_header

if TYPE_CHECKING:
    from textperceptron.cli.compress import Compression
    from textperceptron.settings import Settings

Read = TypeVar("Read")

_TRAIN = "textperceptron train CORPUS --model FILE"
_AGAIN = f"train again, on all texts: {_TRAIN} --updatable"


def open_model(path: str) -> TextModel:
    """Open a model file.

    Raises
    ------
    ValueError
        With the path and a remedy.
    """
    return _read(TextModel.load, path)


def open_updatable(path: str) -> TextModel:
    """Open a model file to train it further.

    Raises
    ------
    ValueError
        If the file has no training state; with the reason and a remedy.
    """
    model = open_model(path)
    if has_state(model):
        return model
    learner = model.settings.learner
    if model.multilabel:
        reason, remedy = "models of several labels per text have none", "Train from the start, on all texts"
    elif learner.multiclass == "one-vs-one" and len(model.classes) > 2:
        reason, remedy = "one-vs-one keeps none", "Train with --multiclass one-vs-all --updatable"
    elif model.parts.half_exponent is not None:
        reason, remedy = "its weights were rounded by --half", f"Update the model that it was made of, or {_AGAIN}"
    else:
        reason = "only --updatable saves it, and not together with --prune"
        remedy = f"T{_AGAIN[1:]}"
    raise ValueError(f"{path}: the model has no training state, so it cannot be updated: {reason}. {remedy}.")


def check_updatable(settings: Settings, path: str | None, compression: Compression | None) -> None:
    """Raise ValueError if a model of these settings, compressed and saved in this way, could not be updated."""
    if path is None:
        raise ValueError("--updatable saves the training state in the model's file: name it with --model FILE.")
    if compression is not None:
        raise ValueError(
            f"--updatable saves the training state, and {compression.option} makes a model without one. Use one of "
            "them."
        )
    learner = settings.learner
    for option, is_given in (
        ("--early-stopping", learner.early_stopping),
        ("--class-weight balanced", learner.class_weight == "balanced"),
        ("--multiclass one-vs-one", learner.multiclass == "one-vs-one"),
    ):
        if is_given:
            raise ValueError(f"--updatable: {option} needs all texts at once. Use one of the two.")


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


def save_model(model: TextModel, path: str, *, updatable: bool = False) -> int:
    """Write a model to a file, or to standard output for ``-``; return its size in bytes.

    With ``updatable``, its training state is saved too.

    Raises
    ------
    OSError
        If it cannot be written; an existing file is then unchanged.
    """
    if path != "-":
        return model.save(path, trainable=updatable)
    with deferred_interrupts():
        import shutil
        import tempfile

    with tempfile.TemporaryDirectory() as folder:
        file_path = os.path.join(folder, "model")
        size = model.save(file_path, trainable=updatable)
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


def has_state(model: TextModel) -> bool:
    """Return whether a model has a training state."""
    return model.parts.fitted is not None and model.parts.fitted.can_update


def state_size(model: TextModel) -> int:
    """Return the bytes of the training state in the model's file."""
    if model.parts.fitted is None:
        return 0
    with deferred_interrupts():
        from textperceptron.model.serialize_state import fitted_arrays

    return sum(array.nbytes for array in fitted_arrays(model.parts.fitted).values())
