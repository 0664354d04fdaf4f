"""Compiles and installs PyCUDA: python -m tfcore.gpu.install_pycuda

PyCUDA has no wheels. Its source is compiled with CUDA's headers, of a toolkit or of the packages that
`pip install 'tfcore[cuda]'` installs, and linked to libcuda.so.1, which may be an NVIDIA driver or the emulated GPUs
when it is loaded: a machine that compiles it needs neither. The wheel is kept in TFCORE_CACHE for the next environment
with the same versions of Python and CUDA, and beside it the source, which has PyCUDA's tests.
"""

import argparse
import glob
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time

from tfcore.gpu import build, driver

REQUIREMENT = "pycuda>=2024.1,<2027"  # as in pyproject.toml
HEADERS = {"cuda.h": "nvidia-cuda-runtime", "cudaProfiler.h": "nvidia-cuda-profiler-api"}  # and packages that have them
TICK = 15  # seconds between two lines about what takes long
LINES = 30  # of a failed command's output


class InstallError(RuntimeError):
    """PyCUDA cannot be compiled or installed here; the message says what is missing."""


def find_headers():
    """The folder of CUDA's headers, and their version, such as 13000."""
    try:
        nvcc = build.find_nvcc()
    except build.BuildError as error:
        raise InstallError(f"PyCUDA needs CUDA's headers. {error}") from None
    said = subprocess.run([nvcc, "--dryrun", "-x", "cu", os.devnull], capture_output=True, text=True)
    top = re.search(r"^#\$ TOP=(.*)", said.stderr, re.M)
    if not top:
        raise InstallError(f"{nvcc} --dryrun does not say where its toolkit is: {said.stderr}")
    folder = os.path.join(os.path.normpath(top[1]), "include")
    for name, package in HEADERS.items():
        if not os.path.exists(os.path.join(folder, name)):
            raise InstallError(
                f"PyCUDA needs {name}, which is not in {folder}. A CUDA toolkit has it, and so has the package "
                f"{package}, which pip install 'tfcore[cuda]' installs"
            )
    with open(os.path.join(folder, "cuda.h"), encoding="utf-8", errors="replace") as file:
        version = re.search(r"^#define CUDA_VERSION (\d+)", file.read(), re.M)
    if not version:
        raise InstallError(f"{os.path.join(folder, 'cuda.h')} does not say its version")
    return folder, int(version[1])


def find_curand(headers):
    """The folder of a toolkit's curand, or None: PyCUDA then does without."""
    root = os.path.dirname(headers)
    libraries = (os.path.join(root, name, "libcurand.so") for name in ("lib64", "lib"))
    found = [os.path.dirname(path) for path in libraries if os.path.exists(path)]
    return found[0] if found and os.path.exists(os.path.join(headers, "curand.h")) else None


def kept_wheel(version, curand):
    """The path of the newest wheel in the cache for this Python and these headers, or None."""
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    machine = os.uname().machine
    found = glob.glob(os.path.join(_folder(version, curand), f"pycuda-*-{tag}-{tag}-*_{machine}.whl"))
    return max(found, key=_version_of, default=None)


def _folder(version, curand):
    return os.path.join(build.cache_folder(), "pycuda", f"cuda{version}{'-curand' if curand else ''}")


def _version_of(wheel):
    return [int(number) for number in re.findall(r"\d+", os.path.basename(wheel).split("-")[1])]


def make_wheel(headers, version, curand):
    """Compiles PyCUDA; returns the path of the wheel in the cache."""
    compiler = os.environ.get("CXX") or "g++"
    if not shutil.which(compiler):
        raise InstallError(f"PyCUDA needs a C++ compiler: {compiler} is not in PATH. CXX may name another")
    if not os.path.exists(driver.EMULATOR):
        raise InstallError(f"{driver.EMULATOR} is not built, and PyCUDA is linked to it")
    with tempfile.TemporaryDirectory() as folder:
        pip = [sys.executable, "-m", "pip"]
        command = [*pip, "download", "--no-deps", "--no-binary", "pycuda", "--dest", folder, REQUIREMENT]
        _run("downloading the source", command)
        (archive,) = glob.glob(os.path.join(folder, "pycuda-*.tar.gz"))
        source = unpack(archive, folder)
        os.symlink(driver.EMULATOR, os.path.join(folder, "libcuda.so"))
        _configure(source, headers, curand, folder)
        command = [*pip, "wheel", "--no-deps", "--no-cache-dir", "--wheel-dir", folder, source]
        _run("compiling, which takes a minute or two", command)
        (wheel,) = glob.glob(os.path.join(folder, "pycuda-*.whl"))
        kept = _folder(version, curand)
        os.makedirs(kept, exist_ok=True)
        for path in (archive, wheel):  # the wheel comes last, and all at once
            part = shutil.copy(path, os.path.join(kept, f"{os.path.basename(path)}.{os.getpid()}"))
            os.replace(part, os.path.join(kept, os.path.basename(path)))
        return os.path.join(kept, os.path.basename(wheel))


def unpack(archive, folder):
    """Unpacks PyCUDA's source in a folder; returns where it is."""
    with tarfile.open(archive) as file:
        if hasattr(tarfile, "data_filter"):
            file.extraction_filter = tarfile.data_filter
        file.extractall(folder)
    return os.path.join(folder, os.path.basename(archive).removesuffix(".tar.gz"))


def _configure(source, headers, curand, libraries):
    """Writes what PyCUDA's configure.py would write, which needs setuptools."""
    settings = {
        "CUDA_ROOT": os.path.dirname(headers),
        "CUDA_INC_DIR": [headers],
        "CUDADRV_LIB_DIR": [libraries],
        "CUDA_ENABLE_GL": False,
        "CUDA_ENABLE_CURAND": curand is not None,
    }
    if curand:
        settings |= {"CURAND_LIB_DIR": [curand], "LDFLAGS": [f"-Wl,-rpath,{curand}"]}
    with open(os.path.join(source, "siteconf.py"), "w", encoding="utf-8") as file:
        file.writelines(f"{name} = {value!r}\n" for name, value in settings.items())


def _run(what, command):
    """Runs a command, and prints what it does now and then."""
    print(f"pycuda: {what}", flush=True)
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as output:
        start = time.monotonic()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        while True:
            try:
                process.wait(TICK)
                break
            except subprocess.TimeoutExpired:
                print(f"pycuda: {time.monotonic() - start:.0f} s so far", flush=True)
            except BaseException:
                process.terminate()
                raise
        if process.returncode:
            output.seek(0)
            said = "".join(output.readlines()[-LINES:]).rstrip()
            raise InstallError(f"{what} failed ({' '.join(command)}):\n{said}")


def install():
    """Installs PyCUDA into this environment: the kept wheel, or one that is compiled first."""
    headers, version = find_headers()
    curand = find_curand(headers)
    print(
        f"pycuda: CUDA {version // 1000}.{version % 1000 // 10} in {headers}, {'with' if curand else 'without'} curand"
    )
    wheel = kept_wheel(version, curand) or make_wheel(headers, version, curand)
    command = [sys.executable, "-m", "pip", "install", wheel]
    _run(f"installing {os.path.basename(wheel)}", [*command, "--force-reinstall", "--no-deps"])  # also over another one
    _run("installing what it needs", command)


def main(arguments=None):
    parser = argparse.ArgumentParser("python -m tfcore.gpu.install_pycuda", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.parse_args(arguments)
    try:
        install()
    except InstallError as error:
        sys.exit(f"pycuda: {error}")


if __name__ == "__main__":
    main()
