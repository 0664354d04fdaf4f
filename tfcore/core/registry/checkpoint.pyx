"""Reads checkpoint files without a graph, with the functions of kernels_c/checkpoint/format/bundle.h."""

cimport numpy as np
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t, uintptr_t
from libc.stdlib cimport free
from libc.string cimport memset

from tfcore.kernel cimport *

import threading

import numpy

from tfcore.core.registry.registry import library_function
from tfcore.framework.types import dtypes
from tfcore.framework import errors

np.import_array()

cdef extern from "stdbool.h":
    ctypedef bint cbool "bool"

cdef extern from "registry/checkpoint.h" nogil:
    ctypedef struct ckpt_status:
        int code
        char text[1400]
    ctypedef struct ckpt_slice:
        int rank
        int64_t start[TFC_MAX_RANK]
        int64_t length[TFC_MAX_RANK]
    ctypedef struct ckpt_box:
        int rank
        int64_t start[TFC_MAX_RANK]
        int64_t dims[TFC_MAX_RANK]
    ctypedef struct ckpt_entry:
        char *key
        size_t key_size
        int32_t dtype
        int rank
        int64_t dims[TFC_MAX_RANK]
        int32_t n_slices
        ckpt_slice *slices
    ctypedef struct ckpt_index:
        ckpt_entry *entries
        int64_t n
        int32_t n_shards
    ctypedef struct ckpt_reader:
        ckpt_index index
        cbool is_v1
    ctypedef void (*ckpt_loop)(void *, int64_t, double, void *, void *)
    ctypedef struct ckpt_request:
        const ckpt_entry *entry
        ckpt_box box
        void *data
        int (*set_string)(void *, int64_t, const char *, size_t) noexcept nogil
        void *arg
    ctypedef struct ckpt_functions:
        int (*path)(const char *, size_t, char **, ckpt_status *) noexcept nogil
        int (*open)(ckpt_reader *, const char *, ckpt_status *) noexcept nogil
        void (*close)(ckpt_reader *) noexcept nogil
        int (*read)(ckpt_reader *, const ckpt_request *, int64_t, ckpt_loop, void *, ckpt_status *) noexcept nogil
        const ckpt_entry *(*find)(const ckpt_index *, const char *, size_t) noexcept nogil
        uint32_t (*crc)(uint32_t, const void *, size_t) noexcept nogil
        uint32_t (*crc_portable)(uint32_t, const void *, size_t) noexcept nogil
        uint32_t (*crc_combine)(uint32_t, uint32_t, uint64_t) noexcept nogil

cdef const ckpt_functions *_functions = NULL


cdef const ckpt_functions *functions() except NULL:
    global _functions
    if _functions == NULL:
        _functions = <const ckpt_functions *><uintptr_t>library_function("ckpt_functions_table")()
    return _functions


cdef int fail(const ckpt_status *status) except -1:
    raise errors.from_code(status.code, None, status.text.decode(errors="replace"))


cdef int set_string(void *arg, int64_t i, const char *text, size_t size) noexcept nogil:
    with gil:
        try:
            (<list>arg)[i] = text[:size]
        except MemoryError:
            return TFC_RESOURCE_EXHAUSTED
    return 0


cdef object shape_of(const ckpt_entry *e):
    return tuple([e.dims[d] for d in range(e.rank)])


def _name(key):
    return key.decode("utf-8", "surrogateescape")


cdef class CheckpointFile:
    """An open checkpoint: the names, types and shapes of its tensors, and their values. Threads take turns.

    Args:
      prefix: Its path, as bytes: a prefix, or a pattern of files of the first format.

    Raises:
      tf.errors.NotFoundError: There is none.
      tf.errors.DataLossError: It is damaged.
    """

    cdef ckpt_reader reader
    cdef bint opened
    cdef object lock

    def __cinit__(self, bytes prefix):
        cdef ckpt_status status
        cdef char *path = NULL
        cdef const ckpt_functions *f = functions()
        memset(&status, 0, sizeof(status))
        self.lock = threading.Lock()
        if f.path(prefix, len(prefix), &path, &status):
            fail(&status)
        with nogil:
            self.opened = f.open(&self.reader, path, &status) == 0
        free(path)
        if not self.opened:
            fail(&status)

    def __dealloc__(self):
        if self.opened:
            _functions.close(&self.reader)

    def tensors(self):
        """(name, number of the type, shape, number of slices; 0: it is whole) of each tensor, ordered by name."""
        cdef const ckpt_entry *e
        cdef int64_t i
        result = []
        for i in range(self.reader.index.n):
            e = &self.reader.index.entries[i]
            if e.key_size and e.key[0] == 0 and not self.reader.is_v1:
                continue  # the data of a slice
            result.append((_name(e.key[:e.key_size]), e.dtype, shape_of(e), e.n_slices))
        return result

    cdef const ckpt_entry *find(self, str name) except? NULL:
        key = name.encode("utf-8", "surrogateescape")
        return _functions.find(&self.reader.index, key, len(key))

    def __contains__(self, str name):
        return self.find(name) != NULL

    def read(self, str name):
        """The value of a tensor: an array, or `bytes` for a single string.

        Raises:
          KeyError: There is no such tensor.
          tf.errors.NotFoundError: A file is missing.
          tf.errors.DataLossError: A file is damaged.
          tf.errors.UnimplementedError: The type has no values outside of TensorFlow.
        """
        cdef ckpt_status status
        cdef ckpt_request request
        cdef const ckpt_entry *e = self.find(name)
        cdef int code
        cdef int64_t n = 1
        if e == NULL:
            raise KeyError(name)
        memset(&status, 0, sizeof(status))
        memset(&request, 0, sizeof(request))
        request.entry = e
        request.box.rank = e.rank
        for d in range(e.rank):
            request.box.dims[d] = e.dims[d]
            n *= e.dims[d]
        shape = shape_of(e)
        strings, array = [], None
        if e.dtype == TFC_STRING:
            strings = [b""] * n
            request.set_string = set_string
            request.arg = <void *>strings
        else:
            try:
                array = numpy.empty(shape, dtypes.as_dtype(e.dtype).as_numpy_dtype)
            except (MemoryError, TypeError, ValueError) as error:
                raise errors.DataLossError(
                    None, None, f"Tensor {name} of the checkpoint can't have the shape {shape}: {error}") from None
            request.data = np.PyArray_DATA(array)
        with self.lock, nogil:
            code = _functions.read(&self.reader, &request, 1, NULL, NULL, &status)
        if code:
            fail(&status)
        if array is not None:
            return array
        if not shape:
            return strings[0]
        array = numpy.empty(n, object)
        array[:] = strings
        return array.reshape(shape)


def crc32c(data, uint32_t crc=0, bint portable=False):
    """The checksum CRC-32C of bytes that follow those whose checksum is `crc`."""
    cdef const unsigned char[::1] view = data
    cdef const void *at = &view[0] if len(view) else NULL
    return (functions().crc_portable if portable else functions().crc)(crc, at, len(view))


def crc32c_combine(uint32_t first, uint32_t second, uint64_t second_size):
    """The checksum of two ranges, one after the other."""
    return functions().crc_combine(first, second, second_size)
