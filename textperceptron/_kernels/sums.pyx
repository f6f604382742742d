"""Sums over the rows of each class."""

from libc.stdint cimport int64_t

from textperceptron._kernels.rows cimport index_t, value_t, values_or_null


def add_class_sums(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr,
    const int64_t[::1] codes, const int64_t[::1] which, double[:, ::1] sums,
):
    """Add the values of the rows ``which`` to ``sums[column, class]``; an empty ``data`` means ones.

    Class-minor: the sums of a column share a cache line, so that the classes cost one walk over the rows.
    """
    cdef Py_ssize_t i, k, row
    cdef int64_t code
    cdef const value_t* values = values_or_null(data)
    with nogil:
        for i in range(which.shape[0]):
            row = which[i]
            code = codes[row]
            if values == NULL:
                for k in range(indptr[row], indptr[row + 1]):
                    sums[indices[k], code] += 1
            else:
                for k in range(indptr[row], indptr[row + 1]):
                    sums[indices[k], code] += values[k]
