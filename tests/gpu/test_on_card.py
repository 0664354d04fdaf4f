"""The tests of kernels launch them through PyCUDA, too: what they do on a card, they do here on an emulated GPU."""

import importlib.util
import os

import pytest

from tests.gpu import kernels as k
from tests.gpu.test_devices import run_tests
from tfcore.gpu import driver

NAMES = "array_copy conv cwise indexing matmul pooling random reduce softmax training".split()


# Not marked `alone`: the tests of the inner run take the same lock.
@k.needs_checks
@pytest.mark.skipif(not os.path.exists(driver.EMULATOR), reason="needs the emulated GPUs")
@pytest.mark.skipif(importlib.util.find_spec("pycuda") is None, reason="PyCUDA is not installed")
def test_kernels_through_pycuda(monkeypatch):
    monkeypatch.setenv("TFCORE_TEST_CARD", "1")
    run_tests(*[f"tests/gpu/test_{name}.py" for name in NAMES])
