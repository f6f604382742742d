"""One document → its words, alone or with the punctuation between them."""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcpy, memset

from textperceptron._kernels.bytes cimport tp_count_bits, tp_load64, tp_lowest_bit
from textperceptron._kernels.fold cimport ascii_words, fold, narrow


# What a token is, besides a run of word characters.
cdef enum:
    NO_MARKS = 0
    EACH_MARK = 1
    MARK_RUNS = 2


cdef inline uint64_t bits_of(const uint8_t* classes, uint64_t which) noexcept nogil:
    """One bit for each of 64 class bytes: whether it has the class bit that ``which`` repeats 8 times."""
    cdef uint64_t bits = 0, word
    cdef int k
    for k in range(8):
        word = tp_load64(classes + 8 * k) & which
        word |= word >> 2 | word >> 1  # whichever class bit was asked for, bring it to bit 0
        bits |= (((word & <uint64_t> 0x0101010101010101) * <uint64_t> 0x0102040810204080) >> 56) << (8 * k)
    return bits


cdef inline Py_ssize_t positions(uint64_t bits, int32_t base, int32_t* out) noexcept nogil:
    """Write where the bits are set; return how many are.

    Eight at a time, the last of them too many: one more or less changes the course of the loop only where it
    passes a multiple of eight, so that the processor foresees it.
    """
    cdef Py_ssize_t n = tp_count_bits(bits), k = 0, j
    while k < n:
        for j in range(8):
            out[k + j] = base + tp_lowest_bit(bits | <uint64_t> 1 << 63)  # which is never asked for no bit
            bits &= bits - 1
        k += 8
    return n


cdef inline Py_ssize_t borders(
    uint64_t words, Py_ssize_t width, uint64_t* last, int32_t base, int32_t* out
) noexcept nogil:
    """Write where words begin and end among ``width`` characters; ``last`` says whether one goes on there."""
    cdef uint64_t changes = (words ^ (words << 1 | last[0])) & ~<uint64_t> 0 >> (64 - width)
    last[0] = words >> (width - 1) & 1
    return positions(changes, base, out)


cdef inline Py_ssize_t find_words(
    int kind, const void* text, Py_ssize_t n, bint lower, uint8_t* folded, int32_t* bounds
) noexcept nogil:
    """Fold text and find its words in one go, where nothing else about its characters matters.

    ``bounds`` gets the begin and the end of each word in turn; returned is how many words there are. Most
    text that is not ASCII is so in few places: 64 characters that are ASCII take the fast path in any text.
    """
    cdef uint8_t window[64]
    cdef uint8_t classes[256 + 64]
    cdef Py_ssize_t k = 0, j, size, width, written = 0, found = 0
    cdef uint64_t last = 0, words
    while k < n:
        size = min(<Py_ssize_t> 64, n - k)
        if narrow(kind, text, k, size, window):
            words = ascii_words(window, lower, folded + written)
            found += borders(words, size, &last, <int32_t> written, bounds + found)
            written += size
        else:
            width = fold(kind, <const char*> text + k * kind, size, lower, folded + written, classes)
            for j in range(0, width, 64):
                words = bits_of(classes + j, <uint64_t> 0x0101010101010101)
                found += borders(
                    words, min(<Py_ssize_t> 64, width - j), &last, <int32_t> (written + j), bounds + found
                )
            written += width
        k += 64
    bounds[found] = <int32_t> written  # closes the last word
    return (found + 1) // 2


cdef inline Py_ssize_t find_tokens(
    uint8_t* classes, Py_ssize_t n, int marks, int32_t* begins, int32_t* ends
) noexcept nogil:
    """Write where tokens begin and end, as bit operations on 64 classes at a time; return how many."""
    cdef Py_ssize_t k = 0, n_begins = 0, n_ends = 0
    cdef uint64_t words, before, mark, more, mark_before, begin, end, last_word = 0, last_mark = 0
    memset(classes + n, 0, 128)  # closes the last token, and fills the last 64
    while k <= n:
        words = bits_of(classes + k, <uint64_t> 0x0101010101010101)
        before = words << 1 | last_word
        last_word = words >> 63
        begin = words & ~before
        end = ~words & before
        if marks != NO_MARKS:
            mark = bits_of(classes + k, <uint64_t> 0x0202020202020202)
            more = bits_of(classes + k, <uint64_t> 0x0404040404040404)
            mark_before = (mark | more) << 1 | last_mark
            last_mark = (mark | more) >> 63
            if marks == EACH_MARK:
                begin |= mark
                end |= mark_before & ~more
            else:
                begin |= mark & ~mark_before
                end |= mark_before & ~(mark | more)
        n_begins += positions(begin, <int32_t> k, begins + n_begins)
        n_ends += positions(end, <int32_t> k, ends + n_ends)
        k += 64
    return n_begins


cdef inline bint is_single(const uint8_t* token, Py_ssize_t n) noexcept nogil:
    """Whether the UTF-8 bytes are one character."""
    if n == 1:
        return True
    if n > 4 or token[0] < 0x80:
        return False
    return n == 2 + (token[0] >= 0xE0) + (token[0] >= 0xF0)


cdef inline Py_ssize_t copy_words(
    const uint8_t* folded, const int32_t* begins, const int32_t* ends, Py_ssize_t step, Py_ssize_t n_tokens,
    bint single, uint8_t* out, int32_t* starts, int32_t* stops, Py_ssize_t* written,
) noexcept nogil:
    """Copy the tokens, without those of one character unless ``single``; return how many are left.

    What is left out is written too, and overwritten by the next: every third token is of one or two
    characters, and a branch on it would be foretold wrongly as often.
    """
    cdef Py_ssize_t k, length, keep, n = 0, at = written[0]
    cdef const uint8_t* token
    for k in range(n_tokens):
        token = folded + begins[step * k]
        length = ends[step * k] - begins[step * k]
        starts[n] = <int32_t> at
        stops[n] = <int32_t> (at + length)
        memcpy(out + at, token, 16)  # of constant size: one load, one store
        if length > 16:
            memcpy(out + at, token, length)
        out[at + length] = 0x20
        keep = length > 1
        if token[0] >= 0x80:
            keep = not is_single(token, length)
        keep |= single
        n += keep
        at += (length + 1) & -keep
    written[0] = at
    return n
