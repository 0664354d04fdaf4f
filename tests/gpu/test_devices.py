"""Runs the tests of `devices/` on two emulated GPUs, whose streams run in several orders, and those of `pycuda/`."""

import importlib.util
import os
import re
import subprocess
import sys

import pytest

from tfcore.testing.drawing import EFFORT

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run_tests(*paths, gpus=1, seed=0):
    """Runs tests in a process with emulated GPUs; its output is the message if one fails."""
    environment = {**os.environ, "TFCORE_EMULATE_GPUS": str(gpus), "TFCORE_EMULATED_GPU_SEED": str(seed)}
    environment = {k: v for k, v in environment.items() if not k.startswith("PYTEST_")}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *paths]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    said = done.stdout[-20000:] + done.stderr[-5000:]
    assert done.returncode == 0, said
    progress = re.findall(r"^([.sxX]+) +\[ *\d+%\]$", said, re.M)
    assert any("." in line for line in progress), f"all tests were skipped: {said}"


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1] if EFFORT > 1 else [0])  # each takes a minute
def test_devices(seed):
    run_tests("tests/gpu/devices", gpus=2, seed=seed)


@pytest.mark.slow
@pytest.mark.skipif(importlib.util.find_spec("pycuda") is None, reason="PyCUDA is not installed")
@pytest.mark.parametrize("gpus, seed", [(1, 0), (2, 1)] if EFFORT > 1 else [(2, 1)])
def test_pycuda(gpus, seed):
    run_tests("tests/gpu/pycuda", gpus=gpus, seed=seed)
