"""Where everything stands in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy.typing as npt

from textperceptron.model.file.container import KEY, TYPES
from textperceptron.model.file.strict_json import dump

Array = npt.NDArray[Any]

_ALIGNMENT = 8  # bytes: every array begins where numbers of its type may


class Layout(NamedTuple):
    """What a file begins with, and the arrays in the order in which they follow.

    The bytes are those that the safetensors library writes, which would first copy all arrays twice.
    """

    beginning: bytes
    arrays: dict[str, Array]

    @classmethod
    def of(cls, header: Mapping[str, Any], arrays: Mapping[str, Array]) -> Layout:
        """Lay out a header and arrays; the same for the same contents."""
        kinds = list(TYPES.values())
        names = sorted(arrays, key=lambda name: (kinds.index(arrays[name].dtype), name))
        described: dict[str, Any] = {"__metadata__": {KEY: dump(header)}}
        at = 0
        for name in names:
            kind, array = list(TYPES)[kinds.index(arrays[name].dtype)], arrays[name]
            described[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
            at += array.nbytes
        text = json.dumps(described, ensure_ascii=False, separators=(",", ":")).encode()
        text += b" " * (-len(text) % _ALIGNMENT)
        return cls(len(text).to_bytes(8, "little") + text, {name: arrays[name] for name in names})

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return len(self.beginning) + sum(array.nbytes for array in self.arrays.values())
