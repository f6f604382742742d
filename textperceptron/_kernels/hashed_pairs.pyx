"""Pairs of a row's columns, formed when they are needed and never stored.

The pair of the columns a < b has a place among ``2**bits``, behind the columns themselves; its value is the product of
theirs. All pairs with the upper column b stand side by side, in the order of a, modulo ``2**bits``. They begin where
the triangle of all pairs has them, if that fits, and then no two pairs share a place; else at a place that is hashed
from b. Two pairs with different b meet as seldom as if each pair had been hashed, two with the same b never (of fewer
than ``2**bits`` columns).

Side by side is for speed, where frequent columns have small numbers: most partners of a word are frequent words, so its
pairs in a row are a few neighbouring cache lines. With ``2**24`` weights IMDB takes a quarter of the time of places
that are spread over the table one by one, with ``2**22`` less than half.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport index_t, prefetch_row, value_t, values_or_null

cdef enum:
    COUNT = 3           # bits that count the pairs at a place, no further than 2
    WANTED = 4          # flag of a place whose pairs are asked for


cdef inline uint32_t beginning(int64_t b, int64_t n_columns, int bits) noexcept nogil:
    """The place, before it is taken modulo ``2**bits``, of column ``b`` with column 0."""
    if n_columns < (1 << 17) and n_columns * (n_columns - 1) // 2 <= (<int64_t> 1 << bits):
        return <uint32_t> (b * (b - 1) // 2)
    # Multiples of the golden ratio: the beginnings of any columns in sequence are spread evenly.
    return (<uint32_t> b * <uint32_t> 0x9E3779B1) >> (32 - bits)


def expand_pairs(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr, const int64_t[::1] which,
    int64_t n_columns, int bits, uint32_t[::1] beginnings,
    value_t[::1] out_data, index_t[::1] out_indices, index_t[::1] out_indptr,
):
    """Write the rows ``which`` with their pairs behind them; a row of number -1 is written as an empty one.

    Rows have ascending columns, and pairs come in the order of their upper and then of their lower column, as they
    stand in the table: neighbours follow each other. An empty ``data`` means ones; then ``out_data`` is not written, as
    products of ones are ones. ``beginnings`` is scratch for the longest row without pairs.

    Bottleneck: one store a pair, which vectorises. IMDB: 138 columns and 12,700 pairs a row, 3 µs.
    """
    cdef Py_ssize_t r, i, j, start, n, n_rows = which.shape[0]
    cdef uint32_t first, mask = (<uint32_t> 1 << bits) - 1
    cdef uint32_t* begins = ptr(beginnings)
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values
    cdef const index_t* columns
    cdef index_t* places = ptr(out_indices)
    cdef value_t* products = ptr(out_data)
    cdef value_t x
    with nogil:
        out_indptr[0] = 0
        for r in range(n_rows):
            out_indptr[r + 1] = out_indptr[r]
            if which[r] < 0:
                continue
            if r + 1 < n_rows and which[r + 1] >= 0:
                prefetch_row(all_values, ptr(indices), ptr(indptr), which[r + 1])
            start = indptr[which[r]]
            n = indptr[which[r] + 1] - start
            columns = ptr(indices) + start
            memcpy(places, columns, n * sizeof(index_t))
            places += n
            for i in range(n):
                begins[i] = beginning(columns[i], n_columns, bits)
            for j in range(n):
                first = begins[j]
                for i in range(j):
                    places[i] = <index_t> n_columns + <index_t> ((first + <uint32_t> columns[i]) & mask)
                places += j
            out_indptr[r + 1] += <index_t> (n + n * (n - 1) // 2)
            if all_values == NULL:
                continue
            values = all_values + start
            memcpy(products, values, n * sizeof(value_t))
            products += n
            for j in range(n):
                x = values[j]
                for i in range(j):
                    products[i] = x * values[i]
                products += j


def pair_places(
    const int64_t[::1] lower, const int64_t[::1] upper, int64_t n_columns, int bits, int64_t[::1] out
):
    """Write the place of each pair of columns, from 0 on."""
    cdef Py_ssize_t k
    cdef uint32_t mask = (<uint32_t> 1 << bits) - 1
    with nogil:
        for k in range(lower.shape[0]):
            out[k] = (beginning(upper[k], n_columns, bits) + <uint32_t> lower[k]) & mask


def survey_pairs(
    const int32_t[::1] columns, const int64_t[::1] indptr, const int64_t[::1] starts, const int32_t[::1] rows,
    int64_t n_columns, int bits, const int64_t[::1] wanted,
    int64_t[::1] cursor, int32_t[::1] counts, int32_t[::1] partners, uint8_t[::1] taken,
    int64_t[::1] lower, int64_t[::1] upper, int64_t[::1] in_rows, int64_t[::1] sharing,
):
    """Count the different pairs in the rows, and at each place in ``taken``: 1, or 2 for more than one.

    Column c is in the ``rows`` from ``starts[c]`` on, to ``starts[c + 1]``. For each of the ``wanted`` places, which
    ascend, ``lower``, ``upper`` and ``in_rows`` get the pair that is in most rows (the first of several) and in how
    many, and ``sharing`` how many pairs are there. ``cursor`` has the beginning of each row, ``counts`` a zero for each
    column, ``partners`` room for as many, ``taken`` and the last four begin with zeros.

    Returns
    -------
    n_different, n_alone : int
        The pairs, and how many of them have a place to themselves.

    Bottleneck: one increment a pair in a row, in a table of 4 bytes a column. No table of pairs: those of a column are
    counted, and forgotten.
    """
    cdef Py_ssize_t c, k, t, n, slot, high, middle, row
    cdef int64_t n_different = 0, n_alone = 0, place
    cdef uint32_t mask = (<uint32_t> 1 << bits) - 1
    cdef int32_t b
    with nogil:
        for k in range(wanted.shape[0]):
            taken[wanted[k]] = WANTED
        for c in range(starts.shape[0] - 1):
            n = 0
            for k in range(starts[c], starts[c + 1]):
                row = rows[k]
                cursor[row] += 1
                for t in range(cursor[row], indptr[row + 1]):
                    b = columns[t]
                    partners[n] = b
                    n += counts[b] == 0
                    counts[b] += 1
            n_different += n
            for k in range(n):
                b = partners[k]
                place = (beginning(b, n_columns, bits) + <uint32_t> c) & mask
                if taken[place] & COUNT == 0:
                    taken[place] += 1
                    n_alone += 1
                elif taken[place] & COUNT == 1:
                    taken[place] += 1
                    n_alone -= 1
                if taken[place] & WANTED:
                    slot = 0
                    high = wanted.shape[0]
                    while slot < high:
                        middle = (slot + high) >> 1
                        if wanted[middle] < place:
                            slot = middle + 1
                        else:
                            high = middle
                    sharing[slot] += 1
                    if counts[b] > in_rows[slot]:
                        lower[slot] = c
                        upper[slot] = b
                        in_rows[slot] = counts[b]
                counts[b] = 0
    return n_different, n_alone
