"""What a user's arrays hold, found in one pass: the border that lets every other kernel trust its input."""

from libc.math cimport fabs
from libc.stdint cimport int64_t

from textperceptron._kernels.rows cimport index_t, value_t

# Each loop looks at blocks of 4096: long enough that the test at a block's end costs nothing and the inner
# loop vectorises, short enough to stop early.


def first_other_than_one(const value_t[::1] data):
    """Position of the first value that is not 1, or -1 if there is none."""
    cdef Py_ssize_t n = data.shape[0], start, k, found = -1
    cdef bint other
    with nogil:
        for start in range(0, n, 4096):
            other = False
            for k in range(start, min(start + 4096, n)):
                other |= data[k] != 1
            if other:
                k = start
                while data[k] == 1:
                    k += 1
                found = k
                break
    return found


def first_beyond(const value_t[::1] data, double limit):
    """Position of the first value that is NaN or further than ``limit`` from 0, or -1 if there is none."""
    cdef Py_ssize_t n = data.shape[0], start, k, found = -1
    cdef bint bad
    cdef value_t top = <value_t> limit
    with nogil:
        for start in range(0, n, 4096):
            bad = False
            for k in range(start, min(start + 4096, n)):
                bad |= not (fabs(data[k]) <= top)
            if bad:
                k = start
                while fabs(data[k]) <= top:
                    k += 1
                found = k
                break
    return found


def first_outside(const index_t[::1] indices, int64_t n_columns):
    """Position of the first column number below 0 or not below ``n_columns``, or -1 if there is none."""
    cdef Py_ssize_t n = indices.shape[0], start, k, found = -1
    cdef index_t top = 0, low = 0
    with nogil:
        for start in range(0, n, 4096):
            for k in range(start, min(start + 4096, n)):
                top = max(top, indices[k])
                low = min(low, indices[k])
            if top >= n_columns or low < 0:
                k = start
                while 0 <= indices[k] < n_columns:
                    k += 1
                found = k
                break
    return found


def first_repeat(const index_t[::1] indices, const index_t[::1] indptr, int64_t[::1] stamp):
    """Position of the first column that stands twice in its row, or -1; ``stamp``: a zero a column.

    A row whose columns ascend needs no stamps; an unsorted one writes its number + 1 at each of its columns.
    """
    cdef Py_ssize_t row, k, start, stop, found = -1
    cdef bint ascending
    with nogil:
        for row in range(indptr.shape[0] - 1):
            start = indptr[row]
            stop = indptr[row + 1]
            ascending = True
            for k in range(start + 1, stop):
                ascending &= indices[k - 1] < indices[k]
            if ascending:
                continue
            for k in range(start, stop):
                if stamp[indices[k]] == row + 1:
                    found = k
                    break
                stamp[indices[k]] = row + 1
            if found >= 0:
                break
    return found


def rows_ascend(const index_t[::1] indices, const index_t[::1] indptr):
    """Whether the columns of every row strictly ascend, hence none stands twice."""
    cdef Py_ssize_t row, k
    cdef bint ascending = True
    with nogil:
        for row in range(indptr.shape[0] - 1):
            for k in range(indptr[row] + 1, indptr[row + 1]):
                ascending &= indices[k - 1] < indices[k]
            if not ascending:
                break
    return ascending
