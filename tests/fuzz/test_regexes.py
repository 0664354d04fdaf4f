"""Regular expressions are compiled and matched without harm, whatever they are: in a program of its own with
AddressSanitizer and UBSan."""

import os
import pathlib
import shutil
import subprocess

import pytest

HERE = pathlib.Path(__file__).parent
KERNELS = HERE.parent.parent / "kernels_c"
ROUNDS = int(5000 * float(os.environ.get("TFCORE_TEST_EFFORT", 1)))


@pytest.mark.alone
@pytest.mark.skipif(not KERNELS.exists(), reason="needs the source tree")
def test_random_expressions(tmp_path):
    compiler = os.environ.get("CC") or shutil.which("gcc") or shutil.which("cc")
    sources = [HERE / "regexes.c", *(KERNELS / f"strings_regex_{part}.c" for part in ("class", "match", "parse"))]
    flags = ["-std=gnu11", "-O1", "-g", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    includes = [f"-I{KERNELS}", f"-I{KERNELS / 'include'}"]
    program = tmp_path / "regexes"
    built = subprocess.run([compiler, *flags, *includes, "-o", program, *sources], capture_output=True)
    if built.returncode and b"asan" in built.stderr:
        pytest.skip("the compiler has no AddressSanitizer")
    assert built.returncode == 0, built.stderr.decode()
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    done = subprocess.run([program, "1", str(ROUNDS)], capture_output=True, text=True, env=environment, timeout=3000)
    assert done.returncode == 0, done.stderr[-6000:]
    rounds, compiled = done.stdout.split()[1::2]
    assert int(rounds) == ROUNDS and int(compiled) > ROUNDS // 20
