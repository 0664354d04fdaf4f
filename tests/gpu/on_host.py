"""Kernels on the host: what tfcore.gpu.host_launch has, and families loaded by name."""

import ctypes
import os

import numpy as np

from tfcore.gpu import host_build, host_launch
from tfcore.gpu.host_launch import *  # noqa: F403

HERE = os.path.dirname(os.path.abspath(__file__))


class Device(host_launch.Device):
    """skewed: whether arrays are aligned to their elements only, as views of others may be."""

    skewed = False

    def empty(self, shape, dtype=np.float32):
        if self.skewed and np.dtype(dtype) != np.uint8:
            self.used += np.dtype(dtype).itemsize
        return super().empty(shape, dtype)


def params(**fields):
    """A struct of parameters: arrays on the device, ctypes values, Python integers (int64_t) and floats (double)."""
    types, values = [], {}
    for name, value in fields.items():
        if isinstance(value, host_launch.Array):
            value = ctypes.c_void_p(value.address)
        elif isinstance(value, (int, np.integer)):
            value = ctypes.c_int64(int(value))
        elif isinstance(value, float):
            value = ctypes.c_double(value)
        types.append((name, type(value)))
        values[name] = value
    struct = type("Params", (ctypes.Structure,), {"_fields_": types})()
    for name, value in values.items():
        setattr(struct, name, value)
    return struct


def load(family, checked, **options):
    """The kernels of a family as attributes; options are those of compile_family."""
    host_build.load_runtime()
    return ctypes.CDLL(host_build.compile_family(family, checked, **options))
