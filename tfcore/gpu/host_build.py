"""Compiles the families of kernels_cuda for the host, and the runtime that runs them there.

A family becomes a shared object, either fast or checked: then each access of memory is a call of the runtime, which
finds accesses out of bounds and races. `emulator/threads/README.md` says how. Both are cached by the hash of their
sources, the flags and the compiler.
"""

import ctypes
import fcntl
import functools
import glob
import hashlib
import os
import re
import shutil
import subprocess
import tempfile

from tfcore.gpu import build, host_source
from tfcore.gpu.build import SOURCES, BuildError

EMULATOR = os.path.join(os.path.dirname(os.path.abspath(__file__)), "emulator")
RUNTIME = os.path.join(EMULATOR, "threads")
HEADERS = os.path.join(RUNTIME, "headers")  # under the names of NVIDIA's
RUNTIME_FLAGS = ("-std=gnu11", "-O2", "-fPIC", "-shared", "-pthread", "-Wall", "-Wextra")
# Kernels look at memory through pointers of several types and let integers wrap around, as nvcc allows.
FAMILY_FLAGS = ("-x", "c++", "-std=c++17", "-fPIC", "-fvisibility=hidden", "-fno-gnu-unique", "-fno-exceptions")
# A static array of halves gets a guard, which poison sets: there is nothing to initialise.
FAMILY_FLAGS += ("-fno-threadsafe-statics",)
FAMILY_FLAGS += ("-fno-strict-aliasing", "-fwrapv", "-ffp-contract=off", "-Wall", "-Wextra", "-Wno-unknown-pragmas")
FAST_FLAGS = ("-O3",)
USER_FAST_FLAGS = ("-O1",)  # they are compiled while somebody waits
# What x86-64-v3 needs, by the names of /proc/cpuinfo.
LEVEL_3 = {"avx2", "bmi1", "bmi2", "f16c", "fma", "abm", "movbe"}
CHECKED_FLAGS = ("-O1", "-g1", "-fsanitize=thread", "--param", "tsan-instrument-func-entry-exit=0")
CHECKED_FLAGS += ("--param", "tsan-distinguish-volatile=1")
# A kernel may have the name of a function of libm, hence -Bsymbolic. The emulator reads the older table of symbols, too
# (gpu_modules.c).
LINK_FLAGS = ("-shared", "-nostartfiles", "-Wl,-z,now", "-Wl,-Bsymbolic", "-Wl,--hash-style=both", "-pthread", "-lm")
GAP = 64  # bytes after each variable of checked builds


def find_compiler(language):
    """The path of the compiler for "c" or "c++": from CC or CXX, else GCC's."""
    variable, default = {"c": ("CC", "gcc"), "c++": ("CXX", "g++")}[language]
    name = os.environ.get(variable) or default
    if path := shutil.which(name):
        return path
    raise BuildError(f"No compiler for CUDA kernels on the host: {name} is not in PATH. {variable} may name another")


@functools.cache
def _processor_flags():
    """Flags for this processor's instructions: code for the host runs where it is compiled."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            match = re.search(r"^flags\s*:(.*)$", file.read(), re.M)
    except OSError:
        return ()
    return ("-march=x86-64-v3",) if match and set(match[1].split()) >= LEVEL_3 else ()


@functools.cache
def _version(compiler):
    return _run([compiler, "--version"], f"{compiler} does not run")


def _run(command, failure, **options):
    try:
        done = subprocess.run(command, capture_output=True, text=True, **options)
    except OSError as e:
        raise BuildError(f"{failure}: {e}") from None
    if done.returncode:
        raise BuildError(f"{failure}:\n{done.stderr or done.stdout}")
    return done.stdout


def compile_family(family, checked=False, sources=SOURCES, few_types=False):
    """The path of a family's shared object. It is compiled unless the cache has it; several processes may do so.

    With `few_types` it has the kernels of one type of each kind only (element.cuh).
    """
    source = os.path.join(sources, family + ".cu")
    if not os.path.exists(source):
        raise BuildError(f"There is no family {family!r} of CUDA kernels in {sources}")
    compiler = find_compiler("c++")
    includes = [f"-I{folder}" for folder in (*build.include_folders(sources), EMULATOR)]
    flags = (*FAMILY_FLAGS, *includes, *_processor_flags(), *(CHECKED_FLAGS if checked else FAST_FLAGS))
    flags += build.FEW_TYPES if few_types else ()
    files = {*build.sources_of(family, sources), *glob.glob(os.path.join(RUNTIME, "*.*h"))}
    name = f"{family.replace('/', '-')}-{'checked' if checked else 'fast'}"
    path = _cached(name, files, (_version(compiler), flags, LINK_FLAGS, GAP))
    if not os.path.exists(path):
        with open(source, "rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)  # another process that compiles it need not do so twice
            if not os.path.exists(path):
                _write(path, lambda product: _compile_family(compiler, flags, source, checked, product))
    return path


def compile_source(source, include_dirs=(), options=(), checked=False, name="kernel.cu"):
    """The path of the shared object for a user's CUDA source: the emulated GPU loads it as a module.

    Args:
      source: CUDA C++. What it has of `extern "C"`, kernels of any parameters included, can be launched by name.
      include_dirs: where its includes are.
      options: of nvcc; definitions of macros, folders of includes and the language's version count.
      checked: whether each access of memory is checked (`emulator/threads/README.md`).
      name: of the source, in messages.

    Raises: BuildError with the compiler's message: the source is wrong, or uses what the emulated GPU does not have.
    """
    compiler = find_compiler("c++")
    flags = [*FAMILY_FLAGS, "-w", *_host_options(options), f"-I{EMULATOR}", f"-I{HEADERS}"]
    flags += [*(f"-I{folder}" for folder in include_dirs), *_processor_flags()]
    flags += CHECKED_FLAGS if checked else USER_FAST_FLAGS
    failure = f"{compiler} does not compile {name} for the emulated GPU"
    command = [compiler, "-E", "-include", os.path.join(RUNTIME, "user.cuh"), *flags, "-"]
    begin = f'{host_source.BEGIN}\n#line 1 "{name}"\n'
    runtime, _, text = _run(command, failure, input=begin + source).partition(host_source.BEGIN)
    kind = "checked" if checked else "fast"
    path = _cached(f"source-{kind}", (), (_version(compiler), flags, LINK_FLAGS, GAP, runtime, text))

    def write(product):
        translated = f'# 1 "{name}"\n' + runtime + host_source.translate(text)
        command = [compiler, *flags, "-fpreprocessed", "-S", "-o", "-", "-"]
        _assemble(compiler, _run(command, failure, input=translated), checked, product)

    return build.keep_source(path, write)


def _host_options(options):
    """Those options of nvcc that mean something on the host."""
    kept, words = [], iter(options)
    for word in words:
        if word in ("-D", "-U", "-I", "--define-macro", "--undefine-macro", "--include-path"):
            kept.append("-" + word.lstrip("-")[0].upper() + next(words, ""))
        elif word.startswith(("-D", "-U", "-I", "-std=", "--std=")):
            kept.append(word)
    return kept


def _compile_family(compiler, flags, source, checked, product):
    failure = f"{compiler} does not compile {source} for the host"
    text = _run([compiler, *flags, "-S", "-o", "-", source], failure)
    _assemble(compiler, text, checked, product)


def _assemble(compiler, text, checked, product):
    if checked:
        text = with_gaps(text)
    command = [compiler, "-x", "assembler", "-", *LINK_FLAGS, "-o", product]
    _run(command, f"{compiler} does not assemble what it has compiled", input=text)


COMMON = re.compile(r"^\t\.local\t(\S+)\n\t\.comm\t\1,(\d+),(\d+)$", re.M)
ZEROS = re.compile(r"^(\t\.zero\t)(\d+)$", re.M)


def with_gaps(assembly):
    """GCC's assembly with a gap after each uninitialised variable: an access past its end shows there.

    The sizes in the table of symbols stay as they are.
    """

    def place(match):
        name, size, alignment = match.groups()
        lines = (
            '.pushsection .bss,"aw",@nobits',
            f".balign {alignment}",
            f".type {name}, @object",
            f".size {name}, {size}",
            f"{name}:",
            f".zero {int(size) + GAP}",
            ".popsection",
        )
        return "\n".join(lines)

    sections = re.split(r"(?m)(?=^\t\.(?:section|text|data|bss)\b)", COMMON.sub(place, assembly))
    for i, section in enumerate(sections):
        if re.match(r"\t\.(bss\b|section\t\.bss)", section):
            sections[i] = ZEROS.sub(lambda m: f"{m[1]}{int(m[2]) + GAP}", section)
    return "".join(sections)


def compile_runtime(flags=()):
    """The path of the runtime as a shared object, for programs that have none built in.

    Flags: -DTFC_PORTABLE_FIBERS switches threads as on unknown processors; sanitizers may be of use, too.
    """
    compiler = find_compiler("c")
    sources = sorted(glob.glob(os.path.join(RUNTIME, "*.c")))
    if not sources:
        raise BuildError(f"There are no sources of the runtime in {RUNTIME}")
    files = {*sources, *glob.glob(os.path.join(RUNTIME, "*.h"))}
    path = _cached("libcuda_on_host", files, (_version(compiler), RUNTIME_FLAGS, flags))
    if not os.path.exists(path):
        failure = f"{compiler} does not compile the runtime in {RUNTIME}"
        _write(path, lambda product: _run([compiler, *RUNTIME_FLAGS, *flags, *sources, "-o", product, "-ldl"], failure))
    return path


@functools.cache
def load_runtime(*flags):
    """The runtime, loaded so that families find its functions. Load it before them."""
    return ctypes.CDLL(compile_runtime(flags), mode=ctypes.RTLD_GLOBAL)


def _cached(name, files, options):
    digest = hashlib.sha256(repr(options).encode())
    for path in sorted(files):
        with open(path, "rb") as file:
            content = file.read()
        digest.update(f"{os.path.basename(path)} {len(content)}\n".encode() + content)
    return os.path.join(build.cache_folder(), f"{name}-{digest.hexdigest()[:24]}.so")


def _write(path, make):
    """Makes a file beside its final place and renames it."""
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        product = os.path.join(folder, "product.so")
        make(product)
        os.replace(product, path)
