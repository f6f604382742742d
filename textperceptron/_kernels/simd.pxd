"""C macros for wide registers, caches and bits: all that depends on compiler and machine.

A C function that gains from wide registers is written once and marked ``TP_CLONES``. The same loop is then compiled for
several register widths, and the loader picks one. No loop may depend on the width: the bytes of a result are the same
on every machine. Files whose C code uses a macro cimport this module for it.
"""

from libc.stdint cimport uint64_t

cdef extern from *:
    """
    #include <stdint.h>
    #if defined(_MSC_VER)
    #include <intrin.h>
    #endif

    /* Only GCC with glibc can choose between clones at load time. */
    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
    #define TP_CLONES __attribute__((target_clones("avx512f", "avx2", "default")))
    #else
    #define TP_CLONES
    #endif

    #if defined(__GNUC__) || defined(__clang__)
    #define TP_INLINE static inline __attribute__((always_inline))
    /* Into L2. Without the empty asm, GCC finds that a function of prefetches has no effect and drops it. */
    #define tp_prefetch(p) do { __builtin_prefetch(p, 0, 2); __asm__ volatile(""); } while (0)
    #else
    #define TP_INLINE static inline
    #define tp_prefetch(p) ((void)(p))
    #endif

    /* Number of the lowest bit that is set; at least one must be. */
    #if defined(_MSC_VER)
    static inline int tp_lowest_bit(uint64_t bits) {
        unsigned long number;
        _BitScanForward64(&number, bits);
        return (int)number;
    }
    #else
    #define tp_lowest_bit(bits) __builtin_ctzll(bits)
    #endif

    /* Number of set bits, without the instruction for it, which not every machine has. */
    static inline int tp_count_bits(uint64_t bits) {
        bits -= bits >> 1 & UINT64_C(0x5555555555555555);
        bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
        return (int)(((bits + (bits >> 4)) & UINT64_C(0x0f0f0f0f0f0f0f0f)) * UINT64_C(0x0101010101010101) >> 56);
    }
    """
    void tp_prefetch(const void* p) noexcept nogil
    int tp_lowest_bit(uint64_t bits) noexcept nogil
    int tp_count_bits(uint64_t bits) noexcept nogil
