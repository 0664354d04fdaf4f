"""Launches kernels through the CUDA driver: on a card, or on an emulated GPU if the environment has one."""

import ctypes
import functools

import numpy as np

from tfcore.gpu import build, driver, host_build

MODULE_FILE = {True: lambda family: host_build.compile_family(family, checked=True)}
MODULE_FILE[False] = lambda family: build.compile_family(family).fatbin


class Array:
    """An array in device memory, with a copy of it on the host."""

    def __init__(self, device, values):
        self.device, self.mirror = device, np.array(values, order="C")
        self.shape, self.dtype = self.mirror.shape, self.mirror.dtype
        self.address = device.driver.get("cuMemAlloc_v2", max(self.mirror.nbytes, 1))
        if self.mirror.nbytes:
            device.driver.call("cuMemcpyHtoD_v2", self.address, self._pointer(), self.mirror.nbytes)

    def _pointer(self):
        return ctypes.c_void_p(self.mirror.ctypes.data)

    def numpy(self):
        """Its elements, copied to the same place on the host each time."""
        if self.mirror.nbytes:
            self.device.driver.call("cuMemcpyDtoH_v2", self._pointer(), self.address, self.mirror.nbytes)
        return self.mirror


class Device:
    def __init__(self):
        self.driver, self.arrays = driver.load(), []
        device = self.driver.get("cuDeviceGet", 0, kind=ctypes.c_int)
        self.driver.call("cuCtxSetCurrent", self.driver.get("cuDevicePrimaryCtxRetain", device))

    def array(self, values):
        self.arrays.append(Array(self, values))
        return self.arrays[-1]

    def reset(self):
        """Frees everything."""
        for array in self.arrays:
            self.driver.call("cuMemFree_v2", array.address)
        self.arrays = []

    @functools.cache  # noqa: B019 - one device a process
    def function(self, family, kernel):
        path = MODULE_FILE[self.driver.is_emulated](family)
        module = self.driver.get("cuModuleLoad", ctypes.c_char_p(path.encode()))
        return self.driver.get("cuModuleGetFunction", module, ctypes.c_char_p(kernel.encode()))

    def launch(self, family, kernel, grid, block, struct, shared, seed):
        """The seed is of no use here: a card takes its own order."""
        self.driver.launch(self.function(family, kernel), grid, block, struct, shared_bytes=shared)
        self.driver.call("cuCtxSynchronize")
