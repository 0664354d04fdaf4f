"""Tests of processes run once more when they fail, and others do not."""

import subprocess
import sys

import pytest

from tests.conftest import ROOT

TEST = """
import os
import pytest

@pytest.mark.{mark}
def test_it():
    first = not os.path.exists({path!r})
    open({path!r}, "w").close()
    assert not first, "an odd thing"

@pytest.mark.{mark}
def test_wrong():
    assert not "always"
"""


# Not `alone`: that test would wait for this one to end.
@pytest.mark.parametrize("mark, passed", [("processes", 1), ("slow", 0)])
def test_a_second_try(tmp_path, mark, passed):
    (tmp_path / "test_it.py").write_text(TEST.format(mark=mark, path=str(tmp_path / "ran")))
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "-n", "1"]
    done = subprocess.run([*command, f"--rootdir={tmp_path}", str(tmp_path)], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1, done.stdout + done.stderr
    said, _, summary = done.stdout.rpartition(" failed")
    assert said.endswith(str(2 - passed))
    assert ("1 passed" in summary) == bool(passed)
    assert ("failed at first" in done.stdout) == bool(passed)
    assert done.stdout.count("AssertionError: an odd thing") >= 1
