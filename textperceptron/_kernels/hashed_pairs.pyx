"""Pairs of the columns of a row, formed on the fly and never stored.

The pair of the columns a < b has one of ``2**bits`` slots, which follow the columns themselves; its value is the
product of theirs. All pairs with the upper column b are neighbours, in the order of a, modulo ``2**bits``. Their first
slot is that of the triangle of all pairs, if the triangle fits, and then no two pairs share a slot; otherwise it is
hashed from b. Two pairs with different b collide as rarely as if each pair were hashed, two with the same b never (with
fewer than ``2**bits`` columns).

Neighbours are for speed, where frequent columns have small numbers: most partners of a word are frequent words, so its
pairs in a row are a few neighbouring cache lines. With ``2**24`` weights IMDB takes a quarter of the time of slots that
are hashed one by one, with ``2**22`` less than half.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.string cimport memcpy

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport index_t, prefetch_row, value_t, values_or_null

cdef enum:
    COUNT = 3           # mask of the number of pairs in a slot, at most 2
    WANTED = 4          # flag of a slot whose pairs are asked for


cdef inline uint32_t beginning(int64_t b, int64_t n_columns, int bits) noexcept nogil:
    """The slot of column ``b`` with column 0, before the modulo ``2**bits``."""
    if n_columns < (1 << 17) and n_columns * (n_columns - 1) // 2 <= (<int64_t> 1 << bits):
        return <uint32_t> (b * (b - 1) // 2)
    # Multiples of the golden ratio: the first slots of consecutive columns are spread evenly.
    return (<uint32_t> b * <uint32_t> 0x9E3779B1) >> (32 - bits)


def expand_pairs(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr, const int64_t[::1] which,
    int64_t n_columns, int bits, uint32_t[::1] beginnings,
    value_t[::1] out_data, index_t[::1] out_indices, index_t[::1] out_indptr,
):
    """Write the rows ``which``, each followed by its pairs; row -1 is written as an empty row.

    Rows have ascending columns, and pairs come in the order of their upper and then of their lower column, which is
    their order in the table. An empty ``data`` means ones; ``out_data`` is not written then, as products of ones are
    ones. ``beginnings`` is scratch for the longest row without pairs.

    Bottleneck: one store per pair, which vectorises. IMDB: 138 columns and 12,700 pairs per row, 3 µs.
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
    """Write the slot of each pair of columns, from 0 on."""
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
    """Count the distinct pairs in the rows, and those of each slot in ``taken``: 1, or 2 for more than one.

    Column c is in ``rows[starts[c]:starts[c + 1]]``. For each of the ``wanted`` slots, which ascend, ``lower``,
    ``upper`` and ``in_rows`` get the pair that is in most rows (the first on ties) and its number of rows, ``sharing``
    the number of pairs. ``cursor`` has the start of each row, ``counts`` one zero per column, ``partners`` one entry
    per column; ``taken`` and the last four start with zeros.

    Returns
    -------
    n_different, n_alone : int
        The distinct pairs, and those of them that share their slot with no other.

    Bottleneck: one increment per pair and row, in a table of 4 bytes per column. There is no table of pairs: the pairs
    of one column are counted before those of the next.
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
