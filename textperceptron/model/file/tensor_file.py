"""Open, verify and write files of named arrays.

The digest of a file is SHA-256 over all its bytes, with zeros in place of the digest itself.
"""

from __future__ import annotations

import math
import mmap
import os
import re
import stat
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from textperceptron._interrupts import deferred_interrupts
from textperceptron._parallel import in_background
from textperceptron.model.file.atomic_write import atomic_replace
from textperceptron.model.file.safetensors_layout import (
    FORMAT,
    LENGTH_BYTES,
    ArrayEntry,
    Layout,
    ModelFileError,
    error_context,
    make_layout,
    parse_entries,
    parse_own_header,
)
from textperceptron.model.file.strict_json import parse

StrPath = str | os.PathLike[str]

_MAX_HEADER_BYTES = 100_000_000  # as safetensors limits it
_VERIFY_CHUNK = 1 << 20  # bytes read at once to verify a file
_FINITE_CHUNK = 1 << 18  # values checked at once: the mask fits in the L2 cache
_LARGE = 1 << 20  # bytes from which a second thread pays

_DIGEST = "sha256"  # key of our header, with the digest in hexadecimal
_DIGEST_FORMAT = 2  # first format with a digest
_BLANK = "0" * 64  # in place of the digest while it is computed
# Our header is JSON inside a JSON string, so its quotes are escaped once. Quotes in a text of it are escaped twice.
_DIGEST_BYTES = rb"\"sha256\":\"%b\""


@dataclass(frozen=True, slots=True)
class TensorFile:
    """A header and named arrays: read-only views of the mapped file."""

    header: Mapping[str, Any]
    arrays: Mapping[str, npt.NDArray[Any]]

    def array(self, name: str, *types: npt.DTypeLike, ndim: int = 1, size: int | None = None) -> npt.NDArray[Any]:
        """Return an array after checking its type, dimensions and size, and that its values are finite.

        Raises
        ------
        ModelFileError
            If the array is missing or fails a check.
        """
        if name not in self.arrays:
            raise ModelFileError(f"the array {name!r} is missing: the file is damaged.")
        array = self.arrays[name]
        if array.dtype not in [np.dtype(kind) for kind in types] or array.ndim != ndim:
            raise ModelFileError(
                f"the array {name!r} has {array.ndim} dimensions of {array.dtype}, expected "
                f"{ndim} of {' or '.join(str(np.dtype(kind)) for kind in types)}: the file is damaged."
            )
        if size is not None and array.size != size:
            raise ModelFileError(f"the array {name!r} has {array.size} values, expected {size}: the file is damaged.")
        if (bad := first_not_finite(array)) is not None:
            raise ModelFileError(
                f"the array {name!r} has {array.flat[bad]} at index {bad}: the file is damaged. Copy the original "
                "again, or train a new model."
            )
        return array


def first_not_finite(array: npt.NDArray[Any]) -> int | None:
    """Return the flat index of the first NaN or infinity, or None; 0.1 ms per megabyte.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.model.file import first_not_finite
    >>> first_not_finite(np.array([1.0, np.inf])), first_not_finite(np.arange(3))
    (1, None)
    """
    if array.dtype.kind != "f":
        return None
    flat = array.reshape(-1)
    for start in range(0, flat.size, _FINITE_CHUNK):
        finite = np.isfinite(flat[start : start + _FINITE_CHUNK])
        if not finite.all():
            return start + int(finite.argmin())
    return None


def open_tensor_file(path: StrPath, kind: str, *, verify: bool = False) -> TensorFile:
    """Map a file into memory.

    Parameters
    ----------
    path : str or path
    kind : {"model", "checkpoint"}
        What the file must contain.
    verify : bool
        Read the whole file and compare its digest.

    Raises
    ------
    ModelFileError
        If the file is of another kind, damaged or of a newer format, or has no digest to verify. The message starts
        with the path.
    OSError
        If the file cannot be read.
    """
    with error_context(path), _open(path) as file:
        header, entries, start = _read_head(file, kind, verify=verify)
        area = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(area) != start + sum(entry.n_bytes for entry in entries.values()):
            raise ModelFileError("the size of the file changed while it was being read.")
        return TensorFile(header, {name: _view(area, start, entry) for name, entry in entries.items()})


def read_header(
    path: StrPath, kind: str = "model", *, verify: bool = False
) -> tuple[dict[str, Any], dict[str, tuple[str, tuple[int, ...]]]]:
    """Return our header, and type and shape of each array; the arrays are read only to verify them.

    Raises
    ------
    ModelFileError, OSError
        As :func:`open_tensor_file`.
    """
    with error_context(path), _open(path) as file:
        header, entries, _ = _read_head(file, kind, verify=verify)
        return header, {name: (str(entry.dtype), entry.shape) for name, entry in entries.items()}


def write_tensor_file(
    path: StrPath, kind: str, header: Mapping[str, Any], arrays: Mapping[str, npt.NDArray[Any]]
) -> int:
    """Write a file atomically and return its size; equal contents give equal bytes.

    Raises
    ------
    ValueError
        If a value is NaN or infinite, which readers reject.
    OSError
        If the file cannot be written; a previous file is then unchanged.
    """
    from textperceptron import __version__

    for name, array in arrays.items():
        if (bad := first_not_finite(array)) is not None:
            raise ValueError(
                f"{os.fspath(path)}: not written, because the array {name!r} has {array.flat[bad]} at index {bad}. "
                "Train again with rows of length 1 (norm='l2') or smaller sample weights."
            )
    layout = make_layout({**header, "format": FORMAT, "kind": kind, "toolkit": __version__, _DIGEST: _BLANK}, arrays)
    with atomic_replace(path) as file:
        _write(layout, file)
    return layout.size


def _write(layout: Layout, file: BinaryIO) -> None:
    """Write everything, then the digest; for a large file it is computed while the arrays go to disk."""
    is_large = layout.size >= _LARGE
    arrays = [np.ascontiguousarray(array).reshape(-1).view(np.uint8).data for array in layout.arrays.values()]
    digest = in_background(lambda: _sha256(layout.head, arrays), 2 if is_large else 1)
    file.write(layout.head)
    for array in arrays:
        file.write(array)
    if is_large:
        file.flush()
        os.fsync(file.fileno())
    file.seek(0)
    file.write(_replace_digest(layout.head, _BLANK, digest.result()))


def _open(path: StrPath) -> BinaryIO:
    if not stat.S_ISREG(os.stat(path).st_mode) and not Path(path).is_dir():  # opening a pipe would block
        raise ModelFileError("not a regular file.")
    return open(path, "rb")


def _read_head(file: BinaryIO, kind: str, *, verify: bool) -> tuple[dict[str, Any], dict[str, ArrayEntry], int]:
    """Return our header, the entries of the arrays, and the offset at which the arrays start."""
    size = os.fstat(file.fileno()).st_size
    n = int.from_bytes(file.read(LENGTH_BYTES), "little")
    text = file.read(min(n, size)) if n <= _MAX_HEADER_BYTES else b""
    if not text.startswith(b"{"):
        raise ModelFileError(f"not a {kind} file.")
    if len(text) != n:
        raise ModelFileError(f"the file ends within its header: the {kind} file is truncated. Copy the original again.")
    tensors = parse(text, "the header")
    header = parse_own_header(tensors.pop("__metadata__", None), kind)
    _check_digest_field(header)
    start = LENGTH_BYTES + n
    entries = parse_entries(tensors, size - start)
    if verify:
        _verify(file, header, start)
    return header, entries, start


def _view(area: mmap.mmap, start: int, entry: ArrayEntry) -> npt.NDArray[Any]:
    offset, n = start + entry.offset, math.prod(entry.shape)
    if offset % entry.dtype.itemsize:
        raise ModelFileError("an array is not aligned: the file is damaged.")
    flat = np.frombuffer(area, entry.dtype, n, offset) if n else np.empty(0, entry.dtype)
    flat.flags.writeable = False
    return flat.reshape(entry.shape)


def _check_digest_field(header: Mapping[str, Any]) -> None:
    """Check that the header has a digest if and only if its format defines one."""
    if header["format"] < _DIGEST_FORMAT:
        if _DIGEST in header:
            raise ModelFileError(
                f"the header has {_DIGEST}, which format {header['format']} does not define: the file is damaged."
            )
    elif not isinstance(header.get(_DIGEST), str) or not re.fullmatch("[0-9a-f]{64}", header[_DIGEST]):
        raise ModelFileError(f"{_DIGEST} in the header must be 64 hexadecimal digits: the file is damaged.")


def _verify(file: BinaryIO, header: Mapping[str, Any], start: int) -> None:
    """Compare the digest of the file with that in its header; the arrays start at ``start``."""
    if header["format"] < _DIGEST_FORMAT:
        raise ModelFileError(
            f"format {header['format']} has no digest to verify. Load the model and save it again to add one."
        )
    file.seek(0)
    head = _replace_digest(file.read(start), header[_DIGEST], _BLANK)
    if _sha256(head, iter(lambda: file.read(_VERIFY_CHUNK), b"")) != header[_DIGEST]:
        raise ModelFileError(
            "the contents do not match the SHA-256 digest in the header: the file is damaged. Copy the original again."
        )


def _sha256(head: bytes, arrays: Iterable[bytes | memoryview]) -> str:
    with deferred_interrupts():
        import hashlib  # 6 ms, which a command that only predicts can save

    digest = hashlib.sha256(head)
    for array in arrays:
        digest.update(array)
    return digest.hexdigest()


def _replace_digest(head: bytes, old: str, new: str) -> bytes:
    before, after = (_DIGEST_BYTES % digest.encode() for digest in (old, new))
    if head.count(before) != 1:
        raise ModelFileError(f"{_DIGEST} is not where it was written: the file is damaged.")
    return head.replace(before, after)
