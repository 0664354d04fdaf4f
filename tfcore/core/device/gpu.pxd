from libc.stdint cimport int64_t

from tfcore.core.runtime cimport tfc_buffer, tfc_tensor

cdef extern from "device/cuda/gpu.h" nogil:
    ctypedef struct tfc_gpu:
        void *compute
        int capability

cpdef enum:
    LEGACY = 1  # the handle of the default stream, in all protocols

cdef class Gpu:
    cdef tfc_gpu *gpu
    cdef readonly size_t pointer
    cdef readonly int ordinal
    cdef readonly str name
    cdef dict modules, functions
    cdef void limit_memory(self) noexcept
    cdef int order(self, size_t first, size_t then) except -1
    cdef void follow(self, size_t stream) noexcept
    cdef bint owns(self, size_t address) noexcept
    cdef bint allocate(self, tfc_tensor *t, int64_t n) noexcept
    cdef int wait(self) except -1
    cdef tfc_buffer *borrow(self, void *data, size_t size, void *owner,
                            void (*let_go)(void *) noexcept nogil) except NULL
    cdef int make_dense(self, tfc_tensor *t, const int64_t *strides) except -1
    cdef void retire(self, tfc_tensor *t) noexcept
