"""Rows against finished weights."""

from libc.stdint cimport int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport index_t, prefetch_row, row_dot, value_t, values_or_null, weight_t


def row_scores(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] order, const weight_t[::1] w, double[::1] out, double pad,
):
    """Write ``x·w + pad·w[-1]`` of the rows named by ``order`` to ``out``; an empty ``data`` means ones."""
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
            out[i] = row_dot(
                values, ptr(indices) + starts[row], starts[row + 1] - starts[row], ptr(w)
            ) + pad * w[d]


def mean_weights(const weight_t[::1] w, const double[::1] total, weight_t[::1] out, double seen):
    """Write the mean ``w − total/seen`` to ``out``: one pass, no temporary of the weights' length.

    With one division at the end the mean is rounded once wherever the sums are exact.
    """
    cdef Py_ssize_t k
    with nogil:
        for k in range(w.shape[0]):
            out[k] = <weight_t> ((seen * w[k] - total[k]) / seen)
