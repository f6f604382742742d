"""Lines of UTF-8 → str, with one copy of the bytes per line.

Unlike other kernels these return Python objects and hold the interpreter lock, because the result is a list of str.
Splitting, decoding and cutting at the tab in Python takes five objects and three copies per line.

A line ends at ``\\n`` or ``\\r\\n``; if the last line ends at neither, its ``\\r`` is text. Bytes that are not UTF-8
raise UnicodeDecodeError. Other unusual lines are left to the caller, which has the rules and the messages for them.
"""

import sys

from cpython.object cimport PyObject
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.string cimport memchr, memcmp, memset

cdef enum:
    SLOTS = 64  # cached labels: more would evict texts from L1

cdef struct Seen:
    const char* begin
    Py_ssize_t size
    PyObject* label  # borrowed from the list of labels


def cut_lines(bytes head, bytes block, Py_ssize_t start, Py_ssize_t stop):
    """Return the lines of ``head`` and of ``block[start:stop]``, without line ends."""
    cdef list lines = []
    add_lines(<const char*> head, <const char*> head + len(head), lines)
    add_lines(<const char*> block + start, <const char*> block + stop, lines)
    return lines


def cut_labelled(bytes head, bytes block, Py_ssize_t start, Py_ssize_t stop, bytes prefix, bint ends_at_space):
    """Return texts and labels of the lines of ``head`` and ``block[start:stop]``, or None if one is unusual.

    A line is the prefix, a label, a tab (or a space, if a label ``ends_at_space``) and a text. A line is unusual if it
    lacks any of these but the text, or if its text may begin with another prefix. Equal labels are one interned object.

    Bottleneck: page faults. The 25,000 lines of 1.3 kB of IMDB take 33 MB of new memory; the bytes come from a block
    that is still in L2.
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
    """Return False at the first unusual line."""
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
    """Whether the mark may come first after spaces; any character beyond ASCII passes for a space."""
    while begin < end and (begin[0] <= c" " or <unsigned char> begin[0] >= 0x80):
        begin += 1
    return starts_with(begin, end, mark, n_mark)


cdef inline object label_of(const char* begin, Py_ssize_t size, Seen* seen):
    """The label of these bytes, from the cache unless another label has taken its slot."""
    cdef Seen* slot = seen + (size + 5 * <unsigned char> begin[0] + 17 * <unsigned char> begin[size - 1]) % SLOTS
    if slot.size == size and memcmp(slot.begin, begin, size) == 0:
        return <object> slot.label
    label = sys.intern(PyUnicode_DecodeUTF8(begin, size, NULL))
    slot.begin, slot.size, slot.label = begin, size, <PyObject*> label
    return label
