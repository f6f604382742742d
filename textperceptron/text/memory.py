"""Arrays whose memory goes back to the system when they do."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np
import numpy.typing as npt

LARGE = 1 << 22
_PRIVATE = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}


def passing_array(size: int, dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """Return zeros for passing use.

    Memory that is freed to the C library's heap often stays with the process: the peak would be the sum of
    all that a fit needs at one time or another, about twice its result. Large arrays ask for large pages,
    as numpy's own do: in a hash table of 32 MB, every lookup would else miss the translation cache too.
    """
    n_bytes = max(size, 1) * np.dtype(dtype).itemsize
    area = mmap.mmap(-1, n_bytes, **_PRIVATE)
    if n_bytes >= LARGE and hasattr(mmap, "MADV_HUGEPAGE"):
        area.madvise(mmap.MADV_HUGEPAGE)
    return np.frombuffer(area, dtype)[:size]
