"""Rows of length 1: for whole matrices, and for the one row of a text that is classified alone."""

from libc.math cimport sqrt

from textperceptron._kernels.rows cimport row_sqnorm, value_t


cdef inline void row_to_length_one(value_t* values, Py_ssize_t n) noexcept nogil:
    """``x /= ‖x‖``; a row of zeros stays. The length of whole numbers is the same in whatever order they stand."""
    cdef double length = sqrt(row_sqnorm(values, n))
    cdef Py_ssize_t k
    if length > 0:
        for k in range(n):
            values[k] = <value_t> (values[k] / length)
