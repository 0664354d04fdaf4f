"""The command that builds a wheel: that its checks refuse what they should."""

import os
import pathlib
import subprocess
import sys
import tarfile
import zipfile

import pytest

from tests import wheel

GOOD = "tfcore-0.1.0-cp311-cp311-manylinux_2_34_x86_64.whl"


def make(path, *names, size=10):
    with zipfile.ZipFile(path, "w") as archive:
        for name in names:
            archive.writestr(name, b"0" * size)
    return str(path)


def test_a_small_manylinux_wheel_passes(tmp_path):
    wheel.check(make(tmp_path / GOOD, "tfcore/__init__.py", wheel.CUDA_KERNEL))


@pytest.mark.parametrize(
    "name, file, size, message",
    [
        ("tfcore-0.1.0-cp311-cp311-linux_x86_64.whl", "tfcore/__init__.py", 10, "is not a manylinux wheel"),
        (GOOD, "tfcore/lib/kernels_avx2.so", wheel.MAX_BYTES, "bytes, more than"),
        (GOOD, "tfcore.libs/libgomp-1.so", 10, "needs libraries of this machine: tfcore.libs/libgomp-1.so"),
        (GOOD, "tfcore/__init__.py", 10, "lacks tfcore/kernels_cuda/linalg/matmul.cu: GPUs can't be used"),
    ],
)
def test_other_wheels_do_not(tmp_path, name, file, size, message):
    with pytest.raises(SystemExit, match=message):
        wheel.check(make(tmp_path / name, file, size=size))


@pytest.mark.parametrize("command", [wheel.QUICK_START, wheel.CLUSTER], ids=["one process", "a cluster"])
def test_the_trial_is_what_the_readme_says(command):
    with open(f"{wheel.ROOT}/README.md", encoding="utf-8") as file:
        assert "python " + " ".join(command) + "\n" in file.read()


def test_what_a_plain_install_does_needs_no_extras():
    blocked = ["tensorboard", "mpi4py", "onnx", "safetensors", "scipy", "matplotlib"]
    code = f"import sys; sys.modules.update(dict.fromkeys({blocked})); from tests import plain_install as p; p.main()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=wheel.ROOT)
    assert done.returncode == 0, done.stderr


def test_a_build_without_a_compiler_says_what_is_wanted(tmp_path):
    command = [
        sys.executable,
        "setup.py",
        "-q",
        "build_ext",
        "--build-lib",
        str(tmp_path),
        "--build-temp",
        str(tmp_path),
    ]
    for compiler in ("no_such_gcc", "ccache no_such_gcc"):
        env = {**os.environ, "CC": compiler}
        done = subprocess.run(command, cwd=wheel.ROOT, env=env, capture_output=True, text=True)
        assert done.returncode == 1 and "Traceback" not in done.stderr
        assert f"CC is '{compiler}', but there is no program no_such_gcc. tfcore needs a C compiler" in done.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.alone
def test_a_source_distribution_has_every_source(tmp_path):
    command = [sys.executable, "setup.py", "-q", "sdist", "--formats=tar", "--dist-dir", str(tmp_path)]
    subprocess.run(command, cwd=wheel.ROOT, check=True, capture_output=True)
    (path,) = tmp_path.iterdir()
    with tarfile.open(path) as archive:
        found = {name.partition("/")[2] for name in archive.getnames()}
    wanted = [
        source.relative_to(wheel.ROOT).as_posix()
        for top in ("tfcore", "kernels_c", "kernels_cuda")
        for source in pathlib.Path(wheel.ROOT, top).rglob("*.*")
        if source.suffix in (".py", ".pyx", ".pxi", ".pxd", ".c", ".h", ".cu", ".cuh", ".txt", ".proto", ".binpb")
    ]
    assert len(wanted) > 900
    assert [
        name for name in wanted if name not in found and not name.startswith(("tfcore/include", "tfcore/lib"))
    ] == []
