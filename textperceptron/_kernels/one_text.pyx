"""One text → its scores in one call: for answering a question at a time, where Python's own steps would cost most."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memset

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.blocks cimport Expanded, score_classes
from textperceptron._kernels.rows cimport row_dot
from textperceptron._kernels.tokenize cimport (
    NO_MARKS, copy_chosen_words, copy_words, find_tokens, find_words, first_bytes, write_prefixes
)
from textperceptron._kernels.unicode cimport StrView, encode, fill_tables, max_utf8_bytes, needs_str_lower, view_of
from textperceptron._kernels.unit cimport row_to_length_one
from textperceptron._kernels.vocabulary cimport VocabularyView, find_ngrams

fill_tables()

# Places in a plan.
cdef enum:
    LOWER = 0
    SINGLE = 1
    MIN_N = 2
    MAX_N = 3
    BINARY = 4
    STRIDE = 5
    CLASSES = 6
    WEIGHTS = 7         # how many there are
    MASK = 8            # slots of the vocabulary, less 1
    OFFSETS_AT = 9
    ARENA_AT = 10
    SLOTS_AT = 11
    WEIGHTS_AT = 12
    LENGTH_ONE = 13     # whether rows are divided by their length
    MARKS = 14          # what punctuation is, as in tokenize.pxd
    PREFIXES = 15       # characters of a prefix, or 0
    NEGATOR_MASK = 16   # slots of the vocabulary of negators less 1, or -1 for no negation
    NEGATOR_OFFSETS_AT = 17
    NEGATOR_ARENA_AT = 18
    NEGATOR_SLOTS_AT = 19
    NEGATOR_BYTES = 20  # which bytes negators begin with

cdef enum:
    SLACK = 512         # kernels write and read a little behind the end
    FEW = 48            # columns up to which sorting by insertion is faster


cdef int by_number(const void* a, const void* b) noexcept nogil:
    cdef int32_t x = (<const int32_t*> a)[0], y = (<const int32_t*> b)[0]
    return (x > y) - (x < y)


cdef inline void sort_columns(int32_t* columns, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k, j
    cdef int32_t column
    if n > FEW:
        qsort(columns, n, sizeof(int32_t), by_number)
        return
    for k in range(1, n):
        column = columns[k]
        j = k
        while j > 0 and columns[j - 1] > column:
            columns[j] = columns[j - 1]
            j -= 1
        columns[j] = column


cdef inline Py_ssize_t count_columns(int32_t* columns, Py_ssize_t n, bint binary, float* values) noexcept nogil:
    """Sort columns, leave each once and write how often it was there, or 1; return how many are left."""
    cdef Py_ssize_t k, kept = 0
    sort_columns(columns, n)
    for k in range(n):
        if kept and columns[kept - 1] == columns[k]:
            if not binary:
                values[kept - 1] += 1
        else:
            columns[kept] = columns[k]
            values[kept] = 1
            kept += 1
    return kept


def plan_text(
    const int64_t[::1] offsets, const uint8_t[::1] arena, const uint64_t[::1] slots, const float[::1] weights,
    bint lower, bint single, int marks, int min_n, int max_n, Py_ssize_t prefixes, bint binary, bint length_one,
    const int64_t[::1] negator_offsets, const uint8_t[::1] negator_arena, const uint64_t[::1] negator_slots,
    Py_ssize_t stride, Py_ssize_t n_classes, int64_t[::1] plan,
):
    """Write what :func:`classify_text` needs to know of a model to ``plan``: settings, and where its arrays are.

    Taking hold of an array costs a call more than classifying a few words does. So this is done once, and whoever
    has a plan keeps the arrays alive and where they are. ``stride`` is 0 for two classes, who have one score; else the
    weights are a dense class-minor table.
    """
    cdef VocabularyView negators
    plan[LOWER], plan[SINGLE], plan[MIN_N], plan[MAX_N], plan[BINARY] = lower, single, min_n, max_n, binary
    plan[MARKS], plan[LENGTH_ONE], plan[PREFIXES] = marks, length_one, prefixes
    plan[STRIDE], plan[CLASSES], plan[WEIGHTS], plan[MASK] = stride, n_classes, weights.shape[0], slots.shape[0] - 1
    plan[OFFSETS_AT], plan[ARENA_AT] = <int64_t> ptr(offsets), <int64_t> ptr(arena)
    plan[SLOTS_AT], plan[WEIGHTS_AT] = <int64_t> ptr(slots), <int64_t> ptr(weights)
    plan[NEGATOR_MASK] = negator_slots.shape[0] - 1
    plan[NEGATOR_OFFSETS_AT], plan[NEGATOR_ARENA_AT] = <int64_t> ptr(negator_offsets), <int64_t> ptr(negator_arena)
    plan[NEGATOR_SLOTS_AT] = <int64_t> ptr(negator_slots)
    negators.offsets, negators.arena = ptr(negator_offsets), ptr(negator_arena)
    plan[NEGATOR_BYTES] = <int64_t> first_bytes(&negators, negator_offsets.shape[0] - 1)


def classify_text(str text, const int64_t[::1] plan, uint8_t[::1] room):
    """Write the scores of one text to the beginning of ``room``, as doubles; return the number of its class.

    The words, n-grams, prefixes, columns and sums are, to the bit, those of :func:`split_words`, :func:`cut_prefixes`,
    :func:`find_terms`, :func:`write_count_rows`, :func:`scale_rows` and :func:`row_scores` or :func:`class_scores`.
    ``room`` is scratch, aligned to 8 bytes. If it is too small, nothing is done, and the number of bytes that it needs
    is returned, negated.

    Bottleneck: the look-ups of a large vocabulary. 15 words are 29 uni- and bigrams, asked for 32 at a time.
    """
    cdef StrView view = view_of(text)
    cdef bint lower = plan[LOWER]
    cdef int min_n = <int> plan[MIN_N], max_n = <int> plan[MAX_N], marks = <int> plan[MARKS]
    cdef Py_ssize_t stride = plan[STRIDE], d = plan[WEIGHTS] - 1, head = max(stride, <Py_ssize_t> 1)
    cdef Py_ssize_t n_bytes, most_tokens, most_grams, n_tokens, n, c, written = 0, best = 0
    cdef Py_ssize_t n_prefixes, prefix_bytes = 0
    cdef const float* weights = <const float*> plan[WEIGHTS_AT]
    cdef double* scores = <double*> ptr(room)
    cdef double* x
    cdef float* values
    cdef int64_t* at
    cdef int32_t* bounds
    cdef int32_t* ends
    cdef int32_t* starts
    cdef int32_t* stops
    cdef int32_t* columns
    cdef uint8_t* utf8
    cdef uint8_t* words
    cdef uint8_t* classes
    cdef Expanded row
    cdef VocabularyView names, negators
    cdef bint negation = plan[NEGATOR_MASK] >= 0
    if lower and needs_str_lower(text, &view):
        text = str.lower(text)
        view = view_of(text)
    n_bytes = max_utf8_bytes(&view)
    most_tokens = view.length // 2 + 1 if marks == NO_MARKS else view.length + 1
    most_grams = most_tokens * max(<Py_ssize_t> 0, min(<Py_ssize_t> max_n, most_tokens) - min_n + 1)
    if plan[PREFIXES]:
        most_grams += most_tokens
    # Numbers and offsets (8 bytes), whole numbers and values (4 bytes), then characters: each begins where it may.
    n = 8 * (head + 2 * most_grams) + 4 * (2 * n_bytes + 2 * most_tokens + 2 * most_grams + 5 * SLACK)
    n += 3 * n_bytes + (5 if negation else 1) * most_tokens + 3 * SLACK  # with negation, four more bytes a word
    if n > room.shape[0]:
        return -n
    names.offsets, names.arena = <const int64_t*> plan[OFFSETS_AT], <const uint8_t*> plan[ARENA_AT]
    names.slots, names.mask = <const uint64_t*> plan[SLOTS_AT], plan[MASK]
    negators.offsets = <const int64_t*> plan[NEGATOR_OFFSETS_AT]
    negators.arena = <const uint8_t*> plan[NEGATOR_ARENA_AT]
    negators.slots, negators.mask = <const uint64_t*> plan[NEGATOR_SLOTS_AT], plan[NEGATOR_MASK]
    with nogil:
        x = scores + head
        at = <int64_t*> (x + most_grams)
        bounds = <int32_t*> (at + most_grams)
        ends = bounds + n_bytes + SLACK
        starts = ends + n_bytes + SLACK
        stops = starts + most_tokens + SLACK
        columns = stops + most_tokens + SLACK
        values = <float*> (columns + most_grams + SLACK)
        utf8 = <uint8_t*> (values + most_grams)
        classes = utf8 + n_bytes + SLACK
        words = classes + n_bytes + SLACK
        if marks == NO_MARKS and not negation:
            n_tokens = find_words(view.kind, view.data, view.length, lower, utf8, bounds)
            n_tokens = copy_words(
                utf8, bounds, bounds + 1, 2, n_tokens, plan[SINGLE], words, starts, stops, &written
            )
        else:
            n = encode(view.kind, view.data, view.length, lower, utf8, classes)
            n_tokens = find_tokens(classes, n, marks, bounds, ends)
            if negation:
                memset(utf8 + n, 0, 4)
                n_tokens = copy_chosen_words(
                    utf8, classes, bounds, ends, 1, n_tokens, plan[SINGLE], NULL, &negators,
                    <uint64_t> plan[NEGATOR_BYTES], words, starts, stops, &written,
                )
            else:
                n_tokens = copy_words(utf8, bounds, ends, 1, n_tokens, plan[SINGLE], words, starts, stops, &written)
        n = find_ngrams(&names, words, starts, stops, n_tokens, min_n, max_n, columns)
        if plan[PREFIXES]:
            # What the words were cut from is no longer needed, and has room for what is shorter.
            n_prefixes = write_prefixes(
                words, starts, stops, n_tokens, plan[PREFIXES], negation, utf8, bounds, ends, &prefix_bytes
            )
            n += find_ngrams(&names, utf8, bounds, ends, n_prefixes, 1, 1, columns + n)
        n = count_columns(columns, n, plan[BINARY], values)
        if plan[LENGTH_ONE]:
            row_to_length_one(values, n)
        if stride == 0:
            scores[0] = row_dot(values, columns, n, weights) + weights[d]
            best = scores[0] > 0
        else:
            row.n, row.stride, row.bits, row.scores, row.x, row.at = n, stride, 0, scores, x, at
            for c in range(n):
                at[c] = columns[c] * <int64_t> stride
                x[c] = values[c]
            score_classes(&row, weights, d + 1 - stride, 1.0)
            for c in range(1, plan[CLASSES]):
                if scores[c] > scores[best]:
                    best = c
    return best
