"""Tokens → names of the prefixes of the longer ones, as bytes like any other token."""

from libc.stdint cimport int32_t, uint8_t

from textperceptron._kernels.arrays cimport ptr
from textperceptron._kernels.prefixes cimport write_prefixes


def cut_prefixes(
    const uint8_t[::1] text, const int32_t[::1] starts, const int32_t[::1] stops, const int32_t[::1] lengths,
    Py_ssize_t size, bint negation,
    uint8_t[::1] out, int32_t[::1] out_starts, int32_t[::1] out_stops, int32_t[::1] out_lengths,
):
    """Write the first ``size`` characters of every word that has more, followed by an asterisk; return how many.

    The names go to ``out``, name i between ``out_starts[i]`` and ``out_stops[i]``; ``out_lengths`` gets how many each
    document has. With ``negation`` the mark of a negated word is no part of it. The caller gives room for as many
    names, and as many bytes, as the tokens have.

    Bottleneck: one token in four is longer than six characters, which no processor foresees.
    """
    cdef Py_ssize_t d, first = 0, n = 0, found, written = 0
    with nogil:
        for d in range(lengths.shape[0]):
            found = write_prefixes(
                ptr(text), ptr(starts) + first, ptr(stops) + first, lengths[d], size, negation,
                ptr(out), ptr(out_starts) + n, ptr(out_stops) + n, &written,
            )
            out_lengths[d] = <int32_t> found
            n += found
            first += lengths[d]
    return n
