"""What to say after Ctrl-C, if the same command can go on later."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from textperceptron.cli.screen import say


@contextmanager
def hint_at_resuming(what: str, path: str | None) -> Iterator[None]:
    """After Ctrl-C within the block, say where what was done so far is, if the block has written it there."""
    before = _version(path)
    try:
        yield
    except KeyboardInterrupt:
        if _version(path) not in (None, before):
            say(f"{what} is in {path}; the same command with --resume goes on")
        raise


def _version(path: str | None) -> tuple[int, int, int] | None:
    """Return what is different whenever a file has been written or replaced; None if there is none."""
    try:
        found = os.stat(path) if path is not None else None
    except OSError:
        return None
    return None if found is None else (found.st_ino, found.st_mtime_ns, found.st_size)
