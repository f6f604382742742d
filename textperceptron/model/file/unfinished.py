"""Files that are not finished: locked as long as somebody writes them, and removed once nobody does."""

from __future__ import annotations

import os
import re
import stat
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # not POSIX: nothing is locked there, and so nothing is removed
    fcntl = None  # type: ignore[assignment]


def unfinished(target: Path) -> Path:
    """Return a name that nothing has, beside the one that a file will get."""
    return target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")


def is_unfinished(target: Path, path: str | os.PathLike[str]) -> bool:
    """Whether a path is one that a file has before it gets its name."""
    name, beginning = os.path.basename(path), f".{target.name}."
    return name.startswith(beginning) and re.fullmatch(r"[0-9a-f]{8}\.tmp", name[len(beginning) :]) is not None


def lock(handle: int) -> bool:
    """Show others that a file is being written, until it is closed; return whether they do not take it for left.

    A lock goes with the process, however that ends, and unlike the number of a process it means the same in every
    container that has the folder. Where files cannot be locked, nobody takes them for left.
    """
    if fcntl is None:
        return True
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def create(target: Path) -> tuple[Path, BinaryIO]:
    """Open a new file to be written, locked; it will get the name of the target."""
    while True:
        path = unfinished(target)  # never one that was tried: somebody may be about to remove it
        file = open(path, "xb")  # noqa: SIM115 - whoever writes it closes it
        if lock(file.fileno()) and path.exists():
            return path, file
        file.close()  # somebody took it for left before it was locked
        path.unlink(missing_ok=True)


def remove_leftovers(target: Path) -> None:
    """Remove what writers that were killed left of a file; what cannot be removed stays."""
    if fcntl is None:
        return
    with suppress(OSError):
        for name in os.listdir(target.parent):
            if is_unfinished(target, name):
                with suppress(OSError):
                    _remove_unless_locked(target.with_name(name))


def _remove_unless_locked(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if stat.S_ISREG(os.fstat(handle).st_mode):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
    finally:
        os.close(handle)
