"""CSR matrices outside of training: validation, scores, unit length; and the mean of weights.

Validation finds in one pass what a user's arrays hold, so that every other kernel can trust its input.
"""

from libc.math cimport fabs, sqrt
from libc.stdint cimport int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    Row, all_rows_in, index_t, mean_weight, next_row, row_dot, row_sqnorm, scale_row, value_t, values_or_null, weight_t,
)

# Loops over values test blocks of 4096: long enough that the test at the end of a block costs nothing and the inner
# loop vectorises, short enough to stop early.


def first_other_than_one(const value_t[::1] data):
    """Position of the first value that is not 1, or -1."""
    cdef Py_ssize_t n = data.shape[0], start, k, found = -1
    cdef bint other
    with nogil:
        for start in range(0, n, 4096):
            other = False
            for k in range(start, min(start + 4096, n)):
                other |= data[k] != 1
            if other:
                k = start
                while data[k] == 1:
                    k += 1
                found = k
                break
    return found


def first_beyond(const value_t[::1] data, double limit):
    """Position of the first value that is NaN or beyond ``limit`` in absolute value, or -1."""
    cdef Py_ssize_t n = data.shape[0], start, k, found = -1
    cdef bint bad
    cdef value_t top = <value_t> limit
    with nogil:
        for start in range(0, n, 4096):
            bad = False
            for k in range(start, min(start + 4096, n)):
                bad |= not (fabs(data[k]) <= top)
            if bad:
                k = start
                while fabs(data[k]) <= top:
                    k += 1
                found = k
                break
    return found


def first_outside(const index_t[::1] indices, int64_t n_columns):
    """Position of the first column number below 0 or not below ``n_columns``, or -1."""
    cdef Py_ssize_t n = indices.shape[0], start, k, found = -1
    cdef index_t top = 0, low = 0
    with nogil:
        for start in range(0, n, 4096):
            for k in range(start, min(start + 4096, n)):
                top = max(top, indices[k])
                low = min(low, indices[k])
            if top >= n_columns or low < 0:
                k = start
                while 0 <= indices[k] < n_columns:
                    k += 1
                found = k
                break
    return found


def first_repeat(const index_t[::1] indices, const index_t[::1] indptr, int64_t[::1] stamp):
    """Position of the first column that occurs twice in its row, or -1; ``stamp``: one zero per column, changed.

    A row whose columns ascend needs no stamps; an unsorted row writes its number + 1 at each of its columns.
    """
    cdef Py_ssize_t row, k, start, stop, found = -1
    cdef bint ascending
    with nogil:
        for row in range(indptr.shape[0] - 1):
            start = indptr[row]
            stop = indptr[row + 1]
            ascending = True
            for k in range(start + 1, stop):
                ascending &= indices[k - 1] < indices[k]
            if ascending:
                continue
            for k in range(start, stop):
                if stamp[indices[k]] == row + 1:
                    found = k
                    break
                stamp[indices[k]] = row + 1
            if found >= 0:
                break
    return found


def rows_ascend(const index_t[::1] indices, const index_t[::1] indptr):
    """Whether the columns of every row strictly ascend, so that none occurs twice."""
    cdef Py_ssize_t row, k
    cdef bint ascending = True
    with nogil:
        for row in range(indptr.shape[0] - 1):
            for k in range(indptr[row] + 1, indptr[row + 1]):
                ascending &= indices[k - 1] < indices[k]
            if not ascending:
                break
    return ascending


def row_scores(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] order, const weight_t[::1] w, double[::1] out, double pad,
):
    """Write ``x·w + pad·w[-1]`` of the rows of ``order`` to ``out``; an empty ``data`` means ones."""
    cdef Py_ssize_t d = w.shape[0] - 1
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values
    cdef const index_t* columns
    cdef Row row = all_rows_in(order)
    with nogil:
        while next_row(&row, all_values, ptr(indices), ptr(indptr), &values, &columns):
            out[row.i] = row_dot(values, columns, row.n, ptr(w), 1) + pad * w[d]


def mean_weights(const weight_t[::1] w, const double[::1] total, weight_t[::1] out, double seen):
    """Write the mean ``w − total/seen`` to ``out``: one pass, without a temporary array."""
    cdef Py_ssize_t k
    with nogil:
        for k in range(w.shape[0]):
            out[k] = <weight_t> mean_weight(w[k], total[k], seen)


def mean_class_weights(
    const weight_t[::1] w, const double[::1] total, const int64_t[::1] seen, weight_t[::1] out
):
    """Write the means ``w − total/seen`` to ``out``; class c of the class-minor table has seen ``seen[c]`` examples."""
    cdef Py_ssize_t k, c, stride = seen.shape[0]
    with nogil:
        for k in range(w.shape[0] // stride):
            for c in range(stride):
                out[k * stride + c] = <weight_t> mean_weight(
                    w[k * stride + c], total[k * stride + c], max(seen[c], 1)
                )


def scale_rows(
    value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr, bint sublinear, int64_t n_words,
    double weight, int norm,
):
    """Turn the counts of every row into values, in place, by :c:func:`scale_row`."""
    cdef Py_ssize_t row, start
    with nogil:
        for row in range(indptr.shape[0] - 1):
            start = indptr[row]
            scale_row(
                ptr(data) + start, ptr(indices) + start, indptr[row + 1] - start, sublinear, n_words, weight, norm
            )


def unit_values(const index_t[::1] indptr, value_t[::1] values, int norm):
    """Write the values of rows of length 1 whose n entries are all equal: ``1 / n`` in norm 1, ``1 / √n`` in norm 2."""
    cdef Py_ssize_t row, k
    cdef double n
    cdef value_t value
    with nogil:
        for row in range(indptr.shape[0] - 1):
            n = <double> (indptr[row + 1] - indptr[row])
            value = <value_t> (1 / (sqrt(n) if norm == 2 else n))
            for k in range(indptr[row], indptr[row + 1]):
                values[k] = value


def row_norms(const value_t[::1] data, const index_t[::1] indptr, double[::1] out, double pad):
    """Write ``‖(x, pad)‖`` of every row to ``out``."""
    cdef Py_ssize_t row
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    with nogil:
        for row in range(out.shape[0]):
            if all_values != NULL:
                values = all_values + indptr[row]
            out[row] = sqrt(row_sqnorm(values, indptr[row + 1] - indptr[row]) + pad * pad)
