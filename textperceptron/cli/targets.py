"""Files that a command is going to write: refused before anything is read, where they could not be or must not be."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from textperceptron.cli.output import refuse_unwritable

STANDARD = "-"  # input or output


def refuse_unkeepable(targets: Mapping[str, str | None]) -> None:
    """Raise if what an option names could not be written as a whole; None is nothing, ``-`` standard output.

    Raises
    ------
    ValueError
        If it has no name.
    OSError
        If it is no file that can be replaced, is in no folder that can be written to, or standard output is closed.
    """
    for option, path in targets.items():
        if path is not None:
            refuse_no_name(option, path)
            refuse_unwritable(path)


def refuse_no_name(option: str, path: str) -> None:
    """Raise ValueError if a file has no name."""
    if path == "":
        raise ValueError(f"{option} '': a file without a name cannot be written. Name one.")


def refuse_losing(targets: Mapping[str, str | None], read: Iterable[str]) -> None:
    """Raise if a file that an option names is also read, or named by another option, by whatever name or link.

    Parameters
    ----------
    targets : mapping of str to str or None
        The files that are going to be written, by option.
    read : iterable of str
        The files that are read; it is not looked at if none of the others is there yet.

    Raises
    ------
    ValueError
        With the option and the file.
    """
    files = list(_files(targets))
    for (first, path), (second, other) in combinations(files, 2):
        if os.path.realpath(path) == os.path.realpath(other) or _is_same(_regular(path), other):
            raise ValueError(f"{first} and {second} are the same file, {path}. Name two.")
    there = [(option, path, found) for option, path in files if (found := _regular(path)) is not None]
    for source in read if there else ():
        for option, path, found in there:
            if _is_same(found, source):
                raise ValueError(f"{option} {path}: this file is read, and would be lost. Name another.")


def files_read(sources: Iterable[str | None], options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files on disk that sources mean, and ``-`` for standard input."""
    from textperceptron.corpus.load import files_of

    for source in sources:
        if source is not None:
            yield from files_of(source, **options)


def _files(targets: Mapping[str, str | None]) -> Iterator[tuple[str, str]]:
    yield from ((option, path) for option, path in targets.items() if path is not None and path != STANDARD)


def _regular(path: str) -> os.stat_result | None:
    """Return what the system knows about a regular file, or about the one that standard input comes from."""
    try:
        found = os.fstat(sys.stdin.fileno()) if path == STANDARD else os.stat(path)
    except (AttributeError, OSError, ValueError):  # there is none, or no standard input, or one without a number
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _is_same(found: os.stat_result | None, path: str) -> bool:
    other = _regular(path)
    return found is not None and other is not None and os.path.samestat(found, other)
