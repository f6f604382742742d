"""Numbers of terms: separate for tokens and longer n-grams while a corpus is counted, joint afterwards."""

from libc.stdint cimport int32_t, uint32_t

cdef enum:
    LAST_31_BITS = 0x7FFFFFFF


cdef inline uint32_t term_of(uint32_t item, uint32_t n_tokens) noexcept nogil:
    """Term number of an item: tokens come first. An item is a token's number, or an n-gram's with the top bit set."""
    return (item & LAST_31_BITS) + (n_tokens & (0 - (item >> 31)))


cdef inline uint32_t item_of(uint32_t term, uint32_t n_tokens) noexcept nogil:
    """The inverse of :func:`term_of`."""
    return term if term < n_tokens else (term - n_tokens) | <uint32_t> 1 << 31
