"""A small array library over the CUDA driver: an owner of device memory that other libraries share, and a consumer."""

import contextlib
import ctypes
import math

import numpy as np

from tfcore.gpu import driver

CUDA, LEGACY, NON_BLOCKING, UNTIMED = 2, 1, 1, 2
JUNK = 0xEE
_lent = {}  # what capsules point to
CODES = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}


class DLTensor(ctypes.Structure):
    _fields_ = [
        ("data", ctypes.c_uint64),
        ("device_type", ctypes.c_int32),
        ("device_id", ctypes.c_int32),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),
        ("byte_offset", ctypes.c_uint64),
    ]


DELETER = ctypes.CFUNCTYPE(None, ctypes.c_void_p)


class Plain(ctypes.Structure):
    _fields_ = [("tensor", DLTensor), ("context", ctypes.c_void_p), ("deleter", DELETER)]


class Versioned(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_uint32),
        ("minor", ctypes.c_uint32),
        ("context", ctypes.c_void_p),
        ("deleter", DELETER),
        ("flags", ctypes.c_uint64),
        ("tensor", DLTensor),
    ]


_new = ctypes.pythonapi.PyCapsule_New
_new.restype, _new.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_name = ctypes.pythonapi.PyCapsule_GetName
_name.restype, _name.argtypes = ctypes.c_char_p, [ctypes.py_object]
_rename = ctypes.pythonapi.PyCapsule_SetName
_rename.restype, _rename.argtypes = ctypes.c_int, [ctypes.py_object, ctypes.c_char_p]


class Library:
    """A device as this library uses it, with a stream of its own that no other stream waits for."""

    def __init__(self, ordinal=0):
        self.driver = driver.load()
        self.ordinal = ordinal
        self.context = self.driver.get("cuDevicePrimaryCtxRetain", ordinal)
        self.use()
        self.stream = self.driver.get("cuStreamCreate", NON_BLOCKING)

    def use(self):
        self.driver.call("cuCtxSetCurrent", self.context)

    @contextlib.contextmanager
    def visited(self):
        """For what others call, deleters at any place of the program: leaves the current context as it was."""
        before = self.driver.get("cuCtxGetCurrent")
        self.use()
        yield
        self.driver.call("cuCtxSetCurrent", before)

    def call(self, *arguments):
        self.use()
        self.driver.call(*arguments)

    def order(self, first, then):
        """Makes one stream wait for another."""
        with self.visited():
            event = self.driver.get("cuEventCreate", UNTIMED)
            self.call("cuEventRecord", event, first)
            self.call("cuStreamWaitEvent", then, event, 0)
            self.call("cuEventDestroy_v2", event)

    def pinned(self, size):
        self.use()
        address = self.driver.get("cuMemHostAlloc", max(size, 1), 0)
        return address, (ctypes.c_char * max(size, 1)).from_address(address)

    def array(self, value, **how):
        return Array(self, np.asarray(value), **how)

    def read(self, array):
        """What a consumer finds at an address, in its own stream."""
        size = math.prod(array.shape) * array.dtype.itemsize
        address, memory = self.pinned(size)
        if size:
            self.call("cuMemcpyDtoHAsync_v2", address, array.address, size, self.stream)
        self.call("cuStreamSynchronize", self.stream)
        value = np.frombuffer(memory.raw[:size], array.dtype).reshape(array.shape).copy()
        self.call("cuMemFreeHost", address)
        return value


class Array:
    """An array in a device's memory. What writes it is in the library's stream, and may run late.

    A given-back array is filled with junk, in that stream, as if its memory were used again at once.
    """

    def __init__(self, library, value, offset=0, strides=None, kind=CUDA, versioned=False, code=None):
        self.library, self.kind, self.versioned, self.code = library, kind, versioned, code
        self.shape, self.dtype, self.offset = value.shape, value.dtype, offset
        self.lent = 0
        self.size = value.nbytes + offset
        library.use()
        self.memory = library.driver.get("cuMemAlloc_v2", max(self.size, 1))
        self.address = self.memory + offset
        pinned, memory = library.pinned(value.nbytes)
        memory.raw = value.tobytes() or b"\0"
        library.call("cuMemsetD8Async", self.memory, JUNK, max(self.size, 1), library.stream)
        if value.nbytes:
            library.call("cuMemcpyHtoDAsync_v2", self.address, pinned, value.nbytes, library.stream)
        self.strides = strides

    def view(self, shape, strides, skip=0):
        """Another shape of the same memory; strides and `skip` in elements."""
        self.shape, self.strides = shape, strides
        self.offset += skip * self.dtype.itemsize
        return self

    def spoil(self):
        with self.library.visited():
            self.library.call("cuMemsetD8Async", self.memory, JUNK, max(self.size, 1), self.library.stream)

    def __dlpack_device__(self):
        return (self.kind, self.library.ordinal)

    def __dlpack__(self, *, stream=None, **arguments):
        if arguments and not self.versioned:
            raise TypeError("unexpected arguments")
        if stream != -1:
            self.library.order(self.library.stream, LEGACY if stream is None else stream)
        made = (Versioned if self.versioned else Plain)()
        t = made.tensor
        t.data, t.byte_offset = self.memory, self.offset
        t.device_type, t.device_id, t.ndim = self.kind, self.library.ordinal, len(self.shape)
        t.code, t.bits, t.lanes = self.code or CODES[self.dtype.kind], 8 * self.dtype.itemsize, 1
        shape = (ctypes.c_int64 * len(self.shape))(*self.shape)
        t.shape = ctypes.cast(shape, ctypes.POINTER(ctypes.c_int64))
        strides = (ctypes.c_int64 * len(self.shape))(*(self.strides or ()))
        if self.strides:
            t.strides = ctypes.cast(strides, ctypes.POINTER(ctypes.c_int64))
        number = ctypes.addressof(made)

        def delete(_):
            _lent.pop(number)
            self.lent -= 1
            self.spoil()

        made.deleter = DELETER(delete)
        if self.versioned:
            made.major = 1
        _lent[number] = made, shape, strides
        self.lent += 1
        return _new(number, b"dltensor_versioned" if self.versioned else b"dltensor", None)


class InterfaceOnly:
    """The same array for consumers that know only `__cuda_array_interface__`."""

    def __init__(self, array, **changes):
        self.array, self.changes = array, changes

    @property
    def __cuda_array_interface__(self):
        a = self.array
        size = a.dtype.itemsize
        strides = a.strides and tuple(s * size for s in a.strides)
        found = {
            "shape": a.shape,
            "typestr": a.dtype.str,
            "data": (a.memory + a.offset if math.prod(a.shape) else 0, True),
            "strides": strides,
            "version": 3,
            "stream": a.library.stream,
        }
        return {**found, **self.changes}

    def __del__(self):
        self.array.spoil()


class Consumer:
    """A view of another library's tensor, in the stream of this one."""

    def __init__(self, library, source, max_version=None):
        versions = {} if max_version is None else {"max_version": max_version}
        kind, ordinal = source.__dlpack_device__()
        assert (kind, ordinal) == (CUDA, library.ordinal)
        capsule = source.__dlpack__(stream=library.stream, **versions)
        self.name = _name(capsule)
        self.managed = (Versioned if self.name.endswith(b"versioned") else Plain).from_address(
            _pointer(capsule, self.name)
        )
        _rename(capsule, {b"dltensor": b"used_dltensor"}.get(self.name, b"used_dltensor_versioned"))
        t = self.managed.tensor
        assert (t.device_type, t.device_id, t.lanes) == (CUDA, ordinal, 1)
        kinds = {code: kind for kind, code in CODES.items()}
        self.dtype = np.dtype(bool if t.code == 6 else f"{kinds[t.code]}{t.bits // 8}")
        self.shape = tuple(t.shape[: t.ndim])
        self.address = t.data + t.byte_offset

    def delete(self):
        self.managed.deleter(ctypes.addressof(self.managed))
