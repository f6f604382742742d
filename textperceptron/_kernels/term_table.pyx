"""Tokens → term numbers while the vocabulary is being learnt: the hash tables behind ``fit``.

Tokens are numbered from 0, and so are n-grams of two tokens or more. The key of an n-gram is the item of all but its
last token and the number of its last token, so that n-grams are compared exactly, by two integers, and no string is
made for them. An *item* is the number of a token, or that of an n-gram with the top bit set.

A table is two arrays. ``slots`` finds numbers: the upper half of the key's hash and, below it, the number + 1
(0: empty), open addressing with steps of 1. ``records`` has two words per number: the key, and
``stamp << 32 | document frequency``, where the stamp is the last document that held the term. Half a hash in the slot
spares most reads of other terms' keys, and gives the slot's position in a larger table. The caller owns the arrays and
enlarges them when a function returns which is full. ``seed`` is two secret numbers, the second odd, that the hash
depends on and no result does.

Keys are looked up a strip at a time, each step for the whole strip, so that memory is prefetched. But they are added
one after the other: numbers follow the order of first appearance.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.hashing cimport tp_hash_key, tp_key, tp_load64
from textperceptron._kernels.simd cimport tp_lowest_bit, tp_prefetch

cdef enum:
    STRIP = 64          # lookups whose memory is prefetched together
    # Return values: what is full.
    NOTHING = 0
    TOKENS = 1
    TOKEN_BYTES = 2
    NGRAMS = 3
    # Indices of ``progress``.
    DOCUMENT = 0
    LEVEL = 1
    POSITION = 2
    # Indices of ``sizes``: in different cache lines, because different threads change them.
    N_TOKENS = 0
    N_NGRAMS = 8

cdef uint32_t NGRAM = <uint32_t> 1 << 31


cdef struct Table:
    uint64_t* slots
    uint64_t* records
    uint64_t mask
    int shift           # leaves as many upper bits of a hash as an index of slots has
    int64_t capacity
    int64_t* count
    uint64_t secret
    uint64_t odd_secret


cdef struct Lookup:
    uint64_t key
    uint64_t hash
    uint64_t at         # in slots
    uint32_t number


cdef inline int shift_of(Py_ssize_t n_slots) noexcept nogil:
    """Shift that leaves as many bits as an index below ``n_slots``, a power of two, needs."""
    return 64 - tp_lowest_bit(<uint64_t> n_slots)


cdef inline Table table_of(
    const uint64_t[::1] seed, uint64_t[::1] slots, uint64_t[::1] records, int64_t* count
) noexcept nogil:
    cdef Table table
    table.secret, table.odd_secret = seed[0], seed[1]
    table.slots, table.records, table.count = ptr(slots), ptr(records), count
    table.mask = slots.shape[0] - 1
    table.shift = shift_of(slots.shape[0])
    table.capacity = records.shape[0] >> 1
    return table


cdef inline void begin(const Table* table, Lookup* lookup, uint64_t key) noexcept nogil:
    """Prefetch the slot where a key should be."""
    lookup.key = key
    lookup.hash = tp_hash_key(key, table.secret, table.odd_secret)
    lookup.at = lookup.hash >> table.shift
    tp_prefetch(table.slots + lookup.at)


cdef inline bint find_candidate(const Table* table, Lookup* lookup) noexcept nogil:
    """Go to the next number with the same half of a hash, and prefetch its record; False at an empty slot."""
    cdef uint64_t slot = table.slots[lookup.at]
    while slot != 0 and slot >> 32 != lookup.hash >> 32:
        lookup.at = (lookup.at + 1) & table.mask
        slot = table.slots[lookup.at]
    lookup.number = <uint32_t> slot - (slot != 0)
    tp_prefetch(table.records + 2 * lookup.number)
    return slot != 0


cdef inline void next_slot(const Table* table, Lookup* lookup) noexcept nogil:
    lookup.at = (lookup.at + 1) & table.mask


cdef inline void add(Table* table, Lookup* lookup) noexcept nogil:
    """Give the next number to a key, whose slot is empty."""
    lookup.number = <uint32_t> table.count[0]
    table.count[0] += 1
    table.slots[lookup.at] = lookup.hash >> 32 << 32 | <uint64_t> table.count[0]
    table.records[2 * lookup.number] = lookup.key
    table.records[2 * lookup.number + 1] = 0


cdef inline uint8_t mark_document(uint64_t* mark, uint64_t stamp, uint64_t counted) noexcept nogil:
    """Count a document once per term; return whether this was the first time.

    The mark is written even if it does not change: a branch on it would be unpredictable.
    """
    cdef uint64_t is_first = mark[0] >> 32 != stamp
    mark[0] = stamp << 32 | (<uint32_t> mark[0] + (counted & is_first))
    return <uint8_t> is_first


cdef inline void append_token(
    const uint8_t* text, int32_t start, int32_t stop, uint32_t number, int64_t* offsets, uint8_t* arena
) noexcept nogil:
    memcpy(arena + offsets[number], text + start, stop - start)
    offsets[number + 1] = offsets[number] + stop - start


cdef inline bint is_token(
    const Table* table, const Lookup* lookup, const uint8_t* text, int32_t start, int32_t stop,
    const int64_t* offsets, const uint8_t* arena,
) noexcept nogil:
    """Whether the number found is that of a token; equal keys of long tokens do not prove it."""
    cdef const int64_t* bounds = offsets + lookup.number
    if table.records[2 * lookup.number] != lookup.key:
        return False
    if lookup.key >> 63 == 0:
        return True
    return bounds[1] - bounds[0] == stop - start and is_same(arena + bounds[0], text + start, stop - start)


cdef inline bint is_same(const uint8_t* a, const uint8_t* b, Py_ssize_t n) noexcept nogil:
    """Whether 8 bytes or more are the same, without a call for up to 16."""
    if n > 16:
        return memcmp(a, b, n) == 0
    return tp_load64(a) == tp_load64(b) and tp_load64(a + n - 8) == tp_load64(b + n - 8)


cdef int number_tokens(
    const uint64_t* keys, const uint8_t* text, const int32_t* starts, const int32_t* stops, Py_ssize_t n,
    Py_ssize_t n_uncounted, uint64_t stamp, Table* table, int64_t* offsets, uint8_t[::1] arena, uint32_t* items,
    uint8_t* first, Py_ssize_t* position,
) noexcept nogil:
    """Number the names of a document from ``position`` on, which stops where a table is full.

    The document is not counted for the first ``n_uncounted``. Unless it is NULL, ``first`` gets whether each is the
    first of its kind in the document.
    """
    cdef Lookup lookups[STRIP]
    cdef Py_ssize_t i = position[0], k, strip
    cdef uint8_t is_first
    cdef int64_t strip_bytes
    while i < n:
        strip = min(<Py_ssize_t> STRIP, n - i)
        position[0] = i
        if table.count[0] + strip > table.capacity:
            return TOKENS
        strip_bytes = 0
        for k in range(strip):
            strip_bytes += stops[i + k] - starts[i + k]
            begin(table, lookups + k, keys[i + k])
        if offsets[table.count[0]] + strip_bytes > arena.shape[0]:
            return TOKEN_BYTES
        for k in range(strip):
            if find_candidate(table, lookups + k) and lookups[k].key >> 63:
                tp_prefetch(offsets + lookups[k].number)
        for k in range(strip):
            if lookups[k].key >> 63:  # its bytes will be compared
                tp_prefetch(ptr(arena) + offsets[lookups[k].number])
        for k in range(strip):
            while find_candidate(table, lookups + k):
                if is_token(table, lookups + k, text, starts[i + k], stops[i + k], offsets, ptr(arena)):
                    break
                next_slot(table, lookups + k)
            else:
                add(table, lookups + k)
                append_token(text, starts[i + k], stops[i + k], lookups[k].number, offsets, ptr(arena))
            items[i + k] = lookups[k].number
            is_first = mark_document(table.records + 2 * lookups[k].number + 1, stamp, i + k >= n_uncounted)
            if first != NULL:
                first[i + k] = is_first
        i += strip
    return NOTHING


cdef int number_ngrams(
    const uint32_t* beginnings, const uint32_t* last_tokens, Py_ssize_t n, uint64_t counted, uint64_t stamp,
    Table* table, uint32_t* items, uint8_t* first, Py_ssize_t* position,
) noexcept nogil:
    """As :func:`number_tokens` for n-grams of two tokens or more, with or without their document frequency."""
    cdef Lookup lookups[STRIP]
    cdef Py_ssize_t i = position[0], k, strip
    cdef uint8_t is_first
    while i < n:
        strip = min(<Py_ssize_t> STRIP, n - i)
        position[0] = i
        if table.count[0] + strip > table.capacity:
            return NGRAMS
        for k in range(strip):
            begin(table, lookups + k, <uint64_t> beginnings[i + k] << 32 | last_tokens[i + k])
        for k in range(strip):
            find_candidate(table, lookups + k)
        for k in range(strip):
            while find_candidate(table, lookups + k):
                if table.records[2 * lookups[k].number] == lookups[k].key:
                    break
                next_slot(table, lookups + k)
            else:
                add(table, lookups + k)
            items[i + k] = lookups[k].number | NGRAM
            is_first = mark_document(table.records + 2 * lookups[k].number + 1, stamp, counted)
            if first != NULL:
                first[i + k] = is_first
        i += strip
    return NOTHING


def token_keys(
    const uint64_t[::1] seed, const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops,
    uint64_t[::1] keys,
):
    """Write the keys of tokens; ``text`` has 16 readable bytes after the last one."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(starts.shape[0]):
            keys[k] = tp_key(ptr(text) + starts[k], stops[k] - starts[k], seed[0])


def count_tokens(
    const uint64_t[::1] seed, const uint64_t[::1] keys,
    const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops,
    const int32_t[::1] lengths, const int32_t[::1] n_extra, const int64_t[::1] name_starts, bint counted,
    const int64_t[::1] row_starts, int64_t n_before, uint64_t[::1] slots, uint64_t[::1] records,
    int64_t[::1] offsets, uint8_t[::1] arena, int64_t[::1] sizes, int64_t[::1] progress,
    int32_t[::1] items, uint8_t[::1] first, int32_t[::1] n_seen,
):
    """Number the names of a token block; return 0, or what has to grow before the next call.

    Document d, the ``n_before + d``-th, has its names from ``name_starts[d]`` on, tokens and then extra terms; their
    items go to ``items`` from ``row_starts[d]`` on. Unless it is empty, ``first`` gets whether each is the first of its
    kind in its document. Document frequency is counted for extra terms, and for tokens if ``counted``. ``n_seen`` gets
    the size of the table after each document. ``sizes`` has the sizes of both tables; ``progress`` says where to begin,
    and where the table was full.
    """
    cdef Py_ssize_t d = progress[DOCUMENT], i = progress[POSITION]
    cdef int full = NOTHING
    cdef Table tokens = table_of(seed, slots, records, ptr(sizes) + N_TOKENS)
    with nogil:
        while d < lengths.shape[0]:
            full = number_tokens(
                ptr(keys) + name_starts[d], ptr(text), ptr(starts) + name_starts[d], ptr(stops) + name_starts[d],
                lengths[d] + n_extra[d], 0 if counted else lengths[d], <uint64_t> (n_before + d + 1), &tokens,
                ptr(offsets), arena, <uint32_t*> ptr(items) + row_starts[d],
                ptr(first) + row_starts[d] if first.shape[0] > 0 else NULL, &i,
            )
            if full:
                break
            n_seen[d] = <int32_t> tokens.count[0]
            d += 1
            i = 0
    progress[DOCUMENT], progress[POSITION] = d, i
    return full


def count_ngrams(
    const uint64_t[::1] seed, const int32_t[::1] lengths, const int32_t[::1] n_extra, const int64_t[::1] row_starts,
    int min_n, int max_n, int64_t n_before, uint64_t[::1] slots, uint64_t[::1] records, int64_t[::1] sizes,
    int64_t[::1] progress, int32_t[::1] items, uint8_t[::1] first, int32_t[::1] n_seen,
):
    """Number the n-grams of two tokens or more, after the other terms of each row; return 0, or what has to grow.

    All are numbered, but document frequency is only counted for those of ``min_n`` tokens or more. The rest is as in
    :func:`count_tokens`.

    Bottleneck: cache misses of the table (IMDB uni+bigrams: 1.4 M n-grams, 16 MB of slots, 23 MB of records), hidden
    by prefetching 64 slots, and then 64 records, before the first is read.
    """
    cdef Py_ssize_t d = progress[DOCUMENT], i = progress[POSITION], n_tokens, k, at, to
    cdef int level = <int> progress[LEVEL], full = NOTHING
    cdef uint32_t* row
    cdef Table ngrams = table_of(seed, slots, records, ptr(sizes) + N_NGRAMS)
    with nogil:
        while d < lengths.shape[0]:
            n_tokens = lengths[d]
            row = <uint32_t*> ptr(items) + row_starts[d]
            at = 0                          # where the n-grams begin that have one token less
            to = n_tokens + n_extra[d]      # where those of this level go
            for k in range(2, level):
                at = to
                to += n_tokens - k + 1
            while level <= max_n and level <= n_tokens:
                full = number_ngrams(
                    row + at, row + level - 1, n_tokens - level + 1, <uint64_t> (min_n <= level),
                    <uint64_t> (n_before + d + 1), &ngrams, row + to,
                    ptr(first) + row_starts[d] + to if first.shape[0] > 0 else NULL, &i,
                )
                if full:
                    break
                at = to
                to += n_tokens - level + 1
                level += 1
                i = 0
            if full:
                break
            n_seen[d] = <int32_t> ngrams.count[0]
            d += 1
            level = 2
            i = 0
    progress[DOCUMENT], progress[LEVEL], progress[POSITION] = d, level, i
    return full


def keep_terms(
    int32_t[::1] items, const uint8_t[::1] first, const int64_t[::1] starts, const int32_t[::1] lengths,
    const int32_t[::1] n_extra, int min_n, int64_t[::1] row_starts,
):
    """Keep the extra terms of each document and its n-grams of ``min_n`` tokens or more, without duplicates.

    Items are compacted in their order; ``row_starts`` gets the new offsets. With an empty ``first``, duplicates stay.
    """
    cdef Py_ssize_t d, k, n, begin, at = 0
    cdef bint all_stay = first.shape[0] == 0
    with nogil:
        for d in range(lengths.shape[0]):
            row_starts[d] = at
            begin = starts[d]
            if min_n > 1:
                begin += lengths[d]
                for k in range(begin, begin + n_extra[d]):
                    items[at] = items[k]
                    at += 1 if all_stay else first[k]
                begin += n_extra[d]
                for n in range(2, min_n):
                    begin += max(<Py_ssize_t> 0, lengths[d] - n + 1)
            for k in range(begin, starts[d + 1]):
                items[at] = items[k]
                at += 1 if all_stay else first[k]
        row_starts[lengths.shape[0]] = at


def rehash(const uint64_t[::1] old, uint64_t[::1] new):
    """Move the slots of a table into a larger one of zeros."""
    cdef Py_ssize_t k, ahead, n = old.shape[0]
    cdef uint64_t mask = new.shape[0] - 1, at
    cdef int shift = shift_of(new.shape[0])
    with nogil:
        for k in range(n):
            ahead = min(k + STRIP, n - 1)
            tp_prefetch(ptr(new) + (old[ahead] >> shift))
            if old[k]:
                at = old[k] >> shift
                while new[at]:
                    at = (at + 1) & mask
                new[at] = old[k]
