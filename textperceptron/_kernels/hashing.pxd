"""Byte strings: loading, hashing, packing into keys, and lookup in a vocabulary.

The name hash is part of the vocabulary's stored form, so it gives the same value on every machine: words are
read as little-endian, and the 128-bit product has a portable twin.
"""

from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #include <string.h>

    static inline uint64_t tp_load64(const unsigned char* p) {
        uint64_t word;
        memcpy(&word, p, 8);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap64(word);
    #endif
        return word;
    }

    static inline uint32_t tp_load32(const unsigned char* p) {
        uint32_t word;
        memcpy(&word, p, 4);
    #if defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        word = __builtin_bswap32(word);
    #endif
        return word;
    }

    /* The two halves of the 128-bit product, xored. */
    static inline uint64_t tp_multiply_mix(uint64_t a, uint64_t b) {
    #if defined(__SIZEOF_INT128__)
        unsigned __int128 product = (unsigned __int128)a * b;
        return (uint64_t)(product >> 64) ^ (uint64_t)product;
    #else
        uint64_t a0 = a & 0xffffffffu, a1 = a >> 32, b0 = b & 0xffffffffu, b1 = b >> 32;
        uint64_t low = a0 * b0, cross = a1 * b0 + (low >> 32);
        uint64_t other = a0 * b1 + (cross & 0xffffffffu);
        return (a1 * b1 + (cross >> 32) + (other >> 32)) ^ (a * b);
    #endif
    }

    #define TP_ODD_A UINT64_C(0x9e3779b97f4a7c15)
    #define TP_ODD_B UINT64_C(0xd6e8feb86659fd93)
    #define TP_ODD_C UINT64_C(0xa0761d6478bd642f)

    static inline uint64_t tp_first_bytes(uint64_t word, size_t n) {
        return n >= 8 ? word : word & ((UINT64_C(1) << 8 * n) - 1);
    }

    static inline uint64_t tp_mix(uint64_t hash, uint64_t first, uint64_t second) {
        return tp_multiply_mix(hash ^ first ^ TP_ODD_A, second ^ TP_ODD_B);
    }

    /* Hash of n bytes, in blocks of 16 of which the last is filled up with zeros. Reads 16 bytes behind the
       last: for buffers that have them. One product, and hardly a branch, for up to 16 bytes. */
    static inline uint64_t tp_hash_seeded(const unsigned char* p, size_t n, uint64_t seed) {
        uint64_t hash = seed;
        size_t left = n;
        while (left > 16) {
            hash = tp_mix(hash, tp_load64(p), tp_load64(p + 8));
            p += 16;
            left -= 16;
        }
        hash = tp_mix(
            hash, tp_first_bytes(tp_load64(p), left),
            left > 8 ? tp_first_bytes(tp_load64(p + 8), left - 8) : 0
        );
        return tp_multiply_mix(hash ^ (uint64_t)n, TP_ODD_C);
    }

    /* Hash of a name, as vocabularies are stored with it. */
    static inline uint64_t tp_hash_padded(const unsigned char* p, size_t n) {
        return tp_hash_seeded(p, n, 0);
    }

    /* The same for a buffer that ends with the n bytes. */
    static inline uint64_t tp_hash(const unsigned char* p, size_t n) {
        unsigned char last[16] = {0};
        uint64_t hash = 0;
        size_t left = n;
        while (left > 16) {
            hash = tp_mix(hash, tp_load64(p), tp_load64(p + 8));
            p += 16;
            left -= 16;
        }
        memcpy(last, p, left);
        hash = tp_mix(hash, tp_load64(last), tp_load64(last + 8));
        return tp_multiply_mix(hash ^ (uint64_t)n, TP_ODD_C);
    }

    /* Up to 7 bytes are their own key (length in the top byte): equal keys are equal strings. Longer ones
       get a hash with the top bit set, and equality must be checked. Reads 16 bytes behind the last. */
    static inline uint64_t tp_key(const unsigned char* p, size_t n, uint64_t seed) {
        if (n < 8)
            return (tp_load64(p) & ((UINT64_C(1) << 8 * n) - 1)) | (uint64_t)n << 56;
        return tp_hash_seeded(p, n, seed) | UINT64_C(1) << 63;
    }

    /* Hash of a key; its upper bits are the place in a table. Both secrets are drawn once per process: without them,
       texts can be made up whose words all share one place. */
    static inline uint64_t tp_hash_key(uint64_t key, uint64_t secret, uint64_t odd_secret) {
        return tp_multiply_mix(key ^ secret, odd_secret);
    }

    /* Column of a name, or -1. A slot is 0 when empty, else high hash half << 32 | column + 1. */
    static inline int64_t tp_find(
        const uint64_t* slots, uint64_t mask, const int64_t* offsets, const unsigned char* arena,
        const unsigned char* name, size_t n, uint64_t hash
    ) {
        uint64_t place = hash & mask, slot;
        while ((slot = slots[place]) != 0) {
            if (slot >> 32 == hash >> 32) {
                int64_t column = (int64_t)(uint32_t)slot - 1;
                if ((size_t)(offsets[column + 1] - offsets[column]) == n
                    && memcmp(arena + offsets[column], name, n) == 0)
                    return column;
            }
            place = (place + 1) & mask;
        }
        return -1;
    }

    """
    uint64_t tp_load64(const uint8_t* p) noexcept nogil
    uint32_t tp_load32(const uint8_t* p) noexcept nogil
    uint64_t tp_hash(const uint8_t* p, size_t n) noexcept nogil
    uint64_t tp_hash_padded(const uint8_t* p, size_t n) noexcept nogil
    uint64_t tp_key(const uint8_t* p, size_t n, uint64_t seed) noexcept nogil
    uint64_t tp_hash_key(uint64_t key, uint64_t secret, uint64_t odd_secret) noexcept nogil
    int64_t tp_find(
        const uint64_t* slots, uint64_t mask, const int64_t* offsets, const uint8_t* arena,
        const uint8_t* name, size_t n, uint64_t hash
    ) noexcept nogil
