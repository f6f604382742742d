"""A new file in the place of an old one: there is always a whole one."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from textperceptron.model_file.unfinished import create, is_unfinished, remove_leftovers, unfinished


class Replacement:
    """A file that is going to take the place of another.

    Attributes
    ----------
    path : Path
        Where it is until then; nothing else has that name.
    mode : int or None
        Its permissions: None for those of any new file.
    """

    def __init__(self, target: Path, held: ExitStack) -> None:
        self._target, self._held = target, held
        self.path = unfinished(target)
        self.mode = stat.S_IMODE(target.stat().st_mode) if target.exists() else None

    def create(self) -> BinaryIO:
        """Open it, with its permissions before anything is in it; whoever writes it flushes it."""
        self.path, file = create(self._target)
        self._held.enter_context(file)
        if self.mode is not None:
            os.chmod(self.path, self.mode)
        return file


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Replacement]:
    """Give a file to be written within the block, which then takes the place of the one at the path.

    It is in the same folder as what is replaced; of a symbolic link, that is what the link leads to. Until it has its
    place it is locked. If the block is left by an error, or by Ctrl-C, it is removed, and what was at the path is still
    there; what writers of the same file that were killed have left is removed, too.

    Raises
    ------
    OSError
        With the name that the user gave, not with the temporary one.
    """
    target = Path(os.path.realpath(path))
    if target.exists() and not stat.S_ISREG(target.stat().st_mode):
        raise OSError(errno.EINVAL, "not a regular file, which alone can be replaced", os.fspath(path))
    remove_leftovers(target)
    held = ExitStack()
    new = Replacement(target, held)
    try:
        with held:
            yield new
            if os.name != "posix":
                held.close()  # an open file cannot be renamed there
            new.path.replace(target)
    except BaseException as problem:
        with suppress(OSError):
            new.path.unlink(missing_ok=True)
        # A full disk names no file.
        if isinstance(problem, OSError) and (problem.filename is None or is_unfinished(target, problem.filename)):
            raise OSError(problem.errno, problem.strerror or str(problem), os.fspath(path)) from None
        raise
