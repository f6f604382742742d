"""Write a file so that there is always a whole one: the old, or the new."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
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

    They go to a temporary file in the same folder, to the disk, and only then to their name. It has the permissions of
    any new file, or those of the one that it replaces, before anything is in it that others may not read. What writers
    of the same file that were killed have left is removed.

    Raises
    ------
    OSError
        If that cannot be done; what was there before is then still there.
    """
    from textperceptron import __version__

    whole = {**header, "format": FORMAT, "kind": kind, "toolkit": __version__}
    layout = Layout.of(whole, arrays)
    with replacing(path) as new:
        _write(layout, new.create())
    name_to_disk(Path(os.path.realpath(path)))
    return layout.size


def _write(layout: Layout, file: BinaryIO) -> None:
    file.write(layout.beginning)
    for array in layout.arrays.values():
        file.write(_as_bytes(array))
    file.flush()
    os.fsync(file.fileno())


def _as_bytes(array: npt.NDArray[Any]) -> memoryview:
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def name_to_disk(path: Path) -> None:
    """Force the name of a file, which is in its folder, to the disk where that can be done."""
    if os.name != "posix":
        return
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
