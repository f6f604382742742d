"""The arithmetic of one sparse row: every kernel is a short loop over these.

A row is ``n`` columns and, beside them, ``n`` values; ``values == NULL`` means that every stored value is 1,
and then the value array is never read. Sums are taken in double, whatever the stored type, in four
accumulators that are added in a fixed order: the same bytes on every machine. Wider SIMD was measured and does
not pay here: the loops wait for memory, not for arithmetic.

A **metric** holds the square of each column's weight r (NULL: all 1). Learning from rows ``x ∘ r`` with weights v is
learning from x with weights ``w = v ∘ r``: scores are ``x · w``, a step ``v += s · x ∘ r`` is ``w += s · r² ∘ x``, and
the squared length is ``Σ r² x²``. So the weighted rows need not exist.
"""

from libc.stdint cimport int32_t, int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.simd cimport tp_prefetch

ctypedef fused index_t:
    int32_t
    int64_t

ctypedef fused value_t:
    float
    double

# The weights' type; a name of its own so that a row of one type can meet weights of the other.
ctypedef fused weight_t:
    float
    double

# Where a kernel writes what it counted. In the state's arrays, not in a return value: a Ctrl-C that is
# delivered between the call and the assignment cannot then separate the weights from their counts.
cdef enum:
    SEEN = 0        # examples since training began, T of the average
    MISTAKES = 1    # of this epoch
    UPDATES = 2     # of this epoch
    POSITION = 3    # rows of this epoch's order that are done, skipped ones included
    SUPPORT = 4     # rows with at least one update, and
    LOGGED = 5      # updates in the log, for the learner that keeps its mistakes


cdef inline const value_t* values_or_null(const value_t[::1] data) noexcept nogil:
    """An empty value array stands for "every stored value is 1"."""
    return ptr(data) if data.shape[0] > 0 else NULL


cdef inline double row_dot(
    const value_t* values, const index_t* columns, Py_ssize_t n, const weight_t* w
) noexcept nogil:
    """``x · w``.

    Products are double as well: in float32 they would be 6 % faster on IMDB, and 0 for values below 1e-23.
    """
    cdef double[4] sums = [0, 0, 0, 0]
    cdef Py_ssize_t k = 0, lane
    if values == NULL:
        while k + 4 <= n:
            for lane in range(4):
                sums[lane] += w[columns[k + lane]]
            k += 4
        while k < n:
            sums[0] += w[columns[k]]
            k += 1
    else:
        while k + 4 <= n:
            for lane in range(4):
                sums[lane] += <double> values[k + lane] * w[columns[k + lane]]
            k += 4
        while k < n:
            sums[0] += <double> values[k] * w[columns[k]]
            k += 1
    return (sums[0] + sums[1]) + (sums[2] + sums[3])


cdef inline const double* numbers_or_null(const double[::1] numbers) noexcept nogil:
    """An empty array of numbers stands for none at all."""
    return ptr(numbers) if numbers.shape[0] > 0 else NULL


cdef inline double weighed(const value_t* values, Py_ssize_t k, double metric) noexcept nogil:
    """The k-th value of a row times its column's entry of the metric."""
    return metric if values == NULL else metric * values[k]


cdef inline void row_add(
    const value_t* values, const index_t* columns, Py_ssize_t n, double step, const double* metric, weight_t* w
) noexcept nogil:
    """``w += step · x``, rounded to the weights' type once a weight; with a metric ``w += step · metric ∘ x``."""
    cdef Py_ssize_t k
    if metric != NULL:
        for k in range(n):
            w[columns[k]] = <weight_t> (w[columns[k]] + step * weighed(values, k, metric[columns[k]]))
    elif values == NULL:
        for k in range(n):
            w[columns[k]] = <weight_t> (w[columns[k]] + step)
    else:
        for k in range(n):
            w[columns[k]] = <weight_t> (w[columns[k]] + step * values[k])


cdef inline void row_add_padded(
    const value_t* values, const index_t* columns, Py_ssize_t n, double pad, double step, const double* metric,
    weight_t* w, Py_ssize_t d,
) noexcept nogil:
    """``w += step · (x, pad)``: the row and the intercept behind it, which no metric weighs."""
    row_add(values, columns, n, step, metric, w)
    w[d] = <weight_t> (w[d] + step * pad)


cdef inline void row_add_averaged(
    const value_t* values, const index_t* columns, Py_ssize_t n, double pad, double step, double later,
    const double* metric, weight_t* w, double* total, Py_ssize_t d,
) noexcept nogil:
    """``w += step · (x, pad)`` and ``total += later · step · (x, pad)`` in one walk over the row."""
    cdef Py_ssize_t k
    cdef double backlog = later * step, x
    if metric != NULL:
        for k in range(n):
            x = weighed(values, k, metric[columns[k]])
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
    """``Σ metric · x²``: the squared length of a row whose columns are weighted, the variance of its score in AROW."""
    cdef double a = 0, b = 0
    cdef Py_ssize_t k = 0
    if values == NULL:
        return row_dot(values, columns, n, metric)
    while k + 2 <= n:
        a += <double> values[k] * values[k] * metric[columns[k]]
        b += <double> values[k + 1] * values[k + 1] * metric[columns[k + 1]]
        k += 2
    if k < n:
        a += <double> values[k] * values[k] * metric[columns[k]]
    return a + b


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


cdef inline void prefetch_row(
    const value_t* values, const index_t* columns, const index_t* indptr, Py_ssize_t row
) noexcept nogil:
    """Ask for a whole row, one cache line at a time.

    In shuffled order every row begins with a miss that the hardware cannot foresee. Asking two rows ahead
    halves the time of an epoch on IMDB (unigrams: 550 bytes of columns a row).
    """
    cdef const char* p = <const char*> (columns + indptr[row])
    cdef const char* end = <const char*> (columns + indptr[row + 1])
    while p < end:
        tp_prefetch(p)
        p += 64
    if values != NULL:
        p = <const char*> (values + indptr[row])
        end = <const char*> (values + indptr[row + 1])
        while p < end:
            tp_prefetch(p)
            p += 64


cdef inline void prefetch_far(
    const index_t* columns, const index_t* indptr, Py_ssize_t row, const weight_t* w, Py_ssize_t stride
) noexcept nogil:
    """Ask for the weights of a row's rare columns, if there are ``stride`` of them side by side, a cache line at most.

    Columns ascend, and frequent words come first: from the end back to those that are in L2 anyway. Asking for all of
    them makes an epoch a tenth slower than asking for none.
    """
    cdef Py_ssize_t near = 1 << 18  # weights at the front of a table
    cdef Py_ssize_t k = indptr[row + 1] - 1
    while k >= indptr[row] and columns[k] * stride >= near:
        tp_prefetch(w + columns[k] * stride)
        k -= 1
