"""Pointers into arrays."""

cimport cython
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t

ctypedef fused element_t:
    signed char
    uint8_t
    uint16_t
    int32_t
    uint32_t
    int64_t
    uint64_t
    float
    double


cdef inline element_t* ptr(const element_t[::1] array) noexcept nogil:
    """Address of the first element, also of an empty array.

    ``&array[0]`` of an empty array is an IndexError in a build with bounds checks; so is ``&array[n]`` of n
    elements, where an empty row begins. All kernels take addresses here, so that such a build runs.
    """
    with cython.boundscheck(False):
        return <element_t*> &array[0]
