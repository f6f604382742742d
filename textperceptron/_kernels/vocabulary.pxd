"""Lookup of names in a vocabulary, one by one or all n-grams of a document."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.hashing cimport tp_hash, tp_hash_padded
from textperceptron._kernels.simd cimport tp_prefetch

cdef enum:
    STRIP = 32          # lookups whose memory is prefetched together


cdef struct VocabularyView:
    # The arrays of a vocabulary, see vocabulary.pyx.
    const int64_t* offsets
    const uint8_t* arena
    const uint64_t* slots
    uint64_t mask


cdef inline VocabularyView view_vocabulary(
    const int64_t[::1] offsets, const uint8_t[::1] arena, const uint64_t[::1] slots
) noexcept nogil:
    cdef VocabularyView names
    names.offsets, names.arena, names.slots, names.mask = ptr(offsets), ptr(arena), ptr(slots), slots.shape[0] - 1
    return names


cdef inline int64_t find_hashed(
    const VocabularyView* names, const uint8_t* name, Py_ssize_t n, uint64_t hash
) noexcept nogil:
    """Column of a name, or -1."""
    cdef uint64_t at = hash & names.mask, slot = names.slots[at]
    cdef int64_t column
    while slot != 0:
        if slot >> 32 == hash >> 32:
            column = <int64_t> <uint32_t> slot - 1
            if names.offsets[column + 1] - names.offsets[column] == n and (
                memcmp(names.arena + names.offsets[column], name, n) == 0
            ):
                return column
        at = (at + 1) & names.mask
        slot = names.slots[at]
    return -1


cdef inline bint contains(const VocabularyView* names, const uint8_t* name, Py_ssize_t n) noexcept nogil:
    return find_hashed(names, name, n, tp_hash(name, n)) >= 0


cdef inline Py_ssize_t find_ngrams(
    const VocabularyView* names, const uint8_t* text, const int32_t* starts, const int32_t* stops,
    Py_ssize_t n_tokens, int min_n, int max_n, int32_t* columns,
) noexcept nogil:
    """Write the columns of the n-grams of a document, one per occurrence; return the number of known ones.

    ``text`` has 16 readable bytes after the last token.

    Bottleneck: three cache misses per known n-gram (slot, offset, name), prefetched 32 lookups ahead.
    """
    cdef Py_ssize_t i, k, n_grams, strip, written = 0, size
    cdef int n
    cdef uint64_t at, slot
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
                at = hashes[k] & names.mask
                slot = names.slots[at]
                while slot != 0 and slot >> 32 != hashes[k] >> 32:
                    at = (at + 1) & names.mask
                    slot = names.slots[at]
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
                    column = find_hashed(names, gram, size, hashes[k])
                    if column < 0:
                        continue
                columns[written] = <int32_t> column
                written += 1
            i += strip
    return written
