"""str → tokens: blocks of documents become UTF-8 tokens, prefixes and conjunctions, with no Python object per token.

A *token block* is ``text``, bytes; ``starts`` and ``stops``, the bounds of names in it; ``lengths`` and ``n_extra``,
how many tokens and how many extra terms (prefixes, conjunctions) each document has. The names of a document lie one
after the other, its tokens first. Each token is followed by a space, so that an n-gram is one slice of ``text``.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcmp, memcpy, memset

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.hashing cimport tp_hash_padded
from textperceptron._kernels.scripts cimport fill_scripts
from textperceptron._kernels.unicode cimport StrView, fill_tables, max_utf8_bytes, needs_str_lower, view_of
from textperceptron._kernels.vocabulary cimport VocabularyView, find_hashed, view_vocabulary

cdef enum:
    JOINT = 5           # bytes of "-and-"

fill_tables()
fill_scripts()


def text_block(list texts, Py_ssize_t start, Py_ssize_t budget, bint lower):
    """Take documents from ``start`` until they hold ``budget`` characters (one document at least).

    Documents whose lower case depends on context are lowered here, in the list itself, if ``lower``.

    Returns
    -------
    stop, n_characters, n_bytes, largest : int
        End of the block; characters in it; an upper bound of its bytes as UTF-8; the same for its largest document.
    """
    cdef Py_ssize_t stop = start, n = len(texts), characters = 0, total = 0, largest = 0, size
    cdef StrView view
    cdef object text
    while stop < n and (characters < budget or stop == start):
        text = texts[stop]
        view = view_of(text)
        if lower and needs_str_lower(text, &view):
            text = str.lower(text)
            texts[stop] = text
            view = view_of(text)
        size = max_utf8_bytes(&view)
        characters += view.length
        total += size
        largest = max(largest, size)
        stop += 1
    return stop, characters, total, largest


def split_words(
    list texts, Py_ssize_t start, Py_ssize_t stop, bint lower, bint single, int marks, bint negation,
    Py_ssize_t prefixes, Py_ssize_t unspaced_n, Py_ssize_t characters,
    const int64_t[::1] stop_offsets, const uint8_t[::1] stop_arena, const uint64_t[::1] stop_slots,
    const int64_t[::1] negator_offsets, const uint8_t[::1] negator_arena, const uint64_t[::1] negator_slots,
    uint8_t[::1] utf8, uint8_t[::1] classes, int32_t[::1] begins, int32_t[::1] ends,
    uint8_t[::1] out, int32_t[::1] starts, int32_t[::1] stops, int32_t[::1] lengths, int32_t[::1] n_extra,
):
    """Split ``texts[start:stop]`` into words; return how many names the block has.

    ``single`` keeps words of one character. ``marks`` is 0 for words only, 1 to make a token of every punctuation
    character as well, 2 of every run of them, 3 of every one by the rule of scripts.pxd. With ``negation``, words after
    a negator get the mark ``NOT_`` up to the next punctuation. Unless they are 0, the first ``prefixes`` characters of
    longer words are extra terms, and so are n-grams of ``unspaced_n`` characters of scripts without spaces, and n-grams
    of ``characters`` characters of words. ``stop_*`` and ``negator_*`` are vocabularies, with no slots when empty.

    ``utf8``, ``classes``, ``begins`` and ``ends`` are scratch for the largest document. ``out``, ``starts``, ``stops``,
    ``lengths`` and ``n_extra`` become the token block; the caller allocates them for the largest result
    (:func:`text_block` tells it) and 128 bytes more.

    Bottleneck: finding the ends of tokens. Classes are gathered into 64-bit masks, so that there is one unpredictable
    branch per 64 characters rather than two per token.
    """
    cdef Py_ssize_t n_texts = stop - start, d, n, n_tokens, written = 0, total = 0
    cdef bint has_stops = stop_slots.shape[0] > 0, words_only = marks == NO_MARKS and not negation
    # Where words are all that counts, their begins and ends alternate in one array.
    cdef const int32_t* begin_at = ptr(begins)
    cdef const int32_t* end_at = ptr(begins) + 1 if words_only else ptr(ends)
    cdef Py_ssize_t step = 2 if words_only else 1
    cdef VocabularyView stop_words = view_vocabulary(stop_offsets, stop_arena, stop_slots)
    cdef VocabularyView negators = view_vocabulary(negator_offsets, negator_arena, negator_slots)
    cdef uint64_t negator_bytes
    cdef StrView* views = <StrView*> malloc(max(n_texts, 1) * sizeof(StrView))
    if views == NULL:
        raise MemoryError()
    for d in range(n_texts):
        views[d] = view_of(texts[start + d])
    negator_bytes = first_bytes(&negators, negator_offsets.shape[0] - 1) if negation else 0
    with nogil:
        for d in range(n_texts):
            if words_only:
                n_tokens = find_words(
                    views[d].kind, views[d].data, views[d].length, lower, ptr(utf8), ptr(begins)
                )
            else:
                n = encode_classes(
                    views[d].kind, views[d].data, views[d].length, lower, marks, ptr(utf8), ptr(classes)
                )
                memset(ptr(utf8) + n, 0, 4)  # a contraction looks a few bytes ahead
                n_tokens = find_tokens(ptr(classes), n, marks, ptr(begins), ptr(ends))
            if not negation and not has_stops:
                lengths[d] = <int32_t> copy_words(
                    ptr(utf8), begin_at, end_at, step, n_tokens, single,
                    ptr(out), ptr(starts) + total, ptr(stops) + total, &written,
                )
            else:
                lengths[d] = <int32_t> copy_chosen_words(
                    ptr(utf8), ptr(classes), begin_at, end_at, step, n_tokens, single,
                    &stop_words if has_stops else NULL, &negators if negation else NULL, negator_bytes,
                    ptr(out), ptr(starts) + total, ptr(stops) + total, &written,
                )
            n = total + lengths[d]
            n_extra[d] = 0
            if prefixes:
                n_extra[d] = <int32_t> write_prefixes(
                    ptr(out), ptr(starts) + total, ptr(stops) + total, lengths[d], prefixes, negation,
                    ptr(out), ptr(starts) + n, ptr(stops) + n, &written,
                )
            if unspaced_n and views[d].kind > 1:
                n += n_extra[d]
                n_extra[d] += <int32_t> write_unspaced_ngrams(
                    ptr(out), ptr(starts) + total, ptr(stops) + total, lengths[d], unspaced_n,
                    ptr(out), ptr(starts) + n, ptr(stops) + n, &written,
                )
            if characters:
                n = total + lengths[d] + n_extra[d]
                n_extra[d] += <int32_t> write_character_ngrams(
                    ptr(out), ptr(starts) + total, ptr(stops) + total, lengths[d], characters, negation,
                    ptr(out), ptr(starts) + n, ptr(stops) + n, &written,
                )
            total += lengths[d] + n_extra[d]
    free(views)
    return total


def gram_starts(
    const int32_t[::1] lengths, const int32_t[::1] n_extra, int min_n, int max_n, int64_t[::1] row_starts
):
    """Write the offsets of the documents' terms: extra terms and n-grams of ``min_n`` to ``max_n`` tokens."""
    cdef Py_ssize_t d
    cdef int64_t tokens, longest, sizes
    with nogil:
        row_starts[0] = 0
        for d in range(lengths.shape[0]):
            tokens = lengths[d]
            longest = min(<int64_t> max_n, tokens)
            sizes = max(<int64_t> 0, longest - min_n + 1)
            # tokens - n + 1 for each n from min_n to longest: an arithmetic series.
            row_starts[d + 1] = row_starts[d] + n_extra[d] + sizes * (2 * (tokens + 1) - min_n - longest) // 2


def find_pivots(
    const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops,
    const int64_t[::1] offsets, const uint8_t[::1] arena, const uint64_t[::1] slots, int64_t[::1] following,
):
    """Write for every name of a token block, and for its end, the index of the next that a vocabulary contains.

    ``text`` has 16 readable bytes behind the last name.
    """
    cdef Py_ssize_t k, n = starts.shape[0], size
    cdef int64_t next_one = n
    cdef VocabularyView pivots = view_vocabulary(offsets, arena, slots)
    cdef const uint8_t* token
    with nogil:
        following[n] = n
        for k in range(n - 1, -1, -1):
            token = ptr(text) + starts[k]
            size = stops[k] - starts[k]
            if find_hashed(&pivots, token, size, tp_hash_padded(token, size)) >= 0:
                next_one = k
            following[k] = next_one


cdef inline int compare(const uint8_t* a, Py_ssize_t n_a, const uint8_t* b, Py_ssize_t n_b) noexcept nogil:
    """Below, equal to or above 0, as token a sorts before b, equals b, or sorts after it."""
    cdef int order = memcmp(a, b, min(n_a, n_b))
    if order == 0:
        return (n_a > n_b) - (n_a < n_b)
    return order


cdef inline void join(
    const uint8_t* a, Py_ssize_t n_a, const uint8_t* b, Py_ssize_t n_b, uint8_t* out
) noexcept nogil:
    memcpy(out, a, n_a)
    memcpy(out + n_a, b"-and-", JOINT)
    memcpy(out + n_a + JOINT, b, n_b)


cdef inline int64_t copy_names(
    const uint8_t* text, const int32_t* starts, const int32_t* stops, Py_ssize_t n,
    uint8_t* out, int32_t* out_starts, int32_t* out_stops, int64_t written,
) noexcept nogil:
    """Copy the names of a document, with the spaces between them, to ``written``; return where they end."""
    cdef Py_ssize_t k
    cdef int32_t moved
    if n == 0:
        return written
    moved = <int32_t> written - starts[0]
    for k in range(n):
        out_starts[k] = starts[k] + moved
        out_stops[k] = stops[k] + moved
    memcpy(out + written, text + starts[0], stops[n - 1] - starts[0])
    out[stops[n - 1] + moved] = 0x20
    return stops[n - 1] + moved + 1


def join_near(
    const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops, const int32_t[::1] lengths,
    const int32_t[::1] n_extra, const int64_t[::1] following, int64_t window,
    uint8_t[::1] out, int32_t[::1] out_starts, int32_t[::1] out_stops, int32_t[::1] out_extra,
):
    """Add conjunctions to a token block: of any two different tokens that are at most ``window`` tokens apart.

    One of the two has to be a pivot, as :func:`find_pivots` writes them to ``following``; if that is empty, all tokens
    are. ``out``, ``out_starts``, ``out_stops`` and ``out_extra`` become the new token block: the names of each document
    and then its conjunctions, whose tokens are in alphabetical order. With an empty ``out``, conjunctions are only
    counted.

    Returns
    -------
    n_names, n_bytes, n_conjunctions : int
        Size of the new block; conjunctions in it.
    """
    cdef Py_ssize_t d, i, j, last, size, size_j, first = 0, n = 0, n_before, n_conjunctions = 0
    cdef int64_t written = 0
    cdef int order
    cdef bint some = following.shape[0] > 0, writes = out.shape[0] > 0, all_partners
    cdef const uint8_t* token
    cdef const uint8_t* other
    with nogil:
        for d in range(lengths.shape[0]):
            n_before = lengths[d] + n_extra[d]
            if writes:
                written = copy_names(
                    ptr(text), ptr(starts) + first, ptr(stops) + first, n_before,
                    ptr(out), ptr(out_starts) + n, ptr(out_stops) + n, written,
                )
            elif n_before > 0:
                written += stops[first + n_before - 1] - starts[first] + 1
            n += n_before
            n_before = n
            for i in range(first, first + lengths[d]):
                last = min(i + window, first + lengths[d] - 1)
                token = ptr(text) + starts[i]
                size = stops[i] - starts[i]
                all_partners = not some or following[i] == i
                j = i + 1 if all_partners else following[i + 1]
                while j <= last:
                    other = ptr(text) + starts[j]
                    size_j = stops[j] - starts[j]
                    order = compare(token, size, other, size_j)
                    if order != 0:
                        if writes:
                            out_starts[n] = <int32_t> written
                            out_stops[n] = <int32_t> (written + size + JOINT + size_j)
                            if order < 0:
                                join(token, size, other, size_j, ptr(out) + written)
                            else:
                                join(other, size_j, token, size, ptr(out) + written)
                        n += 1
                        written += size + JOINT + size_j
                    j = j + 1 if all_partners else following[j + 1]
            if writes:
                out_extra[d] = <int32_t> (n_extra[d] + n - n_before)
            n_conjunctions += n - n_before
            first += lengths[d] + n_extra[d]
    return n, written, n_conjunctions
