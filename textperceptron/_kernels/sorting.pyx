"""Sorting by radix: columns into their order, names into the alphabet."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.simd cimport tp_prefetch

cdef enum:
    DIGIT = 11
    RADIX = 2048
    AHEAD = 32          # looks asked for ahead of their use
    FEW = 12            # strings for which insertion beats another round of keys
    CHUNK = 7           # bytes of a string in one key


cdef void radix_sort(
    uint64_t* keys, int32_t* items, Py_ssize_t n, int bits, uint64_t* keys2, int32_t* items2
) noexcept nogil:
    """Sort ``items`` by the lowest ``bits`` bits of ``keys``, stably; the result is in the first arrays."""
    cdef Py_ssize_t counts[RADIX]
    cdef Py_ssize_t k, total, count
    cdef int shift = 0
    cdef uint64_t* from_keys = keys
    cdef uint64_t* to_keys = keys2
    cdef int32_t* from_items = items
    cdef int32_t* to_items = items2
    while shift < bits:
        memset(counts, 0, sizeof(counts))
        for k in range(n):
            counts[from_keys[k] >> shift & (RADIX - 1)] += 1
        if counts[from_keys[0] >> shift & (RADIX - 1)] != n:
            total = 0
            for k in range(RADIX):
                count = counts[k]
                counts[k] = total
                total += count
            for k in range(n):
                count = counts[from_keys[k] >> shift & (RADIX - 1)]
                counts[from_keys[k] >> shift & (RADIX - 1)] = count + 1
                to_keys[count] = from_keys[k]
                to_items[count] = from_items[k]
            from_keys, to_keys = to_keys, from_keys
            from_items, to_items = to_items, from_items
        shift += DIGIT
    if from_keys != keys:
        memcpy(keys, from_keys, n * sizeof(uint64_t))
        memcpy(items, from_items, n * sizeof(int32_t))


def order_by_frequency(
    const int32_t[::1] places, const int32_t[::1] frequency, int64_t[::1] next_at, int32_t[::1] ordered,
):
    """Write ``places`` to where those of ``frequency[place]`` begin, in their old order where it is the same.

    ``next_at`` says where that is for each frequency, and is left changed.

    Bottleneck: a look at each frequency in no order, which is asked for ahead.
    """
    cdef Py_ssize_t k, n = places.shape[0]
    cdef int32_t here
    with nogil:
        for k in range(n):
            tp_prefetch(ptr(frequency) + (places[min(k + AHEAD, n - 1)]))
            here = frequency[places[k]]
            ordered[next_at[here]] = places[k]
            next_at[here] += 1


def count_frequencies(const int32_t[::1] frequency, int64_t[::1] counts):
    """Count how many terms have each frequency; ``counts`` has a zero for each, 0 included."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(frequency.shape[0]):
            counts[frequency[k]] += 1


def number_by_frequency(int32_t[::1] terms, int32_t[::1] next_column, int32_t[::1] places):
    """Write, in the place of each term's frequency, its column, the next one for that frequency, or -1 if that is -1.

    ``places`` gets the term of each column.
    """
    cdef Py_ssize_t k
    cdef int32_t frequency, column
    with nogil:
        for k in range(terms.shape[0]):
            frequency = terms[k]
            column = next_column[frequency]
            terms[k] = column
            if column >= 0:
                next_column[frequency] = column + 1
                places[column] = <int32_t> k


cdef struct Grams:
    const uint64_t* pairs       # prefix << 32 | last token, by number
    const int32_t* levels       # how many tokens each pair has; NULL: two
    const int32_t* position     # by place: where a term of fewer tokens stands in the alphabet
    const int32_t* rank         # the same for tokens, among tokens alone
    int32_t n_tokens            # places of pairs come behind those of tokens
    int32_t level               # of the terms that have no position yet


cdef inline uint32_t sort_key(const Grams* grams, int32_t place, bint by_beginning) noexcept nogil:
    """What a term is sorted by: the position of all but its last token, or its last token's rank + 1.

    A term that has a position begins with the whole of itself, and goes on with nothing: it comes right before those
    that it begins.
    """
    cdef int32_t number = place - grams.n_tokens, prefix
    if number < 0 or (grams.levels != NULL and grams.levels[number] != grams.level):
        return <uint32_t> grams.position[place] if by_beginning else 0
    if not by_beginning:
        return <uint32_t> grams.rank[<uint32_t> grams.pairs[number]] + 1
    prefix = <int32_t> (grams.pairs[number] >> 32)
    return <uint32_t> grams.position[(prefix & 0x7FFFFFFF) + (grams.n_tokens if prefix < 0 else 0)]


def gram_lengths(const uint64_t[::1] pairs, int32_t[::1] lengths):
    """Write how many tokens each n-gram has. All but its last token are an n-gram with a lower number, or a token."""
    cdef Py_ssize_t k
    cdef uint32_t prefix
    with nogil:
        for k in range(pairs.shape[0]):
            prefix = <uint32_t> (pairs[k] >> 32)
            lengths[k] = 1 + lengths[prefix & 0x7FFFFFFF] if prefix >> 31 else 2


def sort_grams(
    const int32_t[::1] places, const int32_t[::1] ascending, const uint64_t[::1] pairs, const int32_t[::1] levels,
    int level, const int32_t[::1] position, const int32_t[::1] rank, bint by_beginning, int shift, int32_t[::1] counts,
    int32_t[::1] ordered,
):
    """Write the places of n-grams by some bits of what they are sorted by, equal ones in their old order.

    ``ascending`` are the same places in the order in which they are counted fastest. ``counts`` is scratch, a power of
    two long: as many bits from ``shift`` on are sorted by. ``levels`` is empty if all pairs are of two tokens.

    Bottleneck: a look at each pair in no order, which is asked for ahead, and one scattered write of 4 bytes.
    """
    cdef Py_ssize_t k, n = places.shape[0], buckets = counts.shape[0]
    cdef int32_t total = 0, count, ahead
    cdef uint32_t mask = <uint32_t> (buckets - 1), digit
    cdef int32_t* at = ptr(counts)
    cdef Grams grams
    grams.pairs, grams.position, grams.rank = ptr(pairs), ptr(position), ptr(rank)
    grams.levels = ptr(levels) if levels.shape[0] > 0 else NULL
    grams.n_tokens, grams.level = <int32_t> rank.shape[0], level
    with nogil:
        memset(at, 0, buckets * sizeof(int32_t))
        for k in range(n):
            at[sort_key(&grams, ascending[k], by_beginning) >> shift & mask] += 1
        for k in range(buckets):
            count = at[k]
            at[k] = total
            total += count
        for k in range(n):
            ahead = places[min(k + AHEAD, n - 1)] - grams.n_tokens
            tp_prefetch(grams.pairs + max(ahead, 0))
            digit = sort_key(&grams, places[k], by_beginning) >> shift & mask
            ordered[at[digit]] = places[k]
            at[digit] += 1


cdef inline uint64_t chunk_key(const uint8_t* name, Py_ssize_t n) noexcept nogil:
    """Up to 7 bytes, the first in the highest place, then how many there were (8: and more follow).

    So "a" comes before "a" and a zero byte, and equal keys below 8 mean equal strings.
    """
    cdef uint64_t key = 0
    cdef Py_ssize_t k
    for k in range(CHUNK):
        key = key << 8 | (name[k] if k < n else 0)
    return key << 8 | <uint64_t> min(n, <Py_ssize_t> CHUNK + 1)


cdef inline bint comes_before(
    const int64_t* offsets, const uint8_t* arena, int32_t a, int32_t b
) noexcept nogil:
    cdef Py_ssize_t n_a = offsets[a + 1] - offsets[a], n_b = offsets[b + 1] - offsets[b]
    cdef int order = memcmp(arena + offsets[a], arena + offsets[b], min(n_a, n_b))
    return order < 0 or (order == 0 and n_a < n_b)


cdef void sort_from(
    const int64_t* offsets, const uint8_t* arena, int32_t* items, Py_ssize_t n, Py_ssize_t depth,
    uint64_t* keys, uint64_t* keys2, int32_t* items2,
) noexcept nogil:
    """Sort names that agree in their first ``depth`` bytes."""
    cdef Py_ssize_t k, j, start
    cdef int32_t item
    while True:
        if n <= FEW:
            for k in range(1, n):
                item = items[k]
                j = k
                while j > 0 and comes_before(offsets, arena, item, items[j - 1]):
                    items[j] = items[j - 1]
                    j -= 1
                items[j] = item
            return
        for k in range(n):
            item = items[k]
            keys[k] = chunk_key(arena + offsets[item] + depth, offsets[item + 1] - offsets[item] - depth)
        if keys[0] & 0xFF == CHUNK + 1:
            k = 1
            while k < n and keys[k] == keys[0]:
                k += 1
            if k == n:  # a loop, not a call, for long common beginnings: the stack stays small
                depth += CHUNK
                continue
        break
    radix_sort(keys, items, n, 64, keys2, items2)
    start = 0
    while start < n:
        k = start + 1
        while k < n and keys[k] == keys[start]:
            k += 1
        if k - start > 1:
            sort_from(
                offsets, arena, items + start, k - start, depth + CHUNK,
                keys + start, keys2 + start, items2 + start,
            )
        start = k


def sort_names(
    const int64_t[::1] offsets, const uint8_t[::1] arena, int32_t[::1] items,
    uint64_t[::1] keys, uint64_t[::1] spare_keys, int32_t[::1] spare_items,
):
    """Sort ``items``, numbers of distinct names, by name; the order of UTF-8 bytes is that of code points.

    Bottleneck: six passes over 12 bytes a name, for names that differ in their first 7 bytes; names that
    agree there are sorted again by their next 7.
    """
    if items.shape[0] > 1:
        with nogil:
            sort_from(
                ptr(offsets), ptr(arena), ptr(items), items.shape[0], 0, ptr(keys), ptr(spare_keys), ptr(spare_items)
            )
