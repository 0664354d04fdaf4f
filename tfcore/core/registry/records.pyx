"""Reads and writes files of records without a graph, with the functions of kernels_c/io/records.h."""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize
from libc.stdint cimport int64_t, uint8_t, uintptr_t
from libc.string cimport memcpy, memset

import threading

from tfcore.core.registry.registry import library_function
from tfcore.framework import errors
from tfcore.framework.fork_safety import fork_safe

cdef extern from "stdbool.h":
    ctypedef bint cbool "bool"

cdef extern from "registry/records.h" nogil:
    enum: RECORD_END
    enum: RECORD_HEAD
    enum: RECORD_FOOT
    ctypedef enum record_format:
        RECORD_TF
    ctypedef enum record_compression:
        RECORD_PLAIN
    ctypedef struct record_options:
        record_format format
        record_compression compression
    ctypedef struct record_status:
        int code
        char text[1400]
    ctypedef struct record_reader:
        pass
    ctypedef struct record_functions:
        cbool (*compression_of)(const char *, size_t, record_compression *) noexcept nogil
        record_reader *(*open)(const char *, size_t, const record_options *, record_status *) noexcept nogil
        int (*next)(record_reader *, const char **, size_t *, record_status *) noexcept nogil
        int64_t (*tell)(const record_reader *) noexcept nogil
        int (*seek)(record_reader *, int64_t, record_status *) noexcept nogil
        void (*close)(record_reader *) noexcept nogil
        void (*frame)(const void *, size_t, uint8_t *, uint8_t *) noexcept nogil

cdef const record_functions *_functions = NULL


cdef const record_functions *functions() except NULL:
    global _functions
    if _functions == NULL:
        _functions = <const record_functions *><uintptr_t>library_function("record_functions_table")()
    return _functions


def frame(bytes data not None):
    """A record of a file of TensorFlow's records: length, data, and the checksums of both."""
    cdef Py_ssize_t size = len(data)
    cdef bytes record = PyBytes_FromStringAndSize(NULL, RECORD_HEAD + size + RECORD_FOOT)
    cdef char *to = PyBytes_AS_STRING(record)
    memcpy(to + RECORD_HEAD, PyBytes_AS_STRING(data), size)
    functions().frame(to + RECORD_HEAD, size, <uint8_t *>to, <uint8_t *>to + RECORD_HEAD + size)
    return record


cdef class RecordFile:
    """Iterates over the records of a file, as bytes. Threads take turns.

    Args:
      path: Its path, as bytes.
      compression: b"", b"ZLIB" or b"GZIP".

    Raises:
      tf.errors.NotFoundError: There is no such file.
      tf.errors.DataLossError: From the iteration: the file is damaged.
    """

    cdef record_reader *reader
    cdef object lock

    def __cinit__(self, bytes path not None, bytes compression not None=b""):
        cdef record_options options
        cdef record_status status
        cdef const char *at = path
        cdef size_t size = len(path)
        cdef const record_functions *f = functions()
        memset(&options, 0, sizeof(options))
        options.format = RECORD_TF
        self.lock = fork_safe(threading.Lock())
        if not f.compression_of(compression, len(compression), &options.compression):
            raise errors.InvalidArgumentError(None, None, f"There is no compression {compression!r}")
        with nogil:
            self.reader = f.open(at, size, &options, &status)
        if self.reader == NULL:
            raise errors.from_code(status.code, None, status.text.decode(errors="replace"))

    def __dealloc__(self):
        if self.reader != NULL:
            _functions.close(self.reader)

    def __iter__(self):
        return self

    def __next__(self):
        cdef record_status status
        cdef const char *data = NULL
        cdef size_t size = 0
        cdef int code
        with self.lock:
            with nogil:
                code = _functions.next(self.reader, &data, &size, &status)
            if code == 0:
                return PyBytes_FromStringAndSize(data, size)
        if code == RECORD_END:
            raise StopIteration
        raise errors.from_code(status.code, None, status.text.decode(errors="replace"))
