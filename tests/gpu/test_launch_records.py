"""The records' tests of values and gradients on an emulated GPU, for all ops with a kernel for GPUs.

The same tests as `tests/test_records.py`, in a process with a GPU, which is the preferred device. By default a sample:
one case of each record, a few examples. TFCORE_TEST_CUDA=1 runs all cases.
"""

import os

import pytest
from tfcore.core.registry.registry import find_kernel

from tests import harness
from tests.gpu.test_devices import run_tests
from tfcore.compiler import compile as compiler
from tfcore.core.device import gpu
from tfcore.framework import errors
from tfcore.testing import gradients, kernels
from tfcore.testing.drawing import example_settings
from tfcore.testing.records import cases_of, gradient_cases, gradient_order

INSIDE = "TFCORE_TEST_RECORDS_ON_GPU"  # set in the process that has the GPU
ALL = bool(os.environ.get("TFCORE_TEST_CUDA"))
EXAMPLES = 10 if ALL else 3  # of a case, at most; the first is always the simplest
GRADIENT_EXAMPLES = 3 if ALL else 1


def on_gpu(cases):
    """The cases that run on a GPU: all, or one of those of a record, preferably of float."""
    found = [case for case in cases if has_kernel(case)]
    if ALL or not found:
        return found
    return [min(found, key=lambda case: "float32" not in str(case))]


def has_kernel(case):
    try:
        return bool(find_kernel(case.record.op, "GPU", case.types))
    except errors.NotFoundError:
        return False


def records():
    return harness.all_records() if os.environ.get(INSIDE) and gpu.count() else []


CASES = [case for record in records() for case in on_gpu(cases_of(record))]
GRADIENT_CASES = [case for record in records() if gradient_order(record) for case in on_gpu(gradient_cases(record))]


@pytest.fixture
def on_device(monkeypatch):
    """The ops whose kernels were made for the GPU."""
    ops, make_kernel = set(), compiler.make_kernel

    def make(op, entry, *arguments):
        if entry.device == "GPU":
            ops.add(op.type)
        return make_kernel(op, entry, *arguments)

    monkeypatch.setattr(compiler, "make_kernel", make)
    return ops


@pytest.fixture(autouse=True)
def few_examples(monkeypatch):
    def settings_of(most):
        return lambda count: example_settings(min(count, most))

    one_level = kernels.cpu_levels()[-1:]
    for module, most in ((kernels, EXAMPLES), (gradients, GRADIENT_EXAMPLES)):
        monkeypatch.setattr(module, "cpu_levels", lambda: one_level)
        monkeypatch.setattr(module, "example_settings", settings_of(most))


def may_be_elsewhere(case):
    """A Const is fetched without a kernel, and variables of int32 are in the host's memory."""
    refs = [case.types[arg.type_attr].name for arg in case.record.definition.inputs if arg.is_ref and arg.type_attr]
    return case.record.op == "Const" or "int32" in refs


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.record}-{case}")
def test_values(case, on_device):
    kernels.check_case(case)
    assert case.record.op in on_device or may_be_elsewhere(case)


@pytest.mark.parametrize("case", GRADIENT_CASES, ids=lambda case: f"{case.record}-{case}")
def test_gradient(case, on_device):
    gradients.check_gradient_case(case)
    assert on_device  # the op itself may be removed from the graph: an Identity, a sum of one tensor


@pytest.mark.skipif(bool(os.environ.get(INSIDE)), reason="this is the process that it starts")
def test_records_on_a_gpu(monkeypatch):
    monkeypatch.setenv(INSIDE, "1")
    run_tests(__file__)
