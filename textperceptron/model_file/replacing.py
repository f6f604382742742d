"""A new file in the place of an old one: there is always a whole one."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple


class Replacement(NamedTuple):
    """Where the new file is to be written, and its permissions: None for those of any new file."""

    path: Path
    mode: int | None


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Replacement]:
    """Name a file to be written within the block, which then takes the place of the one at the path.

    It is in the same folder as what is replaced; of a symbolic link, that is what the link leads to. It is to get its
    permissions before anything is in it that others may not read. If the block is left by an error, or by Ctrl-C, it
    is removed, and what was at the path is still there.

    Raises
    ------
    OSError
        With the name that the user gave, not with the temporary one.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        raise OSError(errno.EINVAL, "not a regular file, which alone can be replaced", os.fspath(path))
    new = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        yield Replacement(new, stat.S_IMODE(target.stat().st_mode) if target.exists() else None)
        new.replace(target)
    except BaseException as problem:
        with suppress(OSError):
            new.unlink(missing_ok=True)
        if isinstance(problem, OSError) and problem.filename in (None, new, str(new)):  # a full disk names no file
            raise OSError(problem.errno, problem.strerror or str(problem), os.fspath(path)) from None
        raise
