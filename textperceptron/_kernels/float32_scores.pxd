"""Scores of many models in float32 with a bound of their error: exact sums are needed near a threshold only.

A learner or a vote asks on which side of a threshold a score lies. A float32 sum answers that for 8 models per
instruction, unless it is nearer to the threshold than its error bound; then the score is summed in double by
``row_dot``. So results have the bits of exact sums, at four times their speed.

The weights of a column are side by side, ``stride`` of them.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint32_t

from textperceptron._kernels cimport simd  # no-cython-lint
from textperceptron._kernels.rows cimport index_t

cdef extern from *:
    """
    #include <string.h>

    /* Sums of several models in one register. By itself GCC vectorises over columns instead of models, which is five
       times slower. A vector type wider than the registers is kept in memory, which is six times slower: hence 8 floats
       for AVX2 (and AVX-512, which waits for memory anyway), and 4 for other machines. */
    #if defined(__GNUC__)
    #if defined(__x86_64__)
    #define TP_LANES 8
    #else
    #define TP_LANES 4
    #endif
    typedef float tp_float32x4 __attribute__((vector_size(16), aligned(4)));
    typedef float tp_float32_lanes __attribute__((vector_size(4 * TP_LANES), aligned(4)));
    typedef int32_t tp_int32_lanes __attribute__((vector_size(4 * TP_LANES), aligned(4)));
    #define TP_FLOAT32_MULTIPLY_ADD(SUM, VALUE, LINE) SUM += (VALUE) * LINE
    #else
    #define TP_LANES 4
    typedef struct { float at[4]; } tp_float32x4;
    typedef tp_float32x4 tp_float32_lanes;
    #define TP_FLOAT32_MULTIPLY_ADD(SUM, VALUE, LINE) for (int c = 0; c < 4; c++) SUM.at[c] += (VALUE) * LINE.at[c]
    #endif

    #define TP_FLOAT32_ADD(LANES, N, SUMS, VALUE, LINE)                                                        \
        for (int p = 0; p < N; p++)                                                                            \
            TP_FLOAT32_MULTIPLY_ADD(SUMS[p], VALUE, ((const LANES*) (LINE))[p])
    /* out[c] = sum of x[k] * w[stride * columns[k] + c]; x == NULL means ones. Four sums per model. */
    #define TP_FLOAT32_SUMS(LANES, N, X)                                                                       \
        for (; k + 4 <= n; k += 4) {                                                                           \
            TP_FLOAT32_ADD(LANES, N, s, X(k), w + stride * (Py_ssize_t) columns[k]);                           \
            TP_FLOAT32_ADD(LANES, N, t, X(k + 1), w + stride * (Py_ssize_t) columns[k + 1]);                   \
            TP_FLOAT32_ADD(LANES, N, u, X(k + 2), w + stride * (Py_ssize_t) columns[k + 2]);                   \
            TP_FLOAT32_ADD(LANES, N, v, X(k + 3), w + stride * (Py_ssize_t) columns[k + 3]);                   \
        }                                                                                                      \
        for (; k < n; k++)                                                                                     \
            TP_FLOAT32_ADD(LANES, N, s, X(k), w + stride * (Py_ssize_t) columns[k])
    #define TP_FLOAT32_ONE(k) 1.0f
    #define TP_FLOAT32_VALUE(k) x[k]
    #define TP_FLOAT32(NAME, INDEX, LANES, N)                                                                  \
    TP_CLONES static void NAME(                                                                                \
        const float* x, const INDEX* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out)     \
    {                                                                                                          \
        LANES s[N] = {0}, t[N] = {0}, u[N] = {0}, v[N] = {0};                                                  \
        Py_ssize_t k = 0;                                                                                      \
        if (x == NULL) {                                                                                       \
            TP_FLOAT32_SUMS(LANES, N, TP_FLOAT32_ONE);                                                         \
        } else {                                                                                               \
            TP_FLOAT32_SUMS(LANES, N, TP_FLOAT32_VALUE);                                                       \
        }                                                                                                      \
        TP_FLOAT32_ADD(LANES, N, s, 1.0f, t);                                                                  \
        TP_FLOAT32_ADD(LANES, N, u, 1.0f, v);                                                                  \
        TP_FLOAT32_ADD(LANES, N, s, 1.0f, u);                                                                  \
        memcpy(out, s, sizeof s);                                                                              \
    }
    TP_FLOAT32(tp_float32x16_int32, int32_t, tp_float32_lanes, 16 / TP_LANES)
    TP_FLOAT32(tp_float32x16_int64, int64_t, tp_float32_lanes, 16 / TP_LANES)
    TP_FLOAT32(tp_float32x8_int32, int32_t, tp_float32_lanes, 8 / TP_LANES)
    TP_FLOAT32(tp_float32x8_int64, int64_t, tp_float32_lanes, 8 / TP_LANES)
    TP_FLOAT32(tp_float32x4_int32, int32_t, tp_float32x4, 1)
    TP_FLOAT32(tp_float32x4_int64, int64_t, tp_float32x4, 1)

    /* Sum of absolute values, with a relative error below 1e-3 for up to 100,000 of them. */
    TP_CLONES static double tp_l1(const float* x, Py_ssize_t n)
    {
        Py_ssize_t k = 0;
        double sum = 0;
    #if defined(__GNUC__)
        tp_float32_lanes s = {0}, t = {0};
        for (; k + 2 * TP_LANES <= n; k += 2 * TP_LANES) {
            tp_int32_lanes first = *(const tp_int32_lanes*) (x + k) & 0x7FFFFFFF;
            tp_int32_lanes second = *(const tp_int32_lanes*) (x + k + TP_LANES) & 0x7FFFFFFF;
            s += (tp_float32_lanes) first;
            t += (tp_float32_lanes) second;
        }
        for (int c = 0; c < TP_LANES; c++)
            sum += (double) s[c] + t[c];
    #endif
        for (; k < n; k++)
            sum += x[k] < 0 ? -x[k] : x[k];
        return sum;
    }

    /* One bit for each of up to 16 models with a sign whose score may not exceed the limit; each model with a sign
       counts one more row in seen. */
    #define TP_UNCERTAIN(LANES)                                                                                \
        for (int c = 0; c < LANES; c++) {                                                                      \
            float score = sign[c] * (scores[c] + pad * intercepts[c]);                                         \
            mask |= sign[c] != 0 && !(score > limit) ? (uint32_t) 1 << c : 0;                                  \
            seen[c] += sign[c] != 0;                                                                           \
        }
    TP_CLONES static uint32_t tp_uncertain_mask(
        Py_ssize_t lanes, const float* scores, const float* intercepts, float pad, const float* sign, float limit,
        int64_t* seen)
    {
        uint32_t mask = 0;
        if (lanes == 16) {
            TP_UNCERTAIN(16)
        } else {
            TP_UNCERTAIN(lanes)
        }
        return mask;
    }

    """
    void tp_float32x16_int32(
        const float* x, const int32_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out
    ) noexcept nogil
    void tp_float32x16_int64(
        const float* x, const int64_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out
    ) noexcept nogil
    void tp_float32x8_int32(
        const float* x, const int32_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out
    ) noexcept nogil
    void tp_float32x8_int64(
        const float* x, const int64_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out
    ) noexcept nogil
    void tp_float32x4_int32(
        const float* x, const int32_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out
    ) noexcept nogil
    void tp_float32x4_int64(
        const float* x, const int64_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, float* out
    ) noexcept nogil
    double tp_l1(const float* x, Py_ssize_t n) noexcept nogil
    uint32_t tp_uncertain_mask(
        Py_ssize_t lanes, const float* scores, const float* intercepts, float pad, const float* sign, float limit,
        int64_t* seen,
    ) noexcept nogil


cdef inline void float32_scores(
    const float* values, const index_t* columns, Py_ssize_t n, const float* w, Py_ssize_t stride, Py_ssize_t width,
    float* out,
) noexcept nogil:
    """Write the scores of ``width`` models, a multiple of 4; their weights of column 0 begin at ``w``."""
    cdef Py_ssize_t c = 0
    while c + 16 <= width:
        if index_t is int32_t:
            tp_float32x16_int32(values, columns, n, w + c, stride, out + c)
        else:
            tp_float32x16_int64(values, columns, n, w + c, stride, out + c)
        c += 16
    if c + 8 <= width:
        if index_t is int32_t:
            tp_float32x8_int32(values, columns, n, w + c, stride, out + c)
        else:
            tp_float32x8_int64(values, columns, n, w + c, stride, out + c)
        c += 8
    if c < width:
        if index_t is int32_t:
            tp_float32x4_int32(values, columns, n, w + c, stride, out + c)
        else:
            tp_float32x4_int64(values, columns, n, w + c, stride, out + c)


cdef inline double l1_bound(const float* values, Py_ssize_t n) noexcept nogil:
    """An upper bound of the sum of the absolute values of a row."""
    return n if values == NULL else tp_l1(values, n) * 1.001


cdef inline double error_bound(const float* values, Py_ssize_t n, double max_abs_weight) noexcept nogil:
    """A bound of the error of a float32 score, if no absolute weight exceeds ``max_abs_weight``.

    Each of four sums has a quarter of the products. Each product is rounded by one part in 2**24, and again at every
    addition after it; a product too small for float32 loses up to 1e-45. The bound is infinite where a product may
    overflow, or where a row is so long that products of roundings matter.
    """
    cdef double l1 = l1_bound(values, n)
    if not l1 * max_abs_weight < 1e38 or n > 100_000:
        return INFINITY
    return 6.1e-8 * (n // 4 + 8) * l1 * max_abs_weight + 1.5e-45 * n
