"""Compiles the families of kernels_cuda with nvcc.

A family is a .cu file, named by its path, such as cwise/unary. It becomes one fatbin: machine code for the
architectures that clusters have today, and PTX, from which a driver makes code for later ones. Fatbins are named by the
hash of their sources, the flags and the compiler. They are taken from the installed package if it was built where nvcc
was (setup.py), else from a cache, else compiled into the cache.

    python -m tfcore.gpu.build [--summary] [FAMILY...]

compiles all families, or those named, and prints what each kernel needs: registers, shared memory, spilled bytes. The
summary has a line for each family and architecture, with the largest numbers.
"""

import argparse
import concurrent.futures
import contextlib
import functools
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from typing import NamedTuple

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
# An installed package has the sources in it; in the repository they lie beside it.
SOURCES = os.path.join(PACKAGE, "kernels_cuda")
if not os.path.isdir(SOURCES):
    SOURCES = os.path.join(os.path.dirname(PACKAGE), "kernels_cuda")
INSTALLED = os.path.join(PACKAGE, "lib", "cuda")
COMPILER = "nvcc.txt"  # a file in INSTALLED: the compiler that made the fatbins there
# Code for 8.0 runs on all 8.x, code for 9.0 on all 9.x. Only the newest PTX is worth its size: what is newer than 9.x
# can compile it, and what is older has machine code.
TARGETS = ("sm_80", "sm_90", "compute_90")
# 186: comparison of an unsigned integer with 0, in templates that serve signed types, too.
FLAGS = ("-std=c++17", "-O3", "-Xptxas", "-v", "-Werror", "all-warnings", "-diag-suppress=186")
FEW_TYPES = ("-DTFC_FEW_TYPES",)
MOST_SOURCES = 1000  # compiled ones of users that the cache keeps
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


class BuildError(RuntimeError):
    """nvcc is missing or rejects a family."""


class Usage(NamedTuple):
    """What one kernel needs on one architecture, in bytes except for the registers of a thread."""

    kernel: str
    target: str
    registers: int
    shared: int
    stack: int
    spill_stores: int
    spill_loads: int


class Family(NamedTuple):
    fatbin: str
    usage: list


def find_nvcc():
    """The path of nvcc: from CUDA_HOME, PATH, or the compiler packages of the registry."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if folder := os.environ.get(variable):
            path = os.path.join(folder, "bin", "nvcc")
            if not os.access(path, os.X_OK):
                raise BuildError(f"{variable} is {folder}, but {path} is not there")
            return path
    if path := shutil.which("nvcc"):
        return path
    packages = sysconfig.get_paths()["purelib"]
    for path in sorted(glob.glob(os.path.join(packages, "nvidia", "*", "bin", "nvcc")), reverse=True):
        if os.access(path, os.X_OK):
            return path
    raise BuildError(
        "No CUDA compiler: CUDA_HOME is not set, nvcc is not in PATH, and the packages in "
        f"{os.path.join(packages, 'nvidia')} have none. pip install 'tfcore[cuda]' installs one"
    )


@functools.cache
def version(nvcc):
    """What an nvcc says of itself."""
    try:
        return subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as e:
        raise BuildError(f"{nvcc} does not run: {e}") from None


def families(sources=SOURCES):
    """The names of all families: the paths of the .cu files."""
    paths = glob.glob(os.path.join("**", "*.cu"), root_dir=sources, recursive=True)
    return sorted(path.replace(os.sep, "/")[:-3] for path in paths)


def include_folders(sources=SOURCES):
    """Where includes are looked up: their paths begin with kernels_cuda/."""
    return list(dict.fromkeys([os.path.dirname(os.path.abspath(sources)), os.path.dirname(SOURCES)]))


def sources_of(family, sources=SOURCES):
    """The files that a family is made of: its .cu file and what it includes with quotes, in a fixed order."""
    found, waiting = [], [os.path.join(sources, family + ".cu")]
    while waiting:
        path = os.path.normpath(waiting.pop())
        if path in found:
            continue
        found.append(path)
        with open(path, encoding="utf-8") as file:
            text = file.read()
        for name in INCLUDE.findall(text):
            places = [os.path.join(folder, name) for folder in (os.path.dirname(path), *include_folders(sources))]
            waiting += [place for place in places if os.path.exists(place)][:1]
    return sorted(found)


def cache_folder():
    folder = os.path.expanduser(os.environ.get("TFCORE_CACHE") or os.path.join("~", ".cache", "tfcore"))
    if folder.startswith("~"):
        raise BuildError("There is no home folder to keep compiled kernels in: set TFCORE_CACHE")
    try:
        os.makedirs(folder, exist_ok=True)
    except OSError as error:
        raise BuildError(f"Compiled kernels can't be kept: {error}. Set TFCORE_CACHE to another folder") from None
    return os.path.abspath(folder)


def compile_family(family, targets=TARGETS, sources=SOURCES, few_types=False):
    """Compiles a family, unless the package or the cache has it. Several processes may do so at once.

    With `few_types` it gets the kernels of one type of each kind only (element.cuh), which takes less time.
    """
    if family not in families(sources):
        raise BuildError(f"There is no family {family!r} of CUDA kernels in {sources}")
    flags = (*FLAGS, *FEW_TYPES) if few_types else FLAGS
    path = os.path.join(INSTALLED, _file_name(_installed_version(), flags, family, targets, sources))
    if not _is_compiled(path):
        path = _cached(find_nvcc(), flags, family, targets, sources)
        if not _is_compiled(path):
            _compile(find_nvcc(), flags, sources, family, targets, path)
    with open(path + ".json", encoding="utf-8") as file:
        return Family(path, [Usage(*row) for row in json.load(file)])


def is_cached(family):
    """Whether the cache has a family with all types for all targets."""
    return _is_compiled(_cached(find_nvcc(), FLAGS, family, TARGETS, SOURCES))


def _cached(nvcc, flags, family, targets, sources):
    return os.path.join(cache_folder(), _file_name(version(nvcc), flags, family, targets, sources))


def keep_source(path, write):
    """The path of a file in the cache for a user's source, whose name begins with "source-".

    Unless it is there, `write(product)` makes it in a folder of its own. Of all such files, those used last are kept.
    """
    with contextlib.suppress(OSError):  # it may be missing, or not be this user's
        os.utime(path)
    if not os.path.exists(path):
        with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
            product = os.path.join(folder, "product")
            write(product)
            os.replace(product, path)
        _remove_old(glob.glob(os.path.join(glob.escape(os.path.dirname(path)), "source-*")))
    return path


def _remove_old(paths):
    """Removes all but the MOST_SOURCES files used last; other processes may do the same, and other users own some."""
    times = {}
    for path in paths:
        with contextlib.suppress(OSError):
            times[path] = os.stat(path).st_mtime_ns
    for path in sorted(times, key=times.get)[:-MOST_SOURCES]:
        with contextlib.suppress(OSError):
            os.remove(path)


def compile_into(folder, workers, sources=SOURCES):
    """Compiles all families into the folder that will be INSTALLED, unless they are there; removes all else from it.

    Args:
      workers: how many are compiled at a time.
    """
    nvcc = find_nvcc()
    said = version(nvcc)
    paths = {
        os.path.join(folder, _file_name(said, FLAGS, family, TARGETS, sources)): family for family in families(sources)
    }
    os.makedirs(folder, exist_ok=True)
    kept = {path + end for path in paths for end in ("", ".json")}
    for old in set(glob.glob(os.path.join(glob.escape(folder), "*"))) - kept:
        os.remove(old)
    with open(os.path.join(folder, COMPILER), "w", encoding="utf-8") as file:
        file.write(said)

    def compile_one(path):
        if not _is_compiled(path):
            _compile(nvcc, FLAGS, sources, paths[path], TARGETS, path)

    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        list(pool.map(compile_one, paths))


def _installed_version():
    """What nvcc said of itself when it compiled the package's fatbins: they serve where no compiler is."""
    try:
        with open(os.path.join(INSTALLED, COMPILER), encoding="utf-8") as file:
            return file.read()
    except OSError:
        return ""


def _is_compiled(path):
    return os.path.exists(path) and os.path.exists(path + ".json")


def _file_name(version, flags, family, targets, sources):
    digest = hashlib.sha256(repr((version, flags, tuple(targets))).encode())
    for path in sources_of(family, sources):
        with open(path, "rb") as file:
            content = file.read()
        digest.update(f"{os.path.basename(path)} {len(content)}\n".encode() + content)
    return f"{family.replace('/', '-')}-{digest.hexdigest()[:24]}.fatbin"


def _compile(nvcc, flags, sources, family, targets, path):
    """Writes the fatbin and its usage beside their final places and renames them, the fatbin last."""
    source = os.path.join(sources, family + ".cu")
    command = [nvcc, *flags, *[f"-I{folder}" for folder in include_folders(sources)], "-fatbin"]
    for target in targets:
        command.append(f"-gencode=arch={target.replace('sm_', 'compute_')},code={target}")
    with tempfile.TemporaryDirectory(dir=os.path.dirname(path)) as folder:
        product = os.path.join(folder, "fatbin")
        done = subprocess.run([*command, "-o", product, source], capture_output=True, text=True)
        if done.returncode:
            raise BuildError(f"nvcc does not compile {source}:\n{done.stdout}{done.stderr}")
        with open(product + ".json", "w", encoding="utf-8") as file:
            json.dump(parse_usage(done.stdout + done.stderr), file)
        os.replace(product + ".json", path + ".json")
        os.replace(product, path)


COMPILING = re.compile(r"Compiling entry function '(\w+)' for '(\w+)'")
SPILLS = re.compile(r"(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads")
USED = re.compile(r"Used (\d+) registers")
SHARED = re.compile(r"(\d+) bytes smem")


def parse_usage(report):
    """The usage of each kernel, from what ptxas says with -v. It also names functions that nothing calls any more."""
    rows, kernel, target, spills = [], None, None, (0, 0, 0)
    for line in report.splitlines():
        if match := COMPILING.search(line):
            (kernel, target), spills = match.groups(), (0, 0, 0)
        elif match := SPILLS.search(line):
            spills = tuple(map(int, match.groups()))
        elif (match := USED.search(line)) and kernel:
            shared = SHARED.search(line)
            rows.append(Usage(kernel, target, int(match[1]), int(shared[1]) if shared else 0, *spills))
            kernel = None
    return rows


def print_usage(family, usage):
    for u in sorted(usage):
        spilled = u.spill_stores + u.spill_loads
        name = f"{family}/{u.kernel}"
        print(f"{name:40} {u.target:7} {u.registers:9} {u.shared:6} {u.stack:5} {spilled:6}", flush=True)


def largest(usage):
    """For each target a Usage of all its kernels: the largest numbers, and how many kernels there are."""
    rows = []
    for target in sorted({u.target for u in usage}):
        numbers = [u[2:] for u in usage if u.target == target]
        rows.append(Usage(f"{len(numbers)} kernels", target, *map(max, zip(*numbers, strict=True))))
    return rows


def main():
    parser = argparse.ArgumentParser(prog="python -m tfcore.gpu.build", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument("--summary", action="store_true", help="a line for each family and architecture")
    parser.add_argument("families", nargs="*", metavar="FAMILY")
    options = parser.parse_args()
    names = options.families or families()
    print(f"{'kernel':40} {'target':7} registers shared stack spills", flush=True)
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for family, compiled in zip(names, pool.map(compile_family, names), strict=True):
            print_usage(family, largest(compiled.usage) if options.summary else compiled.usage)


if __name__ == "__main__":
    try:
        main()
    except BuildError as e:
        sys.exit(str(e))
