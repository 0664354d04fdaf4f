"""Runs tests on an emulated GPU: `python -m tests.emulated_gpu [pytest's arguments]`."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tests.conftest import ROOT  # it also sets where compiled kernels stay
from tfcore.gpu import build, host_build


def main(arguments):
    # Before the tests, as many of them have time limits that are too short for a compiler.
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(host_build.compile_family, build.families()))
    environment = {"TFCORE_TEST_PATIENCE": "3", **os.environ, "TFCORE_EMULATE_GPUS": "1"}
    command = [sys.executable, "-m", "pytest", *arguments]
    return subprocess.run(command, cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
