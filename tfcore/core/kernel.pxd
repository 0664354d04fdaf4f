from tfcore.core.runtime cimport tfc_kernel_def

cdef class ResourceManager:
    cdef dict resources
    cdef object lock

cdef class KernelInstance:
    cdef const tfc_kernel_def *kernel
    cdef void *state
    cdef object entry
    cdef list kept
