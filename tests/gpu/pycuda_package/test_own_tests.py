"""PyCUDA's own tests on an emulated GPU, but for those that `own_tests.py` lists."""

import glob
import importlib.metadata
import importlib.util
import os
import re
import subprocess
import sys

import pytest

from tfcore.gpu import build, install_pycuda
from tfcore.testing.drawing import EFFORT

FOLDER = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(FOLDER)))
# Files, their parts, and how many tests of each must pass at least. A part takes half a minute or a minute on one core,
# most of it for the compilation of kernels.
PARTS = [("test_driver.py", "0/1", 15), ("test_cumath.py", "0/1", 25) if EFFORT > 1 else ("test_cumath.py", "0/3", 8)]
PARTS += [("test_gpuarray.py", f"{i}/3", 70) for i in range(3)] if EFFORT > 1 else [("test_gpuarray.py", "0/9", 20)]


@pytest.fixture(scope="module")
def source(tmp_path_factory):
    """The folder of the source of the PyCUDA that is installed."""
    if importlib.util.find_spec("pycuda") is None:
        pytest.skip("PyCUDA is not installed")
    name = f"pycuda-{importlib.metadata.version('pycuda')}.tar.gz"
    found = glob.glob(os.path.join(build.cache_folder(), "pycuda", "*", name))
    if not found:
        pytest.skip("PyCUDA is not installed by tfcore.gpu.install_pycuda, which keeps its tests")
    return install_pycuda.unpack(found[0], tmp_path_factory.mktemp("pycuda"))


@pytest.mark.slow
@pytest.mark.parametrize("file, part, least", PARTS)
def test_pycuda_passes_its_own_tests(source, file, part, least):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    environment |= {"TFCORE_EMULATE_GPUS": "1", "PYTHONPATH": ROOT}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "-p", "no:cacheprovider", "-W", "ignore"]
    command += ["-p", "tests.gpu.pycuda_package.own_tests", "--part", part, file]
    folder = os.path.join(source, "test")
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-20000:] + done.stderr[-5000:]
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed and int(passed[1]) >= least, done.stdout


def test_the_table_names_tests_that_exist(source):
    path = os.path.join(FOLDER, "own_tests.py")
    with open(path, encoding="utf-8") as file:
        rows = re.findall(r'^    \("(\w+\.py)", "(\w+)", \w+\),$', file.read(), re.M)
    assert rows
    for name, test in rows:
        with open(os.path.join(source, "test", name), encoding="utf-8") as file:
            assert f"def {test}(" in file.read()
