"""What a file holds, once it is read."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron.model.file.errors import ModelFileError

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


_PART = 1 << 18  # numbers that are looked at together: what is found out about them stays in the second cache


class Container(NamedTuple):
    """A header and named arrays: views of the file, which cannot be written to."""

    header: Mapping[str, Any]
    arrays: Mapping[str, npt.NDArray[Any]]

    def array(self, name: str, *types: npt.DTypeLike, ndim: int = 1, size: int | None = None) -> npt.NDArray[Any]:
        """Return an array that must be there, of one of some types, and of a size where one is given; finite numbers.

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
        if (bad := first_not_finite(array)) is not None:
            raise ModelFileError(
                f"the array {name!r} holds {array.flat[bad]} at place {bad}, which is no weight: the file is damaged. "
                "Copy it again from where it is whole, or train anew."
            )
        return array


def first_not_finite(array: npt.NDArray[Any]) -> int | None:
    """Return the place of the first number that is NaN or infinite, or None; a megabyte takes 0.1 ms.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.model.file.container import first_not_finite
    >>> first_not_finite(np.array([1.0, np.inf])), first_not_finite(np.arange(3))
    (1, None)
    """
    if array.dtype.kind != "f":
        return None
    flat = array.reshape(-1)
    for start in range(0, flat.size, _PART):
        finite = np.isfinite(flat[start : start + _PART])
        if not finite.all():
            return start + int(finite.argmin())
    return None
