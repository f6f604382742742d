"""The voted perceptron in its dual form: a list of mistakes and a kernel between rows."""

from libc.stdint cimport int32_t, int64_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport (
    LOGGED, MISTAKES, SEEN, SUPPORT, UPDATES, Row, index_t, next_row, row_dot, row_is_zero, rows_in, value_t,
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
    """Kernel perceptron over the rows of ``order``.

    The score of a row is ``base[row] + Σ_j alpha[j]·((x_j·x + coef0)^degree + pad)`` over the ``counts[SUPPORT]`` rows
    j in ``support``. ``alpha`` (one entry per row), ``support``, ``log``, ``counts`` and ``loss`` change in place;
    ``dense`` (one zero per column) is scratch and zero again afterwards.

    Bottleneck: one sparse dot per support row and example, against ``dense``, which holds the example.
    """
    cdef Py_ssize_t j, k
    cdef const value_t* all_values = values_or_null(data)
    cdef const value_t* values
    cdef const value_t* support_values = NULL
    cdef const index_t* columns
    cdef double score
    cdef Row row = rows_in(order, weight, ptr(counts))
    with nogil:
        while next_row(&row, all_values, ptr(indices), ptr(indptr), &values, &columns):
            for k in range(row.n):
                dense[columns[k]] = 1 if values == NULL else values[k]
            score = base[row.number]
            for j in range(counts[SUPPORT]):
                k = support[j]
                if all_values != NULL:
                    support_values = all_values + indptr[k]
                score += alpha[k] * (pad + power(coef0 + row_dot(
                    support_values, ptr(indices) + indptr[k], indptr[k + 1] - indptr[k], ptr(dense), 1
                ), degree))
            for k in range(row.n):
                dense[columns[k]] = 0
            score *= y[row.number]
            if score > margin:
                continue
            counts[MISTAKES] += 1
            loss[0] += margin - score
            if pad == 0 and coef0 == 0 and row_is_zero(values, columns, row.n, NULL):
                continue
            counts[UPDATES] += 1
            if alpha[row.number] == 0:  # all steps of a row have the sign of its label: 0 means not yet in support
                support[counts[SUPPORT]] = row.number
                counts[SUPPORT] += 1
            alpha[row.number] += eta * row.weight * y[row.number]
            log[2 * counts[LOGGED]] = row.number
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

    ``starts``, ``holders`` and ``held`` are the support rows by column: which rows have the column, and their values.
    Mistake k is support row ``mistaken[k]`` with the step ``steps[k]``; the vector after it survived ``survived[k]``
    examples. ``products`` (one entry per support row) is scratch.

    Bottleneck: every support row of each column of a row; then one pass over the mistakes.
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
