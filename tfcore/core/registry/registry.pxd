from tfcore.core.runtime cimport tfc_kernel_def

cdef class Kernel:
    cdef const tfc_kernel_def *kernel
    cdef readonly str op, device, types, level
    cdef readonly dict constraints
    cdef bint serves(self, dict attrs)

cdef void add_internal_kernel(const tfc_kernel_def *entry)
