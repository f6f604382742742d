"""Tokens → term numbers, learnt as they come: the tables behind a fit.

Tokens are numbered from 0, and so are n-grams of two tokens or more ("pairs": an n-gram is the number of all
but its last token, and the number of its last token). A pair's number is written with the top bit set. So an
n-gram is compared by two integers, exactly, and no string is made for it.

A table is two arrays. ``slots`` finds numbers: the upper half of the key's hash and, below it, the number + 1
(0: empty), open addressing with steps of 1. ``records`` has two words a number: the key, and
``stamp << 32 | document frequency``, where the stamp is the last document that held the term. Half a hash
in the slot spares most looks at keys of other terms, and tells where a slot goes in a larger table. The caller
owns the arrays and makes them larger when asked to. ``seed`` is two secret numbers, the second odd, that the hash
depends on and no result does.

Keys are looked up a strip at a time, each step for the whole strip, so that memory is asked for ahead of its use. But
they are added one after the other: numbers follow the order in which terms are first met, whatever else is in a table.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.hashing cimport tp_hash_key, tp_key, tp_load64
from textperceptron._kernels.simd cimport tp_lowest_bit, tp_prefetch

cdef enum:
    STRIP = 64          # lookups asked for ahead of their use
    DONE = 0
    TOKENS_FULL = 1
    BYTES_FULL = 2
    PAIRS_FULL = 3
    # Of ``progress``
    DOCUMENT = 0
    LEVEL = 1
    POSITION = 2
    # Of ``sizes``
    N_TOKENS = 0
    N_PAIRS = 8

cdef uint32_t PAIR = <uint32_t> 1 << 31


cdef struct Table:
    uint64_t* slots
    uint64_t* records
    uint64_t mask
    int shift           # leaves as many upper bits of a hash as there are bits in a place
    int64_t room        # for so many numbers
    int64_t* count
    uint64_t secret
    uint64_t odd_secret


cdef struct Lookup:
    uint64_t key
    uint64_t hash
    uint64_t place
    uint32_t number


cdef inline int shift_of(Py_ssize_t n_slots) noexcept nogil:
    """Shift that leaves as many bits as ``n_slots``, a power of two, need."""
    return 64 - tp_lowest_bit(<uint64_t> n_slots)


cdef inline Table table_of(
    const uint64_t[::1] seed, uint64_t[::1] slots, uint64_t[::1] records, int64_t* count
) noexcept nogil:
    cdef Table table
    table.secret, table.odd_secret = seed[0], seed[1]
    table.slots, table.records, table.count = ptr(slots), ptr(records), count
    table.mask = slots.shape[0] - 1
    table.shift = shift_of(slots.shape[0])
    table.room = records.shape[0] >> 1
    return table


cdef inline void begin(const Table* table, Lookup* lookup, uint64_t key) noexcept nogil:
    """Ask for the slot where a key should be."""
    lookup.key = key
    lookup.hash = tp_hash_key(key, table.secret, table.odd_secret)
    lookup.place = lookup.hash >> table.shift
    tp_prefetch(table.slots + lookup.place)


cdef inline bint at_candidate(const Table* table, Lookup* lookup) noexcept nogil:
    """Go on to the next number with the same half of a hash, and ask for its record; False at an empty slot."""
    cdef uint64_t slot = table.slots[lookup.place]
    while slot != 0 and slot >> 32 != lookup.hash >> 32:
        lookup.place = (lookup.place + 1) & table.mask
        slot = table.slots[lookup.place]
    lookup.number = <uint32_t> slot - (slot != 0)
    tp_prefetch(table.records + 2 * lookup.number)
    return slot != 0


cdef inline void pass_by(const Table* table, Lookup* lookup) noexcept nogil:
    """Leave a candidate that is another term."""
    lookup.place = (lookup.place + 1) & table.mask


cdef inline void add(Table* table, Lookup* lookup) noexcept nogil:
    """Give the next number to a key, whose slot is empty."""
    lookup.number = <uint32_t> table.count[0]
    table.count[0] += 1
    table.slots[lookup.place] = lookup.hash >> 32 << 32 | <uint64_t> table.count[0]
    table.records[2 * lookup.number] = lookup.key
    table.records[2 * lookup.number + 1] = 0


cdef inline void find_or_add_pair(Table* table, Lookup* lookup) noexcept nogil:
    while at_candidate(table, lookup):
        if table.records[2 * lookup.number] == lookup.key:
            return
        pass_by(table, lookup)
    add(table, lookup)


cdef inline uint8_t note(uint64_t* mark, uint64_t stamp, uint64_t kept) noexcept nogil:
    """Count a document with a term, once, and return whether it was now.

    The mark is written whether it changes or not, which cannot be foretold.
    """
    cdef uint64_t is_first = mark[0] >> 32 != stamp
    mark[0] = stamp << 32 | (<uint32_t> mark[0] + (kept & is_first))
    return <uint8_t> is_first


cdef int number_tokens(
    const uint64_t* keys, const uint8_t* text, const int32_t* starts, const int32_t* stops, Py_ssize_t n,
    uint64_t kept, uint64_t stamp, Table* table, int64_t* offsets, uint8_t[::1] arena, uint32_t* numbers,
    uint8_t* first, Py_ssize_t* position,
) noexcept nogil:
    """Number the tokens of a document from ``position`` on, which is left where a table was full.

    Unless it is NULL, ``first`` gets whether each is the first of its kind in the document.
    """
    cdef Lookup lookups[STRIP]
    cdef Py_ssize_t i = position[0], k, strip
    cdef uint8_t is_first
    cdef int64_t strip_bytes
    while i < n:
        strip = min(<Py_ssize_t> STRIP, n - i)
        position[0] = i
        if table.count[0] + strip > table.room:
            return TOKENS_FULL
        strip_bytes = 0
        for k in range(strip):
            strip_bytes += stops[i + k] - starts[i + k]
            begin(table, lookups + k, keys[i + k])
        if offsets[table.count[0]] + strip_bytes > arena.shape[0]:
            return BYTES_FULL
        for k in range(strip):
            if at_candidate(table, lookups + k) and lookups[k].key >> 63:
                tp_prefetch(offsets + lookups[k].number)
        for k in range(strip):
            if lookups[k].key >> 63:  # its bytes will be compared
                tp_prefetch(ptr(arena) + offsets[lookups[k].number])
        for k in range(strip):
            while at_candidate(table, lookups + k):
                if is_token(table, lookups + k, text, starts[i + k], stops[i + k], offsets, ptr(arena)):
                    break
                pass_by(table, lookups + k)
            else:
                add(table, lookups + k)
                append_token(text, starts[i + k], stops[i + k], lookups[k].number, offsets, ptr(arena))
            numbers[i + k] = lookups[k].number
            is_first = note(table.records + 2 * lookups[k].number + 1, stamp, kept)
            if first != NULL:
                first[i + k] = is_first
        i += strip
    return DONE


cdef inline void append_token(
    const uint8_t* text, int32_t start, int32_t stop, uint32_t number, int64_t* offsets, uint8_t* arena
) noexcept nogil:
    memcpy(arena + offsets[number], text + start, stop - start)
    offsets[number + 1] = offsets[number] + stop - start


cdef inline bint is_token(
    const Table* table, const Lookup* lookup, const uint8_t* text, int32_t start, int32_t stop,
    const int64_t* offsets, const uint8_t* arena,
) noexcept nogil:
    """Whether the number found is that of a token; keys of long tokens are not enough to tell."""
    cdef const int64_t* bounds = offsets + lookup.number
    if table.records[2 * lookup.number] != lookup.key:
        return False
    if lookup.key >> 63 == 0:
        return True
    return bounds[1] - bounds[0] == stop - start and is_same(arena + bounds[0], text + start, stop - start)


cdef inline bint is_same(const uint8_t* a, const uint8_t* b, Py_ssize_t n) noexcept nogil:
    """Whether 8 bytes or more are the same: without a call if it is up to 16."""
    if n > 16:
        return memcmp(a, b, n) == 0
    return tp_load64(a) == tp_load64(b) and tp_load64(a + n - 8) == tp_load64(b + n - 8)


cdef int number_pairs(
    const uint32_t* prefixes, const uint32_t* lasts, Py_ssize_t n, uint64_t kept, uint64_t stamp, Table* table,
    uint32_t* numbers, uint8_t* first, Py_ssize_t* position,
) noexcept nogil:
    """The same for n-grams of two tokens or more."""
    cdef Lookup lookups[STRIP]
    cdef Py_ssize_t i = position[0], k, strip
    cdef uint8_t is_first
    while i < n:
        strip = min(<Py_ssize_t> STRIP, n - i)
        position[0] = i
        if table.count[0] + strip > table.room:
            return PAIRS_FULL
        for k in range(strip):
            begin(table, lookups + k, <uint64_t> prefixes[i + k] << 32 | lasts[i + k])
        for k in range(strip):
            at_candidate(table, lookups + k)
        for k in range(strip):
            find_or_add_pair(table, lookups + k)
            numbers[i + k] = lookups[k].number | PAIR
            is_first = note(table.records + 2 * lookups[k].number + 1, stamp, kept)
            if first != NULL:
                first[i + k] = is_first
        i += strip
    return DONE


def token_keys(
    const uint64_t[::1] seed, const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops,
    uint64_t[::1] keys,
):
    """Write what tokens are looked up by; ``text`` has 16 readable bytes behind the last token."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(starts.shape[0]):
            keys[k] = tp_key(ptr(text) + starts[k], stops[k] - starts[k], seed[0])


def count_tokens(
    const uint64_t[::1] seed,
    const uint64_t[::1] keys, const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops,
    const int32_t[::1] lengths, const int64_t[::1] token_starts, const int64_t[::1] row_starts, bint kept,
    int64_t n_before, uint64_t[::1] slots, uint64_t[::1] records, int64_t[::1] offsets, uint8_t[::1] arena,
    int64_t[::1] sizes, int64_t[::1] progress, int32_t[::1] ids, uint8_t[::1] first,
):
    """Number the tokens of a block of documents; return 0, or what has to grow before going on.

    Document d, before which and ``n_before`` others there were ``d``, has ``lengths[d]`` tokens from
    ``token_starts[d]`` on; their numbers go to ``ids`` from ``row_starts[d]`` on. Unless it is empty, ``first`` gets
    whether each is the first of its kind in its document. Documents are counted if terms of one token are ``kept``.
    ``sizes`` holds how many tokens and pairs there are; ``progress`` says where to begin, and where there was no room.
    """
    cdef Py_ssize_t d = progress[DOCUMENT], i = progress[POSITION]
    cdef int full = DONE
    cdef Table tokens = table_of(seed, slots, records, ptr(sizes) + N_TOKENS)
    with nogil:
        while d < lengths.shape[0]:
            full = number_tokens(
                ptr(keys) + token_starts[d], ptr(text), ptr(starts) + token_starts[d], ptr(stops) + token_starts[d],
                lengths[d], kept, <uint64_t> (n_before + d + 1), &tokens, ptr(offsets), arena,
                <uint32_t*> ptr(ids) + row_starts[d], ptr(first) + row_starts[d] if first.shape[0] > 0 else NULL, &i,
            )
            if full:
                break
            d += 1
            i = 0
    progress[DOCUMENT], progress[POSITION] = d, i
    return full


def count_grams(
    const uint64_t[::1] seed,
    const int32_t[::1] lengths, const int64_t[::1] row_starts, int min_n, int max_n, int64_t n_before,
    uint64_t[::1] slots, uint64_t[::1] records, int64_t[::1] sizes, int64_t[::1] progress, int32_t[::1] ids,
    uint8_t[::1] first,
):
    """Number the n-grams of two tokens or more, behind the tokens in each row; return 0, or what has to grow.

    All are numbered, but documents are only counted for those of ``min_n`` tokens or more. The rest is as in
    :func:`count_tokens`.

    Bottleneck: cache misses of the pair table (IMDB uni+bigrams: 1.4 M pairs, 16 MB of slots, 23 MB of records), hidden
    by asking for 64 slots, and then for 64 records, before the first is read.
    """
    cdef Py_ssize_t d = progress[DOCUMENT], i = progress[POSITION], n_tokens, k, at
    cdef int level = <int> progress[LEVEL], full = DONE
    cdef uint32_t* row
    cdef Table pairs = table_of(seed, slots, records, ptr(sizes) + N_PAIRS)
    with nogil:
        while d < lengths.shape[0]:
            n_tokens = lengths[d]
            row = <uint32_t*> ptr(ids) + row_starts[d]
            at = 0  # where the n-grams begin that have one token less
            for k in range(2, level):
                at += n_tokens - k + 2
            while level <= max_n and level <= n_tokens:
                k = at + n_tokens - level + 2
                full = number_pairs(
                    row + at, row + level - 1, n_tokens - level + 1, <uint64_t> (min_n <= level),
                    <uint64_t> (n_before + d + 1), &pairs, row + k,
                    ptr(first) + row_starts[d] + k if first.shape[0] > 0 else NULL, &i,
                )
                if full:
                    break
                at = k
                level += 1
                i = 0
            if full:
                break
            d += 1
            level = 2
            i = 0
    progress[DOCUMENT], progress[LEVEL], progress[POSITION] = d, level, i
    return full


def keep_terms(
    int32_t[::1] ids, const uint8_t[::1] first, const int64_t[::1] starts, const int32_t[::1] lengths, int min_n,
    int64_t[::1] row_starts,
):
    """Leave of each document's terms those of ``min_n`` tokens or more, and of these the first of each kind.

    They move together, in their order. ``row_starts`` gets where those of each document begin then, and where the last
    end. Without ``first``, all of them stay.
    """
    cdef Py_ssize_t d, k, n, begin, at = 0
    cdef bint all_stay = first.shape[0] == 0
    with nogil:
        for d in range(lengths.shape[0]):
            row_starts[d] = at
            begin = starts[d]
            for n in range(1, min_n):
                begin += max(<Py_ssize_t> 0, lengths[d] - n + 1)
            for k in range(begin, starts[d + 1]):
                ids[at] = ids[k]
                at += 1 if all_stay else first[k]
        row_starts[lengths.shape[0]] = at


def regrow(const uint64_t[::1] old, uint64_t[::1] new):
    """Move the slots of a table into more, which are zero."""
    cdef Py_ssize_t k, ahead, n = old.shape[0]
    cdef uint64_t mask = new.shape[0] - 1, place
    cdef int shift = shift_of(new.shape[0])
    with nogil:
        for k in range(n):
            ahead = min(k + STRIP, n - 1)
            tp_prefetch(ptr(new) + (old[ahead] >> shift))
            if old[k]:
                place = old[k] >> shift
                while new[place]:
                    place = (place + 1) & mask
                new[place] = old[k]
