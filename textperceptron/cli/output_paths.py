"""Checks of output files, before any input is read."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations
from typing import Any

from textperceptron._interrupts import deferred_interrupts
from textperceptron.cli.output import is_special_file, standard_output

STANDARD = "-"  # input or output


def check_writable(outputs: Mapping[str, str | None], *, allow_devices: bool = False) -> None:
    """Raise before work starts whose result could not be written.

    Parameters
    ----------
    outputs : mapping of str to str or None
        Option → path, ``-`` for standard output, None for no output.
    allow_devices : bool
        Accept devices and pipes, which are written to rather than replaced.

    Raises
    ------
    ValueError
        If a path is empty.
    OSError
        If a path is a folder or not a regular file, its folder does not exist or is not writable, or standard output
        is closed.
    """
    for option, path in outputs.items():
        if path == "":
            raise ValueError(f"{option} '': the file name is empty. Name a file.")
        if path == STANDARD:
            standard_output()
        elif path is not None:
            _check_path(path, allow_devices)


def _check_path(path: str, allow_devices: bool) -> None:
    if os.path.isdir(path):
        raise IsADirectoryError(errno.EISDIR, "this is a folder. Name a file in it", path)
    if is_special_file(path):
        if not allow_devices:
            raise OSError(errno.EINVAL, "not a regular file, so it cannot be replaced. Name another", path)
        if not os.access(path, os.W_OK):
            raise PermissionError(errno.EACCES, "no permission to write to it. Name another", path)
        return
    folder = os.path.dirname(os.path.realpath(path) if os.path.islink(path) else path) or os.curdir
    if not os.path.isdir(folder):
        raise FileNotFoundError(errno.ENOENT, f"the folder {folder} does not exist. Create it first", path)
    if not os.access(folder, os.W_OK):
        raise PermissionError(errno.EACCES, f"no permission to write to the folder {folder}. Name another", path)


def check_no_overwrite(outputs: Mapping[str, str | None], inputs: Iterable[str]) -> None:
    """Raise if an output is also an input or another output, under any name or link.

    Parameters
    ----------
    outputs : mapping of str to str or None
        Option → path, as in :func:`check_writable`.
    inputs : iterable of str
        Files that are read; not iterated if no output exists yet.

    Raises
    ------
    ValueError
        With the option and the file.
    """
    files = [(option, path) for option, path in outputs.items() if path is not None and path != STANDARD]
    for (first, path), (second, other) in combinations(files, 2):
        if os.path.realpath(path) == os.path.realpath(other) or _is_same(_stat_regular(path), other):
            raise ValueError(f"{first} and {second} are the same file, {path}. Name two files.")
    existing = [(option, path, found) for option, path in files if (found := _stat_regular(path)) is not None]
    for source in inputs if existing else ():
        for option, path, found in existing:
            if _is_same(found, source):
                raise ValueError(f"{option} {path}: this file is an input and would be overwritten. Name another.")


def source_files(sources: Iterable[str | None], options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files on disk behind corpora or models, and ``-`` for standard input."""
    with deferred_interrupts():
        from textperceptron.corpus.load import files_of

    for source in sources:
        if source is not None:
            yield from files_of(source, **options)


def _stat_regular(path: str) -> os.stat_result | None:
    """Return the status of a regular file, or of the one behind standard input; None for anything else."""
    try:
        found = os.fstat(sys.stdin.fileno()) if path == STANDARD else os.stat(path)
    except (AttributeError, OSError, ValueError):  # no such file; standard input is closed or has no descriptor
        return None
    return found if stat.S_ISREG(found.st_mode) else None


def _is_same(found: os.stat_result | None, path: str) -> bool:
    other = _stat_regular(path)
    return found is not None and other is not None and os.path.samestat(found, other)
