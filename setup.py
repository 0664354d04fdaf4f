"""Builds the Cython core and the kernel libraries.

Each instruction-set level of the processor family has a shared library of all kernels in tfcore/lib, and
`tfcore.core.registry.registry` loads the best one that the running processor can execute. The files of kernels_c/ are
compiled for each level, except those that say TFC_ONE_LEVEL: wider instructions don't make them faster, so they are
compiled for the lowest level and linked into every library.

A wheel, and so `pip install .`, has the libraries of this machine's processor and of the lowest level; wheels for
others are built with TFCORE_LEVELS=all. An editable install, or `setup.py build_ext --inplace`, makes the one that this
machine's processor runs and updates those that are in the tree already. `setup.py build_levels` adds the others; the
tests call it (tests/conftest.py).

Beside them lie the emulated GPUs (tfcore/gpu/emulator): a library that stands in for the CUDA driver, and the program
that it starts for each device.

A wheel has the sources of the CUDA kernels in tfcore/kernels_cuda, to be compiled where GPUs are used.

Environment variables:
  TFCORE_LEVELS=baseline,avx2 | all         builds exactly these levels
  TFCORE_BUILD_JOBS=1                       compilers that run at a time (default: the number of cores)
  TFCORE_BUILD_CUDA=1                       compiles all CUDA kernels in advance, which takes minutes (default: each
                                            when it is first used)
  TFCORE_BUILD_TIMES=1                      prints the processor time of each file that is compiled
  TFCORE_SANITIZE=address,undefined|thread  builds everything with sanitizers
"""

import concurrent.futures
import functools
import glob
import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sysconfig

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext
from setuptools.command.build_py import build_py

INCLUDE = "kernels_c/include"
SHARED_NAMES = "kernels_c/*/names.h"  # lists of ops that CUDA sources include
NATIVE = ["tfcore/core", "tfcore/distributed"]
GENERATED = "build/cython"
CORE_FLAGS = ["-O3", "-std=gnu11", "-pthread", "-Wno-unused-function", "-Werror=implicit-function-declaration"]
# Code that Cython generates mostly calls Python's API, which more optimization makes no faster. Modules in the path of
# a step ask for more themselves (a `distutils:` comment at their top), also for calls of the runtime without stubs;
# sanitizer builds do not give it, as with checks it takes many times longer. What a .pxd says of a C function is
# checked here: only the C compiler sees the header.
GENERATED_FLAGS = ["-Og", "-Werror=incompatible-pointer-types"]
KERNEL_FLAGS = [
    "-O3",
    "-std=gnu11",
    "-Werror=undef",  # files compiled for one level have no TFC_LEVEL_NUM
    "-fno-math-errno",
    "-fno-trapping-math",
    "-ffp-contract=fast",
    "-fvisibility=hidden",
]
WARNINGS = ["-Wall", "-Wextra", "-Wno-unused-function", "-Wno-sign-compare"]
EMULATOR = "tfcore/gpu/emulator"
LAUNCHERS = "launchers_gpu"
EMULATED_DRIVER, EMULATED_GPU = "libtfcore_emulated_cuda", "tfcore_emulated_gpu"
X86_LEVELS = {"baseline": ["-march=x86-64"], "avx2": ["-march=x86-64-v3"], "avx512": ["-march=x86-64-v4"]}
ONE_LEVEL = re.compile(r"^TFC_ONE_LEVEL;", re.MULTILINE)
ALL_DEVICES = re.compile(r"^TFC_ALL_DEVICES;", re.MULTILINE)
RUNTIME = "libtfcore"
SANITIZE = os.environ.get("TFCORE_SANITIZE", "")


def levels():
    """Compiler flags by level; a level's place in the whole list is its number."""
    if platform.machine().lower() in ("x86_64", "amd64"):
        return X86_LEVELS
    return {"baseline": []}


def requested_levels():
    """The levels that TFCORE_LEVELS asks for; by default all."""
    requested = [level for level in os.environ.get("TFCORE_LEVELS", "").split(",") if level not in ("", "all")]
    if unknown := set(requested) - set(levels()):
        raise SystemExit(f"TFCORE_LEVELS: no level named {', '.join(sorted(unknown))}; there are {', '.join(levels())}")
    return requested or list(levels())


@functools.cache
def level_of_this_processor():
    """The best level whose instructions this machine has, by what the compiler says of it."""
    command = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")
    compiler = program_in(command)
    lowest, *others = levels()
    try:
        own = defined_macros(compiler, "-march=native")
        return next((level for level in reversed(others) if defined_macros(compiler, *levels()[level]) <= own), lowest)
    except (OSError, subprocess.CalledProcessError) as error:
        print(
            f"Only the level {lowest!r} of kernels is built: {compiler} does not say what this processor has ({error})"
        )
        return lowest


def program_in(command):
    """The compiler in a command that may have a cache before it."""
    return next(word for word in command if os.path.basename(word) not in ("ccache", "sccache"))


def check_compiler(command):
    if shutil.which(compiler := program_in(command)) is None:
        source = f"CC is {os.environ['CC']!r}, but there" if os.environ.get("CC") else "There"
        raise SystemExit(
            f"{source} is no program {compiler}. tfcore needs a C compiler to build, GCC or Clang: install one "
            "(Debian: apt install gcc g++; Fedora: dnf install gcc gcc-c++) and let CC name it unless it is the default"
        )


def defined_macros(compiler, *flags):
    """The names of the macros that stand for instruction sets, such as __AVX2__, under these flags."""
    command = [compiler, *flags, "-dM", "-E", "-x", "c", os.devnull]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return set(re.findall(r"#define (__(?:SSE|AVX|FMA|F16C|BMI|LZCNT|MOVBE|POPCNT)\w*__) 1", output))


def levels_of_a_wheel():
    """This processor's level, and the lowest, so that the wheel works on every machine. Releases have all."""
    return {level_of_this_processor(), next(iter(levels()))}


def levels_of_this_tree():
    """What a build in the tree makes: this processor's level, and those that would otherwise be out of date."""
    built = {level for level in levels() if os.path.exists(f"tfcore/lib/kernels_{level}.so")}
    return built | {level_of_this_processor()}


def sanitizer_flags():
    """Flags of a sanitizer build; other builds leave out the debug information that Python's own flags ask for.

    -O1, because checks make the compiler slow and a report is read against the source.
    """
    if not SANITIZE:
        return ["-g0"]
    flags = [f"-fsanitize={SANITIZE}", "-O1", "-g1", "-fno-omit-frame-pointer"]
    if "address" in SANITIZE:
        # Checks are calls, which compile several times faster than code in place. AddressSanitizer sees null pointers
        # and the ends of objects without UBSan's checks of them.
        flags += ["--param", "asan-instrumentation-with-call-threshold=0", "-fno-sanitize=null,object-size"]
    if "address" in SANITIZE and len(levels()) > 1:
        # AddressSanitizer moves stack frames to the heap, where GCC 12 stores 64-byte vectors as if they were aligned
        # (its bug 110027).
        flags.append("-Wa,-muse-unaligned-vector-move")
    return flags


def files(kind, *folders):
    """All files of a kind, such as "c", in folders and what is below them."""
    return sorted(path for folder in folders for path in glob.glob(f"{folder}/**/*.{kind}", recursive=True))


def runtime_extension():
    """The C code of the runtime and of clusters: a library that all Cython modules are linked with."""
    return Extension(
        f"tfcore.lib.{RUNTIME}",
        files("c", *NATIVE),
        include_dirs=[*NATIVE, ".", INCLUDE],
        extra_compile_args=[*CORE_FLAGS, "-fno-semantic-interposition", *sanitizer_flags()],
        # A soname, or modules would ask for the path at which it was linked.
        extra_link_args=["-pthread", f"-Wl,-soname,{RUNTIME}.so,-Bsymbolic-functions", *sanitizer_flags()],
    )


def cython_extensions():
    extensions = []
    for path in files("pyx", *NATIVE):
        to_package = os.path.relpath("tfcore", os.path.dirname(path))
        extensions.append(
            Extension(
                os.path.splitext(path)[0].replace(os.sep, "."),
                [path],
                include_dirs=[*NATIVE, ".", INCLUDE],
                define_macros=[("NPY_NO_DEPRECATED_API", "NPY_1_7_API_VERSION")],
                extra_compile_args=[*CORE_FLAGS, *sanitizer_flags()],
                extra_link_args=["-pthread", f"-Wl,-rpath,$ORIGIN/{to_package}/lib", *sanitizer_flags()],
            )
        )
    return extensions


def kernel_extensions():
    return [
        Extension(
            f"tfcore.lib.kernels_{level}",
            files("c", "kernels_c"),
            include_dirs=[".", INCLUDE],
            define_macros=[("TFC_LEVEL_NUM", str(number))],
            extra_compile_args=[*KERNEL_FLAGS, *WARNINGS, *flags, *sanitizer_flags()],
            extra_link_args=["-lm", *sanitizer_flags()],
        )
        for number, (level, flags) in enumerate(levels().items())
        if level in requested_levels()
    ]


def one_level_extension():
    """How the files that say TFC_ONE_LEVEL are compiled; their objects are in every kernel library."""
    return Extension(
        "tfcore.lib.one_level",
        [path for path in files("c", "kernels_c") if says(ONE_LEVEL, path)],
        include_dirs=[".", INCLUDE],
        extra_compile_args=[*KERNEL_FLAGS, *WARNINGS, *next(iter(levels().values())), *sanitizer_flags()],
    )


def launcher_extension():
    """The host's side of the CUDA kernels. Kernels that only move elements are those of kernels_c, built once more."""
    shared = [path for path in files("c", "kernels_c") if says(ALL_DEVICES, path)]
    return Extension(
        f"tfcore.lib.{LAUNCHERS}",
        [*files("c", "kernels_cuda"), *shared],
        include_dirs=[".", INCLUDE],
        define_macros=[("TFC_DEVICE", '"GPU"')],
        extra_compile_args=[*KERNEL_FLAGS, *WARNINGS, *next(iter(levels().values())), *sanitizer_flags()],
        extra_link_args=["-lm", *sanitizer_flags()],
    )


def emulator_extensions():
    """The emulated CUDA driver, and the program of a device, in which CUDA kernels run.

    Sanitizers look at the driver only: the program defines their callbacks itself, to check kernels.
    """
    device_sources = glob.glob(f"{EMULATOR}/gpu_*.c")
    flags = ["-O2", "-std=gnu11", "-pthread", *WARNINGS]
    return [
        Extension(
            f"tfcore.lib.{EMULATED_DRIVER}",
            sorted(set(glob.glob(f"{EMULATOR}/*.c")) - set(device_sources)),
            extra_compile_args=[*flags, "-fvisibility=hidden", *sanitizer_flags()],
            # Libraries that need the driver by its name, such as PyCUDA's, find this one if it is loaded before them.
            extra_link_args=["-pthread", "-ldl", "-Wl,-z,nodelete", "-Wl,-soname,libcuda.so.1", *sanitizer_flags()],
        ),
        Extension(
            f"tfcore.lib.{EMULATED_GPU}",
            sorted([*device_sources, *glob.glob(f"{EMULATOR}/threads/*.c")]),
            include_dirs=[EMULATOR],
            extra_compile_args=[*flags, "-g0"],
            extra_link_args=["-rdynamic", "-pthread", "-ldl", "-lm"],  # kernels find their runtime in the program
        ),
    ]


@functools.cache
def says(marker, path):
    with open(path) as f:
        return bool(marker.search(f.read()))


def is_kernel_library(name):
    return name.split(".")[-1].startswith("kernels_")  # setuptools asks with and without the package


def is_program(name):
    return name.split(".")[-1] == EMULATED_GPU


def is_python_module(name):
    libraries = (RUNTIME, EMULATED_DRIVER, LAUNCHERS)
    return not (is_kernel_library(name) or is_program(name) or name.split(".")[-1] in libraries)


class BuildExt(build_ext):
    """Compiles the files of all extensions in parallel, and only those that changed."""

    def finalize_options(self):
        super().finalize_options()
        # An editable install would compile to a temporary folder, and the next one everything again.
        tag = f"{sysconfig.get_platform()}-{sysconfig.get_config_var('SOABI')}"
        self.build_temp = os.path.join("build", f"objects.{tag}")
        self.extensions = [ext for ext in self.extensions if self.is_wanted(ext)]

    def is_wanted(self, ext):
        if "TFCORE_LEVELS" in os.environ or not is_kernel_library(ext.name):
            return True
        return ext.name.rpartition("_")[2] in (levels_of_this_tree() if self.inplace else levels_of_a_wheel())

    def get_ext_filename(self, fullname):
        if not is_python_module(fullname):
            return os.path.join(*fullname.split(".")) + ("" if is_program(fullname) else ".so")
        return super().get_ext_filename(fullname)

    def get_export_symbols(self, ext):
        return []

    def run(self):
        super().run()
        compile_cuda("" if self.inplace else self.build_lib)

    def build_extensions(self):
        check_compiler(self.compiler.compiler_so)
        workers = number_of_workers()
        if modules := [ext for ext in self.extensions if is_python_module(ext.name)]:
            self.compiler.add_include_dir(translate(modules, workers))
        one_level = one_level_extension()
        jobs = {}  # object file -> command; libraries share those of `one_level`
        for ext in self.extensions:
            ext.objects = []
            for source in ext.sources:
                shared = is_kernel_library(ext.name) and says(ONE_LEVEL, source)
                target = self.object_path(one_level if shared else ext, source)
                ext.objects.append(target)
                if self.force or is_stale(target, source):
                    jobs[target] = self.compile_command(one_level if shared else ext, source, target)
        jobs = dict(sorted(jobs.items(), key=lambda job: -work(job[1][-1])))
        times = {}
        with concurrent.futures.ThreadPoolExecutor(workers) as pool, progress().work("compiling", len(jobs)) as count:
            for target, seconds in zip(jobs, pool.map(run, jobs.values()), strict=True):
                times[target] = seconds
                count.done += 1
        if os.environ.get("TFCORE_BUILD_TIMES"):
            print_times(times)
        for ext in self.extensions:
            self.link(ext)
        copy_header(self.build_lib)

    def object_path(self, ext, source):
        return os.path.join(self.build_temp, ext.name, os.path.splitext(source)[0] + ".o")

    def compile_command(self, ext, source, target):
        os.makedirs(os.path.dirname(target), exist_ok=True)
        macros = [f"-D{name}={value}" for name, value in ext.define_macros]
        includes = [f"-I{d}" for d in ext.include_dirs]
        # As system headers, which -MMD leaves out: pip puts those of NumPy into another folder for each build.
        includes += [f"-isystem{d}" for d in self.compiler.include_dirs]
        # Instructions that Python's own build flags may ask for must not reach a library for older processors.
        flags = [f for f in self.compiler.compiler_so if not f.startswith(("-march", "-mtune"))]
        flags += ext.extra_compile_args
        if source.startswith(GENERATED):
            flags += ext.generated_flags
        return [*flags, *macros, *includes, "-MMD", "-MF", target + ".d", "-o", target, "-c", source]

    def link(self, ext):
        target = self.get_ext_fullpath(ext.name)
        os.makedirs(os.path.dirname(target), exist_ok=True)
        newest = max(os.path.getmtime(o) for o in ext.objects)
        # What the target was linked from: a source that is gone leaves no newer object.
        linked = os.path.join(self.build_temp, ext.name + ".objects")
        if os.path.exists(target) and os.path.getmtime(target) > newest and not self.force:
            if lines_of(linked) == ext.objects:
                return
        linker = self.compiler.linker_exe if is_program(ext.name) else self.compiler.linker_so
        runtime = [self.get_ext_fullpath(f"tfcore.lib.{RUNTIME}")] if is_python_module(ext.name) else []
        run([*linker, *ext.objects, *runtime, *ext.extra_link_args, "-o", target])
        with open(linked, "w") as file:
            file.writelines(f"{path}\n" for path in ext.objects)

    def copy_extensions_to_source(self):
        os.makedirs("tfcore/lib", exist_ok=True)  # an in-place build of a fresh clone
        super().copy_extensions_to_source()
        copy_header("")


class BuildPy(build_py):
    """Puts the sources of the CUDA kernels into a wheel. An editable install has those of the tree."""

    def run(self):
        if not self.editable_mode:  # the folder of an earlier build may have modules and libraries that are gone
            shutil.rmtree(os.path.join(self.build_lib, "tfcore"), ignore_errors=True)
        super().run()
        if not self.editable_mode:
            copy_cuda_sources(os.path.join(self.build_lib, "tfcore"))


class BuildLevels(BuildExt):
    description = "build the kernel libraries of the levels that the tree lacks"

    def initialize_options(self):
        super().initialize_options()
        self.inplace = True

    def is_wanted(self, ext):
        return is_kernel_library(ext.name)


def translate(modules, workers):
    """Turns the .pyx files among the sources into C; returns the folder of the headers that they need."""
    import numpy  # only a build needs these two: the other commands of an install start faster without
    from Cython.Build import cythonize

    translated = cythonize(
        [Extension(ext.name, ext.sources[:1]) for ext in modules],
        include_path=NATIVE,
        build_dir=GENERATED,
        language_level=3,
        nthreads=workers,
        quiet=True,
    )
    translated = {ext.name: ext for ext in translated}
    for ext in modules:
        ext.sources[0] = translated[ext.name].sources[0]
        wanted = [] if SANITIZE else translated[ext.name].extra_compile_args
        ext.generated_flags = [*GENERATED_FLAGS, *wanted]
    return numpy.get_include()


def work(source):
    """A measure of the time a file takes to compile: its size, with the headers beside it as often as it has them."""
    with open(source) as f:
        text = f.read()
    headers = re.findall(r'#include "(kernels_\w+/[\w/]+\.h)"', text)
    return len(text) + sum(work(header) for header in headers)


def number_of_workers():
    return int(os.environ.get("TFCORE_BUILD_JOBS", 0)) or os.cpu_count() or 1


def copy_cuda_sources(package):
    """Copies what tfcore/gpu/build.py and host_build.py compile into the folder of a package."""
    shutil.rmtree(os.path.join(package, "kernels_cuda"), ignore_errors=True)
    for source in [*glob.glob("kernels_cuda/**/*.*", recursive=True), *glob.glob(SHARED_NAMES)]:
        if source.endswith((".cu", ".cuh", ".h")):
            copy_file(source, os.path.join(package, source))
    for source in glob.glob(f"{EMULATOR}/threads/*.[ch]*"):
        copy_file(source, os.path.join(package, os.path.relpath(source, "tfcore")))


def copy_file(source, target):
    os.makedirs(os.path.dirname(target), exist_ok=True)
    shutil.copy(source, target)


def compile_cuda(root):
    """Compiles the CUDA kernels into tfcore/lib/cuda below `root` if TFCORE_BUILD_CUDA=1 asks for it.

    Without it a family is compiled when a program first needs it: an install takes no longer where nvcc is found.
    """
    wanted = os.environ.get("TFCORE_BUILD_CUDA") or "0"
    if wanted not in ("0", "1"):
        raise SystemExit(f"TFCORE_BUILD_CUDA is {wanted!r}; it may be 0 or 1")
    if wanted == "0":
        return
    build = module_at("tfcore/gpu/build.py")
    try:
        with progress().work("compiling the CUDA kernels"):
            build.compile_into(os.path.join(root, "tfcore", "lib", "cuda"), number_of_workers())
    except build.BuildError as error:
        raise SystemExit(f"TFCORE_BUILD_CUDA=1: {error}") from None


def progress():
    return module_at(os.path.join(os.path.dirname(os.path.abspath(__file__)), "tfcore/core/threads/progress.py"))


@functools.cache
def module_at(path):
    """By its path: the package can't be imported before it is built, and these modules need nothing of it."""
    spec = importlib.util.spec_from_file_location(path.removesuffix(".py").replace("/", "_"), path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def copy_header(root):
    target = os.path.join(root, "tfcore", "include", "tfcore")
    os.makedirs(target, exist_ok=True)
    shutil.copy(os.path.join(INCLUDE, "tfcore", "kernel.h"), target)


def lines_of(path):
    """The lines of a file; none where there is no file."""
    try:
        with open(path) as file:
            return file.read().splitlines()
    except FileNotFoundError:
        return []


def is_stale(target, source):
    """Whether an object file is older than its source or any of the project's headers that the compiler read for it."""
    if not os.path.exists(target) or not os.path.exists(target + ".d"):
        return True
    built = os.path.getmtime(target)
    with open(target + ".d") as f:
        needed = f.read().replace("\\\n", " ").split(":", 1)[1].split()
    return any(not os.path.exists(n) or os.path.getmtime(n) > built for n in [source, "setup.py", *needed])


def run(command):
    """Runs a command, and prints what it says; returns its processor time in seconds."""
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace")
    with process.stdout:
        said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if said:
        print(said)
    if process.returncode:
        raise SystemExit(f"failed: {' '.join(command)}")
    return usage.ru_utime + usage.ru_stime


def print_times(times):
    """Prints how much processor time each object file took, the most expensive first.

    Args:
      times: {object file: seconds}
    """
    for target, seconds in sorted(times.items(), key=lambda item: -item[1]):
        print(f"{seconds:6.2f} s  {target}")
    print(f"{sum(times.values()):6.1f} s of processor time for {len(times)} files")


if __name__ == "__main__":  # not in the processes that translate
    setup(
        ext_modules=[
            runtime_extension(),
            *cython_extensions(),
            *kernel_extensions(),
            launcher_extension(),
            *emulator_extensions(),
        ],
        cmdclass={"build_ext": BuildExt, "build_py": BuildPy, "build_levels": BuildLevels},
    )
