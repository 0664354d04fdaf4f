"""Kernels on the host: what tfcore.gpu.host_launch has, and families loaded by name."""

import ctypes
import os

from tfcore.gpu import host_build
from tfcore.gpu.host_launch import *  # noqa: F403

HERE = os.path.dirname(os.path.abspath(__file__))


def load(family, checked, **options):
    """The kernels of a family as attributes; options are those of compile_family."""
    host_build.load_runtime()
    return ctypes.CDLL(host_build.compile_family(family, checked, **options))
