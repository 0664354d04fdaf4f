"""PyCUDA's arrays, contexts and streams on the GPUs of sessions. Importing this module imports PyCUDA."""

import contextlib
import traceback

from tfcore.core.device import device_tensor, gpu
from tfcore.core.device.loans import context_of, streams
from tfcore.core.registry import py_func
from tfcore.framework import errors
from tfcore.framework.types import dtypes
from tfcore.gpu import pycuda

pycuda.load()
import pycuda.driver as drv  # noqa: E402  load() decides which driver PyCUDA gets
from pycuda.gpuarray import GPUArray  # noqa: E402

py_func.codes.append((drv.MemoryError, errors.RESOURCE_EXHAUSTED))


@contextlib.contextmanager
def active(device):
    """Makes the primary context of a Gpu the current one, of PyCUDA in this thread as well."""
    context_of(device).push()
    try:
        yield
    finally:
        drv.Context.pop()


def forget_locals(error):
    """Drops the local variables of the functions that an exception has left, and arrays with them."""
    seen = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        traceback.clear_frames(error.__traceback__)
        error = error.__cause__ or error.__context__


def stream_of(device):
    """The stream for PyCUDA's work on a Gpu. It is in order with the legacy default stream."""
    found = streams.get(device.ordinal)
    if found is None:
        with active(device):
            found = streams.setdefault(device.ordinal, drv.Stream())
    return found


def ordered_stream(index):
    """What tf.gpu.stream returns for the GPU of that number."""
    device = gpu.gpu(index)
    made = stream_of(device)
    device.lead(gpu.LEGACY)
    return made


class Memory(drv.PointerHolderBase):
    """The memory of a `DeviceTensor`, which it keeps."""

    def __init__(self, tensor):
        super().__init__()
        self.tensor = tensor

    def get_pointer(self):
        """The address, for PyCUDA."""
        return self.tensor.address


def memory_of(array):
    """The `Memory` in which a GPUArray is, or None if it is in memory of PyCUDA."""
    while isinstance(array, GPUArray):
        if isinstance(array.gpudata, Memory):
            return array.gpudata
        array = array.base
    return None


def allocate(nbytes):
    """What tf.gpu.allocator does."""
    device = gpu.current()
    tensor = device_tensor.allocate(device, nbytes)
    if tensor is None:
        stats = device.memory_stats()
        raise drv.MemoryError(
            f"tf.gpu.allocator has no memory for {nbytes} bytes on {device.name}: sessions hold "
            f"{stats['bytes_reserved']} bytes and use {stats['bytes_in_use']}, others hold {device.bytes_of_others()}."
        )
    tensor.lend()
    return Memory(tensor)


def from_tensor(tensor):
    """What tf.gpu.as_gpuarray does."""
    if tensor.dtype is dtypes.bfloat16:
        raise TypeError("PyCUDA has no arrays of bfloat16. tf.cast or tf.bitcast changes the type.")
    device = gpu.current()
    if device is not tensor.gpu:
        raise errors.InvalidArgumentError(
            None, None, f"The value is on {tensor.gpu.name}, but the current context is that of {device.name}."
        )
    tensor.lend()
    return TensorArray(tensor)


def _refuse(name):
    def refuse(self, *args, **kwargs):
        raise ValueError(
            f"{name} changes a GPUArray that is read-only, as the graph may still read its memory. Change a copy: "
            "array.copy()."
        )

    refuse.__name__ = name
    return refuse


def _view(name):
    make = getattr(GPUArray, name)

    def view(self, *args, **kwargs):
        made = make(self, *args, **kwargs)
        made.__class__ = TensorArray
        return made

    view.__name__, view.__doc__ = name, make.__doc__
    return view


class TensorArray(GPUArray):
    """A read-only array over the memory of a tensor. Its views are read-only, too; what is computed from it is not."""

    def __init__(self, tensor):
        shape, dtype = tensor.shape, tensor.dtype.as_numpy_dtype
        super().__init__(shape, dtype, allocate, gpudata=Memory(tensor) if tensor.address else None)

    @property
    def __cuda_array_interface__(self):
        interface = super().__cuda_array_interface__
        return {**interface, "data": (interface["data"][0], True)}

    def _new_like_me(self, dtype=None, order="C"):
        """A new array for the result of an operation."""
        dtype = self.dtype if dtype is None else dtype
        strides = self.strides if dtype == self.dtype else None
        return GPUArray(self.shape, dtype, self.allocator, strides=strides, order=order)

    for _name in ("reshape", "view", "squeeze", "transpose", "__getitem__"):
        locals()[_name] = _view(_name)
    for _name in "set set_async fill __setitem__ __iadd__ __isub__ __imul__ __idiv__ __itruediv__ __ipow__".split():
        locals()[_name] = _refuse(_name)
    del _name
