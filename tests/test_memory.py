"""Arrays that grow: what was added comes back, wherever it lies in memory."""

from __future__ import annotations

import mmap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textperceptron import _memory
from textperceptron._memory import AppendBuffer


class Rigid(mmap.mmap):
    """Memory on a system that cannot change its size."""

    def resize(self, newsize):
        raise SystemError("mmap: resizing not available--no mremap()")


@pytest.mark.parametrize("kind", [mmap.mmap, Rigid])
@given(sizes=st.lists(st.integers(0, 5000), max_size=12), dtype=st.sampled_from([np.int32, np.float64]))
def test_parts_come_back_in_order(kind, sizes, dtype):
    parts = [np.arange(k, k + size).astype(dtype) for k, size in enumerate(sizes)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_memory, "MMAP_BYTES", 4000)
        patch.setattr(_memory, "INITIAL_BYTES", 20_000)
        patch.setattr(mmap, "mmap", kind)
        array = AppendBuffer(dtype)
        for part in parts:
            array.append(part)
        whole = array.finish()
    assert whole.dtype == dtype
    np.testing.assert_array_equal(whole, np.concatenate([[], *parts]))
    whole += 1  # its owner may write to it


def test_an_array_beyond_its_first_room_keeps_what_it_held():
    part = np.arange(1 << 20, dtype=np.int64)
    array = AppendBuffer(np.int64)
    for _ in range(20):
        array.append(part)
    whole = array.finish()
    assert whole.nbytes > 2 * _memory.INITIAL_BYTES
    assert (whole.reshape(20, -1) == part).all()
