"""Many binary models on the same rows: the steps of a learner for each of them, 16 models in one pass over the rows.

Tables and scratch are those of multiclass.pyx, dense, one table per block of 16 models: 16 weights of a column are a
cache line, and the lines of common words stay in L2 during a pass. Row i has the labels
``label[label_starts[i] : label_starts[i + 1]]``.

One-vs-all: ``label_signs`` is empty, the models are those of ``n_classes`` classes from ``first`` on, and a row, which
may have several labels, has the sign +1 for these and -1 for the other classes. A class whose ``active`` is 0 has
converged and is skipped. Otherwise a row has one label and the sign ``label_signs[label, c]`` for model c, 0 where it
does not take part in model c. ``seen`` and ``updates`` count rows and updates per model.

An empty ``metric`` means ones; otherwise it has tables of squared column weights, with entries per model.

Rows of float32 are scored in float32 (float32_scores.pxd), and exactly where a model is near its threshold or takes a
step. For that ``max_abs_weight`` is, before and after, at least the largest absolute weight of a column per table.

Bottleneck: steps, with at most three passes over a row (score, weights, totals) and one cache line per entry; for
scores one cache line of weights per entry, mostly from L2.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t, uint32_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.class_rows cimport (
    ClassRow, class_row, class_sqnorm, load_row, move_class_by_variance, prefetch_weights, score_classes,
)
from textperceptron._kernels.float32_scores cimport error_bound, float32_scores, tp_uncertain_mask
from textperceptron._kernels.rows cimport (
    MISTAKES, UPDATES, Row, doubles_or_null, index_t, next_row, row_add_averaged, row_add_padded, row_dot,
    row_is_zero, row_sqnorm, rows_in, value_t, values_or_null,
)
from textperceptron._kernels.simd cimport tp_lowest_bit

cdef enum:
    BLOCK = 16  # models per table


# One type per learner: ``train_block`` is compiled for each, without a test in the loop.
cdef struct Perceptron:
    double eta
    double margin

cdef struct Mira:
    double cap
    double ridge

cdef struct Arow:
    double r

ctypedef fused learner_t:
    Perceptron
    Mira
    Arow


cdef struct Labels:
    const int64_t* starts       # one per row
    const int32_t* labels
    const float* signs          # per label and model; NULL for one-vs-all
    Py_ssize_t n_signs          # per label


cdef struct Models:
    Py_ssize_t n                # models
    Py_ssize_t stride           # models, rounded up: weights per column in all tables together
    Py_ssize_t first            # class of the first model
    Py_ssize_t intercepts       # offset of the intercepts in a table; set per block
    double pad
    const signed char* active   # one per model, as seen and updates
    int64_t* seen
    int64_t* updates
    double* max_abs_weight      # one per table
    int64_t* counts
    double* loss


cdef struct Model:
    Py_ssize_t c                # position among the weights of a column
    double sign                 # of the row
    double n_seen_before        # rows that the model has seen before this one
    double error_bound          # of its float32 score


cdef inline void mark_labels(
    const int32_t* label, Py_ssize_t n, const Models* block, int sign, float* signs
) noexcept nogil:
    """Set the sign of the active classes of a row."""
    cdef Py_ssize_t k, c
    for k in range(n):
        c = label[k] - block.first
        if 0 <= c < block.n:
            signs[c] = sign * block.active[c]


cdef inline uint32_t score_models(
    ClassRow* loaded, const Models* block, Model* model, const value_t* values, const index_t* columns, Py_ssize_t n,
    const value_t* w, const float* signs, double threshold,
) noexcept nogil:
    """One bit per model that may have to learn from a row; counts the row in ``seen`` of every model with a sign."""
    cdef Py_ssize_t c
    cdef uint32_t uncertain = 0
    loaded.n = -1
    if value_t is float:
        float32_scores(values, columns, n, w, loaded.stride, loaded.stride, loaded.float32_scores)
        model.error_bound = error_bound(values, n, block.max_abs_weight[0])
        # Intercepts are added in float32, so the limit is a little higher than the bound.
        return tp_uncertain_mask(
            block.n, loaded.float32_scores, w + block.intercepts, <float> block.pad, signs,
            <float> ((threshold + model.error_bound) * (1 + 3e-7) + 1e-44), block.seen,
        )
    else:
        model.error_bound = INFINITY
        load_row(loaded, values, columns, n, NULL)
        score_classes(loaded, w, block.intercepts, block.pad)
        for c in range(block.n):
            if signs[c] != 0:
                block.seen[c] += 1
                if not signs[c] * loaded.scores[c] > threshold:
                    uncertain |= <uint32_t> 1 << c
        return uncertain


cdef inline double exact_score(
    const ClassRow* loaded, const Models* block, const Model* model, const value_t* values, const index_t* columns,
    Py_ssize_t n, const value_t* w,
) noexcept nogil:
    """The score in double, times the sign of the row."""
    cdef double score
    if value_t is float:
        score = row_dot(values, columns, n, w + model.c, loaded.stride) + block.pad * w[block.intercepts + model.c]
    else:
        score = loaded.scores[model.c]
    return model.sign * score


cdef inline void raise_max_abs_weight(
    const Models* block, const ClassRow* loaded, Py_ssize_t c, const value_t* w
) noexcept nogil:
    """Include the weights of model ``c`` after a step along a row."""
    cdef Py_ssize_t k
    cdef double largest = block.max_abs_weight[0]
    for k in range(loaded.n):
        largest = max(largest, fabs(w[loaded.offsets[k] + c]))
    block.max_abs_weight[0] = largest


cdef inline double move_weight(
    double x, Py_ssize_t at, double step, double backlog, value_t* w, double* total, value_t* largest
) noexcept nogil:
    """``w[at] += step · x`` and ``total[at] += backlog · x``; returns ``x`` times the weight before."""
    cdef double before = w[at]
    cdef value_t after = <value_t> (before + step * x)
    w[at] = after
    largest[0] = max(largest[0], -after if after < 0 else after)
    if total != NULL:
        total[at] += backlog * x
    return x * before


cdef inline double row_add_and_dot(
    const value_t* values, const index_t* columns, Py_ssize_t n, Py_ssize_t stride, double step, double backlog,
    value_t* w, double* total, double* max_abs_weight,
) noexcept nogil:
    """``w += step · x`` and ``total += backlog · x``; returns ``x · w`` before the step, summed as in ``row_dot``."""
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
    max_abs_weight[0] = max(max_abs_weight[0], max(max(largest[0], largest[1]), max(largest[2], largest[3])))
    return (sums[0] + sums[1]) + (sums[2] + sums[3])


cdef inline void move_intercept(
    const Models* block, const Model* model, double step, value_t* w, double* totals
) noexcept nogil:
    cdef Py_ssize_t at = block.intercepts + model.c
    w[at] = <value_t> (w[at] + step * block.pad)
    if totals != NULL:
        totals[at] += step * model.n_seen_before * block.pad


cdef inline double step_and_score(
    const ClassRow* loaded, const Models* block, const Model* model, double step, const value_t* values,
    const index_t* columns, Py_ssize_t n, value_t* w, double* totals,
) noexcept nogil:
    """Move a model along a row, without a metric; return the exact score before the step."""
    cdef Py_ssize_t c = model.c
    cdef double score = row_add_and_dot(
        values, columns, n, loaded.stride, step, step * model.n_seen_before, w + c,
        NULL if totals == NULL else totals + c, block.max_abs_weight,
    ) + block.pad * w[block.intercepts + c]
    move_intercept(block, model, step, w, totals)
    return model.sign * score


cdef inline void take_step(
    const ClassRow* loaded, const Models* block, const Model* model, double step, const value_t* values,
    const index_t* columns, Py_ssize_t n, const value_t* squares, value_t* w, double* totals,
) noexcept nogil:
    """Move a model along a row. A row with ``squares`` is loaded."""
    cdef Py_ssize_t k, c = model.c
    cdef double* total = NULL if totals == NULL else totals + c
    cdef value_t largest = 0
    if squares == NULL:
        for k in range(n):
            move_weight(
                1 if values == NULL else values[k], loaded.stride * columns[k], step, step * model.n_seen_before,
                w + c, total, &largest,
            )
        block.max_abs_weight[0] = max(block.max_abs_weight[0], largest)
        move_intercept(block, model, step, w, totals)
        return
    if totals == NULL:
        row_add_padded(loaded.x, loaded.offsets, loaded.n, block.pad, step, squares + c, w + c, block.intercepts)
    else:
        row_add_averaged(
            loaded.x, loaded.offsets, loaded.n, block.pad, step, model.n_seen_before, squares + c, w + c, total,
            block.intercepts,
        )
    raise_max_abs_weight(block, loaded, c, w)


cdef inline bint perceptron_learns(
    const Perceptron* learner, ClassRow* loaded, const Models* block, const Model* model, double weight,
    const value_t* values, const index_t* columns, Py_ssize_t n, const value_t* squares, value_t* w, double* totals,
) noexcept nogil:
    """Take the perceptron's step along a row; return whether there was one."""
    cdef double score, step = learner.eta * weight * model.sign
    cdef bint moves = block.pad != 0
    if squares == NULL:
        moves = moves or not row_is_zero(values, columns, n, NULL)
        if value_t is float:
            score = model.sign * (loaded.float32_scores[model.c] + block.pad * w[block.intercepts + model.c])
            if moves and score < learner.margin - model.error_bound:  # a mistake for certain: score and step at once
                block.counts[MISTAKES] += 1
                block.loss[0] += learner.margin - step_and_score(
                    loaded, block, model, step, values, columns, n, w, totals
                )
                return True
    score = exact_score(loaded, block, model, values, columns, n, w)
    if score > learner.margin:
        return False
    block.counts[MISTAKES] += 1
    block.loss[0] += learner.margin - score
    if squares != NULL:
        if loaded.n < 0:
            load_row(loaded, values, columns, n, NULL)
        moves = moves or class_sqnorm(loaded, model.c, squares) != 0
    if moves:
        take_step(loaded, block, model, step, values, columns, n, squares, w, totals)
    return moves


cdef inline bint mira_learns(
    const Mira* learner, ClassRow* loaded, const Models* block, const Model* model, double weight,
    const value_t* values, const index_t* columns, Py_ssize_t n, const value_t* squares, value_t* w, double* totals,
) noexcept nogil:
    """Take MIRA's step along a row; return whether there was one."""
    cdef double sqnorm, score = exact_score(loaded, block, model, values, columns, n, w)
    if score >= 1:
        return False
    block.counts[MISTAKES] += score <= 0
    block.loss[0] += 1 - score
    if squares != NULL:
        if loaded.n < 0:
            load_row(loaded, values, columns, n, NULL)
        sqnorm = class_sqnorm(loaded, model.c, squares) + block.pad
    else:
        sqnorm = row_sqnorm(values, n) + block.pad
    if sqnorm == 0:
        return False
    take_step(
        loaded, block, model,
        model.sign * min(learner.cap * weight, (1 - score) / (sqnorm + learner.ridge / weight)),
        values, columns, n, squares, w, totals,
    )
    return True


cdef inline bint arow_learns(
    const Arow* learner, ClassRow* loaded, const Models* block, const Model* model, double weight,
    const value_t* values, const index_t* columns, Py_ssize_t n, value_t* sigma, value_t* w,
) noexcept nogil:
    """Take AROW's step along a row; return whether there was one."""
    cdef double variance, beta, score = exact_score(loaded, block, model, values, columns, n, w)
    if score >= 1:
        return False
    block.counts[MISTAKES] += score <= 0
    block.loss[0] += 1 - score
    if loaded.n < 0:
        load_row(loaded, values, columns, n, NULL)
    variance = class_sqnorm(loaded, model.c, sigma) + block.pad * sigma[block.intercepts + model.c]
    if variance == 0:
        return False
    beta = 1 / (variance + learner.r / weight)
    move_class_by_variance(
        loaded, model.c, model.sign * beta * (1 - score), beta, block.pad, w, sigma, block.intercepts
    )
    raise_max_abs_weight(block, loaded, model.c, w)
    return True


cdef void train_block(
    const learner_t* learner, Row row, const value_t* data, const index_t* indices, const index_t* indptr,
    const Labels* labels, const Models* block, ClassRow* loaded,
    value_t* variance_or_scale, value_t* w, double* totals,
) noexcept nogil:
    """Train the models of one table; ``variance_or_scale`` is AROW's variances or a metric, NULL for none."""
    cdef Py_ssize_t i, n_labels
    cdef const value_t* values
    cdef const index_t* columns
    cdef const int32_t* row_labels
    cdef double threshold
    cdef float[BLOCK] own_signs
    cdef const float* signs = own_signs
    cdef bint learns
    cdef uint32_t uncertain
    cdef Model model
    if learner_t is Perceptron:
        threshold = learner.margin
    else:
        threshold = 1
    for i in range(block.n):
        own_signs[i] = -block.active[i]
    while next_row(&row, data, indices, indptr, &values, &columns):
        prefetch_weights(loaded, &row, indices, indptr, w)
        row_labels = labels.labels + labels.starts[row.number]
        n_labels = labels.starts[row.number + 1] - labels.starts[row.number]
        if labels.signs != NULL:
            signs = labels.signs + row_labels[0] * labels.n_signs
        else:
            mark_labels(row_labels, n_labels, block, 1, own_signs)
        uncertain = score_models(loaded, block, &model, values, columns, row.n, w, signs, threshold)
        while uncertain:
            model.c = tp_lowest_bit(uncertain)
            uncertain &= uncertain - 1
            model.sign = signs[model.c]
            model.n_seen_before = block.seen[model.c] - 1
            if learner_t is Perceptron:
                learns = perceptron_learns(
                    learner, loaded, block, &model, row.weight, values, columns, row.n, variance_or_scale, w, totals
                )
            elif learner_t is Mira:
                learns = mira_learns(
                    learner, loaded, block, &model, row.weight, values, columns, row.n, variance_or_scale, w, totals
                )
            else:
                learns = arow_learns(
                    learner, loaded, block, &model, row.weight, values, columns, row.n, variance_or_scale, w
                )
            block.counts[UPDATES] += learns
            block.updates[model.c] += learns
        if labels.signs == NULL:
            mark_labels(row_labels, n_labels, block, -1, own_signs)


cdef void train_models(
    const learner_t* learner, Row row, const value_t* data, const index_t* indices, const index_t* indptr,
    Labels labels, const Models* models, ClassRow loaded,
    value_t* variance_or_scale, value_t[::1] w, double* totals,
) noexcept nogil:
    """Train all models, block by block."""
    cdef Py_ssize_t lines = w.shape[0] // models.stride, number, first, table
    cdef Models block = models[0]
    for number in range((models.n + BLOCK - 1) // BLOCK):
        first = number * BLOCK
        table = first * lines
        loaded.stride = min(BLOCK, models.stride - first)
        block.n = min(BLOCK, models.n - first)
        block.first = models.first + first
        block.intercepts = (lines - 1) * loaded.stride
        block.active, block.seen, block.updates = models.active + first, models.seen + first, models.updates + first
        block.max_abs_weight = models.max_abs_weight + number
        train_block(
            learner, row, data, indices, indptr, &labels, &block, &loaded,
            NULL if variance_or_scale == NULL else variance_or_scale + table, ptr(w) + table,
            NULL if totals == NULL else totals + table,
        )
        row.counts = NULL  # the first block has counted the rows
        if labels.signs != NULL:
            labels.signs += BLOCK


cdef inline Labels labels_of(
    const int64_t[::1] label_starts, const int32_t[::1] label, const float[:, ::1] label_signs
) noexcept nogil:
    cdef Labels labels
    labels.starts, labels.labels = ptr(label_starts), ptr(label)
    labels.signs, labels.n_signs = NULL, label_signs.shape[1]
    if label_signs.shape[0] > 0:
        labels.signs = &label_signs[0, 0]
    return labels


cdef inline Models models_of(
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates, double[::1] max_abs_weight,
    int64_t[::1] counts, double[::1] loss, Py_ssize_t first, Py_ssize_t n_classes, double pad,
) noexcept nogil:
    cdef Models models
    models.n, models.stride, models.first, models.intercepts, models.pad = n_classes, seen.shape[0], first, 0, pad
    models.active, models.seen, models.updates = ptr(active), ptr(seen), ptr(updates)
    models.max_abs_weight, models.counts, models.loss = ptr(max_abs_weight), ptr(counts), ptr(loss)
    return models


def perceptron_one_vs_all_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] label_starts, const int32_t[::1] label, const double[::1] weight, const int64_t[::1] order,
    const value_t[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates, double[::1] max_abs_weight,
    double eta, double margin, double pad,
    Py_ssize_t first, Py_ssize_t n_classes, const float[:, ::1] label_signs,
    double[::1] scratch_f64, int64_t[::1] scratch_i64,
):
    """Perceptron for each model."""
    cdef Perceptron learner
    cdef Models models = models_of(active, seen, updates, max_abs_weight, counts, loss, first, n_classes, pad)
    learner.eta, learner.margin = eta, margin
    with nogil:
        train_models(
            &learner, rows_in(order, weight, ptr(counts)), values_or_null(data), ptr(indices), ptr(indptr),
            labels_of(label_starts, label, label_signs), &models,
            class_row(scratch_f64, scratch_i64, min(models.stride, BLOCK), 0),
            <value_t*> values_or_null(metric), w, doubles_or_null(total),
        )


def mira_one_vs_all_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] label_starts, const int32_t[::1] label, const double[::1] weight, const int64_t[::1] order,
    const value_t[::1] metric, value_t[::1] w, double[::1] total, int64_t[::1] counts, double[::1] loss,
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates, double[::1] max_abs_weight,
    double cap, double ridge, double pad,
    Py_ssize_t first, Py_ssize_t n_classes, const float[:, ::1] label_signs,
    double[::1] scratch_f64, int64_t[::1] scratch_i64,
):
    """MIRA for each model; ``cap`` and ``ridge`` as in :func:`mira_slice`."""
    cdef Mira learner
    cdef Models models = models_of(active, seen, updates, max_abs_weight, counts, loss, first, n_classes, pad)
    learner.cap, learner.ridge = cap, ridge
    with nogil:
        train_models(
            &learner, rows_in(order, weight, ptr(counts)), values_or_null(data), ptr(indices), ptr(indptr),
            labels_of(label_starts, label, label_signs), &models,
            class_row(scratch_f64, scratch_i64, min(models.stride, BLOCK), 0),
            <value_t*> values_or_null(metric), w, doubles_or_null(total),
        )


def arow_one_vs_all_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] label_starts, const int32_t[::1] label, const double[::1] weight, const int64_t[::1] order,
    value_t[::1] w, value_t[::1] sigma, int64_t[::1] counts, double[::1] loss,
    const signed char[::1] active, int64_t[::1] seen, int64_t[::1] updates, double[::1] max_abs_weight,
    double r, double pad,
    Py_ssize_t first, Py_ssize_t n_classes, const float[:, ::1] label_signs,
    double[::1] scratch_f64, int64_t[::1] scratch_i64,
):
    """AROW for each model; ``sigma`` starts at 1, or at squared column weights."""
    cdef Arow learner
    cdef Models models = models_of(active, seen, updates, max_abs_weight, counts, loss, first, n_classes, pad)
    learner.r = r
    with nogil:
        train_models(
            &learner, rows_in(order, weight, ptr(counts)), values_or_null(data), ptr(indices), ptr(indptr),
            labels_of(label_starts, label, label_signs), &models,
            class_row(scratch_f64, scratch_i64, min(models.stride, BLOCK), 0),
            ptr(sigma), w, NULL,
        )
