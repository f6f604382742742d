"""How much memory there is, and a refusal of what would not fit."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path


def check_room(n_bytes: float, limit: int | None, what: str, remedy: str) -> None:
    """Refuse what would not fit before it is allocated.

    Parameters
    ----------
    n_bytes : float
        The estimate.
    limit : int or None
        Bytes that may be used; None for what the machine has free.
    what, remedy : str
        What would take so much, and what to do about it.

    Raises
    ------
    MemoryError
        With the estimate, the limit and the remedy.

    Examples
    --------
    >>> from textperceptron.room import check_room
    >>> check_room(3e9, 10**9, "All pairs", "Raise min_df.")
    Traceback (most recent call last):
    ...
    MemoryError: All pairs would take about 3.0 GB, more than the 1.0 GB of memory_limit. Raise min_df.
    """
    room = room_for(limit)
    if room is not None and n_bytes > room:
        whose = "that are free" if limit is None else "of memory_limit"
        raise MemoryError(f"{what} would take about {_size(n_bytes)}, more than the {_size(room)} {whose}. {remedy}")


def room_for(limit: int | None) -> int | None:
    """Return how many bytes may be used: the limit, or what is free, or None where nobody knows."""
    return available_memory() if limit is None else limit


def available_memory() -> int | None:
    """Return how many bytes can be allocated without swapping, or None where the system does not tell."""
    rooms = []
    with suppress(ImportError, OSError, ValueError):  # ulimit -v
        import resource

        limit, _ = resource.getrlimit(resource.RLIMIT_AS)
        if limit != resource.RLIM_INFINITY:
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            rooms.append(max(0, limit - pages * resource.getpagesize()))
    with suppress(OSError, StopIteration, ValueError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        rooms.append(1024 * int(next(line for line in lines if line.startswith("MemAvailable:")).split()[1]))
    with suppress(OSError, StopIteration, ValueError):  # a container's own limit; its file cache can be given up
        group = Path("/sys/fs/cgroup")
        lines = (group / "memory.stat").read_text().splitlines()
        cached = int(next(line for line in lines if line.startswith("inactive_file ")).split()[1])
        used = int((group / "memory.current").read_text()) - cached
        rooms.append(max(0, int((group / "memory.max").read_text()) - used))
    return min(rooms, default=None)


def _size(n_bytes: float) -> str:
    for unit, size in (("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if n_bytes >= size:
            return f"{n_bytes / size:.1f} {unit}"
    return f"{n_bytes:.0f} bytes"
