"""The perceptron rule, plain or averaged."""

from libc.stdint cimport int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    LOGGED, MISTAKES, SEEN, UPDATES, Row, doubles_or_null, index_t, next_row, row_add_averaged, row_add_padded,
    row_dot, row_is_zero, rows_in, value_t, values_or_null,
)


def perceptron_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const signed char[::1] y, const double[::1] weight, const int64_t[::1] order,
    const double[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] log, int64_t[::1] counts,
    double[::1] loss,
    double eta, double margin, double pad,
):
    """Perceptron over the rows of ``order``; ``w``, ``total``, ``log``, ``counts`` and ``loss`` change.

    ``w`` and ``total`` end with the intercept, whose column is ``pad`` (1, or 0 for no intercept) in every row. An
    empty ``total`` keeps no average, an empty ``weight`` means 1 per row, an empty ``data`` 1 per value, an empty
    ``metric`` 1 per column (see rows.pxd; its entry for the intercept is not read). Unless it is empty, the row and
    time of each update are appended to ``log``, which has ``counts[LOGGED]`` such entries.

    Bottleneck: the gather ``w[indices[k]]``. IMDB unigrams: 138 columns per row, 75 k weights (300 kB of float32, in
    L2); uni+bigrams: 350 per row, 1.5 M weights (6 MB, mostly L3).
    """
    cdef Py_ssize_t d = w.shape[0] - 1
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values
    cdef const index_t* columns
    cdef const double* squares = doubles_or_null(metric)
    cdef bint averaged = total.shape[0] > 0, logs = log.shape[0] > 0
    cdef double score, step
    cdef Row row = rows_in(order, weight, ptr(counts))
    with nogil:
        while next_row(&row, all_values, ptr(indices), ptr(indptr), &values, &columns):
            score = (row_dot(values, columns, row.n, ptr(w), 1) + pad * w[d]) * y[row.number]
            if score > margin:
                continue
            counts[MISTAKES] += 1
            loss[0] += margin - score
            if pad == 0 and row_is_zero(values, columns, row.n, squares):
                continue
            counts[UPDATES] += 1
            step = eta * row.weight * y[row.number]
            if averaged:
                row_add_averaged(
                    values, columns, row.n, pad, step, counts[SEEN] - 1, squares, ptr(w), ptr(total), d
                )
            else:
                row_add_padded(values, columns, row.n, pad, step, squares, ptr(w), d)
            if logs:
                log[2 * counts[LOGGED]] = row.number
                log[2 * counts[LOGGED] + 1] = counts[SEEN]
                counts[LOGGED] += 1
