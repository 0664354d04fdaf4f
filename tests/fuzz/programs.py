"""Programs that damage files and read them, built with AddressSanitizer and UBSan."""

import os
import pathlib
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
KERNELS = HERE.parent.parent / "kernels_c"


def build(folder, name, sources):
    """The path of the program `name`.c, built with those files of `kernels_c`; skips without a sanitizer."""
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
    flags = ["-std=gnu11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    includes = [f"-I{KERNELS.parent}", f"-I{KERNELS / 'include'}"]
    sources, libraries = [HERE / f"{name}.c", *(KERNELS / source for source in sources)], ["-pthread", "-lm"]
    command = [compiler, *flags, *includes, "-o", folder / name, *sources, *libraries]
    built = subprocess.run(command, capture_output=True)
    if built.returncode and b"asan" in built.stderr:
        pytest.skip("the compiler has no AddressSanitizer")
    assert built.returncode == 0, built.stderr.decode()
    return folder / name


def run(program, *arguments):
    """The numbers of the line "what NUMBER what NUMBER" that it prints."""
    environment = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1:max_allocation_size_mb=512"}
    environment.pop("LD_PRELOAD", None)
    command = [str(v) for v in (program, *arguments)]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=3000)
    assert done.returncode == 0, done.stderr[-6000:]
    return list(map(int, done.stdout.split()[1::2]))
