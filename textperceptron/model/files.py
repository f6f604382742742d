"""The parts of a text model ↔ a file."""

from __future__ import annotations

import os
from typing import Any

import numpy.typing as npt

from textperceptron.learn.column_pairs import n_columns_with_pairs
from textperceptron.learn.models.base import Model
from textperceptron.model import storage, stored_models
from textperceptron.model.file import ModelFileError, TensorFile, error_context, open_tensor_file, write_tensor_file
from textperceptron.model.outcome import Training
from textperceptron.model.parts import Parts
from textperceptron.model.slow_pattern import warn_of_slow_pattern
from textperceptron.model.stored_states import state_arrays
from textperceptron.model.top_terms import top_terms
from textperceptron.settings import LearnerPart

# Terms of each class that a file lists for whoever inspects it, and how many of all classes.
_LISTED, _LISTED_IN_ALL = 20, 10_000


def write_parts(path: str | os.PathLike[str], parts: Parts, *, trainable: bool) -> int:
    """Write a model, with the state of training if it is to be trained on; return the size of the file.

    Raises
    ------
    ValueError
        If there is no state of training.
    OSError
        If it cannot be written.
    """
    state: dict[str, npt.NDArray[Any]] = {}
    if trainable:
        if parts.training is None:
            raise ValueError("there is no state of training to keep: save it without trainable.")
        state = state_arrays(parts.training.state, "state")
    description, arrays = stored_models.written(parts.model, parts.half_exponent)
    header = storage.header_of(parts.settings, parts.classes, parts.calibration, parts.summary)
    header |= {"model": description, "n_columns": parts.features.n_columns, "heaviest": _listed(parts)}
    names = storage.vocabulary_arrays(parts.features.vocabulary, small=parts.half_exponent is not None)
    return write_tensor_file(path, "model", header, arrays | names | state)


def read_parts(path: str | os.PathLike[str], *, verify: bool = False) -> Parts:
    """Open a model file, after comparing its digest if asked to.

    Raises
    ------
    ModelFileError
        If it is no model file, a damaged one, or one of a newer format; or has no digest to verify.
    OSError
        If it cannot be read.
    """
    file = open_tensor_file(path, "model", verify=verify)
    with error_context(path):
        told = storage.read_description(file.header)
        features = storage.read_features(file, told)
        n_columns = n_columns_with_pairs(told.n_columns, told.settings.learner.pair_bits)
        model = stored_models.read(file.header["model"], file, n_columns, len(told.classes))
        if "mistaken" in file.arrays and told.settings.learner.learner != "voted":
            raise ModelFileError("it holds mistakes that vote, and its learner is another: the file is damaged.")
        training = _training(file, told.settings.learner, model)
        half_exponent = stored_models.half_exponent_of(file.header["model"])
    warn_of_slow_pattern(path, told.settings.text, stacklevel=3)
    return Parts(told.settings, told.classes, features, model, told.summary, told.calibration, training, half_exponent)


def _training(file: TensorFile, learner: LearnerPart, model: Model) -> Training | None:
    """Return what a file holds for going on, or None if it was saved without."""
    if "state.weights" not in file.arrays:
        return None
    from textperceptron.model.stored_training import stored_training

    return stored_training(file, learner, model)


def _listed(parts: Parts) -> list[list[tuple[str, float]]] | None:
    """Return some terms of each class for a header, or None where there are none."""
    n_classes = len(parts.classes)
    n = max(1, min(_LISTED, _LISTED_IN_ALL // n_classes))
    try:
        return [top_terms(parts, code, n) for code in range(n_classes)]
    except ValueError:  # no names, or no weights
        return None
