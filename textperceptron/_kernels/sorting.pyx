"""Orders of terms: of first appearance, by frequency, by name."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.simd cimport tp_prefetch
from textperceptron._kernels.term_table cimport LAST_31_BITS, term_of

cdef enum:
    DIGIT = 11
    RADIX = 2048
    AHEAD = 32          # reads prefetched ahead of their use
    FEW_NAMES = 12      # up to which insertion sort is faster than another round of keys
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


def order_of_appearance(const int32_t[::1] seen_tokens, const int32_t[::1] seen_ngrams, int32_t[::1] order):
    """Write the terms in order of first appearance: document by document, tokens before n-grams.

    ``seen_tokens`` and ``seen_ngrams`` have the sizes of the two tables after each document, which numbered their terms
    in this order.
    """
    cdef Py_ssize_t d, at = 0, n_documents = seen_tokens.shape[0]
    cdef int32_t token = 0, ngram = 0, n_tokens = seen_tokens[n_documents - 1] if n_documents else 0
    with nogil:
        for d in range(n_documents):
            while token < seen_tokens[d]:
                order[at] = token
                token += 1
                at += 1
            while ngram < seen_ngrams[d]:
                order[at] = n_tokens + ngram
                ngram += 1
                at += 1


def count_frequencies(const int32_t[::1] terms, const int32_t[::1] frequency, int64_t[::1] counts):
    """Count the terms per frequency; ``counts`` has one zero per frequency, 0 included."""
    cdef Py_ssize_t k, n = terms.shape[0]
    with nogil:
        for k in range(n):
            tp_prefetch(ptr(frequency) + terms[min(k + AHEAD, n - 1)])
            counts[frequency[terms[k]]] += 1


def order_by_frequency(
    const int32_t[::1] terms, const int32_t[::1] frequency, int64_t[::1] next_at, int32_t[::1] ordered,
    int32_t[::1] columns,
):
    """Order terms by frequency, stably; ``columns`` gets the new position of each term.

    ``next_at`` has the start of the terms of each frequency, and changes.

    Bottleneck: one read of ``frequency`` per term in random order, which is prefetched.
    """
    cdef Py_ssize_t k, n = terms.shape[0]
    cdef int32_t here
    with nogil:
        for k in range(n):
            tp_prefetch(ptr(frequency) + terms[min(k + AHEAD, n - 1)])
            here = frequency[terms[k]]
            ordered[next_at[here]] = terms[k]
            columns[terms[k]] = <int32_t> next_at[here]
            next_at[here] += 1


cdef struct Alphabet:
    const uint64_t* keys        # of n-grams: item of all but the last token << 32 | last token
    const int32_t* levels       # tokens per n-gram; NULL: two
    const int32_t* position     # by term: alphabetical position of terms with fewer tokens
    const int32_t* rank         # by token: alphabetical position among tokens alone
    uint32_t n_tokens
    int32_t level               # tokens of the terms that have no position yet


cdef inline uint32_t sort_key(const Alphabet* known, int32_t term, bint by_beginning) noexcept nogil:
    """Sort key of a term: the position of all but its last token, or the rank of its last token + 1.

    A term that has a position begins with the whole of itself and has no last token: it sorts right before those that
    begin with it.
    """
    cdef int32_t ngram = term - <int32_t> known.n_tokens
    if ngram < 0 or (known.levels != NULL and known.levels[ngram] != known.level):
        return <uint32_t> known.position[term] if by_beginning else 0
    if not by_beginning:
        return <uint32_t> known.rank[<uint32_t> known.keys[ngram]] + 1
    return <uint32_t> known.position[term_of(<uint32_t> (known.keys[ngram] >> 32), known.n_tokens)]


def ngram_lengths(const uint64_t[::1] keys, int32_t[::1] lengths):
    """Write the number of tokens per n-gram. All but its last token are an n-gram of lower number, or a token."""
    cdef Py_ssize_t k
    cdef uint32_t beginning
    with nogil:
        for k in range(keys.shape[0]):
            beginning = <uint32_t> (keys[k] >> 32)
            lengths[k] = 1 + lengths[beginning & LAST_31_BITS] if beginning >> 31 else 2


def sort_ngrams(
    const int32_t[::1] terms, const int32_t[::1] ascending, const uint64_t[::1] keys, const int32_t[::1] levels,
    int level, const int32_t[::1] position, const int32_t[::1] rank, bint by_beginning, int shift, int32_t[::1] counts,
    int32_t[::1] ordered,
):
    """Sort n-grams by some bits of their sort keys, stably.

    ``ascending`` are the same terms in the order in which counting is fastest. ``counts`` is scratch of ``2**b``
    entries to sort by b bits from ``shift`` on. ``levels`` is empty if all n-grams are of two tokens.

    Bottleneck: one read of ``keys`` per term in random order, which is prefetched, and one scattered write of 4 bytes.
    """
    cdef Py_ssize_t k, n = terms.shape[0], buckets = counts.shape[0]
    cdef int32_t total = 0, count, ahead
    cdef uint32_t mask = <uint32_t> (buckets - 1), digit
    cdef int32_t* at = ptr(counts)
    cdef Alphabet known
    known.keys, known.position, known.rank = ptr(keys), ptr(position), ptr(rank)
    known.levels = ptr(levels) if levels.shape[0] > 0 else NULL
    known.n_tokens, known.level = <uint32_t> rank.shape[0], level
    with nogil:
        memset(at, 0, buckets * sizeof(int32_t))
        for k in range(n):
            at[sort_key(&known, ascending[k], by_beginning) >> shift & mask] += 1
        for k in range(buckets):
            count = at[k]
            at[k] = total
            total += count
        for k in range(n):
            ahead = terms[min(k + AHEAD, n - 1)] - <int32_t> known.n_tokens
            tp_prefetch(known.keys + max(ahead, 0))
            digit = sort_key(&known, terms[k], by_beginning) >> shift & mask
            ordered[at[digit]] = terms[k]
            at[digit] += 1


cdef inline uint64_t chunk_key(const uint8_t* name, Py_ssize_t n) noexcept nogil:
    """Up to 7 bytes, the first in the highest byte, then their number (8: more bytes follow).

    So "a" sorts before "a" and a zero byte, and equal keys below 8 mean equal strings.
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
        if n <= FEW_NAMES:
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
            if k == n:  # a loop instead of recursion for long common prefixes: the stack stays small
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

    Bottleneck: six passes over 12 bytes per name, for names that differ in their first 7 bytes; names that
    agree there are sorted again by their next 7.
    """
    if items.shape[0] > 1:
        with nogil:
            sort_from(
                ptr(offsets), ptr(arena), ptr(items), items.shape[0], 0, ptr(keys), ptr(spare_keys), ptr(spare_items)
            )
