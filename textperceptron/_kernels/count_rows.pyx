"""Occurrences → CSR rows: renumber, sort, count."""

from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memset

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.simd cimport tp_lowest_bit, tp_prefetch

ctypedef fused count_t:
    int32_t
    int64_t
    float
    double

cdef enum:
    LOW = 4096          # numbers below it, the most frequent columns, are counted in place
    WORDS = 64          # a bit for each of them
    FEW = 32            # numbers for which insertion beats counting digits
    WIDEST = 12         # bits of a digit
    AHEAD = 32          # looks asked for ahead of their use

cdef uint32_t NONE = 0xFFFFFFFF


cdef inline bint insert_all(uint32_t* numbers, Py_ssize_t n, Py_ssize_t moves) noexcept nogil:
    """Sort by insertion; give up, and return False, when it takes more than so many moves."""
    cdef Py_ssize_t k, j
    cdef uint32_t number
    for k in range(1, n):
        number = numbers[k]
        if number < numbers[k - 1]:
            j = k
            while j > 0 and numbers[j - 1] > number:
                numbers[j] = numbers[j - 1]
                j -= 1
            numbers[j] = number
            moves -= k - j
            if moves < 0:
                return False
    return True


cdef void sort_by_digits(uint32_t* numbers, Py_ssize_t n, int shift, int width, uint32_t* spare) noexcept nogil:
    """Order numbers by ``2 * width`` of their bits, from bit ``shift`` on; equal ones stay in order."""
    cdef uint32_t counts[2 << WIDEST]
    cdef uint32_t* lower = counts
    cdef uint32_t* upper = counts + (1 << width)
    cdef uint32_t mask = (<uint32_t> 1 << width) - 1, number, digit, here, before_lower = 0, before_upper = 0
    cdef int upper_shift = shift + width
    cdef Py_ssize_t k
    memset(counts, 0, (<size_t> 2 << width) * sizeof(uint32_t))
    for k in range(n):
        number = numbers[k]
        lower[number >> shift & mask] += 1
        upper[number >> upper_shift & mask] += 1
    for k in range(mask + 1):
        here = lower[k]
        lower[k] = before_lower
        before_lower += here
        here = upper[k]
        upper[k] = before_upper
        before_upper += here
    for k in range(n):
        number = numbers[k]
        digit = number >> shift & mask
        spare[lower[digit]] = number
        lower[digit] += 1
    for k in range(n):
        number = spare[k]
        digit = number >> upper_shift & mask
        numbers[upper[digit]] = number
        upper[digit] += 1


cdef void sort_numbers(uint32_t* numbers, Py_ssize_t n, int bits, uint32_t* spare) noexcept nogil:
    """Sort numbers of at most ``bits`` bits, 31 or fewer.

    The upper bits, 16 to 32 times as many values as there are numbers, leave next to nothing to insertion
    when columns are spread by a hash, and little when they are ordered by frequency.
    """
    cdef int cover = 5, width
    if n < FEW:
        insert_all(numbers, n, FEW * FEW)
        return
    while n >> (cover - 4) and cover < bits and cover < 2 * WIDEST:
        cover += 1
    width = (cover + 1) // 2
    sort_by_digits(numbers, n, max(0, bits - 2 * width), width, spare)
    if not insert_all(numbers, n, 8 * n):
        # Many numbers that only their lower bits tell apart.
        sort_by_digits(numbers, n, 0, 8, spare)
        sort_by_digits(numbers, n, 16, 8, spare)


cdef inline Py_ssize_t write_sums(
    const uint32_t* numbers, Py_ssize_t n, uint32_t signs, bint binary, int32_t* indices, count_t* data
) noexcept nogil:
    """Write the columns of sorted numbers and how often each comes; return how many columns there are.

    With ``signs`` 1, the lowest bit is no part of the column: it says that an occurrence counts as -1. There
    is no branch on whether a number is another than the last, which cannot be foretold.
    """
    cdef Py_ssize_t k, at = -1
    cdef uint32_t column, last = NONE
    cdef int64_t total = 0
    for k in range(n):
        column = numbers[k] >> signs
        at += column != last
        total = (0 if column != last else total) + 1 - 2 * <int64_t> (numbers[k] & signs)
        indices[at] = <int32_t> column
        data[at] = <count_t> (1 if binary else total)
        last = column
    return at + 1


cdef inline Py_ssize_t write_row(
    const uint32_t* row, Py_ssize_t n, int bits, bint binary, uint32_t* low, uint32_t* high, uint32_t* spare,
    int32_t* indices, count_t* data,
) noexcept nogil:
    """Sort and count the columns of a row, frequent ones apart; return how many different there are.

    ``low`` has a zero for each number below ``LOW``, and is left so; ``high`` and ``spare`` are scratch.
    """
    cdef uint64_t present[WORDS]
    cdef uint64_t word
    cdef Py_ssize_t k, n_high = 0, at = 0
    cdef uint32_t number, is_low
    memset(present, 0, sizeof(present))
    for k in range(n):
        number = row[k]
        is_low = number < LOW
        high[n_high] = number
        n_high += 1 - is_low
        number &= 0 - is_low  # high numbers do harmless work on number 0
        low[number] += is_low
        present[number >> 6] |= <uint64_t> is_low << (number & 63)
    for k in range(WORDS):
        word = present[k]
        while word:
            number = <uint32_t> (64 * k + tp_lowest_bit(word))
            word &= word - 1
            indices[at] = <int32_t> number
            data[at] = <count_t> (1 if binary else low[number])
            low[number] = 0
            at += 1
    sort_numbers(high, n_high, bits, spare)
    return at + write_sums(high, n_high, 0, binary, indices + at, data + at)


def write_count_rows(
    int32_t[::1] items, const int64_t[::1] row_starts, const int32_t[::1] columns, int32_t n_tokens, int bits,
    bint binary, int32_t[::1] spare, int64_t[::1] sizes, int32_t[::1] indices, count_t[::1] data,
):
    """Renumber, sort and count the items of each document, which are used up.

    Document d has ``items[row_starts[d]:row_starts[d + 1]]``. Item t becomes ``columns[t]`` and pair p
    ``columns[n_tokens + p]``, or is dropped where that is -1; an empty ``columns`` leaves items as they are.
    ``indices`` and ``data`` get the columns, of at most ``bits`` bits, and their counts (1 if ``binary``), row
    after row; ``sizes`` how many there are in each. ``spare`` is scratch of twice the largest row.

    Bottleneck: sorting. Frequent columns, half of a row when columns are ordered by frequency, are counted
    in place instead.
    """
    cdef Py_ssize_t d, k, n, kept, at = 0
    cdef int32_t item, column
    cdef const int32_t* column_of = ptr(columns)
    cdef uint32_t low[LOW]
    cdef uint32_t* row
    cdef uint32_t* high = <uint32_t*> ptr(spare)
    cdef bint renumber = columns.shape[0] > 0
    with nogil:
        memset(low, 0, sizeof(low))
        for d in range(sizes.shape[0]):
            row = <uint32_t*> ptr(items) + row_starts[d]
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
            sizes[d] = write_row(
                row, kept, bits, binary, low, high, high + spare.shape[0] // 2, ptr(indices) + at, ptr(data) + at
            )
            at += sizes[d]


def renumber(
    const int32_t[::1] items, const int64_t[::1] row_starts, const int32_t[::1] columns, int32_t n_tokens,
    int32_t[::1] indices, int64_t[::1] sizes,
):
    """Write the column of each item, in the order of the items, and how many each document has; return their sum.

    Items, columns and those without one are as in :func:`write_count_rows`. No document has an item twice. The columns
    may go where the items are.

    Bottleneck: one look at ``columns`` for each item, in no order, which is asked for ahead.
    """
    cdef Py_ssize_t d, k, begin, at = 0, n = items.shape[0]
    cdef int32_t item, column
    with nogil:
        for d in range(sizes.shape[0]):
            begin = at
            for k in range(row_starts[d], row_starts[d + 1]):
                item = items[min(k + AHEAD, n - 1)]
                tp_prefetch(ptr(columns) + ((item & 0x7FFFFFFF) + (n_tokens if item < 0 else 0)))
                item = items[k]
                column = columns[(item & 0x7FFFFFFF) + (n_tokens if item < 0 else 0)]
                indices[at] = column
                at += column >= 0
            sizes[d] = at - begin
    return at


def write_hashed_rows(
    int32_t[::1] items, const int64_t[::1] row_starts, bint signs, int bits, bint binary, int32_t[::1] spare,
    int64_t[::1] sizes, int32_t[::1] indices, count_t[::1] data,
):
    """Sort and sum hashed columns like :func:`write_count_rows`; with ``signs``, items are ``column << 1 | negative``.

    A value is then the sum of the signs. ``bits`` are those of the largest item; ``spare`` is scratch of the
    largest row.
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


def add_occurrences(const int32_t[::1] items, int32_t n_tokens, int64_t[::1] totals):
    """Add 1 to the total of each item's term (pairs behind the tokens, as in :func:`write_count_rows`)."""
    cdef Py_ssize_t k
    cdef int32_t item
    with nogil:
        for k in range(items.shape[0]):
            item = items[k]
            totals[(item & 0x7FFFFFFF) + (n_tokens if item < 0 else 0)] += 1
