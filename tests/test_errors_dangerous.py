"""Every program of `tests/errors/dangerous.py` ends well, in a process of its own."""

import os
import subprocess
import sys

import pytest

from tests.errors.dangerous import PROGRAMS

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
CODE = """
import faulthandler, sys
faulthandler.dump_traceback_later(90, exit=True)
import tests.errors.dangerous as dangerous
getattr(dangerous, sys.argv[1])()
print("ended well")
"""


ON_CPUS = {"session_of_the_parent_in_a_forked_child"}  # a child has no GPUs


@pytest.mark.parametrize(
    "name", [pytest.param(f.__name__, marks=pytest.mark.cpu if f.__name__ in ON_CPUS else ()) for f in PROGRAMS]
)
def test_neither_crashes_nor_hangs(name):
    command = [sys.executable, "-W", "ignore", "-X", "faulthandler", "-c", CODE, name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0 and done.stdout.endswith("ended well\n"), done.stderr[-4000:]
