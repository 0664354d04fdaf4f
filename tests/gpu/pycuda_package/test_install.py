"""The installation of PyCUDA: what it finds, what it says is missing, the wheels that it keeps. CI runs all of it."""

import os
import re
import runpy
import shutil
import sys
import tarfile

import pytest

from tfcore.gpu import install_pycuda, pycuda
from tfcore.gpu.install_pycuda import InstallError

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
TAG = f"cp{sys.version_info.major}{sys.version_info.minor}"
TAGS = f"{TAG}-{TAG}-linux_{os.uname().machine}"


@pytest.fixture
def toolkit(tmp_path, monkeypatch):
    """A folder with an nvcc that says where it is, and with headers."""
    folder = tmp_path / "toolkit"
    (folder / "bin").mkdir(parents=True)
    (folder / "include").mkdir()
    nvcc = folder / "bin" / "nvcc"
    nvcc.write_text('#!/bin/sh\necho "#\\$ TOP=$(dirname "$0")/.." >&2\n')
    nvcc.chmod(0o755)
    (folder / "include" / "cuda.h").write_text("#define CUDA_VERSION 13010\n")
    (folder / "include" / "cudaProfiler.h").touch()
    monkeypatch.setenv("CUDA_HOME", str(folder))
    monkeypatch.setenv("TFCORE_CACHE", str(tmp_path / "cache"))
    return folder


def test_headers_are_those_of_the_compiler(toolkit):
    assert install_pycuda.find_headers() == (str(toolkit / "include"), 13010)


@pytest.mark.parametrize(
    "header, package", [("cuda.h", "nvidia-cuda-runtime"), ("cudaProfiler.h", "nvidia-cuda-profiler-api")]
)
def test_a_missing_header_is_named_with_its_package(toolkit, header, package):
    (toolkit / "include" / header).unlink()
    with pytest.raises(InstallError, match=f"needs {header}, .* package {package}, "):
        install_pycuda.find_headers()


def test_without_a_toolkit_an_error_says_what_brings_one(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    with pytest.raises(SystemExit, match=r"^pycuda: PyCUDA needs CUDA's headers\. CUDA_HOME is "):
        install_pycuda.main([])


def test_without_a_compiler_an_error_says_so(toolkit, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(InstallError, match="no-such-compiler is not in PATH"):
        install_pycuda.make_wheel(str(toolkit / "include"), 13010, None)


def test_curand_is_used_where_it_is(toolkit):
    headers = str(toolkit / "include")
    assert install_pycuda.find_curand(headers) is None
    (toolkit / "lib64").mkdir()
    (toolkit / "lib64" / "libcurand.so").touch()
    assert install_pycuda.find_curand(headers) is None
    (toolkit / "include" / "curand.h").touch()
    assert install_pycuda.find_curand(headers) == str(toolkit / "lib64")


def test_the_newest_wheel_for_this_python_and_these_headers_is_taken(toolkit, tmp_path):
    folder = tmp_path / "cache" / "pycuda" / "cuda13010"
    folder.mkdir(parents=True)
    assert install_pycuda.kept_wheel(13010, None) is None
    other = TAGS.replace(TAG, "cp27")
    for name in (f"pycuda-2025.1.2-{TAGS}", f"pycuda-2025.1.10-{TAGS}", f"pycuda-2026.1-{other}"):
        (folder / f"{name}.whl").touch()
    wheel = install_pycuda.kept_wheel(13010, None)
    assert wheel == str(folder / f"pycuda-2025.1.10-{TAGS}.whl")
    assert install_pycuda.kept_wheel(13020, None) is None
    assert install_pycuda.kept_wheel(13010, "/lib") is None


def test_a_command_that_fails_is_an_error_with_what_it_said():
    command = [sys.executable, "-c", "print('no network'); raise SystemExit(1)"]
    with pytest.raises(InstallError, match="downloading failed .*\nno network$"):
        install_pycuda._run("downloading", command)


def test_the_source_is_configured(tmp_path):
    with tarfile.open(tmp_path / "pycuda-1.0.tar.gz", "w:gz") as archive:
        archive.add(__file__, "pycuda-1.0/setup.py")
    source = install_pycuda.unpack(str(tmp_path / "pycuda-1.0.tar.gz"), tmp_path)
    install_pycuda._configure(source, "/cuda/include", None, "/libraries")
    settings = runpy.run_path(os.path.join(source, "siteconf.py"))
    assert settings["CUDA_INC_DIR"] == ["/cuda/include"] and settings["CUDADRV_LIB_DIR"] == ["/libraries"]
    assert settings["CUDA_ENABLE_CURAND"] is False


def test_the_range_of_versions_is_that_of_the_extra():
    with open(os.path.join(ROOT, "pyproject.toml"), encoding="utf-8") as file:
        extras = dict(re.findall(r"^(cuda|pycuda) = \[(.*)\]$", file.read(), re.M))
    assert extras["pycuda"] == f'"{install_pycuda.REQUIREMENT}"'
    assert all(f'"{package}>=' in extras["cuda"] for package in install_pycuda.HEADERS.values())


def test_pycuda_finds_the_compiler_that_is_not_in_path(toolkit, monkeypatch):
    monkeypatch.setenv("PATH", os.defpath)
    pycuda._put_nvcc_into_path()
    assert shutil.which("nvcc") == str(toolkit / "bin" / "nvcc")
