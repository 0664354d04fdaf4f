"""Damaged checkpoints are read without harm: the readers, in a program of their own with AddressSanitizer and UBSan."""

import glob
import os
import pathlib
import shutil
import subprocess

import pytest

from tests.fixtures.checkpoints import values

HERE = pathlib.Path(__file__).parent
KERNELS = HERE.parent.parent / "kernels_c"
FIXTURES = pathlib.Path(values.__file__).parent
PARTS = "file index lock merge read slice snappy table_read table_write v1 write".split()
ROUNDS = int(2000 * float(os.environ.get("TFCORE_TEST_EFFORT", 1)))  # 50 times the effort: 10^5


@pytest.mark.alone
@pytest.mark.skipif(not KERNELS.exists(), reason="needs the source tree")
def test_damaged_files(tmp_path):
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
    sources = [HERE / "checkpoint_files.c", *(KERNELS / "checkpoint" / "format" / f"{part}.c" for part in PARTS)]
    sources.append(KERNELS / "common" / "crc.c")
    flags = ["-std=gnu11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    includes = [f"-I{KERNELS.parent}", f"-I{KERNELS / 'include'}"]
    program = tmp_path / "checkpoint_files"
    built = subprocess.run([compiler, *flags, *includes, "-o", program, *sources, "-pthread"], capture_output=True)
    if built.returncode and b"asan" in built.stderr:
        pytest.skip("the compiler has no AddressSanitizer")
    assert built.returncode == 0, built.stderr.decode()
    folder = tmp_path / "files"
    shutil.copytree(FIXTURES, folder)
    files = [*glob.glob(f"{FIXTURES}/*.index"), *glob.glob(f"{FIXTURES}/*.data*"), f"{FIXTURES}/legacy"]
    command = [str(program), str(folder), "1", str(ROUNDS), *sorted(files)]
    environment = {**os.environ, "ASAN_OPTIONS": "allocator_may_return_null=1:max_allocation_size_mb=512"}
    environment.pop("LD_PRELOAD", None)
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=3000)
    assert done.returncode == 0, done.stderr[-6000:]
    rounds, opened = done.stdout.split()[1::2]
    assert int(rounds) == ROUNDS and int(opened) > ROUNDS // 10, "most changes have to get past the checksums"
