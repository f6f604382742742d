"""Lines of UTF-8 → str, each made by one copy of its bytes.

An exception among the kernels: the results are Python's own objects and the interpreter's lock is held, because str
is what a corpus is read for. Splitting, decoding and cutting at the tab, one after the other in Python, takes five
objects and three copies a line.

A line ends at ``\\n`` or ``\\r\\n``; where the last one ends at neither, its ``\\r`` is text. Bytes that are not UTF-8
raise UnicodeDecodeError. Whatever else is unusual is left to the caller, who has the rules and the messages for it.
"""

import sys

from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memchr, memcmp, memset

cdef enum:
    SLOTS = 64  # labels that are remembered: more would push texts out of the first cache

cdef struct Seen:
    const char* begin
    Py_ssize_t size
    PyObject* label  # borrowed from the list of labels


def cut_lines(bytes head, bytes block, Py_ssize_t start, Py_ssize_t stop):
    """Return the lines of ``head`` and those of ``block[start:stop]``, without their ends."""
    cdef list lines = []
    add_lines(<const char*> head, <const char*> head + len(head), lines)
    add_lines(<const char*> block + start, <const char*> block + stop, lines)
    return lines


def cut_labelled(bytes head, bytes block, Py_ssize_t start, Py_ssize_t stop, bytes prefix, bint ends_at_space):
    """Return texts and labels of the lines of ``head`` and ``block[start:stop]``, or None if one is unusual.

    A line is the prefix, a label, a tab (or a space, if a label ``ends_at_space``) and a text. Unusual is one that
    lacks any of them but the text, and one whose text may begin with another prefix. Equal labels are one object,
    interned.

    Bottleneck: memory for the texts. IMDB's 25,000 lines of 1.3 kB take 33 MB, of which every page is touched for the
    first time; the bytes themselves come from a block that is still in the second cache.
    """
    cdef Seen[SLOTS] seen
    cdef list texts = [], labels = []
    memset(seen, 0, sizeof(seen))
    if (
        add_labelled(<const char*> head, <const char*> head + len(head), prefix, ends_at_space, seen, texts, labels)
        and add_labelled(
            <const char*> block + start, <const char*> block + stop, prefix, ends_at_space, seen, texts, labels
        )
    ):
        return texts, labels
    return None


cdef int add_lines(const char* begin, const char* end, list lines) except -1:
    cdef const char* line_end
    while begin < end:
        line_end = find_end(begin, end)
        lines.append(decoded(begin, line_end, end))
        begin = line_end + 1
    return 0


cdef int add_labelled(
    const char* begin, const char* end, bytes prefix, bint ends_at_space, Seen* seen, list texts, list labels
) except -1:
    """Whether all lines were as usual."""
    cdef const char* line_end
    cdef const char* text
    cdef const char* mark = <const char*> prefix
    cdef Py_ssize_t n_mark = len(prefix)
    while begin < end:
        if not starts_with(begin, end, mark, n_mark):
            return False
        begin += n_mark
        text = begin
        while text < end and text[0] != c"\t" and text[0] != c"\n" and not (ends_at_space and text[0] == c" "):
            text += 1
        if text == begin or text == end or text[0] == c"\n":
            return False
        labels.append(label_of(begin, text - begin, seen))
        text += 1
        line_end = find_end(text, end)
        if n_mark and may_start_with(text, line_end, mark, n_mark):
            return False
        texts.append(decoded(text, line_end, end))
        begin = line_end + 1
    return True


cdef inline const char* find_end(const char* begin, const char* end) noexcept:
    cdef const char* found = <const char*> memchr(begin, c"\n", end - begin)
    return end if found == NULL else found


cdef inline object decoded(const char* begin, const char* line_end, const char* end):
    if line_end != end and line_end != begin and (line_end - 1)[0] == c"\r":
        line_end -= 1
    return PyUnicode_DecodeUTF8(begin, line_end - begin, NULL)


cdef inline bint starts_with(const char* begin, const char* end, const char* mark, Py_ssize_t n_mark) noexcept:
    return end - begin >= n_mark and memcmp(begin, mark, n_mark) == 0


cdef inline bint may_start_with(const char* begin, const char* end, const char* mark, Py_ssize_t n_mark) noexcept:
    """Whether the mark stands first behind spaces, of which this takes whatever is not ASCII for some, too."""
    while begin < end and (begin[0] <= c" " or <unsigned char> begin[0] >= 0x80):
        begin += 1
    return starts_with(begin, end, mark, n_mark)


cdef inline object label_of(const char* begin, Py_ssize_t size, Seen* seen):
    """The label of these bytes: the one that was made of the same before, if its slot has not been taken since."""
    cdef Seen* slot = seen + (size + 5 * <unsigned char> begin[0] + 17 * <unsigned char> begin[size - 1]) % SLOTS
    if slot.size == size and memcmp(slot.begin, begin, size) == 0:
        return <object> slot.label
    label = sys.intern(PyUnicode_DecodeUTF8(begin, size, NULL))
    slot.begin, slot.size, slot.label = begin, size, <PyObject*> label
    return label
