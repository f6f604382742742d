"""Write a file so that there is always a whole one: the old, or the new."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.model_file.container import FORMAT, KEY, TYPES
from textperceptron.model_file.strict_json import dump


def write_container(
    path: str | os.PathLike[str], kind: str, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
) -> int:
    """Write header and arrays, the same bytes for the same contents; return how many.

    They go to a temporary file in the same folder, to the disk, and only then to their name.

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
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        # With the permissions of any new file.
        os.close(os.open(temporary, os.O_CREAT | os.O_WRONLY | os.O_TRUNC, 0o666))
        _serialize(temporary, {KEY: dump(whole)}, arrays)
        _to_disk(temporary, os.O_RDWR)
        size = temporary.stat().st_size
        temporary.replace(target)
    except BaseException as problem:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(problem, OSError):  # users know the name that they gave, not the temporary one
            raise OSError(problem.errno, problem.strerror or str(problem), os.fspath(path)) from None
        raise
    if os.name == "posix":
        _to_disk(target.parent, os.O_RDONLY)  # the new name too
    return size


def _serialize(path: Path, metadata: dict[str, str], arrays: Mapping[str, npt.NDArray[Any]]) -> None:
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    known = {str(dtype) for dtype in TYPES.values()}
    assert all(str(array.dtype) in known for array in arrays.values())
    try:
        save_file({name: np.ascontiguousarray(array) for name, array in arrays.items()}, path, metadata)
    except SafetensorError as problem:
        if found := re.search(r"os error (\d+)", str(problem)):
            number = int(found[1])
            raise OSError(number, os.strerror(number), str(path)) from None
        raise OSError(errno.EIO, str(problem), str(path)) from None


def _to_disk(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
