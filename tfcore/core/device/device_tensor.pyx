"""Tensors in the memory of GPUs as Python objects, and arrays of other libraries there, used without a copy.

DLPack and the CUDA array interface (version 3) work both ways. Streams wait for each other, so that the work of both
libraries is in order: a GPU's queue waits for the producer of an array, and the consumer's stream waits for the queue.
A fed array is given back to its owner when the work that reads it is done. The memory of a tensor that another library
got is used again only when the work of all streams is done.

PyCUDA's arrays name no stream. What fills or reads them is in the legacy default stream, or in a stream that this one
waits for, as PyCUDA's are: so the default stream and the queue wait for each other.
"""

cimport cython
from cpython.ref cimport Py_DECREF, Py_INCREF
from libc.stdint cimport int64_t

from tfcore.core.memory.dlpack cimport *
from tfcore.core.device.gpu cimport LEGACY, Gpu
from tfcore.core.runtime cimport *
from tfcore.core.memory.tensor cimport (
    TensorValue, ask_for_dlpack, let_go_fn, open_capsule, read_dlpack, to_dlpack, use_capsule)

import numpy

from tfcore.core.device import gpu
from tfcore.core.device.loans import lender
from tfcore.framework.types import dtypes
from tfcore.framework import errors


@cython.no_gc  # `gpu` is needed to the end
cdef class DeviceTensor(TensorValue):
    """A tensor in the memory of a GPU: what a callable returns for its `fetch_devices`, or an imported array.

    Its memory stays as long as it lives, whatever its session does. Fed to a session it is used without a copy. Other
    libraries read it by `__dlpack__` and `__cuda_array_interface__`; they must not write to it.
    """

    def __dealloc__(self):
        if self.t.buffer == NULL:
            return
        if self.exported:
            self.gpu.retire(&self.t)
        elif self.lent:  # its memory is used again after what the queue has got
            self.gpu.follow(LEGACY)

    @property
    def device(self):
        """The full name of the device in whose memory it is."""
        return self.gpu.name

    @property
    def address(self):
        """The address of its first element; 0 if it has none."""
        return <size_t>self.t.data if self.t.n else 0

    def lend(self):
        """Makes the default stream, and with it the streams that PyCUDA makes, wait until the value is there.

        Its memory is used again when the work that the default stream has when this object dies is done.
        """
        self.gpu.lead(LEGACY)
        self.lent = True

    def __dlpack_device__(self):
        return (DL_CUDA, self.gpu.ordinal)

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A DLPack capsule.

        Args:
          stream: the consumer's stream, which will wait until the value is there: a CUstream, 1 or None for the default
            stream, 2 for that of the thread, -1 for none.
          max_version: the newest version that the consumer knows, such as (1, 0).
          dl_device: where the consumer wants it: here, or on the CPU, (1, 0).
          copy: whether it must be a copy; None: if needed.

        Returns: the capsule.

        Raises:
          BufferError: it can't be there. ValueError: `stream` is 0, or the type has no counterpart.
          ResourceExhaustedError: no memory for the copy. UnavailableError: the device is lost.
        """
        cdef DeviceTensor tensor = self
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            if tuple(dl_device) != (DL_CPU, 0) or copy is False:
                raise BufferError(f"A tensor on {self.device} can't be had on device {tuple(dl_device)} of DLPack"
                                  + (" without a copy." if copy is False else "."))
            return TensorValue.from_numpy(self.numpy(), self.dtype).__dlpack__(max_version=max_version)
        if stream is not None and int(stream) == 0:
            raise ValueError("Stream 0 is ambiguous: 1 is the legacy default stream, 2 that of the thread.")
        if copy:
            tensor = copy_on_device(self)
        if stream is None or stream != -1:
            self.gpu.order(self.gpu.stream, LEGACY if stream is None else int(stream))
        tensor.exported = True
        return to_dlpack(tensor, DL_CUDA, self.gpu.ordinal, max_version)

    @property
    def __cuda_array_interface__(self):
        if self.dtype is dtypes.bfloat16:
            raise AttributeError("The CUDA array interface has no bfloat16. DLPack has.")
        self.gpu.wait()  # not all consumers look at `stream`
        self.exported = True
        return {
            "shape": self.shape,
            "typestr": numpy.dtype(self.dtype.as_numpy_dtype).str,
            "data": (self.address, False),
            "strides": None,
            "version": 3,
            "stream": None,
        }

    def __repr__(self):
        return f"DeviceTensor(shape={self.shape}, dtype={self.dtype.name}, device={self.device!r})"


cdef DeviceTensor copy_on_device(TensorValue value):
    """A copy in the same device's memory."""
    cdef DeviceTensor tensor = DeviceTensor.__new__(DeviceTensor)
    cdef bint ok
    tensor.gpu = gpu.with_pointer(<size_t>buffer_of(&value.t).device)
    with nogil:
        ok = tfc_tensor_clone(&tensor.t, &value.t)
    if not ok:
        raise errors.ResourceExhaustedError(
            None, None, f"No memory for a copy of a tensor of {value.nbytes} bytes on {tensor.gpu.name}.")
    return tensor


cdef DeviceTensor view_of(Gpu device, const tfc_tensor *t):
    """A tensor that shares a kernel's input on that device, for work in the default stream."""
    cdef DeviceTensor tensor = DeviceTensor.__new__(DeviceTensor)
    tensor.gpu, tensor.lent = device, True
    tensor.t = t[0]
    if t.buffer != NULL:
        tfc_buffer_ref(buffer_of(t))
    return tensor


def allocate(Gpu device, int64_t size):
    """Memory of a device: a tensor of `size` bytes, or None if there is none. What is in it is undefined."""
    cdef DeviceTensor tensor = DeviceTensor.__new__(DeviceTensor)
    tensor.gpu = device
    tensor.t.dtype = TFC_UINT8
    return tensor if device.allocate(&tensor.t, size) else None


def from_fetched(TensorValue value):
    """A DeviceTensor for a fetched value in a device's memory. A value in memory of another library is copied."""
    cdef DeviceTensor tensor
    if buffer_of(&value.t).device == NULL:  # a variable that another run has moved to the host
        return value
    if buffer_of(&value.t).flags & TFC_BUFFER_BORROWED:
        return copy_on_device(value)
    tensor = DeviceTensor.__new__(DeviceTensor)
    tensor.gpu = gpu.with_pointer(<size_t>buffer_of(&value.t).device)
    tensor.t = value.t
    value.t.buffer = NULL
    return tensor


def borrow(source):
    """A tensor that uses the memory of an array on a GPU, or is a copy there if kernels can't use that memory.

    Args:
      source: an array with `__dlpack__` and `__dlpack_device__`, or with `__cuda_array_interface__`.

    Returns: a DeviceTensor; for an array without elements that has only the interface, a TensorValue on the host.

    Raises:
      ValueError: it has a type without a counterpart, or is malformed.
      InvalidArgumentError: it is on a GPU that sessions of this process do not have.
    """
    if hasattr(source, "__dlpack__") and hasattr(source, "__dlpack_device__"):
        return borrow_by_dlpack(source)
    return borrow_by_interface(source)


cdef DeviceTensor adopt(Gpu device, const tfc_tensor *t, void *owner, let_go_fn let_go):
    """A tensor on the memory that *t describes. From now on it is given back by let_go(owner)."""
    cdef DeviceTensor tensor = DeviceTensor.__new__(DeviceTensor)
    tensor.gpu = device
    tensor.t = t[0]
    tensor.t.buffer = NULL
    tensor.t.buffer = device.borrow(t.data, t.n * tfc_dtype_size(t.dtype), owner, let_go)
    return tensor


cdef DeviceTensor usable(DeviceTensor tensor, const int64_t *strides):
    """The tensor, or a copy on the device if kernels can't use its memory. strides: in elements; NULL: dense."""
    cdef size_t size = tfc_dtype_size(tensor.t.dtype)
    cdef bint aligned = not tensor.t.n or <size_t>tensor.t.data % size == 0
    if strides != NULL and tensor.t.n:
        if not aligned:
            raise ValueError("An array with strides is not aligned to its elements.")
        tensor.gpu.make_dense(&tensor.t, strides)
    elif not aligned:
        return copy_on_device(tensor)
    return tensor


# ---- DLPack

cdef object borrow_by_dlpack(source):
    kind, ordinal = source.__dlpack_device__()
    cdef Gpu device = gpu.with_ordinal(ordinal)
    capsule = ask_for_dlpack(source, {"stream": device.stream})
    cdef void *managed
    cdef let_go_fn let_go
    cdef DLTensor *d = open_capsule(capsule, &managed, &let_go)
    cdef int64_t strides[TFC_MAX_RANK]
    cdef tfc_tensor t
    cdef int i
    if d.device_type not in (DL_CUDA, DL_CUDA_MANAGED) or d.device_id != ordinal:
        raise ValueError(f"An array on device {(kind, ordinal)} of DLPack has a capsule for another device.")
    cdef bint dense = read_dlpack(d, &t)
    if not dense:
        for i in range(t.rank):
            strides[i] = d.strides[i]
    tensor = adopt(device, &t, managed, let_go)
    use_capsule(capsule)
    return usable(tensor, NULL if dense else strides)


# ---- The CUDA array interface

cdef void drop_owner(void *owner) noexcept nogil:
    with gil:
        Py_DECREF(<object>owner)


cdef object borrow_by_interface(source):
    interface = source.__cuda_array_interface__
    cdef tfc_tensor t
    cdef int64_t strides[TFC_MAX_RANK]
    cdef Gpu device
    cdef bint dense = read_interface(interface, &t, strides)
    if not t.n:  # its address says nothing
        return TensorValue.from_numpy(numpy.empty(interface["shape"], numpy.dtype(interface["typestr"])))
    device = gpu.with_memory(<size_t>t.data)
    stream = interface.get("stream")
    owner = lender(source, device)
    if stream is None and owner is not source:
        stream = LEGACY  # PyCUDA does not say in which streams its work is; the default one waits for all of them
    if stream is not None:
        device.order(stream, device.stream)
    check_context(device, &t, source)
    Py_INCREF(owner)
    tensor = adopt(device, &t, <void *>owner, drop_owner)
    return usable(tensor, NULL if dense else strides)


cdef DeviceTensor part_of(DeviceTensor whole, source):
    """A tensor over an array with the interface that is in the memory of another tensor: it shares that memory."""
    cdef DeviceTensor tensor = DeviceTensor.__new__(DeviceTensor)
    cdef int64_t strides[TFC_MAX_RANK]
    tensor.gpu = whole.gpu
    cdef bint dense = read_interface(source.__cuda_array_interface__, &tensor.t, strides)
    tensor.t.buffer = whole.t.buffer
    tfc_buffer_ref(buffer_of(&tensor.t))
    return usable(tensor, NULL if dense else strides)


cdef int check_context(Gpu device, const tfc_tensor *t, source) except -1:
    if not device.owns(<size_t>t.data):
        kind = type(source)
        raise errors.InvalidArgumentError(
            None, None,
            f"The {kind.__module__}.{kind.__qualname__} of shape {tuple([t.dims[i] for i in range(t.rank)])} and type "
            f"{dtypes.as_dtype(t.dtype).name} at address {<size_t>t.data:#x} belongs to a context that is not the "
            f"primary one of CUDA device {device.ordinal}, which sessions use. `import pycuda.autoprimaryctx`, instead "
            "of pycuda.autoinit or make_context(), makes PyCUDA share it.")
    return 0


cdef int read_interface(dict interface, tfc_tensor *t, int64_t *strides) except -1:
    """Fills in all but the buffer, and the strides in elements. Returns 1, or 0 if the elements are not dense."""
    shape = tuple(interface["shape"])
    np_dtype = numpy.dtype(interface["typestr"])
    stream, mask, steps = interface.get("stream"), interface.get("mask"), interface.get("strides")
    if mask is not None or stream == 0 or len(shape) > TFC_MAX_RANK or (
            steps is not None and len(steps) != len(shape)) or any(size < 0 for size in shape):
        raise ValueError(
            f"The array interface has a mask, stream 0, or a shape without a counterpart: mask {mask}, "
            f"stream {stream}, shape {shape}, strides {steps}.")
    cdef int64_t expected = 1
    cdef bint dense = True
    cdef int i
    t.dtype = number_of(np_dtype)
    t.rank = len(shape)
    for i in range(t.rank - 1, -1, -1):
        t.dims[i] = shape[i]
        if t.dims[i] and expected > (<int64_t>1 << 59) // t.dims[i]:
            raise ValueError("The array interface has a shape that is impossible.")
        strides[i] = expected
        if steps is not None:
            if steps[i] % np_dtype.itemsize:
                raise ValueError("The array interface has strides that are not whole elements.")
            strides[i] = steps[i] // np_dtype.itemsize
        dense = dense and (t.dims[i] == 1 or strides[i] == expected)
        expected *= t.dims[i]
    t.n = expected
    t.data = <char *><size_t>interface["data"][0]
    return dense or not expected


cdef int number_of(np_dtype) except -1:
    if np_dtype.kind not in "biufc" or not np_dtype.isnative:
        raise ValueError(f"An array on a GPU has elements of type {np_dtype.str!r}, which no tensor has.")
    return dtypes.as_dtype(np_dtype).as_datatype_enum
