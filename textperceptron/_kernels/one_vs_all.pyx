"""One-vs-all, every class in one walk: the same steps as a learner a class, taken side by side.

Tables and scratch are those of multiclass.pyx, always dense. Row i has the labels ``label[label_starts[i] :
label_starts[i + 1]]``, one or several; the table's classes are ``first`` and those after it. A class whose ``active``
is 0 has converged and rests: ``seen`` and ``updates`` count what each of the others has done. An empty ``metric`` means
ones; else it is a table of squared column weights, each class its own.
"""

from libc.stdint cimport int32_t, int64_t

from textperceptron._kernels.blocks cimport (
    Expanded, class_sqnorm, expand, expanded_is_zero, move_class_by_variance, move_class_in, prefetch_weights,
    room_for_rows, score_classes,
)
from textperceptron._kernels.rows cimport (
    MISTAKES, POSITION, SEEN, UPDATES, index_t, prefetch_row, row_sqnorm, value_t, values_or_null,
)


cdef inline void mark_labels(
    const int32_t* label, Py_ssize_t n, Py_ssize_t first, Py_ssize_t n_classes, signed char mark, signed char* sign
) noexcept nogil:
    """Give the classes of a row their mark."""
    cdef Py_ssize_t k, c
    for k in range(n):
        c = label[k] - first
        if 0 <= c < n_classes:
            sign[c] = mark


def perceptron_one_vs_all_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] label_starts, const int32_t[::1] label, const double[::1] weight, const int64_t[::1] order,
    const value_t[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates,
    double eta, double margin, double pad,
    Py_ssize_t first, Py_ssize_t n_classes, double[::1] numbers, int64_t[::1] places, signed char[::1] sign,
):
    """Perceptron for each class against all others; ``sign`` is -1 throughout, before and after."""
    cdef Py_ssize_t stride = seen.shape[0], table = w.shape[0] - stride
    cdef Py_ssize_t n = order.shape[0], i, c, row_number, length, n_labels
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* starts = &indptr[0]
    cdef const int32_t* labels
    cdef const value_t* squares = values_or_null(metric)
    cdef double* totals = &total[0] if total.shape[0] > 0 else NULL
    cdef double s = 1, score
    cdef bint weighted = weight.shape[0] > 0
    cdef Expanded row = room_for_rows(numbers, places, stride, 0)
    with nogil:
        for i in range(n):
            if i + 2 < n:
                prefetch_row(all_values, &indices[0], starts, order[i + 2])
                prefetch_weights(&row, &indices[0], starts, order[i + 1], &w[0])
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
            expand(&row, values, &indices[starts[row_number]], length, NULL)
            score_classes(&row, &w[0], table, pad)
            labels = &label[label_starts[row_number]]
            n_labels = label_starts[row_number + 1] - label_starts[row_number]
            mark_labels(labels, n_labels, first, n_classes, 1, &sign[0])
            for c in range(n_classes):
                if not active[c]:
                    continue
                seen[c] += 1
                score = sign[c] * row.scores[c]
                if score > margin:
                    continue
                counts[MISTAKES] += 1
                loss[0] += margin - score
                if pad == 0 and (
                    expanded_is_zero(&row) if squares == NULL else class_sqnorm(&row, c, squares) == 0
                ):
                    continue
                counts[UPDATES] += 1
                updates[c] += 1
                move_class_in(&row, c, squares, eta * s * sign[c], seen[c] - 1, pad, &w[0], totals, table)
            mark_labels(labels, n_labels, first, n_classes, -1, &sign[0])


def mira_one_vs_all_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] label_starts, const int32_t[::1] label, const double[::1] weight, const int64_t[::1] order,
    const value_t[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates,
    double cap, double ridge, double pad,
    Py_ssize_t first, Py_ssize_t n_classes, double[::1] numbers, int64_t[::1] places, signed char[::1] sign,
):
    """MIRA for each class against all others; ``cap`` and ``ridge`` as in :func:`mira_slice`."""
    cdef Py_ssize_t stride = seen.shape[0], table = w.shape[0] - stride
    cdef Py_ssize_t n = order.shape[0], i, c, row_number, length, n_labels
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* starts = &indptr[0]
    cdef const int32_t* labels
    cdef const value_t* squares = values_or_null(metric)
    cdef double* totals = &total[0] if total.shape[0] > 0 else NULL
    cdef double s = 1, score, sqnorm, step
    cdef bint weighted = weight.shape[0] > 0
    cdef Expanded row = room_for_rows(numbers, places, stride, 0)
    with nogil:
        for i in range(n):
            if i + 2 < n:
                prefetch_row(all_values, &indices[0], starts, order[i + 2])
                prefetch_weights(&row, &indices[0], starts, order[i + 1], &w[0])
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
            expand(&row, values, &indices[starts[row_number]], length, NULL)
            score_classes(&row, &w[0], table, pad)
            sqnorm = -1  # not known yet; without a metric it is the same for all classes
            labels = &label[label_starts[row_number]]
            n_labels = label_starts[row_number + 1] - label_starts[row_number]
            mark_labels(labels, n_labels, first, n_classes, 1, &sign[0])
            for c in range(n_classes):
                if not active[c]:
                    continue
                seen[c] += 1
                score = sign[c] * row.scores[c]
                if score >= 1:
                    continue
                counts[MISTAKES] += score <= 0
                loss[0] += 1 - score
                if squares != NULL:
                    sqnorm = class_sqnorm(&row, c, squares) + pad
                elif sqnorm < 0:
                    sqnorm = row_sqnorm(values, length) + pad
                if sqnorm == 0:
                    continue
                counts[UPDATES] += 1
                updates[c] += 1
                step = sign[c] * min(cap * s, (1 - score) / (sqnorm + ridge / s))
                move_class_in(&row, c, squares, step, seen[c] - 1, pad, &w[0], totals, table)
            mark_labels(labels, n_labels, first, n_classes, -1, &sign[0])


def arow_one_vs_all_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] label_starts, const int32_t[::1] label, const double[::1] weight, const int64_t[::1] order,
    value_t[::1] w, value_t[::1] sigma, int64_t[::1] counts, double[::1] loss,
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates,
    double r, double pad,
    Py_ssize_t first, Py_ssize_t n_classes, double[::1] numbers, int64_t[::1] places, signed char[::1] sign,
):
    """AROW for each class against all others; ``sigma`` starts at 1, or at squared column weights."""
    cdef Py_ssize_t stride = seen.shape[0], table = w.shape[0] - stride
    cdef Py_ssize_t n = order.shape[0], i, c, row_number, length, n_labels
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* starts = &indptr[0]
    cdef const int32_t* labels
    cdef double s = 1, score, variance, beta
    cdef bint weighted = weight.shape[0] > 0
    cdef Expanded row = room_for_rows(numbers, places, stride, 0)
    with nogil:
        for i in range(n):
            if i + 2 < n:
                prefetch_row(all_values, &indices[0], starts, order[i + 2])
                prefetch_weights(&row, &indices[0], starts, order[i + 1], &w[0])
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
            expand(&row, values, &indices[starts[row_number]], length, NULL)
            score_classes(&row, &w[0], table, pad)
            labels = &label[label_starts[row_number]]
            n_labels = label_starts[row_number + 1] - label_starts[row_number]
            mark_labels(labels, n_labels, first, n_classes, 1, &sign[0])
            for c in range(n_classes):
                if not active[c]:
                    continue
                seen[c] += 1
                score = sign[c] * row.scores[c]
                if score >= 1:
                    continue
                counts[MISTAKES] += score <= 0
                loss[0] += 1 - score
                variance = class_sqnorm(&row, c, &sigma[0]) + pad * sigma[table + c]
                if variance == 0:
                    continue
                counts[UPDATES] += 1
                updates[c] += 1
                beta = 1 / (variance + r / s)
                move_class_by_variance(
                    &row, c, sign[c] * beta * (1 - score), beta, pad, &w[0], &sigma[0], table
                )
            mark_labels(labels, n_labels, first, n_classes, -1, &sign[0])
