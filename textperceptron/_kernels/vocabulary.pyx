"""Names of columns: writing them into one arena, and finding them again.

A vocabulary is ``offsets`` and ``arena`` (column c is called ``arena[offsets[c]:offsets[c + 1]]``, UTF-8) and
``slots``, an open-addressing table of 64-bit words that holds half of the name's hash and the column + 1.
All three can be memory-mapped and read-only.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.hashing cimport tp_hash, tp_hash_padded, tp_load64
from textperceptron._kernels.simd cimport tp_prefetch
from textperceptron._kernels.term_table cimport LAST_31_BITS, item_of


cdef inline void prefetch_key(
    const uint64_t[::1] keys, const int32_t[::1] terms, Py_ssize_t k, int32_t n_tokens
) noexcept nogil:
    tp_prefetch(ptr(keys) + max(terms[min(k, terms.shape[0] - 1)] - n_tokens, 0))


def name_offsets(
    const int32_t[::1] terms, const uint64_t[::1] keys, const int64_t[::1] token_offsets, int64_t[::1] offsets,
):
    """Write the offsets of the names of terms; ``keys`` are those of n-grams, see term_table.pyx."""
    cdef Py_ssize_t k, n = terms.shape[0]
    cdef int64_t total = 0
    cdef int32_t n_tokens = <int32_t> token_offsets.shape[0] - 1
    cdef uint32_t item, last
    with nogil:
        for k in range(n):
            prefetch_key(keys, terms, k + STRIP, n_tokens)
            offsets[k] = total
            item = item_of(<uint32_t> terms[k], <uint32_t> n_tokens)
            while item >> 31:
                last = <uint32_t> keys[item & LAST_31_BITS]
                total += token_offsets[last + 1] - token_offsets[last] + 1
                item = <uint32_t> (keys[item & LAST_31_BITS] >> 32)
            total += token_offsets[item + 1] - token_offsets[item]
        offsets[n] = total


cdef inline void copy_token(uint8_t* target, const uint8_t* source, Py_ssize_t n) noexcept nogil:
    """Copy a few bytes without a call: a head and a tail that may overlap."""
    if n > 16:
        memcpy(target, source, n)
    elif n >= 8:
        memcpy(target, source, 8)
        memcpy(target + n - 8, source + n - 8, 8)
    elif n >= 4:
        memcpy(target, source, 4)
        memcpy(target + n - 4, source + n - 4, 4)
    elif n >= 2:
        memcpy(target, source, 2)
        memcpy(target + n - 2, source + n - 2, 2)
    elif n == 1:
        target[0] = source[0]


def write_names(
    const int32_t[::1] terms, const uint64_t[::1] keys,
    const int64_t[::1] token_offsets, const uint8_t[::1] token_bytes,
    const int64_t[::1] offsets, uint8_t[::1] arena,
):
    """Write the name of each term, its tokens joined by spaces, from its end to its beginning."""
    cdef Py_ssize_t k, n = terms.shape[0], length
    cdef int32_t n_tokens = <int32_t> token_offsets.shape[0] - 1
    cdef uint32_t item, last
    cdef uint8_t* end
    cdef const uint8_t* tokens = ptr(token_bytes)
    with nogil:
        for k in range(n):
            prefetch_key(keys, terms, k + STRIP, n_tokens)
            item = item_of(<uint32_t> terms[k], <uint32_t> n_tokens)
            end = ptr(arena) + offsets[k + 1]
            while item >> 31:
                last = <uint32_t> keys[item & LAST_31_BITS]
                length = token_offsets[last + 1] - token_offsets[last]
                end -= length
                copy_token(end, tokens + token_offsets[last], length)
                end -= 1
                end[0] = 0x20
                item = <uint32_t> (keys[item & LAST_31_BITS] >> 32)
            length = token_offsets[item + 1] - token_offsets[item]
            copy_token(end - length, tokens + token_offsets[item], length)


def fill_slots(const int64_t[::1] offsets, const uint8_t[::1] arena, uint64_t[::1] slots):
    """Enter every name into ``slots`` (zeros, a power of two, more than there are names).

    Returns
    -------
    int
        The first column with the name of an earlier column, or -1.
    """
    cdef Py_ssize_t n = offsets.shape[0] - 1, k = 0, j, strip, length
    cdef uint64_t mask = slots.shape[0] - 1, place, slot, hash
    cdef uint64_t hashes[STRIP]
    cdef int64_t other, safe = arena.shape[0] - 16
    with nogil:
        while k < n:
            strip = min(<Py_ssize_t> STRIP, n - k)
            for j in range(strip):
                length = offsets[k + j + 1] - offsets[k + j]
                if offsets[k + j + 1] < safe:
                    hashes[j] = tp_hash_padded(ptr(arena) + offsets[k + j], length)
                else:
                    hashes[j] = tp_hash(ptr(arena) + offsets[k + j], length)
                tp_prefetch(ptr(slots) + (hashes[j] & mask))
            for j in range(strip):
                hash = hashes[j]
                place = hash & mask
                length = offsets[k + 1] - offsets[k]
                slot = slots[place]
                while slot != 0:
                    other = <int64_t> <uint32_t> slot - 1
                    if slot >> 32 == hash >> 32 and offsets[other + 1] - offsets[other] == length and (
                        memcmp(ptr(arena) + offsets[other], ptr(arena) + offsets[k], length) == 0
                    ):
                        with gil:
                            return k
                    place = (place + 1) & mask
                    slot = slots[place]
                slots[place] = hash >> 32 << 32 | <uint64_t> (k + 1)
                k += 1
    return -1


def first_descent(const int64_t[::1] offsets):
    """Position of the first offset that is larger than the next, or -1."""
    cdef Py_ssize_t n = offsets.shape[0] - 1, start, k, found = -1
    cdef bint descends
    with nogil:
        for start in range(0, n, 4096):
            descends = False
            for k in range(start, min(start + 4096, n)):
                descends |= offsets[k] > offsets[k + 1]
            if descends:
                k = start
                while offsets[k] <= offsets[k + 1]:
                    k += 1
                found = k
                break
    return found


def count_slots(const uint64_t[::1] slots):
    """Return the number of used slots, of slots with a column, and the largest column + 1."""
    cdef Py_ssize_t k, n_taken = 0, n_columns = 0
    cdef uint32_t column, largest = 0
    with nogil:
        for k in range(slots.shape[0]):
            column = <uint32_t> slots[k]
            n_taken += slots[k] != 0
            n_columns += column != 0
            largest = max(largest, column)
    return n_taken, n_columns, largest


cdef inline bint is_ascii(const uint8_t* p) noexcept nogil:
    """Whether 64 bytes are all ASCII."""
    cdef uint64_t any_bits = 0
    cdef int k
    for k in range(8):
        any_bits |= tp_load64(p + 8 * k)
    return any_bits & <uint64_t> 0x8080808080808080 == 0


cdef inline Py_ssize_t character_length(const uint8_t* p, int64_t room) noexcept nogil:
    """Bytes of the character beyond ASCII at ``p``, or 0 if they are not UTF-8; half a surrogate pair counts as one."""
    cdef Py_ssize_t k, n = 2 if p[0] < 0xE0 else 3 if p[0] < 0xF0 else 4
    if p[0] < 0xC2 or p[0] > 0xF4 or n > room:
        return 0
    for k in range(1, n):
        if p[k] & 0xC0 != 0x80:
            return 0
    if (p[0] == 0xE0 and p[1] < 0xA0) or (p[0] == 0xF0 and p[1] < 0x90) or (p[0] == 0xF4 and p[1] > 0x8F):
        return 0
    return n


def first_bad_name(const int64_t[::1] offsets, const uint8_t[::1] arena):
    """Column of the first name that is not UTF-8, or -1; ``offsets`` divide the arena.

    Bottleneck: memory, where 64 bytes are ASCII. Offsets are read only where a byte is not.
    """
    cdef Py_ssize_t n = arena.shape[0], at = 0, stop, length, column = 0, found = -1
    cdef const uint8_t* text = ptr(arena)
    with nogil:
        while at < n and found < 0:
            if at + 64 <= n and is_ascii(text + at):
                at += 64
                continue
            stop = min(at + 64, n)
            while at < stop:
                if text[at] < 0x80:
                    at += 1
                    continue
                while offsets[column + 1] <= at:
                    column += 1
                length = character_length(text + at, offsets[column + 1] - at)
                if length == 0:
                    found = column
                    break
                at += length
    return found


def find_terms(
    const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops, const int32_t[::1] lengths,
    const int32_t[::1] n_extra, int min_n, int max_n,
    const int64_t[::1] offsets, const uint8_t[::1] arena, const uint64_t[::1] slots,
    int32_t[::1] columns, int64_t[::1] row_stops,
):
    """Write the columns of the terms of a token block, one per occurrence; unknown terms have none.

    ``row_stops`` gets the end of each document's columns.
    """
    cdef Py_ssize_t d, first = 0, written = 0
    cdef VocabularyView names = view_vocabulary(offsets, arena, slots)
    with nogil:
        for d in range(lengths.shape[0]):
            written += find_ngrams(
                &names, ptr(text), ptr(starts) + first, ptr(stops) + first, lengths[d], min_n, max_n,
                ptr(columns) + written,
            )
            first += lengths[d]
            if n_extra[d]:
                written += find_ngrams(
                    &names, ptr(text), ptr(starts) + first, ptr(stops) + first, n_extra[d], 1, 1,
                    ptr(columns) + written,
                )
                first += n_extra[d]
            row_stops[d] = written


def find_name(
    const uint8_t[::1] name, const int64_t[::1] offsets, const uint8_t[::1] arena, const uint64_t[::1] slots
):
    """Return the column of one name, or -1."""
    cdef VocabularyView names = view_vocabulary(offsets, arena, slots)
    return find_hashed(&names, ptr(name), name.shape[0], tp_hash(ptr(name), name.shape[0]))
