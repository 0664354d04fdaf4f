"""The tests of kernels run through the driver, too: what they do on a card, they do here on an emulated GPU."""

import os
import subprocess
import sys

import pytest

from tests.gpu import kernels as k
from tfcore.gpu import driver

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


# Not marked `alone`: the tests of the inner run take the same lock.
@k.needs_checks
@pytest.mark.skipif(not os.path.exists(driver.EMULATOR), reason="needs the emulated GPUs")
def test_kernels_through_the_driver():
    files = [f"tests/gpu/test_{name}.py" for name in ("matmul", "reduce", "softmax", "indexing", "random")]
    environment = os.environ | {"TFCORE_EMULATE_GPUS": "1", "TFCORE_TEST_CARD": "1"}
    command = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", *files]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
