"""Where everything stands in a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy.typing as npt

from textperceptron.model_file.container import KEY, TYPES
from textperceptron.model_file.strict_json import dump

Array = npt.NDArray[Any]

# Arrays of so many bytes begin where a block of so many begins: before the header is known, one knows where.
_LARGE, _BLOCK = 1 << 20, 1 << 14


def is_laid_out_ahead(arrays: Mapping[str, Array]) -> bool:
    """Whether it is known where each of these arrays will be in a file, before what it begins with is."""
    return sum(array.nbytes for array in arrays.values()) >= _LARGE


class Layout(NamedTuple):
    """What a file begins with, the arrays in the order in which they follow, and where each of them begins.

    The bytes are those that the safetensors library writes, which would first copy all arrays twice, but for further
    spaces behind the header of a large file.
    """

    beginning: bytes
    arrays: dict[str, Array]
    places: dict[str, int]

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
        text += b" " * (-(8 + len(text)) % (_BLOCK if is_laid_out_ahead(arrays) else 8))
        begin = 8 + len(text)
        return cls(
            len(text).to_bytes(8, "little") + text,
            {name: arrays[name] for name in names},
            {name: begin + described[name]["data_offsets"][0] for name in names},
        )

    @property
    def size(self) -> int:
        """Bytes of the file."""
        return len(self.beginning) + sum(array.nbytes for array in self.arrays.values())
