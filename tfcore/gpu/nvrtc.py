"""NVRTC: a compiler of CUDA C++ in a library, which compiles users' sources where there is no nvcc.

The package nvidia-cuda-nvrtc has it, and CUDA's headers within it. It needs no card and no compiler for the host.
"""

import ctypes
import glob
import os
import sys
import sysconfig

from tfcore.gpu import build

# Those of the host's compiler that sources for nvcc include. Functions such as expf and printf are built in.
_INTEGERS = "#pragma once\n" + "".join(
    f"typedef signed {name} int{bits}_t;\ntypedef unsigned {name} uint{bits}_t;\n"
    for bits, name in ((8, "char"), (16, "short"), (32, "int"), (64, "long long"))  # as in cuda/std/cstdint
)
_INTEGERS += "typedef long long intptr_t;\ntypedef unsigned long long uintptr_t;\n"
_MATH = "#pragma once\n#define INFINITY __int_as_float(0x7f800000)\n#define NAN __int_as_float(0x7fffffff)\n"
HEADERS = {"stdint.h": _INTEGERS, "cstdint": _INTEGERS, "math.h": _MATH, "cmath": _MATH}
HEADERS |= dict.fromkeys(("stddef.h", "cstddef", "stdio.h", "cstdio", "cuda_runtime.h"), "")


def find():
    """The path of the newest library of the registry's packages, or None."""
    pattern = os.path.join(sysconfig.get_paths()["purelib"], "nvidia", "*", "lib", "libnvrtc.so.*")
    return max(glob.glob(pattern), key=lambda path: int(path.rpartition(".so.")[2].partition(".")[0]), default=None)


def header_folders(package):
    """Options for the headers in a package of NVRTC and, as for CUDA 12, in those beside it."""
    packages = [package, *(os.path.join(os.path.dirname(package), name) for name in ("cuda_runtime", "cuda_cccl"))]
    folders = [os.path.join(path, "include") for path in packages]
    return [f"-I{folder}" for folder in folders if os.path.isdir(folder)]


class Nvrtc:
    """A loaded library. version: text with its name and number."""

    def __init__(self, path):
        self._package = os.path.dirname(os.path.dirname(path))
        try:
            self._library = ctypes.CDLL(path)
        except OSError as error:
            raise build.BuildError(f"{path} can't be loaded: {error}") from None
        self._library.nvrtcGetErrorString.restype = ctypes.c_char_p
        numbers = ctypes.c_int(), ctypes.c_int()
        self._call("Version", *map(ctypes.byref, numbers))
        self.version = f"NVRTC {numbers[0].value}.{numbers[1].value}"

    def _call(self, name, *arguments):
        code = getattr(self._library, f"nvrtc{name}")(*arguments)
        if code:
            raise build.BuildError(f"nvrtc{name}: {self._library.nvrtcGetErrorString(code).decode()}")

    def compile(self, source, label, target, options):
        """The bytes of a cubin for an architecture, such as "sm_90".

        Raises: BuildError with the compiler's message, in which the source is called `label`.
        """
        program = ctypes.c_void_p()
        names, texts = _strings(HEADERS), _strings(HEADERS.values())
        about = ctypes.byref(program), source.encode(), label.encode()
        self._call("CreateProgram", *about, len(HEADERS), texts, names)
        try:
            options = [*options, f"-arch={target}", *self._include_folders()]
            if self._library.nvrtcCompileProgram(program, len(options), _strings(options)):
                said = self._get("ProgramLog", program).rstrip(b"\0").decode(errors="replace")
                raise build.BuildError(f"{self.version} does not compile {label} for {target}:\n{said}")
            return self._get("CUBIN", program)
        finally:
            self._library.nvrtcDestroyProgram(ctypes.byref(program))

    def _include_folders(self):
        """Options for CUDA's headers. They are within the library, and are unpacked into the cache."""
        if not hasattr(self._library, "nvrtcInstallBundledHeaders"):  # before 13.3, as PyTorch may have installed it
            return header_folders(self._package)
        folder = os.path.join(build.cache_folder(), self.version.replace(" ", "-").lower())
        said = ctypes.c_char_p()
        if self._library.nvrtcInstallBundledHeaders(folder.encode(), 0, ctypes.byref(said)):
            reason = (said.value or b"").decode(errors="replace")
            raise build.BuildError(f"{self.version} can't unpack CUDA's headers into {folder}: {reason}")
        return [f"-I{folder}", f"-I{os.path.join(folder, 'cccl')}"]

    def _get(self, what, program):
        size = ctypes.c_size_t()
        self._call(f"Get{what}Size", program, ctypes.byref(size))
        content = ctypes.create_string_buffer(size.value)
        self._call(f"Get{what}", program, content)
        return content.raw


def _strings(texts):
    texts = [text.encode() for text in texts]
    return (ctypes.c_char_p * len(texts))(*texts)


def main():
    """Compiles standard input: LIBRARY LABEL TARGET PRODUCT OPTION..."""
    path, label, target, product, *options = sys.argv[1:]
    try:
        cubin = Nvrtc(path).compile(sys.stdin.read(), label, target, options)
    except build.BuildError as error:
        sys.exit(str(error))
    with open(product, "wb") as file:
        file.write(cubin)


if __name__ == "__main__":
    main()
