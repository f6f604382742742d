"""Tokens → names of pairs of tokens that stand near each other, as bytes like any other token."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.bytes cimport tp_find, tp_hash_padded

cdef enum:
    JOINT = 5           # length of what joins two words


def find_pivots(
    const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops,
    const int64_t[::1] offsets, const uint8_t[::1] arena, const uint64_t[::1] slots, int64_t[::1] following,
):
    """Write for every token, and for the end, where the next token stands that a vocabulary holds, itself included.

    ``text`` has 16 readable bytes behind the last token.
    """
    cdef Py_ssize_t k, n = starts.shape[0], size
    cdef int64_t next_one = n
    cdef const uint8_t* token
    with nogil:
        following[n] = n
        for k in range(n - 1, -1, -1):
            token = ptr(text) + starts[k]
            size = stops[k] - starts[k]
            if tp_find(
                ptr(slots), slots.shape[0] - 1, ptr(offsets), ptr(arena), token, size, tp_hash_padded(token, size)
            ) >= 0:
                next_one = k
            following[k] = next_one


cdef inline int compare(const uint8_t* a, Py_ssize_t n_a, const uint8_t* b, Py_ssize_t n_b) noexcept nogil:
    """Below, equal to or above 0, as token a comes before b, is b, or comes behind it."""
    cdef int order = memcmp(a, b, min(n_a, n_b))
    if order == 0:
        return (n_a > n_b) - (n_a < n_b)
    return order


cdef inline void join(
    const uint8_t* a, Py_ssize_t n_a, const uint8_t* b, Py_ssize_t n_b, uint8_t* out
) noexcept nogil:
    memcpy(out, a, n_a)
    memcpy(out + n_a, b"-and-", JOINT)
    memcpy(out + n_a + JOINT, b, n_b)


def join_near(
    const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops, const int32_t[::1] lengths,
    const int64_t[::1] following, int64_t window,
    uint8_t[::1] out, int32_t[::1] out_starts, int32_t[::1] out_stops, int32_t[::1] out_lengths,
):
    """Join any two different tokens of a document that are at most ``window`` places apart.

    One of them has to be a pivot, as :func:`find_pivots` writes them to ``following``; an empty one makes all
    tokens pivots. The names, with their tokens in alphabetical order, go to ``out``, name i between
    ``out_starts[i]`` and ``out_stops[i]``; ``out_lengths`` gets how many each document has. With an empty
    ``out`` they are only counted.

    Returns
    -------
    n_names, n_bytes : int
    """
    cdef Py_ssize_t d, i, j, last, size, size_j, first = 0, n = 0
    cdef int64_t written = 0
    cdef int order
    cdef bint some = following.shape[0] > 0, writes = out.shape[0] > 0, all_partners
    cdef const uint8_t* token
    cdef const uint8_t* other
    cdef Py_ssize_t before
    with nogil:
        for d in range(lengths.shape[0]):
            before = n
            for i in range(first, first + lengths[d]):
                last = min(i + window, first + lengths[d] - 1)
                token = ptr(text) + starts[i]
                size = stops[i] - starts[i]
                all_partners = not some or following[i] == i
                j = i + 1 if all_partners else following[i + 1]
                while j <= last:
                    other = ptr(text) + starts[j]
                    size_j = stops[j] - starts[j]
                    order = compare(token, size, other, size_j)
                    if order != 0:
                        if writes:
                            out_starts[n] = <int32_t> written
                            out_stops[n] = <int32_t> (written + size + JOINT + size_j)
                            if order < 0:
                                join(token, size, other, size_j, ptr(out) + written)
                            else:
                                join(other, size_j, token, size, ptr(out) + written)
                        n += 1
                        written += size + JOINT + size_j
                    j = j + 1 if all_partners else following[j + 1]
            out_lengths[d] = <int32_t> (n - before)
            first += lengths[d]
    return n, written
