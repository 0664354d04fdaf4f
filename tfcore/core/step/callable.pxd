from tfcore.core.runtime cimport tfc_callable

cdef class Callable:
    cdef tfc_callable *pointer
    cdef readonly int n_inputs
    cdef readonly int n_outputs
