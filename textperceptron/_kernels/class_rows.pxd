"""The arithmetic of one sparse row against the weights of many classes.

Weights are class-minor: ``stride`` weights per column side by side (the number of classes, rounded up to 4), so that
the columns of a row are gathered once for all classes and the loop over classes vectorises. The intercepts of the
classes follow the last column.

Where columns × classes would not fit, the table is **hashed**: each block of 8 classes of a column goes to one of
``2**bits`` lines of 8 weights. A line is as long as one or two vector registers, so hashed scores vectorise like dense
ones.

A row is loaded first: its columns become offsets into the table, its values double. Sums run in the order of
``row_dot`` for every class, for any width of the registers: the same bytes on every machine, and those of the kernels
for two classes.
"""

from libc.stdint cimport int64_t, uint64_t

from textperceptron._kernels cimport simd  # no-cython-lint
from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    Row, index_t, prefetch_far, row_add_by_variance, row_add_padded, row_sqnorm_in, value_t, weight_t,
)
from textperceptron._kernels.simd cimport tp_prefetch

cdef extern from *:
    """
    /* out[c] = sum of x[k] * w[at[k] + c] for WIDTH classes; x == NULL means ones. Four sums as in row_dot. */
    #define TP_BLOCK(NAME, WEIGHT, WIDTH)                                                                      \\
    TP_CLONES static void NAME(const double* x, const int64_t* at, Py_ssize_t n, const WEIGHT* w, double* out) \\
    {                                                                                                          \\
        double sums[4][WIDTH] = {{0}};                                                                         \\
        Py_ssize_t k = 0;                                                                                      \\
        int lane, c;                                                                                           \\
        if (x != NULL) {                                                                                       \\
            for (; k + 4 <= n; k += 4)                                                                         \\
                for (lane = 0; lane < 4; lane++)                                                               \\
                    for (c = 0; c < WIDTH; c++)                                                                \\
                        sums[lane][c] += x[k + lane] * w[at[k + lane] + c];                                    \\
            for (; k < n; k++)                                                                                 \\
                for (c = 0; c < WIDTH; c++)                                                                    \\
                    sums[0][c] += x[k] * w[at[k] + c];                                                         \\
        } else {                                                                                               \\
            for (; k + 4 <= n; k += 4)                                                                         \\
                for (lane = 0; lane < 4; lane++)                                                               \\
                    for (c = 0; c < WIDTH; c++)                                                                \\
                        sums[lane][c] += w[at[k + lane] + c];                                                  \\
            for (; k < n; k++)                                                                                 \\
                for (c = 0; c < WIDTH; c++)                                                                    \\
                    sums[0][c] += w[at[k] + c];                                                                \\
        }                                                                                                      \\
        for (c = 0; c < WIDTH; c++)                                                                            \\
            out[c] = (sums[0][c] + sums[1][c]) + (sums[2][c] + sums[3][c]);                                    \\
    }
    TP_BLOCK(tp_block16_float, float, 16)
    TP_BLOCK(tp_block8_float, float, 8)
    TP_BLOCK(tp_block4_float, float, 4)
    TP_BLOCK(tp_block8_double, double, 8)
    TP_BLOCK(tp_block4_double, double, 4)
    """
    void tp_block16_float(const double* x, const int64_t* at, Py_ssize_t n, const float* w, double* out) noexcept nogil
    void tp_block8_float(const double* x, const int64_t* at, Py_ssize_t n, const float* w, double* out) noexcept nogil
    void tp_block4_float(const double* x, const int64_t* at, Py_ssize_t n, const float* w, double* out) noexcept nogil
    void tp_block8_double(const double* x, const int64_t* at, Py_ssize_t n, const double* w, double* out) noexcept nogil
    void tp_block4_double(const double* x, const int64_t* at, Py_ssize_t n, const double* w, double* out) noexcept nogil


cdef struct ClassRow:
    Py_ssize_t n            # entries; -1: not loaded
    Py_ssize_t stride       # weights per column
    int bits                # 0: a dense table, else 2**bits lines of 8
    double* x               # values; NULL if all are 1
    double* scaled          # values times the metric, the direction of a step; NULL if all are 1
    int64_t* columns        # of a hashed table
    int64_t* offsets        # of the columns in the table; of one block of classes if it is hashed
    double* scores          # one per class
    float* float32_scores   # one per class
    double* x_scratch
    double* scaled_scratch


cdef inline ClassRow class_row(
    double[::1] scratch_f64, int64_t[::1] scratch_i64, Py_ssize_t stride, int bits
) noexcept nogil:
    """Divide scratch: both arrays have two numbers per entry of the longest row, ``scratch_f64`` two more per class."""
    cdef ClassRow row
    cdef Py_ssize_t longest = scratch_i64.shape[0] // 2
    row.n, row.stride, row.bits = -1, stride, bits
    row.scores, row.x_scratch = ptr(scratch_f64), ptr(scratch_f64) + stride
    row.scaled_scratch = row.x_scratch + longest
    row.float32_scores = <float*> (row.scaled_scratch + longest)
    row.x, row.scaled = NULL, NULL
    row.columns, row.offsets = ptr(scratch_i64), ptr(scratch_i64) + longest
    return row


cdef inline void load_row(
    ClassRow* row, const value_t* values, const index_t* columns, Py_ssize_t n, const double* metric
) noexcept nogil:
    cdef Py_ssize_t k
    # Local copies: the compiler would reload pointers of the struct after each store through one of them.
    cdef int64_t stride = 1 if row.bits else row.stride
    cdef int64_t* offsets = row.columns if row.bits else row.offsets
    cdef double* x = row.x_scratch
    cdef double* scaled = row.scaled_scratch
    row.n, row.x, row.scaled = n, NULL, NULL
    for k in range(n):
        offsets[k] = columns[k] * stride
    if values != NULL:
        for k in range(n):
            x[k] = values[k]
        row.x = row.scaled = x
    if metric != NULL:
        for k in range(n):
            scaled[k] = metric[columns[k]] * (1.0 if values == NULL else values[k])
        row.scaled = scaled


cdef inline void prefetch_weights(
    const ClassRow* row, const Row* current, const index_t* indices, const index_t* indptr, const weight_t* w
) noexcept nogil:
    """Prefetch the weights of the row after ``current``, if the table is dense and larger than L2."""
    cdef Py_ssize_t k, number
    cdef const char* p
    cdef const char* end
    if row.bits or current.i + 2 >= current.n_rows:
        return
    number = current.order[current.i + 1]
    if row.stride * sizeof(weight_t) <= 64:
        prefetch_far(indices, indptr, number, w, row.stride)
        return
    for k in range(indptr[number], indptr[number + 1]):
        p = <const char*> (w + indices[k] * row.stride)
        end = p + row.stride * sizeof(weight_t)
        while p < end:
            tp_prefetch(p)
            p += 64


cdef inline void hash_block(ClassRow* row, Py_ssize_t block) noexcept nogil:
    """Set the offsets of a hashed row to a block of 8 classes: the upper bits of a multiplicative hash."""
    cdef Py_ssize_t k, blocks = row.stride // 8
    cdef int shift = 64 - row.bits
    cdef const int64_t* columns = row.columns
    cdef int64_t* offsets = row.offsets
    cdef uint64_t key
    for k in range(row.n):
        key = <uint64_t> (columns[k] * blocks + block) + 1
        offsets[k] = <int64_t> ((key * <uint64_t> 0x9E3779B97F4A7C15) >> shift) * 8


cdef inline Py_ssize_t class_offset(ClassRow* row, Py_ssize_t c) noexcept nogil:
    """What to add to ``row.offsets`` for class ``c``; in a hashed table these are set to its block first."""
    if row.bits == 0:
        return c
    hash_block(row, c // 8)
    return c % 8


cdef inline void score_classes(ClassRow* row, const weight_t* w, Py_ssize_t intercepts, double pad) noexcept nogil:
    """Write the score of every class to ``row.scores``; the intercepts begin at ``w[intercepts]``."""
    cdef Py_ssize_t c = 0, first
    if weight_t is float:
        if row.bits == 0:
            while c + 16 <= row.stride:
                tp_block16_float(row.x, row.offsets, row.n, w + c, row.scores + c)
                c += 16
    while c + 8 <= row.stride:
        first = c
        if row.bits:
            hash_block(row, c // 8)
            first = 0
        if weight_t is float:
            tp_block8_float(row.x, row.offsets, row.n, w + first, row.scores + c)
        else:
            tp_block8_double(row.x, row.offsets, row.n, w + first, row.scores + c)
        c += 8
    if c < row.stride:
        if weight_t is float:
            tp_block4_float(row.x, row.offsets, row.n, w + c, row.scores + c)
        else:
            tp_block4_double(row.x, row.offsets, row.n, w + c, row.scores + c)
    for c in range(row.stride):
        row.scores[c] += pad * w[intercepts + c]


cdef inline Py_ssize_t best_other_class(const double* scores, Py_ssize_t n_classes, Py_ssize_t y) noexcept nogil:
    """The class with the highest score other than ``y``, the lowest on ties; -1 if there is no other class."""
    cdef Py_ssize_t c, best = -1
    for c in range(n_classes):
        if c != y and (best < 0 or scores[c] > scores[best]):
            best = c
    return best


cdef inline bint step_is_zero(const ClassRow* row) noexcept nogil:
    """Whether a step along this row changes no weight of a column."""
    cdef Py_ssize_t k
    if row.scaled == NULL:
        return row.n == 0
    for k in range(row.n):
        if row.scaled[k] != 0:
            return False
    return True


cdef inline double class_sqnorm(ClassRow* row, Py_ssize_t c, const weight_t* metric) noexcept nogil:
    """``Σ metric · x²`` with the entries of class ``c`` of a table of metrics."""
    cdef Py_ssize_t at = class_offset(row, c)
    return row_sqnorm_in(row.x, row.offsets, row.n, metric + at)


cdef inline void move_class(
    ClassRow* row, Py_ssize_t c, double step, double n_seen_before, double pad, weight_t* w, double* total,
    Py_ssize_t intercepts,
) noexcept nogil:
    """``w += step · (x, pad)`` for one class, and ``total += n_seen_before · step · (x, pad)`` unless it is NULL."""
    cdef Py_ssize_t at = class_offset(row, c), intercept = intercepts + c - at
    cdef const double* no_metric = NULL  # row.scaled has it
    row_add_padded(row.scaled, row.offsets, row.n, pad, step, no_metric, w + at, intercept)
    if total != NULL:
        row_add_padded(
            row.scaled, row.offsets, row.n, pad, n_seen_before * step, no_metric, total + at, intercept
        )


cdef inline void move_class_by_variance(
    ClassRow* row, Py_ssize_t c, double step, double beta, double pad, weight_t* w, weight_t* sigma,
    Py_ssize_t intercepts,
) noexcept nogil:
    """``w += step · Σx`` and ``Σ −= β (Σx)²`` for one class, intercept included."""
    cdef Py_ssize_t at = class_offset(row, c)
    row_add_by_variance(
        row.x, row.offsets, row.n, pad, step, beta, w + at, sigma + at, intercepts + c - at
    )
