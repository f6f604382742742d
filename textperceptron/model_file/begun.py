"""A file that is begun before all of it is known: large arrays go to the disk while others are still being made."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.model_file.layout import Layout

Array = npt.NDArray[Any]


class BegunFile:
    """A file without a name, which vanishes unless it gets one: whoever is killed leaves nothing behind.

    Parameters
    ----------
    folder : Path
        Where it will get its name.
    known : mapping of str to array
        Arrays that will be in it; they are written at once.
    later : mapping of str to array
        Arrays of the types and sizes that the others will have.

    Raises
    ------
    OSError
        If there are no such files here (they need Linux), or it cannot be written.
    """

    def __init__(self, folder: Path, known: Mapping[str, Array], later: Mapping[str, Array]) -> None:
        if not hasattr(os, "O_TMPFILE"):
            raise OSError("this system has no files without a name.")
        self._known, self._folder, self._used = dict(known), folder, False
        self._layout = Layout.of({}, {**known, **later})
        self._handle = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
        for name, array in known.items():
            write_at(self._handle, as_bytes(array), self._layout.places[name])
        os.fdatasync(self._handle)

    def __del__(self) -> None:
        with suppress(AttributeError, OSError):
            os.close(self._handle)

    def fits(self, folder: Path, layout: Layout) -> bool:
        """Whether what is written stands where a file in a folder has it, and no other has been made of it."""
        return (
            not self._used
            and folder == self._folder
            and all(
                layout.arrays.get(name) is array and layout.places[name] == self._layout.places[name]
                for name, array in self._known.items()
            )
        )

    def finish(self, layout: Layout, path: Path) -> None:
        """Write the rest, bring all of it to the disk, and give it a name that nothing has."""
        self._used = True  # once it has a name, nothing in it may change
        write_at(self._handle, layout.beginning, 0)
        for name, array in layout.arrays.items():
            if name not in self._known:
                write_at(self._handle, as_bytes(array), layout.places[name])
        os.fsync(self._handle)
        # The number of any open file makes Python follow the link, which leads to the file itself.
        os.link(f"/proc/self/fd/{self._handle}", path, src_dir_fd=self._handle)


def as_bytes(array: Array) -> memoryview:
    """Return the memory of an array."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def write_at(handle: int, data: bytes | memoryview, place: int) -> None:
    """Write all of some bytes to a place in a file."""
    rest = memoryview(data)
    while len(rest):
        done = os.pwrite(handle, rest, place)
        rest, place = rest[done:], place + done
