from tfcore.core.runtime cimport tfc_construction, tfc_context

cdef extern from "step/step.h" nogil:
    int TFC_KERNEL_PYTHON

cdef int create(tfc_construction *c, void **state) noexcept
cdef void destroy(void *state) noexcept
cdef int compute_in_python(tfc_context *ctx, int (*call)(tfc_context *, str) except -1) noexcept nogil
cdef object function_of(str token)
cdef object call_function(tfc_context *ctx, function, list args, dict keywords)
cdef int check_type(int i, int found, int expected, str token) except -1
cdef int report(tfc_context *ctx, error) noexcept
