# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""LogCoshCy: the kernel of log_cosh.c in Cython. The tables are in C and refer to the functions below."""

from libc.math cimport exp, fabs, log1p, sinh
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc

from tfcore.kernel cimport *

cdef extern from *:
    """
    #include <stdlib.h>
    #include "tfcore/kernel.h"

    static int log_cosh_create(tfc_construction *c, void **state);
    static int log_cosh_compute(tfc_context *ctx);

    static const tfc_op_def ops[] = {
        {.name = "LogCoshCy",
         .inputs = "x: T",
         .outputs = "loss: T",
         .attrs = "scale: float = 1.0; T: {float, double}",
         .doc = "Sum of log(cosh(scale * x)) / scale over the last axis."},
    };
    TFC_REGISTER_OPS(ops);

    static const tfc_kernel_def kernels[] = {
        {.op = "LogCoshCy", .device = "CPU", .types = "T=float|double",
         .compute = log_cosh_compute, .create = log_cosh_create, .destroy = free},
    };
    TFC_REGISTER_KERNELS(kernels);
    TFC_LIBRARY;
    """

ctypedef fused real:
    float
    double

cdef struct Job:
    const tfc_tensor *x
    tfc_tensor *loss
    int64_t columns
    double scale


cdef inline double log_cosh(double a) noexcept nogil:
    a = fabs(a)
    if a >= 1:
        return a + log1p(exp(-2 * a)) - 0.69314718055994530942
    a = sinh(a / 2)
    return log1p(2 * a * a)


cdef inline void rows(Job *job, real *x, real *loss, int64_t begin, int64_t end) noexcept nogil:
    cdef int64_t i, k
    cdef double total
    for i in range(begin, end):
        total = 0
        for k in range(job.columns):
            total += log_cosh(job.scale * x[i * job.columns + k])
        loss[i] = <real>(total / job.scale)


cdef void any_rows(void *arg, int64_t begin, int64_t end) noexcept nogil:
    cdef Job *job = <Job *>arg
    if job.x.dtype == TFC_FLOAT:
        rows(job, <float *>job.x.data, <float *>job.loss.data, begin, end)
    else:
        rows(job, <double *>job.x.data, <double *>job.loss.data, begin, end)


cdef int log_cosh_create "log_cosh_create"(tfc_construction *c, void **state) noexcept:
    cdef double scale = 0
    cdef int code = c.api.attr_float(c, b"scale", &scale)
    if code:
        return code
    if not scale > 0:
        return c.api.error(c, TFC_INVALID_ARGUMENT, b"scale must be > 0, got %g", scale)
    state[0] = malloc(sizeof(double))
    if state[0] == NULL:
        return c.api.error(c, TFC_RESOURCE_EXHAUSTED, b"out of memory")
    (<double *>state[0])[0] = scale
    return TFC_OK


cdef int log_cosh_compute "log_cosh_compute"(tfc_context *ctx) noexcept nogil:
    cdef const tfc_tensor *x = ctx.inputs[0]
    cdef Job job
    cdef int code
    if x.rank < 1:
        return tfc_error(ctx, TFC_INVALID_ARGUMENT, b"x must have at least one axis")
    code = tfc_output(ctx, 0, x.rank - 1, x.dims)
    if code:
        return code
    job.x = x
    job.loss = &ctx.outputs[0]
    job.columns = x.dims[x.rank - 1]
    job.scale = (<double *>ctx.state)[0]
    tfc_parallel_for(ctx, job.loss.n, 20.0 * job.columns, any_rows, &job)
    return TFC_OK
