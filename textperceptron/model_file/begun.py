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
from textperceptron.model_file.unfinished import lock

Array = npt.NDArray[Any]

_CLOSED = -1


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
        self._known, self._folder = dict(known), folder
        self._layout = Layout.of({}, {**known, **later})
        self._handle = os.open(folder, os.O_TMPFILE | os.O_RDWR, 0o666)
        lock(self._handle)
        for name, array in known.items():
            write_at(self._handle, as_bytes(array), self._layout.places[name])
        os.fdatasync(self._handle)

    def __del__(self) -> None:
        with suppress(AttributeError, OSError):
            self.close()

    def finish(self, layout: Layout, path: Path, mode: int | None) -> bool:
        """Write the rest, bring all of it to the disk, and give it a name that nothing has; return whether that worked.

        It does not if the file lies elsewhere, or what is written stands elsewhere than the layout has it. Either way
        this is the only try: the file is to be closed then, so that nothing in it changes once it has its name, and one
        without takes no room from another.

        Parameters
        ----------
        layout : Layout
        path : Path
        mode : int, optional
            Permissions instead of those of any new file.
        """
        try:
            if not self._fits(layout, path.parent):
                return False
            if mode is not None:
                os.fchmod(self._handle, mode)
            write_at(self._handle, layout.beginning, 0)
            for name, array in layout.arrays.items():
                if name not in self._known:
                    write_at(self._handle, as_bytes(array), layout.places[name])
            os.fsync(self._handle)
            # The number of any open file makes Python follow the link, which leads to the file itself.
            os.link(f"/proc/self/fd/{self._handle}", path, src_dir_fd=self._handle)
        except OSError:  # written anew, it says what is wrong, if it is not that such files cannot get a name here
            return False
        return True

    def _fits(self, layout: Layout, folder: Path) -> bool:
        return (
            self._handle != _CLOSED
            and folder == self._folder
            and all(
                layout.arrays.get(name) is array and layout.places[name] == self._layout.places[name]
                for name, array in self._known.items()
            )
        )

    def close(self) -> None:
        """Close the file, which vanishes if it has no name; it can be closed again."""
        handle, self._handle = self._handle, _CLOSED
        if handle != _CLOSED:
            os.close(handle)


def as_bytes(array: Array) -> memoryview:
    """Return the memory of an array."""
    return np.ascontiguousarray(array).reshape(-1).view(np.uint8).data


def write_at(handle: int, data: bytes | memoryview, place: int) -> None:
    """Write all of some bytes to a place in a file."""
    rest = memoryview(data)
    while len(rest):
        done = os.pwrite(handle, rest, place)
        rest, place = rest[done:], place + done
