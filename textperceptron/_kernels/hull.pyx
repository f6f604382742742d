"""The hull of the signed rows ``y·(x, pad)``: its point nearest to the origin is the attainable margin."""

from libc.math cimport sqrt
from libc.stdint cimport int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    index_t, prefetch_row, row_add_padded, row_dot, row_sqnorm, value_t, values_or_null,
)


def hull_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const signed char[::1] y, const double[::1] sqnorm, const int64_t[::1] order,
    double[::1] alpha, double[::1] w, double[::1] score, double pad,
):
    """Coordinate descent on the hard-margin dual over ``order``; ``alpha``, ``w`` and ``score`` change.

    Minimises ``½‖w‖²`` subject to ``y·(w·x + pad·w[-1]) ≥ 1``, where ``w = Σ alpha·y·(x, pad)``: each row's
    multiplier takes the value, not below 0, that is best for it alone. ``sqnorm`` is ``‖(x, pad)‖²``; rows
    of length 0 are passed over. ``score`` gets each row's left-hand side as it was found.

    Bottleneck: the gather of ``w``, as in the perceptron, on twice the bytes, because certificates need
    double: IMDB uni+bigrams has 12 MB of weights (L3). Rows that keep their multiplier write nothing.
    """
    cdef Py_ssize_t n = order.shape[0], d = w.shape[0] - 1, i, row, length
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* columns
    cdef const index_t* starts = ptr(indptr)
    cdef double found, best
    with nogil:
        for i in range(n):
            if i + 2 < n:
                prefetch_row(all_values, ptr(indices), starts, order[i + 2])
            row = order[i]
            if sqnorm[row] == 0:
                continue
            columns = ptr(indices) + starts[row]
            length = starts[row + 1] - starts[row]
            if all_values != NULL:
                values = all_values + starts[row]
            found = y[row] * (row_dot(values, columns, length, ptr(w)) + pad * w[d])
            score[row] = found
            best = max(0, alpha[row] + (1 - found) / sqnorm[row])
            if best != alpha[row]:
                row_add_padded(values, columns, length, pad, (best - alpha[row]) * y[row], NULL, ptr(w), d)
                alpha[row] = best


def add_rows(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] order, const double[::1] step, double[::1] w, double pad,
):
    """Add ``step[i] · (x, pad)`` of each row ``order[i]`` to ``w``, which ends with the pad's column."""
    cdef Py_ssize_t n = order.shape[0], d = w.shape[0] - 1, i, row
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* starts = ptr(indptr)
    with nogil:
        for i in range(n):
            if i + 2 < n:
                prefetch_row(all_values, ptr(indices), starts, order[i + 2])
            row = order[i]
            if all_values != NULL:
                values = all_values + starts[row]
            row_add_padded(
                values, ptr(indices) + starts[row], starts[row + 1] - starts[row], pad, step[i], NULL, ptr(w), d
            )


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
