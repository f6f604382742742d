"""n-grams → columns by a hash, with no vocabulary."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.murmur cimport tp_column, tp_hash_document, tp_murmur


def hash_terms(
    const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops, const int32_t[::1] lengths,
    int min_n, int max_n, int64_t n_features, bint signs, int32_t[::1] items, int64_t[::1] row_stops,
):
    """Write the hashed column of every n-gram of each document (``column << 1 | negative`` with ``signs``).

    ``row_stops`` gets where each document's items end. ``n_features`` is a power of two; ``items`` has room
    for 32 more than there are, and ``text`` 16 bytes behind the last token (36 for longer n-grams).

    Bottleneck: the products of the hash. Thirty-two tokens are hashed side by side, in vectors.
    """
    cdef Py_ssize_t d, first = 0, written = 0
    cdef uint32_t mask = <uint32_t> (n_features - 1)
    with nogil:
        for d in range(lengths.shape[0]):
            written += tp_hash_document(
                ptr(text), ptr(starts) + first, ptr(stops) + first, lengths[d], min_n, max_n, mask, signs,
                ptr(items) + written,
            )
            row_stops[d] = written
            first += lengths[d]


def hash_names(const int64_t[::1] offsets, const uint8_t[::1] arena, int64_t n_features, int32_t[::1] columns):
    """Write the hashed column of every name of a vocabulary."""
    cdef Py_ssize_t k
    cdef uint32_t mask = <uint32_t> (n_features - 1)
    with nogil:
        for k in range(columns.shape[0]):
            columns[k] = <int32_t> tp_column(
                tp_murmur(ptr(arena) + offsets[k], offsets[k + 1] - offsets[k]), mask, False
            )
