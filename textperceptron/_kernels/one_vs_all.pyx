"""One-vs-all: the same steps as a learner a class, taken side by side, 16 classes in one walk.

Tables and scratch are those of multiclass.pyx, dense, one for every 16 classes behind the other: 16 weights of a column
are a cache line, and the lines of common words stay in L2 while the rows go by. Row i has the labels
``label[label_starts[i] : label_starts[i + 1]]``, one or several; the first table's classes are ``first`` and those
after it. A class whose ``active`` is 0 has converged and rests: ``seen`` and ``updates`` count what each of the others
has done. An empty ``metric`` means ones; else it has tables of squared column weights, each class its own.

Rows of float32 are scored quickly (quick.pxd), and again where a class is near its threshold or takes a step; for that
``heaviest`` is, before and after, at least the largest absolute weight of a column in each table.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t

from textperceptron._kernels.blocks cimport (
    Expanded, class_sqnorm, expand, expanded_is_zero, move_class_by_variance, move_class_in, prefetch_weights,
    room_for_rows, score_classes,
)
from textperceptron._kernels.quick cimport exact_score, quick_doubt, quick_scores
from textperceptron._kernels.rows cimport (
    MISTAKES, POSITION, SEEN, UPDATES, index_t, prefetch_row, row_sqnorm, value_t, values_or_null,
)

cdef enum:
    BLOCK = 16  # classes of a table


cdef inline void mark_labels(
    const int32_t* label, Py_ssize_t n, Py_ssize_t first, Py_ssize_t n_classes, signed char mark, signed char* sign
) noexcept nogil:
    """Give the classes of a row their mark."""
    cdef Py_ssize_t k, c
    for k in range(n):
        c = label[k] - first
        if 0 <= c < n_classes:
            sign[c] = mark


cdef inline double score_all(
    Expanded* row, const value_t* values, const index_t* columns, Py_ssize_t n,
    const value_t* w, Py_ssize_t table, double pad, double heaviest,
) noexcept nogil:
    """Write the score of every class to ``row.scores`` and return how far it may be from the exact one."""
    cdef Py_ssize_t c
    row.n = -1
    if value_t is float:
        quick_scores(values, columns, n, w, row.stride, row.stride, row.quick)
        for c in range(row.stride):
            row.scores[c] = row.quick[c] + pad * w[table + c]
        return quick_doubt(values, n, heaviest)
    else:
        expand(row, values, columns, n, NULL)
        score_classes(row, w, table, pad)
        return 0


cdef inline double settled_score(
    Expanded* row, Py_ssize_t c, const value_t* values, const index_t* columns, Py_ssize_t n,
    const value_t* w, Py_ssize_t table, double pad,
) noexcept nogil:
    """The exact score of a class; the row is then expanded for a step."""
    if value_t is float:
        if row.n < 0:
            expand(row, values, columns, n, NULL)
        return exact_score(values, columns, n, w + c, row.stride) + pad * w[table + c]
    else:
        return row.scores[c]


cdef inline double heaviest_of(const Expanded* row, Py_ssize_t c, const value_t* w, double heaviest) noexcept nogil:
    """The largest absolute weight, after a step of class ``c`` along a row."""
    cdef Py_ssize_t k
    cdef double largest = heaviest
    for k in range(row.n):
        largest = max(largest, fabs(w[row.at[k] + c]))
    return largest


def perceptron_one_vs_all_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] label_starts, const int32_t[::1] label, const double[::1] weight, const int64_t[::1] order,
    const value_t[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates, double[::1] heaviest,
    double eta, double margin, double pad,
    Py_ssize_t first, Py_ssize_t n_classes, double[::1] numbers, int64_t[::1] places, signed char[::1] sign,
):
    """Perceptron for each class against all others; ``sign`` is -1 throughout, before and after."""
    cdef Py_ssize_t stride = seen.shape[0], lines = w.shape[0] // stride, table, number, block, size
    cdef Py_ssize_t n = order.shape[0], i, c, row_number, length, n_labels
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* columns
    cdef const index_t* starts = &indptr[0]
    cdef const int32_t* labels
    cdef const value_t* squares = NULL
    cdef value_t* weights
    cdef double* totals = NULL
    cdef double s = 1, doubt, score
    cdef bint weighted = weight.shape[0] > 0
    cdef Expanded row = room_for_rows(numbers, places, min(stride, BLOCK), 0)
    with nogil:
        for number in range((n_classes + BLOCK - 1) // BLOCK):
            block = number * BLOCK
            row.stride = min(BLOCK, stride - block)
            size = min(BLOCK, n_classes - block)
            table = (lines - 1) * row.stride
            weights = &w[block * lines]
            if metric.shape[0] > 0:
                squares = &metric[block * lines]
            if total.shape[0] > 0:
                totals = &total[block * lines]
            for i in range(n):
                if i + 2 < n:
                    prefetch_row(all_values, &indices[0], starts, order[i + 2])
                    prefetch_weights(&row, &indices[0], starts, order[i + 1], weights)
                row_number = order[i]
                counts[POSITION] += block == 0
                if weighted:
                    s = weight[row_number]
                    if s == 0:
                        continue
                counts[SEEN] += block == 0
                length = starts[row_number + 1] - starts[row_number]
                if all_values != NULL:
                    values = all_values + starts[row_number]
                columns = &indices[starts[row_number]]
                doubt = score_all(&row, values, columns, length, weights, table, pad, heaviest[number])
                labels = &label[label_starts[row_number]]
                n_labels = label_starts[row_number + 1] - label_starts[row_number]
                mark_labels(labels, n_labels, first + block, size, 1, &sign[0])
                for c in range(size):
                    if not active[block + c]:
                        continue
                    seen[block + c] += 1
                    if sign[c] * row.scores[c] > margin + doubt:
                        continue
                    score = sign[c] * settled_score(&row, c, values, columns, length, weights, table, pad)
                    if score > margin:
                        continue
                    counts[MISTAKES] += 1
                    loss[0] += margin - score
                    if pad == 0 and (
                        expanded_is_zero(&row) if squares == NULL else class_sqnorm(&row, c, squares) == 0
                    ):
                        continue
                    counts[UPDATES] += 1
                    updates[block + c] += 1
                    move_class_in(&row, c, squares, eta * s * sign[c], seen[block + c] - 1, pad, weights, totals, table)
                    heaviest[number] = heaviest_of(&row, c, weights, heaviest[number])
                mark_labels(labels, n_labels, first + block, size, -1, &sign[0])


def mira_one_vs_all_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] label_starts, const int32_t[::1] label, const double[::1] weight, const int64_t[::1] order,
    const value_t[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates, double[::1] heaviest,
    double cap, double ridge, double pad,
    Py_ssize_t first, Py_ssize_t n_classes, double[::1] numbers, int64_t[::1] places, signed char[::1] sign,
):
    """MIRA for each class against all others; ``cap`` and ``ridge`` as in :func:`mira_slice`."""
    cdef Py_ssize_t stride = seen.shape[0], lines = w.shape[0] // stride, table, number, block, size
    cdef Py_ssize_t n = order.shape[0], i, c, row_number, length, n_labels
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* columns
    cdef const index_t* starts = &indptr[0]
    cdef const int32_t* labels
    cdef const value_t* squares = NULL
    cdef value_t* weights
    cdef double* totals = NULL
    cdef double s = 1, doubt, score, sqnorm, step
    cdef bint weighted = weight.shape[0] > 0
    cdef Expanded row = room_for_rows(numbers, places, min(stride, BLOCK), 0)
    with nogil:
        for number in range((n_classes + BLOCK - 1) // BLOCK):
            block = number * BLOCK
            row.stride = min(BLOCK, stride - block)
            size = min(BLOCK, n_classes - block)
            table = (lines - 1) * row.stride
            weights = &w[block * lines]
            if metric.shape[0] > 0:
                squares = &metric[block * lines]
            if total.shape[0] > 0:
                totals = &total[block * lines]
            for i in range(n):
                if i + 2 < n:
                    prefetch_row(all_values, &indices[0], starts, order[i + 2])
                    prefetch_weights(&row, &indices[0], starts, order[i + 1], weights)
                row_number = order[i]
                counts[POSITION] += block == 0
                if weighted:
                    s = weight[row_number]
                    if s == 0:
                        continue
                counts[SEEN] += block == 0
                length = starts[row_number + 1] - starts[row_number]
                if all_values != NULL:
                    values = all_values + starts[row_number]
                columns = &indices[starts[row_number]]
                doubt = score_all(&row, values, columns, length, weights, table, pad, heaviest[number])
                sqnorm = -1  # not known yet; without a metric it is the same for all classes
                labels = &label[label_starts[row_number]]
                n_labels = label_starts[row_number + 1] - label_starts[row_number]
                mark_labels(labels, n_labels, first + block, size, 1, &sign[0])
                for c in range(size):
                    if not active[block + c]:
                        continue
                    seen[block + c] += 1
                    if sign[c] * row.scores[c] > 1 + doubt:
                        continue
                    score = sign[c] * settled_score(&row, c, values, columns, length, weights, table, pad)
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
                    updates[block + c] += 1
                    step = sign[c] * min(cap * s, (1 - score) / (sqnorm + ridge / s))
                    move_class_in(&row, c, squares, step, seen[block + c] - 1, pad, weights, totals, table)
                    heaviest[number] = heaviest_of(&row, c, weights, heaviest[number])
                mark_labels(labels, n_labels, first + block, size, -1, &sign[0])


def arow_one_vs_all_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] label_starts, const int32_t[::1] label, const double[::1] weight, const int64_t[::1] order,
    value_t[::1] w, value_t[::1] sigma, int64_t[::1] counts, double[::1] loss,
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates, double[::1] heaviest,
    double r, double pad,
    Py_ssize_t first, Py_ssize_t n_classes, double[::1] numbers, int64_t[::1] places, signed char[::1] sign,
):
    """AROW for each class against all others; ``sigma`` starts at 1, or at squared column weights."""
    cdef Py_ssize_t stride = seen.shape[0], lines = w.shape[0] // stride, table, number, block, size
    cdef Py_ssize_t n = order.shape[0], i, c, row_number, length, n_labels
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* columns
    cdef const index_t* starts = &indptr[0]
    cdef const int32_t* labels
    cdef value_t* weights
    cdef value_t* variances
    cdef double s = 1, doubt, score, variance, beta
    cdef bint weighted = weight.shape[0] > 0
    cdef Expanded row = room_for_rows(numbers, places, min(stride, BLOCK), 0)
    with nogil:
        for number in range((n_classes + BLOCK - 1) // BLOCK):
            block = number * BLOCK
            row.stride = min(BLOCK, stride - block)
            size = min(BLOCK, n_classes - block)
            table = (lines - 1) * row.stride
            weights = &w[block * lines]
            variances = &sigma[block * lines]
            for i in range(n):
                if i + 2 < n:
                    prefetch_row(all_values, &indices[0], starts, order[i + 2])
                    prefetch_weights(&row, &indices[0], starts, order[i + 1], weights)
                row_number = order[i]
                counts[POSITION] += block == 0
                if weighted:
                    s = weight[row_number]
                    if s == 0:
                        continue
                counts[SEEN] += block == 0
                length = starts[row_number + 1] - starts[row_number]
                if all_values != NULL:
                    values = all_values + starts[row_number]
                columns = &indices[starts[row_number]]
                doubt = score_all(&row, values, columns, length, weights, table, pad, heaviest[number])
                labels = &label[label_starts[row_number]]
                n_labels = label_starts[row_number + 1] - label_starts[row_number]
                mark_labels(labels, n_labels, first + block, size, 1, &sign[0])
                for c in range(size):
                    if not active[block + c]:
                        continue
                    seen[block + c] += 1
                    if sign[c] * row.scores[c] > 1 + doubt:
                        continue
                    score = sign[c] * settled_score(&row, c, values, columns, length, weights, table, pad)
                    if score >= 1:
                        continue
                    counts[MISTAKES] += score <= 0
                    loss[0] += 1 - score
                    variance = class_sqnorm(&row, c, variances) + pad * variances[table + c]
                    if variance == 0:
                        continue
                    counts[UPDATES] += 1
                    updates[block + c] += 1
                    beta = 1 / (variance + r / s)
                    move_class_by_variance(
                        &row, c, sign[c] * beta * (1 - score), beta, pad, weights, variances, table
                    )
                    heaviest[number] = heaviest_of(&row, c, weights, heaviest[number])
                mark_labels(labels, n_labels, first + block, size, -1, &sign[0])
