"""Write a file so that there is always a whole one: the old, or the new."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy.typing as npt

from textperceptron.model_file.begun import BegunFile, as_bytes
from textperceptron.model_file.container import FORMAT
from textperceptron.model_file.layout import Layout
from textperceptron.model_file.unfinished import create, remove_leftovers, unfinished


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
    those of the one that it replaces, before anything is in it that others may not read. What writers of the same file
    that were killed have left is removed.

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
    remove_leftovers(target)
    try:
        mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
        with _written(layout, target, mode, begun) as temporary:
            temporary.replace(target)
        name_to_disk(target)
    except OSError as problem:  # users know the name that they gave, not the temporary one
        raise OSError(problem.errno, problem.strerror or str(problem), os.fspath(path)) from None
    return layout.size


@contextmanager
def _written(layout: Layout, target: Path, mode: int | None, begun: BegunFile | None) -> Iterator[Path]:
    """Give a whole file beside the target, one that was begun if it can be finished, locked until it has its name."""
    if begun is not None:
        with closing(begun), _removed_after_an_error(unfinished(target)) as path:
            if begun.finish(layout, path, mode):
                yield path
                return
    path, file = create(target)
    with file, _removed_after_an_error(path):
        if mode is not None:
            os.chmod(path, mode)
        file.write(layout.beginning)
        for array in layout.arrays.values():
            file.write(as_bytes(array))
        file.flush()
        os.fsync(file.fileno())
        if os.name != "posix":
            file.close()  # an open file cannot be renamed there
        yield path


@contextmanager
def _removed_after_an_error(path: Path) -> Iterator[Path]:
    try:
        yield path
    except BaseException:
        with suppress(OSError):
            path.unlink(missing_ok=True)
        raise


def name_to_disk(path: Path) -> None:
    """Force the name of a file, which is in its folder, to the disk where that can be done."""
    if os.name != "posix":
        return
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
