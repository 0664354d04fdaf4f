"""Location of the kernel header and compiler flags: `tf.sysconfig`, and `python -m tfcore.sysconfig --cflags`.

gcc -shared -O3 $(python -m tfcore.sysconfig --cflags) mine.c -o mine.so
"""

import argparse
import collections
import os
import shlex

from tfcore.framework.lazy import lazy_names
from tfcore.platform.version import COMPILER_VERSION

__all__ = [
    "CXX11_ABI_FLAG",
    "CXX_VERSION",
    "MONOLITHIC_BUILD",
    "get_build_info",
    "get_compile_flags",
    "get_include",
    "get_lib",
    "get_link_flags",
]

__getattr__, __dir__ = lazy_names(globals(), {})

# What TensorFlow's own packages have. Kernel libraries link no C++ code of this one, so any compiler fits.
CXX11_ABI_FLAG = 1
CXX_VERSION = 201703
MONOLITHIC_BUILD = 0

_PACKAGE = os.path.dirname(os.path.abspath(__file__))


def get_include():
    """The folder that contains `tfcore/kernel.h`.

    Returns:
      A string.
    """
    return os.path.join(_PACKAGE, "include")


def get_lib():
    """The folder of tfcore's own kernel libraries.

    Returns:
      A string.
    """
    return os.path.join(_PACKAGE, "lib")


def get_compile_flags():
    """Flags for compiling a kernel library.

    Returns:
      A list of strings.
    """
    return [f"-I{get_include()}", "-fPIC", "-fvisibility=hidden"]


def get_link_flags():
    """Flags for linking a kernel library: none, as kernels reach the runtime through function pointers.

    Returns:
      A list of strings.
    """
    return []


def get_build_info():
    """How this package was built.

    Returns:
      An ordered dict from strings to values.
    """
    return collections.OrderedDict(
        [
            ("cpu_compiler", COMPILER_VERSION),
            ("is_cuda_build", False),
            ("is_rocm_build", False),
            ("is_tensorrt_build", False),
        ]
    )


def _main():
    parser = argparse.ArgumentParser(
        prog="python -m tfcore.sysconfig",
        description=__doc__,
        epilog="Writing, building, loading and testing an op: "
        + os.path.join(_PACKAGE, "examples", "custom_op", "README.md"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    kinds = {
        "cflags": get_compile_flags,
        "ldflags": get_link_flags,
        "include": lambda: [get_include()],
        "lib": lambda: [get_lib()],
    }
    group = parser.add_mutually_exclusive_group()
    for kind in kinds:
        group.add_argument(f"--{kind}", action="store_const", const=kind, dest="kind")
    kind = parser.parse_args().kind
    if kind is None:
        parser.print_help()
    else:
        print(shlex.join(kinds[kind]()))


if __name__ == "__main__":
    _main()
