"""n-grams → hashed columns, without a vocabulary: MurmurHash3 of 32 bits with seed 0.

scikit-learn uses the same hash, so columns agree. Arithmetic of 32-bit integers is the same on every machine and for
every width of vectors.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from textperceptron._kernels cimport simd  # no-cython-lint
from textperceptron._kernels.arrays cimport ptr

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    TP_INLINE uint32_t tp_rotate(uint32_t x, int by) {
        return x << by | x >> (32 - by);
    }

    TP_INLINE uint32_t tp_scramble(uint32_t block) {
        return tp_rotate(block * UINT32_C(0xcc9e2d51), 15) * UINT32_C(0x1b873593);
    }

    TP_INLINE uint32_t tp_with_block(uint32_t hash, uint32_t block) {
        return tp_rotate(hash ^ tp_scramble(block), 13) * 5 + UINT32_C(0xe6546b64);
    }

    TP_INLINE uint32_t tp_finished(uint32_t hash, uint32_t n) {
        hash ^= n;
        hash = (hash ^ hash >> 16) * UINT32_C(0x85ebca6b);
        hash = (hash ^ hash >> 13) * UINT32_C(0xc2b2ae35);
        return hash ^ hash >> 16;
    }

    static inline uint32_t tp_murmur(const unsigned char* p, size_t n) {
        uint32_t hash = 0, block = 0;
        size_t k;
        for (k = 0; k + 4 <= n; k += 4)
            hash = tp_with_block(hash, tp_load32(p + k));
        for (size_t left = 0; k + left < n; left++)
            block |= (uint32_t)p[k + left] << 8 * left;
        return tp_finished(hash ^ tp_scramble(block), (uint32_t)n);
    }

    /* |hash| mod n, of a power of two by its mask; with `signs` 1, shifted left and with the hash's sign bit below it.
       The mask is 0 for other n. |−2³¹| mod n is, as in scikit-learn, (2³¹ − n) mod n. */
    TP_INLINE uint32_t tp_masked_column(uint32_t hash, uint32_t mask, int signs) {
        uint32_t negative = hash >> 31;
        uint32_t column = ((hash ^ (0 - negative)) + negative) & mask;
        return signs ? column << 1 | negative : column;
    }

    TP_INLINE uint32_t tp_divided_column(uint32_t hash, uint32_t n, int signs) {
        uint32_t negative = hash >> 31;
        uint32_t magnitude = (hash ^ (0 - negative)) + negative;
        uint32_t column = (magnitude == UINT32_C(0x80000000) ? magnitude - n : magnitude) % n;
        return signs ? column << 1 | negative : column;
    }

    static inline uint32_t tp_column(uint32_t hash, uint32_t n, uint32_t mask, int signs) {
        return mask || n == 1 ? tp_masked_column(hash, mask, signs) : tp_divided_column(hash, n, signs);
    }

    #define TP_STRIP 32  /* tokens that are hashed together */
    #define TP_BLOCKS 8  /* most blocks of 4 bytes, besides the last */

    /* N-grams with the same first token begin with the same blocks: the states after 0, 1 … blocks are computed
       once, and an n-gram takes the state for its length. `blocks` is constant wherever this is inlined. N-grams
       with more blocks (IMDB: 1 of 6000 words, 1 of 1400 bigrams) are hashed one by one. Every loop over a strip
       has a fixed length and no branch, so that compilers vectorise it. */
    TP_INLINE Py_ssize_t tp_hash_strips(
        const unsigned char* text, const int32_t* starts, const int32_t* stops, Py_ssize_t n_tokens,
        int min_n, int max_n, const int blocks, uint32_t n_columns, uint32_t mask, int signs, int32_t* out
    ) {
        uint32_t words[TP_BLOCKS + 1][TP_STRIP], states[TP_BLOCKS + 1][TP_STRIP];
        uint32_t sizes[TP_STRIP], columns[TP_STRIP];
        const int32_t most = 4 * blocks + 3;
        Py_ssize_t written = 0;
        memset(words, 0, (size_t)(blocks + 1) * sizeof(words[0]));
        memset(sizes, 0, sizeof(sizes));
        for (Py_ssize_t at = 0; at < n_tokens; at += TP_STRIP) {
            const Py_ssize_t left = n_tokens - at;
            for (Py_ssize_t i = 0; i < (left < TP_STRIP ? left : TP_STRIP); i++)
                for (int k = 0; k <= blocks; k++)
                    words[k][i] = tp_load32(text + starts[at + i] + 4 * k);
            for (int i = 0; i < TP_STRIP; i++) {
                uint32_t state = 0;
                for (int k = 0; k < blocks; k++) {
                    state = tp_with_block(state, words[k][i]);
                    states[k + 1][i] = state;
                }
            }
            for (int n = min_n; n <= max_n && n <= left; n++) {
                const Py_ssize_t n_grams = left - n + 1 < TP_STRIP ? left - n + 1 : TP_STRIP;
                const int32_t* begins = starts + at;
                const int32_t* ends = stops + at + n - 1;
                int32_t longest = 0;
                for (Py_ssize_t i = 0; i < n_grams; i++) {
                    int32_t size = ends[i] - begins[i];
                    sizes[i] = (uint32_t)size;
                    longest = size > longest ? size : longest;
                }
                for (int i = 0; i < TP_STRIP; i++) {
                    uint32_t size = sizes[i], state = 0, last = words[0][i], rest = size & 3;
                    for (int k = 1; k <= blocks; k++) {
                        uint32_t passed = 0 - (uint32_t)((int32_t)(size >> 2) >= k);
                        state ^= (state ^ states[k][i]) & passed;
                        last ^= (last ^ words[k][i]) & passed;
                    }
                    /* By comparison: SSE2 cannot shift each element by its own count. Without bytes left the block
                       is 0, which changes nothing. */
                    last &= ((0 - (uint32_t)(rest > 0)) & 0xff) | ((0 - (uint32_t)(rest > 1)) & 0xff00)
                        | ((0 - (uint32_t)(rest > 2)) & 0xff0000);
                    columns[i] = tp_finished(state ^ tp_scramble(last), size);
                }
                if (mask || n_columns == 1)
                    for (int i = 0; i < TP_STRIP; i++)
                        columns[i] = tp_masked_column(columns[i], mask, signs);
                else
                    for (int i = 0; i < TP_STRIP; i++)
                        columns[i] = tp_divided_column(columns[i], n_columns, signs);
                memcpy(out + written, columns, sizeof(columns));
                if (longest > most)
                    for (Py_ssize_t i = 0; i < n_grams; i++)
                        if (ends[i] - begins[i] > most) {
                            uint32_t hash = tp_murmur(text + begins[i], (size_t)(ends[i] - begins[i]));
                            out[written + i] = (int32_t)tp_column(hash, n_columns, mask, signs);
                        }
                written += n_grams;
            }
        }
        return written;
    }

    /* Column of every n-gram of a document, in arbitrary order; returns their number. Writes up to TP_STRIP
       entries more, and reads up to 36 bytes from the start of the last token. */
    TP_CLONES static Py_ssize_t tp_hash_document(
        const unsigned char* text, const int32_t* starts, const int32_t* stops, Py_ssize_t n_tokens,
        int min_n, int max_n, uint32_t n_columns, uint32_t mask, int signs, int32_t* out
    ) {
        if (max_n == 1)
            return tp_hash_strips(text, starts, stops, n_tokens, 1, 1, 3, n_columns, mask, signs, out);
        if (max_n == 2)
            return tp_hash_strips(text, starts, stops, n_tokens, min_n, 2, 5, n_columns, mask, signs, out);
        return tp_hash_strips(text, starts, stops, n_tokens, min_n, max_n, TP_BLOCKS, n_columns, mask, signs, out);
    }
    """
    uint32_t tp_murmur(const uint8_t* p, size_t n) noexcept nogil
    uint32_t tp_column(uint32_t hash, uint32_t n, uint32_t mask, bint signs) noexcept nogil
    Py_ssize_t tp_hash_document(
        const uint8_t* text, const int32_t* starts, const int32_t* stops, Py_ssize_t n_tokens,
        int min_n, int max_n, uint32_t n_columns, uint32_t mask, bint signs, int32_t* out
    ) noexcept nogil


cdef inline uint32_t mask_of(int64_t n_features) noexcept:
    """Mask of the remainder by a power of two; 0 for other numbers, and for 1."""
    return <uint32_t> (n_features - 1) if n_features & (n_features - 1) == 0 else 0


def hash_terms(
    const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops, const int32_t[::1] lengths,
    const int32_t[::1] n_extra, int min_n, int max_n, int64_t n_features, bint signs,
    int32_t[::1] items, int64_t[::1] row_stops,
):
    """Write the hashed column of every term of a token block (``column << 1 | negative`` with ``signs``).

    ``row_stops`` gets the end of each document's items. ``items`` has 32 entries more than there are items, and
    ``text`` 16 bytes after the last token (36 for longer n-grams).

    Bottleneck: the products of the hash. Vector code hashes 32 tokens at a time. If ``n_features`` is not a power of
    two, a division per term is added.
    """
    cdef Py_ssize_t d, first = 0, written = 0
    cdef uint32_t n_columns = <uint32_t> n_features, mask = mask_of(n_features)
    with nogil:
        for d in range(lengths.shape[0]):
            written += tp_hash_document(
                ptr(text), ptr(starts) + first, ptr(stops) + first, lengths[d], min_n, max_n, n_columns, mask,
                signs, ptr(items) + written,
            )
            first += lengths[d]
            if n_extra[d]:
                written += tp_hash_document(
                    ptr(text), ptr(starts) + first, ptr(stops) + first, n_extra[d], 1, 1, n_columns, mask, signs,
                    ptr(items) + written,
                )
                first += n_extra[d]
            row_stops[d] = written


def hash_names(const int64_t[::1] offsets, const uint8_t[::1] arena, int64_t n_features, int32_t[::1] columns):
    """Write the hashed column of every name of a vocabulary."""
    cdef Py_ssize_t k
    cdef uint32_t n_columns = <uint32_t> n_features, mask = mask_of(n_features)
    with nogil:
        for k in range(columns.shape[0]):
            columns[k] = <int32_t> tp_column(
                tp_murmur(ptr(arena) + offsets[k], offsets[k + 1] - offsets[k]), n_columns, mask, False
            )
