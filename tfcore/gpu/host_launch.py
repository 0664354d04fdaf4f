"""Launches kernels on the host: a small device whose memory is an array of bytes."""

import ctypes
import mmap

import numpy as np

from tfcore.gpu import host_build

OK, INVALID, MEMORY, BOUNDS, MISALIGNED, RACE, DIVERGENT, MASK, STACK, FAULT, ARITHMETIC, TRAP = range(12)


class Dim3(ctypes.Structure):
    _fields_ = [("x", ctypes.c_uint), ("y", ctypes.c_uint), ("z", ctypes.c_uint)]


class Report(ctypes.Structure):
    _fields_ = [("kind", ctypes.c_int32), ("text", ctypes.c_char * 1020)]


class KernelError(Exception):
    """What a launch reported. `kind` is the number of block.h."""

    def __init__(self, kind, text):
        super().__init__(text)
        self.kind = kind


class Array:
    """An array in device memory, live until it is freed."""

    def __init__(self, device, address, shape, dtype):
        self.device, self.address, self.shape, self.dtype = device, address, tuple(shape), np.dtype(dtype)
        self.bytes = int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize
        device.allow(address, self.bytes, True)
        self.numpy()[...] = 0

    def numpy(self):
        """A view of its elements."""
        place = self.address - self.device.base
        return self.device.memory[place : place + self.bytes].view(self.dtype).reshape(self.shape)

    def free(self):
        self.device.allow(self.address, self.bytes, False)


class Device:
    """Memory for kernels: arrays have gaps between them."""

    def __init__(self, size=64 << 20, runtime=None):
        self.runtime = runtime or host_build.load_runtime()
        self.runtime.tfc_host_launch.argtypes = [
            ctypes.c_void_p,
            Dim3,
            Dim3,
            ctypes.c_size_t,
            ctypes.c_void_p,
            ctypes.c_uint64,
            ctypes.c_void_p,
        ]
        self.runtime.tfc_host_allow.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
        self.runtime.tfc_host_memory.argtypes = [ctypes.c_void_p, ctypes.c_size_t]
        self.memory = np.frombuffer(mmap.mmap(-1, size), np.uint8)
        self.base = self.memory.ctypes.data
        self.used = 256
        assert self.runtime.tfc_host_memory(self.base, size) == 0

    def allow(self, address, count, on):
        self.runtime.tfc_host_allow(address, count, int(on))

    def empty(self, shape, dtype=np.float32):
        shape = (shape,) if np.isscalar(shape) else shape
        array = Array(self, self.base + self.used, shape, dtype)
        self.used = (self.used + array.bytes + 511) // 256 * 256
        return array

    def array(self, values):
        values = np.asarray(values)
        array = self.empty(values.shape, values.dtype)
        array.numpy()[...] = values
        return array

    def reset(self):
        """Frees everything."""
        self.allow(self.base, len(self.memory), False)
        self.used = 256

    def launch(self, kernel, grid, block, struct, *, shared=0, seed=0):
        """Runs a kernel, and raises KernelError if the launch reports something."""
        report = Report()
        address = ctypes.cast(kernel, ctypes.c_void_p)
        kind = self.runtime.tfc_host_launch(
            address, _dim3(grid), _dim3(block), shared, ctypes.addressof(struct), seed, ctypes.addressof(report)
        )
        assert kind == report.kind
        if kind:
            raise KernelError(kind, report.text.decode())


def _dim3(size):
    size = (size,) if isinstance(size, int) else tuple(size)
    return Dim3(*size, *(1,) * (3 - len(size)))
