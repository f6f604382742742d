"""Finished models ↔ arrays and a description: what a file says is checked against what kernels rely on.

Models of two classes are here, ``stored_other_models`` has the other kinds and is imported when it meets one.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn.models.base import Model
from textperceptron.learn.models.binary import BinaryModel
from textperceptron.model.file import ModelFileError, TensorFile, first_not_finite
from textperceptron.model.halves import MOST_EXPONENT, halved, unhalved

Array = npt.NDArray[Any]

FLOATS = (np.float32, np.float64)


def written(model: Model, half_exponent: int | None = None) -> tuple[dict[str, Any], dict[str, Array]]:
    """Return a description of a model, and its arrays: the weights as float16, if an exponent for them is given."""
    half = {} if half_exponent is None else {"half_exponent": half_exponent}
    if half_exponent is not None:
        model = model.map_weights(lambda weights: halved(weights, half_exponent))
    if isinstance(model, BinaryModel):
        return {"kind": "binary", **half}, {"weights": model.weights}
    from textperceptron.model import stored_other_models

    description, arrays = stored_other_models.written(model)
    return description | half, arrays


def read(description: Any, file: TensorFile, n_columns: int, n_classes: int) -> Model:
    """Return the model that a file describes.

    Raises
    ------
    ModelFileError
        If description and arrays do not fit the columns and classes.
    """
    kind = description.get("kind") if isinstance(description, dict) else None
    if kind == "binary" and n_classes == 2:
        return BinaryModel(weights_of(file, description, n_columns + 1))
    from textperceptron.model import stored_other_models

    return stored_other_models.read(kind, description, file, n_columns, n_classes)


def weights_of(file: TensorFile, description: dict[str, Any], size: int) -> Array:
    """Return weights as kernels take them; those of half the size are written out."""
    exponent = half_exponent_of(description)
    if exponent is None:
        return file.array("weights", *FLOATS, size=size)
    return written_out(file.array("weights", np.float16, size=size), exponent)


def written_out(stored: Array, exponent: int) -> Array:
    """Return weights of float16 as float32.

    Raises
    ------
    ModelFileError
        If the power of two makes one infinite.
    """
    weights = unhalved(stored, exponent)
    if first_not_finite(weights) is not None:
        raise ModelFileError(f"half_exponent={exponent} makes a weight infinite: the file is damaged.")
    return weights


def half_exponent_of(description: dict[str, Any]) -> int | None:
    """Return the power of two by which weights of float16 are to be multiplied, or None if weights are not halved."""
    exponent = description.get("half_exponent")
    if exponent is not None and (type(exponent) is not int or not -MOST_EXPONENT <= exponent <= MOST_EXPONENT):
        raise ModelFileError(f"half_exponent is no number from -{MOST_EXPONENT} to {MOST_EXPONENT}: it is damaged.")
    return exponent
