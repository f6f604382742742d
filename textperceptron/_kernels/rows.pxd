"""The arithmetic of one sparse row: every kernel is a short loop over these functions.

A row is ``n`` columns and ``n`` values; ``values == NULL`` means that every stored value is 1, and the value array is
never read. Sums are double for either stored type, in four accumulators that are added in a fixed order: the same bytes
on every machine. Wider SIMD was measured and does not pay: the loops wait for memory, not for arithmetic.

A **metric** holds the square of each column's weight r (NULL: all 1). Learning from rows ``x ∘ r`` with weights v
equals learning from x with weights ``w = v ∘ r``: scores are ``x · w``, a step ``v += s · x ∘ r`` is ``w += s · r² ∘
x``, and the squared length is ``Σ r² x²``. So the weighted rows are never built.

Weights of several models may be interleaved: ``stride`` weights per column, ``w`` the model's weight of column 0.
"""

from libc.math cimport fabs, log, sqrt
from libc.stdint cimport int32_t, int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.simd cimport tp_prefetch

ctypedef fused index_t:
    int32_t
    int64_t

ctypedef fused value_t:
    float
    double

# Separate from value_t: rows of one type are scored with weights of the other.
ctypedef fused weight_t:
    float
    double

# double in kernels for two classes, the type of the weights where each model has its own metric.
ctypedef fused metric_t:
    float
    double

# Positions in the array of counts. Kernels write counts there instead of returning them: a Ctrl-C that is delivered
# between the call and an assignment cannot then separate the weights from their counts.
cdef enum:
    SEEN = 0        # examples since training began, T of the average
    MISTAKES = 1    # of this epoch
    UPDATES = 2     # of this epoch
    POSITION = 3    # rows of this epoch's order that are done, skipped rows included
    SUPPORT = 4     # voted: rows with at least one update
    LOGGED = 5      # voted: updates in the log


cdef inline const value_t* values_or_null(const value_t[::1] data) noexcept nogil:
    """NULL for an empty array, which means that every stored value is 1."""
    return ptr(data) if data.shape[0] > 0 else NULL


cdef inline double* doubles_or_null(const double[::1] array) noexcept nogil:
    """NULL for an empty array, which means that it is not used."""
    return ptr(array) if array.shape[0] > 0 else NULL


cdef struct Row:
    Py_ssize_t number       # row of the matrix
    Py_ssize_t i            # its position in the order
    Py_ssize_t n            # entries
    double weight
    # The same for every row:
    const int64_t* order
    Py_ssize_t n_rows
    const double* weights   # NULL: all 1
    int64_t* counts         # NULL: rows are not counted


cdef inline Row all_rows_in(const int64_t[::1] order) noexcept nogil:
    """Start before the first row of ``order``, without weights and counts."""
    cdef Row row
    row.order, row.n_rows, row.weights, row.counts = ptr(order), order.shape[0], NULL, NULL
    row.number, row.i, row.n, row.weight = -1, -1, 0, 1
    return row


cdef inline Row rows_in(const int64_t[::1] order, const double[::1] weight, int64_t* counts) noexcept nogil:
    """Start before the first row of ``order``; rows of weight 0 are skipped, an empty ``weight`` means 1 per row."""
    cdef Row row = all_rows_in(order)
    row.weights, row.counts = doubles_or_null(weight), counts
    return row


cdef inline bint next_row(
    Row* row, const value_t* data, const index_t* indices, const index_t* indptr,
    const value_t** values, const index_t** columns,
) noexcept nogil:
    """Move to the next row whose weight is not 0 and count it; return False after the last row.

    ``values`` stays NULL if ``data`` is.
    """
    cdef Py_ssize_t start
    while row.i + 1 < row.n_rows:
        row.i += 1
        if row.i + 2 < row.n_rows:
            prefetch_row(data, indices, indptr, row.order[row.i + 2])
        row.number = row.order[row.i]
        if row.weights != NULL:
            row.weight = row.weights[row.number]
            if row.weight == 0:
                if row.counts != NULL:
                    row.counts[POSITION] += 1
                continue
        if row.counts != NULL:
            row.counts[POSITION] += 1
            row.counts[SEEN] += 1
        start = indptr[row.number]
        row.n = indptr[row.number + 1] - start
        columns[0] = indices + start
        values[0] = data + start if data != NULL else NULL
        return True
    return False


cdef inline double row_dot(
    const value_t* values, const index_t* columns, Py_ssize_t n, const weight_t* w, Py_ssize_t stride
) noexcept nogil:
    """``x · w``.

    Products are double too: float32 would be 6 % faster on IMDB, and 0 for values below 1e-23.
    """
    cdef double[4] sums = [0, 0, 0, 0]
    cdef Py_ssize_t k = 0, lane
    if values == NULL:
        while k + 4 <= n:
            for lane in range(4):
                sums[lane] += w[stride * columns[k + lane]]
            k += 4
        while k < n:
            sums[0] += w[stride * columns[k]]
            k += 1
    else:
        while k + 4 <= n:
            for lane in range(4):
                sums[lane] += <double> values[k + lane] * w[stride * columns[k + lane]]
            k += 4
        while k < n:
            sums[0] += <double> values[k] * w[stride * columns[k]]
            k += 1
    return (sums[0] + sums[1]) + (sums[2] + sums[3])


cdef inline double weighted_value(const value_t* values, Py_ssize_t k, double metric) noexcept nogil:
    """The k-th value of a row times its column's entry of the metric."""
    return metric if values == NULL else metric * values[k]


cdef inline void row_add(
    const value_t* values, const index_t* columns, Py_ssize_t n, double step, const metric_t* metric, weight_t* w
) noexcept nogil:
    """``w += step · metric ∘ x``, rounded to the type of the weights once per weight."""
    cdef Py_ssize_t k
    if metric != NULL:
        for k in range(n):
            w[columns[k]] = <weight_t> (w[columns[k]] + step * weighted_value(values, k, metric[columns[k]]))
    elif values == NULL:
        for k in range(n):
            w[columns[k]] = <weight_t> (w[columns[k]] + step)
    else:
        for k in range(n):
            w[columns[k]] = <weight_t> (w[columns[k]] + step * values[k])


cdef inline void row_add_padded(
    const value_t* values, const index_t* columns, Py_ssize_t n, double pad, double step, const metric_t* metric,
    weight_t* w, Py_ssize_t d,
) noexcept nogil:
    """``w += step · (x, pad)``: the row and the intercept ``w[d]``, to which the metric does not apply."""
    row_add(values, columns, n, step, metric, w)
    w[d] = <weight_t> (w[d] + step * pad)


cdef inline void row_add_averaged(
    const value_t* values, const index_t* columns, Py_ssize_t n, double pad, double step, double n_seen_before,
    const metric_t* metric, weight_t* w, double* total, Py_ssize_t d,
) noexcept nogil:
    """``w += step · (x, pad)`` and ``total += n_seen_before · step · (x, pad)`` in one pass over the row."""
    cdef Py_ssize_t k
    cdef double backlog = n_seen_before * step, x
    if metric != NULL:
        for k in range(n):
            x = weighted_value(values, k, metric[columns[k]])
            w[columns[k]] = <weight_t> (w[columns[k]] + step * x)
            total[columns[k]] += backlog * x
    elif values == NULL:
        for k in range(n):
            w[columns[k]] = <weight_t> (w[columns[k]] + step)
            total[columns[k]] += backlog
    else:
        for k in range(n):
            w[columns[k]] = <weight_t> (w[columns[k]] + step * values[k])
            total[columns[k]] += backlog * values[k]
    w[d] = <weight_t> (w[d] + step * pad)
    total[d] += backlog * pad


cdef inline void variance_step(
    double x, weight_t* w, weight_t* sigma, Py_ssize_t column, double step, double beta
) noexcept nogil:
    """One column of ``w += step · Σx`` and ``Σ −= β (Σx)²``."""
    cdef double spread = sigma[column] * x
    w[column] = <weight_t> (w[column] + step * spread)
    sigma[column] = <weight_t> (sigma[column] - beta * spread * spread)


cdef inline void row_add_by_variance(
    const value_t* values, const index_t* columns, Py_ssize_t n, double pad, double step, double beta,
    weight_t* w, weight_t* sigma, Py_ssize_t d,
) noexcept nogil:
    """AROW's step along ``(x, pad)``: ``w += step · Σx`` and ``Σ −= β (Σx)²``."""
    cdef Py_ssize_t k
    if values == NULL:
        for k in range(n):
            variance_step(1, w, sigma, columns[k], step, beta)
    else:
        for k in range(n):
            variance_step(values[k], w, sigma, columns[k], step, beta)
    variance_step(pad, w, sigma, d, step, beta)


cdef inline double row_sqnorm(const value_t* values, Py_ssize_t n) noexcept nogil:
    """``‖x‖²`` of a row without duplicate columns."""
    cdef double a = 0, b = 0, c = 0, d = 0
    cdef Py_ssize_t k = 0
    if values == NULL:
        return n
    while k + 4 <= n:
        a += <double> values[k] * values[k]
        b += <double> values[k + 1] * values[k + 1]
        c += <double> values[k + 2] * values[k + 2]
        d += <double> values[k + 3] * values[k + 3]
        k += 4
    while k < n:
        a += <double> values[k] * values[k]
        k += 1
    return (a + b) + (c + d)


cdef inline double row_sqnorm_in(
    const value_t* values, const index_t* columns, Py_ssize_t n, const weight_t* metric
) noexcept nogil:
    """``Σ metric · x²``: the squared length under a metric; in AROW the variance of the score."""
    cdef double a = 0, b = 0
    cdef Py_ssize_t k = 0
    if values == NULL:
        return row_dot(values, columns, n, metric, 1)
    while k + 2 <= n:
        a += <double> values[k] * values[k] * metric[columns[k]]
        b += <double> values[k + 1] * values[k + 1] * metric[columns[k + 1]]
        k += 2
    if k < n:
        a += <double> values[k] * values[k] * metric[columns[k]]
    return a + b


cdef inline void row_to_unit(value_t* values, Py_ssize_t n, int norm) noexcept nogil:
    """``x /= ‖x‖`` of norm 1 or 2; a zero row stays. The length of integer counts does not depend on their order."""
    cdef double length = 0
    cdef Py_ssize_t k
    if norm == 2:
        length = sqrt(row_sqnorm(values, n))
    else:
        for k in range(n):
            length += fabs(<double> values[k])
    if length > 0:
        for k in range(n):
            values[k] = <value_t> (values[k] / length)


cdef inline void scale_row(
    value_t* values, const index_t* columns, Py_ssize_t n, bint sublinear, Py_ssize_t n_words, double weight, int norm
) noexcept nogil:
    """Turn counts into values: their logarithm, the weight of columns from ``n_words`` on, length 1.

    ``sublinear`` is ``1 + log(count)``, with the sign of the count. Columns ascend. ``norm`` is 1 or 2, or 0 for rows
    of any length.
    """
    cdef Py_ssize_t k
    if sublinear:
        for k in range(n):
            if values[k] > 1:
                values[k] = <value_t> (1 + log(<double> values[k]))
            elif values[k] < -1:
                values[k] = <value_t> (-1 - log(-<double> values[k]))
    k = n
    while k > 0 and columns[k - 1] >= n_words:
        k -= 1
        values[k] = <value_t> (values[k] * weight)
    if norm:
        row_to_unit(values, n, norm)


cdef inline bint row_is_zero(
    const value_t* values, const index_t* columns, Py_ssize_t n, const double* metric
) noexcept nogil:
    """Whether ``x`` is the zero vector: no entries, or only stored zeros and columns of weight 0."""
    cdef Py_ssize_t k
    if metric != NULL:
        return row_sqnorm_in(values, columns, n, metric) == 0
    if values == NULL:
        return n == 0
    for k in range(n):
        if values[k] != 0:
            return False
    return True


cdef inline double mean_weight(double w, double total, double seen) noexcept nogil:
    """The mean ``w − total/seen``. With one division at the end it is rounded once wherever the sums are exact."""
    return (seen * w - total) / seen


cdef inline void prefetch_row(
    const value_t* data, const index_t* indices, const index_t* indptr, Py_ssize_t row
) noexcept nogil:
    """Prefetch a whole row, one cache line at a time.

    In shuffled order every row begins with a miss that the hardware cannot predict. Prefetching two rows ahead halves
    the time of an epoch on IMDB (unigrams: 550 bytes of columns per row).
    """
    cdef const char* p = <const char*> (indices + indptr[row])
    cdef const char* end = <const char*> (indices + indptr[row + 1])
    while p < end:
        tp_prefetch(p)
        p += 64
    if data != NULL:
        p = <const char*> (data + indptr[row])
        end = <const char*> (data + indptr[row + 1])
        while p < end:
            tp_prefetch(p)
            p += 64


cdef inline void prefetch_far(
    const index_t* indices, const index_t* indptr, Py_ssize_t row, const weight_t* w, Py_ssize_t stride
) noexcept nogil:
    """Prefetch the weights of a row's rare columns; the ``stride`` weights of a column fit into one cache line.

    Columns ascend, and frequent words come first: this goes from the end of the row back to those that are in L2
    anyway. Prefetching all columns makes an epoch a tenth slower than prefetching none.
    """
    cdef Py_ssize_t near = 1 << 18  # weights at the front of a table
    cdef Py_ssize_t k = indptr[row + 1] - 1
    while k >= indptr[row] and indices[k] * stride >= near:
        tp_prefetch(w + indices[k] * stride)
        k -= 1
