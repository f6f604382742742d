"""MIRA, also known as passive-aggressive: the smallest step that removes the hinge loss."""

from libc.stdint cimport int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    MISTAKES, SEEN, UPDATES, Row, doubles_or_null, index_t, next_row, row_add_averaged, row_add_padded, row_dot,
    row_sqnorm, row_sqnorm_in, rows_in, value_t, values_or_null,
)


def mira_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const signed char[::1] y, const double[::1] weight, const int64_t[::1] order,
    const double[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    double cap, double ridge, double pad,
):
    """Passive-aggressive over the rows of ``order``; ``w``, ``total``, ``counts`` and ``loss`` change.

    The step is ``min(cap·s, L / (‖x‖² + ridge/s))`` with ``s`` the weight of the row. This covers every variant: PA has
    an infinite cap and no ridge, PA-I the cap ``C``, PA-II the ridge ``1/(2C)``. Empty arrays and ``pad`` as in
    :func:`perceptron_slice`.

    Bottleneck: the gather of the perceptron, and the scatter into ``w`` and ``total`` of every row within the margin.
    IMDB uni+bigrams: ``total`` is 12 MB of double, so updates run at the speed of L3.
    """
    cdef Py_ssize_t d = w.shape[0] - 1
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values
    cdef const index_t* columns
    cdef const double* squares = doubles_or_null(metric)
    cdef bint averaged = total.shape[0] > 0
    cdef double score, sqnorm, step
    cdef Row row = rows_in(order, weight, ptr(counts))
    with nogil:
        while next_row(&row, all_values, ptr(indices), ptr(indptr), &values, &columns):
            score = (row_dot(values, columns, row.n, ptr(w), 1) + pad * w[d]) * y[row.number]
            if score >= 1:
                continue
            counts[MISTAKES] += score <= 0
            loss[0] += 1 - score
            if squares == NULL:
                sqnorm = row_sqnorm(values, row.n) + pad
            else:
                sqnorm = row_sqnorm_in(values, columns, row.n, squares) + pad
            if sqnorm == 0:
                continue
            counts[UPDATES] += 1
            step = y[row.number] * min(cap * row.weight, (1 - score) / (sqnorm + ridge / row.weight))
            if averaged:
                row_add_averaged(
                    values, columns, row.n, pad, step, counts[SEEN] - 1, squares, ptr(w), ptr(total), d
                )
            else:
                row_add_padded(values, columns, row.n, pad, step, squares, ptr(w), d)
