"""Python's str → lowercase UTF-8 with one class byte per byte, by Python's own character tables.

``re``'s ``\\w`` is ``str.isalnum`` or an underscore and its ``\\s`` is ``str.isspace``; the tables are filled
from the C functions of those methods, so the two cannot disagree. A lone surrogate becomes three bytes,
as with Python's ``surrogatepass``. Characters are lowered one by one: where :func:`needs_str_lower`, the caller
lowers the text beforehand.
"""

from libc.stdint cimport uint8_t, uint64_t

cdef extern from *:
    """
    #include <string.h>
    #if defined(__SSE2__)
    #include <emmintrin.h>
    #endif

    #define TP_SPACE 0
    #define TP_WORD 1
    #define TP_MARK 2       /* first byte of a character that is neither word nor space */
    #define TP_MARK_MORE 4  /* its other bytes */
    #define TP_SPACE_MORE 8 /* other bytes of a space */

    static Py_UCS4 tp_lower_of[65536];
    static unsigned char tp_class_of[65536];

    static inline unsigned char tp_classify(Py_UCS4 c) {
        if (Py_UNICODE_ISALNUM(c) || c == '_')
            return TP_WORD;
        return Py_UNICODE_ISSPACE(c) ? TP_SPACE : TP_MARK;
    }

    static void tp_fill_tables(void) {
        for (Py_UCS4 c = 0; c < 65536; c++) {
            tp_lower_of[c] = Py_UNICODE_TOLOWER(c);
            tp_class_of[c] = tp_classify(c);
        }
    }

    /* 64 ASCII characters: no tables and no branches, so that compilers vectorise it. */
    static inline void tp_encode_ascii64(
        const unsigned char* in, unsigned char lower, unsigned char* out, unsigned char* classes
    ) {
        for (int k = 0; k < 64; k++) {
            unsigned char c = in[k];
            unsigned char upper = (unsigned char)(c - 'A') < 26 ? 1 : 0;
            unsigned char word = upper | ((unsigned char)(c - 'a') < 26 ? 1 : 0)
                | ((unsigned char)(c - '0') < 10 ? 1 : 0) | (c == '_' ? 1 : 0);
            unsigned char space = (c == ' ' ? 1 : 0) | ((unsigned char)(c - 9) < 5 ? 1 : 0)
                | ((unsigned char)(c - 28) < 4 ? 1 : 0);
            out[k] = (unsigned char)(c + (upper & lower) * 32);
            classes[k] = word ? TP_WORD : space ? TP_SPACE : TP_MARK;
        }
    }

    static inline Py_ssize_t tp_encode_ascii(
        const unsigned char* in, Py_ssize_t n, int lower, unsigned char* out, unsigned char* classes
    ) {
        unsigned char tail[64];
        Py_ssize_t k = 0;
        for (; k + 64 <= n; k += 64)
            tp_encode_ascii64(in + k, (unsigned char)lower, out + k, classes + k);
        if (k < n) {
            memset(tail, ' ', 64);
            memcpy(tail, in + k, (size_t)(n - k));
            tp_encode_ascii64(tail, (unsigned char)lower, out + k, classes + k);
        }
        return n;
    }

    /* 64 ASCII characters: lowers them and returns a bit for each that belongs to a word. */
    #if defined(__SSE2__)
    static inline __m128i tp_within(__m128i c, char first, char last) {
        /* SSE2 compares signed bytes only: move the range to the lowest numbers. */
        return _mm_cmplt_epi8(
            _mm_add_epi8(c, _mm_set1_epi8((char)(128 - first))), _mm_set1_epi8((char)(-128 + (last - first) + 1))
        );
    }

    static inline uint64_t tp_ascii_words(const unsigned char* in, int lower, unsigned char* out) {
        const __m128i shift = _mm_set1_epi8(lower ? 32 : 0);
        uint64_t words = 0;
        for (int k = 0; k < 64; k += 16) {
            __m128i c = _mm_loadu_si128((const __m128i*)(in + k));
            __m128i upper = tp_within(c, 'A', 'Z');
            __m128i word = _mm_or_si128(
                _mm_or_si128(upper, tp_within(c, 'a', 'z')),
                _mm_or_si128(tp_within(c, '0', '9'), _mm_cmpeq_epi8(c, _mm_set1_epi8('_')))
            );
            _mm_storeu_si128((__m128i*)(out + k), _mm_add_epi8(c, _mm_and_si128(upper, shift)));
            words |= (uint64_t)(unsigned)_mm_movemask_epi8(word) << k;
        }
        return words;
    }
    #else
    static inline uint64_t tp_ascii_words(const unsigned char* in, int lower, unsigned char* out) {
        unsigned char classes[64];
        uint64_t words = 0;
        tp_encode_ascii64(in, (unsigned char)lower, out, classes);
        for (int k = 0; k < 64; k++)
            words |= (uint64_t)(classes[k] & TP_WORD) << k;
        return words;
    }
    #endif

    /* Whether `size` characters from the `at`-th on are ASCII; if so, they are written as 64 bytes, padded with
       spaces. Kind 0 stands for ASCII. */
    static inline int tp_copy_ascii64(int kind, const void* in, Py_ssize_t at, Py_ssize_t size, unsigned char* out) {
        Py_UCS4 all = 0;
        if (kind == 0) {
            if (size < 64)
                memset(out, ' ', 64);
            memcpy(out, (const Py_UCS1*)in + at, (size_t)size);
            return 1;
        }
        if (size < 64)
            return 0;
        if (kind == 1) {
            const Py_UCS1* text = (const Py_UCS1*)in + at;
            Py_UCS1 any = 0;
            for (int k = 0; k < 64; k++)
                any |= out[k] = text[k];
            all = any;
        } else if (kind == 2) {
            const Py_UCS2* text = (const Py_UCS2*)in + at;
            Py_UCS2 any = 0;
            for (int k = 0; k < 64; k++) {
                any |= text[k];
                out[k] = (unsigned char)text[k];
            }
            all = any;
        } else {
            const Py_UCS4* text = (const Py_UCS4*)in + at;
            for (int k = 0; k < 64; k++) {
                all |= text[k];
                out[k] = (unsigned char)text[k];
            }
        }
        return all < 0x80;
    }

    /* `kind` is a constant wherever this is expanded, so the reads are plain array accesses. */
    static inline Py_ssize_t tp_encode_wide(
        const int kind, const void* in, Py_ssize_t n, int lower, unsigned char* out, unsigned char* classes
    ) {
        unsigned char* start = out;
        for (Py_ssize_t k = 0; k < n; k++) {
            Py_UCS4 c = kind == 1 ? ((const Py_UCS1*)in)[k]
                : kind == 2 ? ((const Py_UCS2*)in)[k] : ((const Py_UCS4*)in)[k];
            unsigned char type, more;
            if (lower)
                c = c < 65536 ? tp_lower_of[c] : Py_UNICODE_TOLOWER(c);
            type = c < 65536 ? tp_class_of[c] : tp_classify(c);
            *classes++ = type;
            if (c < 0x80) {
                *out++ = (unsigned char)c;
                continue;
            }
            more = type == TP_WORD ? TP_WORD : type == TP_MARK ? TP_MARK_MORE : TP_SPACE_MORE;
            if (c < 0x800) {
                *out++ = (unsigned char)(0xc0 | c >> 6);
            } else {
                if (c < 0x10000) {
                    *out++ = (unsigned char)(0xe0 | c >> 12);
                } else {
                    *out++ = (unsigned char)(0xf0 | c >> 18);
                    *out++ = (unsigned char)(0x80 | (c >> 12 & 0x3f));
                    *classes++ = more;
                }
                *out++ = (unsigned char)(0x80 | (c >> 6 & 0x3f));
                *classes++ = more;
            }
            *out++ = (unsigned char)(0x80 | (c & 0x3f));
            *classes++ = more;
        }
        return out - start;
    }

    /* Writes at most 4 bytes per character, and up to 63 bytes after the last; returns the number of bytes.
       `kind` 0 stands for ASCII. */
    static Py_ssize_t tp_encode(
        int kind, const void* in, Py_ssize_t n, int lower, unsigned char* out, unsigned char* classes
    ) {
        switch (kind) {
            case 0: return tp_encode_ascii((const unsigned char*)in, n, lower, out, classes);
            case 1: return tp_encode_wide(1, in, n, lower, out, classes);
            case 2: return tp_encode_wide(2, in, n, lower, out, classes);
            default: return tp_encode_wide(4, in, n, lower, out, classes);
        }
    }
    """
    const uint8_t SPACE "TP_SPACE"
    const uint8_t WORD "TP_WORD"
    const uint8_t MARK "TP_MARK"
    const uint8_t MARK_MORE "TP_MARK_MORE"
    const uint8_t SPACE_MORE "TP_SPACE_MORE"
    void fill_tables "tp_fill_tables"() noexcept nogil
    uint8_t classify "tp_classify"(Py_UCS4 c) noexcept nogil
    Py_UCS4 lowered "Py_UNICODE_TOLOWER"(Py_UCS4 c) noexcept nogil
    Py_ssize_t encode "tp_encode"(
        int kind, const void* text, Py_ssize_t n, bint lower, uint8_t* out, uint8_t* classes
    ) noexcept nogil
    bint copy_ascii64 "tp_copy_ascii64"(
        int kind, const void* text, Py_ssize_t at, Py_ssize_t size, uint8_t* out
    ) noexcept nogil
    uint64_t ascii_words "tp_ascii_words"(const uint8_t* text, bint lower, uint8_t* out) noexcept nogil

cdef extern from "Python.h":
    int PyUnicode_KIND(object text)
    void* PyUnicode_DATA(object text)
    bint PyUnicode_IS_ASCII(object text)
    Py_ssize_t PyUnicode_GET_LENGTH(object text)
    Py_ssize_t PyUnicode_FindChar(object text, Py_UCS4 c, Py_ssize_t start, Py_ssize_t end, int direction)


cdef struct StrView:
    # The storage of a str: valid, with or without the interpreter lock, while the caller holds the str.
    const void* data
    Py_ssize_t length
    int kind            # 0 for ASCII, else bytes per character


cdef inline StrView view_of(object text):
    cdef StrView view
    view.data = PyUnicode_DATA(text)
    view.length = PyUnicode_GET_LENGTH(text)
    view.kind = 0 if PyUnicode_IS_ASCII(text) else PyUnicode_KIND(text)
    return view


cdef inline Py_ssize_t max_utf8_bytes(const StrView* view) noexcept nogil:
    """An upper bound of the bytes that a text takes as UTF-8."""
    return view.length * (1 if view.kind == 0 else 2 if view.kind == 1 else 3 if view.kind == 2 else 4)


cdef inline bint needs_str_lower(object text, const StrView* view):
    """Whether the lower case of a character depends on its neighbours (``Σ``) or is two characters (``İ``)."""
    return view.kind > 1 and (
        PyUnicode_FindChar(text, 0x3A3, 0, view.length, 1) >= 0
        or PyUnicode_FindChar(text, 0x130, 0, view.length, 1) >= 0
    )
