"""The batch perceptron: the sum of an epoch's mistakes; the caller applies it at the end of the epoch."""

from libc.stdint cimport int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    MISTAKES, Row, index_t, next_row, row_add_padded, row_dot, rows_in, value_t, values_or_null,
)


def batch_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const signed char[::1] y, const double[::1] weight, const int64_t[::1] order,
    const value_t[::1] w, double[::1] delta, int64_t[::1] counts, double[::1] loss,
    double margin, double pad,
):
    """Add ``Σ s·y·x`` over the mistakes among the rows of ``order`` to ``delta``; ``w`` does not change.

    ``delta`` has one entry per weight, the intercept last, and after these ``Σ s`` over all rows. Empty arrays and
    ``pad`` as in :func:`perceptron_slice`.

    Bottleneck: the gather of :func:`perceptron_slice`; in file order the columns stream.
    """
    cdef Py_ssize_t d = w.shape[0] - 1
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values
    cdef const index_t* columns
    cdef const double* no_metric = NULL
    cdef double score
    cdef Row row = rows_in(order, weight, ptr(counts))
    with nogil:
        while next_row(&row, all_values, ptr(indices), ptr(indptr), &values, &columns):
            delta[d + 1] += row.weight
            score = y[row.number] * (row_dot(values, columns, row.n, ptr(w), 1) + pad * w[d])
            if score > margin:
                continue
            counts[MISTAKES] += 1
            loss[0] += margin - score
            row_add_padded(values, columns, row.n, pad, row.weight * y[row.number], no_metric, ptr(delta), d)
