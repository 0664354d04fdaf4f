from tfcore.core.runtime cimport tfc_kernel_def

cdef class Kernel:
    cdef const tfc_kernel_def *kernel
    cdef readonly str op, device, types, level
    cdef dict constraints
    cdef bint serves(self, dict attrs)
