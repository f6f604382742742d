"""The voted perceptron in its dual form: a list of mistakes and a kernel between rows."""

from libc.stdint cimport int32_t, int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    LOGGED, MISTAKES, POSITION, SEEN, SUPPORT, UPDATES, index_t, row_dot, row_is_zero, value_t,
    values_or_null,
)


cdef inline double power(double base, int64_t degree) noexcept nogil:
    """``base ** degree`` by repeated multiplication: exact where the products are."""
    cdef double result = 1
    cdef int64_t _
    for _ in range(degree):
        result *= base
    return result


def kernel_slice(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const signed char[::1] y, const double[::1] weight, const int64_t[::1] order,
    const double[::1] base, double[::1] alpha, int64_t[::1] support, double[::1] dense,
    int64_t[::1] log, int64_t[::1] counts, double[::1] loss,
    double eta, double margin, double pad, int64_t degree, double coef0,
):
    """Kernel perceptron over the rows named by ``order``.

    A row's score is ``base[row] + Σ_j alpha[j]·((x_j·x + coef0)^degree + pad)`` over the rows j in
    ``support``, of which there are ``counts[SUPPORT]``. ``alpha`` (one a row), ``support``, ``log``,
    ``counts`` and ``loss`` change in place; ``dense`` (one zero a column) is scratch and is left zero.

    Bottleneck: one sparse dot for each pair of support row and example, against ``dense``, where the
    example lies spread out.
    """
    cdef Py_ssize_t n = order.shape[0], i, j, k, row, start, stop
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values = NULL
    cdef const index_t* starts = ptr(indptr)
    cdef bint weighted = weight.shape[0] > 0
    cdef double s = 1, score
    with nogil:
        for i in range(n):
            row = order[i]
            counts[POSITION] += 1
            if weighted:
                s = weight[row]
                if s == 0:
                    continue
            counts[SEEN] += 1
            start, stop = starts[row], starts[row + 1]
            for k in range(start, stop):
                dense[indices[k]] = 1 if all_values == NULL else all_values[k]
            score = base[row]
            for j in range(counts[SUPPORT]):
                k = support[j]
                if all_values != NULL:
                    values = all_values + starts[k]
                score += alpha[k] * (pad + power(coef0 + row_dot(
                    values, ptr(indices) + starts[k], starts[k + 1] - starts[k], ptr(dense)
                ), degree))
            for k in range(start, stop):
                dense[indices[k]] = 0
            score *= y[row]
            if score > margin:
                continue
            counts[MISTAKES] += 1
            loss[0] += margin - score
            if all_values != NULL:
                values = all_values + start
            if pad == 0 and coef0 == 0 and row_is_zero(values, ptr(indices) + start, stop - start, NULL):
                continue
            counts[UPDATES] += 1
            if alpha[row] == 0:  # a row's steps all have the sign of its label: 0 means not yet in support
                support[counts[SUPPORT]] = row
                counts[SUPPORT] += 1
            alpha[row] += eta * s * y[row]
            log[2 * counts[LOGGED]] = row
            log[2 * counts[LOGGED] + 1] = counts[SEEN]
            counts[LOGGED] += 1


def vote_scores(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] order,
    const int64_t[::1] starts, const int32_t[::1] holders, const double[::1] held,
    const int32_t[::1] mistaken, const double[::1] steps, const int64_t[::1] survived,
    double[::1] products, double[::1] votes, double[::1] last,
    double pad, int64_t degree, double coef0,
):
    """Write ``Σ_k c_k·sign(score_k(x))`` of the rows of ``order`` to ``votes``, the last score to ``last``.

    ``starts``, ``holders`` and ``held`` are the support rows column by column: which of them hold a column,
    and with which value. Mistake k is support row ``mistaken[k]`` with the step ``steps[k]``, and the
    vector that it made survived ``survived[k]`` examples. ``products`` (one a support row) is scratch.

    Bottleneck: for each column of a row, every support row that holds it; then one walk over the mistakes.
    """
    cdef Py_ssize_t n = order.shape[0], n_support = products.shape[0], i, j, k, m
    cdef bint ones = data.shape[0] == 0
    cdef double x, score, vote
    with nogil:
        for i in range(n):
            for j in range(n_support):
                products[j] = 0
            for k in range(indptr[order[i]], indptr[order[i] + 1]):
                x = 1 if ones else data[k]
                for m in range(starts[indices[k]], starts[indices[k] + 1]):
                    products[holders[m]] += x * held[m]
            for j in range(n_support):
                products[j] = pad + power(products[j] + coef0, degree)
            score = 0
            vote = 0
            for k in range(mistaken.shape[0]):
                score += steps[k] * products[mistaken[k]]
                if score > 0:
                    vote += survived[k]
                elif score < 0:
                    vote -= survived[k]
            votes[i] = vote
            last[i] = score
