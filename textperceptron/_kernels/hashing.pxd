"""Byte strings: loading, hashing and packing into keys.

The name hash is part of the vocabulary's stored form, so it gives the same value on every machine: words are
read as little-endian, and there is portable code for the 128-bit product.
"""

from libc.stdint cimport uint8_t, uint32_t, uint64_t

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

    /* Hash of n bytes, in blocks of 16, the last padded with zeros. Reads up to 16 bytes after the last one. One
       product, and hardly a branch, for up to 16 bytes. */
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

    /* Hash of a name, as stored in vocabularies. */
    static inline uint64_t tp_hash_padded(const unsigned char* p, size_t n) {
        return tp_hash_seeded(p, n, 0);
    }

    /* The same hash for a buffer that ends after the n bytes. */
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

    /* Up to 7 bytes are their own key (length in the top byte): equal keys are equal strings. Longer strings
       get a hash with the top bit set, and equality must be checked. Reads 16 bytes after the last one. */
    static inline uint64_t tp_key(const unsigned char* p, size_t n, uint64_t seed) {
        if (n < 8)
            return (tp_load64(p) & ((UINT64_C(1) << 8 * n) - 1)) | (uint64_t)n << 56;
        return tp_hash_seeded(p, n, seed) | UINT64_C(1) << 63;
    }

    /* Hash of a key; its upper bits are the slot in a table. Both secrets are drawn once per process: without them,
       texts could be constructed whose words all share one slot. */
    static inline uint64_t tp_hash_key(uint64_t key, uint64_t secret, uint64_t odd_secret) {
        return tp_multiply_mix(key ^ secret, odd_secret);
    }
    """
    uint64_t tp_load64(const uint8_t* p) noexcept nogil
    uint32_t tp_load32(const uint8_t* p) noexcept nogil
    uint64_t tp_hash(const uint8_t* p, size_t n) noexcept nogil
    uint64_t tp_hash_padded(const uint8_t* p, size_t n) noexcept nogil
    uint64_t tp_key(const uint8_t* p, size_t n, uint64_t seed) noexcept nogil
    uint64_t tp_hash_key(uint64_t key, uint64_t secret, uint64_t odd_secret) noexcept nogil
