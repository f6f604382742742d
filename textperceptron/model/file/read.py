"""Open a file: every offset, type and shape is checked before any of it is used."""

from __future__ import annotations

import math
import mmap
import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from textperceptron.model.file import digest
from textperceptron.model.file.container import FORMAT, KEY, TYPES, Container
from textperceptron.model.file.errors import ModelFileError, naming
from textperceptron.model.file.strict_json import parse

_LENGTH = 8  # bytes that say how long the header is
_LONGEST_HEADER = 100_000_000  # what the format allows
_MOST_DIMENSIONS = 4
_PART = 1 << 20  # bytes that are read at a time to verify them

Path_ = str | os.PathLike[str]


class Place(NamedTuple):
    """Type and shape of an array, and where it begins behind the header."""

    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    begin: int

    @property
    def n_bytes(self) -> int:
        """Bytes that it takes."""
        return math.prod(self.shape) * self.dtype.itemsize

    @property
    def reach(self) -> int:
        """Bytes that numpy reckons with: those of an empty array without its dimensions of 0."""
        return math.prod(max(1, n) for n in self.shape) * self.dtype.itemsize


def open_container(path: Path_, kind: str, *, verify: bool = False) -> Container:
    """Map a file into memory.

    Parameters
    ----------
    path : str or path
    kind : str
        What it must hold, ``"model"`` or ``"checkpoint"``.
    verify : bool
        Whether to read all of it and compare its digest.

    Raises
    ------
    ModelFileError
        If it is no such file, a damaged one or one of a newer version, or has no digest to verify. The message begins
        with the path.
    OSError
        If it cannot be read.
    """
    with naming(path), _opened(path) as file:
        header, places, start = _read(file, kind, verify=verify)
        area = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        if len(area) != start + sum(place.n_bytes for place in places.values()):
            raise ModelFileError("its size changed while it was read.")
        return Container(header, {name: _view(area, start, place) for name, place in places.items()})


def read_header(
    path: Path_, kind: str = "model", *, verify: bool = False
) -> tuple[dict[str, Any], dict[str, tuple[str, tuple[int, ...]]]]:
    """Return the header of a file, and type and shape of each array, without reading the arrays unless to verify them.

    Raises
    ------
    ModelFileError, OSError
        As :func:`open_container` does.
    """
    with naming(path), _opened(path) as file:
        header, places, _ = _read(file, kind, verify=verify)
        return header, {name: (str(place.dtype), place.shape) for name, place in places.items()}


def _read(file: BinaryIO, kind: str, *, verify: bool) -> tuple[dict[str, Any], dict[str, Place], int]:
    """Return our own header, where each array is, and where the arrays begin."""
    size = os.fstat(file.fileno()).st_size
    tensors, start = _tensors(file, size, kind)
    header = _own_header(tensors.pop("__metadata__", None), kind)
    places = _check_places(tensors, size - start)
    if verify:
        _verify(file, header, start)
    return header, places, start


def _opened(path: Path_) -> BinaryIO:
    if not stat.S_ISREG(os.stat(path).st_mode) and not Path(path).is_dir():  # a pipe would be waited for
        raise ModelFileError("it is not a regular file.")
    return open(path, "rb")


def _tensors(file: BinaryIO, size: int, kind: str) -> tuple[dict[str, Any], int]:
    """Return what the format's own header says, and where the arrays begin."""
    n = int.from_bytes(file.read(_LENGTH), "little")
    if size < _LENGTH or n > min(_LONGEST_HEADER, size - _LENGTH):
        raise ModelFileError(f"it is no {kind} file, or was cut short.")
    text = file.read(n)
    if len(text) != n or not text.startswith(b"{"):
        raise ModelFileError(f"it is no {kind} file, or was cut short.")
    tensors = parse(text, "its header")
    if not isinstance(tensors, dict):
        raise ModelFileError("its header is no object.")
    return tensors, _LENGTH + n


def _own_header(metadata: Any, kind: str) -> dict[str, Any]:
    text = metadata.get(KEY) if isinstance(metadata, dict) else None
    if not isinstance(text, str):
        raise ModelFileError("it holds arrays, but was not written by this toolkit.")
    header = parse(text, "the description of the model")
    if not isinstance(header, dict) or type(header.get("format")) is not int:
        raise ModelFileError("the description of the model says no format: the file is damaged.")
    if header["format"] > FORMAT:
        raise ModelFileError(
            f"it is of format {header['format']}, written by version {str(header.get('toolkit'))[:20]}, and this "
            f"version reads formats up to {FORMAT}. Install a newer version of textperceptron."
        )
    if header["format"] < 1:
        raise ModelFileError(f"there is no format {header['format']}: the file is damaged.")
    if header.get("kind") != kind:
        raise ModelFileError(f"it is a {str(header.get('kind'))[:20]}, not a {kind}.")
    digest.check_field(header)
    return header


def _verify(file: BinaryIO, header: Mapping[str, Any], start: int) -> None:
    """Raise ModelFileError unless the file has the digest that its header says; the arrays begin at ``start``."""
    if header["format"] < digest.FIRST_FORMAT:
        raise ModelFileError(
            f"it is of format {header['format']}, which has no digest to verify. Loading and saving it writes one."
        )
    file.seek(0)
    beginning = digest.exchanged(file.read(start), header[digest.NAME], digest.BLANK)
    if digest.digest_of(beginning, iter(lambda: file.read(_PART), b"")) != header[digest.NAME]:
        raise ModelFileError(
            "its contents are not those that it was written with: their digest (SHA-256) is another. The file is "
            "damaged; copy it again from where it is whole."
        )


def _check_places(tensors: Mapping[str, Any], room: int) -> dict[str, Place]:
    """Return the place of each array; together they fill the file, none overlapping another."""
    places: dict[str, Place] = {}
    for name, tensor in tensors.items():
        if not isinstance(tensor, dict) or set(tensor) != {"dtype", "shape", "data_offsets"}:
            raise ModelFileError(f"the array {name[:40]!r} is not described as the format asks: the file is damaged.")
        dtype: np.dtype[Any] | None = TYPES.get(tensor["dtype"]) if isinstance(tensor["dtype"], str) else None
        shape, offsets = _numbers(tensor["shape"]), _numbers(tensor["data_offsets"])
        if dtype is None or shape is None or len(shape) > _MOST_DIMENSIONS or offsets is None or len(offsets) != 2:
            raise ModelFileError(f"the array {name[:40]!r} has no type, shape or place: the file is damaged.")
        begin, end = offsets
        place = places[name] = Place(dtype, tuple(shape), begin)
        if not begin <= end <= room or place.n_bytes != end - begin or place.reach >= 1 << 63:
            raise ModelFileError(f"the array {name[:40]!r} does not fit its place: the file is damaged or cut short.")
    at = 0
    for place in sorted(places.values(), key=lambda place: (place.begin, place.n_bytes)):
        if place.begin != at:
            raise ModelFileError("its arrays overlap or leave gaps: the file is damaged.")
        at += place.n_bytes
    if at != room:
        raise ModelFileError(f"{room - at} bytes follow the last array: the file is damaged.")
    return places


def _numbers(values: Any) -> list[int] | None:
    """Return a list of whole numbers that are not negative, or None."""
    if isinstance(values, list) and all(type(value) is int and 0 <= value < 1 << 63 for value in values):
        return values
    return None


def _view(area: mmap.mmap, start: int, place: Place) -> npt.NDArray[Any]:
    if (start + place.begin) % place.dtype.itemsize:
        raise ModelFileError("an array does not begin where numbers of its type may: the file is damaged.")
    n = math.prod(place.shape)
    flat = np.frombuffer(area, place.dtype, n, start + place.begin) if n else np.empty(0, place.dtype)
    flat.flags.writeable = False
    return flat.reshape(place.shape)
