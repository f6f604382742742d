"""str → words: a block of documents becomes UTF-8 tokens, without a Python object a token."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.fold cimport View, fill_tables, fold, view_of
from textperceptron._kernels.grams cimport Names
from textperceptron._kernels.negation cimport copy_chosen_words, first_bytes
from textperceptron._kernels.words cimport NO_MARKS, copy_words, find_tokens, find_words

cdef extern from "Python.h":
    Py_ssize_t PyUnicode_FindChar(object text, Py_UCS4 c, Py_ssize_t start, Py_ssize_t end, int direction)

fill_tables()


def text_block(list texts, Py_ssize_t start, Py_ssize_t budget, bint lower):
    """Take documents from ``start`` until they hold ``budget`` characters (one document at least).

    Documents whose lower case depends on context are lowered here, in the list itself, if ``lower``.

    Returns
    -------
    stop, n_characters, n_bytes, largest : int
        End of the block; characters in it; most bytes that it can take as UTF-8; the same of its largest
        document.
    """
    cdef Py_ssize_t stop = start, n = len(texts), characters = 0, total = 0, largest = 0, size
    cdef View view
    cdef object text
    while stop < n and (characters < budget or stop == start):
        text = texts[stop]
        view = view_of(text)
        if lower and view.kind > 1 and (
            PyUnicode_FindChar(text, 0x3A3, 0, view.length, 1) >= 0
            or PyUnicode_FindChar(text, 0x130, 0, view.length, 1) >= 0
        ):
            text = str.lower(text)
            texts[stop] = text
            view = view_of(text)
        size = view.length * (1 if view.kind == 0 else 2 if view.kind == 1 else view.kind + (view.kind == 2))
        characters += view.length
        total += size
        largest = max(largest, size)
        stop += 1
    return stop, characters, total, largest


def split_words(
    list texts, Py_ssize_t start, Py_ssize_t stop, bint lower, bint single, int marks, bint negation,
    const int64_t[::1] stop_offsets, const uint8_t[::1] stop_arena, const uint64_t[::1] stop_slots,
    const int64_t[::1] negator_offsets, const uint8_t[::1] negator_arena, const uint64_t[::1] negator_slots,
    uint8_t[::1] folded, uint8_t[::1] classes, int32_t[::1] begins, int32_t[::1] ends,
    uint8_t[::1] out, int32_t[::1] starts, int32_t[::1] stops, int32_t[::1] lengths,
):
    """Cut ``texts[start:stop]`` into words; return how many.

    The tokens go to ``out``, each followed by a space, so that an n-gram is one slice; token i is
    ``out[starts[i]:stops[i]]``, and ``lengths`` gets the number of tokens of each document. ``single`` keeps
    words of one character. ``marks`` is 0 for words only, 1 to make a token of every punctuation character
    as well, 2 of every run of them. With ``negation``, words after a negator get the prefix ``NOT_`` up to
    the next punctuation. ``stop_*`` and ``negator_*`` are vocabularies, with no slots when empty.

    ``folded``, ``classes``, ``begins`` and ``ends`` are scratch for the largest document. The caller gives
    room for the largest result (:func:`text_block` tells it) and 128 bytes more.

    Bottleneck: finding the ends of tokens. Classes are gathered into 64-bit masks, so there is one
    unforeseeable branch in 64 characters rather than two a token.
    """
    cdef Py_ssize_t n_texts = stop - start, d, n, n_tokens, written = 0, total = 0
    cdef bint has_stops = stop_slots.shape[0] > 0, words_only = marks == NO_MARKS and not negation
    # Where words are all that counts, their begins and ends take turns in one array.
    cdef const int32_t* begin_at = ptr(begins)
    cdef const int32_t* end_at = ptr(begins) + 1 if words_only else ptr(ends)
    cdef Py_ssize_t step = 2 if words_only else 1
    cdef Names stop_words, negators
    cdef uint64_t negator_bytes
    cdef View* views = <View*> malloc(max(n_texts, 1) * sizeof(View))
    if views == NULL:
        raise MemoryError()
    for d in range(n_texts):
        views[d] = view_of(texts[start + d])
    stop_words.offsets, stop_words.arena, stop_words.slots = ptr(stop_offsets), ptr(stop_arena), ptr(stop_slots)
    negators.offsets, negators.arena, negators.slots = ptr(negator_offsets), ptr(negator_arena), ptr(negator_slots)
    stop_words.mask, negators.mask = stop_slots.shape[0] - 1, negator_slots.shape[0] - 1
    negator_bytes = first_bytes(&negators, negator_offsets.shape[0] - 1) if negation else 0
    with nogil:
        for d in range(n_texts):
            if words_only:
                n_tokens = find_words(
                    views[d].kind, views[d].data, views[d].length, lower, ptr(folded), ptr(begins)
                )
            else:
                n = fold(views[d].kind, views[d].data, views[d].length, lower, ptr(folded), ptr(classes))
                memset(ptr(folded) + n, 0, 4)  # a contraction looks a few bytes ahead
                n_tokens = find_tokens(ptr(classes), n, marks, ptr(begins), ptr(ends))
            if not negation and not has_stops:
                lengths[d] = <int32_t> copy_words(
                    ptr(folded), begin_at, end_at, step, n_tokens, single,
                    ptr(out), ptr(starts) + total, ptr(stops) + total, &written,
                )
            else:
                lengths[d] = <int32_t> copy_chosen_words(
                    ptr(folded), ptr(classes), begin_at, end_at, step, n_tokens, single,
                    &stop_words if has_stops else NULL, &negators if negation else NULL, negator_bytes,
                    ptr(out), ptr(starts) + total, ptr(stops) + total, &written,
                )
            total += lengths[d]
    free(views)
    return total


def gram_starts(const int32_t[::1] lengths, int min_n, int max_n, int64_t[::1] row_starts):
    """Write where the n-grams of each document begin when all are written one after the other."""
    cdef Py_ssize_t d
    cdef int64_t tokens, longest, sizes
    with nogil:
        row_starts[0] = 0
        for d in range(lengths.shape[0]):
            tokens = lengths[d]
            longest = min(<int64_t> max_n, tokens)
            sizes = max(<int64_t> 0, longest - min_n + 1)
            # tokens - n + 1 for each n from min_n to longest: an arithmetic series.
            row_starts[d + 1] = row_starts[d] + sizes * (2 * (tokens + 1) - min_n - longest) // 2
