"""Builds the Cython core and the kernel libraries.

The files of kernels_c/ are compiled once for each instruction-set level of the processor family; each set becomes one
shared library in tfcore/lib, and `tfcore.core.registry` loads the best one that the running processor can execute.

Environment: TFCORE_SANITIZE=address,undefined|thread builds everything with sanitizers; TFCORE_LEVELS=baseline,avx2 builds
only these levels; TFCORE_BUILD_JOBS limits the number of compilers that run at a time (default: the number of cores).
"""

import concurrent.futures
import glob
import os
import platform
import shutil
import subprocess

import numpy
from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

INCLUDE = "kernels_c/include"
KERNEL_FLAGS = [
    "-O3",
    "-std=gnu11",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-fvisibility=hidden",
]
WARNINGS = ["-Wall", "-Wextra", "-Wno-unused-function", "-Wno-sign-compare"]
X86_LEVELS = {"baseline": ["-march=x86-64"], "avx2": ["-march=x86-64-v3"], "avx512": ["-march=x86-64-v4"]}
# The C files beside a Cython module that belong to it.
SOURCES = {
    "tfcore.core.runtime": [
        "allocator.c",
        "pool.c",
        "spawn.c",
        "context.c",
        "step.c",
        "admission.c",
        "watch.c",
        "run.c",
        "dynamic.c",
        "flow.c",
        "flow_memory.c",
        "loop.c",
        "holders.c",
        "observer.c",
        "rendezvous.c",
        "send_recv.c",
    ],
    "tfcore.distributed.fabric": [
        "arena.c",
        "ring.c",
        "payload.c",
        "endpoint.c",
        "service.c",
        "calls.c",
        "link.c",
        "mailbox.c",
    ],
    "tfcore.distributed.steps": ["remote.c"],
    "tfcore.distributed.collective": ["collective_match.c", "collective_cut.c", "collective_work.c"],
}
SANITIZE = os.environ.get("TFCORE_SANITIZE", "")


def levels():
    """Compiler flags by level; a level's place in the whole list is its number."""
    if platform.machine().lower() in ("x86_64", "amd64"):
        return X86_LEVELS
    return {"baseline": []}


def wanted_levels():
    wanted = [level for level in os.environ.get("TFCORE_LEVELS", "").split(",") if level]
    if unknown := set(wanted) - set(levels()):
        raise SystemExit(f"TFCORE_LEVELS: no level named {', '.join(sorted(unknown))}; there are {', '.join(levels())}")
    return wanted or list(levels())


def sanitizer_flags():
    """Flags of a sanitizer build; other builds leave out the debug information that Python's own flags ask for.

    -O1, because checks make the compiler slow and a report is read against the source.
    """
    return [f"-fsanitize={SANITIZE}", "-O1", "-g1", "-fno-omit-frame-pointer"] if SANITIZE else ["-g0"]


def cython_extensions():
    modules = [
        Extension(
            os.path.splitext(path)[0].replace(os.sep, "."),
            [path],
            include_dirs=["tfcore/core", "tfcore/distributed", INCLUDE, numpy.get_include()],
            define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
            extra_compile_args=["-O3", "-std=gnu11", "-pthread", "-Wno-unused-function", *sanitizer_flags()],
            extra_link_args=["-pthread", *sanitizer_flags()],
        )
        for path in sorted([*glob.glob("tfcore/core/*.pyx"), *glob.glob("tfcore/distributed/*.pyx")])
    ]
    extensions = cythonize(modules, build_dir="build/generated", language_level=3, quiet=True)
    for (
        extension
    ) in extensions:  # added after: a C file may have the name of a Cython file (rendezvous.c, rendezvous.pyx)
        folder = os.path.join(*extension.name.split(".")[:-1])
        extension.sources += [os.path.join(folder, c) for c in SOURCES.get(extension.name, [])]
    return extensions


def kernel_extensions():
    sources = sorted(glob.glob("kernels_c/*.c"))
    return [
        Extension(
            f"tfcore.lib.kernels_{level}",
            sources,
            include_dirs=["kernels_c", INCLUDE],
            define_macros=[("TFC_LEVEL", level), ("TFC_LEVEL_NUM", str(number))],
            extra_compile_args=[*KERNEL_FLAGS, *WARNINGS, *flags, *sanitizer_flags()],
            extra_link_args=["-lm", *sanitizer_flags()],
        )
        for number, (level, flags) in enumerate(levels().items())
        if level in wanted_levels()
    ]


class BuildExt(build_ext):
    """Compiles the files of all extensions in parallel, and only those that changed."""

    def get_ext_filename(self, fullname):
        if fullname.split(".")[-1].startswith("kernels_"):  # plain shared libraries, not Python modules
            return os.path.join(*fullname.split(".")) + ".so"
        return super().get_ext_filename(fullname)

    def get_export_symbols(self, ext):
        return []

    def build_extensions(self):
        jobs = []
        for ext in self.extensions:
            ext.objects = []
            for source in ext.sources:
                target = os.path.join(self.build_temp, ext.name, os.path.splitext(source)[0] + ".o")
                ext.objects.append(target)
                if self.force or is_stale(target, source):
                    jobs.append(self.compile_command(ext, source, target))
        jobs.sort(key=lambda job: -os.path.getsize(job[-1]))
        workers = int(os.environ.get("TFCORE_BUILD_JOBS", 0)) or os.cpu_count() or 1
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            list(pool.map(run, jobs))
        for ext in self.extensions:
            self.link(ext)
        copy_header(self.build_lib)

    def compile_command(self, ext, source, target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        macros = [f"-D{name}={value}" for name, value in ext.define_macros]
        includes = [f"-I{d}" for d in [*ext.include_dirs, *self.compiler.include_dirs]]
        flags = [f for f in self.compiler.compiler_so if not f.startswith(("-march", "-mtune"))]
        return [
            *flags,
            *macros,
            *includes,
            *ext.extra_compile_args,
            "-MMD",
            "-MF",
            target + ".d",
            "-o",
            target,
            "-c",
            source,
        ]

    def link(self, ext):
        target = self.get_ext_fullpath(ext.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        newest = max(os.path.getmtime(o) for o in ext.objects)
        if os.path.exists(target) and os.path.getmtime(target) > newest and not self.force:
            return
        run([*self.compiler.linker_so, *ext.objects, *ext.extra_link_args, "-o", target])

    def copy_extensions_to_source(self):
        os.makedirs("tfcore/lib", exist_ok=True)  # an in-place build of a fresh clone
        super().copy_extensions_to_source()
        copy_header("")


def copy_header(root):
    target = os.path.join(root, "tfcore", "include", "tfcore")
    os.makedirs(target, exist_ok=True)
    shutil.copy(os.path.join(INCLUDE, "tfcore", "kernel.h"), target)


def is_stale(target, source):
    """Whether an object file is older than its source or any header the compiler read for it."""
    if not os.path.exists(target) or not os.path.exists(target + ".d"):
        return True
    built = os.path.getmtime(target)
    with open(target + ".d") as f:
        needed = f.read().replace("\\\n", " ").split(":", 1)[1].split()
    return any(not os.path.exists(n) or os.path.getmtime(n) > built for n in [source, "setup.py", *needed])


def run(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.stderr:
        print(done.stderr)
    if done.returncode:
        raise SystemExit(f"failed: {' '.join(command)}")


setup(ext_modules=[*cython_extensions(), *kernel_extensions()], cmdclass={"build_ext": BuildExt})
