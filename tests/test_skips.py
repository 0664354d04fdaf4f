"""The table of skipped tests, and what fails for it."""

import subprocess
import sys

import pytest

from tests import skips
from tests.conftest import ROOT

TEST = """
import pytest

@pytest.mark.parametrize("reason", ["needs 16 cores", "needs 16 cores", {other!r}])
def test_it(reason):
    pytest.skip(reason)
"""


@pytest.mark.parametrize(
    "other, options, code",
    [
        ("hosts are made of network namespaces, which needs root", [], 0),
        ("frobnicator is not installed", [], 1),
        ("frobnicator is not installed", ["--may-skip", "frobnicator"], 0),
    ],
)
def test_the_table(tmp_path, other, options, code):
    (tmp_path / "test_it.py").write_text(TEST.format(other=other))
    command = [sys.executable, "-m", "pytest", "-p", "tests.conftest", "-p", "no:cacheprovider", "--check-skips"]
    command += [*options, f"--rootdir={tmp_path}", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == code, done.stdout + done.stderr
    assert "     2  needs 16 cores\n" in done.stdout and f"     1  {other}\n" in done.stdout
    assert ("not accepted" in done.stdout) == (code != 0)


def test_reasons():
    assert skips.is_accepted("only root may become another user")
    assert not skips.is_accepted("could not import 'onnx'")
    assert not skips.is_accepted("needs 16 cores and more")
