"""The arithmetic of one sparse row against the weights of many classes.

Weights are class-minor: those of a column stand side by side, ``stride`` of them (the number of classes, rounded up to
4), so that the columns of a row are gathered once for all classes and the loop over classes vectorises. The intercepts
of the classes stand behind the last column.

Where columns × classes would not fit, the table is **hashed**: blocks of 8 classes of a column go to one of ``2**bits``
lines of 8 weights. A line is as long as a vector register or two, so hashed scores vectorise like dense ones.

A row is first expanded: its columns to offsets into the table, its values to double. Sums run in the order of
``row_dot`` for every class, whatever the width of the registers: the same bytes on every machine, and those of the
kernels for two classes.
"""

from libc.stdint cimport int64_t, uint64_t

from textperceptron._kernels cimport simd  # no-cython-lint
from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport index_t, prefetch_far, value_t, weight_t
from textperceptron._kernels.simd cimport tp_prefetch

cdef extern from *:
    """
    /* out[c] = sum of x[k] * w[at[k] + c] for WIDTH classes; x == NULL means ones. Four sums a class, as in row_dot. */
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


cdef struct Expanded:
    Py_ssize_t n
    Py_ssize_t stride   # weights of a column
    int bits            # 0: a dense table, else 2**bits lines of 8
    double* x           # values; NULL if all are 1
    double* moves       # values times the metric, along which a step goes; NULL if all are 1
    int64_t* columns    # of a hashed table
    int64_t* at         # offsets of the columns; if the table is hashed, those of one block
    double* scores      # one a class
    float* quick        # room for a number a class
    double* x_room
    double* moves_room


cdef inline Expanded room_for_rows(
    double[::1] numbers, int64_t[::1] places, Py_ssize_t stride, int bits
) noexcept nogil:
    """Divide scratch arrays: ``places`` has two an entry of the longest row, ``numbers`` two, and two a class."""
    cdef Expanded row
    cdef Py_ssize_t longest = places.shape[0] // 2
    row.n, row.stride, row.bits = 0, stride, bits
    row.scores, row.x_room, row.moves_room = ptr(numbers), ptr(numbers) + stride, ptr(numbers) + stride + longest
    row.quick = <float*> (ptr(numbers) + stride + 2 * longest)
    row.x, row.moves = NULL, NULL
    row.columns, row.at = ptr(places), ptr(places) + longest
    return row


cdef inline void expand(
    Expanded* row, const value_t* values, const index_t* columns, Py_ssize_t n, const double* metric
) noexcept nogil:
    """Fill the room of ``row`` with a row."""
    cdef Py_ssize_t k
    # Local copies: a store through a pointer of the struct would otherwise make the compiler read it again.
    cdef int64_t stride = 1 if row.bits else row.stride
    cdef int64_t* at = row.columns if row.bits else row.at
    cdef double* x = row.x_room
    cdef double* moves = row.moves_room
    row.n, row.x, row.moves = n, NULL, NULL
    for k in range(n):
        at[k] = columns[k] * stride
    if values != NULL:
        for k in range(n):
            x[k] = values[k]
        row.x = row.moves = x
    if metric != NULL:
        for k in range(n):
            moves[k] = metric[columns[k]] * (1.0 if values == NULL else values[k])
        row.moves = moves


cdef inline void prefetch_weights(
    const Expanded* row, const index_t* columns, const index_t* indptr, Py_ssize_t row_number, const weight_t* w
) noexcept nogil:
    """Ask for weights of a row that comes next, in a dense table, if they are spread over more than L2 holds."""
    cdef Py_ssize_t k
    cdef const char* p
    cdef const char* end
    if row.bits:
        return
    if row.stride * sizeof(weight_t) <= 64:
        prefetch_far(columns, indptr, row_number, w, row.stride)
        return
    for k in range(indptr[row_number], indptr[row_number + 1]):
        p = <const char*> (w + columns[k] * row.stride)
        end = p + row.stride * sizeof(weight_t)
        while p < end:
            tp_prefetch(p)
            p += 64


cdef inline void hash_block(Expanded* row, Py_ssize_t block) noexcept nogil:
    """Point the offsets of a hashed row to a block of 8 classes: the upper bits of a multiplicative hash."""
    cdef Py_ssize_t k, blocks = row.stride // 8
    cdef int shift = 64 - row.bits
    cdef const int64_t* columns = row.columns
    cdef int64_t* at = row.at
    cdef uint64_t key
    for k in range(row.n):
        key = <uint64_t> (columns[k] * blocks + block) + 1
        at[k] = <int64_t> ((key * <uint64_t> 0x9E3779B97F4A7C15) >> shift) * 8


cdef inline Py_ssize_t place_of(Expanded* row, Py_ssize_t c) noexcept nogil:
    """Where class ``c`` stands behind the offsets ``row.at``, which are moved to it if the table is hashed."""
    if row.bits == 0:
        return c
    hash_block(row, c // 8)
    return c % 8


cdef inline void score_classes(Expanded* row, const weight_t* w, Py_ssize_t table, double pad) noexcept nogil:
    """Write the score of every class to ``row.scores``; ``table`` is where the intercepts begin."""
    cdef Py_ssize_t c = 0, first
    if weight_t is float:
        if row.bits == 0:
            while c + 16 <= row.stride:
                tp_block16_float(row.x, row.at, row.n, w + c, row.scores + c)
                c += 16
    while c + 8 <= row.stride:
        first = c
        if row.bits:
            hash_block(row, c // 8)
            first = 0
        if weight_t is float:
            tp_block8_float(row.x, row.at, row.n, w + first, row.scores + c)
        else:
            tp_block8_double(row.x, row.at, row.n, w + first, row.scores + c)
        c += 8
    if c < row.stride:
        if weight_t is float:
            tp_block4_float(row.x, row.at, row.n, w + c, row.scores + c)
        else:
            tp_block4_double(row.x, row.at, row.n, w + c, row.scores + c)
    for c in range(row.stride):
        row.scores[c] += pad * w[table + c]


cdef inline Py_ssize_t best_but(const double* scores, Py_ssize_t n_classes, Py_ssize_t y) noexcept nogil:
    """The class of the highest score other than ``y``, the lowest on ties; -1 if there is no other."""
    cdef Py_ssize_t c, best = -1
    for c in range(n_classes):
        if c != y and (best < 0 or scores[c] > scores[best]):
            best = c
    return best


cdef inline bint expanded_is_zero(const Expanded* row) noexcept nogil:
    """Whether a step along this row moves nothing."""
    cdef Py_ssize_t k
    if row.moves == NULL:
        return row.n == 0
    for k in range(row.n):
        if row.moves[k] != 0:
            return False
    return True


cdef inline void move_class(
    Expanded* row, Py_ssize_t c, double step, double later, double pad, weight_t* w, double* total, Py_ssize_t table
) noexcept nogil:
    """``w += step · (x, pad)`` for one class and, unless ``total`` is NULL, ``total += later · step · (x, pad)``."""
    cdef Py_ssize_t k, place = place_of(row, c)
    cdef double backlog = later * step
    cdef const double* moves = row.moves
    cdef const int64_t* at = row.at
    cdef weight_t* mine = w + place
    if moves == NULL:
        for k in range(row.n):
            mine[at[k]] = <weight_t> (mine[at[k]] + step)
    else:
        for k in range(row.n):
            mine[at[k]] = <weight_t> (mine[at[k]] + step * moves[k])
    w[table + c] = <weight_t> (w[table + c] + step * pad)
    if total != NULL:
        if moves == NULL:
            for k in range(row.n):
                total[at[k] + place] += backlog
        else:
            for k in range(row.n):
                total[at[k] + place] += backlog * moves[k]
        total[table + c] += backlog * pad


cdef inline void move_class_in(
    Expanded* row, Py_ssize_t c, const weight_t* metric, double step, double later, double pad,
    weight_t* w, double* total, Py_ssize_t table,
) noexcept nogil:
    """As ``move_class`` in a dense table, with a metric of each class's own; NULL for none."""
    cdef Py_ssize_t k, place
    cdef double backlog = later * step, x
    if metric == NULL:
        move_class(row, c, step, later, pad, w, total, table)
        return
    for k in range(row.n):
        place = row.at[k] + c
        x = metric[place] * (1 if row.x == NULL else row.x[k])
        w[place] = <weight_t> (w[place] + step * x)
        if total != NULL:
            total[place] += backlog * x
    w[table + c] = <weight_t> (w[table + c] + step * pad)
    if total != NULL:
        total[table + c] += backlog * pad


cdef inline double class_sqnorm(
    Expanded* row, Py_ssize_t place, const weight_t* metric
) noexcept nogil:
    """``Σ metric · x²`` with the entries of one class, which stands at ``place``; in the order of ``row_sqnorm_in``."""
    cdef double[4] sums = [0, 0, 0, 0]
    cdef Py_ssize_t k = 0, lane
    if row.x == NULL:
        while k + 4 <= row.n:
            for lane in range(4):
                sums[lane] += metric[row.at[k + lane] + place]
            k += 4
        while k < row.n:
            sums[0] += metric[row.at[k] + place]
            k += 1
        return (sums[0] + sums[1]) + (sums[2] + sums[3])
    while k + 2 <= row.n:
        for lane in range(2):
            sums[lane] += row.x[k + lane] * row.x[k + lane] * metric[row.at[k + lane] + place]
        k += 2
    if k < row.n:
        sums[0] += row.x[k] * row.x[k] * metric[row.at[k] + place]
    return sums[0] + sums[1]


cdef inline void move_class_by_variance(
    Expanded* row, Py_ssize_t c, double step, double beta, double pad, weight_t* w, weight_t* sigma, Py_ssize_t table
) noexcept nogil:
    """``w += step · Σx`` and ``Σ −= β (Σx)²`` for one class, intercept included."""
    cdef Py_ssize_t k, place = place_of(row, c)
    cdef double spread
    for k in range(row.n):
        spread = sigma[row.at[k] + place] * (1 if row.x == NULL else row.x[k])
        w[row.at[k] + place] = <weight_t> (w[row.at[k] + place] + step * spread)
        sigma[row.at[k] + place] = <weight_t> (sigma[row.at[k] + place] - beta * spread * spread)
    spread = sigma[table + c] * pad
    w[table + c] = <weight_t> (w[table + c] + step * spread)
    sigma[table + c] = <weight_t> (sigma[table + c] - beta * spread * spread)
