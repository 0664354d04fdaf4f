"""No op crashes, hangs or fails uncleanly, whatever it is fed: short campaigns of `tests/fuzz` in child processes."""

import os
import subprocess
import sys

import pytest

ROUNDS = int(8 * float(os.environ.get("TFCORE_TEST_EFFORT", 1)))
ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


@pytest.mark.parametrize("part", range(4))
def test_no_op_crashes_or_hangs(part):
    command = [sys.executable, "-W", "ignore", "-X", "faulthandler", "-m", "tests.fuzz.ops"]
    command += ["--part", str(part), "--parts", "4", "--rounds", str(ROUNDS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=600)
    last = done.stdout.splitlines()[-1:]
    assert done.returncode == 0, f"{last}: {done.stderr[-2500:]}"
    assert last and int(last[0].split()[1]) > 50


@pytest.mark.parametrize(
    "target", ["attributes", "feeds", "graph_bytes", "graph_ops", "graph_structure", "partial_runs"]
)
def test_targets_of_the_coverage_guided_fuzzer(target):
    """Each ends well for what it begins with and for bytes that had led to trouble."""
    code = f"""
import faulthandler
faulthandler.dump_traceback_later(100, exit=True)
from tests.fuzz.ops import limit_memory
from tests.fuzz.targets import TARGETS, seeds
limit_memory()
for data in seeds({target!r}, {4 * ROUNDS}):
    TARGETS[{target!r}](data)
print("ended well")
"""
    command = [sys.executable, "-W", "ignore", "-X", "faulthandler", "-c", code]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.endswith("ended well\n"), done.stderr[-2500:]
