"""States of training ↔ arrays."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.learn import State
from textperceptron.learn.state import EPOCH, LOGGED, SUPPORT
from textperceptron.model.file import Container, ModelFileError
from textperceptron.model.summary import MOST_COUNTED

Array = npt.NDArray[Any]

# What a run under way needs, and makes anew when it begins: of a voted perceptron, and of one-vs-all.
_PASSING = ("log", "base", "alpha", "support", "dense", "heaviest", "opinions")

# Exclusive upper limits of integers, by their size in bytes: counts, which kernels increment unchecked, and flags.
_MOST = {8: MOST_COUNTED, 1: 2}


def state_arrays(state: State, prefix: str) -> dict[str, Array]:
    """Return the arrays of a state, each called after its field."""
    return {f"{prefix}.{name}": getattr(state, name) for name in _array_names(state)}


def restore(state: State, file: Container, prefix: str) -> None:
    """Fill a state, as it is at the start of training, with what a file holds.

    Raises
    ------
    ModelFileError
        If an array is missing, or of another type or size than the state's own.
    """
    found = {}
    for name in _array_names(state):
        own = getattr(state, name)
        if not own.size and f"{prefix}.{name}" not in file.arrays:
            continue  # there was no such array when the file was written, and this state needs none
        found[name] = file.array(f"{prefix}.{name}", own.dtype, ndim=own.ndim, size=own.size)
    for name, array in found.items():
        if array.dtype.kind == "i" and array.size and (array.min() < 0 or array.max() >= _MOST[array.dtype.itemsize]):
            raise ModelFileError(f"the array '{prefix}.{name}' counts what cannot be: the file is damaged.")
    if found["counts"][EPOCH] >= 1 << 31:
        raise ModelFileError("the counts of training make no sense: the file is damaged.")
    for name, array in found.items():
        np.copyto(getattr(state, name), array)
    state.counts[[SUPPORT, LOGGED]] = 0


def _array_names(state: State) -> list[str]:
    names = (field.name for field in dataclasses.fields(state) if isinstance(getattr(state, field.name), np.ndarray))
    return [name for name in names if name not in _PASSING]
