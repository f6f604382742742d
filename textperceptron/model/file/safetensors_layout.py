"""The byte layout of a file: an 8-byte length, the safetensors header in JSON, then the arrays.

Our own header is a JSON string among the safetensors metadata.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.model.file.strict_json import dump, parse

Array = npt.NDArray[Any]

FORMAT = 2
"""Version of the format that is written. This version and all earlier ones are read."""

KEY = "textperceptron"
"""Key of our header in the metadata of the file."""

LENGTH_BYTES = 8
"""Bytes in front of the safetensors header that hold its length."""

# Types as safetensors names them, all little-endian. A file has its arrays in this order, widest first, so that every
# array is aligned.
TYPES: dict[str, np.dtype[Any]] = {
    "U64": np.dtype("<u8"),
    "I64": np.dtype("<i8"),
    "F64": np.dtype("<f8"),
    "F32": np.dtype("<f4"),
    "I32": np.dtype("<i4"),
    "F16": np.dtype("<f2"),
    "I8": np.dtype("<i1"),
    "U8": np.dtype("<u1"),
}

_ALIGNMENT = 8  # bytes
_MAX_DIMENSIONS = 4


class ModelFileError(ValueError):
    """The file is not a model file or checkpoint, is damaged, or was written by a newer version."""


@contextmanager
def error_context(path: str | os.PathLike[str]) -> Iterator[None]:
    """Convert errors about the contents of a file to a ModelFileError that starts with its path."""
    try:
        yield
    except (ValueError, OverflowError, RecursionError) as problem:
        raise ModelFileError(f"{os.fspath(path)}: {problem}") from None


@dataclass(frozen=True, slots=True)
class Layout:
    """The bytes in front of the arrays, and the arrays in file order.

    The bytes equal those that the safetensors library writes; the library would first copy all arrays twice.
    """

    head: bytes
    arrays: dict[str, Array]

    @property
    def size(self) -> int:
        """Size of the file in bytes."""
        return len(self.head) + sum(array.nbytes for array in self.arrays.values())


@dataclass(frozen=True, slots=True)
class ArrayEntry:
    """Type, shape and offset of an array; the offset counts from the end of the header."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int

    @property
    def n_bytes(self) -> int:
        """Size of the array in bytes."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def addressed_bytes(self) -> int:
        """Size that numpy checks for overflow: a dimension of 0 counts as 1."""
        return math.prod(max(1, n) for n in self.shape) * self.dtype.itemsize


def make_layout(header: Mapping[str, Any], arrays: Mapping[str, Array]) -> Layout:
    """Lay out our header and the arrays; equal contents give equal bytes."""
    types = list(TYPES.values())
    names = sorted(arrays, key=lambda name: (types.index(arrays[name].dtype), name))
    entries: dict[str, Any] = {"__metadata__": {KEY: dump(header)}}
    offset = 0
    for name in names:
        array = arrays[name]
        dtype, end = list(TYPES)[types.index(array.dtype)], offset + array.nbytes
        entries[name] = {"dtype": dtype, "shape": list(array.shape), "data_offsets": [offset, end]}
        offset = end
    text = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % _ALIGNMENT)
    return Layout(len(text).to_bytes(LENGTH_BYTES, "little") + text, {name: arrays[name] for name in names})


def parse_own_header(metadata: Any, kind: str) -> dict[str, Any]:
    """Return our header from the safetensors metadata; its format and kind are checked."""
    text = metadata.get(KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise ModelFileError(f"not a {kind} file, but a safetensors file of another program.")
    header = parse(text, "the textperceptron header")
    if not isinstance(header, dict) or type(header.get("format")) is not int:
        raise ModelFileError("the header has no format number: the file is damaged.")
    if header["format"] > FORMAT:
        raise ModelFileError(
            f"the file has format {header['format']} (written by version {str(header.get('toolkit'))[:20]}); this "
            f"version reads formats up to {FORMAT}. Install a newer version of textperceptron."
        )
    if header["format"] < 1:
        raise ModelFileError(f"the format number is {header['format']}, but formats start at 1: the file is damaged.")
    if header.get("kind") != kind:
        raise ModelFileError(f"this is a {str(header.get('kind'))[:20]}, not a {kind}.")
    return header


def parse_entries(tensors: Mapping[str, Any], data_bytes: int) -> dict[str, ArrayEntry]:
    """Return the entry of each array; together the arrays fill ``data_bytes`` without gaps or overlaps."""
    entries = {name: _parse_entry(name[:40], tensor, data_bytes) for name, tensor in tensors.items()}
    end = 0
    for entry in sorted(entries.values(), key=lambda entry: (entry.offset, entry.n_bytes)):
        if entry.offset != end:
            raise ModelFileError("the arrays overlap or have gaps between them: the file is damaged.")
        end += entry.n_bytes
    if end != data_bytes:
        raise ModelFileError(f"{data_bytes - end} bytes follow the last array: the file is damaged.")
    return entries


def _parse_entry(name: str, tensor: Any, data_bytes: int) -> ArrayEntry:
    if not isinstance(tensor, dict) or set(tensor) != {"dtype", "shape", "data_offsets"}:
        raise ModelFileError(f"the array {name!r} must have dtype, shape and data_offsets: the file is damaged.")
    dtype: np.dtype[Any] | None = TYPES.get(tensor["dtype"]) if isinstance(tensor["dtype"], str) else None
    shape, offsets = _sizes(tensor["shape"]), _sizes(tensor["data_offsets"])
    if dtype is None or shape is None or len(shape) > _MAX_DIMENSIONS or offsets is None or len(offsets) != 2:
        raise ModelFileError(f"the array {name!r} has an invalid dtype, shape or data_offsets: the file is damaged.")
    begin, end = offsets
    entry = ArrayEntry(dtype, tuple(shape), begin)
    if not begin <= end <= data_bytes or entry.n_bytes != end - begin or entry.addressed_bytes >= 1 << 63:
        raise ModelFileError(f"the array {name!r} does not fit its data_offsets: the file is damaged or truncated.")
    return entry


def _sizes(values: Any) -> list[int] | None:
    """Return a list of integers from 0 to 2**63 - 1, or None if it is anything else."""
    if isinstance(values, list) and all(type(value) is int and 0 <= value < 1 << 63 for value in values):
        return values
    return None
