"""Scores of many models in float32, with the limit of their error: exact sums are then needed near a threshold only.

A learner or a vote asks on which side of a threshold a score lies. A float32 sum answers that for 16 models an
instruction, unless it is nearer to the threshold than it can have erred; then the score is summed in double, in the
order of ``row_dot``. So results have the bits of exact sums, at four times their speed.

The weights of a column stand side by side, ``stride`` of them.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint32_t

from textperceptron._kernels cimport simd  # no-cython-lint
from textperceptron._kernels.rows cimport index_t, value_t, weight_t

cdef extern from *:
    """
    #include <string.h>
    /* Floats that GCC and Clang add in registers of any width. Left to itself, GCC makes vectors of columns instead of
       models, which is five times slower. */
    #if defined(__GNUC__)
    typedef float tp_quick4 __attribute__((vector_size(16), aligned(4)));
    typedef float tp_quick8 __attribute__((vector_size(32), aligned(4)));
    typedef float tp_quick16 __attribute__((vector_size(64), aligned(4)));
    typedef int32_t tp_bits16 __attribute__((vector_size(64), aligned(4)));
    #define TP_QUICK_ADD(WIDTH, SUMS, VALUE, LINE) SUMS += (VALUE) * *(const tp_quick##WIDTH*) (LINE)
    #else
    typedef struct { float at[4]; } tp_quick4;
    typedef struct { float at[8]; } tp_quick8;
    typedef struct { float at[16]; } tp_quick16;
    #define TP_QUICK_ADD(WIDTH, SUMS, VALUE, LINE) for (int c = 0; c < WIDTH; c++) SUMS.at[c] += (VALUE) * (LINE)[c]
    #endif

    /* out[c] = sum of x[k] * w[stride * columns[k] + c]; x == NULL means ones. Four sums a model. */
    #define TP_QUICK_SUMS(WIDTH, X)                                                                            \
        for (; k + 4 <= n; k += 4) {                                                                           \
            TP_QUICK_ADD(WIDTH, s, X(k), w + stride * (Py_ssize_t) columns[k]);                                \
            TP_QUICK_ADD(WIDTH, t, X(k + 1), w + stride * (Py_ssize_t) columns[k + 1]);                        \
            TP_QUICK_ADD(WIDTH, u, X(k + 2), w + stride * (Py_ssize_t) columns[k + 2]);                        \
            TP_QUICK_ADD(WIDTH, v, X(k + 3), w + stride * (Py_ssize_t) columns[k + 3]);                        \
        }                                                                                                      \
        for (; k < n; k++)                                                                                     \
            TP_QUICK_ADD(WIDTH, s, X(k), w + stride * (Py_ssize_t) columns[k])
    #define TP_QUICK_ONE(k) 1.0f
    #define TP_QUICK_VALUE(k) x[k]
    #define TP_QUICK(NAME, INDEX, WIDTH)                                                                       \
    TP_CLONES static void NAME(                                                                          \
        const float* x, const INDEX* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out)     \
    {                                                                                                          \
        tp_quick##WIDTH s = {0}, t = {0}, u = {0}, v = {0};                                                    \
        Py_ssize_t k = 0;                                                                                      \
        if (x == NULL) {                                                                                       \
            TP_QUICK_SUMS(WIDTH, TP_QUICK_ONE);                                                                \
        } else {                                                                                               \
            TP_QUICK_SUMS(WIDTH, TP_QUICK_VALUE);                                                              \
        }                                                                                                      \
        TP_QUICK_ADD(WIDTH, s, 1.0f, (const float*) &t);                                                       \
        TP_QUICK_ADD(WIDTH, u, 1.0f, (const float*) &v);                                                       \
        TP_QUICK_ADD(WIDTH, s, 1.0f, (const float*) &u);                                                       \
        memcpy(out, &s, sizeof s);                                                                             \
    }
    TP_QUICK(tp_quick16_int32, int32_t, 16)
    TP_QUICK(tp_quick16_int64, int64_t, 16)
    TP_QUICK(tp_quick8_int32, int32_t, 8)
    TP_QUICK(tp_quick8_int64, int64_t, 8)
    TP_QUICK(tp_quick4_int32, int32_t, 4)
    TP_QUICK(tp_quick4_int64, int64_t, 4)

    /* Sum of absolute values, within a millionth part for each million of them. */
    TP_CLONES static double tp_reach(const float* x, Py_ssize_t n)
    {
        Py_ssize_t k = 0;
        double sum = 0;
    #if defined(__GNUC__)
        tp_quick16 sums = {0};
        for (; k + 16 <= n; k += 16) {
            tp_bits16 bits = *(const tp_bits16*) (x + k) & 0x7FFFFFFF;
            sums += (tp_quick16) bits;
        }
        for (int c = 0; c < 16; c++)
            sum += sums[c];
    #endif
        for (; k < n; k++)
            sum += x[k] < 0 ? -x[k] : x[k];
        return sum;
    }

    /* A bit for each of up to 16 models that has a sign and is not surely beyond the limit on its side; each model that
       has a sign has seen one row more. */
    #define TP_NEAR(LANES)                                                                                     \
        for (int c = 0; c < LANES; c++) {                                                                      \
            float score = sign[c] * (quick[c] + pad * intercepts[c]);                                          \
            near |= sign[c] != 0 && !(score > limit) ? (uint32_t) 1 << c : 0;                                  \
            seen[c] += sign[c] != 0;                                                                           \
        }
    TP_CLONES static uint32_t tp_near(
        Py_ssize_t lanes, const float* quick, const float* intercepts, float pad, const float* sign, float limit,
        int64_t* seen)
    {
        uint32_t near = 0;
        if (lanes == 16) {
            TP_NEAR(16)
        } else {
            TP_NEAR(lanes)
        }
        return near;
    }

    """
    void tp_quick16_int32(
        const float* x, const int32_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out
    ) noexcept nogil
    void tp_quick16_int64(
        const float* x, const int64_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out
    ) noexcept nogil
    void tp_quick8_int32(
        const float* x, const int32_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out
    ) noexcept nogil
    void tp_quick8_int64(
        const float* x, const int64_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out
    ) noexcept nogil
    void tp_quick4_int32(
        const float* x, const int32_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out
    ) noexcept nogil
    void tp_quick4_int64(
        const float* x, const int64_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out
    ) noexcept nogil
    double tp_reach(const float* x, Py_ssize_t n) noexcept nogil
    uint32_t tp_near(
        Py_ssize_t lanes, const float* quick, const float* intercepts, float pad, const float* sign, float limit,
        int64_t* seen,
    ) noexcept nogil


cdef inline void quick_scores(
    const float* values, const index_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, Py_ssize_t width,
    float* out,
) noexcept nogil:
    """Write the scores of ``width`` models, a multiple of 4, whose weights of column 0 begin at ``w``."""
    cdef Py_ssize_t c = 0
    while c + 16 <= width:
        if index_t is int32_t:
            tp_quick16_int32(values, columns, n, w + c, stride, out + c)
        else:
            tp_quick16_int64(values, columns, n, w + c, stride, out + c)
        c += 16
    if c + 8 <= width:
        if index_t is int32_t:
            tp_quick8_int32(values, columns, n, w + c, stride, out + c)
        else:
            tp_quick8_int64(values, columns, n, w + c, stride, out + c)
        c += 8
    if c < width:
        if index_t is int32_t:
            tp_quick4_int32(values, columns, n, w + c, stride, out + c)
        else:
            tp_quick4_int64(values, columns, n, w + c, stride, out + c)


cdef inline double reach_of(const float* values, Py_ssize_t n) noexcept nogil:
    """At least the sum of the absolute values of a row."""
    return n if values == NULL else tp_reach(values, n) * 1.001


cdef inline double quick_doubt(const float* values, Py_ssize_t n, double heaviest) noexcept nogil:
    """How far a quick score may be from the exact one, if no weight is beyond ``heaviest``.

    Each of four sums has a quarter of the products, each rounded by one part in 2**24 and again at every addition
    behind it; and a product that is too small for float32 loses up to 1e-45. Where one may be too large, or there are
    so many that roundings multiply, everything is in doubt.
    """
    cdef double reach = reach_of(values, n)
    if not reach * heaviest < 1e38 or n > 100_000:
        return INFINITY
    return 6.1e-8 * (n // 4 + 8) * reach * heaviest + 1.5e-45 * n


cdef inline double exact_score(
    const value_t* values, const index_t* columns, Py_ssize_t n, const weight_t* model, Py_ssize_t stride
) noexcept nogil:
    """One model's score in double, in the order of ``row_dot``; ``model`` points to its weight of column 0."""
    cdef double[4] sums = [0, 0, 0, 0]
    cdef Py_ssize_t k = 0, lane
    if values == NULL:
        while k + 4 <= n:
            for lane in range(4):
                sums[lane] += model[stride * columns[k + lane]]
            k += 4
        while k < n:
            sums[0] += model[stride * columns[k]]
            k += 1
    else:
        while k + 4 <= n:
            for lane in range(4):
                sums[lane] += <double> values[k + lane] * model[stride * columns[k + lane]]
            k += 4
        while k < n:
            sums[0] += <double> values[k] * model[stride * columns[k]]
            k += 1
    return (sums[0] + sums[1]) + (sums[2] + sums[3])
