"""One-vs-one predictions from dense tables: votes at the speed of float32, each as exact as in double.

The weights of 16 models stand side by side, a column after the other, in one table for each 16 models (``tables[block,
column, model]``). Rows come in batches, and every block goes over a batch before the next begins: the part of a table
that common words use, some hundred kilobytes, then stays in L2.

A vote needs the sign of a score only. Scores are summed in float32; where one is nearer to 0 than float32 can have
erred, it is summed again in double, in the order of ``row_dot``. Ties of votes, which the sums of scores decide, are
summed again likewise.
"""

from libc.math cimport INFINITY, fabs
from libc.stdint cimport int32_t, int64_t

from textperceptron._kernels.rows cimport index_t, value_t, weight_t

cdef extern from *:
    """
    #include <string.h>
    #if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && defined(__GLIBC__)
    #define TP_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
    #else
    #define TP_CLONES
    #endif

    /* Sixteen floats: GCC and Clang add them in registers of any width. Left to itself, GCC makes vectors of columns
       instead of models, which is five times slower. */
    #if defined(__GNUC__)
    typedef float tp_sixteen __attribute__((vector_size(64), aligned(4)));
    #define TP_ADD(SUMS, VALUE, LINE) SUMS += (VALUE) * *(const tp_sixteen*) (LINE)
    #else
    typedef struct { float at[16]; } tp_sixteen;
    #define TP_ADD(SUMS, VALUE, LINE) for (int c = 0; c < 16; c++) SUMS.at[c] += (VALUE) * (LINE)[c]
    #endif

    /* out[c] = sum of x[k] * table[16 * columns[k] + c] in float32; x == NULL means ones. */
    #define TP_FAST(NAME, INDEX)                                                                                \
    TP_CLONES static void NAME(const float* x, const INDEX* columns, Py_ssize_t n, const float* table, float* out)\
    {                                                                                                           \
        tp_sixteen s = {0}, t = {0}, u = {0}, v = {0};                                                          \
        Py_ssize_t k = 0;                                                                                       \
        for (; k + 4 <= n; k += 4) {                                                                            \
            TP_ADD(s, x == NULL ? 1.0f : x[k], table + 16 * (Py_ssize_t) columns[k]);                           \
            TP_ADD(t, x == NULL ? 1.0f : x[k + 1], table + 16 * (Py_ssize_t) columns[k + 1]);                   \
            TP_ADD(u, x == NULL ? 1.0f : x[k + 2], table + 16 * (Py_ssize_t) columns[k + 2]);                   \
            TP_ADD(v, x == NULL ? 1.0f : x[k + 3], table + 16 * (Py_ssize_t) columns[k + 3]);                   \
        }                                                                                                       \
        for (; k < n; k++)                                                                                      \
            TP_ADD(s, x == NULL ? 1.0f : x[k], table + 16 * (Py_ssize_t) columns[k]);                           \
        TP_ADD(s, 1.0f, (const float*) &t);                                                                     \
        TP_ADD(u, 1.0f, (const float*) &v);                                                                     \
        TP_ADD(s, 1.0f, (const float*) &u);                                                                     \
        memcpy(out, &s, sizeof s);                                                                              \
    }
    TP_FAST(tp_fast_int32, int32_t)
    TP_FAST(tp_fast_int64, int64_t)
    """
    void tp_fast_int32(
        const float* x, const int32_t* columns, Py_ssize_t n, const float* table, float* out
    ) noexcept nogil
    void tp_fast_int64(
        const float* x, const int64_t* columns, Py_ssize_t n, const float* table, float* out
    ) noexcept nogil


cdef inline double exact_score(
    const value_t* values, const index_t* columns, Py_ssize_t n, const weight_t* model
) noexcept nogil:
    """One model's score in double, in the order of ``row_dot``; ``model`` points to its weight of column 0."""
    cdef double[4] sums = [0, 0, 0, 0]
    cdef Py_ssize_t k = 0, lane
    while k + 4 <= n:
        for lane in range(4):
            sums[lane] += (1.0 if values == NULL else <double> values[k + lane]) * model[16 * columns[k + lane]]
        k += 4
    while k < n:
        sums[0] += (1.0 if values == NULL else <double> values[k]) * model[16 * columns[k]]
        k += 1
    return (sums[0] + sums[1]) + (sums[2] + sums[3])


def block_votes(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr, const int64_t[::1] order,
    const weight_t[:, :, ::1] tables, const double[::1] intercept, const int32_t[::1] lower, const int32_t[::1] upper,
    int64_t[:, ::1] votes, double[:, ::1] confidence,
):
    """Add up, for the rows named by ``order``, the votes of each class and its scores against the others."""
    cdef Py_ssize_t i, p, start, length
    cdef const value_t* values = NULL
    cdef double score
    with nogil:
        for i in range(order.shape[0]):
            start = indptr[order[i]]
            length = indptr[order[i] + 1] - start
            if data.shape[0] > 0:
                values = &data[start]
            for p in range(lower.shape[0]):
                score = exact_score(values, &indices[start], length, &tables[p // 16, 0, p % 16]) + intercept[p]
                votes[i, upper[p] if score > 0 else lower[p]] += 1
                confidence[i, upper[p]] += score
                confidence[i, lower[p]] -= score


def block_winners(
    const float[::1] data, const index_t[::1] indices, const index_t[::1] indptr, const int64_t[::1] order,
    const float[:, :, ::1] tables, double heaviest, const double[::1] intercept,
    const int32_t[::1] lower, const int32_t[::1] upper,
    float[:, ::1] scores, int64_t[::1] votes, double[::1] confidence, int64_t[::1] winner,
):
    """Write the class of the rows named by ``order``: that of :func:`block_votes` and ``vote_winners``.

    ``heaviest`` is the largest absolute weight; ``scores`` is scratch with a row for each row of a batch and a number
    a model, rounded up to 16, ``votes`` and ``confidence`` for a number a class.

    Bottleneck: 64 bytes of weights for each entry and 16 models, from L2.
    """
    cdef Py_ssize_t n = order.shape[0], first, i, k, p, c, b, start, length, best, rivals
    cdef Py_ssize_t batch = scores.shape[0]
    cdef const float* values = NULL
    cdef double score, reach, doubt
    with nogil:
        first = 0
        while first < n:
            for b in range(tables.shape[0]):
                for i in range(first, min(first + batch, n)):
                    start = indptr[order[i]]
                    length = indptr[order[i] + 1] - start
                    if data.shape[0] > 0:
                        values = &data[start]
                    if index_t is int32_t:
                        tp_fast_int32(values, &indices[start], length, &tables[b, 0, 0], &scores[i - first, 16 * b])
                    else:
                        tp_fast_int64(values, &indices[start], length, &tables[b, 0, 0], &scores[i - first, 16 * b])
            for i in range(first, min(first + batch, n)):
                start = indptr[order[i]]
                length = indptr[order[i] + 1] - start
                reach = 0
                if data.shape[0] > 0:
                    values = &data[start]
                    for k in range(length):
                        reach += fabs(values[k])
                else:
                    reach = length
                # Twice what the sum of that many products can be wrong by in float32, and its rounding; and what each
                # product loses where it is too small for float32. Where one may be too large, everything is in doubt.
                doubt = 1.2e-7 * (length + 4) * reach * heaviest + 1.5e-45 * length
                if reach * heaviest > 1e38:
                    doubt = INFINITY
                votes[:] = 0
                for p in range(lower.shape[0]):
                    score = scores[i - first, p] + intercept[p]
                    if not fabs(score) > doubt:  # NaN is in doubt too
                        score = exact_score(values, &indices[start], length, &tables[p // 16, 0, p % 16]) + intercept[p]
                    votes[upper[p] if score > 0 else lower[p]] += 1
                best, rivals = 0, 0
                for c in range(1, votes.shape[0]):
                    if votes[c] > votes[best]:
                        best, rivals = c, 0
                    elif votes[c] == votes[best]:
                        rivals += 1
                if rivals:
                    confidence[:] = 0
                    for p in range(lower.shape[0]):
                        if votes[upper[p]] < votes[best] and votes[lower[p]] < votes[best]:
                            continue
                        score = exact_score(values, &indices[start], length, &tables[p // 16, 0, p % 16]) + intercept[p]
                        confidence[upper[p]] += score
                        confidence[lower[p]] -= score
                    for c in range(best + 1, votes.shape[0]):
                        if votes[c] == votes[best] and confidence[c] > confidence[best]:
                            best = c
                winner[i] = best
            first += batch
