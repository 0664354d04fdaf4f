"""Compilation of the CUDA kernels: finding nvcc, the cache, what kernels need."""

import concurrent.futures
import multiprocessing
import os

import pytest

from tfcore.gpu import build

FAMILIES = build.families() if os.path.isdir(build.SOURCES) else []
SMALL = """
#include "small.cuh"
extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= FACTOR; }
"""
# The kernels that may use a stack, with the reason; none spills.
STACKS = {
    # Range reduction of large arguments in sin, cos and tan, from CUDA's library.
    "cwise/unary": ("Sin_", "Cos_", "Tan_"),
}


def have_nvcc():
    try:
        build.find_nvcc()
    except build.BuildError:
        return False
    return True


needs_nvcc = pytest.mark.skipif(not have_nvcc(), reason="needs nvcc")


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """A folder with one small family."""
    monkeypatch.setenv("TFCORE_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "sources"
    folder.mkdir()
    (folder / "small.cu").write_text(SMALL)
    (folder / "small.cuh").write_text("#define FACTOR 2\n")
    return folder


def compile_small(folder):
    return build.compile_family("small", ("sm_80",), str(folder))


def calls(monkeypatch):
    """Counts compilations from now on."""
    counted, compile_ = [], build._compile
    monkeypatch.setattr(build, "_compile", lambda *args: (counted.append(args), compile_(*args)))
    return counted


@needs_nvcc
def test_a_family_is_compiled_once(sources, monkeypatch):
    compiled = calls(monkeypatch)
    first = compile_small(sources)
    assert compile_small(sources) == first and len(compiled) == 1
    assert os.path.getsize(first.fatbin) > 100
    (usage,) = first.usage
    assert (usage.kernel, usage.target) == ("twice", "sm_80") and 0 < usage.registers < 20


@needs_nvcc
def test_a_changed_header_is_noticed(sources, monkeypatch):
    first, compiled = compile_small(sources), calls(monkeypatch)
    (sources / "other.cuh").write_text("not included\n")
    assert compile_small(sources) == first and not compiled
    (sources / "small.cuh").write_text("#define FACTOR 3\n")
    assert compile_small(sources).fatbin != first.fatbin and len(compiled) == 1


@needs_nvcc
def test_a_compiler_error_is_shown_and_leaves_nothing(sources):
    (sources / "small.cu").write_text(SMALL + "\nint wrong( { }\n")
    with pytest.raises(build.BuildError, match=r"small\.cu.*:\n(.|\n)*error"):
        compile_small(sources)
    assert os.listdir(os.environ["TFCORE_CACHE"]) == []


@needs_nvcc
def test_processes_may_compile_at_once(sources):
    context = multiprocessing.get_context("spawn")
    with concurrent.futures.ProcessPoolExecutor(3, mp_context=context) as pool:
        found = list(pool.map(compile_small, [sources] * 3))
    assert found[0] == found[1] == found[2]
    assert len(os.listdir(os.environ["TFCORE_CACHE"])) == 2


def test_an_unknown_family_is_named(sources):
    with pytest.raises(build.BuildError, match="'smaller'"):
        build.compile_family("smaller", sources=str(sources))


def test_a_missing_compiler_is_explained(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setattr(build.sysconfig, "get_paths", lambda: {"purelib": str(tmp_path)})
    with pytest.raises(build.BuildError, match="CUDA_HOME is not set"):
        build.find_nvcc()
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    with pytest.raises(build.BuildError, match="bin/nvcc is not there"):
        build.find_nvcc()


def test_compiler_packages_are_found(monkeypatch, tmp_path):
    for folder in ("cuda_nvcc", "cu13"):
        (tmp_path / "nvidia" / folder / "bin").mkdir(parents=True)
    nvcc = tmp_path / "nvidia" / "cu13" / "bin" / "nvcc"
    nvcc.write_text("#!/bin/sh\n")
    nvcc.chmod(0o755)
    monkeypatch.setenv("PATH", "")
    monkeypatch.delenv("CUDA_HOME", raising=False)
    monkeypatch.delenv("CUDA_PATH", raising=False)
    monkeypatch.setattr(build.sysconfig, "get_paths", lambda: {"purelib": str(tmp_path)})
    assert build.find_nvcc() == str(nvcc)


def test_the_report_of_ptxas_is_read():
    report = """
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function 'one' for 'sm_80'
ptxas info    : Function properties for one
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 40 registers, used 1 barriers, 16 bytes cumulative stack size, 4096 bytes smem, 380 bytes cmem[0]
ptxas info    : Function properties for helper
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'two' for 'sm_90'
ptxas info    : Used 8 registers, 380 bytes cmem[0]
"""
    assert build.parse_usage(report) == [("one", "sm_80", 40, 4096, 16, 4, 8), ("two", "sm_90", 8, 0, 0, 0, 0)]


def test_the_summary_has_the_largest_numbers_of_each_target():
    usage = [build.Usage("a", "sm_80", 40, 0, 8, 0, 4), build.Usage("b", "sm_80", 8, 64, 0, 0, 0)]
    usage.append(build.Usage("a", "sm_90", 32, 0, 0, 0, 0))
    assert build.largest(usage) == [("2 kernels", "sm_80", 40, 64, 8, 0, 4), ("1 kernels", "sm_90", 32, 0, 0, 0, 0)]


@needs_nvcc
@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_compiles_without_spills(family):
    """With all types for all targets if that is cached, as `.ci/run` does before, or with TFCORE_TEST_CUDA=1."""
    if os.environ.get("TFCORE_TEST_CUDA") or build.is_cached(family):
        usage, targets = build.compile_family(family).usage, {t for t in build.TARGETS if t.startswith("sm_")}
    else:
        usage, targets = build.compile_family(family, ("sm_90",), few_types=True).usage, {"sm_90"}
    assert {u.target for u in usage} == targets
    assert not [u for u in usage if u.spill_stores or u.spill_loads]
    allowed = STACKS.get(family, ())
    assert not [u for u in usage if u.stack and not u.kernel.startswith(allowed)]
    assert all(u.shared <= 48 << 10 for u in usage)  # what every card grants without asking
