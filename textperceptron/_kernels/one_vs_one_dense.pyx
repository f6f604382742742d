"""One-vs-one predictions from dense tables: votes at the speed of float32, each as exact as in double.

One table has the weights of 16 models, ``tables[block, column, model]``, the intercepts in the last line. Class pairs
are in order, (0, 1), (0, 2) and so on; the model of class pair p is ``slot[p]``, counted over all tables. Rows come in
batches, and every table is applied to a batch before the next: the part of a table that common words use, some hundred
kilobytes, then stays in L2.

A vote needs the sign of a score only, which float32 sums give (float32_scores.pxd). Ties of votes, decided by sums of
scores, are resolved in the same way.
"""

from libc.stdint cimport int32_t, int64_t

from textperceptron._kernels cimport simd  # no-cython-lint
from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.float32_scores cimport error_bound, float32_scores
from textperceptron._kernels.rows cimport index_t, prefetch_far, row_dot, value_t, weight_t

cdef extern from *:
    """
    /* wins[p] = 1 if model p votes for the upper class; returns the number of scores too near to 0 to tell. */
    TP_CLONES static int32_t tp_wins(
        const float* scores, const float* intercepts, Py_ssize_t n, float limit, int32_t* wins)
    {
        int32_t uncertain = 0;
        for (Py_ssize_t p = 0; p < n; p++) {
            float score = scores[p] + intercepts[p];
            wins[p] = score > 0;
            uncertain += !(__builtin_fabsf(score) > limit);  /* also NaN */
        }
        return uncertain;
    }

    /* Votes per class, without branches and without dependent additions: half of the signs are unpredictable. */
    TP_CLONES static void tp_count(
        const int32_t* wins, const int32_t* slot, Py_ssize_t n_classes, int32_t* votes)
    {
        for (Py_ssize_t c = 0; c < n_classes; c++)
            votes[c] = 0;
        for (Py_ssize_t lower = 0; lower < n_classes; lower++) {
            Py_ssize_t n = n_classes - lower - 1;
            int32_t lost = 0;
            for (Py_ssize_t k = 0; k < n; k++) {
                int32_t win = wins[slot[k]];
                votes[lower + 1 + k] += win;
                lost += win;
            }
            votes[lower] += (int32_t) n - lost;
            slot += n;
        }
    }
    """
    int32_t tp_wins(
        const float* scores, const float* intercepts, Py_ssize_t n, float limit, int32_t* wins
    ) noexcept nogil
    void tp_count(const int32_t* wins, const int32_t* slot, Py_ssize_t n_classes, int32_t* votes) noexcept nogil


cdef enum:
    BLOCK = 16      # models per table
    DECIDED = -1    # guess of a row whose class is known


def dense_votes(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr, const int64_t[::1] order,
    const weight_t[:, :, ::1] tables, const int32_t[::1] slot, const double[::1] intercept,
    const int32_t[::1] lower, const int32_t[::1] upper, int64_t[:, ::1] votes, double[:, ::1] confidence,
):
    """Add the votes of each class and its scores against the others, for the rows of ``order``."""
    cdef Py_ssize_t i, p, start, length
    cdef const value_t* values = NULL
    cdef double score
    with nogil:
        for i in range(order.shape[0]):
            start = indptr[order[i]]
            length = indptr[order[i] + 1] - start
            if data.shape[0] > 0:
                values = ptr(data) + start
            for p in range(lower.shape[0]):
                score = row_dot(values, ptr(indices) + start, length, model_at(tables, slot[p]), BLOCK) + intercept[p]
                votes[i, upper[p] if score > 0 else lower[p]] += 1
                confidence[i, upper[p]] += score
                confidence[i, lower[p]] -= score


def dense_winners(
    const float[::1] data, const index_t[::1] indices, const index_t[::1] indptr, const int64_t[::1] order,
    const float[:, :, ::1] tables, const unsigned char[:, ::1] holds, Py_ssize_t n_whole, double max_abs_weight,
    const float[::1] intercepts, const int32_t[::1] slot, const double[::1] intercept,
    const int32_t[::1] lower, const int32_t[::1] upper,
    float[:, ::1] scores, int32_t[::1] guesses, int32_t[::1] wins, int32_t[::1] votes, double[::1] confidence,
    int64_t[::1] winner,
):
    """Write the class of the rows of ``order``: that of :func:`dense_votes` and ``vote_winners``.

    A class that wins against every other has the most votes, however the others vote among themselves, and most rows
    have one. The first ``n_whole`` tables are four classes against four; ``holds[b, c]`` says whether class c is in
    table b. The other tables, with the class pairs within each four, are scored first: the class with the highest score
    there is the guess. Then come the tables that hold the guess; all others only if it loses a class pair or may do so.

    ``max_abs_weight`` is at least the largest absolute weight. ``intercepts`` are those of the tables in order, huge
    where there is no model; ``intercept`` has them by class pair. Scratch: ``scores`` has one row per row of a batch
    and one entry per model, rounded up to 16, ``wins`` one such row, ``guesses`` one entry per row of a batch,
    ``votes`` and ``confidence`` one entry per class.

    Bottleneck: 64 bytes of weights per entry and 16 models, from L2. Weights of 16 bits, 32 models per cache line, were
    tried: converting them takes longer than reading the others.
    """
    cdef Py_ssize_t n = order.shape[0], first, end, i, b
    cdef Py_ssize_t batch = scores.shape[0]
    cdef bint guessing = n_whole > 1
    with nogil:
        first = 0
        while first < n:
            end = min(first + batch, n)
            guesses[: end - first] = 0
            for b in range(n_whole, tables.shape[0]):
                score_batch(data, indices, indptr, order[first:end], tables, b, NULL, 0, guesses, scores)
            if guessing:
                for i in range(end - first):
                    guesses[i] = best_guess(&scores[i, 0], BLOCK * n_whole, intercept, slot, lower, upper, confidence)
                for b in range(n_whole):
                    score_batch(data, indices, indptr, order[first:end], tables, b, &holds[b, 0], 1, guesses, scores)
                for i in range(end - first):
                    if beats_all(
                        guesses[i], &scores[i, 0], intercept, slot, votes.shape[0],
                        row_error_bound(data, indptr, order[first + i], max_abs_weight),
                    ):
                        winner[first + i] = guesses[i]
                        guesses[i] = DECIDED
            for b in range(n_whole):
                score_batch(
                    data, indices, indptr, order[first:end], tables, b, &holds[b, 0] if guessing else NULL, 0,
                    guesses, scores,
                )
            for i in range(end - first):
                if guesses[i] != DECIDED:
                    winner[first + i] = most_votes(
                        data, indices, indptr, order[first + i], tables, max_abs_weight, intercepts, slot, intercept,
                        lower, upper, &scores[i, 0], wins, votes, confidence,
                    )
            first += batch


cdef void score_batch(
    const float[::1] data, const index_t[::1] indices, const index_t[::1] indptr, const int64_t[::1] order,
    const float[:, :, ::1] tables, Py_ssize_t b, const unsigned char* holds, unsigned char wanted,
    const int32_t[::1] guesses, float[:, ::1] scores,
) noexcept nogil:
    """Score the models of table b on undecided rows; only those with ``holds[guess] == wanted`` unless it is NULL."""
    cdef Py_ssize_t i, start
    cdef const float* values = NULL
    for i in range(order.shape[0]):
        if guesses[i] == DECIDED or (holds != NULL and holds[guesses[i]] != wanted):
            continue
        if i + 1 < order.shape[0]:
            prefetch_far(ptr(indices), ptr(indptr), order[i + 1], &tables[b, 0, 0], BLOCK)
        start = indptr[order[i]]
        if data.shape[0] > 0:
            values = ptr(data) + start
        float32_scores(
            values, ptr(indices) + start, indptr[order[i] + 1] - start, &tables[b, 0, 0], BLOCK, BLOCK,
            &scores[i, BLOCK * b],
        )


cdef int32_t best_guess(
    const float* scores, Py_ssize_t first_slot, const double[::1] intercept, const int32_t[::1] slot,
    const int32_t[::1] lower, const int32_t[::1] upper, double[::1] sums,
) noexcept nogil:
    """The class with the highest sum of scores over the class pairs from ``first_slot`` on."""
    cdef Py_ssize_t p, c, best = 0
    sums[:] = 0
    for p in range(slot.shape[0]):
        if slot[p] >= first_slot:
            sums[upper[p]] += scores[slot[p]] + intercept[p]
            sums[lower[p]] -= scores[slot[p]] + intercept[p]
    for c in range(1, sums.shape[0]):
        if sums[c] > sums[best]:
            best = c
    return <int32_t> best


cdef bint beats_all(
    Py_ssize_t c, const float* scores, const double[::1] intercept, const int32_t[::1] slot, Py_ssize_t n_classes,
    double bound,
) noexcept nogil:
    """Whether a class wins against every other for certain."""
    cdef Py_ssize_t other, p
    for other in range(c):
        p = other * n_classes - other * (other + 1) // 2 + c - other - 1
        if not scores[slot[p]] + intercept[p] > bound:
            return False
    for other in range(c + 1, n_classes):
        p = c * n_classes - c * (c + 1) // 2 + other - c - 1
        if not scores[slot[p]] + intercept[p] < -bound:
            return False
    return True


cdef double row_error_bound(
    const float[::1] data, const index_t[::1] indptr, Py_ssize_t row, double max_abs_weight
) noexcept nogil:
    """Bound of the error of a row's float32 scores."""
    cdef Py_ssize_t start = indptr[row]
    return error_bound(ptr(data) + start if data.shape[0] > 0 else NULL, indptr[row + 1] - start, max_abs_weight)


cdef Py_ssize_t most_votes(
    const float[::1] data, const index_t[::1] indices, const index_t[::1] indptr, Py_ssize_t row,
    const float[:, :, ::1] tables, double max_abs_weight, const float[::1] intercepts, const int32_t[::1] slot,
    const double[::1] intercept, const int32_t[::1] lower, const int32_t[::1] upper, const float* scores,
    int32_t[::1] wins, int32_t[::1] votes, double[::1] confidence,
) noexcept nogil:
    """The class with the most votes; ties: the highest sum of scores, then the lowest number."""
    cdef Py_ssize_t start = indptr[row], length = indptr[row + 1] - start, c, best = 0, rivals = 0
    cdef const float* values = NULL
    cdef double bound = row_error_bound(data, indptr, row, max_abs_weight)
    # Intercepts are added in float32, so the limit is a little higher than the bound.
    cdef float limit = <float> (bound * (1 + 3e-7) + 1e-44)
    if data.shape[0] > 0:
        values = ptr(data) + start
    if tp_wins(scores, ptr(intercepts), intercepts.shape[0], limit, ptr(wins)):
        resolve_wins(values, ptr(indices) + start, length, tables, slot, intercept, scores, bound, wins)
    tp_count(ptr(wins), ptr(slot), votes.shape[0], ptr(votes))
    for c in range(1, votes.shape[0]):
        if votes[c] > votes[best]:
            best, rivals = c, 0
        elif votes[c] == votes[best]:
            rivals += 1
    if rivals:
        best = break_tie(
            values, ptr(indices) + start, length, tables, slot, intercept, lower, upper, scores, bound,
            votes, votes[best], confidence,
        )
    return best


cdef inline const weight_t* model_at(const weight_t[:, :, ::1] tables, Py_ssize_t slot) noexcept nogil:
    """The weight of column 0 of a model."""
    return &tables[slot // BLOCK, 0, slot % BLOCK]


cdef void resolve_wins(
    const float* values, const index_t* columns, Py_ssize_t length, const float[:, :, ::1] tables,
    const int32_t[::1] slot, const double[::1] intercept, const float* scores, double bound, int32_t[::1] wins,
) noexcept nogil:
    """Compute the exact score where the float32 score is too near to 0."""
    cdef Py_ssize_t p
    cdef double score
    for p in range(slot.shape[0]):
        score = scores[slot[p]] + intercept[p]
        if not (score > bound or score < -bound):
            score = row_dot(values, columns, length, model_at(tables, slot[p]), BLOCK) + intercept[p]
            wins[slot[p]] = score > 0


cdef Py_ssize_t break_tie(
    const float* values, const index_t* columns, Py_ssize_t length,
    const float[:, :, ::1] tables, const int32_t[::1] slot, const double[::1] intercept,
    const int32_t[::1] lower, const int32_t[::1] upper,
    const float* scores, double bound, const int32_t[::1] votes, int32_t most, double[::1] confidence,
) noexcept nogil:
    """The class with the highest sum of scores among those with ``most`` votes; the lowest on ties."""
    cdef Py_ssize_t p, c, best = -1, second = -1
    cdef double score
    cdef bint exact
    for exact in range(2):
        confidence[:] = 0
        for p in range(lower.shape[0]):
            if votes[upper[p]] < most and votes[lower[p]] < most:
                continue
            score = scores[slot[p]]
            if exact:
                score = row_dot(values, columns, length, model_at(tables, slot[p]), BLOCK)
            confidence[upper[p]] += score + intercept[p]
            confidence[lower[p]] -= score + intercept[p]
        best, second = -1, -1
        for c in range(votes.shape[0]):
            if votes[c] == most:
                if best < 0 or confidence[c] > confidence[best]:
                    best, second = c, best
                elif second < 0 or confidence[c] > confidence[second]:
                    second = c
        # Each sum has one score per other class, each with an error of at most the bound.
        if confidence[best] - confidence[second] > 2.01 * votes.shape[0] * bound:
            break
    return best
