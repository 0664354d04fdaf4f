"""Runs tests on an emulated GPU: `python -m tests.emulated_gpu [pytest's arguments]`.

Without paths among the arguments these are all tests. Those of `gpu/`, which have emulated GPUs of their own, then run
in a second process.
"""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

from tests.conftest import ROOT  # it also sets where compiled kernels stay
from tfcore.core.threads import progress
from tfcore.gpu import build, host_build


def main(arguments):
    # Before the tests, as many of them have time limits that are too short for a compiler.
    families = build.families()
    with ThreadPoolExecutor(os.cpu_count()) as pool, progress.work("compiling the CUDA kernels", len(families)) as work:
        for _ in pool.map(host_build.compile_family, families):
            work.done += 1
    code = run(arguments, gpus=1)
    if not any(os.path.exists(os.path.join(ROOT, a.partition("::")[0])) for a in arguments):
        code = run([*arguments, "tests/gpu"], gpus=0) or code
    return code


def run(arguments, gpus):
    environment = {"TFCORE_TEST_PATIENCE": "3", **os.environ, "TFCORE_EMULATE_GPUS": str(gpus)}
    return subprocess.run([sys.executable, "-m", "pytest", *arguments], cwd=ROOT, env=environment).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
