"""Native multiclass: a row moves its own class and the best wrong one.

In all of these ``w`` is the class-minor table of blocks.pxd with the intercepts behind it, ``total`` and ``sigma`` have
its length, ``y`` holds class numbers, ``numbers`` and ``places`` are scratch (``room_for_rows``), and empty arrays mean
what they mean in :func:`perceptron_slice`.
"""

from libc.stdint cimport int32_t, int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.blocks cimport (
    Expanded, best_but, class_sqnorm, expand, expanded_is_zero, move_class, move_class_by_variance, place_of,
    prefetch_weights, room_for_rows, score_classes,
)
from textperceptron._kernels.rows cimport (
    MISTAKES, POSITION, SEEN, UPDATES, index_t, numbers_or_null, prefetch_row, row_sqnorm, row_sqnorm_in, value_t,
    values_or_null, weight_t,
)


def perceptron_classes_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int32_t[::1] y, const double[::1] weight, const int64_t[::1] order,
    const double[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    double eta, double margin, double pad,
    Py_ssize_t n_classes, Py_ssize_t stride, int bits, double[::1] numbers, int64_t[::1] places,
):
    """Perceptron: where ``a_y − a_r ≤ margin``, r the best wrong class, y moves towards the row and r away.

    Bottleneck: the gather of ``stride`` weights a column. 20news, 20 classes: 80 bytes a column, a table of 10 MB.
    """
    cdef Py_ssize_t n = order.shape[0], i, row_number, length, table = w.shape[0] - stride, wrong
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* starts = ptr(indptr)
    cdef const double* squares = numbers_or_null(metric)
    cdef double* totals = ptr(total) if total.shape[0] > 0 else NULL
    cdef bint weighted = weight.shape[0] > 0
    cdef double s = 1, gap
    cdef Expanded row = room_for_rows(numbers, places, stride, bits)
    with nogil:
        for i in range(n):
            if i + 2 < n:
                prefetch_row(all_values, ptr(indices), starts, order[i + 2])
                prefetch_weights(&row, ptr(indices), starts, order[i + 1], ptr(w))
            row_number = order[i]
            counts[POSITION] += 1
            if weighted:
                s = weight[row_number]
                if s == 0:
                    continue
            counts[SEEN] += 1
            length = starts[row_number + 1] - starts[row_number]
            if all_values != NULL:
                values = all_values + starts[row_number]
            expand(&row, values, ptr(indices) + starts[row_number], length, squares)
            score_classes(&row, ptr(w), table, pad)
            wrong = best_but(row.scores, n_classes, y[row_number])
            if wrong < 0:
                continue
            gap = row.scores[y[row_number]] - row.scores[wrong]
            if gap > margin:
                continue
            counts[MISTAKES] += 1
            loss[0] += margin - gap
            if pad == 0 and expanded_is_zero(&row):
                continue
            counts[UPDATES] += 1
            move_class(&row, y[row_number], eta * s, counts[SEEN] - 1, pad, ptr(w), totals, table)
            move_class(&row, wrong, -eta * s, counts[SEEN] - 1, pad, ptr(w), totals, table)


def mira_classes_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int32_t[::1] y, const double[::1] weight, const int64_t[::1] order,
    const double[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    double cap, double ridge, double pad,
    Py_ssize_t n_classes, Py_ssize_t stride, int bits, double[::1] numbers, int64_t[::1] places,
):
    """MIRA: the smallest step that puts a row's class 1 above the best wrong one.

    The step is ``min(cap·s, L / (2‖x‖² + ridge/s))``; ``cap`` and ``ridge`` as in :func:`mira_slice`.

    Bottleneck: as for the perceptron, and two scatters into ``w`` and ``total`` a row within the margin.
    """
    cdef Py_ssize_t n = order.shape[0], i, row_number, length, table = w.shape[0] - stride, wrong
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* starts = ptr(indptr)
    cdef const double* squares = numbers_or_null(metric)
    cdef double* totals = ptr(total) if total.shape[0] > 0 else NULL
    cdef bint weighted = weight.shape[0] > 0
    cdef double s = 1, gap, sqnorm, step
    cdef Expanded row = room_for_rows(numbers, places, stride, bits)
    with nogil:
        for i in range(n):
            if i + 2 < n:
                prefetch_row(all_values, ptr(indices), starts, order[i + 2])
                prefetch_weights(&row, ptr(indices), starts, order[i + 1], ptr(w))
            row_number = order[i]
            counts[POSITION] += 1
            if weighted:
                s = weight[row_number]
                if s == 0:
                    continue
            counts[SEEN] += 1
            length = starts[row_number + 1] - starts[row_number]
            if all_values != NULL:
                values = all_values + starts[row_number]
            expand(&row, values, ptr(indices) + starts[row_number], length, squares)
            score_classes(&row, ptr(w), table, pad)
            wrong = best_but(row.scores, n_classes, y[row_number])
            if wrong < 0:
                continue
            gap = row.scores[y[row_number]] - row.scores[wrong]
            if gap >= 1:
                continue
            counts[MISTAKES] += gap <= 0
            loss[0] += 1 - gap
            if squares == NULL:
                sqnorm = row_sqnorm(values, length) + pad
            else:
                sqnorm = row_sqnorm_in(values, ptr(indices) + starts[row_number], length, squares) + pad
            if sqnorm == 0:
                continue
            counts[UPDATES] += 1
            step = min(cap * s, (1 - gap) / (2 * sqnorm + ridge / s))
            move_class(&row, y[row_number], step, counts[SEEN] - 1, pad, ptr(w), totals, table)
            move_class(&row, wrong, -step, counts[SEEN] - 1, pad, ptr(w), totals, table)


def arow_classes_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int32_t[::1] y, const double[::1] weight, const int64_t[::1] order,
    value_t[::1] w, value_t[::1] sigma, int64_t[::1] counts, double[::1] loss,
    double r, double pad,
    Py_ssize_t n_classes, Py_ssize_t stride, int bits, double[::1] numbers, int64_t[::1] places,
):
    """AROW: MIRA's two classes, each column by its variance in either.

    ``β = 1/(xᵀΣ_y x + xᵀΣ_r x + r/s)``, both variances taken before either moves.
    """
    cdef Py_ssize_t n = order.shape[0], i, row_number, length, table = w.shape[0] - stride, right, wrong
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* starts = ptr(indptr)
    cdef bint weighted = weight.shape[0] > 0
    cdef double s = 1, gap, variance, beta, step
    cdef Expanded row = room_for_rows(numbers, places, stride, bits)
    with nogil:
        for i in range(n):
            if i + 2 < n:
                prefetch_row(all_values, ptr(indices), starts, order[i + 2])
                prefetch_weights(&row, ptr(indices), starts, order[i + 1], ptr(w))
            row_number = order[i]
            counts[POSITION] += 1
            if weighted:
                s = weight[row_number]
                if s == 0:
                    continue
            counts[SEEN] += 1
            length = starts[row_number + 1] - starts[row_number]
            if all_values != NULL:
                values = all_values + starts[row_number]
            expand(&row, values, ptr(indices) + starts[row_number], length, NULL)
            score_classes(&row, ptr(w), table, pad)
            right = y[row_number]
            wrong = best_but(row.scores, n_classes, right)
            if wrong < 0:
                continue
            gap = row.scores[right] - row.scores[wrong]
            if gap >= 1:
                continue
            counts[MISTAKES] += gap <= 0
            loss[0] += 1 - gap
            variance = class_sqnorm(&row, place_of(&row, right), ptr(sigma)) + pad * sigma[table + right]
            variance += class_sqnorm(&row, place_of(&row, wrong), ptr(sigma)) + pad * sigma[table + wrong]
            if variance == 0:
                continue
            counts[UPDATES] += 1
            beta = 1 / (variance + r / s)
            step = beta * (1 - gap)
            move_class_by_variance(&row, right, step, beta, pad, ptr(w), ptr(sigma), table)
            move_class_by_variance(&row, wrong, -step, beta, pad, ptr(w), ptr(sigma), table)


def class_scores(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] order, const weight_t[::1] w, double[:, :] out,
    double pad, Py_ssize_t stride, int bits, double[::1] numbers, int64_t[::1] places,
):
    """Write the scores of the rows named by ``order`` to ``out``, which has a column a class."""
    cdef Py_ssize_t n = order.shape[0], i, c, row_number, table = w.shape[0] - stride
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* starts = ptr(indptr)
    cdef Expanded row = room_for_rows(numbers, places, stride, bits)
    with nogil:
        for i in range(n):
            if i + 2 < n:
                prefetch_row(all_values, ptr(indices), starts, order[i + 2])
                prefetch_weights(&row, ptr(indices), starts, order[i + 1], ptr(w))
            row_number = order[i]
            if all_values != NULL:
                values = all_values + starts[row_number]
            expand(
                &row, values, ptr(indices) + starts[row_number], starts[row_number + 1] - starts[row_number], NULL
            )
            score_classes(&row, ptr(w), table, pad)
            for c in range(out.shape[1]):
                out[i, c] = row.scores[c]


def mean_class_weights(
    const weight_t[::1] w, const double[::1] total, const int64_t[::1] seen, weight_t[::1] out
):
    """Write the means ``w − total/seen`` to ``out``, with the number of examples that each class has seen."""
    cdef Py_ssize_t k, c, stride = seen.shape[0]
    cdef double examples
    with nogil:
        for k in range(w.shape[0] // stride):
            for c in range(stride):
                examples = max(seen[c], 1)
                out[k * stride + c] = <weight_t> (
                    (examples * w[k * stride + c] - total[k * stride + c]) / examples
                )
