"""Launches kernels through PyCUDA: on a card, or on an emulated GPU if the environment has one."""

import functools

import numpy as np

from tfcore.gpu import build, driver, host_build
from tfcore.gpu.pycuda import load

load()  # before PyCUDA itself: it decides which driver that gets
import pycuda.autoprimaryctx  # noqa: E402, F401
import pycuda.driver as drv  # noqa: E402


class Array:
    """An array in device memory, with a copy of it on the host."""

    def __init__(self, values):
        self.mirror = np.array(values, order="C")
        self.shape, self.dtype = self.mirror.shape, self.mirror.dtype
        self.memory = drv.mem_alloc(max(self.mirror.nbytes, 1))
        self.address = int(self.memory)
        if self.mirror.nbytes:
            drv.memcpy_htod(self.memory, self._bytes())

    def _bytes(self):
        return self.mirror.reshape(-1).view(np.uint8)

    def numpy(self):
        """Its elements, copied to the same place on the host each time."""
        if self.mirror.nbytes:
            drv.memcpy_dtoh(self._bytes(), self.memory)
        return self.mirror


class Device:
    def __init__(self):
        self.arrays = []

    def array(self, values):
        self.arrays.append(Array(values))
        return self.arrays[-1]

    def reset(self):
        """Frees everything."""
        for array in self.arrays:
            array.memory.free()
        self.arrays = []

    def launch(self, family, kernel, grid, block, struct, shared, seed):
        """The seed is of no use here: a card takes its own order."""
        parameters = np.frombuffer(struct, np.uint8)
        function(family, kernel)(parameters, grid=grid, block=block, shared=shared)
        drv.Context.synchronize()


@functools.cache
def module(family):
    if driver.emulation_is_wanted():
        return drv.module_from_file(host_build.compile_family(family, checked=True))
    return drv.module_from_file(build.compile_family(family).fatbin)


@functools.cache
def function(family, kernel):
    return module(family).get_function(kernel)
