"""A new file in the place of an old one: there is always a whole one."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from textperceptron.model.file.unfinished import create, is_unfinished, remove_leftovers


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Give a file to be written within the block, which then takes the place of the one at the path.

    It is in the same folder as what is replaced; of a symbolic link, that is what the link leads to. It has the
    permissions of any new file, or those of the one that it replaces, before anything is in it. Until it has its place
    it is locked. Its contents are forced to the disk before that, its name after that: a power cut leaves the old file
    or the new one. If the block is left by an error, or by Ctrl-C, it is removed, and what was at the path is still
    there; what writers of the same file that were killed have left is removed, too.

    Raises
    ------
    OSError
        With the name that the user gave, not with the temporary one.
    """
    target = _target(path)
    remove_leftovers(target)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    temporary: Path | None = None
    try:
        temporary, file = create(target)
        with file:
            if mode is not None:
                os.chmod(temporary, mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if os.name != "posix":
                file.close()  # an open file cannot be renamed there
            temporary.replace(target)
        name_to_disk(target)
    except BaseException as problem:
        if temporary is not None:
            with suppress(OSError):
                temporary.unlink(missing_ok=True)
        # A full disk names no file.
        if isinstance(problem, OSError) and (problem.filename is None or is_unfinished(target, problem.filename)):
            raise _with_name(problem, path) from None
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise what :func:`replacing` would raise now, by creating and removing an empty file.

    Raises
    ------
    OSError
        If it is no regular file, or no file can be created in its folder.
    """
    try:
        temporary, file = create(_target(path))
        file.close()
        temporary.unlink(missing_ok=True)
    except OSError as problem:
        raise _with_name(problem, path) from None


def _target(path: str | os.PathLike[str]) -> Path:
    """Return the file that is replaced; of a symbolic link what it leads to."""
    target = Path(os.path.realpath(path))
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        raise OSError(errno.EINVAL, "not a regular file, which alone can be replaced", os.fspath(path))
    return target


def _with_name(problem: OSError, path: str | os.PathLike[str]) -> OSError:
    return OSError(problem.errno, problem.strerror or str(problem), os.fspath(path))


def name_to_disk(path: Path) -> None:
    """Force the name of a file, which is in its folder, to the disk where that can be done."""
    if os.name != "posix":
        return
    try:
        handle = os.open(path.parent, os.O_RDONLY)
    except PermissionError:  # a folder that may be written to, but not read
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
