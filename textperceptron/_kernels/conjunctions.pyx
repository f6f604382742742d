"""Conjunctions of two words in a row: counting them, and writing them as columns.

Rows hold *words*: columns renumbered from 0, ascending in every row. All loops go word by word: for word i, over the
rows that contain it, and in each row over its *tail*, the words after i. So each pair of words is visited once, an
array with one entry per word replaces a hash table, and pairs come in ascending order, in their list and in every row.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t
from libc.string cimport memset

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport index_t, value_t, values_or_null
from textperceptron._kernels.simd cimport tp_prefetch

cdef enum:
    BLOCK = 64          # counters that are tested together
    LOOK_UP = 8         # entries written in the time of one lookup

# Counters of 16 bits where rows are few enough: twice as many words in L1.
ctypedef fused count_t:
    uint16_t
    int32_t


def rows_of_words(const int32_t[::1] words, const int64_t[::1] indptr, int64_t[::1] at, int32_t[::1] rows):
    """Write the rows of each word, those of word i from ``at[i]`` on; ``at[i]`` becomes their end."""
    cdef Py_ssize_t row, k
    with nogil:
        for row in range(indptr.shape[0] - 1):
            for k in range(indptr[row], indptr[row + 1]):
                rows[at[words[k]]] = <int32_t> row
                at[words[k]] += 1


cdef void place_cursors(
    const int32_t[::1] words, const int64_t[::1] indptr, int32_t first, int64_t[::1] cursor
) noexcept nogil:
    """Move the cursor of each row to its first word that is not below ``first``."""
    cdef Py_ssize_t row
    cdef int64_t low, high, middle
    for row in range(indptr.shape[0] - 1):
        low = indptr[row]
        high = indptr[row + 1]
        while low < high:
            middle = (low + high) >> 1
            if words[middle] < first:
                low = middle + 1
            else:
                high = middle
        cursor[row] = low


cdef inline double log_likelihood(
    const count_t* counts, Py_ssize_t width, const int64_t[::1] class_sizes, int32_t df, const double* xlogx,
    double of_classes,
) noexcept nogil:
    """G² of the table present/absent × class, from the number of rows per class that contain the pair."""
    cdef Py_ssize_t c
    cdef int64_t n_rows = 0
    cdef double total = 0
    for c in range(class_sizes.shape[0]):
        total += xlogx[counts[c * width]] + xlogx[class_sizes[c] - counts[c * width]]
        n_rows += class_sizes[c]
    return 2 * (total - xlogx[df] - xlogx[n_rows - df] + of_classes)


cdef inline Py_ssize_t keep_pairs(
    const int32_t* totals, int32_t first, int32_t low, int32_t high, int32_t* partners, int32_t* frequency,
) noexcept nogil:
    """Write the words of a block from ``first`` on whose counts are in range; return their number."""
    cdef Py_ssize_t t, n = 0
    for t in range(BLOCK):
        partners[n] = first + <int32_t> t
        frequency[n] = totals[t]
        n += low <= totals[t] <= high
    return n


def count_pairs(
    const int32_t[::1] words, const int64_t[::1] indptr, const int64_t[::1] starts, const int32_t[::1] rows,
    const int32_t[::1] codes, const int64_t[::1] class_sizes, const double[::1] xlogx, double of_classes,
    int32_t first, int32_t last, int32_t low, int32_t high, double above,
    int64_t[::1] cursor, count_t[::1] counts, uint8_t[::1] touched,
    int32_t[::1] partners, int32_t[::1] frequency, double[::1] scores, int64_t[::1] n_partners,
):
    """Count the rows of each pair of a word from ``first`` on and a later word.

    Pairs in ``low`` to ``high`` rows are written: ``partners`` gets their second words, ``frequency`` their number of
    rows, ``n_partners[i]`` the number of pairs of word i. Unless ``xlogx`` (x·log x for x from 0 to the number of rows)
    is empty, ``scores`` gets the log-likelihood ratio of pair and class, and only pairs with a score above ``above``
    are written; ``codes`` has the class of each row, ``of_classes`` the term that depends on the class sizes alone.
    ``cursor`` is scratch with one entry per row; ``counts`` (per class) has one zero per word and ``touched`` one per
    64 words, and they are zero again afterwards. ``partners``, ``frequency`` and ``scores`` have 64 entries more than a
    word can have pairs.

    Returns
    -------
    word, written : int
        The word to continue with, because the output might not hold its pairs, or ``last``; and the number of pairs
        written.

    Bottleneck: one increment per pair and row (RT-2k: 10⁸), in a table of 2 or 4 bytes per word, which fits into L1.
    After a word with many pairs all counters are read; after a word with few, only blocks of counters that were
    touched.
    """
    cdef Py_ssize_t n_classes = class_sizes.shape[0], width = counts.shape[0] // n_classes, k, c, b, t
    cdef Py_ssize_t n_blocks = width // BLOCK, n_words = starts.shape[0] - 1, written = 0, before, row, kept
    cdef int64_t n_pairs
    cdef int32_t i = first, top
    cdef const int32_t* word = ptr(words)
    cdef uint8_t* flags = ptr(touched)
    cdef count_t* counter
    cdef int32_t totals[BLOCK]
    cdef double score
    cdef bint scored = xlogx.shape[0] > 0, few
    with nogil:
        place_cursors(words, indptr, first, cursor)
        while i < last and written + n_words - i + BLOCK <= partners.shape[0]:
            n_pairs = 0
            for k in range(starts[i], starts[i + 1]):
                n_pairs += indptr[rows[k] + 1] - cursor[rows[k]]
            few = n_pairs < n_words - i
            for k in range(starts[i], starts[i + 1]):
                row = rows[k]
                if k + 2 < starts[i + 1]:
                    tp_prefetch(ptr(words) + cursor[rows[k + 2]])
                counter = ptr(counts) + codes[row] * width
                if few:
                    for t in range(cursor[row] + 1, indptr[row + 1]):
                        counter[word[t]] += 1
                        flags[word[t] >> 6] = 1
                else:
                    for t in range(cursor[row] + 1, indptr[row + 1]):
                        counter[word[t]] += 1
                cursor[row] += 1
            before = written
            for b in range(i // BLOCK if n_pairs > 0 else n_blocks, n_blocks):
                if few:
                    if not flags[b]:
                        continue
                    flags[b] = 0
                memset(totals, 0, sizeof(totals))
                for c in range(n_classes):
                    counter = ptr(counts) + c * width + b * BLOCK
                    for t in range(BLOCK):
                        totals[t] += counter[t]
                top = 0
                for t in range(BLOCK):
                    top = max(top, totals[t])
                if top >= low:
                    kept = keep_pairs(
                        totals, <int32_t> (b * BLOCK), low, high, ptr(partners) + written, ptr(frequency) + written
                    )
                    if scored:
                        for t in range(written, written + kept):
                            score = log_likelihood(
                                ptr(counts) + partners[t], width, class_sizes, frequency[t], ptr(xlogx), of_classes
                            )
                            partners[written] = partners[t]
                            frequency[written] = frequency[t]
                            scores[written] = score
                            written += score > above
                    else:
                        written += kept
                for c in range(n_classes):
                    memset(ptr(counts) + c * width + b * BLOCK, 0, BLOCK * sizeof(count_t))
            n_partners[i] = written - before
            i += 1
    return i, written


cdef inline Py_ssize_t first_not_below(
    int32_t word, const int32_t* partners, Py_ssize_t low, Py_ssize_t n
) noexcept nogil:
    """Position from ``low`` on of the first partner not below a word; galloping search, fast for near partners."""
    cdef Py_ssize_t high = low, step = 1, middle
    while high < n and partners[high] < word:
        low = high + 1
        high += step
        step += step
    high = min(high, n)
    while low < high:
        middle = (low + high) >> 1
        if partners[middle] < word:
            low = middle + 1
        else:
            high = middle
    return low


cdef bint enter_partners(
    const int32_t* word, const int64_t[::1] indptr, const int64_t[::1] cursor,
    const int32_t* rows, Py_ssize_t n_rows, const int32_t* partners, Py_ssize_t n, int32_t* place,
) noexcept nogil:
    """Write to ``place`` the positions of a word's partners; return whether only words of its rows were looked up.

    A single row has some hundred words, but these have a million partners: lookup is then cheaper than writing all.
    """
    cdef Py_ssize_t k, t, low
    cdef int64_t n_pairs = 0
    for k in range(n_rows):
        n_pairs += indptr[rows[k] + 1] - cursor[rows[k]]
    if n_pairs * LOOK_UP >= n:
        for k in range(n):
            place[partners[k]] = <int32_t> k
        return False
    for k in range(n_rows):
        low = 0
        for t in range(cursor[rows[k]] + 1, indptr[rows[k] + 1]):
            low = first_not_below(word[t], partners, low, n)
            if low == n:
                break
            if partners[low] == word[t]:
                place[word[t]] = <int32_t> low
    return True


cdef void clear_partners(
    const int32_t* word, const int64_t[::1] indptr, const int64_t[::1] cursor,
    const int32_t* rows, Py_ssize_t n_rows, const int32_t* partners, Py_ssize_t n, bint looked_up, int32_t* place,
) noexcept nogil:
    """Undo :func:`enter_partners`; the cursors are past the word now."""
    cdef Py_ssize_t k, t
    if looked_up:
        for k in range(n_rows):
            for t in range(cursor[rows[k]], indptr[rows[k] + 1]):
                place[word[t]] = -1
    else:
        for k in range(n):
            place[partners[k]] = -1


def count_row_pairs(
    const int32_t[::1] words, const int64_t[::1] indptr, const int64_t[::1] starts, const int32_t[::1] rows,
    const int64_t[::1] pair_starts, const int32_t[::1] partners,
    int64_t[::1] cursor, int32_t[::1] place, int64_t[::1] lengths,
):
    """Add the number of listed pairs in each row to ``lengths``.

    Word i has the ``partners`` from ``pair_starts[i]`` on; words after the last of ``pair_starts`` have none.
    ``cursor`` is scratch with one entry per row; ``place`` has one -1 per word, also afterwards.
    """
    cdef Py_ssize_t i, k, t, row, n_partners
    cdef const int32_t* word = ptr(words)
    cdef const int32_t* mine
    cdef int32_t* place_of = ptr(place)
    cdef bint looked_up
    cdef int64_t n
    with nogil:
        place_cursors(words, indptr, 0, cursor)
        for i in range(pair_starts.shape[0] - 1):
            mine = ptr(partners) + pair_starts[i]
            n_partners = pair_starts[i + 1] - pair_starts[i]
            looked_up = enter_partners(
                word, indptr, cursor, ptr(rows) + starts[i], starts[i + 1] - starts[i], mine, n_partners, place_of
            )
            for k in range(starts[i], starts[i + 1]):
                row = rows[k]
                if n_partners:
                    if k + 2 < starts[i + 1]:
                        tp_prefetch(word + cursor[rows[k + 2]])
                    n = 0
                    for t in range(cursor[row] + 1, indptr[row + 1]):
                        n += place_of[word[t]] >= 0
                    lengths[row] += n
                cursor[row] += 1
            clear_partners(
                word, indptr, cursor, ptr(rows) + starts[i], starts[i + 1] - starts[i], mine, n_partners,
                looked_up, place_of,
            )


def write_pairs(
    const value_t[::1] data, const int32_t[::1] words, const int64_t[::1] indptr,
    const int64_t[::1] starts, const int32_t[::1] rows,
    const int64_t[::1] pair_starts, const int32_t[::1] partners, int64_t first_column,
    const value_t[::1] scale, int64_t[::1] cursor, int32_t[::1] place,
    int64_t[::1] at, const int64_t[::1] stops, index_t[::1] indices, value_t[::1] values,
):
    """Write the pairs of each row from ``at[row]`` on, which becomes their end, at most ``stops[row]``.

    The k-th listed pair is column ``first_column + k``; its value is the product of the values of its words, times
    ``scale[row]`` unless ``scale`` is empty. An empty ``data`` means that all values are 1; ``values`` is not written
    then. ``cursor`` is scratch with one entry per row; ``place`` has one -1 per word, also afterwards.

    Bottleneck: whether a pair is listed is unpredictable, so every pair is written and overwritten by the next unless
    it is listed. A full row is left at once, before it could write into the next.
    """
    cdef Py_ssize_t i, k, t, row, to, end, n_partners
    cdef const value_t* value = values_or_null(data)
    cdef const int32_t* word = ptr(words)
    cdef const int32_t* mine
    cdef int32_t* place_of = ptr(place)
    cdef index_t* index = ptr(indices)
    cdef int32_t found
    cdef value_t first_value
    cdef index_t column
    cdef bint scaled = scale.shape[0] > 0, looked_up
    with nogil:
        place_cursors(words, indptr, 0, cursor)
        for i in range(pair_starts.shape[0] - 1):
            column = <index_t> (first_column + pair_starts[i])
            mine = ptr(partners) + pair_starts[i]
            n_partners = pair_starts[i + 1] - pair_starts[i]
            looked_up = enter_partners(
                word, indptr, cursor, ptr(rows) + starts[i], starts[i + 1] - starts[i], mine, n_partners, place_of
            )
            for k in range(starts[i], starts[i + 1]):
                row = rows[k]
                to = at[row]
                end = stops[row]
                if to < end and n_partners:
                    if k + 2 < starts[i + 1]:
                        tp_prefetch(word + cursor[rows[k + 2]])
                        tp_prefetch(index + at[rows[k + 2]])
                    if value == NULL:
                        for t in range(cursor[row] + 1, indptr[row + 1]):
                            found = place_of[word[t]]
                            index[to] = column + found
                            to += found >= 0
                            if to == end:
                                break
                    else:
                        first_value = value[cursor[row]] * (scale[row] if scaled else 1)
                        for t in range(cursor[row] + 1, indptr[row + 1]):
                            found = place_of[word[t]]
                            index[to] = column + found
                            values[to] = first_value * value[t]
                            to += found >= 0
                            if to == end:
                                break
                    at[row] = to
                cursor[row] += 1
            clear_partners(
                word, indptr, cursor, ptr(rows) + starts[i], starts[i + 1] - starts[i], mine, n_partners,
                looked_up, place_of,
            )
