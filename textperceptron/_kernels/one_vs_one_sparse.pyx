"""One-vs-one: votes of many binary models whose weights are mostly zero.

The weights of all models are stored by column in lines of 8: line l holds the weights of the models ``8·block[l]`` to
``8·block[l] + 7``, and column c has the lines ``starts[c]`` to ``starts[c + 1]``, one per block with a weight. A word
that few classes use costs few lines, so time and memory follow the nonzero weights, not columns × class pairs.
"""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memset

from textperceptron._kernels cimport simd  # no-cython-lint
from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport index_t, value_t, values_or_null, weight_t

cdef extern from *:
    """
    /* sums[lane][8*block + c] += x[k] * line[c] over the lines of every column; lanes as in row_dot. */
    #define TP_LINES(NAME, WEIGHT)                                                                              \
    TP_CLONES static void NAME(const double* x, const int64_t* columns, Py_ssize_t n, const int64_t* starts,    \
                               const int32_t* block, const WEIGHT* lines, Py_ssize_t width, double* sums)       \
    {                                                                                                           \
        Py_ssize_t k, l, whole = n - n % 4;                                                                     \
        int c;                                                                                                  \
        for (k = 0; k < n; k++) {                                                                               \
            double* lane = sums + (k < whole ? k % 4 : 0) * width;                                              \
            double value = x[k];                                                                                \
            if (k + 2 < n) {                                                                                    \
                const char* p = (const char*) (lines + 8 * starts[columns[k + 2]]);                             \
                const char* end = (const char*) (lines + 8 * starts[columns[k + 2] + 1]);                       \
                for (; p < end; p += 64)                                                                        \
                    tp_prefetch(p);                                                                             \
            }                                                                                                   \
            for (l = starts[columns[k]]; l < starts[columns[k] + 1]; l++) {                                     \
                double* mine = lane + 8 * (Py_ssize_t) block[l];                                                \
                const WEIGHT* line = lines + 8 * l;                                                             \
                double moved[8];  /* sums and line may overlap for all the compiler knows */                     \
                for (c = 0; c < 8; c++)                                                                         \
                    moved[c] = mine[c] + value * line[c];                                                       \
                for (c = 0; c < 8; c++)                                                                         \
                    mine[c] = moved[c];                                                                         \
            }                                                                                                   \
        }                                                                                                       \
        for (k = 0; k < width; k++)                                                                             \
            sums[k] = (sums[k] + sums[width + k]) + (sums[2 * width + k] + sums[3 * width + k]);                \
    }
    TP_LINES(tp_lines_float, float)
    TP_LINES(tp_lines_double, double)
    """
    void tp_lines_float(
        const double* x, const int64_t* columns, Py_ssize_t n, const int64_t* starts, const int32_t* block,
        const float* lines, Py_ssize_t width, double* sums,
    ) noexcept nogil
    void tp_lines_double(
        const double* x, const int64_t* columns, Py_ssize_t n, const int64_t* starts, const int32_t* block,
        const double* lines, Py_ssize_t width, double* sums,
    ) noexcept nogil


def sparse_votes(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr, const int64_t[::1] order,
    const int64_t[::1] starts, const int32_t[::1] block, const weight_t[::1] lines, const double[::1] intercept,
    const int32_t[::1] lower, const int32_t[::1] upper,
    int64_t[:, ::1] votes, double[:, ::1] confidence, double[::1] scratch_f64, int64_t[::1] scratch_i64,
):
    """Add the votes of each class and its scores against the others, for the rows of ``order``.

    Model p separates class ``lower[p]`` (scores up to 0) from ``upper[p]``. ``scratch_f64`` has four entries per model,
    rounded up to 8, and one per entry of the longest row; ``scratch_i64`` one per entry of the longest row.
    """
    cdef Py_ssize_t n = order.shape[0], n_models = lower.shape[0], width = (n_models + 7) // 8 * 8
    cdef Py_ssize_t i, k, p, start, length
    cdef const value_t* values = values_or_null(data)
    cdef double* sums = ptr(scratch_f64)
    cdef double* x = ptr(scratch_f64) + 4 * width
    cdef double score
    with nogil:
        for i in range(n):
            start = indptr[order[i]]
            length = indptr[order[i] + 1] - start
            for k in range(length):
                scratch_i64[k] = indices[start + k]
                x[k] = 1 if values == NULL else values[start + k]
            memset(sums, 0, 4 * width * sizeof(double))
            if weight_t is float:
                tp_lines_float(x, ptr(scratch_i64), length, ptr(starts), ptr(block), ptr(lines), width, sums)
            else:
                tp_lines_double(x, ptr(scratch_i64), length, ptr(starts), ptr(block), ptr(lines), width, sums)
            for p in range(n_models):
                score = sums[p] + intercept[p]
                votes[i, upper[p] if score > 0 else lower[p]] += 1
                confidence[i, upper[p]] += score
                confidence[i, lower[p]] -= score


def vote_winners(const int64_t[:, ::1] votes, const double[:, ::1] confidence, int64_t[::1] winner):
    """Write the class of each row: most votes; ties: the highest confidence, then the lowest number."""
    cdef Py_ssize_t i, c, best
    with nogil:
        for i in range(winner.shape[0]):
            best = 0
            for c in range(1, votes.shape[1]):
                if votes[i, c] > votes[i, best] or (
                    votes[i, c] == votes[i, best] and confidence[i, c] > confidence[i, best]
                ):
                    best = c
            winner[i] = best
