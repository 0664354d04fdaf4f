from tfcore.core.runtime cimport tfc_kernel_def

cdef class ResourceManager:
    cdef dict resources
    cdef object lock

cdef class KernelInstance:
    cdef const tfc_kernel_def *kernel
    cdef void *state
    cdef object entry
    cdef list kept
    cdef object device          # a device with memory of its own; None: the CPU
    cdef bytes host_inputs, host_outputs  # of a device's kernel: for each whether it is in the host's memory, 0 or 1
