"""Write a file so that there is always a whole one: the old, or the new."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy.typing as npt

from textperceptron.model_file.begun import BegunFile, as_bytes
from textperceptron.model_file.container import FORMAT
from textperceptron.model_file.layout import Layout


def write_container(
    path: str | os.PathLike[str],
    kind: str,
    header: Mapping[str, Any],
    arrays: Mapping[str, npt.NDArray[Any]],
    begun: BegunFile | None = None,
) -> int:
    """Write header and arrays, the same bytes for the same contents; return how many.

    They go to a temporary file in the same folder, to the disk, and only then to their name. A file that was begun with
    some of these arrays is finished instead, if it is in the same folder. It has the permissions of any new file, or
    those of the one that it replaces, before anything is in it that others may not read.

    Raises
    ------
    OSError
        If that cannot be done; what was there before is then still there.
    """
    from textperceptron import __version__

    whole = {**header, "format": FORMAT, "kind": kind, "toolkit": __version__}
    target = Path(os.path.realpath(path))
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        raise OSError(errno.EINVAL, "not a regular file, which alone can be replaced", os.fspath(path))
    layout = Layout.of(whole, arrays)
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
        if begun is None or not begun.finish(layout, temporary, mode):
            _write(layout, temporary, mode)
        temporary.replace(target)
        name_to_disk(target)
    except BaseException as problem:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(problem, OSError):  # users know the name that they gave, not the temporary one
            raise OSError(problem.errno, problem.strerror or str(problem), os.fspath(path)) from None
        raise
    return layout.size


def _write(layout: Layout, path: Path, mode: int | None) -> None:
    with open(path, "xb") as file:
        if mode is not None:
            os.chmod(path, mode)
        file.write(layout.beginning)
        for array in layout.arrays.values():
            file.write(as_bytes(array))
        file.flush()
        os.fsync(file.fileno())


def name_to_disk(path: Path) -> None:
    """Force the name of a file, which is in its folder, to the disk where that can be done."""
    if os.name != "posix":
        return
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
