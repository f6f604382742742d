"""Write a file so that there is always a whole one: the old, or the new."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from textperceptron._parallel import in_background
from textperceptron.model.file import digest
from textperceptron.model.file.container import FORMAT, first_not_finite
from textperceptron.model.file.layout import Layout
from textperceptron.model.file.replacing import replacing

_LARGE = 1 << 20  # bytes from which on a second thread pays


def write_container(
    path: str | os.PathLike[str],
    kind: str,
    header: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
) -> int:
    """Write header and arrays, the same bytes for the same contents; return how many.

    They go to a temporary file in the same folder, to the disk, and only then to their name, as :func:`replacing` does
    it.

    Raises
    ------
    ValueError
        If a number is NaN or infinite, which no reader takes.
    OSError
        If that cannot be done; what was there before is then still there.
    """
    from textperceptron import __version__

    for name, array in arrays.items():
        if (bad := first_not_finite(array)) is not None:
            raise ValueError(
                f"{os.fspath(path)}: nothing was written: the array {name!r} holds {array.flat[bad]} at place {bad}. "
                "Train anew, on rows of length 1 (norm='l2') or with smaller sample weights."
            )
    whole = {**header, "format": FORMAT, "kind": kind, "toolkit": __version__, digest.NAME: digest.BLANK}
    layout = Layout.of(whole, arrays)
    with replacing(path) as file:
        _write(layout, file)
    return layout.size


def _write(layout: Layout, file: BinaryIO) -> None:
    """Write everything, and then the digest: of a large file it is computed while the rest goes to the disk."""
    is_large = layout.size >= _LARGE
    arrays = [_as_bytes(array) for array in layout.arrays.values()]
    found = in_background(lambda: digest.digest_of(layout.beginning, arrays), 2 if is_large else 1)
    file.write(layout.beginning)
    for array in arrays:
        file.write(array)
    if is_large:
        file.flush()
        os.fsync(file.fileno())
    file.seek(0)
    file.write(digest.exchanged(layout.beginning, digest.BLANK, found()))


def _as_bytes(array: npt.NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
