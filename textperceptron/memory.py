"""Arrays whose memory goes back to the system when they do."""

from __future__ import annotations

import errno
import mmap
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any

import numpy as np
import numpy.typing as npt

from textperceptron.room import check_room

LARGE = 1 << 22
HUGE = 1 << 28  # from here on it is checked that there is room before memory is asked for
# Where an array begins to grow in memory of its own, and room for it then: moving large pages is slow.
SMALL, ROOM = 1 << 20, 1 << 26
_REMEDY = "Use shorter n-grams, hashed columns (n_features, HashedBagOfWords), fewer texts or more memory."
_PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}


def passing_array(size: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return zeros for passing use, which begin with a page and so with a cache line.

    Memory that is freed to the C library's heap often stays with the process: the peak would be the sum of
    all that a fit needs at one time or another, about twice its result. Large arrays ask for large pages,
    as numpy's own do: in a hash table of 32 MB, every lookup would else miss the translation cache too.
    """
    return np.frombuffer(_area(max(size, 1) * np.dtype(dtype).itemsize), dtype)[:size]


def zero_table(size: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return zeros to look things up in, which have been written.

    A fresh page that is first read and then written to is fetched twice, the second time with a signal to every
    other thread: a table that is filled in no order would take twice as long to fill.
    """
    if size * np.dtype(dtype).itemsize < SMALL:
        return np.zeros(size, dtype)
    table = passing_array(size, dtype)
    table.fill(0)
    return table


def _area(n_bytes: int) -> mmap.mmap:
    check_huge(n_bytes)
    try:
        area = mmap.mmap(-1, n_bytes, **_PRIVATE)
    except OSError as problem:
        raise _as_memory_error(problem, n_bytes) from None
    _ask_for_large_pages(area)
    return area


def check_huge(n_bytes: int, what: str = "An array") -> None:
    """Raise MemoryError if memory of hundreds of megabytes is not there: the system would kill the process later."""
    if n_bytes >= HUGE:
        check_room(n_bytes, None, what, _REMEDY)


@contextmanager
def explaining_memory() -> Iterator[None]:
    """Add a remedy to a MemoryError that has none, such as numpy's."""
    try:
        yield
    except MemoryError as problem:
        if _REMEDY in str(problem):
            raise
        raise MemoryError(f"{str(problem).rstrip('.') or 'There is not enough memory'}. {_REMEDY}") from None


def _as_memory_error(problem: OSError, n_bytes: int) -> Exception:
    if problem.errno != errno.ENOMEM:
        return problem
    return MemoryError(f"{n_bytes / 1e6:,.0f} MB of memory could not be allocated. {_REMEDY}")


def _ask_for_large_pages(area: mmap.mmap) -> None:
    if len(area) >= LARGE and hasattr(mmap, "MADV_HUGEPAGE"):
        area.madvise(mmap.MADV_HUGEPAGE)


class GrowingArray:
    """An array that is written from front to back before its length is known.

    Where the system can (Linux), it grows by changing addresses, and nothing is copied. Room that was never
    written to takes no memory.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.memory import GrowingArray
    >>> array = GrowingArray(np.int32)
    >>> array.append(np.array([3, 1], np.int32))
    >>> array.append(np.array([2], np.int32))
    >>> array.finish()
    array([3, 1, 2], dtype=int32)
    """

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self._dtype = np.dtype(dtype)
        self._size = self._written = 0
        self._parts: list[npt.NDArray[Any]] = []
        self._area: mmap.mmap | None = None

    def append(self, part: npt.NDArray[Any]) -> None:
        """Add the numbers of an array behind the last."""
        self._size += len(part)
        n_bytes = self._size * self._dtype.itemsize
        if n_bytes < SMALL:
            self._parts.append(part.copy())
            return
        self._parts.append(part)
        self._area = _enlarged(self._area, n_bytes)
        array = np.frombuffer(self._area, self._dtype, self._size)
        np.concatenate(self._parts, out=array[self._written :])
        self._parts.clear()
        self._written = self._size

    def finish(self) -> npt.NDArray[Any]:
        """Return what was added, in memory of that size; nothing can be added any more."""
        if self._area is None:
            return np.concatenate([np.empty(0, self._dtype), *self._parts])
        with suppress(SystemError):  # it cannot shrink here, but what was never written to takes no memory
            self._area.resize(self._size * self._dtype.itemsize)
        return np.frombuffer(self._area, self._dtype, self._size)


class EnlargeableArray:
    """An array of zeros whose size can grow; what it holds stays, where the system can (Linux) without a copy.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron.memory import EnlargeableArray
    >>> numbers = EnlargeableArray(2, np.int32)
    >>> numbers.array[1] = 7
    >>> numbers.enlarge(4)
    >>> numbers.array
    array([0, 7, 0, 0], dtype=int32)
    """

    def __init__(self, size: int, dtype: npt.DTypeLike) -> None:
        self._dtype = np.dtype(dtype)
        self._size = size
        self._small: npt.NDArray[Any] | None = np.zeros(size, dtype)
        self._area: mmap.mmap | None = None

    @property
    def array(self) -> npt.NDArray[Any]:
        """The array. Nobody may hold it when it grows."""
        if self._area is None:
            assert self._small is not None
            return self._small
        return np.frombuffer(self._area, self._dtype, self._size)

    def enlarge(self, size: int) -> None:
        """Add zeros until there are ``size`` numbers."""
        before, self._size = self.array if self._area is None else None, size
        n_bytes = size * self._dtype.itemsize
        if before is not None and n_bytes < LARGE:
            self._small = passing_array(size, self._dtype)
            self._small[: len(before)] = before
            return
        self._small = None
        self._area = _enlarged(self._area, n_bytes)
        if before is not None:
            self.array[: len(before)] = before

    def shorten(self, size: int) -> None:
        """Leave the first ``size`` numbers alone; nobody may hold the array."""
        self._size = size
        if self._area is None:
            self._small = self.array[:size].copy()
            return
        with suppress(SystemError):  # it cannot shrink here
            self._area.resize(max(1, size * self._dtype.itemsize))


def _enlarged(area: mmap.mmap | None, n_bytes: int) -> mmap.mmap:
    """Return an area of ``n_bytes`` or more that begins with what ``area`` holds."""
    if area is None:
        return _area(max(ROOM, n_bytes))
    if len(area) >= n_bytes:
        return area
    n_bytes = max(n_bytes, len(area) * 3 // 2)
    check_huge(n_bytes - len(area), "More room for an array")
    try:
        area.resize(n_bytes)
    except OSError as problem:
        raise _as_memory_error(problem, n_bytes) from None
    except SystemError:  # no mremap here
        larger = _area(n_bytes)
        larger[: len(area)] = area[:]
        return larger
    _ask_for_large_pages(area)
    return area
