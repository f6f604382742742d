"""What a file holds, once it is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron.model_file.errors import ModelFileError

FORMAT = 2
"""Version of the format that this toolkit writes. It reads this one and every earlier one."""

KEY = "textperceptron"
"""Name of our header among the metadata of the file."""

# The format's names of types, and ours. Numbers are little-endian. Arrays stand in a file in this order, widest first,
# so that each begins where numbers of its type may.
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


class Container(NamedTuple):
    """A header and named arrays: views of the file, which cannot be written to."""

    header: Mapping[str, Any]
    arrays: Mapping[str, npt.NDArray[Any]]

    def array(self, name: str, *types: npt.DTypeLike, ndim: int = 1, size: int | None = None) -> npt.NDArray[Any]:
        """Return an array that must be there, of one of some types, and of a size where one is given.

        Raises
        ------
        ModelFileError
            If it is not.
        """
        if name not in self.arrays:
            raise ModelFileError(f"the array {name!r} is missing: the file is damaged.")
        array = self.arrays[name]
        if array.dtype not in [np.dtype(kind) for kind in types] or array.ndim != ndim:
            raise ModelFileError(
                f"the array {name!r} is of {array.dtype} and has {array.ndim} dimensions, not "
                f"{ndim} of {' or '.join(str(np.dtype(kind)) for kind in types)}: the file is damaged."
            )
        if size is not None and array.size != size:
            raise ModelFileError(f"the array {name!r} has {array.size} numbers, not {size}: the file is damaged.")
        return array
