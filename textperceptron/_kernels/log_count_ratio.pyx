"""Log-count ratios: column sums, the ratios of two classes, and their interpolation with learnt weights."""

from libc.math cimport fabs
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy

from textperceptron._kernels.rows cimport index_t, value_t, values_or_null, weight_t, weight_t


cdef inline double natural_log(double x) noexcept nogil:
    """Natural logarithm of a finite number above 0, within 2 units in the last place.

    Additions, products and one division only: the C library's and NumPy's logarithms differ in the last bit between
    processors, and models would too. ``x = m · 2**e`` with m from √½ to √2, and ``log m = 2 artanh(s)`` with
    ``s = (m − 1) / (m + 1)``, at most 0.172: the next term of the series would be below 1e-18.
    """
    cdef uint64_t bits
    cdef int64_t e = 0
    cdef double m, s, z, tail
    if x < 2.2250738585072014e-308:  # subnormal
        x *= 18014398509481984.0  # 2**54
        e = -54
    memcpy(&bits, &x, 8)
    e += <int64_t> (bits >> 52) - 1023
    bits = (bits & <uint64_t> 0xFFFFFFFFFFFFF) | <uint64_t> 0x3FF0000000000000
    memcpy(&m, &bits, 8)
    if m > 1.4142135623730951:
        m *= 0.5
        e += 1
    s = (m - 1) / (m + 1)
    z = s * s
    tail = z * (
        2.0 / 3 + z * (
            2.0 / 5 + z * (
                2.0 / 7 + z * (
                    2.0 / 9 + z * (
                        2.0 / 11 + z * (
                            2.0 / 13 + z * (2.0 / 15 + z * (2.0 / 17 + z * (2.0 / 19 + z * (2.0 / 21))))
                        )
                    )
                )
            )
        )
    )
    # ln 2 in two parts; the first has 21 trailing zero bits, so its product with an exponent is exact.
    return e * 0.6931471803691238 + (e * 1.9082149292705877e-10 + (s * tail + 2 * s))


def add_column_sums(
    const value_t[::1] data, const index_t[::1] indices, const index_t[::1] indptr, const int64_t[::1] which,
    double[::1] sums,
):
    """Add the values of the rows ``which`` to ``sums``, which has one entry per column; empty ``data`` means ones.

    Bottleneck: the scatter into ``sums``. IMDB uni+bigrams: 12 MB, mostly from L3.
    """
    cdef Py_ssize_t i, k, row
    cdef const value_t* values = values_or_null(data)
    with nogil:
        for i in range(which.shape[0]):
            row = which[i]
            if values == NULL:
                for k in range(indptr[row], indptr[row + 1]):
                    sums[indices[k]] += 1
            else:
                for k in range(indptr[row], indptr[row + 1]):
                    sums[indices[k]] += values[k]


def log_ratios(
    const double[::1] inside, const double[::1] outside, double inside_smoothing, double outside_smoothing,
    double average, double scale, double[::1] out,
):
    """Write ``log(scale · p / q)`` to ``out``.

    ``p = inside + inside_smoothing + average · (inside + outside)``, and ``q`` likewise of ``outside``.

    Bottleneck: arithmetic, about 15 ns per column.
    """
    cdef Py_ssize_t k
    cdef double both
    with nogil:
        for k in range(out.shape[0]):
            both = average * (inside[k] + outside[k])
            out[k] = natural_log(
                scale * ((inside[k] + inside_smoothing + both) / (outside[k] + outside_smoothing + both))
            )


def sum_unscaled(const value_t[:] weights, const weight_t[:] column_weight):
    """Return the sum of ``|w / r|`` over the weights that are not 0, and their number; intercepts do not count."""
    cdef Py_ssize_t k, n = 0
    cdef double total = 0
    with nogil:
        for k in range(column_weight.shape[0]):
            if weights[k] != 0:
                total += fabs(<double> weights[k] / column_weight[k])
                n += 1
    return total, n


def interpolate(
    const value_t[:] weights, const weight_t[:] column_weight, double share, double ratio_share, value_t[:] out
):
    """Write ``share · w + ratio_share · r`` to ``out``; for the intercept, the last weight, ``share · w``."""
    cdef Py_ssize_t k, n = column_weight.shape[0]
    with nogil:
        for k in range(n):
            out[k] = <value_t> (share * weights[k] + ratio_share * column_weight[k])
        out[n] = <value_t> (share * weights[n])
