"""Tokens → term numbers, learnt as they come: the tables behind a fit.

Tokens are numbered from 0, and so are n-grams of two tokens or more ("pairs": an n-gram is the number of all
but its last token, and the number of its last token). A pair's number is written with the top bit set. So an
n-gram is compared by two integers, exactly, and no string is made for it.

A table is two arrays. ``slots`` finds numbers: the upper half of the key's hash and, below it, the number + 1
(0: empty), open addressing with steps of 1. ``records`` has two words a number: the key, and
``stamp << 32 | document frequency``, where the stamp is the last document that held the term. Half a hash
in the slot spares most looks at keys of other terms, and tells where a slot goes in a larger table. The caller
owns the arrays and makes them larger when asked to.

Keys are looked up a strip at a time, each step for the whole strip, so that memory is asked for ahead of its use. But
they are added one after the other: numbers follow the order in which terms are first met, whatever else is in a table.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memmove

from textperceptron._kernels.bytes cimport tp_key, tp_lowest_bit, tp_place
from textperceptron._kernels.rows cimport tp_prefetch

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
    N_PAIRS = 1
    N_SEEN = 2

cdef uint32_t PAIR = <uint32_t> 1 << 31
cdef uint64_t ABSENT = <uint64_t> 0xFFFFFFFFFFFFFFFF  # no key: numbers end before 2^31 - 1


cdef struct Table:
    uint64_t* slots
    uint64_t* records
    uint64_t mask
    int shift           # leaves as many upper bits of a hash as there are bits in a place
    int64_t room        # for so many numbers
    int64_t* count


cdef struct Lookup:
    uint64_t key
    uint64_t hash
    uint64_t place
    uint32_t number


cdef inline int shift_of(Py_ssize_t n_slots) noexcept nogil:
    """Shift that leaves as many bits as ``n_slots``, a power of two, need."""
    return 64 - tp_lowest_bit(<uint64_t> n_slots)


cdef inline Table table_of(uint64_t[::1] slots, uint64_t[::1] records, int64_t* count) noexcept nogil:
    cdef Table table
    table.slots, table.records, table.count = &slots[0], &records[0], count
    table.mask = slots.shape[0] - 1
    table.shift = shift_of(slots.shape[0])
    table.room = records.shape[0] >> 1
    return table


cdef inline void begin(const Table* table, Lookup* lookup, uint64_t key) noexcept nogil:
    """Ask for the slot where a key should be."""
    lookup.key = key
    lookup.hash = tp_place(key, 0)
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
    const uint8_t* text, const int32_t* starts, const int32_t* stops, Py_ssize_t n, uint64_t kept, uint64_t stamp,
    Table* table, int64_t* offsets, uint8_t[::1] arena, uint32_t* numbers, uint8_t* first, Py_ssize_t* position,
) noexcept nogil:
    """Number the tokens of a document from ``position`` on, which is left where a table was full.

    Unless it is NULL, ``first`` gets whether each is the first of its kind in the document.
    """
    cdef Lookup lookups[STRIP]
    cdef Py_ssize_t i = position[0], k, strip, length
    cdef uint8_t is_first
    cdef int64_t strip_bytes
    while i < n:
        strip = min(<Py_ssize_t> STRIP, n - i)
        position[0] = i
        if table.count[0] + strip > table.room:
            return TOKENS_FULL
        strip_bytes = 0
        for k in range(strip):
            length = stops[i + k] - starts[i + k]
            strip_bytes += length
            begin(table, lookups + k, tp_key(text + starts[i + k], length))
        if offsets[table.count[0]] + strip_bytes > arena.shape[0]:
            return BYTES_FULL
        for k in range(strip):
            at_candidate(table, lookups + k)
        for k in range(strip):
            while at_candidate(table, lookups + k):
                if is_token(table, lookups + k, text, starts[i + k], stops[i + k], offsets, &arena[0]):
                    break
                pass_by(table, lookups + k)
            else:
                add(table, lookups + k)
                append_token(text, starts[i + k], stops[i + k], lookups[k].number, offsets, &arena[0])
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
    return bounds[1] - bounds[0] == stop - start and memcmp(arena + bounds[0], text + start, stop - start) == 0


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


def count_terms(
    const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops, const int32_t[::1] lengths,
    const int64_t[::1] token_starts, const int64_t[::1] row_starts, int min_n, int max_n,
    uint64_t[::1] token_slots, uint64_t[::1] token_records, int64_t[::1] token_offsets, uint8_t[::1] token_bytes,
    uint64_t[::1] pair_slots, uint64_t[::1] pair_records, int64_t[::1] sizes, int64_t[::1] progress,
    int32_t[::1] ids, uint8_t[::1] first,
):
    """Number the n-grams of a block of documents; return 0, or which table has to grow before going on.

    Document d has ``lengths[d]`` tokens from ``token_starts[d]`` on; the numbers of its n-grams, one for
    each occurrence, go to ``ids`` from ``row_starts[d]`` on. Unless it is empty, ``first`` gets whether each is the
    first of its kind in its document. Both have room behind the last row for the shorter n-grams of one document,
    which are numbered but not kept. ``text`` has 16 readable bytes behind the last token. ``sizes`` holds how many tokens, pairs and documents there are; ``progress`` says where to
    begin, and where the table was full.

    Bottleneck: cache misses of the pair table (IMDB uni+bigrams: 1.4 M pairs, 16 MB of slots, 23 MB of
    records), hidden by asking for 32 slots, and then for 32 records, before the first is read.
    """
    cdef Py_ssize_t n_documents = lengths.shape[0], d = progress[DOCUMENT], i = progress[POSITION]
    cdef Py_ssize_t n_tokens, k
    cdef int level = <int> progress[LEVEL], full = DONE
    cdef uint64_t stamp
    cdef uint32_t* row
    cdef uint32_t* grams
    cdef uint8_t* firsts = &first[0] if first.shape[0] > 0 else NULL
    cdef uint8_t* row_firsts = NULL
    cdef Table tokens = table_of(token_slots, token_records, &sizes[N_TOKENS])
    cdef Table pairs = table_of(pair_slots, pair_records, &sizes[N_PAIRS])
    with nogil:
        while d < n_documents:
            n_tokens = lengths[d]
            row = <uint32_t*> &ids[0] + row_starts[d]
            if firsts != NULL:
                row_firsts = firsts + row_starts[d]
            stamp = <uint64_t> (sizes[N_SEEN] + d + 1)
            if level == 1:
                full = number_tokens(
                    &text[0], &starts[0] + token_starts[d], &stops[0] + token_starts[d], n_tokens,
                    <uint64_t> (min_n == 1), stamp, &tokens, &token_offsets[0], token_bytes, row, row_firsts, &i,
                )
                if full:
                    break
                level = 2
                i = 0
            grams = row
            for k in range(2, level):
                grams += n_tokens - k + 2
            while level <= max_n and level <= n_tokens:
                k = grams + n_tokens - level + 2 - row
                if number_pairs(
                    grams, row + level - 1, n_tokens - level + 1, <uint64_t> (min_n <= level), stamp,
                    &pairs, row + k, row_firsts + k if firsts != NULL else NULL, &i,
                ):
                    full = PAIRS_FULL
                    break
                grams += n_tokens - level + 2
                level += 1
                i = 0
            if full:
                break
            if min_n > 1:
                grams = row
                for k in range(1, min_n):
                    grams += max(<Py_ssize_t> 0, n_tokens - k + 1)
                memmove(row, grams, (row_starts[d + 1] - row_starts[d]) * sizeof(uint32_t))
                if firsts != NULL:
                    memmove(row_firsts, row_firsts + (grams - row), row_starts[d + 1] - row_starts[d])
            d += 1
            level = 1
            i = 0
        if not full:
            sizes[N_SEEN] += n_documents
    progress[DOCUMENT], progress[LEVEL], progress[POSITION] = d, level, i
    return full


def keep_first(int32_t[::1] ids, const uint8_t[::1] first, int64_t[::1] row_starts):
    """Leave of each document's terms the first of each kind, in their order; ``row_starts`` become those of the rest."""
    cdef Py_ssize_t d, k, start = 0, at = 0
    with nogil:
        for d in range(row_starts.shape[0] - 1):
            for k in range(start, row_starts[d + 1]):
                ids[at] = ids[k]
                at += first[k]
            start = row_starts[d + 1]
            row_starts[d + 1] = at


def regrow(const uint64_t[::1] old, uint64_t[::1] new):
    """Move the slots of a table into more, which are zero."""
    cdef Py_ssize_t k, ahead, n = old.shape[0]
    cdef uint64_t mask = new.shape[0] - 1, place
    cdef int shift = shift_of(new.shape[0])
    with nogil:
        for k in range(n):
            ahead = min(k + STRIP, n - 1)
            tp_prefetch(&new[old[ahead] >> shift])
            if old[k]:
                place = old[k] >> shift
                while new[place]:
                    place = (place + 1) & mask
                new[place] = old[k]


cdef inline uint64_t key_among_others(
    uint64_t pair, const int32_t* token_numbers, const int32_t* numbers
) noexcept nogil:
    """The key of another table's pair by the numbers of this one; one that no pair has, if its prefix is not here."""
    cdef uint32_t prefix = <uint32_t> (pair >> 32)
    cdef int32_t number
    if prefix & PAIR:
        number = numbers[prefix ^ PAIR]
        if number < 0:
            return ABSENT
        prefix = <uint32_t> number | PAIR
    else:
        prefix = <uint32_t> token_numbers[prefix]
    return <uint64_t> prefix << 32 | <uint32_t> token_numbers[<uint32_t> pair]


def find_pairs(
    const uint64_t[::1] others, const int32_t[::1] token_numbers, Py_ssize_t start, Py_ssize_t stop,
    uint64_t[::1] pair_slots, uint64_t[::1] pair_records, int32_t[::1] numbers,
):
    """Find the pairs ``start`` to ``stop`` of another table's records, and add their frequencies to those found.

    ``numbers`` gets the number that each has here, or -1; ``token_numbers`` says the same for the tokens. Those of the
    prefixes of longer n-grams, which have smaller numbers there, have to be known. Each number is found once, so
    that two threads may look for different pairs.
    """
    cdef Py_ssize_t k, i = start, strip, j
    cdef int64_t unused = 0
    cdef Table table = table_of(pair_slots, pair_records, &unused)
    cdef Lookup lookups[STRIP]
    cdef uint64_t pair
    with nogil:
        while i < stop:
            strip = min(<Py_ssize_t> STRIP, stop - i)
            for k in range(strip):
                pair = others[2 * (i + k)]
                if pair >> 63 and <Py_ssize_t> (pair >> 32 & 0x7FFFFFFF) >= i:
                    strip = k  # its prefix is in this strip, and not found yet
                    break
                begin(&table, lookups + k, key_among_others(pair, &token_numbers[0], &numbers[0]))
            for k in range(strip):
                at_candidate(&table, lookups + k)
            for k in range(strip):
                numbers[i + k] = -1
                while at_candidate(&table, lookups + k):
                    j = lookups[k].number
                    if table.records[2 * j] == lookups[k].key:
                        numbers[i + k] = <int32_t> j
                        table.records[2 * j + 1] += <uint32_t> others[2 * (i + k) + 1]
                        break
                    pass_by(&table, lookups + k)
            i += strip


def append_pairs(
    const uint64_t[::1] others, const int32_t[::1] token_numbers, uint64_t[::1] pair_records, int64_t[::1] sizes,
    int32_t[::1] numbers,
):
    """Give numbers to the pairs that were not found, behind all others; there is room for their records.

    The slots stay as they are: they find none of these.
    """
    cdef Py_ssize_t k
    cdef int64_t count = sizes[N_PAIRS]
    with nogil:
        for k in range(numbers.shape[0]):
            if numbers[k] < 0:
                pair_records[2 * count] = key_among_others(others[2 * k], &token_numbers[0], &numbers[0])
                pair_records[2 * count + 1] = <uint32_t> others[2 * k + 1]
                numbers[k] = <int32_t> count
                count += 1
    sizes[N_PAIRS] = count


def insert_pairs(const uint64_t[::1] pair_records, Py_ssize_t start, Py_ssize_t stop, uint64_t[::1] pair_slots):
    """Make the slots find the pairs from ``start`` to ``stop``, which they do not yet."""
    cdef Py_ssize_t k
    cdef uint64_t mask = pair_slots.shape[0] - 1, place, key_hash
    cdef int shift = shift_of(pair_slots.shape[0])
    with nogil:
        for k in range(start, stop):
            tp_prefetch(&pair_slots[tp_place(pair_records[2 * min(k + STRIP, stop - 1)], 0) >> shift])
            key_hash = tp_place(pair_records[2 * k], 0)
            place = key_hash >> shift
            while pair_slots[place]:
                place = (place + 1) & mask
            pair_slots[place] = key_hash >> 32 << 32 | <uint64_t> (k + 1)
