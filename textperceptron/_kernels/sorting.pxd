"""Sorting of short lists of numbers, such as the columns of a row."""

from libc.stdint cimport uint32_t
from libc.string cimport memset

cdef enum:
    FEW_NUMBERS = 32    # below it insertion sort is faster than radix sort
    WIDEST = 12         # bits of a digit, at most


cdef inline bint insertion_sort(uint32_t* numbers, Py_ssize_t n, Py_ssize_t max_moves) noexcept nogil:
    """Sort by insertion; stop, and return False, after more than ``max_moves`` moves."""
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
            max_moves -= k - j
            if max_moves < 0:
                return False
    return True


cdef inline void sort_by_digits(
    uint32_t* numbers, Py_ssize_t n, int shift, int width, uint32_t* spare
) noexcept nogil:
    """Sort stably by ``2 * width`` bits, from bit ``shift`` on."""
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


cdef inline void sort_numbers(uint32_t* numbers, Py_ssize_t n, int bits, uint32_t* spare) noexcept nogil:
    """Sort numbers of at most ``bits`` bits, 31 or fewer; ``spare`` is scratch of their size.

    A radix sort by the upper bits, with 16 to 32 times more values than numbers, leaves almost nothing to insertion
    sort for hashed columns, and little for columns in order of frequency.
    """
    cdef int cover = 5, width
    if n < FEW_NUMBERS:
        insertion_sort(numbers, n, FEW_NUMBERS * FEW_NUMBERS)
        return
    while n >> (cover - 4) and cover < bits and cover < 2 * WIDEST:
        cover += 1
    width = (cover + 1) // 2
    sort_by_digits(numbers, n, max(0, bits - 2 * width), width, spare)
    if not insertion_sort(numbers, n, 8 * n):
        # Many numbers that differ in their lower bits only.
        sort_by_digits(numbers, n, 0, 8, spare)
        sort_by_digits(numbers, n, 16, 8, spare)
