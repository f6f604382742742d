"""AROW: each column keeps a variance, and columns seen often move less."""

from libc.stdint cimport int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    MISTAKES, POSITION, SEEN, UPDATES, index_t, prefetch_row, row_dot, row_sqnorm_in, value_t,
    values_or_null,
)


cdef inline void column_step(
    double x, value_t* w, value_t* sigma, Py_ssize_t column, double step, double beta
) noexcept nogil:
    """One column of ``w += step · Σx`` and ``Σ −= β (Σx)²``."""
    cdef double spread = sigma[column] * x
    w[column] = <value_t> (w[column] + step * spread)
    sigma[column] = <value_t> (sigma[column] - beta * spread * spread)


def arow_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const signed char[::1] y, const double[::1] weight, const int64_t[::1] order,
    value_t[::1] w, value_t[::1] sigma, int64_t[::1] counts, double[::1] loss,
    double r, double pad,
):
    """AROW over the rows named by ``order``; ``w``, ``sigma``, ``counts`` and ``loss`` change in place.

    Empty arrays and ``pad`` mean what they mean in :func:`perceptron_slice`; ``sigma`` ends with the
    intercept's own variance, and the row's weight ``s`` turns ``r`` into ``r/s``. Variances that start at the squares
    of column weights, instead of 1, learn from rows whose columns are so weighted.

    Bottleneck: three gathers or scatters a column for each row within the margin, as many rows as MIRA's.
    """
    cdef Py_ssize_t n = order.shape[0], d = w.shape[0] - 1, i, k, row, length
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* columns
    cdef const index_t* starts = ptr(indptr)
    cdef bint weighted = weight.shape[0] > 0
    cdef double s = 1, score, variance, beta, step
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
            columns = ptr(indices) + starts[row]
            length = starts[row + 1] - starts[row]
            if all_values != NULL:
                values = all_values + starts[row]
            score = y[row] * (row_dot(values, columns, length, ptr(w)) + pad * w[d])
            if score >= 1:
                continue
            counts[MISTAKES] += score <= 0
            loss[0] += 1 - score
            variance = row_sqnorm_in(values, columns, length, ptr(sigma)) + pad * sigma[d]
            if variance == 0:
                continue
            counts[UPDATES] += 1
            beta = 1 / (variance + r / s)
            step = y[row] * beta * (1 - score)
            if values == NULL:
                for k in range(length):
                    column_step(1, ptr(w), ptr(sigma), columns[k], step, beta)
            else:
                for k in range(length):
                    column_step(values[k], ptr(w), ptr(sigma), columns[k], step, beta)
            column_step(pad, ptr(w), ptr(sigma), d, step, beta)
