"""Columns of strings in Arrow's memory layout → lists of str, a few at a time.

The structs are those of Arrow's C data and C stream interfaces, which any library can hand over in capsules: no
library of Arrow is needed to read them.
"""

from cpython.bytes cimport PyBytes_FromStringAndSize
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.unicode cimport PyUnicode_DecodeUTF8
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

cdef extern from *:
    """
    #include <stdint.h>

    struct ArrowSchema {
        const char* format;
        const char* name;
        const char* metadata;
        int64_t flags;
        int64_t n_children;
        struct ArrowSchema** children;
        struct ArrowSchema* dictionary;
        void (*release)(struct ArrowSchema*);
        void* private_data;
    };

    struct ArrowArray {
        int64_t length;
        int64_t null_count;
        int64_t offset;
        int64_t n_buffers;
        int64_t n_children;
        const void** buffers;
        struct ArrowArray** children;
        struct ArrowArray* dictionary;
        void (*release)(struct ArrowArray*);
        void* private_data;
    };

    struct ArrowArrayStream {
        int (*get_schema)(struct ArrowArrayStream*, struct ArrowSchema* out);
        int (*get_next)(struct ArrowArrayStream*, struct ArrowArray* out);
        const char* (*get_last_error)(struct ArrowArrayStream*);
        void (*release)(struct ArrowArrayStream*);
        void* private_data;
    };
    """
    struct ArrowSchema:
        const char* format
        ArrowSchema* dictionary
        void (*release)(ArrowSchema*) noexcept

    struct ArrowArray:
        int64_t length
        int64_t offset
        const void** buffers
        void (*release)(ArrowArray*) noexcept

    struct ArrowArrayStream:
        int (*get_schema)(ArrowArrayStream*, ArrowSchema*) noexcept
        int (*get_next)(ArrowArrayStream*, ArrowArray*) noexcept
        const char* (*get_last_error)(ArrowArrayStream*) noexcept
        void (*release)(ArrowArrayStream*) noexcept

cdef enum:
    OTHER, OFFSETS_32, OFFSETS_64, VIEWS
    INLINE = 12  # bytes of a string that are stored within its view


cdef struct View:
    # A string of more than INLINE bytes; shorter ones take the place of all but the length.
    int32_t length
    int32_t prefix
    int32_t buffer
    int32_t offset


cdef class ArrowTexts:
    """Iterator over lists of the strings of a column, of at most ``n_texts`` and about ``n_bytes``.

    ``column`` is the capsule of a stream or, as ``schema`` and ``column``, those of an array. A missing string is None;
    bytes that are not UTF-8 stay bytes, so that the caller can decode or reject them. If the column has no strings at
    all, :meth:`is_text` is False, and iterating raises TypeError.

    Bottleneck: creating str objects. Lists of 1 MB stay in the cache until their texts are tokenised.
    """

    cdef ArrowArrayStream _stream
    cdef ArrowSchema _schema
    cdef ArrowArray _array
    cdef int64_t _at, _n_texts, _n_bytes
    cdef int _layout

    def __cinit__(self, object column not None, object schema, int64_t n_texts, int64_t n_bytes):
        cdef ArrowArrayStream* stream
        cdef ArrowArray* array
        cdef ArrowSchema* type_
        memset(&self._stream, 0, sizeof(self._stream))
        memset(&self._schema, 0, sizeof(self._schema))
        memset(&self._array, 0, sizeof(self._array))
        # The structs are moved: the capsules release nothing afterwards.
        if schema is None:
            stream = <ArrowArrayStream*> PyCapsule_GetPointer(column, "arrow_array_stream")
            self._stream = stream[0]
            stream.release = NULL
            self._check(self._stream.get_schema(&self._stream, &self._schema))
        else:
            array = <ArrowArray*> PyCapsule_GetPointer(column, "arrow_array")
            type_ = <ArrowSchema*> PyCapsule_GetPointer(schema, "arrow_schema")
            self._array, self._schema = array[0], type_[0]
            array.release = NULL
            type_.release = NULL
        layout = bytes(self._schema.format) if self._schema.dictionary == NULL else b""
        self._layout = {b"u": OFFSETS_32, b"U": OFFSETS_64, b"vu": VIEWS}.get(layout, OTHER)
        self._at, self._n_texts, self._n_bytes = 0, n_texts, n_bytes

    def __dealloc__(self):
        if self._array.release != NULL:
            self._array.release(&self._array)
        if self._schema.release != NULL:
            self._schema.release(&self._schema)
        if self._stream.release != NULL:
            self._stream.release(&self._stream)

    def is_text(self):
        """Whether the column has strings, neither numbers nor codes of a dictionary."""
        return self._layout != OTHER

    def __iter__(self):
        return self

    def __next__(self):
        cdef list texts = []
        cdef int64_t n_bytes = 0
        if self._layout == OTHER:
            raise TypeError("the column has no strings")
        while self._array.release == NULL or self._at >= self._array.length:
            if not self._next_array():
                raise StopIteration
        while self._at < self._array.length and len(texts) < self._n_texts and n_bytes < self._n_bytes:
            n_bytes += self._append(self._array.offset + self._at, texts)
            self._at += 1
        return texts

    cdef bint _next_array(self) except -1:
        """Move on to the next array of the stream; False at its end."""
        if self._array.release != NULL:
            self._array.release(&self._array)
            self._array.release = NULL
        if self._stream.release == NULL:
            return False
        self._at = 0
        self._check(self._stream.get_next(&self._stream, &self._array))
        return self._array.release != NULL

    cdef int64_t _append(self, int64_t k, list texts) except -1:
        """Append string k of the buffers; return its bytes."""
        cdef const uint8_t* valid = <const uint8_t*> self._array.buffers[0]
        cdef const char* begin
        cdef const View* view
        cdef int64_t size
        if valid != NULL and not valid[k >> 3] >> (k & 7) & 1:
            texts.append(None)
            return 0
        if self._layout == VIEWS:
            view = <const View*> self._array.buffers[1] + k
            size = view.length
            begin = <const char*> &view.prefix
            if size > INLINE:
                begin = <const char*> self._array.buffers[2 + view.buffer] + view.offset
        elif self._layout == OFFSETS_32:
            begin = <const char*> self._array.buffers[2] + (<const int32_t*> self._array.buffers[1])[k]
            size = (<const int32_t*> self._array.buffers[1])[k + 1] - (<const int32_t*> self._array.buffers[1])[k]
        else:
            begin = <const char*> self._array.buffers[2] + (<const int64_t*> self._array.buffers[1])[k]
            size = (<const int64_t*> self._array.buffers[1])[k + 1] - (<const int64_t*> self._array.buffers[1])[k]
        try:
            texts.append(PyUnicode_DecodeUTF8(begin, size, NULL))
        except UnicodeDecodeError:
            texts.append(PyBytes_FromStringAndSize(begin, size))
        return size

    cdef int _check(self, int code) except -1:
        """Raise the error of a function of the stream."""
        cdef const char* said
        if code:
            said = self._stream.get_last_error(&self._stream)
            raise OSError(code, (<bytes> said).decode("utf-8", "replace") if said != NULL else "Arrow stream")
        return 0
