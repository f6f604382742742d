"""n-grams → columns by a hash, with no vocabulary."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from textperceptron._kernels.bytes cimport tp_load32


cdef inline uint32_t rotate(uint32_t x, int by) noexcept nogil:
    return x << by | x >> (32 - by)


cdef inline uint32_t scramble(uint32_t block) noexcept nogil:
    return rotate(block * <uint32_t> 0xCC9E2D51, 15) * <uint32_t> 0x1B873593


cdef inline uint32_t with_block(uint32_t hash, uint32_t block) noexcept nogil:
    return rotate(hash ^ scramble(block), 13) * 5 + <uint32_t> 0xE6546B64


cdef inline uint32_t finished(uint32_t hash, uint32_t n) noexcept nogil:
    hash ^= n
    hash = (hash ^ hash >> 16) * <uint32_t> 0x85EBCA6B
    hash = (hash ^ hash >> 13) * <uint32_t> 0xC2B2AE35
    return hash ^ hash >> 16


cdef inline uint32_t murmur3(const uint8_t* p, Py_ssize_t n) noexcept nogil:
    """MurmurHash3 of 32 bits with seed 0: what scikit-learn's hashing uses, so that columns agree."""
    cdef uint32_t hash = 0, block = 0
    cdef Py_ssize_t k = 0
    while k + 4 <= n:
        hash = with_block(hash, tp_load32(p + k))
        k += 4
    if k < n:
        block = p[k]
    if k + 1 < n:
        block |= <uint32_t> p[k + 1] << 8
    if k + 2 < n:
        block |= <uint32_t> p[k + 2] << 16
    return finished(hash ^ scramble(block), <uint32_t> n)


cdef inline uint32_t murmur3_padded(const uint8_t* p, Py_ssize_t n) noexcept nogil:
    """The same for a buffer with 16 bytes behind the last: up to 15 bytes without a branch on their number."""
    cdef uint32_t hash = 0, next_hash
    cdef uint32_t full = <uint32_t> (n >> 2)
    if n >= 16:
        return murmur3(p, n)
    next_hash = with_block(hash, tp_load32(p))
    hash = next_hash if full > 0 else hash
    next_hash = with_block(hash, tp_load32(p + 4))
    hash = next_hash if full > 1 else hash
    next_hash = with_block(hash, tp_load32(p + 8))
    hash = next_hash if full > 2 else hash
    # No bytes left make a block of 0, which changes nothing.
    hash ^= scramble(tp_load32(p + 4 * full) & ((<uint32_t> 1 << (8 * (n & 3))) - 1))
    return finished(hash, <uint32_t> n)


cdef inline int32_t column_of(uint32_t hash, uint32_t mask, int signs) noexcept nogil:
    """|hash| mod a power of two; with ``signs``, shifted left and with the hash's sign bit below it."""
    cdef uint32_t negative = hash >> 31
    cdef uint32_t column = (0 - hash if negative else hash) & mask
    return <int32_t> (column << 1 | negative if signs else column)


def hash_terms(
    const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops, const int32_t[::1] lengths,
    int min_n, int max_n, int64_t n_features, bint signs, int32_t[::1] items, int64_t[::1] row_stops,
):
    """Write the hashed column of every n-gram of each document (``column << 1 | negative`` with ``signs``).

    ``row_stops`` gets where each document's items end. ``n_features`` is a power of two.
    """
    cdef Py_ssize_t d, i, first = 0, written = 0
    cdef uint32_t mask = <uint32_t> (n_features - 1)
    cdef int n
    with nogil:
        for d in range(lengths.shape[0]):
            for n in range(min_n, max_n + 1):
                for i in range(first, first + lengths[d] - n + 1):
                    items[written] = column_of(
                        murmur3_padded(&text[starts[i]], stops[i + n - 1] - starts[i]), mask, signs
                    )
                    written += 1
            row_stops[d] = written
            first += lengths[d]


def hash_names(const int64_t[::1] offsets, const uint8_t[::1] arena, int64_t n_features, int32_t[::1] columns):
    """Write the hashed column of every name of a vocabulary."""
    cdef Py_ssize_t k
    cdef uint32_t mask = <uint32_t> (n_features - 1)
    with nogil:
        for k in range(columns.shape[0]):
            columns[k] = column_of(murmur3(&arena[0] + offsets[k], offsets[k + 1] - offsets[k]), mask, False)
