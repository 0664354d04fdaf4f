from tfcore.core.runtime cimport tfc_context, tfc_kernel_def

cdef extern from "step/step.h" nogil:
    int TFC_KERNEL_PYTHON

cdef void add_kernels(tfc_kernel_def *two, const char *device, const char *op, const char *stateless,
                      int (*compute)(tfc_context *) noexcept nogil)
cdef int compute_in_python(tfc_context *ctx, int (*call)(tfc_context *, str) except -1) noexcept nogil
cdef object function_of(str token)
cdef object call_function(tfc_context *ctx, function, list args, dict keywords)
cdef int check_type(int i, int found, int expected, str token) except -1
cdef int report(tfc_context *ctx, error) noexcept
