"""The batch perceptron: the sum of an epoch's mistakes, applied at its end by the caller."""

from libc.stdint cimport int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    MISTAKES, POSITION, SEEN, index_t, prefetch_row, row_add_padded, row_dot, value_t, values_or_null,
)


def batch_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const signed char[::1] y, const double[::1] weight, const int64_t[::1] order,
    const value_t[::1] w, double[::1] delta, int64_t[::1] counts, double[::1] loss,
    double margin, double pad,
):
    """Add ``Σ s·y·x`` over the mistakes among the rows of ``order`` to ``delta``; ``w`` stays.

    ``delta`` has one number a weight, the intercept's last of them, and behind them ``Σ s`` over all rows.
    Empty arrays and ``pad`` mean what they mean in :func:`perceptron_slice`.

    Bottleneck: the gather of :func:`perceptron_slice`; in file order the columns stream.
    """
    cdef Py_ssize_t n = order.shape[0], d = w.shape[0] - 1, i, row, length
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* columns
    cdef const index_t* starts = ptr(indptr)
    cdef bint weighted = weight.shape[0] > 0
    cdef double s = 1, score
    with nogil:
        for i in range(n):
            if i + 2 < n:
                prefetch_row(all_values, ptr(indices), starts, order[i + 2])
            row = order[i]
            counts[POSITION] += 1
            if weighted:
                s = weight[row]
                if s == 0:
                    continue
            counts[SEEN] += 1
            delta[d + 1] += s
            columns = ptr(indices) + starts[row]
            length = starts[row + 1] - starts[row]
            if all_values != NULL:
                values = all_values + starts[row]
            score = y[row] * (row_dot(values, columns, length, ptr(w)) + pad * w[d])
            if score > margin:
                continue
            counts[MISTAKES] += 1
            loss[0] += margin - score
            row_add_padded(values, columns, length, pad, s * y[row], NULL, ptr(delta), d)
