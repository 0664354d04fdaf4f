from libc.stdint cimport int32_t

from tfcore.core.runtime cimport tfc_kernel_def, tfc_tensor

cdef class Resource:
    cdef void *pointer
    cdef void (*destroy)(void *) noexcept
    cdef bint is_variable

cdef class ResourceManager:
    cdef dict resources
    cdef object lock
    cdef public object watch  # called for each new variable; see kernel.pyx

    cdef int add_variable(self, str container, str kind, str name, int32_t dtype, tfc_tensor *value, watch) except -1

cdef class KernelInstance:
    cdef const tfc_kernel_def *kernel
    cdef void *state
    cdef object entry
    cdef list kept
    cdef object device          # a device with memory of its own; None: the CPU
    cdef bytes host_inputs, host_outputs  # of a device's kernel: for each whether it is in the host's memory, 0 or 1
