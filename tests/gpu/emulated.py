"""Emulated GPUs for tests: one driver for this process, with two devices that are reset before each test."""

import ctypes
import functools
import os

from tfcore.gpu import driver

DEVICES, MEMORY = 2, 32 << 20
FOLDER = os.path.dirname(os.path.abspath(__file__))
NON_BLOCKING = 1
ENVIRONMENT = {"TFCORE_EMULATE_GPUS": str(DEVICES), "TFCORE_EMULATED_GPU_MEMORY": str(MEMORY)}


@functools.cache
def the_driver():
    """The emulator, whose settings are read when it is loaded."""
    before = dict(os.environ)
    os.environ.update(ENVIRONMENT)
    try:
        return driver.load()
    finally:
        for name in ENVIRONMENT:
            os.environ.pop(name)
            if name in before:
                os.environ[name] = before[name]


class Vector(ctypes.Structure):
    """`vector_params` of basic.cu."""

    _fields_ = [("source", ctypes.c_uint64), ("target", ctypes.c_uint64), ("count", ctypes.c_int64)]


class Gpu:
    """A device whose context is current, with short names for what tests do."""

    def __init__(self, seed=0, device=0):
        self.driver = the_driver()
        self.device = device
        self.call, self.get, self.code = self.driver.call, self.driver.get, self.driver.try_call
        os.environ["TFCORE_EMULATED_GPU_SEED"] = str(seed)
        try:
            self.call("cuDevicePrimaryCtxReset_v2", device)
            self.context = self.get("cuDevicePrimaryCtxRetain", device)
            self.use()
            self.synchronize()
        finally:
            del os.environ["TFCORE_EMULATED_GPU_SEED"]

    def close(self):
        self.call("cuDevicePrimaryCtxRelease_v2", self.device)

    def use(self):
        self.call("cuCtxSetCurrent", self.context)

    def synchronize(self):
        self.call("cuCtxSynchronize")

    def allocate(self, count):
        return self.get("cuMemAlloc_v2", count)

    def stream(self):
        return self.get("cuStreamCreate", NON_BLOCKING)

    def event(self, flags=2):
        return self.get("cuEventCreate", flags)

    def write(self, pointer, data):
        self.call("cuMemcpyHtoD_v2", pointer, ctypes.c_char_p(data), len(data))

    def read(self, pointer, count):
        data = ctypes.create_string_buffer(count)
        self.call("cuMemcpyDtoH_v2", data, pointer, count)
        return data.raw

    def fill(self, pointer, value, count, stream=0):
        self.call("cuMemsetD8Async", pointer, value, count, stream)

    def pinned(self, count):
        pointer = self.get("cuMemHostAlloc", count, 0)
        return pointer, (ctypes.c_char * count).from_address(pointer)

    def function(self, path, name):
        return self.get("cuModuleGetFunction", self.get("cuModuleLoad", path.encode()), name.encode())
