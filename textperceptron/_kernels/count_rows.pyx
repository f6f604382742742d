"""Items of documents → CSR rows with ascending columns: look up columns, sort, count.

Documents have ``items[row_starts[d]:row_starts[d + 1]]``, one per occurrence of a term (see term_table.pxd). The column
of a term is ``columns[term]``, or -1 if it has none. With an empty ``columns``, items are columns already.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.simd cimport tp_lowest_bit, tp_prefetch
from textperceptron._kernels.sorting cimport insertion_sort, sort_numbers
from textperceptron._kernels.term_table cimport term_of

ctypedef fused count_t:
    int32_t
    int64_t
    float
    double

cdef enum:
    LOW = 4096          # columns below it, the most frequent ones, are sorted by a bitmap
    WORDS = 64          # of the bitmap
    AHEAD = 32          # columns looked up ahead of their use

cdef uint32_t NO_COLUMN = 0xFFFFFFFF


cdef struct ColumnMap:
    const uint32_t* columns     # NULL: items are columns
    uint32_t n_tokens
    uint32_t n_shared           # columns from here on ascend in the order of the items, or nearly
    int bits                    # of the columns below n_shared


cdef struct SortedRow:
    # Columns of a row in three groups: a bitmap, the rest, and those from n_shared on.
    uint64_t* low
    uint32_t* low_counts        # NULL where only presence matters
    uint32_t* middle
    uint32_t* tail
    uint32_t* spare
    Py_ssize_t n_middle
    Py_ssize_t n_tail


cdef inline ColumnMap map_of(
    const int32_t[::1] columns, uint32_t n_tokens, uint32_t n_shared
) noexcept nogil:
    cdef ColumnMap mapping
    mapping.columns = <const uint32_t*> ptr(columns) if columns.shape[0] > 0 else NULL
    mapping.n_tokens, mapping.n_shared = n_tokens, max(n_shared, <uint32_t> LOW)
    mapping.bits = 1
    while mapping.bits < 31 and mapping.n_shared >> mapping.bits:
        mapping.bits += 1
    return mapping


cdef inline void sort_row(
    const ColumnMap* mapping, const uint32_t* items, Py_ssize_t n, Py_ssize_t n_readable, SortedRow* row
) noexcept nogil:
    """Look up and sort the columns of a row; ``items`` can be read up to ``n_readable``.

    There is no branch on the group of a column: it would be unpredictable.
    """
    cdef Py_ssize_t k, n_middle = 0, n_tail = 0
    cdef uint32_t column, is_low, is_tail, n_shared = mapping.n_shared
    memset(row.low, 0, WORDS * sizeof(uint64_t))
    for k in range(n):
        if mapping.columns == NULL:
            column = items[k]
        else:
            tp_prefetch(mapping.columns + term_of(items[min(k + AHEAD, n_readable - 1)], mapping.n_tokens))
            column = mapping.columns[term_of(items[k], mapping.n_tokens)]
        is_low = column < LOW
        is_tail = n_shared <= column < NO_COLUMN
        row.middle[n_middle] = column
        n_middle += column - LOW < n_shared - LOW
        row.tail[n_tail] = column
        n_tail += is_tail
        column &= 0 - is_low  # other columns change nothing, at column 0
        row.low[column >> 6] |= <uint64_t> is_low << (column & 63)
        if row.low_counts != NULL:
            row.low_counts[column] += is_low
    sort_numbers(row.middle, n_middle, mapping.bits, row.spare)
    if not insertion_sort(row.tail, n_tail, 2 * n_tail):
        sort_numbers(row.tail, n_tail, 31, row.spare)
    row.n_middle, row.n_tail = n_middle, n_tail


cdef inline Py_ssize_t write_distinct(const uint32_t* numbers, Py_ssize_t n, int32_t* indices) noexcept nogil:
    """Write sorted numbers, each once; return how many."""
    cdef Py_ssize_t k, at = 0
    cdef uint32_t last = NO_COLUMN
    for k in range(n):
        at += numbers[k] != last
        last = numbers[k]
        indices[at - 1] = <int32_t> last
    return at


cdef inline Py_ssize_t write_sums(
    const uint32_t* numbers, Py_ssize_t n, uint32_t signs, bint binary, int32_t* indices, count_t* data
) noexcept nogil:
    """Write the columns of sorted numbers and how often each occurs; return how many columns there are.

    With ``signs`` 1, the lowest bit is not part of the column: it says that an occurrence counts as -1. There is no
    branch on whether a number differs from the last: it would be unpredictable.
    """
    cdef Py_ssize_t k, at = -1
    cdef uint32_t column, last = NO_COLUMN
    cdef int64_t total = 0
    for k in range(n):
        column = numbers[k] >> signs
        at += column != last
        total = (0 if column != last else total) + 1 - 2 * <int64_t> (numbers[k] & signs)
        indices[at] = <int32_t> column
        data[at] = <count_t> (1 if binary else total)
        last = column
    return at + 1


def write_presence_rows(
    const int32_t[::1] items, const int64_t[::1] row_starts, const int32_t[::1] columns, uint32_t n_tokens,
    uint32_t n_shared, int32_t[::1] spare, int64_t[::1] sizes, int32_t[::1] indices,
):
    """Write the columns of each document, ascending and distinct; return how many there are.

    ``sizes`` gets the number of each document's columns. Columns from ``n_shared`` on should ascend in the order of a
    document's items: terms that one document has, if columns follow the order of first appearance. ``spare`` is scratch
    of three times the largest row. ``indices`` may be the memory of ``items``.

    Bottleneck: one read of ``columns`` per item in random order, which is prefetched, and sorting. IMDB, default
    recipe: of 450 terms per review, 190 are sorted by a bitmap and 60 are ascending.
    """
    cdef Py_ssize_t d, k, at = 0, begin, n = spare.shape[0] // 3
    cdef uint64_t word
    cdef uint64_t low[WORDS]
    cdef SortedRow row
    cdef ColumnMap mapping = map_of(columns, n_tokens, n_shared)
    row.low, row.low_counts = low, NULL
    row.middle = <uint32_t*> ptr(spare)
    row.tail, row.spare = row.middle + n, row.middle + 2 * n
    with nogil:
        for d in range(sizes.shape[0]):
            begin = at
            sort_row(
                &mapping, <const uint32_t*> ptr(items) + row_starts[d], row_starts[d + 1] - row_starts[d],
                items.shape[0] - row_starts[d], &row,
            )
            for k in range(WORDS):
                word = low[k]
                while word:
                    indices[at] = <int32_t> (64 * k + tp_lowest_bit(word))
                    word &= word - 1
                    at += 1
            at += write_distinct(row.middle, row.n_middle, ptr(indices) + at)
            at += write_distinct(row.tail, row.n_tail, ptr(indices) + at)
            sizes[d] = at - begin
    return at


def write_count_rows(
    const int32_t[::1] items, const int64_t[::1] row_starts, const int32_t[::1] columns, uint32_t n_tokens,
    uint32_t n_shared, int32_t[::1] spare, int64_t[::1] sizes, int32_t[::1] indices, count_t[::1] data,
):
    """Do the same as :func:`write_presence_rows`, and write the number of occurrences to ``data``."""
    cdef Py_ssize_t d, k, at = 0, begin, n = spare.shape[0] // 3
    cdef uint64_t word
    cdef uint32_t column
    cdef uint64_t low[WORDS]
    cdef uint32_t low_counts[LOW]
    cdef SortedRow row
    cdef ColumnMap mapping = map_of(columns, n_tokens, n_shared)
    row.low, row.low_counts = low, low_counts
    row.middle = <uint32_t*> ptr(spare)
    row.tail, row.spare = row.middle + n, row.middle + 2 * n
    with nogil:
        memset(low_counts, 0, sizeof(low_counts))
        for d in range(sizes.shape[0]):
            begin = at
            sort_row(
                &mapping, <const uint32_t*> ptr(items) + row_starts[d], row_starts[d + 1] - row_starts[d],
                items.shape[0] - row_starts[d], &row,
            )
            for k in range(WORDS):
                word = low[k]
                while word:
                    column = <uint32_t> (64 * k + tp_lowest_bit(word))
                    word &= word - 1
                    indices[at] = <int32_t> column
                    data[at] = <count_t> low_counts[column]
                    low_counts[column] = 0
                    at += 1
            at += write_sums(row.middle, row.n_middle, 0, False, ptr(indices) + at, ptr(data) + at)
            at += write_sums(row.tail, row.n_tail, 0, False, ptr(indices) + at, ptr(data) + at)
            sizes[d] = at - begin
    return at


def write_hashed_rows(
    int32_t[::1] items, const int64_t[::1] row_starts, bint signs, int bits, bint binary, int32_t[::1] spare,
    int64_t[::1] sizes, int32_t[::1] indices, count_t[::1] data,
):
    """Sort and sum hashed columns, which are used up; with ``signs``, items are ``column << 1 | negative``.

    A value is then the sum of the signs. ``bits`` are those of the largest item; ``spare`` is scratch of the largest
    row. The rest is as in :func:`write_count_rows`.
    """
    cdef Py_ssize_t d, n, at = 0
    cdef uint32_t* row
    with nogil:
        for d in range(sizes.shape[0]):
            row = <uint32_t*> ptr(items) + row_starts[d]
            n = row_starts[d + 1] - row_starts[d]
            sort_numbers(row, n, bits, <uint32_t*> ptr(spare))
            sizes[d] = write_sums(row, n, signs, binary, ptr(indices) + at, ptr(data) + at)
            at += sizes[d]


def count_documents(
    const int32_t[::1] items, const int64_t[::1] row_starts, const int64_t[::1] which, uint32_t n_tokens,
    uint64_t[::1] marks, int32_t[::1] order,
):
    """Count how many of the documents ``which`` have each term; return how many terms there are.

    ``marks``, zeros, gets the number in the lower half of each term's word. ``order`` gets the terms in order of first
    appearance, and has room for one more.

    Bottleneck: a read and a write of ``marks`` per item in random order, which is prefetched.
    """
    cdef Py_ssize_t d, k, n = 0, last
    cdef uint32_t term
    cdef uint64_t mark, stamp = 0
    with nogil:
        for d in range(which.shape[0]):
            stamp += 1
            last = row_starts[which[d] + 1] - 1
            for k in range(row_starts[which[d]], last + 1):
                tp_prefetch(ptr(marks) + term_of(<uint32_t> items[min(k + AHEAD, last)], n_tokens))
                term = term_of(<uint32_t> items[k], n_tokens)
                mark = marks[term]
                order[n] = <int32_t> term
                n += mark == 0
                marks[term] = stamp << 32 | (<uint32_t> mark + (mark >> 32 != stamp))
    return n


def add_occurrences(
    const int32_t[::1] items, const int64_t[::1] row_starts, const int64_t[::1] which, uint32_t n_tokens,
    int64_t[::1] totals,
):
    """Add the number of occurrences of each term in the documents ``which`` to its total."""
    cdef Py_ssize_t d, k
    with nogil:
        for d in range(which.shape[0]):
            for k in range(row_starts[which[d]], row_starts[which[d] + 1]):
                totals[term_of(<uint32_t> items[k], n_tokens)] += 1


def copy_documents(
    const int32_t[::1] items, const int64_t[::1] row_starts, const int64_t[::1] which, int32_t[::1] out
):
    """Copy the items of the documents ``which``, one document after the other."""
    cdef Py_ssize_t d, k, at = 0
    with nogil:
        for d in range(which.shape[0]):
            for k in range(row_starts[which[d]], row_starts[which[d] + 1]):
                out[at] = items[k]
                at += 1
