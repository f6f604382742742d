"""Write a file so that there is always a whole one: the old, or the new."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from textperceptron.model_file.container import FORMAT
from textperceptron.model_file.layout import Layout
from textperceptron.model_file.replacing import replacing


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
    OSError
        If that cannot be done; what was there before is then still there.
    """
    from textperceptron import __version__

    whole = {**header, "format": FORMAT, "kind": kind, "toolkit": __version__}
    layout = Layout.of(whole, arrays)
    with replacing(path) as file:
        _write(layout, file)
    return layout.size


def _write(layout: Layout, file: BinaryIO) -> None:
    file.write(layout.beginning)
    for array in layout.arrays.values():
        file.write(_as_bytes(array))


def _as_bytes(array: npt.NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data
