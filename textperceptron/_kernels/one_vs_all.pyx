"""Many binary problems on the same rows: the same steps as a learner for each, taken side by side, 16 in one walk.

Tables and scratch are those of multiclass.pyx, dense, one for every 16 models behind the other: 16 weights of a column
are a cache line, and the lines of common words stay in L2 while the rows go by. Row i has the labels
``label[label_starts[i] : label_starts[i + 1]]``.

One-vs-all: ``opinions`` is empty, the models are those of the class ``first`` and of those after it, and a row, which
may have several labels, has the sign +1 for these and -1 for the others. A class whose ``active`` is 0 has converged
and rests. Otherwise a row, which then has one label, has for model c the sign ``opinions[label, c]``; 0 where it is
none of its business. ``seen`` and ``updates`` count what each model has done.

An empty ``metric`` means ones; else it has tables of squared column weights, each model its own.

Rows of float32 are scored quickly (quick.pxd), and exactly where a model is near its threshold or takes a step; for
that ``heaviest`` is, before and after, at least the largest absolute weight of a column in each table.

Bottleneck: steps, each of which goes along one row three times at most (score, weights, totals) with a cache line for
each entry; and for scores a cache line of weights for each entry, mostly from L2.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t, uint32_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.blocks cimport (
    Expanded, class_sqnorm, expand, move_class_by_variance, move_class_in, prefetch_weights, room_for_rows,
    score_classes,
)
from textperceptron._kernels.quick cimport exact_score, quick_doubt, quick_scores, tp_near
from textperceptron._kernels.rows cimport (
    MISTAKES, POSITION, SEEN, UPDATES, index_t, prefetch_row, row_is_zero, row_sqnorm, value_t, values_or_null,
)
from textperceptron._kernels.simd cimport tp_lowest_bit

cdef enum:
    BLOCK = 16  # models of a table

cdef enum Learner:
    PERCEPTRON
    MIRA
    AROW


cdef struct Model:
    Py_ssize_t c        # its place in a column of the table
    Py_ssize_t table    # where the intercepts begin
    double sign         # of the row
    double s            # the row's weight
    double later        # rows that it has seen before this one
    double pad
    double doubt        # how far the quick score may be from the exact one


cdef inline void mark_labels(
    const int32_t* label, Py_ssize_t n, Py_ssize_t first, Py_ssize_t n_classes, const signed char* active, int mark,
    float* signs,
) noexcept nogil:
    """Give the classes of a row their sign, unless they rest."""
    cdef Py_ssize_t k, c
    for k in range(n):
        c = label[k] - first
        if 0 <= c < n_classes:
            signs[c] = mark * active[c]


cdef inline uint32_t score_models(
    Expanded* row, const value_t* values, const index_t* columns, Py_ssize_t n, const value_t* w, Py_ssize_t lanes,
    const float* signs, double threshold, double heaviest, int64_t* seen, Model* model,
) noexcept nogil:
    """The models that may have to learn from a row, a bit each; those that have a sign have seen it."""
    cdef Py_ssize_t c
    cdef uint32_t near = 0
    row.n = -1
    if value_t is float:
        quick_scores(values, columns, n, w, row.stride, row.stride, row.quick)
        model.doubt = quick_doubt(values, n, heaviest)
        # Intercepts are added in float32, so the limit is a little higher than it would have to be.
        return tp_near(
            lanes, row.quick, w + model.table, <float> model.pad, signs,
            <float> ((threshold + model.doubt) * (1 + 3e-7) + 1e-44), seen,
        )
    else:
        model.doubt = INFINITY
        expand(row, values, columns, n, NULL)
        score_classes(row, w, model.table, model.pad)
        for c in range(lanes):
            if signs[c] != 0:
                seen[c] += 1
                if not signs[c] * row.scores[c] > threshold:
                    near |= <uint32_t> 1 << c
        return near


cdef inline double score_of(
    const Expanded* row, const Model* model, const value_t* values, const index_t* columns, Py_ssize_t n,
    const value_t* w,
) noexcept nogil:
    """The exact score, above 0 if the model is right."""
    cdef double score
    if value_t is float:
        score = exact_score(values, columns, n, w + model.c, row.stride) + model.pad * w[model.table + model.c]
    else:
        score = row.scores[model.c]
    return model.sign * score


cdef inline double heaviest_of(const Expanded* row, Py_ssize_t c, const value_t* w, double heaviest) noexcept nogil:
    """The largest absolute weight, after a step of model ``c`` along a row."""
    cdef Py_ssize_t k
    cdef double largest = heaviest
    for k in range(row.n):
        largest = max(largest, fabs(w[row.at[k] + c]))
    return largest


cdef inline double move_weight(
    double x, Py_ssize_t at, double step, double backlog, value_t* w, double* total, value_t* largest
) noexcept nogil:
    """``w += step · x`` and ``total += backlog · x`` at one place; returns the product with the weight before."""
    cdef double before = w[at]
    cdef value_t after = <value_t> (before + step * x)
    w[at] = after
    largest[0] = max(largest[0], -after if after < 0 else after)
    if total != NULL:
        total[at] += backlog * x
    return x * before


cdef inline double move_along(
    const value_t* values, const index_t* columns, Py_ssize_t n, Py_ssize_t stride, double step, double backlog,
    value_t* w, double* total, double* heaviest,
) noexcept nogil:
    """``w += step · x``, ``total += backlog · x`` and the score before it, exact, in one go; all point to column 0."""
    cdef double[4] sums = [0, 0, 0, 0]
    cdef value_t[4] largest = [0, 0, 0, 0]
    cdef Py_ssize_t k = 0, lane
    while k + 4 <= n:
        for lane in range(4):
            sums[lane] += move_weight(
                1 if values == NULL else values[k + lane], stride * columns[k + lane], step, backlog, w, total,
                &largest[lane],
            )
        k += 4
    while k < n:
        sums[0] += move_weight(
            1 if values == NULL else values[k], stride * columns[k], step, backlog, w, total, &largest[0]
        )
        k += 1
    heaviest[0] = max(heaviest[0], max(max(largest[0], largest[1]), max(largest[2], largest[3])))
    return (sums[0] + sums[1]) + (sums[2] + sums[3])


cdef inline double take_step(
    Expanded* row, const Model* model, double step, const value_t* values, const index_t* columns, Py_ssize_t n,
    const value_t* squares, value_t* w, double* totals, double* heaviest,
) noexcept nogil:
    """Move a model along a row; without ``squares``, return the exact score before."""
    cdef double score = 0, backlog = step * model.later
    cdef Py_ssize_t c = model.c, at = model.table + model.c
    if squares != NULL:
        move_class_in(row, c, squares, step, model.later, model.pad, w, totals, model.table)
        heaviest[0] = heaviest_of(row, c, w, heaviest[0])
        return score
    score = move_along(
        values, columns, n, row.stride, step, backlog, w + c, NULL if totals == NULL else totals + c, heaviest
    ) + model.pad * w[at]
    w[at] = <value_t> (w[at] + step * model.pad)
    if totals != NULL:
        totals[at] += backlog * model.pad
    return model.sign * score


cdef inline bint perceptron_learns(
    Expanded* row, const Model* model, double eta, double margin, const value_t* values, const index_t* columns,
    Py_ssize_t n, const value_t* squares, value_t* w, double* totals,
    int64_t* counts, double* loss, double* heaviest,
) noexcept nogil:
    """Whether the perceptron takes a step along a row."""
    cdef double score, step = eta * model.s * model.sign
    cdef bint moves = model.pad != 0
    if squares == NULL:
        moves = moves or not row_is_zero(values, columns, n, NULL)
        if value_t is float:
            score = model.sign * (row.quick[model.c] + model.pad * w[model.table + model.c])
            if moves and score < margin - model.doubt:  # surely: the score itself is a by-product of the step
                counts[MISTAKES] += 1
                loss[0] += margin - take_step(row, model, step, values, columns, n, squares, w, totals, heaviest)
                return True
    score = score_of(row, model, values, columns, n, w)
    if score > margin:
        return False
    counts[MISTAKES] += 1
    loss[0] += margin - score
    if squares != NULL:
        if row.n < 0:
            expand(row, values, columns, n, NULL)
        moves = moves or class_sqnorm(row, model.c, squares) != 0
    if moves:
        take_step(row, model, step, values, columns, n, squares, w, totals, heaviest)
    return moves


cdef inline bint mira_learns(
    Expanded* row, const Model* model, double cap, double ridge, const value_t* values, const index_t* columns,
    Py_ssize_t n, const value_t* squares, value_t* w, double* totals,
    int64_t* counts, double* loss, double* heaviest,
) noexcept nogil:
    """Whether MIRA takes a step along a row."""
    cdef double sqnorm, score = score_of(row, model, values, columns, n, w)
    if score >= 1:
        return False
    counts[MISTAKES] += score <= 0
    loss[0] += 1 - score
    if squares != NULL:
        if row.n < 0:
            expand(row, values, columns, n, NULL)
        sqnorm = class_sqnorm(row, model.c, squares) + model.pad
    else:
        sqnorm = row_sqnorm(values, n) + model.pad
    if sqnorm == 0:
        return False
    take_step(
        row, model, model.sign * min(cap * model.s, (1 - score) / (sqnorm + ridge / model.s)),
        values, columns, n, squares, w, totals, heaviest,
    )
    return True


cdef inline bint arow_learns(
    Expanded* row, const Model* model, double r, const value_t* values, const index_t* columns,
    Py_ssize_t n, value_t* variances, value_t* w, int64_t* counts, double* loss, double* heaviest,
) noexcept nogil:
    """Whether AROW takes a step along a row."""
    cdef double variance, beta, score = score_of(row, model, values, columns, n, w)
    if score >= 1:
        return False
    counts[MISTAKES] += score <= 0
    loss[0] += 1 - score
    if row.n < 0:
        expand(row, values, columns, n, NULL)
    variance = class_sqnorm(row, model.c, variances) + model.pad * variances[model.table + model.c]
    if variance == 0:
        return False
    beta = 1 / (variance + r / model.s)
    move_class_by_variance(
        row, model.c, model.sign * beta * (1 - score), beta, model.pad, w, variances, model.table
    )
    heaviest[0] = heaviest_of(row, model.c, w, heaviest[0])
    return True


cdef void walk(
    Learner learner, double first_number, double second_number, double pad,
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] label_starts, const int32_t[::1] label, const double[::1] weight, const int64_t[::1] order,
    value_t* beside, value_t[::1] w, double* total, int64_t[::1] counts, double[::1] loss,
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates, double[::1] heaviest,
    Py_ssize_t first, Py_ssize_t n_classes, const float[:, ::1] opinions, double[::1] numbers, int64_t[::1] places,
) noexcept nogil:
    """Let every model learn from the rows; ``beside`` are tables of squared column weights, or AROW's variances."""
    cdef Py_ssize_t stride = seen.shape[0], lines = w.shape[0] // stride, number, block, size
    cdef Py_ssize_t n = order.shape[0], i, row_number, length, n_labels
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* columns
    cdef const index_t* starts = ptr(indptr)
    cdef const int32_t* labels
    cdef value_t* mine = NULL
    cdef value_t* weights
    cdef double* totals = NULL
    cdef double threshold = second_number if learner == PERCEPTRON else 1
    cdef const float* signs
    cdef float[BLOCK] against
    cdef bint learns, weighted = weight.shape[0] > 0, has_opinions = opinions.shape[0] > 0
    cdef uint32_t near
    cdef Model model
    cdef Expanded row = room_for_rows(numbers, places, min(stride, BLOCK), 0)
    model.pad, model.s = pad, 1
    for number in range((n_classes + BLOCK - 1) // BLOCK):
        block = number * BLOCK
        row.stride = min(BLOCK, stride - block)
        size = min(BLOCK, n_classes - block)
        model.table = (lines - 1) * row.stride
        weights = ptr(w) + block * lines
        if beside != NULL:
            mine = beside + block * lines
        if total != NULL:
            totals = total + block * lines
        for i in range(size):
            against[i] = -active[block + i]
        signs = against
        for i in range(n):
            if i + 2 < n:
                prefetch_row(all_values, ptr(indices), starts, order[i + 2])
                prefetch_weights(&row, ptr(indices), starts, order[i + 1], weights)
            row_number = order[i]
            counts[POSITION] += block == 0
            if weighted:
                model.s = weight[row_number]
                if model.s == 0:
                    continue
            counts[SEEN] += block == 0
            length = starts[row_number + 1] - starts[row_number]
            if all_values != NULL:
                values = all_values + starts[row_number]
            columns = ptr(indices) + starts[row_number]
            labels = ptr(label) + label_starts[row_number]
            n_labels = label_starts[row_number + 1] - label_starts[row_number]
            if has_opinions:
                signs = &opinions[labels[0], block]
            else:
                mark_labels(labels, n_labels, first + block, size, ptr(active) + block, 1, against)
            near = score_models(
                &row, values, columns, length, weights, size, signs, threshold, heaviest[number], ptr(seen) + block,
                &model,
            )
            while near:
                model.c = tp_lowest_bit(near)
                near &= near - 1
                model.sign = signs[model.c]
                model.later = seen[block + model.c] - 1
                if learner == PERCEPTRON:
                    learns = perceptron_learns(
                        &row, &model, first_number, second_number, values, columns, length, mine, weights, totals,
                        ptr(counts), ptr(loss), ptr(heaviest) + number,
                    )
                elif learner == MIRA:
                    learns = mira_learns(
                        &row, &model, first_number, second_number, values, columns, length, mine, weights, totals,
                        ptr(counts), ptr(loss), ptr(heaviest) + number,
                    )
                else:
                    learns = arow_learns(
                        &row, &model, first_number, values, columns, length, mine, weights,
                        ptr(counts), ptr(loss), ptr(heaviest) + number,
                    )
                counts[UPDATES] += learns
                updates[block + model.c] += learns
            if not has_opinions:
                mark_labels(labels, n_labels, first + block, size, ptr(active) + block, -1, against)


def perceptron_one_vs_all_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] label_starts, const int32_t[::1] label, const double[::1] weight, const int64_t[::1] order,
    const value_t[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates, double[::1] heaviest,
    double eta, double margin, double pad,
    Py_ssize_t first, Py_ssize_t n_classes, const float[:, ::1] opinions, double[::1] numbers, int64_t[::1] places,
):
    """Perceptron for each model."""
    with nogil:
        walk(
            PERCEPTRON, eta, margin, pad, data, indices, indptr, label_starts, label, weight, order,
            <value_t*> values_or_null(metric), w, ptr(total) if total.shape[0] > 0 else NULL, counts, loss,
            active, seen, updates, heaviest,
            first, n_classes, opinions, numbers, places,
        )


def mira_one_vs_all_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] label_starts, const int32_t[::1] label, const double[::1] weight, const int64_t[::1] order,
    const value_t[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates, double[::1] heaviest,
    double cap, double ridge, double pad,
    Py_ssize_t first, Py_ssize_t n_classes, const float[:, ::1] opinions, double[::1] numbers, int64_t[::1] places,
):
    """MIRA for each model; ``cap`` and ``ridge`` as in :func:`mira_slice`."""
    with nogil:
        walk(
            MIRA, cap, ridge, pad, data, indices, indptr, label_starts, label, weight, order,
            <value_t*> values_or_null(metric), w, ptr(total) if total.shape[0] > 0 else NULL, counts, loss,
            active, seen, updates, heaviest,
            first, n_classes, opinions, numbers, places,
        )


def arow_one_vs_all_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] label_starts, const int32_t[::1] label, const double[::1] weight, const int64_t[::1] order,
    value_t[::1] w, value_t[::1] sigma, int64_t[::1] counts, double[::1] loss,
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates, double[::1] heaviest,
    double r, double pad,
    Py_ssize_t first, Py_ssize_t n_classes, const float[:, ::1] opinions, double[::1] numbers, int64_t[::1] places,
):
    """AROW for each model; ``sigma`` starts at 1, or at squared column weights."""
    with nogil:
        walk(
            AROW, r, 0, pad, data, indices, indptr, label_starts, label, weight, order,
            ptr(sigma), w, NULL, counts, loss, active, seen, updates, heaviest,
            first, n_classes, opinions, numbers, places,
        )
