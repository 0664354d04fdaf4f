"""The records' calls on an emulated GPU, for a few types of each op. TFCORE_TEST_CUDA=1 runs this.

The tests of kernels in `tests/test_records.py`, with one example each; the operations are on the GPU because it is the
preferred device.
"""

import os

import pytest
from tfcore.core.registry import find_kernel

from tests import harness
from tests.gpu.test_devices import run_tests
from tfcore.core import gpu
from tfcore.framework import errors
from tfcore.testing import kernels
from tfcore.testing.records import cases_of

TYPES = {"float32", "float16", "int32", "int64", "bool"}  # the others have the same templates
INSIDE = "TFCORE_TEST_RECORDS_ON_GPU"  # set in the process that has the GPU

pytestmark = pytest.mark.skipif(not os.environ.get("TFCORE_TEST_CUDA"), reason="compiles all families")


def gpu_cases():
    if not os.environ.get(INSIDE) or not gpu.count():
        return []
    return [case for record in harness.all_records() for case in cases_of(record) if has_kernel(case)]


def has_kernel(case):
    if not {dtype.name for dtype in case.types.values()} <= TYPES:
        return False
    try:
        return bool(find_kernel(case.record.op, "GPU", case.types))
    except errors.NotFoundError:
        return False


@pytest.mark.parametrize("case", gpu_cases(), ids=lambda case: f"{case.record}-{case}")
def test_values(case, monkeypatch):
    monkeypatch.setattr(kernels, "cpu_levels", lambda: kernels.registry.available_levels()[-1:])
    kernels.check_case(case)


@pytest.mark.skipif(bool(os.environ.get(INSIDE)), reason="this is the process that it starts")
def test_records_on_a_gpu(monkeypatch):
    monkeypatch.setenv(INSIDE, "1")
    monkeypatch.setenv("TFCORE_TEST_EFFORT", "0.01")
    run_tests(__file__)
