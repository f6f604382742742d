"""One text → its class in one call, for callers that classify texts one at a time."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.class_rows cimport ClassRow, score_classes
from textperceptron._kernels.rows cimport row_dot, scale_row
from textperceptron._kernels.sorting cimport sort_numbers
from textperceptron._kernels.scripts cimport fill_scripts
from textperceptron._kernels.tokenize cimport (
    NO_MARKS, copy_chosen_words, copy_words, encode_classes, find_tokens, find_words, first_bytes,
    write_character_ngrams, write_prefixes, write_unspaced_ngrams,
)
from textperceptron._kernels.unicode cimport StrView, fill_tables, max_utf8_bytes, needs_str_lower, view_of
from textperceptron._kernels.vocabulary cimport VocabularyView, find_ngrams, view_vocabulary

fill_tables()
fill_scripts()

cdef enum:
    SLACK = 512                 # other kernels read and write a little past the end
    MIN_SCRATCH_BYTES = 1 << 15  # enough for a few hundred characters
    MAX_KEPT_BYTES = 1 << 20    # larger scratch is freed after its text


cdef struct Sizes:
    Py_ssize_t utf8         # bytes of the text, at most
    Py_ssize_t tokens       # at most
    Py_ssize_t terms        # at most
    Py_ssize_t bounds       # tokens or extra terms, at most
    Py_ssize_t ngrams       # bytes of n-grams of characters, at most
    Py_ssize_t scores
    Py_ssize_t scratch      # bytes for all of it


cdef inline Py_ssize_t count_columns(
    int32_t* columns, Py_ssize_t n, int bits, uint32_t* spare, bint binary, float* values
) noexcept nogil:
    """Sort columns, remove duplicates and write their counts, or 1; return the number of distinct columns."""
    cdef Py_ssize_t k, kept = 0
    sort_numbers(<uint32_t*> columns, n, bits, spare)
    for k in range(n):
        if kept and columns[kept - 1] == columns[k]:
            if not binary:
                values[kept - 1] += 1
        else:
            columns[kept] = columns[k]
            values[kept] = 1
            kept += 1
    return kept


@cython.final
cdef class TextScorer:
    """Scores of single texts under a model with a vocabulary and dense float32 weights.

    Tokens, n-grams, prefixes, columns and sums are, to the bit, those of :func:`split_words`, :func:`find_terms`,
    :func:`write_count_rows`, :func:`scale_rows` and :func:`row_scores` or :func:`class_scores`. ``stride`` is 0 for
    two classes, which have one score; otherwise ``weights`` is a dense class-minor table. Empty ``negator_slots`` mean
    no negation.

    A class, not a function: acquiring the model's arrays for every call would take longer than to classify a few words.
    Threads may share a scorer. One block of scratch is kept between calls; a thread that finds it in use allocates its
    own.

    Bottleneck: lookups in a large vocabulary. 15 words are 29 uni- and bigrams, looked up 32 at a time.
    """

    cdef const int64_t[::1] _offsets
    cdef const uint8_t[::1] _arena
    cdef const uint64_t[::1] _slots
    cdef const float[::1] _weights
    cdef const int64_t[::1] _negator_offsets
    cdef const uint8_t[::1] _negator_arena
    cdef const uint64_t[::1] _negator_slots
    cdef VocabularyView _vocabulary, _negators   # pointers into these arrays
    cdef uint64_t _negator_bytes                 # first bytes of the negators
    cdef bint _lower, _single, _binary, _sublinear, _negation
    cdef int _marks, _min_n, _max_n, _norm, _column_bits
    cdef Py_ssize_t _prefixes, _unspaced_n, _characters, _n_words, _stride, _n_classes
    cdef double _character_weight
    cdef uint8_t* _scratch                       # kept between calls; NULL while in use
    cdef Py_ssize_t _scratch_bytes
    cdef tuple _arguments

    def __cinit__(
        self, const int64_t[::1] offsets, const uint8_t[::1] arena, const uint64_t[::1] slots,
        const float[::1] weights, bint lower, bint single, int marks, int min_n, int max_n, Py_ssize_t prefixes,
        Py_ssize_t unspaced_n, Py_ssize_t characters, bint binary, bint sublinear, Py_ssize_t n_words,
        double character_weight, int norm,
        const int64_t[::1] negator_offsets, const uint8_t[::1] negator_arena, const uint64_t[::1] negator_slots,
        Py_ssize_t stride, Py_ssize_t n_classes,
    ):
        self._arguments = (
            offsets.base, arena.base, slots.base, weights.base, lower, single, marks, min_n, max_n, prefixes,
            unspaced_n, characters, binary, sublinear, n_words, character_weight, norm, negator_offsets.base,
            negator_arena.base, negator_slots.base, stride, n_classes,
        )
        self._offsets, self._arena, self._slots, self._weights = offsets, arena, slots, weights
        self._negator_offsets, self._negator_arena = negator_offsets, negator_arena
        self._negator_slots = negator_slots
        self._lower, self._single, self._marks, self._min_n, self._max_n = lower, single, marks, min_n, max_n
        self._prefixes, self._unspaced_n, self._binary, self._norm = prefixes, unspaced_n, binary, norm
        self._characters, self._n_words, self._character_weight = characters, n_words, character_weight
        self._sublinear = sublinear
        self._stride, self._n_classes = stride, n_classes
        self._column_bits = 1
        while (offsets.shape[0] >> self._column_bits) and self._column_bits < 31:
            self._column_bits += 1
        self._vocabulary = view_vocabulary(offsets, arena, slots)
        self._negators = view_vocabulary(negator_offsets, negator_arena, negator_slots)
        self._negation = negator_slots.shape[0] > 0
        self._negator_bytes = first_bytes(&self._negators, negator_offsets.shape[0] - 1)
        self._scratch, self._scratch_bytes = NULL, 0

    def __dealloc__(self):
        free(self._scratch)

    def __reduce__(self):
        return TextScorer, self._arguments

    def code(self, str text not None):
        """Return the class code of a text."""
        cdef double score
        return self._answer(text, &score, None, 0)

    def code_and_score(self, str text not None):
        """Return the class code of a text and a score: that of the class; for two classes the only one."""
        cdef double score
        cdef Py_ssize_t code = self._answer(text, &score, None, 0)
        return code, score

    def scores(self, str text not None):
        """Return the scores of a text: one for two classes, otherwise one per class."""
        cdef double score
        cdef list scores = []
        self._answer(text, &score, scores, 0)
        return scores

    def top(self, str text not None, Py_ssize_t n):
        """Return the codes and scores of the ``n`` classes with the highest scores; of equal ones, the first class.

        The score of the first of two classes is that of the second with the other sign. Takes time for ``n`` times
        the classes at worst, if their scores ascend.
        """
        cdef double score
        cdef list found = []
        cdef Py_ssize_t code = self._answer(text, &score, found if self._stride else None, n)
        if self._stride == 0:
            found = [(1, score), (0, 0.0 - score)]
            if code == 0:
                found.reverse()
        return found[:n]

    def code_in(self, str text not None, uint8_t[::1] scratch):
        """As :meth:`code` in scratch of the caller, aligned to 8 bytes; if it is too small, return minus its size."""
        cdef StrView view
        cdef Sizes sizes
        text = self._lowered(text, &view)
        sizes = self._sizes_of(&view)
        if sizes.scratch > scratch.shape[0]:
            return -sizes.scratch
        return self._classify(&view, &sizes, ptr(scratch))

    cdef inline str _lowered(self, str text, StrView* view):
        """Write the view of a text, in lower case if the kernels cannot do that; return the text of the view."""
        view[0] = view_of(text)
        if self._lower and needs_str_lower(text, view):
            text = str.lower(text)
            view[0] = view_of(text)
        return text

    cdef inline Sizes _sizes_of(self, const StrView* view) noexcept nogil:
        cdef Sizes sizes
        sizes.utf8 = max_utf8_bytes(view)
        sizes.tokens = view.length // 2 + 1 if self._marks == NO_MARKS else view.length + 1
        sizes.terms = sizes.tokens * max(
            <Py_ssize_t> 0, min(<Py_ssize_t> self._max_n, sizes.tokens) - self._min_n + 1
        )
        if self._prefixes:
            sizes.terms += sizes.tokens
        sizes.ngrams = 0
        if self._unspaced_n and view.kind > 1:
            sizes.terms += sizes.tokens
            sizes.ngrams = self._unspaced_n * sizes.utf8
        sizes.bounds = sizes.utf8
        if self._characters:
            sizes.bounds += sizes.tokens
            sizes.ngrams += self._characters * sizes.utf8 + 2 * sizes.bounds
            sizes.terms += sizes.bounds
        sizes.scores = max(self._stride, <Py_ssize_t> 1)
        sizes.scratch = (
            8 * (sizes.scores + 2 * sizes.terms)
            + 4 * (2 * sizes.bounds + 2 * sizes.tokens + 2 * sizes.terms + 5 * SLACK)
            + 3 * sizes.utf8 + sizes.tokens + sizes.ngrams + 4 * SLACK
        )
        if self._negation:
            sizes.scratch += 4 * sizes.tokens  # the mark of a negated word
        return sizes

    cdef Py_ssize_t _answer(self, str text, double* score, list found, Py_ssize_t n_top) except -1:
        """Return the code of a text and write its score; append all scores, or the top ones with their codes."""
        cdef StrView view
        cdef Sizes sizes
        cdef uint8_t* scratch = NULL
        cdef Py_ssize_t code, c, n_bytes = 0
        text = self._lowered(text, &view)
        sizes = self._sizes_of(&view)
        with cython.critical_section(self):
            scratch, n_bytes = self._scratch, self._scratch_bytes
            self._scratch = NULL
        if scratch == NULL or sizes.scratch > n_bytes:
            free(scratch)
            n_bytes = max(<Py_ssize_t> MIN_SCRATCH_BYTES, sizes.scratch)
            scratch = <uint8_t*> malloc(n_bytes)
            if scratch == NULL:
                raise MemoryError()
        with nogil:
            code = self._classify(&view, &sizes, scratch)
        score[0] = (<double*> scratch)[code if self._stride else 0]
        if found is not None and n_top:
            self._append_top(<double*> scratch, n_top, found)
        elif found is not None:
            for c in range(self._n_classes if self._stride else 1):
                found.append((<double*> scratch)[c])
        if n_bytes <= MAX_KEPT_BYTES:
            with cython.critical_section(self):
                if self._scratch == NULL:
                    self._scratch, self._scratch_bytes = scratch, n_bytes
                    scratch = NULL
        free(scratch)
        return code

    cdef int _append_top(self, const double* scores, Py_ssize_t n, list found) except -1:
        """Append the codes and scores of the ``n`` highest scores: by insertion, as most classes are below them."""
        cdef Py_ssize_t c, k, kept = 0
        cdef Py_ssize_t* codes
        n = min(n, self._n_classes)
        codes = <Py_ssize_t*> malloc((n + 1) * sizeof(Py_ssize_t))
        if codes == NULL:
            raise MemoryError()
        for c in range(self._n_classes):
            if kept == n and scores[c] <= scores[codes[n - 1]]:
                continue
            k = kept
            while k > 0 and scores[c] > scores[codes[k - 1]]:
                codes[k] = codes[k - 1]
                k -= 1
            codes[k] = c
            kept = min(kept + 1, n)
        for k in range(kept):
            found.append((codes[k], scores[codes[k]]))
        free(codes)
        return 0

    cdef Py_ssize_t _classify(self, const StrView* view, const Sizes* sizes, uint8_t* scratch) noexcept nogil:
        """Write the scores of a text to the start of ``scratch``, return its code."""
        # Numbers of 8 bytes, of 4 bytes, then characters: each array is aligned.
        cdef double* scores = <double*> scratch
        cdef double* x = scores + sizes.scores
        cdef int64_t* offsets = <int64_t*> (x + sizes.terms)
        cdef int32_t* bounds = <int32_t*> (offsets + sizes.terms)
        cdef int32_t* ends = bounds + sizes.bounds + SLACK
        cdef int32_t* starts = ends + sizes.bounds + SLACK
        cdef int32_t* stops = starts + sizes.tokens + SLACK
        cdef int32_t* columns = stops + sizes.tokens + SLACK
        cdef float* values = <float*> (columns + sizes.terms + SLACK)
        cdef uint8_t* utf8 = <uint8_t*> (values + sizes.terms)
        cdef uint8_t* classes = utf8 + sizes.utf8 + SLACK
        cdef uint8_t* ngrams = classes + sizes.utf8 + SLACK
        cdef uint8_t* words = ngrams + sizes.ngrams + SLACK
        cdef const float* weights = ptr(self._weights)
        cdef Py_ssize_t n, n_tokens, n_extra, c, best = 0, n_word_bytes = 0, n_extra_bytes = 0
        cdef Py_ssize_t d = self._weights.shape[0] - 1
        cdef ClassRow row
        if self._marks == NO_MARKS and not self._negation:
            n_tokens = find_words(view.kind, view.data, view.length, self._lower, utf8, bounds)
            n_tokens = copy_words(
                utf8, bounds, bounds + 1, 2, n_tokens, self._single, words, starts, stops, &n_word_bytes
            )
        else:
            n = encode_classes(view.kind, view.data, view.length, self._lower, self._marks, utf8, classes)
            n_tokens = find_tokens(classes, n, self._marks, bounds, ends)
            if self._negation:
                memset(utf8 + n, 0, 4)
                n_tokens = copy_chosen_words(
                    utf8, classes, bounds, ends, 1, n_tokens, self._single, NULL, &self._negators,
                    self._negator_bytes, words, starts, stops, &n_word_bytes,
                )
            else:
                n_tokens = copy_words(
                    utf8, bounds, ends, 1, n_tokens, self._single, words, starts, stops, &n_word_bytes
                )
        n = find_ngrams(&self._vocabulary, words, starts, stops, n_tokens, self._min_n, self._max_n, columns)
        if self._prefixes:
            # Into the arrays of the text, which is no longer needed and longer than its prefixes.
            n_extra = write_prefixes(
                words, starts, stops, n_tokens, self._prefixes, self._negation, utf8, bounds, ends, &n_extra_bytes
            )
            n += find_ngrams(&self._vocabulary, utf8, bounds, ends, n_extra, 1, 1, columns + n)
        if self._unspaced_n and view.kind > 1:
            n_extra_bytes = 0
            n_extra = write_unspaced_ngrams(
                words, starts, stops, n_tokens, self._unspaced_n, ngrams, bounds, ends, &n_extra_bytes
            )
            n += find_ngrams(&self._vocabulary, ngrams, bounds, ends, n_extra, 1, 1, columns + n)
        if self._characters:
            n_extra_bytes = 0
            n_extra = write_character_ngrams(
                words, starts, stops, n_tokens, self._characters, self._negation, ngrams, bounds, ends, &n_extra_bytes
            )
            n += find_ngrams(&self._vocabulary, ngrams, bounds, ends, n_extra, 1, 1, columns + n)
        n = count_columns(columns, n, self._column_bits, <uint32_t*> x, self._binary, values)
        scale_row(values, columns, n, self._sublinear, self._n_words, self._character_weight, self._norm)
        if self._stride == 0:
            scores[0] = row_dot(values, columns, n, weights, 1) + weights[d]
            return scores[0] > 0
        row.n, row.stride, row.bits, row.scores, row.x, row.offsets = n, self._stride, 0, scores, x, offsets
        for c in range(n):
            offsets[c] = columns[c] * <int64_t> self._stride
            x[c] = values[c]
        score_classes(&row, weights, d + 1 - self._stride, 1.0)
        for c in range(1, self._n_classes):
            if scores[c] > scores[best]:
                best = c
        return best
