"""Rows of length 1."""

from libc.math cimport sqrt

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.rows cimport index_t, value_t
from textperceptron._kernels.unit cimport row_to_length_one


def scale_rows(value_t[::1] data, const index_t[::1] indptr):
    """Divide the values of every row by its length, in place; a row of zeros stays as it is."""
    cdef Py_ssize_t row
    with nogil:
        for row in range(indptr.shape[0] - 1):
            if indptr[row] < indptr[row + 1]:
                row_to_length_one(ptr(data) + indptr[row], indptr[row + 1] - indptr[row])


def unit_values(const index_t[::1] indptr, value_t[::1] values):
    """Write the values of rows of norm 1 whose entries are all equal: ``1 / √n`` for each of n entries."""
    cdef Py_ssize_t row, k
    cdef value_t value
    with nogil:
        for row in range(indptr.shape[0] - 1):
            value = <value_t> (1 / sqrt(<double> (indptr[row + 1] - indptr[row])))
            for k in range(indptr[row], indptr[row + 1]):
                values[k] = value
