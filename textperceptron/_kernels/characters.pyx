"""str → character n-grams of a block of documents, by the rules of scikit-learn's ``char`` and ``char_wb``."""

from libc.stdint cimport int32_t, uint8_t
from libc.stdlib cimport free, malloc

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.unicode cimport SPACE, StrView, encode, fill_tables, view_of

fill_tables()


cdef inline Py_ssize_t next_character(const uint8_t* text, Py_ssize_t k) noexcept nogil:
    """Start of the character after the one at ``k``; the byte after the text is not a continuation byte."""
    k += 1
    while text[k] & 0xC0 == 0x80:
        k += 1
    return k


cdef inline Py_ssize_t copy(
    const uint8_t* text, Py_ssize_t begin, Py_ssize_t end, uint8_t* out, Py_ssize_t written
) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(begin, end):
        out[written] = text[k]
        written += 1
    return written


cdef inline Py_ssize_t all_grams(
    const int32_t* at, Py_ssize_t n, int min_n, int max_n, int32_t* starts, int32_t* stops
) noexcept nogil:
    """Copy the n-grams of ``n`` characters, which begin at ``at[0]``, ``at[1]`` … and end at ``at[n]``."""
    cdef Py_ssize_t size, i, written = 0
    for size in range(min_n, min(<Py_ssize_t> max_n, n) + 1):
        for i in range(n - size + 1):
            starts[written] = at[i]
            stops[written] = at[i + size]
            written += 1
    return written


cdef inline Py_ssize_t word_grams(
    const int32_t* at, Py_ssize_t n, int min_n, int max_n, int32_t* starts, int32_t* stops
) noexcept nogil:
    """As :func:`all_grams` for one padded word; a word shorter than the shortest n-gram counts once, whole."""
    if n < min_n:
        starts[0] = at[0]
        stops[0] = at[n]
        return 1
    return all_grams(at, n, min_n, max_n, starts, stops)


def split_characters(
    list texts, Py_ssize_t start, Py_ssize_t stop, bint lower, bint within_words, int min_n, int max_n,
    uint8_t[::1] utf8, uint8_t[::1] classes, int32_t[::1] at,
    uint8_t[::1] out, int32_t[::1] starts, int32_t[::1] stops, int32_t[::1] lengths,
):
    """Split ``texts[start:stop]`` into character n-grams; return their number.

    Runs of two spaces or more become one space; with ``within_words``, n-grams lie within words that have a space on
    either side. N-gram i is ``out[starts[i]:stops[i]]``, and ``lengths`` gets the number of n-grams per document.
    ``utf8``, ``classes`` and ``at`` are scratch for the largest document.
    """
    cdef Py_ssize_t n_texts = stop - start, d, k, following, n, n_at, word = 0, written = 0, total = 0, first
    cdef StrView* views = <StrView*> malloc(max(n_texts, 1) * sizeof(StrView))
    if views == NULL:
        raise MemoryError()
    for d in range(n_texts):
        views[d] = view_of(texts[start + d])
    with nogil:
        for d in range(n_texts):
            n = encode(views[d].kind, views[d].data, views[d].length, lower, ptr(utf8), ptr(classes))
            utf8[n] = 0
            first = total
            n_at = 0
            k = 0
            if within_words:
                at[0] = <int32_t> written
                out[written] = 0x20
                written += 1
                n_at = 1
                word = 0
            while k < n:
                following = next_character(ptr(utf8), k)
                if classes[k] == SPACE:
                    if following < n and classes[following] == SPACE:
                        while following < n and classes[following] == SPACE:
                            following = next_character(ptr(utf8), following)
                        if not within_words:
                            at[n_at] = <int32_t> written
                            n_at += 1
                            out[written] = 0x20
                            written += 1
                    elif not within_words:
                        at[n_at] = <int32_t> written
                        n_at += 1
                        written = copy(ptr(utf8), k, following, ptr(out), written)
                    k = following
                    continue
                at[n_at] = <int32_t> written
                n_at += 1
                written = copy(ptr(utf8), k, following, ptr(out), written)
                k = following
                if within_words and (k == n or classes[k] == SPACE):
                    # The space after this word is also the space before the next.
                    at[n_at] = <int32_t> written
                    at[n_at + 1] = <int32_t> written + 1
                    out[written] = 0x20
                    written += 1
                    total += word_grams(
                        ptr(at) + word, n_at + 1 - word, min_n, max_n, ptr(starts) + total, ptr(stops) + total
                    )
                    word = n_at
                    n_at += 1
            if not within_words:
                at[n_at] = <int32_t> written
                total += all_grams(ptr(at), n_at, min_n, max_n, ptr(starts) + total, ptr(stops) + total)
            lengths[d] = <int32_t> (total - first)
    free(views)
    return total
