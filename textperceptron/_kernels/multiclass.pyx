"""Native multiclass: a row moves its own class and the best wrong one.

In all kernels ``w`` is the class-minor table of class_rows.pxd followed by the intercepts, ``total`` and ``sigma`` have
its length, ``y`` holds class numbers, ``scratch_f64`` and ``scratch_i64`` are divided by ``class_row``. Empty arrays
and ``pad`` as in :func:`perceptron_slice`.
"""

from libc.stdint cimport int32_t, int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.class_rows cimport (
    ClassRow, best_other_class, class_row, class_sqnorm, load_row, move_class, move_class_by_variance, prefetch_weights,
    score_classes, step_is_zero,
)
from textperceptron._kernels.rows cimport (
    MISTAKES, SEEN, UPDATES, Row, all_rows_in, doubles_or_null, index_t, next_row, row_sqnorm, row_sqnorm_in, rows_in,
    value_t, values_or_null, weight_t,
)


def perceptron_classes_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int32_t[::1] y, const double[::1] weight, const int64_t[::1] order,
    const double[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    double eta, double margin, double pad,
    Py_ssize_t n_classes, Py_ssize_t stride, int bits, double[::1] scratch_f64, int64_t[::1] scratch_i64,
):
    """Perceptron: where ``a_y − a_r ≤ margin``, r the best wrong class, y moves towards the row and r away.

    Bottleneck: the gather of ``stride`` weights per column. 20news, 20 classes: 80 bytes per column, a table of 10 MB.
    """
    cdef Py_ssize_t intercepts = w.shape[0] - stride, right, wrong
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values
    cdef const index_t* columns
    cdef const double* squares = doubles_or_null(metric)
    cdef double* totals = doubles_or_null(total)
    cdef double gap
    cdef ClassRow loaded = class_row(scratch_f64, scratch_i64, stride, bits)
    cdef Row row = rows_in(order, weight, ptr(counts))
    with nogil:
        while next_row(&row, all_values, ptr(indices), ptr(indptr), &values, &columns):
            prefetch_weights(&loaded, &row, ptr(indices), ptr(indptr), ptr(w))
            load_row(&loaded, values, columns, row.n, squares)
            score_classes(&loaded, ptr(w), intercepts, pad)
            right = y[row.number]
            wrong = best_other_class(loaded.scores, n_classes, right)
            if wrong < 0:
                continue
            gap = loaded.scores[right] - loaded.scores[wrong]
            if gap > margin:
                continue
            counts[MISTAKES] += 1
            loss[0] += margin - gap
            if pad == 0 and step_is_zero(&loaded):
                continue
            counts[UPDATES] += 1
            move_class(&loaded, right, eta * row.weight, counts[SEEN] - 1, pad, ptr(w), totals, intercepts)
            move_class(&loaded, wrong, -eta * row.weight, counts[SEEN] - 1, pad, ptr(w), totals, intercepts)


def mira_classes_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int32_t[::1] y, const double[::1] weight, const int64_t[::1] order,
    const double[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    double cap, double ridge, double pad,
    Py_ssize_t n_classes, Py_ssize_t stride, int bits, double[::1] scratch_f64, int64_t[::1] scratch_i64,
):
    """MIRA: the smallest step that puts a row's class 1 above the best wrong one.

    The step is ``min(cap·s, L / (2‖x‖² + ridge/s))``; ``cap`` and ``ridge`` as in :func:`mira_slice`.

    Bottleneck: as for the perceptron, and two scatters into ``w`` and ``total`` per row within the margin.
    """
    cdef Py_ssize_t intercepts = w.shape[0] - stride, right, wrong
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values
    cdef const index_t* columns
    cdef const double* squares = doubles_or_null(metric)
    cdef double* totals = doubles_or_null(total)
    cdef double gap, sqnorm, step
    cdef ClassRow loaded = class_row(scratch_f64, scratch_i64, stride, bits)
    cdef Row row = rows_in(order, weight, ptr(counts))
    with nogil:
        while next_row(&row, all_values, ptr(indices), ptr(indptr), &values, &columns):
            prefetch_weights(&loaded, &row, ptr(indices), ptr(indptr), ptr(w))
            load_row(&loaded, values, columns, row.n, squares)
            score_classes(&loaded, ptr(w), intercepts, pad)
            right = y[row.number]
            wrong = best_other_class(loaded.scores, n_classes, right)
            if wrong < 0:
                continue
            gap = loaded.scores[right] - loaded.scores[wrong]
            if gap >= 1:
                continue
            counts[MISTAKES] += gap <= 0
            loss[0] += 1 - gap
            if squares == NULL:
                sqnorm = row_sqnorm(values, row.n) + pad
            else:
                sqnorm = row_sqnorm_in(values, columns, row.n, squares) + pad
            if sqnorm == 0:
                continue
            counts[UPDATES] += 1
            step = min(cap * row.weight, (1 - gap) / (2 * sqnorm + ridge / row.weight))
            move_class(&loaded, right, step, counts[SEEN] - 1, pad, ptr(w), totals, intercepts)
            move_class(&loaded, wrong, -step, counts[SEEN] - 1, pad, ptr(w), totals, intercepts)


def arow_classes_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int32_t[::1] y, const double[::1] weight, const int64_t[::1] order,
    value_t[::1] w, value_t[::1] sigma, int64_t[::1] counts, double[::1] loss,
    double r, double pad,
    Py_ssize_t n_classes, Py_ssize_t stride, int bits, double[::1] scratch_f64, int64_t[::1] scratch_i64,
):
    """AROW: the two classes of MIRA, each column scaled by its variance in that class.

    ``β = 1/(xᵀΣ_y x + xᵀΣ_r x + r/s)``, both variances taken before either class moves.
    """
    cdef Py_ssize_t intercepts = w.shape[0] - stride, right, wrong
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values
    cdef const index_t* columns
    cdef double gap, variance, beta, step
    cdef ClassRow loaded = class_row(scratch_f64, scratch_i64, stride, bits)
    cdef Row row = rows_in(order, weight, ptr(counts))
    with nogil:
        while next_row(&row, all_values, ptr(indices), ptr(indptr), &values, &columns):
            prefetch_weights(&loaded, &row, ptr(indices), ptr(indptr), ptr(w))
            load_row(&loaded, values, columns, row.n, NULL)
            score_classes(&loaded, ptr(w), intercepts, pad)
            right = y[row.number]
            wrong = best_other_class(loaded.scores, n_classes, right)
            if wrong < 0:
                continue
            gap = loaded.scores[right] - loaded.scores[wrong]
            if gap >= 1:
                continue
            counts[MISTAKES] += gap <= 0
            loss[0] += 1 - gap
            variance = class_sqnorm(&loaded, right, ptr(sigma)) + pad * sigma[intercepts + right]
            variance += class_sqnorm(&loaded, wrong, ptr(sigma)) + pad * sigma[intercepts + wrong]
            if variance == 0:
                continue
            counts[UPDATES] += 1
            beta = 1 / (variance + r / row.weight)
            step = beta * (1 - gap)
            move_class_by_variance(&loaded, right, step, beta, pad, ptr(w), ptr(sigma), intercepts)
            move_class_by_variance(&loaded, wrong, -step, beta, pad, ptr(w), ptr(sigma), intercepts)


def class_scores(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] order, const weight_t[::1] w, double[:, :] out,
    double pad, Py_ssize_t stride, int bits, double[::1] scratch_f64, int64_t[::1] scratch_i64,
):
    """Write the scores of the rows of ``order`` to ``out``, which has one column per class."""
    cdef Py_ssize_t c, intercepts = w.shape[0] - stride
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values
    cdef const index_t* columns
    cdef ClassRow loaded = class_row(scratch_f64, scratch_i64, stride, bits)
    cdef Row row = all_rows_in(order)
    with nogil:
        while next_row(&row, all_values, ptr(indices), ptr(indptr), &values, &columns):
            prefetch_weights(&loaded, &row, ptr(indices), ptr(indptr), ptr(w))
            load_row(&loaded, values, columns, row.n, NULL)
            score_classes(&loaded, ptr(w), intercepts, pad)
            for c in range(out.shape[1]):
                out[row.i, c] = loaded.scores[c]
