"""Tokens → term numbers, learnt as they come: the tables behind a fit.

Tokens are numbered from 0, and so are n-grams of two tokens or more ("pairs": an n-gram is the number of all
but its last token, and the number of its last token). A pair's number is written with the top bit set. So an
n-gram is compared by two integers, exactly, and no string is made for it.

A table is an array of slots of two words: the key, and ``stamp << 32 | number + 1`` (0: empty). The stamp is
the last document that held the term. The caller owns the tables and makes them larger when asked to.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcmp, memcpy, memmove

from textperceptron._kernels.bytes cimport tp_key, tp_lowest_bit, tp_place
from textperceptron._kernels.rows cimport tp_prefetch

cdef enum:
    STRIP = 32          # lookups asked for ahead of their use
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


cdef inline int shift_of(Py_ssize_t n_words) noexcept nogil:
    """Shift that leaves as many bits as ``n_words / 2`` slots need; that is a power of two."""
    return 64 - tp_lowest_bit(<uint64_t> n_words >> 1)


cdef int number_tokens(
    const uint8_t* text, const int32_t* starts, const int32_t* stops, Py_ssize_t n, int32_t kept, uint64_t stamp,
    uint64_t[::1] table, int64_t* offsets, uint8_t[::1] arena, int32_t[::1] frequency, int64_t* count,
    uint32_t* numbers, Py_ssize_t* position,
) noexcept nogil:
    """Number the tokens of a document from ``position`` on, which is left where a table was full."""
    cdef uint64_t* slots = &table[0]
    cdef int32_t* df = &frequency[0]
    cdef int shift = shift_of(table.shape[0])
    cdef uint64_t mask = (table.shape[0] >> 1) - 1, key, place, value
    cdef uint64_t keys[STRIP]
    cdef uint64_t places[STRIP]
    cdef Py_ssize_t i = position[0], k, strip, length
    cdef uint32_t number
    while i < n:
        strip = min(<Py_ssize_t> STRIP, n - i)
        for k in range(strip):
            keys[k] = tp_key(text + starts[i + k], stops[i + k] - starts[i + k])
            places[k] = tp_place(keys[k], shift)
            tp_prefetch(slots + 2 * places[k])
        for k in range(strip):
            key = keys[k]
            place = places[k]
            while True:
                value = slots[2 * place + 1]
                if value == 0:
                    break
                if slots[2 * place] == key:
                    if key >> 63 == 0:
                        break
                    number = <uint32_t> value - 1
                    length = stops[i + k] - starts[i + k]
                    if offsets[number + 1] - offsets[number] == length and memcmp(
                        &arena[0] + offsets[number], text + starts[i + k], length
                    ) == 0:
                        break
                place = (place + 1) & mask
            if value == 0:
                length = stops[i + k] - starts[i + k]
                position[0] = i + k
                if count[0] >= frequency.shape[0]:
                    return TOKENS_FULL
                if offsets[count[0]] + length > arena.shape[0]:
                    return BYTES_FULL
                memcpy(&arena[0] + offsets[count[0]], text + starts[i + k], length)
                offsets[count[0] + 1] = offsets[count[0]] + length
                df[count[0]] = 0
                count[0] += 1
                slots[2 * place] = key
                value = <uint64_t> count[0]
            # Written whether it changes or not: whether a word is new in a document cannot be foretold.
            numbers[i + k] = <uint32_t> value - 1
            slots[2 * place + 1] = stamp << 32 | <uint32_t> value
            df[<uint32_t> value - 1] += <int32_t> (value >> 32 != stamp) & kept
        i += strip
    return DONE


cdef int number_pairs(
    const uint32_t* prefixes, const uint32_t* lasts, Py_ssize_t n, int32_t kept, uint64_t stamp,
    uint64_t[::1] table, int32_t[::1] frequency, int64_t* count, uint32_t* numbers, Py_ssize_t* position,
) noexcept nogil:
    """The same for n-grams of two tokens or more."""
    cdef uint64_t* slots = &table[0]
    cdef int32_t* df = &frequency[0]
    cdef int shift = shift_of(table.shape[0])
    cdef uint64_t mask = (table.shape[0] >> 1) - 1, key, place, value
    cdef uint64_t keys[STRIP]
    cdef uint64_t places[STRIP]
    cdef int32_t news[STRIP]
    cdef Py_ssize_t i = position[0], k, j, strip
    while i < n:
        strip = min(<Py_ssize_t> STRIP, n - i)
        for k in range(strip):
            keys[k] = <uint64_t> prefixes[i + k] << 32 | lasts[i + k]
            places[k] = tp_place(keys[k], shift)
            tp_prefetch(slots + 2 * places[k])
        for k in range(strip):
            key = keys[k]
            place = places[k]
            while True:
                value = slots[2 * place + 1]
                if value == 0 or slots[2 * place] == key:
                    break
                place = (place + 1) & mask
            if value == 0:
                if count[0] >= frequency.shape[0]:
                    position[0] = i + k
                    for j in range(k):
                        df[numbers[i + j] ^ PAIR] += news[j]
                    return PAIRS_FULL
                df[count[0]] = 0
                count[0] += 1
                slots[2 * place] = key
                value = <uint64_t> count[0]
            numbers[i + k] = (<uint32_t> value - 1) | PAIR
            slots[2 * place + 1] = stamp << 32 | <uint32_t> value
            news[k] = <int32_t> (value >> 32 != stamp) & kept
            tp_prefetch(df + (<uint32_t> value - 1))
        for k in range(strip):
            df[numbers[i + k] ^ PAIR] += news[k]
        i += strip
    return DONE


def count_terms(
    const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops, const int32_t[::1] lengths,
    const int64_t[::1] token_starts, const int64_t[::1] row_starts, int min_n, int max_n,
    uint64_t[::1] token_slots, int64_t[::1] token_offsets, uint8_t[::1] token_bytes, int32_t[::1] token_df,
    uint64_t[::1] pair_slots, int32_t[::1] pair_df, int64_t[::1] sizes, int64_t[::1] progress,
    int32_t[::1] ids,
):
    """Number the n-grams of a block of documents; return 0, or which table has to grow before going on.

    Document d has ``lengths[d]`` tokens from ``token_starts[d]`` on; the numbers of its n-grams, one for
    each occurrence, go to ``ids`` from ``row_starts[d]`` on. ``ids`` has room behind the last row for the
    shorter n-grams of one document, which are numbered but not kept. ``text`` has 16 readable bytes behind
    the last token. ``*_df`` count the documents of each term kept; ``sizes`` holds how many tokens, pairs
    and documents there are; ``progress`` says where to begin, and where the table was full.

    Bottleneck: cache misses of the pair table, 16 bytes a slot (IMDB uni+bigrams: 1.4 M pairs, 33 MB),
    hidden by asking for 32 slots before the first is read.
    """
    cdef Py_ssize_t n_documents = lengths.shape[0], d = progress[DOCUMENT], i = progress[POSITION]
    cdef Py_ssize_t n_tokens, k
    cdef int level = <int> progress[LEVEL], full = DONE
    cdef uint64_t stamp
    cdef uint32_t* row
    cdef uint32_t* grams
    with nogil:
        while d < n_documents:
            n_tokens = lengths[d]
            row = <uint32_t*> &ids[0] + row_starts[d]
            stamp = <uint64_t> (sizes[N_SEEN] + d + 1)
            if level == 1:
                full = number_tokens(
                    &text[0], &starts[0] + token_starts[d], &stops[0] + token_starts[d], n_tokens,
                    <int32_t> (min_n == 1), stamp, token_slots, &token_offsets[0], token_bytes, token_df,
                    &sizes[N_TOKENS], row, &i,
                )
                if full:
                    break
                level = 2
                i = 0
            grams = row
            for k in range(2, level):
                grams += n_tokens - k + 2
            while level <= max_n and level <= n_tokens:
                if number_pairs(
                    grams, row + level - 1, n_tokens - level + 1, <int32_t> (min_n <= level), stamp,
                    pair_slots, pair_df, &sizes[N_PAIRS], grams + n_tokens - level + 2, &i,
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
            d += 1
            level = 1
            i = 0
        if not full:
            sizes[N_SEEN] += n_documents
    progress[DOCUMENT], progress[LEVEL], progress[POSITION] = d, level, i
    return full


def regrow(const uint64_t[::1] old, uint64_t[::1] new):
    """Move every entry of a table into a larger one, whose slots are zero."""
    cdef Py_ssize_t k, ahead, n = old.shape[0] >> 1
    cdef uint64_t mask = (new.shape[0] >> 1) - 1, place
    cdef int shift = shift_of(new.shape[0])
    with nogil:
        for k in range(n):
            ahead = k + STRIP
            if ahead < n and old[2 * ahead + 1]:
                tp_prefetch(&new[2 * tp_place(old[2 * ahead], shift)])
            if old[2 * k + 1]:
                place = tp_place(old[2 * k], shift)
                while new[2 * place + 1]:
                    place = (place + 1) & mask
                new[2 * place] = old[2 * k]
                new[2 * place + 1] = old[2 * k + 1]


def list_pairs(const uint64_t[::1] pair_slots, uint64_t[::1] pairs):
    """Write the key of every pair, prefix << 32 | last token, by its number."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(0, pair_slots.shape[0], 2):
            if pair_slots[k + 1]:
                pairs[<uint32_t> pair_slots[k + 1] - 1] = pair_slots[k]


def merge_pairs(
    const uint64_t[::1] pairs, const int32_t[::1] df, const int32_t[::1] token_numbers, Py_ssize_t start,
    uint64_t[::1] pair_slots, int32_t[::1] pair_df, int64_t[::1] sizes, int32_t[::1] numbers,
):
    """Add the pairs of one table from ``start`` on to another; return where it was full, or their number.

    ``numbers`` gets the number that each pair has there; ``token_numbers`` says the same for the tokens.
    """
    cdef Py_ssize_t k, i = start, n = pairs.shape[0], strip
    cdef int shift = shift_of(pair_slots.shape[0])
    cdef uint64_t mask = (pair_slots.shape[0] >> 1) - 1, place, key, value
    cdef uint64_t keys[STRIP]
    cdef uint32_t number, prefix
    with nogil:
        while i < n and sizes[N_PAIRS] + STRIP <= pair_df.shape[0]:
            strip = min(<Py_ssize_t> STRIP, n - i)
            for k in range(strip):
                prefix = <uint32_t> (pairs[i + k] >> 32)
                if prefix & PAIR:
                    # A prefix has a smaller number; if it is in this strip, its new number is not known yet.
                    if <Py_ssize_t> (prefix ^ PAIR) >= i:
                        strip = k
                        break
                    prefix = <uint32_t> numbers[prefix ^ PAIR] | PAIR
                else:
                    prefix = <uint32_t> token_numbers[prefix]
                keys[k] = <uint64_t> prefix << 32 | <uint32_t> token_numbers[<uint32_t> pairs[i + k]]
                tp_prefetch(&pair_slots[2 * tp_place(keys[k], shift)])
            for k in range(strip):
                key = keys[k]
                place = tp_place(key, shift)
                while True:
                    value = pair_slots[2 * place + 1]
                    if value == 0 or pair_slots[2 * place] == key:
                        break
                    place = (place + 1) & mask
                if value == 0:
                    pair_df[sizes[N_PAIRS]] = 0
                    sizes[N_PAIRS] += 1
                    value = <uint64_t> sizes[N_PAIRS]
                    pair_slots[2 * place] = key
                    pair_slots[2 * place + 1] = value
                number = <uint32_t> value - 1
                pair_df[number] += df[i + k]
                numbers[i + k] = <int32_t> number
            i += strip
    return i
