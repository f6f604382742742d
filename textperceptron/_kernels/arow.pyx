"""AROW: each column has a variance, and the weights of frequent columns move less."""

from libc.stdint cimport int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    MISTAKES, UPDATES, Row, index_t, next_row, row_add_by_variance, row_dot, row_sqnorm_in, rows_in, value_t,
    values_or_null,
)


def arow_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const signed char[::1] y, const double[::1] weight, const int64_t[::1] order,
    value_t[::1] w, value_t[::1] sigma, int64_t[::1] counts, double[::1] loss,
    double r, double pad,
):
    """AROW over the rows of ``order``; ``w``, ``sigma``, ``counts`` and ``loss`` change in place.

    Empty arrays and ``pad`` as in :func:`perceptron_slice`. ``sigma`` ends with the variance of the intercept; the
    weight ``s`` of a row turns ``r`` into ``r/s``. Variances that start at squared column weights, instead of 1, learn
    from rows with these column weights.

    Bottleneck: memory. IMDB with the default recipe (452 columns per row, 1.5 M weights, 8,000 to 15,000 updates per
    epoch), the same loop in C, best of twelve: the dot products of an epoch take 23 ms, where reading the rows alone
    takes 15; an update takes 4.5 ns per column. On a busy host all of it takes up to twice as long. Prefetching the
    weights of rare columns of the next row made no difference beyond that noise.
    """
    cdef Py_ssize_t d = w.shape[0] - 1
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values
    cdef const index_t* columns
    cdef double score, variance, beta, step
    cdef Row row = rows_in(order, weight, ptr(counts))
    with nogil:
        while next_row(&row, all_values, ptr(indices), ptr(indptr), &values, &columns):
            score = y[row.number] * (row_dot(values, columns, row.n, ptr(w), 1) + pad * w[d])
            if score >= 1:
                continue
            counts[MISTAKES] += score <= 0
            loss[0] += 1 - score
            variance = row_sqnorm_in(values, columns, row.n, ptr(sigma)) + pad * sigma[d]
            if variance == 0:
                continue
            counts[UPDATES] += 1
            beta = 1 / (variance + r / row.weight)
            step = y[row.number] * beta * (1 - score)
            row_add_by_variance(values, columns, row.n, pad, step, beta, ptr(w), ptr(sigma), d)
