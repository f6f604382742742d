"""The tokens of one document: words, punctuation, negation marks; prefixes of longer words, n-grams of characters."""

from libc.stdint cimport int32_t, uint8_t, uint64_t
from libc.string cimport memcmp, memcpy, memset

from textperceptron._kernels.hashing cimport tp_load64
from textperceptron._kernels.scripts cimport apply_scripts, is_syllable, is_unspaced
from textperceptron._kernels.simd cimport tp_count_bits, tp_lowest_bit
from textperceptron._kernels.unicode cimport MARK, WORD, ascii_words, copy_ascii64, encode
from textperceptron._kernels.vocabulary cimport VocabularyView, contains

cdef extern from *:
    """
    /* Whether the UTF-8 character at p is a word character, as in re's \\w. */
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
    # Which punctuation characters are tokens.
    NO_MARKS = 0
    EACH_MARK = 1
    MARK_RUNS = 2
    ANY_SCRIPT = 3      # each character, by the rule of scripts.pxd
    ASTERISK = 0x2A     # ends a prefix; no word contains it, so a prefix never equals a word
    NEGATED = 4         # bytes of the mark NOT_


cdef inline uint64_t bits_of(const uint8_t* classes, uint64_t which) noexcept nogil:
    """One bit for each of 64 class bytes: whether it has the class bit that ``which`` repeats 8 times."""
    cdef uint64_t bits = 0, word
    cdef int k
    for k in range(8):
        word = tp_load64(classes + 8 * k) & which
        word |= word >> 2 | word >> 1  # move the class bit to bit 0
        bits |= (((word & <uint64_t> 0x0101010101010101) * <uint64_t> 0x0102040810204080) >> 56) << (8 * k)
    return bits


cdef inline Py_ssize_t positions(uint64_t bits, int32_t base, int32_t* out) noexcept nogil:
    """Write the positions of the set bits; return their number.

    Eight at a time, the last ones possibly too many: the number of rounds then changes only at multiples of eight, and
    branch prediction works.
    """
    cdef Py_ssize_t n = tp_count_bits(bits), k = 0, j
    while k < n:
        for j in range(8):
            out[k + j] = base + tp_lowest_bit(bits | <uint64_t> 1 << 63)  # never 0
            bits &= bits - 1
        k += 8
    return n


cdef inline Py_ssize_t borders(
    uint64_t words, Py_ssize_t width, uint64_t* last, int32_t base, int32_t* out
) noexcept nogil:
    """Write the borders of words among ``width`` characters; ``last`` says whether a word continues at the start."""
    cdef uint64_t changes = (words ^ (words << 1 | last[0])) & ~<uint64_t> 0 >> (64 - width)
    last[0] = words >> (width - 1) & 1
    return positions(changes, base, out)


cdef inline Py_ssize_t find_words(
    int kind, const void* text, Py_ssize_t n, bint lower, uint8_t* utf8, int32_t* bounds
) noexcept nogil:
    """Lower a text and find its words in one pass, where no other character class matters.

    ``bounds`` gets begin and end of each word in turn; returns the number of words. Most text beyond ASCII has few such
    characters: 64 ASCII characters in a row take the fast path in any text.
    """
    cdef uint8_t window[64]
    cdef uint8_t classes[256 + 64]
    cdef Py_ssize_t k = 0, j, size, width, written = 0, found = 0
    cdef uint64_t last = 0, words
    while k < n:
        size = min(<Py_ssize_t> 64, n - k)
        if copy_ascii64(kind, text, k, size, window):
            words = ascii_words(window, lower, utf8 + written)
            found += borders(words, size, &last, <int32_t> written, bounds + found)
            written += size
        else:
            width = encode(kind, <const char*> text + k * kind, size, lower, utf8 + written, classes)
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
    """Write begins and ends of tokens, by bit operations on 64 classes at a time; return their number."""
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
            if marks == MARK_RUNS:
                begin |= mark & ~mark_before
                end |= mark_before & ~(mark | more)
            else:
                begin |= mark
                end |= mark_before & ~more
        n_begins += positions(begin, <int32_t> k, begins + n_begins)
        n_ends += positions(end, <int32_t> k, ends + n_ends)
        k += 64
    return n_begins


cdef inline Py_ssize_t encode_classes(
    int kind, const void* text, Py_ssize_t n, bint lower, int marks, uint8_t* utf8, uint8_t* classes
) noexcept nogil:
    """Write UTF-8 and class bytes for :func:`find_tokens`; return the number of bytes."""
    cdef Py_ssize_t size = encode(kind, text, n, lower, utf8, classes)
    if marks == ANY_SCRIPT and kind > 1:  # there is nothing to do below U+0100
        apply_scripts(utf8, size, classes)
    return size


cdef inline bint is_single(const uint8_t* token, Py_ssize_t n) noexcept nogil:
    """Whether the UTF-8 bytes are one character."""
    if n == 1:
        return True
    if n > 4 or token[0] < 0x80:
        return False
    return n == 2 + (token[0] >= 0xE0) + (token[0] >= 0xF0)


cdef inline Py_ssize_t copy_words(
    const uint8_t* utf8, const int32_t* begins, const int32_t* ends, Py_ssize_t step, Py_ssize_t n_tokens,
    bint single, uint8_t* out, int32_t* starts, int32_t* stops, Py_ssize_t* written,
) noexcept nogil:
    """Copy the tokens, without those of one character unless ``single``; return their number.

    Every token is written, and overwritten by the next if it does not count: every third token has one or two
    characters, and a branch on that would be mispredicted.
    """
    cdef Py_ssize_t k, length, keep, n = 0, at = written[0]
    cdef const uint8_t* token
    for k in range(n_tokens):
        token = utf8 + begins[step * k]
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


cdef inline Py_ssize_t joiner(const uint8_t* text) noexcept nogil:
    """Length of an apostrophe or a hyphen, which do not end a clause; otherwise 0."""
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
    """Offset of the t of n't from the end of the word before it, or 0."""
    cdef Py_ssize_t skip = joiner(end)
    if skip == 0 or end[0] == 0x2D or (end - 1)[0] | 0x20 != 0x6E or end[skip] | 0x20 != 0x74:
        return 0
    return 0 if classes[skip + 1] == WORD else skip


cdef inline uint64_t first_bytes(const VocabularyView* names, Py_ssize_t n_names) noexcept nogil:
    """Bit set of the lower six bits of the names' first bytes: most tokens need no lookup."""
    cdef uint64_t found = 0
    cdef Py_ssize_t k
    for k in range(n_names):
        found |= <uint64_t> 1 << (names.arena[names.offsets[k]] & 63)
    return found


cdef inline Py_ssize_t copy_chosen_words(
    const uint8_t* utf8, const uint8_t* classes, const int32_t* begins, const int32_t* ends, Py_ssize_t step,
    Py_ssize_t n_tokens, bint single, const VocabularyView* stop_words, const VocabularyView* negators,
    uint64_t negator_bytes, uint8_t* out, int32_t* starts, int32_t* stops, Py_ssize_t* written,
) noexcept nogil:
    """Copy the tokens that are not stop words, without those of one character unless ``single``; return their number.

    Words between a negator and the next punctuation get the mark ``NOT_``. Either vocabulary may be NULL; ``classes``
    is read only if there are negators, and ``utf8`` has four zeros behind the text then; ``negator_bytes`` are their
    :func:`first_bytes`.
    """
    cdef Py_ssize_t k, begin, end, length, skip, last_end = 0, tail = -1, n = 0, at = written[0]
    cdef bint negated = False, prefixed, is_word
    cdef const uint8_t* token
    for k in range(n_tokens):
        begin = begins[step * k]
        end = ends[step * k]
        token = utf8 + begin
        length = end - begin
        prefixed = False
        if negators != NULL:
            is_word = classes[begin] == WORD
            if negated and ends_clause(
                utf8 + last_end, classes + last_end, begin + (0 if is_word else length) - last_end
            ):
                negated = False
            last_end = end
            prefixed = negated and is_word and begin != tail
            skip = contraction(token + length, classes + end)
            if is_word and (
                skip > 0 or (negator_bytes >> (token[0] & 63) & 1 and contains(negators, token, length))
            ):
                negated = True
                prefixed = False
                if skip > 0:
                    tail = end + skip
        if not single and is_single(token, length):
            continue
        if stop_words != NULL and contains(stop_words, token, length):
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
        out[at + end] = ASTERISK
        out_starts[n] = <int32_t> at
        at += end + 1
        out_stops[n] = <int32_t> at
        n += 1
    written[0] = at
    return n


cdef inline Py_ssize_t write_unspaced_ngrams(
    const uint8_t* text, const int32_t* starts, const int32_t* stops, Py_ssize_t n_tokens, Py_ssize_t size,
    uint8_t* out, int32_t* out_starts, int32_t* out_stops, Py_ssize_t* written,
) noexcept nogil:
    """Write the n-grams of ``size`` neighbouring characters of scripts without spaces; return how many there are.

    Their names have no spaces, so they differ from n-grams of tokens; they take up to ``size`` times the bytes.
    """
    cdef Py_ssize_t k, j, length, run = 0, n = 0, at = written[0]
    for k in range(n_tokens):
        run = run + 1 if is_unspaced(text + starts[k]) else 0
        if run < size:
            continue
        out_starts[n] = <int32_t> at
        for j in range(k - size + 1, k + 1):
            length = stops[j] - starts[j]
            memcpy(out + at, text + starts[j], length)
            at += length
        out_stops[n] = <int32_t> at
        n += 1
    written[0] = at
    return n


cdef inline Py_ssize_t write_character_ngrams(
    const uint8_t* text, const int32_t* starts, const int32_t* stops, Py_ssize_t n_tokens, Py_ssize_t size,
    bint negation, uint8_t* out, int32_t* out_starts, int32_t* out_stops, Py_ssize_t* written,
) noexcept nogil:
    """Write the n-grams of ``size`` characters of each word; return how many there are.

    Both ends of a word count as a character, written ``^`` and ``$``. A name that does not begin with ``^`` begins with
    ``~``: no token begins like that. Syllables (Hangul, Ethiopic) count as two characters. With ``negation``, a negated
    word has the n-grams of the word itself. A word of L characters has at most L + 1 n-grams, which together have at
    most ``size`` times its bytes and two more bytes each.
    """
    cdef Py_ssize_t k, p, span, length, n_characters, begin, end, n = 0, at = written[0]
    cdef const uint8_t* token
    for k in range(n_tokens):
        token = text + starts[k]
        length = stops[k] - starts[k]
        if not tp_begins_word(token) or is_unspaced(token):
            continue
        if negation and length > NEGATED and memcmp(token, b"NOT_", NEGATED) == 0:
            token += NEGATED
            length -= NEGATED
        n_characters = 0
        for p in range(length):
            n_characters += token[p] & 0xC0 != 0x80
        span = max(<Py_ssize_t> 2, (size + 1) // 2) if is_syllable(token) else size
        begin = end = 0
        for _ in range(span - 1):  # the first n-gram has the mark and span - 1 characters
            end = next_character(token, end, length)
        for p in range(n_characters + 3 - span):
            out_starts[n] = <int32_t> at
            out[at] = 0x7E if p else 0x5E
            memcpy(out + at + 1, token + begin, end - begin)
            at += 1 + end - begin
            if p + span == n_characters + 2:
                out[at] = 0x24
                at += 1
            out_stops[n] = <int32_t> at
            n += 1
            if p:
                begin = next_character(token, begin, length)
            end = next_character(token, end, length)
    written[0] = at
    return n


cdef inline Py_ssize_t next_character(const uint8_t* text, Py_ssize_t at, Py_ssize_t n) noexcept nogil:
    """Where the character after the one at ``at`` begins, at most ``n``."""
    at += 1
    while at < n and text[at] & 0xC0 == 0x80:
        at += 1
    return min(at, n)
