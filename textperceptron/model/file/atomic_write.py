"""Atomic replacement of files, and removal of the stale temporary files of killed writers."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

try:
    import fcntl
except ImportError:  # not POSIX: no locks, so no file is known to be stale
    fcntl = None  # type: ignore[assignment]


@contextmanager
def atomic_replace(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Open a temporary file for writing that replaces the file at ``path`` when the block ends.

    The temporary file is in the same folder as the target; a symbolic link is followed to its target. It gets the mode
    of the file that it replaces, or of any new file, before anything is written, and it is locked until it has its
    final name. Its contents are synced to disk before the rename, the folder after it: a power cut leaves the old file
    or the new one. If the block raises, or on Ctrl-C, the temporary file is removed and the target is unchanged. Stale
    temporary files of killed writers of the same target are removed as well.

    Raises
    ------
    OSError
        With the path that was passed, not the temporary one.
    """
    target = _target(path)
    remove_stale(target)
    mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None
    temporary = _temporary_name(target)
    try:
        while (file := _open_locked(temporary)) is None:
            temporary = _temporary_name(target)
        with file:
            if mode is not None:
                os.chmod(temporary, mode)
            yield file
            file.flush()
            os.fsync(file.fileno())
            if os.name != "posix":
                file.close()  # Windows cannot rename an open file
            temporary.replace(target)
        sync_folder(target)
    except BaseException as problem:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        # The error of a full disk has no file name.
        if isinstance(problem, OSError) and (problem.filename is None or _is_temporary(target, problem.filename)):
            raise _with_path(problem, path) from None
        raise


def check_writable(path: str | os.PathLike[str]) -> None:
    """Raise what :func:`atomic_replace` would raise now, by creating and removing an empty file.

    Raises
    ------
    OSError
        If the path is not a regular file, or no file can be created in its folder.
    """
    target = _target(path)
    temporary = _temporary_name(target)
    try:
        open(temporary, "xb").close()
    except OSError as problem:
        raise _with_path(problem, path) from None
    finally:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)


def sync_folder(path: Path) -> None:
    """Sync the folder of a file, and with it the name of the file, to disk where the system allows it."""
    if os.name != "posix":
        return
    try:
        handle = os.open(path.parent, os.O_RDONLY)
    except PermissionError:  # a folder can be writable but not readable
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def remove_stale(target: Path) -> None:
    """Remove the temporary files that killed writers of ``target`` left; errors are ignored."""
    if fcntl is None:
        return
    with suppress(OSError):
        for name in os.listdir(target.parent):
            if _is_temporary(target, name):
                with suppress(OSError):
                    _remove_unless_locked(target.with_name(name))


def try_lock(handle: int) -> bool:
    """Lock a temporary file until it is closed; return False if another process already treats it as stale.

    The system releases the lock however the process ends, and unlike a process id it has the same meaning in every
    container that shares the folder. Where files cannot be locked, no file is treated as stale.
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


def _temporary_name(target: Path) -> Path:
    return target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")


def _open_locked(path: Path) -> BinaryIO | None:
    """Create and lock a file; None if another process removed it as stale before it was locked.

    The caller has the path before the file exists: whatever happens here, it can remove the file.
    """
    file = open(path, "xb")  # noqa: SIM115 - the caller closes it
    if try_lock(file.fileno()) and path.exists():
        return file
    file.close()
    path.unlink(missing_ok=True)
    return None


def _is_temporary(target: Path, path: str | os.PathLike[str]) -> bool:
    name, prefix = os.path.basename(path), f".{target.name}."
    return name.startswith(prefix) and re.fullmatch(r"[0-9a-f]{8}\.tmp", name[len(prefix) :]) is not None


def _remove_unless_locked(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if stat.S_ISREG(os.fstat(handle).st_mode):
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink()
    finally:
        os.close(handle)


def _target(path: str | os.PathLike[str]) -> Path:
    """Return the file to replace, symbolic links resolved."""
    target = Path(os.path.realpath(path))
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        raise OSError(errno.EINVAL, "not a regular file, so it cannot be replaced", os.fspath(path))
    return target


def _with_path(problem: OSError, path: str | os.PathLike[str]) -> OSError:
    return OSError(problem.errno, problem.strerror or str(problem), os.fspath(path))
