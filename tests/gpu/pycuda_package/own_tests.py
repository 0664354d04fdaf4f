"""A plugin of pytest that runs PyCUDA's own tests on an emulated GPU: pytest -p tests.gpu.pycuda_package.own_tests

Where PyCUDA was compiled without curand, its module `curandom` cannot be imported. Most tests only draw numbers with
it, and get them from NumPy.
"""

import os
import sys
import types

import numpy as np
import pytest

from tfcore.gpu import pycuda

pycuda.load()

import pycuda._driver  # noqa: E402
from pycuda import gpuarray  # noqa: E402

TEXTURES = "the emulated GPU has no textures and surfaces"
LINKER = "the emulated GPU has no dynamic parallelism and no linker"
CURAND = "curand runs on cards only"
# What the emulated GPU does not serve: file, test, why not. Some of them PyCUDA skips itself with newer CUDA.
NOT_SERVED = [
    ("test_driver.py", "test_2d_texture", TEXTURES),
    ("test_driver.py", "test_multiple_2d_textures", TEXTURES),
    ("test_driver.py", "test_multichannel_2d_texture", TEXTURES),
    ("test_driver.py", "test_multichannel_linear_texture", TEXTURES),
    ("test_driver.py", "test_2d_fp_textures", TEXTURES),
    ("test_driver.py", "test_2d_fp_textures_layered", TEXTURES),
    ("test_driver.py", "test_3d_fp_textures", TEXTURES),
    ("test_driver.py", "test_3d_fp_surfaces", TEXTURES),
    ("test_driver.py", "test_2d_fp_surfaces", TEXTURES),
    ("test_driver.py", "test_3d_texture", TEXTURES),
    ("test_driver.py", "test_fp_textures", TEXTURES),
    ("test_driver.py", "test_recursive_launch", LINKER),
    ("test_driver.py", "test_jit_link_module", LINKER),
    ("test_gpuarray.py", "test_random", CURAND),
    ("test_gpuarray.py", "test_curand_wrappers", CURAND),
]


def rand(shape, dtype=np.float32, stream=None):
    """In place of `pycuda.curandom.rand`."""
    values = np.random.rand(*np.atleast_1d(shape))
    if np.issubdtype(dtype, np.integer):
        values *= np.iinfo(dtype).max
    return gpuarray.to_gpu(values.astype(dtype).reshape(shape))


if not hasattr(pycuda._driver, "get_curand_version"):
    curandom = types.ModuleType("pycuda.curandom")
    curandom.rand = rand
    sys.modules["pycuda.curandom"] = curandom


def pytest_addoption(parser):
    parser.addoption("--part", default="0/1", help="I/N: every Nth test, from the Ith")


def pytest_collection_modifyitems(config, items):
    first, step = map(int, config.getoption("part").split("/"))
    items[:] = items[first::step]
    for item in items:
        for file, name, reason in NOT_SERVED:
            if os.path.basename(item.path) == file and item.originalname == name:
                item.add_marker(pytest.mark.skip(reason=reason))
