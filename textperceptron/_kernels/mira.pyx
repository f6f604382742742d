"""MIRA, also known as passive-aggressive: the smallest step that mends the hinge loss."""

from libc.stdint cimport int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    MISTAKES, POSITION, SEEN, UPDATES, index_t, numbers_or_null, prefetch_row, row_add_averaged, row_add_padded,
    row_dot, row_sqnorm, row_sqnorm_in, value_t, values_or_null,
)


def mira_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const signed char[::1] y, const double[::1] weight, const int64_t[::1] order,
    const double[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    double cap, double ridge, double pad,
):
    """Passive-aggressive over the rows named by ``order``; ``w``, ``total``, ``counts`` and ``loss`` change.

    The step is ``min(cap·s, L / (‖x‖² + ridge/s))`` with ``s`` the row's weight, which is every variant:
    PA has an infinite cap and no ridge, PA-I the cap ``C``, PA-II the ridge ``1/(2C)``. Empty arrays and ``pad``
    mean what they mean in :func:`perceptron_slice`.

    Bottleneck: as the perceptron's gather, and the scatter into ``w`` and ``total`` of every row within
    the margin. IMDB uni+bigrams: ``total`` is 12 MB of double, so updates run at the speed of L3.
    """
    cdef Py_ssize_t n = order.shape[0], d = w.shape[0] - 1, i, row, length
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* columns
    cdef const index_t* starts = ptr(indptr)
    cdef const double* squares = numbers_or_null(metric)
    cdef bint weighted = weight.shape[0] > 0, averaged = total.shape[0] > 0
    cdef double s = 1, score, sqnorm, step
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
            score = (row_dot(values, columns, length, ptr(w)) + pad * w[d]) * y[row]
            if score >= 1:
                continue
            counts[MISTAKES] += score <= 0
            loss[0] += 1 - score
            if squares == NULL:
                sqnorm = row_sqnorm(values, length) + pad
            else:
                sqnorm = row_sqnorm_in(values, columns, length, squares) + pad
            if sqnorm == 0:
                continue
            counts[UPDATES] += 1
            step = y[row] * min(cap * s, (1 - score) / (sqnorm + ridge / s))
            if averaged:
                row_add_averaged(
                    values, columns, length, pad, step, counts[SEEN] - 1, squares, ptr(w), ptr(total), d
                )
            else:
                row_add_padded(values, columns, length, pad, step, squares, ptr(w), d)
