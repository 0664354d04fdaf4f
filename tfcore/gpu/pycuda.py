"""PyCUDA on the device that sessions use: an NVIDIA card, or an emulated GPU."""

import ctypes
import os
import re
import shutil
import sys

from tfcore.gpu import build, driver, host_build


def load():
    """Makes PyCUDA ready; call it before the first `import pycuda.driver`.

    With TFCORE_EMULATE_GPUS=N in the environment, PyCUDA gets the N emulated GPUs: the emulator stands in for the
    driver's library, and `pycuda.compiler` compiles with g++ instead of nvcc, with checks of each access of memory if
    TFCORE_EMULATE_CHECKED=1. Further calls do nothing.

    Raises:
      ImportError: PyCUDA is not installed, or there is no driver.
    """
    path = driver.EMULATOR if driver.emulation_is_wanted() else "libcuda.so.1"
    try:
        ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL)  # PyCUDA finds the driver's functions there
    except OSError as error:
        raise ImportError(f"PyCUDA needs the CUDA driver: {error}. TFCORE_EMULATE_GPUS=1 emulates a GPU.") from None
    flags = sys.getdlopenflags()
    try:
        sys.setdlopenflags(os.RTLD_LAZY)  # the emulator has no textures, nor other functions that few programs call
        import pycuda.driver
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "pycuda":  # what it needs itself
            raise
        raise ImportError("PyCUDA is not installed. `python -m tfcore.gpu.install_pycuda` installs it.") from None
    finally:
        sys.setdlopenflags(flags)
    pycuda.driver.init()
    if driver.emulation_is_wanted():
        from pycuda import compiler

        compiler.compile_plain = _compile_for_host
    else:
        _put_nvcc_into_path()


def _put_nvcc_into_path():
    """PyCUDA calls `nvcc`. Where only the registry's packages have it, or CUDA_HOME, it is found from now on."""
    if not shutil.which("nvcc"):
        try:
            folder = os.path.dirname(build.find_nvcc())
        except build.BuildError:  # programs may have compiled modules
            return
        os.environ["PATH"] = os.pathsep.join([os.environ.get("PATH", os.defpath), folder])


# A step of PyCUDA's reductions. They take for granted that the threads of a warp run in lockstep.
_REDUCTION = re.compile(r"\bsmem\[tid\] = (REDUCE\(smem\[tid\], smem\[tid \+ \d+\]\));")
_REDUCTION_WITH_BARRIERS = r"{ const out_type sum = \1; __syncwarp(); smem[tid] = sum; __syncwarp(); }"


def _compile_for_host(source, options, keep, nvcc, cache_dir, target="cubin"):
    """In place of PyCUDA's function of this name: a module's image for the emulated GPU, as bytes."""
    import pycuda.driver

    source = _REDUCTION.sub(_REDUCTION_WITH_BARRIERS, source)
    try:
        path = host_build.compile_source(source, options=options, checked=driver.checks_are_wanted())
    except host_build.BuildError as error:
        raise pycuda.driver.CompileError("compilation for the emulated GPU failed", [], stderr=str(error)) from None
    with open(path, "rb") as file:
        return file.read()
