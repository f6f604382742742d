"""Occurrences → CSR rows: renumber, count, sort.

A row of distinct numbers and their counts is kept where its occurrences stood: a number that came once is
itself, one that came more often has its top bit set and is followed by its count. That never takes more room.
"""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from textperceptron._kernels.bytes cimport tp_lowest_bit
from textperceptron._kernels.rows cimport index_t, tp_prefetch

ctypedef fused count_t:
    int32_t
    int64_t
    float
    double

cdef enum:
    LOW = 4096          # numbers below it, the most frequent columns, are counted in place
    WORDS = 64          # a bit for each of them
    FEW = 32            # numbers for which insertion beats counting digits
    RADIX = 256

cdef uint32_t NONE = 0xFFFFFFFF


cdef uint32_t* sort_numbers(uint32_t* numbers, Py_ssize_t n, int bits, uint32_t* spare) noexcept nogil:
    """Sort numbers of 1 to 32 bits; return which of the two arrays holds them then."""
    cdef uint32_t counts[4 * RADIX]
    cdef uint32_t* count
    cdef uint32_t* other = spare
    cdef Py_ssize_t k, j
    cdef int digit, shift, n_digits = (bits + 7) // 8, width = (bits + n_digits - 1) // n_digits
    cdef uint32_t number, total, here, mask = (<uint32_t> 1 << width) - 1
    if n < FEW:
        for k in range(1, n):
            number = numbers[k]
            j = k
            while j > 0 and numbers[j - 1] > number:
                numbers[j] = numbers[j - 1]
                j -= 1
            numbers[j] = number
        return numbers
    # All digits are counted in one pass. A digit has as few bits as the number of passes allows: fewer
    # counters to clear and to add up, which is a third of the work in a row of 200.
    memset(counts, 0, sizeof(counts))
    for k in range(n):
        number = numbers[k]
        counts[number & mask] += 1
        counts[RADIX + (number >> width & mask)] += 1
        counts[2 * RADIX + (number >> 2 * width & mask)] += 1
        counts[3 * RADIX + (number >> 3 * width & mask)] += 1
    for digit in range(n_digits):
        count = counts + digit * RADIX
        total = 0
        for k in range(mask + 1):
            here = count[k]
            count[k] = total
            total += here
        shift = digit * width
        for k in range(n):
            number = numbers[k]
            here = number >> shift & mask
            other[count[here]] = number
            count[here] += 1
        numbers, other = other, numbers
    return numbers


cdef inline Py_ssize_t append(uint32_t* row, Py_ssize_t n, uint32_t number, uint32_t count) noexcept nogil:
    """Add a number and its count to a finished row; return its new length."""
    cdef uint32_t many = count > 1
    row[n + many] = count  # and overwritten right away unless there are many
    row[n] = number | many << 31
    return n + 1 + many


cdef Py_ssize_t finish_row(
    uint32_t* row, Py_ssize_t n, int bits, int shift, uint32_t* low, uint32_t* high, uint32_t* spare,
    int64_t* distinct,
) noexcept nogil:
    """Sort and count the numbers of a row; return the length of the finished row.

    ``low`` has a zero for each number below ``LOW``, and is left so; ``high`` and ``spare`` are scratch.
    """
    cdef uint64_t present[WORDS]
    cdef uint64_t word
    cdef Py_ssize_t k, j, n_high = 0, length = 0
    cdef uint32_t number, is_low, last = NONE
    cdef int64_t different = 0
    memset(present, 0, sizeof(present))
    for k in range(n):
        number = row[k]
        is_low = number < LOW
        high[n_high] = number
        n_high += 1 - is_low
        number &= 0 - is_low  # high numbers do harmless work on number 0
        low[number] += is_low
        present[number >> 6] |= <uint64_t> is_low << (number & 63)
    high = sort_numbers(high, n_high, bits, spare)
    for k in range(WORDS):
        word = present[k]
        while word:
            number = <uint32_t> (64 * k + tp_lowest_bit(word))
            word &= word - 1
            length = append(row, length, number, low[number])
            low[number] = 0
            different += number >> shift != last
            last = number >> shift
    k = 0
    while k < n_high:
        number = high[k]
        j = k + 1
        while j < n_high and high[j] == number:
            j += 1
        length = append(row, length, number, <uint32_t> (j - k))
        different += number >> shift != last
        last = number >> shift
        k = j
    distinct[0] = different
    return length


def sort_rows(
    int32_t[::1] items, const int64_t[::1] row_starts, const int32_t[::1] columns, int32_t n_tokens,
    int bits, int shift, int32_t[::1] spare, int64_t[::1] row_stops, int64_t[::1] distinct,
):
    """Renumber, sort and count each row in place; items without a column are dropped.

    Item t becomes ``columns[t]`` and pair p ``columns[n_tokens + p]``, or is dropped where that is -1; an
    empty ``columns`` leaves items as they are. A row still begins at ``row_starts[d]``, and ends at
    ``row_stops[d]``; ``distinct`` gets how many different ``number >> shift`` it holds. Numbers have at most
    ``bits`` bits; ``spare`` is scratch of twice the largest row.

    Bottleneck: one pass over the numbers from 4096 on for each 8 bits. Frequent columns, half of a row when
    columns are ordered by frequency, are never sorted.
    """
    cdef Py_ssize_t n_rows = row_stops.shape[0], d, k, n, kept
    cdef int32_t item, column
    cdef const int32_t* column_of = &columns[0]
    cdef uint32_t low[LOW]
    cdef uint32_t* row
    cdef uint32_t* high = <uint32_t*> &spare[0]
    cdef bint renumber = columns.shape[0] > 0
    with nogil:
        memset(low, 0, sizeof(low))
        for d in range(n_rows):
            row = <uint32_t*> &items[0] + row_starts[d]
            n = row_starts[d + 1] - row_starts[d]
            kept = n
            if renumber:
                for k in range(n):
                    item = <int32_t> row[k]
                    row[k] = <uint32_t> ((item & 0x7FFFFFFF) + (n_tokens if item < 0 else 0))
                    tp_prefetch(column_of + row[k])
                kept = 0
                for k in range(n):
                    column = column_of[row[k]]
                    row[kept] = <uint32_t> column
                    kept += column >= 0
            row_stops[d] = row_starts[d] + finish_row(
                row, kept, bits, shift, low, high, high + spare.shape[0] // 2, &distinct[d]
            )


def write_counts(
    const int32_t[::1] items, const int64_t[::1] row_starts, const int64_t[::1] row_stops, bint binary,
    index_t[::1] indices, count_t[::1] data,
):
    """Write the numbers of finished rows as columns, and their counts (1 if ``binary``) as values."""
    cdef Py_ssize_t d, k, at = 0
    cdef uint32_t many
    with nogil:
        for d in range(row_stops.shape[0]):
            k = row_starts[d]
            while k < row_stops[d]:
                many = <uint32_t> items[k] >> 31
                indices[at] = items[k] & 0x7FFFFFFF
                data[at] = <count_t> (items[k + 1] if many and not binary else 1)
                k += 1 + many
                at += 1


def write_signed(
    const int32_t[::1] items, const int64_t[::1] row_starts, const int64_t[::1] row_stops, bint binary,
    index_t[::1] indices, count_t[::1] data,
):
    """The same for numbers ``column << 1 | negative``: a value is the sum of its signs."""
    cdef Py_ssize_t d, k, at = -1
    cdef int32_t column, last, count
    cdef int64_t total
    with nogil:
        for d in range(row_stops.shape[0]):
            last = -1
            total = 0
            k = row_starts[d]
            while k < row_stops[d]:
                column = (items[k] & 0x7FFFFFFF) >> 1
                count = items[k + 1] if items[k] < 0 else 1
                if column != last:
                    at += 1
                    total = 0
                    last = column
                total += -count if items[k] & 1 else count
                indices[at] = column
                data[at] = <count_t> (1 if binary else total)
                k += 1 + (count > 1)


def add_occurrences(
    const int32_t[::1] items, const int32_t[::1] terms, int32_t n_tokens, int64_t[::1] totals
):
    """Add 1 to ``totals[terms[t]]`` for each item t (pairs behind the tokens, as in :func:`sort_rows`)."""
    cdef Py_ssize_t k
    cdef int32_t item
    with nogil:
        for k in range(items.shape[0]):
            item = items[k]
            totals[terms[(item & 0x7FFFFFFF) + (n_tokens if item < 0 else 0)]] += 1
