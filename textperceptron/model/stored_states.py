"""States of training ↔ arrays."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import State
from textperceptron.learn.state import EPOCH, LOGGED, SUPPORT
from textperceptron.model.file import ModelFileError, TensorFile
from textperceptron.model.summary import MOST_COUNTED

Array = npt.NDArray[Any]

# What a run under way needs, and makes anew when it begins: of a voted perceptron, and of one-vs-all.
_PASSING = ("log", "base", "alpha", "support", "dense", "max_abs_weight", "label_signs")

# Exclusive upper limits of integers, by their size in bytes: counts, which kernels increment unchecked, and flags.
_MOST = {8: MOST_COUNTED, 1: 2}


def state_arrays(state: State, prefix: str) -> dict[str, Array]:
    """Return the arrays of a state, each called after its field."""
    return {f"{prefix}.{key}": getattr(state, name) for name, key in _array_names(state).items()}


def restore(state: State, file: TensorFile, prefix: str) -> None:
    """Fill a state, as it is at the start of training, with what a file holds.

    Raises
    ------
    ModelFileError
        If an array is missing, or of another type or size than the state's own.
    """
    found = {}
    for name, key in _array_names(state).items():
        own = getattr(state, name)
        if not own.size and f"{prefix}.{key}" not in file.arrays:
            continue  # there was no such array when the file was written, and this state needs none
        found[name] = array = file.array(f"{prefix}.{key}", own.dtype, ndim=own.ndim, size=own.size)
        if array.dtype.kind == "i" and array.size and (array.min() < 0 or array.max() >= _MOST[array.dtype.itemsize]):
            raise ModelFileError(f"the array '{prefix}.{key}' counts what cannot be: the file is damaged.")
    if found["counts"][EPOCH] >= 1 << 31:
        raise ModelFileError("the counts of training make no sense: the file is damaged.")
    for name, array in found.items():
        np.copyto(getattr(state, name), array)
    state.counts[[SUPPORT, LOGGED]] = 0


def _array_names(state: State) -> dict[str, str]:
    """Return the names of a state's arrays, and the keys that files have for them."""
    arrays = (field for field in dataclasses.fields(state) if isinstance(getattr(state, field.name), np.ndarray))
    return {field.name: field.metadata.get("key", field.name) for field in arrays if field.name not in _PASSING}
