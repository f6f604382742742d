"""Write a file so that there is always a whole one: the old, or the new."""

from __future__ import annotations

import errno
import os
import secrets
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
    contents = _serialized(whole, arrays)
    temporary = target.with_name(f".{target.name}.{secrets.token_hex(4)}.tmp")
    try:
        with open(temporary, "xb") as file:  # with the permissions of any new file, or those of the old one
            if target.exists():
                os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
            file.write(contents)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
        name_to_disk(target)
    except BaseException as problem:
        with suppress(OSError):
            temporary.unlink(missing_ok=True)
        if isinstance(problem, OSError):  # users know the name that they gave, not the temporary one
            raise OSError(problem.errno, problem.strerror or str(problem), os.fspath(path)) from None
        raise
    return len(contents)


def _serialized(header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]) -> bytes:
    from safetensors.numpy import save

    known = {str(dtype) for dtype in TYPES.values()}
    assert all(str(array.dtype) in known for array in arrays.values())
    return save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, {KEY: dump(header)})


def name_to_disk(path: Path) -> None:
    """Force the name of a file, which is in its folder, to the disk where that can be done."""
    if os.name != "posix":
        return
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
