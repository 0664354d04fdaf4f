"""Files behind schemes such as s3://, for kernels: the functions of kernels_c/common/remote_files.h.

A kernel runs without the GIL; these functions take it. Closing a file needs no GIL, as kernels may do it with a lock:
the file is noted, and closed by the next call of any of these functions, or by the main thread.
"""

from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_FromStringAndSize, PyBytes_GET_SIZE
from cpython.exc cimport PyErr_SetInterrupt
from cpython.ref cimport PyObject, Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy

from tfcore.core.runtime cimport *

import contextlib
import os

from tfcore.framework import errors
from tfcore.platform.file_system import explained, file_system_of, matches

cdef extern from "Python.h":
    int Py_AddPendingCall(int (*func)(void *) noexcept with gil, void *arg) nogil

cdef extern from "stdbool.h":
    ctypedef bint cbool "bool"

ctypedef cbool (*cancelled_function)(void *) noexcept nogil
ctypedef void (*add_function)(void *, const char *) noexcept nogil

cdef extern from "registry/remote_files.h" nogil:
    ctypedef struct tfc_file_status:
        int code
        char text[1400]
    ctypedef struct tfc_remote_files:
        int (*open)(const char *, void **, tfc_file_status *) noexcept nogil
        int (*read)(void *, void *, size_t, size_t *, tfc_file_status *) noexcept nogil
        int (*seek)(void *, int64_t, tfc_file_status *) noexcept nogil
        void (*close)(void *) noexcept nogil
        int (*size)(const char *, int64_t *, tfc_file_status *) noexcept nogil
        int (*write)(const char *, const char *, size_t, tfc_file_status *) noexcept nogil
        int (*download)(const char *, int, cancelled_function, void *, tfc_file_status *) noexcept nogil
        int (*upload)(int, const char *, cancelled_function, void *, tfc_file_status *) noexcept nogil
        int (*rename)(const char *, const char *, tfc_file_status *) noexcept nogil
        int (*remove)(const char *, tfc_file_status *) noexcept nogil
        int (*remove_folder)(const char *, tfc_file_status *) noexcept nogil
        int (*match)(const char *, add_function, void *, tfc_file_status *) noexcept nogil

_BLOCK = 1 << 20  # bytes


cdef int code_of(error):
    """The code of an exception that is not one of the system's."""
    if isinstance(error, MemoryError):
        return TFC_RESOURCE_EXHAUSTED
    return TFC_UNIMPLEMENTED if isinstance(error, NotImplementedError) else TFC_UNKNOWN


cdef int fail(tfc_file_status *status, str path, error) noexcept:
    """Notes an exception."""
    cdef size_t size
    try:
        if isinstance(error, KeyboardInterrupt):
            PyErr_SetInterrupt()  # the program gets it where it waits for the step
            text, status.code = f"{path}; interrupted", TFC_CANCELLED
        elif isinstance(error, errors.OpError):
            text, status.code = error.message, error.error_code or TFC_UNKNOWN
        else:
            text, status.code = f"{path}; {type(error).__name__}: {error}", code_of(error)
        if status.code == TFC_OUT_OF_RANGE:  # which callers take for the end of the input
            status.code = TFC_DATA_LOSS
        encoded = text.encode(errors="replace")
    except BaseException:  # another interrupt, or a broken __str__
        encoded, status.code = b"a remote file can't be used", TFC_UNKNOWN
    size = min(<size_t>len(encoded), sizeof(status.text) - 1)
    memcpy(status.text, PyBytes_AS_STRING(encoded), size)
    status.text[size] = 0
    return status.code


cdef str text_of(const char *path):
    return os.fsdecode(<bytes>path)


# ---- Closing


cdef struct Handle:  # of a file that a kernel reads
    PyObject *file  # a RemoteFile
    Handle *next  # of those that are to be closed

cdef extern from *:
    """
    #include <stdbool.h>
    static void* closed_files; /* a list, pushed to and taken as a whole without a lock */
    static bool push_closed(void* item, void** next) {
      *next = __atomic_load_n(&closed_files, __ATOMIC_RELAXED);
      return __atomic_compare_exchange_n(&closed_files, next, item, true, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    }
    static void* take_closed(void) { return __atomic_exchange_n(&closed_files, NULL, __ATOMIC_ACQUIRE); }
    """
    cbool push_closed(void *item, void **next) nogil
    void *take_closed() nogil


cdef class RemoteFile:
    """An open file, with its path."""

    cdef object file
    cdef str path


cdef int close_noted(void *_) noexcept with gil:
    """Closes the files that kernels have closed."""
    cdef Handle *handle = <Handle *>take_closed()
    cdef Handle *next
    while handle != NULL:
        file = <RemoteFile>handle.file
        next = handle.next
        Py_DECREF(file)
        free(handle)
        handle = next
        try:
            file.file.close()
        except BaseException as error:  # nothing was written
            if isinstance(error, KeyboardInterrupt):
                PyErr_SetInterrupt()
    return 0


cdef void close(void *file) noexcept nogil:
    cdef Handle *handle = <Handle *>file
    while not push_closed(handle, <void **>&handle.next):
        pass
    Py_AddPendingCall(close_noted, NULL)  # if too many calls are pending, the next call of open does it


# ---- Reading


cdef Handle *opened(const char *path) except NULL:
    cdef RemoteFile made = RemoteFile()
    cdef Handle *handle = <Handle *>malloc(sizeof(Handle))
    if handle == NULL:
        raise MemoryError()
    try:
        made.path = text_of(path)
        made.file = file_system_of(made.path).open(made.path, "rb")
    except BaseException:
        free(handle)
        raise
    Py_INCREF(made)
    handle.file = <PyObject *>made
    return handle


cdef int open_remote(const char *path, void **file, tfc_file_status *status) noexcept with gil:
    cdef int paused = tfc_pool_pause()
    cdef int code = TFC_OK
    close_noted(NULL)
    try:
        file[0] = opened(path)
    except BaseException as error:
        code = fail(status, text_of(path), error)
    tfc_pool_resume(paused)
    return code


cdef int read_some(RemoteFile file, void *to, size_t size, size_t *got) except -1:
    with explained(file.path):
        data = file.file.read(size)
    if not isinstance(data, bytes) or <size_t>PyBytes_GET_SIZE(data) > size:
        raise TypeError(f"reading {size} bytes gave {type(data).__name__} of length {len(data)}")
    got[0] = PyBytes_GET_SIZE(data)
    memcpy(to, PyBytes_AS_STRING(data), got[0])
    return 0


cdef int read(void *file, void *to, size_t size, size_t *got, tfc_file_status *status) noexcept with gil:
    cdef int paused = tfc_pool_pause()
    cdef int code = TFC_OK
    own = <RemoteFile>(<Handle *>file).file
    got[0] = 0
    try:
        read_some(own, to, size, got)
    except BaseException as error:
        code = fail(status, own.path, error)
    tfc_pool_resume(paused)
    return code


cdef int seek(void *file, int64_t offset, tfc_file_status *status) noexcept with gil:
    own = <RemoteFile>(<Handle *>file).file
    try:
        with explained(own.path):
            own.file.seek(offset)
    except BaseException as error:
        return fail(status, own.path, error)
    return TFC_OK


# ---- Whole files, and names


cdef int call(const char *path, tfc_file_status *status, function, tuple args) noexcept:
    """Calls function(path, *args); what it raises becomes the status."""
    cdef int paused = tfc_pool_pause()
    cdef int code = TFC_OK
    name = text_of(path)
    try:
        function(name, *args)
    except BaseException as error:
        code = fail(status, name, error)
    tfc_pool_resume(paused)
    return code


def _size(path, sizes):
    sizes.append(file_system_of(path).size(path))


cdef int size_of(const char *path, int64_t *size, tfc_file_status *status) noexcept with gil:
    sizes = []
    cdef int code = call(path, status, _size, (sizes,))
    size[0] = sizes[0] if sizes and sizes[0] is not None else -1
    return code


def _write(path, data):
    file_system_of(path).write_whole(path, data)


cdef int write(const char *path, const char *data, size_t size, tfc_file_status *status) noexcept with gil:
    try:
        contents = PyBytes_FromStringAndSize(data, size)
    except MemoryError as error:
        return fail(status, text_of(path), error)
    return call(path, status, _write, (contents,))


cdef class Cancelled:
    """Asks a kernel whether its step is cancelled, and raises CancelledError then."""

    cdef cancelled_function function
    cdef void *arg

    def check(self):
        if self.function != NULL and self.function(self.arg):
            raise errors.CancelledError(None, None, "the step was cancelled")


cdef Cancelled checker(cancelled_function function, void *arg):
    made = Cancelled()
    made.function = function
    made.arg = arg
    return made


def _download(path, int fd, Cancelled cancelled):
    with explained(path), contextlib.closing(file_system_of(path).open(path, "rb")) as file:
        while block := file.read(_BLOCK):
            cancelled.check()
            left = memoryview(block)
            while left:
                left = left[os.write(fd, left):]
    os.lseek(fd, 0, os.SEEK_SET)


cdef int download(const char *path, int fd, cancelled_function cancelled, void *arg,
                  tfc_file_status *status) noexcept with gil:
    return call(path, status, _download, (fd, checker(cancelled, arg)))


def _blocks(int fd, Cancelled cancelled):
    offset = 0
    while block := os.pread(fd, _BLOCK, offset):
        cancelled.check()
        yield block
        offset += len(block)


def _upload(path, int fd, Cancelled cancelled):
    file_system_of(path).write_blocks(path, _blocks(fd, cancelled))


cdef int upload(int fd, const char *path, cancelled_function cancelled, void *arg,
                tfc_file_status *status) noexcept with gil:
    return call(path, status, _upload, (fd, checker(cancelled, arg)))


def _rename(old, new):
    files = file_system_of(old)
    if files != file_system_of(new):
        raise errors.UnimplementedError(None, None, f"Renaming {old} to {new} not implemented")
    files.rename(old, new)


cdef int rename(const char *old, const char *new, tfc_file_status *status) noexcept with gil:
    return call(old, status, _rename, (text_of(new),))


def _remove(path):
    file_system_of(path).remove(path)


cdef int remove(const char *path, tfc_file_status *status) noexcept with gil:
    return call(path, status, _remove, ())


def _remove_folder(path):
    file_system_of(path).remove_directory(path)


cdef int remove_folder(const char *path, tfc_file_status *status) noexcept with gil:
    return call(path, status, _remove_folder, ())


def _match(pattern, found):
    found += matches(pattern)


cdef int match(const char *pattern, add_function add, void *arg, tfc_file_status *status) noexcept with gil:
    found = []
    cdef int code = call(pattern, status, _match, (found,))
    for path in found:
        encoded = os.fsencode(path)
        add(arg, PyBytes_AS_STRING(encoded))
    return code


cdef tfc_remote_files functions
functions.open = open_remote
functions.read = read
functions.seek = seek
functions.close = close
functions.size = size_of
functions.write = write
functions.download = download
functions.upload = upload
functions.rename = rename
functions.remove = remove
functions.remove_folder = remove_folder
functions.match = match

address = <size_t>&functions  # for registry.pyx, which hands it to the library of kernels
