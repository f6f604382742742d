"""Tokens → those that are kept, and a mark on the words that a negator before them turns round."""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy

from textperceptron._kernels.bytes cimport tp_find, tp_hash
from textperceptron._kernels.fold cimport MARK, WORD
from textperceptron._kernels.grams cimport Names
from textperceptron._kernels.words cimport is_single


cdef inline Py_ssize_t joiner(const uint8_t* text) noexcept nogil:
    """Length of an apostrophe or a hyphen, which do not end a clause, or 0."""
    if text[0] == 0x27 or text[0] == 0x2D:
        return 1
    if text[0] == 0xE2 and text[1] == 0x80 and (text[2] == 0x99 or text[2] == 0x90 or text[2] == 0x91):
        return 3
    return 0


cdef inline bint ends_clause(const uint8_t* text, const uint8_t* classes, Py_ssize_t n) noexcept nogil:
    """Whether there is punctuation other than apostrophes and hyphens."""
    cdef Py_ssize_t k
    for k in range(n):
        if classes[k] == MARK and joiner(text + k) == 0:
            return True
    return False


cdef inline Py_ssize_t contraction(const uint8_t* end, const uint8_t* classes) noexcept nogil:
    """Where the t of n't is, counted from the end of the word before it, or 0."""
    cdef Py_ssize_t skip = joiner(end)
    if skip == 0 or end[0] == 0x2D or (end - 1)[0] | 0x20 != 0x6E or end[skip] | 0x20 != 0x74:
        return 0
    return 0 if classes[skip + 1] == WORD else skip


cdef inline uint64_t first_bytes(const Names* names, Py_ssize_t n_names) noexcept nogil:
    """A bit for the lower six bits of every name's first byte: most tokens need not be looked up."""
    cdef uint64_t found = 0
    cdef Py_ssize_t k
    for k in range(n_names):
        found |= <uint64_t> 1 << (names.arena[names.offsets[k]] & 63)
    return found


cdef inline bint holds(const Names* names, const uint8_t* token, Py_ssize_t n) noexcept nogil:
    """Whether a vocabulary holds the token."""
    return tp_find(names.slots, names.mask, names.offsets, names.arena, token, n, tp_hash(token, n)) >= 0


cdef inline Py_ssize_t copy_chosen_words(
    const uint8_t* folded, const uint8_t* classes, const int32_t* begins, const int32_t* ends, Py_ssize_t step,
    Py_ssize_t n_tokens, bint single, const Names* stop_words, const Names* negators, uint64_t negator_bytes,
    uint8_t* out, int32_t* starts, int32_t* stops, Py_ssize_t* written,
) noexcept nogil:
    """Copy the tokens that are no stop words, without those of one character unless ``single``; return how many.

    Words between a negator and the next punctuation get the mark ``NOT_``. Either vocabulary may be NULL; ``classes``
    is read only if there are negators, and ``folded`` has four zeros behind the text then; ``negator_bytes`` are their
    :func:`first_bytes`.
    """
    cdef Py_ssize_t k, begin, end, length, skip, last_end = 0, tail = -1, n = 0, at = written[0]
    cdef bint negated = False, prefixed, is_word
    cdef const uint8_t* token
    for k in range(n_tokens):
        begin = begins[step * k]
        end = ends[step * k]
        token = folded + begin
        length = end - begin
        prefixed = False
        if negators != NULL:
            is_word = classes[begin] == WORD
            if negated and ends_clause(
                folded + last_end, classes + last_end, begin + (0 if is_word else length) - last_end
            ):
                negated = False
            last_end = end
            prefixed = negated and is_word and begin != tail
            skip = contraction(token + length, classes + end)
            if is_word and (
                skip > 0 or (negator_bytes >> (token[0] & 63) & 1 and holds(negators, token, length))
            ):
                negated = True
                prefixed = False
                if skip > 0:
                    tail = end + skip
        if not single and is_single(token, length):
            continue
        if stop_words != NULL and holds(stop_words, token, length):
            continue
        starts[n] = <int32_t> at
        if prefixed:
            memcpy(out + at, b"NOT_", 4)
            at += 4
        if length <= 16:
            memcpy(out + at, token, 16)  # of constant size: one load, one store
        else:
            memcpy(out + at, token, length)
        at += length
        stops[n] = <int32_t> at
        out[at] = 0x20
        at += 1
        n += 1
    written[0] = at
    return n
