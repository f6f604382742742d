"""Memory: arrays backed by ``mmap``, and the budget that allocations are checked against.

Memory that is freed to the C library's heap often remains with the process: the peak of a fit would be the sum of all
its temporary arrays, about twice its result. Memory from ``mmap`` is returned to the system at once.
"""

from __future__ import annotations

import errno
import mmap
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

HUGE_PAGE_BYTES = 1 << 22  # arrays of at least this size use huge pages
CHECKED_BYTES = 1 << 28  # allocations of at least this size are compared with the free memory
# A growing array moves to mmap at the first size and is then given the second: moving huge pages is slow.
MMAP_BYTES, INITIAL_BYTES = 1 << 20, 1 << 26
_REMEDY = "Use shorter n-grams, hashed columns (n_features, HashedBagOfWords), fewer texts or more memory."
_PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}


def check_memory(n_bytes: float, limit: int | None, what: str, remedy: str) -> None:
    """Raise MemoryError before an allocation that would not fit.

    Parameters
    ----------
    n_bytes : float
        The estimate.
    limit : int or None
        The budget in bytes; None for the free memory.
    what, remedy : str
        What would be allocated, and how to avoid it.

    Raises
    ------
    MemoryError
        With the estimate, the limit and the remedy.

    Examples
    --------
    >>> from textperceptron._memory import check_memory
    >>> check_memory(3e9, 10**9, "All pairs", "Raise min_df.")
    Traceback (most recent call last):
    ...
    MemoryError: All pairs would take about 3.0 GB, more than the 1.0 GB of memory_limit. Raise min_df.
    """
    budget = memory_budget(limit)
    if budget is not None and n_bytes > budget:
        whose = "that are free" if limit is None else "of memory_limit"
        raise MemoryError(f"{what} would take about {_size(n_bytes)}, more than the {_size(budget)} {whose}. {remedy}")


def memory_budget(limit: int | None) -> int | None:
    """Return the limit, or the free memory if the limit is None; None if that is unknown."""
    return available_memory() if limit is None else limit


def available_memory() -> int | None:
    """Return the number of bytes that can be allocated without swapping, or None if that is unknown."""
    budgets = []
    with suppress(ImportError, OSError, ValueError):  # ulimit -v
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            budgets.append(max(0, limit - pages * resource.getpagesize()))
    with suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        budgets.append(1024 * int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1]))
    with suppress(OSError, StopIteration, ValueError):  # a container's own limit; its file cache can be dropped
        group = Path("/sys/fs/cgroup")
        lines = (group / "memory.stat").read_text().splitlines()
        cached = int(next(line for line in lines if line.startswith("inactive_file ")).split()[1])
        used = int((group / "memory.current").read_text()) - cached
        budgets.append(max(0, int((group / "memory.max").read_text()) - used))
    return min(budgets, default=None)


def _size(n_bytes: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes:.0f} bytes"


def check_allocation(n_bytes: int, what: str = "An array") -> None:
    """Raise MemoryError if a large allocation exceeds the free memory: the system would kill the process later."""
    if n_bytes >= CHECKED_BYTES:
        check_memory(n_bytes, None, what, _REMEDY)


@contextmanager
def explaining_memory() -> Iterator[None]:
    """Add a remedy to a MemoryError without one, such as numpy's."""
    try:
        yield
    except MemoryError as problem:
        if _REMEDY in str(problem):
            raise
        raise MemoryError(f"{str(problem).rstrip('.') or 'There is not enough memory'}. {_REMEDY}") from None


def mmap_zeros(size: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return zeros aligned to a page, for temporary use: their memory is returned to the system.

    Large arrays use huge pages, as numpy's do: in a hash table of 32 MB, every lookup would otherwise miss the TLB too.
    """
    return np.frombuffer(_allocate(max(size, 1) * np.dtype(dtype).itemsize), dtype)[:size]


def prefaulted_zeros(size: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return zeros whose pages have been written, for tables that are filled in random order.

    A fresh page that is read before it is written is fetched twice, the second time with a signal to every other
    thread: such a table would take twice as long to fill.
    """
    if size * np.dtype(dtype).itemsize < MMAP_BYTES:
        return np.zeros(size, dtype)
    table = mmap_zeros(size, dtype)
    table.fill(0)
    return table


class AppendBuffer:
    """An array that is written from front to back before its length is known.

    On Linux it grows by remapping, without a copy. Pages that were never written take no memory.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron._memory import AppendBuffer
    >>> buffer = AppendBuffer(np.int32)
    >>> buffer.append(np.array([3, 1], np.int32))
    >>> buffer.append(np.array([2], np.int32))
    >>> buffer.finish()
    array([3, 1, 2], dtype=int32)
    """

    def __init__(self, dtype: npt.DTypeLike) -> None:
        self._dtype = np.dtype(dtype)
        self._size = self._written = 0
        self._chunks: list[npt.NDArray[Any]] = []
        self._area: mmap.mmap | None = None

    def append(self, chunk: npt.NDArray[Any]) -> None:
        """Append the values of an array."""
        self._size += len(chunk)
        n_bytes = self._size * self._dtype.itemsize
        if n_bytes < MMAP_BYTES:
            self._chunks.append(chunk.copy())
            return
        self._chunks.append(chunk)
        self._area = _resized(self._area, n_bytes)
        array = np.frombuffer(self._area, self._dtype, self._size)
        np.concatenate(self._chunks, out=array[self._written :])
        self._chunks.clear()
        self._written = self._size

    def finish(self) -> npt.NDArray[Any]:
        """Return all values and release the unused memory; nothing can be appended afterwards."""
        if self._area is None:
            self._chunks = [np.concatenate([np.empty(0, self._dtype), *self._chunks])]
            return self._chunks[0]
        with suppress(SystemError, BufferError):  # no mremap here; or an array uses the area
            self._area.resize(max(1, self._size * self._dtype.itemsize))
        return np.frombuffer(self._area, self._dtype, self._size)

    def shrink(self, size: int) -> npt.NDArray[Any]:
        """Return the first ``size`` values of a finished buffer; release the rest if no array uses the buffer."""
        self._size = size
        if self._area is None:
            self._chunks = [self._chunks[0][:size]]
        return self.finish()


class ResizableArray:
    """A zero-initialised array that can grow, on Linux without a copy.

    Examples
    --------
    >>> import numpy as np
    >>> from textperceptron._memory import ResizableArray
    >>> numbers = ResizableArray(2, np.int32)
    >>> numbers.array[1] = 7
    >>> numbers.grow(4)
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
        """A view of the values; release it before the array grows or shrinks."""
        if self._area is None:
            assert self._small is not None
            return self._small
        return np.frombuffer(self._area, self._dtype, self._size)

    def grow(self, size: int) -> None:
        """Append zeros up to ``size`` values."""
        before, self._size = self.array if self._area is None else None, size
        n_bytes = size * self._dtype.itemsize
        if before is not None and n_bytes < HUGE_PAGE_BYTES:
            self._small = mmap_zeros(size, self._dtype)
            self._small[: len(before)] = before
            return
        self._small = None
        self._area = _resized(self._area, n_bytes)
        if before is not None:
            self.array[: len(before)] = before

    def shrink(self, size: int) -> None:
        """Keep the first ``size`` values."""
        self._size = size
        if self._area is None:
            self._small = self.array[:size].copy()
            return
        with suppress(SystemError):  # no mremap here
            self._area.resize(max(1, size * self._dtype.itemsize))


def _allocate(n_bytes: int) -> mmap.mmap:
    check_allocation(n_bytes)
    try:
        area = mmap.mmap(-1, n_bytes, **_PRIVATE)
    except OSError as problem:
        raise _as_memory_error(problem, n_bytes) from None
    _use_huge_pages(area)
    return area


def _resized(area: mmap.mmap | None, n_bytes: int) -> mmap.mmap:
    """Return an area of at least ``n_bytes`` that starts with the contents of ``area``."""
    if area is None:
        return _allocate(max(INITIAL_BYTES, n_bytes))
    if len(area) >= n_bytes:
        return area
    n_bytes = max(n_bytes, len(area) * 3 // 2)
    check_allocation(n_bytes - len(area), "Growing an array")
    try:
        area.resize(n_bytes)
    except OSError as problem:
        raise _as_memory_error(problem, n_bytes) from None
    except SystemError:  # no mremap here
        larger = _allocate(n_bytes)
        larger[: len(area)] = area[:]
        return larger
    _use_huge_pages(area)
    return area


def _as_memory_error(problem: OSError, n_bytes: int) -> Exception:
    if problem.errno != errno.ENOMEM:
        return problem
    return MemoryError(f"{n_bytes / 1e6:,.0f} MB of memory could not be allocated. {_REMEDY}")


def _use_huge_pages(area: mmap.mmap) -> None:
    if len(area) >= HUGE_PAGE_BYTES and hasattr(mmap, "MADV_HUGEPAGE"):
        area.madvise(mmap.MADV_HUGEPAGE)
