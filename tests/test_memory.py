"""Arrays that grow keep their values, in any kind of memory."""

from __future__ import annotations

import mmap

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from textperceptron import _memory
from textperceptron._memory import AppendBuffer, ResizableArray, mmap_zeros, prefaulted_zeros


class Rigid(mmap.mmap):
    """Memory of a system that cannot resize it."""

    def resize(self, newsize):
        raise SystemError("mmap: resizing not available--no mremap()")


@pytest.mark.parametrize("kind", [mmap.mmap, Rigid])
@given(sizes=st.lists(st.integers(0, 5000), max_size=12), dtype=st.sampled_from([np.int32, np.float64]))
def test_appended_values_come_back_in_order(kind, sizes, dtype):
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


def test_a_buffer_beyond_its_first_allocation_keeps_its_values():
    part = np.arange(1 << 20, dtype=np.int64)
    array = AppendBuffer(np.int64)
    for _ in range(20):
        array.append(part)
    whole = array.finish()
    assert whole.nbytes > 2 * _memory.INITIAL_BYTES
    assert (whole.reshape(20, -1) == part).all()


@pytest.mark.parametrize("kind", [mmap.mmap, Rigid])
@given(
    sizes=st.lists(st.integers(1, 5000), min_size=1, max_size=6),
    kept=st.integers(0, 5000),
    dtype=st.sampled_from([np.int32, np.float64]),
)
def test_a_resizable_array_keeps_its_values_and_appends_zeros(kind, sizes, kept, dtype):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_memory, "HUGE_PAGE_BYTES", 8000)
        patch.setattr(_memory, "INITIAL_BYTES", 10_000)
        patch.setattr(mmap, "mmap", kind)
        found, expected = ResizableArray(0, dtype), np.empty(0, dtype)
        for value, size in enumerate(sorted(sizes), 1):
            found.grow(size)
            expected = np.concatenate([expected, np.zeros(size - len(expected), dtype)])
            np.testing.assert_array_equal(found.array, expected)
            found.array[::3] = expected[::3] = value
        found.shrink(min(kept, len(expected)))
    assert found.array.dtype == dtype
    np.testing.assert_array_equal(found.array, expected[:kept])


@pytest.mark.parametrize("zeros", [mmap_zeros, prefaulted_zeros])
@pytest.mark.parametrize("size", [0, 1, 1000, 1 << 20])
def test_zeros_have_their_size_and_type_and_can_be_written_to(zeros, size):
    found = zeros(size, np.int32)
    assert (found.shape, found.dtype, found.any()) == ((size,), np.int32, False)
    found += 1
