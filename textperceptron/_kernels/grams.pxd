"""The n-grams of one document in a vocabulary."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

from textperceptron._kernels.bytes cimport tp_find, tp_hash_padded
from textperceptron._kernels.rows cimport tp_prefetch

cdef enum:
    STRIP = 32          # lookups asked for ahead of their use


cdef struct Names:
    # A vocabulary, see names.pyx.
    const int64_t* offsets
    const uint8_t* arena
    const uint64_t* slots
    uint64_t mask


cdef inline Py_ssize_t find_grams(
    const Names* names, const uint8_t* text, const int32_t* starts, const int32_t* stops, Py_ssize_t n_tokens,
    int min_n, int max_n, int32_t* columns,
) noexcept nogil:
    """Write the columns of the n-grams of a document, one for each occurrence; return how many are known.

    Bottleneck: three misses a known n-gram (slot, offset, name), each asked for 32 lookups ahead.
    """
    cdef Py_ssize_t i, k, n_grams, strip, written = 0, size
    cdef int n
    cdef uint64_t place, slot
    cdef uint64_t hashes[STRIP]
    cdef int64_t found[STRIP]
    cdef const uint8_t* gram
    cdef const int64_t* offsets = names.offsets
    cdef int64_t column
    for n in range(min_n, <int> min(<Py_ssize_t> max_n, n_tokens) + 1):
        n_grams = n_tokens - n + 1
        i = 0
        while i < n_grams:
            strip = min(<Py_ssize_t> STRIP, n_grams - i)
            for k in range(strip):
                hashes[k] = tp_hash_padded(text + starts[i + k], stops[i + k + n - 1] - starts[i + k])
                tp_prefetch(names.slots + (hashes[k] & names.mask))
            for k in range(strip):
                # The first slot with the same half of the hash: nearly always the right one.
                place = hashes[k] & names.mask
                slot = names.slots[place]
                while slot != 0 and slot >> 32 != hashes[k] >> 32:
                    place = (place + 1) & names.mask
                    slot = names.slots[place]
                found[k] = <int64_t> <uint32_t> slot - 1
                if slot != 0:
                    tp_prefetch(offsets + found[k])
            for k in range(strip):
                if found[k] >= 0:
                    tp_prefetch(names.arena + offsets[found[k]])
            for k in range(strip):
                column = found[k]
                if column < 0:
                    continue
                gram = text + starts[i + k]
                size = stops[i + k + n - 1] - starts[i + k]
                if offsets[column + 1] - offsets[column] != size or (
                    memcmp(names.arena + offsets[column], gram, size) != 0
                ):
                    column = tp_find(names.slots, names.mask, offsets, names.arena, gram, size, hashes[k])
                    if column < 0:
                        continue
                columns[written] = <int32_t> column
                written += 1
            i += strip
    return written
