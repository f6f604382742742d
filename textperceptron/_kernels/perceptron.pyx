"""The perceptron rule, plain or averaged."""

from libc.stdint cimport int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    LOGGED, MISTAKES, POSITION, SEEN, UPDATES, index_t, numbers_or_null, prefetch_row, row_add_averaged,
    row_add_padded, row_dot, row_is_zero, value_t, values_or_null,
)


def perceptron_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const signed char[::1] y, const double[::1] weight, const int64_t[::1] order,
    const double[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] log, int64_t[::1] counts,
    double[::1] loss,
    double eta, double margin, double pad,
):
    """Perceptron over the rows named by ``order``; ``w``, ``total``, ``log``, ``counts`` and ``loss`` change.

    ``w`` and ``total`` end with the intercept, whose column is ``pad`` (1, or 0 for none) in every row.
    An empty ``total`` keeps no average, an empty ``weight`` means 1 for every row, an empty ``data`` means
    1 for every value, an empty ``metric`` 1 for the square of every column's weight (see rows.pxd; its entry
    for the intercept is not read). Unless it is empty, ``log`` gets the row and the time of each update,
    behind the ``counts[LOGGED]`` pairs that it has.

    Bottleneck: the gather ``w[indices[k]]``. IMDB unigrams: 138 columns a row, 75 k weights (300 kB of
    float32, in L2); uni+bigrams: 350 a row, 1.5 M weights (6 MB, mostly L3).
    """
    cdef Py_ssize_t n = order.shape[0], d = w.shape[0] - 1, i, row, length
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* columns
    cdef const index_t* starts = ptr(indptr)
    cdef const double* squares = numbers_or_null(metric)
    cdef bint weighted = weight.shape[0] > 0, averaged = total.shape[0] > 0, logs = log.shape[0] > 0
    cdef double s = 1, score, step
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
            if score > margin:
                continue
            counts[MISTAKES] += 1
            loss[0] += margin - score
            if pad == 0 and row_is_zero(values, columns, length, squares):
                continue
            counts[UPDATES] += 1
            step = eta * s * y[row]
            if averaged:
                row_add_averaged(
                    values, columns, length, pad, step, counts[SEEN] - 1, squares, ptr(w), ptr(total), d
                )
            else:
                row_add_padded(values, columns, length, pad, step, squares, ptr(w), d)
            if logs:
                log[2 * counts[LOGGED]] = row
                log[2 * counts[LOGGED] + 1] = counts[SEEN]
                counts[LOGGED] += 1
