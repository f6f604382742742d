"""One-vs-one predictions from dense tables: votes at the speed of float32, each as exact as in double.

The weights of 16 models stand side by side, a column after the other, in one table for each 16 models (``tables[block,
column, model]``). Rows come in batches, and every block goes over a batch before the next begins: the part of a table
that common words use, some hundred kilobytes, then stays in L2.

A vote needs the sign of a score only, which quick sums give; see quick.pxd. Ties of votes, which the sums of scores
decide, are settled likewise.
"""

from libc.math cimport fabs
from libc.stdint cimport int32_t, int64_t

from textperceptron._kernels.quick cimport exact_score, quick_doubt, quick_scores
from textperceptron._kernels.rows cimport index_t, value_t, weight_t


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
                score = exact_score(values, &indices[start], length, &tables[p // 16, 0, p % 16], 16) + intercept[p]
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
    cdef Py_ssize_t n = order.shape[0], first, i, p, c, b, start, length, best, rivals
    cdef Py_ssize_t batch = scores.shape[0]
    cdef const float* values = NULL
    cdef double score, doubt
    with nogil:
        first = 0
        while first < n:
            for b in range(tables.shape[0]):
                for i in range(first, min(first + batch, n)):
                    start = indptr[order[i]]
                    length = indptr[order[i] + 1] - start
                    if data.shape[0] > 0:
                        values = &data[start]
                    quick_scores(
                        values, &indices[start], length, &tables[b, 0, 0], 16, 16, &scores[i - first, 16 * b]
                    )
            for i in range(first, min(first + batch, n)):
                start = indptr[order[i]]
                length = indptr[order[i] + 1] - start
                if data.shape[0] > 0:
                    values = &data[start]
                doubt = quick_doubt(values, length, heaviest)
                votes[:] = 0
                for p in range(lower.shape[0]):
                    score = scores[i - first, p] + intercept[p]
                    if not fabs(score) > doubt:  # NaN is in doubt too
                        score = exact_score(
                            values, &indices[start], length, &tables[p // 16, 0, p % 16], 16
                        ) + intercept[p]
                    # No branch: half of the signs cannot be foreseen.
                    votes[upper[p]] += score > 0
                    votes[lower[p]] += not score > 0
                best, rivals = 0, 0
                for c in range(1, votes.shape[0]):
                    if votes[c] > votes[best]:
                        best, rivals = c, 0
                    elif votes[c] == votes[best]:
                        rivals += 1
                if rivals:
                    best = break_tie(
                        values, &indices[start], length, tables, intercept, lower, upper,
                        &scores[i - first, 0], doubt, votes, votes[best], confidence,
                    )
                winner[i] = best
            first += batch


cdef Py_ssize_t break_tie(
    const float* values, const index_t* columns, Py_ssize_t length,
    const float[:, :, ::1] tables, const double[::1] intercept, const int32_t[::1] lower, const int32_t[::1] upper,
    const float* scores, double doubt, const int64_t[::1] votes, int64_t most, double[::1] confidence,
) noexcept nogil:
    """The class with the highest sum of scores among those with ``most`` votes; the lowest of several."""
    cdef Py_ssize_t p, c, best = -1, second = -1
    cdef double score
    cdef bint exact
    for exact in range(2):
        confidence[:] = 0
        for p in range(lower.shape[0]):
            if votes[upper[p]] < most and votes[lower[p]] < most:
                continue
            score = scores[p]
            if exact:
                score = exact_score(values, columns, length, &tables[p // 16, 0, p % 16], 16)
            confidence[upper[p]] += score + intercept[p]
            confidence[lower[p]] -= score + intercept[p]
        best, second = -1, -1
        for c in range(votes.shape[0]):
            if votes[c] == most:
                if best < 0 or confidence[c] > confidence[best]:
                    best, second = c, best
                elif second < 0 or confidence[c] > confidence[second]:
                    second = c
        # Each sum has a score for every other class, and may err by that many doubts.
        if confidence[best] - confidence[second] > 2.01 * votes.shape[0] * doubt:
            break
    return best
