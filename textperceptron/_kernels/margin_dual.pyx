"""The hard-margin dual: the point of the convex hull of the signed rows ``y·(x, pad)`` that is nearest to the origin.

Its distance is the attainable margin.
"""

from libc.stdint cimport int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    Row, all_rows_in, index_t, next_row, row_add_padded, row_dot, rows_in, value_t, values_or_null,
)


def margin_dual_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const signed char[::1] y, const double[::1] sqnorm, const int64_t[::1] order,
    double[::1] alpha, double[::1] w, double[::1] score, double pad,
):
    """Coordinate descent on the hard-margin dual over ``order``; ``alpha``, ``w`` and ``score`` change.

    Minimises ``½‖w‖²`` subject to ``y·(w·x + pad·w[-1]) ≥ 1``, where ``w = Σ alpha·y·(x, pad)``: the multiplier of each
    row moves to its optimum with all others fixed, at least 0. ``sqnorm`` is ``‖(x, pad)‖²``; rows of length 0 are
    skipped. ``score`` gets the left-hand side of each row before its step.

    Bottleneck: the gather of ``w``, as in the perceptron, on twice the bytes, because certificates need double: IMDB
    uni+bigrams has 12 MB of weights (L3). Rows that keep their multiplier write nothing.
    """
    cdef Py_ssize_t d = w.shape[0] - 1
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values
    cdef const index_t* columns
    cdef const double* no_metric = NULL
    cdef double found, best
    cdef Row row = rows_in(order, sqnorm, NULL)  # the squared length is the weight: rows of length 0 are skipped
    with nogil:
        while next_row(&row, all_values, ptr(indices), ptr(indptr), &values, &columns):
            found = y[row.number] * (row_dot(values, columns, row.n, ptr(w), 1) + pad * w[d])
            score[row.number] = found
            best = max(0, alpha[row.number] + (1 - found) / row.weight)
            if best != alpha[row.number]:
                row_add_padded(
                    values, columns, row.n, pad, (best - alpha[row.number]) * y[row.number], no_metric, ptr(w), d
                )
                alpha[row.number] = best


def add_rows(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] order, const double[::1] step, double[::1] w, double pad,
):
    """Add ``step[i] · (x, pad)`` of each row ``order[i]`` to ``w``, which ends with the column of the pad."""
    cdef Py_ssize_t d = w.shape[0] - 1
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values
    cdef const index_t* columns
    cdef const double* no_metric = NULL
    cdef Row row = all_rows_in(order)
    with nogil:
        while next_row(&row, all_values, ptr(indices), ptr(indptr), &values, &columns):
            row_add_padded(values, columns, row.n, pad, step[row.i], no_metric, ptr(w), d)
