"""The kernel of tf.gpu.cuda_func: calls a Python function that puts work into a GPU, within a step.

The function's arrays are PyCUDA's. Its work is in the legacy default stream, or in streams that this one waits for: so
that stream waits for the GPU's queue before the call, and the queue for that stream after it.
"""

from libc.stdint cimport int64_t

from tfcore.core.device.device_tensor cimport DeviceTensor, borrow_by_interface, number_of, part_of, view_of
from tfcore.core.device.gpu cimport LEGACY, Gpu, tfc_gpu
from tfcore.core.memory.tensor cimport TensorValue
from tfcore.core.registry.py_func cimport add_kernels, call_function, check_type, compute_in_python, function_of
from tfcore.core.runtime cimport *

from tfcore.core.device import gpu
from tfcore.core.registry.py_func import BadResult

cdef extern from "registry/context.h" nogil:
    tfc_device *tfc_device_of(const tfc_context *)
    int tfc_make_output(tfc_context *, int, int, const int64_t *)

cdef extern from "device/cuda/gpu.h" nogil:
    int tfc_gpu_order_in_step(tfc_gpu *, tfc_context *, void *, void *, char *, size_t)


cdef int compute(tfc_context *ctx) noexcept nogil:
    return compute_in_python(ctx, call)


cdef int call(tfc_context *ctx, str token) except -1:
    from tfcore.core.device import gpuarrays  # here: it imports PyCUDA

    cdef Gpu device = gpu.with_pointer(<size_t>tfc_device_of(ctx))
    cdef int i
    function = function_of(token)
    keywords = {"stream": gpuarrays.stream_of(device)} if function.takes_stream else {}
    order(device, ctx, device.stream, LEGACY)  # leaves the step's context, in which PyCUDA can't push its own
    with gpuarrays.active(device):
        # PyCUDA frees memory only in its context: no array may be left when that is no longer current.
        try:
            try:
                arrays = [gpuarrays.TensorArray(view_of(device, ctx.inputs[i])) for i in range(ctx.n_inputs)]
                results = call_function(ctx, function, arrays, keywords)
            finally:
                order(device, ctx, LEGACY, device.stream)
            for i in range(ctx.n_outputs):
                set_output(ctx, device, gpuarrays, i, results[i], token)
        except BaseException as error:
            gpuarrays.forget_locals(error)
            raise
        finally:
            results = None
    return 0


cdef int order(Gpu device, tfc_context *ctx, size_t first, size_t then) except -1:
    """Makes a stream wait for what is in another one now."""
    cdef char text[1200]
    cdef int code = tfc_gpu_order_in_step(device.gpu, ctx, <void *>first, <void *>then, text, sizeof(text))
    if code:
        raise BadResult(code, text.decode(errors="replace"))
    return 0


cdef int set_output(tfc_context *ctx, Gpu device, gpuarrays, int i, value, str token) except -1:
    """Makes a result the op's output i: its memory is taken over, or borrowed from PyCUDA."""
    cdef int64_t dims[TFC_MAX_RANK]
    cdef TensorValue tensor
    cdef int d
    if not isinstance(value, gpuarrays.GPUArray):
        raise BadResult(
            TFC_INVALID_ARGUMENT,
            f"{i}-th value returned by {token} is of type {type(value).__name__}, but expects a GPUArray",
        )
    check_type(i, number_of(value.dtype), ctx.outputs[i].dtype, token)
    if value.ndim > TFC_MAX_RANK:
        raise BadResult(TFC_UNIMPLEMENTED, f"tensors of rank {value.ndim} are not supported (at most {TFC_MAX_RANK})")
    if not value.size:
        for d in range(value.ndim):
            dims[d] = value.shape[d]
        if tfc_make_output(ctx, i, value.ndim, dims):
            raise BadResult(TFC_RESOURCE_EXHAUSTED, f"no memory for an empty output of {token}")
        return 0
    where = gpu.with_memory(int(value.gpudata))
    if where is not device:
        raise BadResult(
            TFC_INVALID_ARGUMENT,
            f"{i}-th value returned by {token} is in the memory of {where.name}, but expects that of {device.name}",
        )
    memory = gpuarrays.memory_of(value)
    tensor = borrow_by_interface(value) if memory is None else part_of(memory.tensor, value)
    tfc_tensor_clear(&ctx.outputs[i])
    ctx.outputs[i] = tensor.t
    tfc_buffer_ref(buffer_of(&tensor.t))
    return 0


cdef tfc_kernel_def kernels[2]
add_kernels(kernels, "GPU", "CudaFunc", "CudaFuncStateless", compute)
