"""Write a file so that there is always a whole one: the old, or the new."""

from __future__ import annotations

import errno
import json
import os
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
    beginning, in_order = _laid_out(whole, arrays)
    temporary = target.with_name(f".{target.name}.{os.urandom(4).hex()}.tmp")
    try:
        with open(temporary, "xb") as file:  # with the permissions of any new file, or those of the old one
            if target.exists():
                os.chmod(temporary, stat.S_IMODE(target.stat().st_mode))
            file.write(beginning)
            for array in in_order:
                file.write(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
            size = file.tell()
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
    return size


def _laid_out(
    header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
) -> tuple[bytes, list[npt.NDArray[Any]]]:
    """Return what a file begins with, and the arrays in the order in which they follow.

    The bytes are those that the safetensors library writes, which would first copy all arrays twice.
    """
    kinds = list(TYPES.values())
    names = sorted(arrays, key=lambda name: (kinds.index(arrays[name].dtype), name))
    described: dict[str, Any] = {"__metadata__": {KEY: dump(header)}}
    at = 0
    for name in names:
        kind, array = list(TYPES)[kinds.index(arrays[name].dtype)], arrays[name]
        described[name] = {"dtype": kind, "shape": list(array.shape), "data_offsets": [at, at + array.nbytes]}
        at += array.nbytes
    text = json.dumps(described, ensure_ascii=False, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text, [arrays[name] for name in names]


def name_to_disk(path: Path) -> None:
    """Force the name of a file, which is in its folder, to the disk where that can be done."""
    if os.name != "posix":
        return
    handle = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
