"""Words → the first characters of the longer ones."""

from libc.stdint cimport int32_t, uint8_t
from libc.string cimport memcmp, memcpy

cdef extern from *:
    """
    /* Whether the character of UTF-8 at p is one of words, as re has it. */
    static inline int tp_begins_word(const unsigned char* p) {
        Py_UCS4 c = p[0];
        if (c >= 0xF0)
            c = (c & 0x07) << 18 | (p[1] & 0x3FU) << 12 | (p[2] & 0x3FU) << 6 | (p[3] & 0x3FU);
        else if (c >= 0xE0)
            c = (c & 0x0F) << 12 | (p[1] & 0x3FU) << 6 | (p[2] & 0x3FU);
        else if (c >= 0xC0)
            c = (c & 0x1F) << 6 | (p[1] & 0x3FU);
        return c == '_' || Py_UNICODE_ISALNUM(c);
    }
    """
    bint tp_begins_word(const uint8_t* p) noexcept nogil

cdef enum:
    MARK = 0x2A         # the asterisk behind a prefix: no word has one, so a prefix is never taken for a word
    NEGATED = 4         # length of the mark before a negated word, which is no part of the word


cdef inline Py_ssize_t write_prefixes(
    const uint8_t* text, const int32_t* starts, const int32_t* stops, Py_ssize_t n_tokens, Py_ssize_t size,
    bint negation, uint8_t* out, int32_t* out_starts, int32_t* out_stops, Py_ssize_t* written,
) noexcept nogil:
    """Write the first ``size`` characters of each word that has more, and a mark; return how many there are.

    With ``negation`` a negated word has the prefix of the word itself, without the mark: what it is about is the same.
    Punctuation has none: a prefix of ``****`` could be the token ``***``. A prefix takes no more bytes than its word.
    """
    cdef Py_ssize_t k, length, end, left, n = 0, at = written[0]
    cdef const uint8_t* token
    for k in range(n_tokens):
        length = stops[k] - starts[k]
        token = text + starts[k]
        if length <= size or not tp_begins_word(token):
            continue
        if negation and length > NEGATED and memcmp(token, b"NOT_", NEGATED) == 0:
            token += NEGATED
            length -= NEGATED
        end = 0
        left = size
        while end < length:
            if token[end] & 0xC0 != 0x80:  # where a character begins
                if left == 0:
                    break
                left -= 1
            end += 1
        if end == length:
            continue
        memcpy(out + at, token, end)
        out[at + end] = MARK
        out_starts[n] = <int32_t> at
        at += end + 1
        out_stops[n] = <int32_t> at
        n += 1
    written[0] = at
    return n
