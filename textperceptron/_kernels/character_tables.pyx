"""The tables of characters that the tokenisers use, for programs in other languages that must make the same tokens."""

from libc.stdint cimport int32_t, uint8_t

from textperceptron._kernels.scripts cimport find_script
from textperceptron._kernels.unicode cimport classify, lowered


def character_tables(uint8_t[::1] classes, uint8_t[::1] scripts, int32_t[::1] lower):
    """Write the class, the script class and the lower case of every code point from 0 on.

    A class is 0 for a space, 1 for a word character, 2 for any other. A script class is 1 for a character that is
    attached to the one before it, 2 for a script without spaces, 3 for a syllable, else 0. The lower case is that of
    the character alone: ``str.lower`` differs for U+0130 and, at the end of a word, for U+03A3.
    """
    cdef Py_ssize_t c
    with nogil:
        for c in range(classes.shape[0]):
            classes[c] = classify(<Py_UCS4> c)
            scripts[c] = find_script(<Py_UCS4> c)
            lower[c] = <int32_t> lowered(<Py_UCS4> c)
