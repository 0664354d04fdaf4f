from tfcore.core.runtime cimport tfc_context

cdef int report(tfc_context *ctx, error) noexcept
