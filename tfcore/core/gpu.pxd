cdef extern from "gpu.h" nogil:
    ctypedef struct tfc_gpu:
        pass

cdef class Gpu:
    cdef tfc_gpu *gpu
    cdef readonly size_t pointer
    cdef dict modules, functions
