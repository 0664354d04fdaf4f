"""Mistakes planted in what runs kernels on GPUs: the tests of `devices/` notice each of them.

A missing copy or event shows on the emulated GPUs: code of the host that touches a GPU's memory dies, and what no event
orders runs in the worst order.
"""

import glob
import os
import subprocess
import sys
import sysconfig

import numpy
import pytest

from tests.gpu.test_devices import ROOT

CORE = os.path.join(ROOT, "tfcore", "core")
CUDA = os.path.join(CORE, "device", "cuda")
RUNTIME = os.path.join(ROOT, "tfcore", "lib", "libtfcore.so")
FILES = sorted(os.path.basename(path) for path in glob.glob(os.path.join(CUDA, "*.c")))
GENERATED = os.path.join(ROOT, "build", "cython", "tfcore", "core", "device", "gpu.c")
INCLUDES = [ROOT, CORE, os.path.join(ROOT, "kernels_c", "include"), sysconfig.get_path("include"), numpy.get_include()]
COMPILE = ["gcc", "-O1", "-w", "-std=gnu11", "-pthread", "-fPIC", *(f"-I{folder}" for folder in INCLUDES)]

# The file of core/device/cuda, the lines and what they become, and the tests that notice it
CHANGED = {
    "a download does not wait for kernels": (
        "copies.c", "CUresult r = tfc_cuda.cuStreamWaitEvent(g->down, d->ready, 0);", "CUresult r = CUDA_SUCCESS;",
        "test_values.py"),
    "a copy between GPUs does not wait for kernels": (
        "copies.c", "  if (!r) r = tfc_cuda.cuStreamWaitEvent(g->compute, before, 0);\n", "", "test_values.py"),
    "memory is used again before it is copied to another GPU": (
        "copies.c", "  if (!r) r = tfc_cuda.cuStreamWaitEvent(other->compute, after, 0);\n", "", "test_values.py"),
    "a pinned stage is filled again before its copy": (
        "uploads.c", "    if ((r = tfc_cuda.cuEventQuery(s->event))) return r;\n", "", "test_uploads.py"),
    "a pinned stage is read before its copy": (
        "copies.c", "    if (!r) r = tfc_cuda.cuEventSynchronize(stage->event);\n", "", "test_values.py"),
    "pinned memory of the caller is copied after the call": (
        "uploads.c", "    r = tfc_cuda.cuEventQuery(event);\n", "", "test_uploads.py"),
    "an upload does not wait for the memory's earlier use": (
        "uploads.c", "  if (!r) r = tfc_cuda.cuStreamWaitEvent(g->ahead.stream, g->ahead_event, 0);\n", "",
        "test_uploads.py"),
    "the end of the memory's use is not known": (
        "memory.c", "  b->freed_at = next_mark(g);\n", "", "test_uploads.py"),
    "kernels do not wait for an upload": (
        "uploads.c", "  if (!after) after = tfc_cuda.cuStreamWaitEvent(g->compute, event, 0);\n", "",
        "test_uploads.py"),
    "an array of another library is read before it is there": (
        "arrays.c", "  if (!r) r = tfc_cuda.cuStreamWaitEvent(then, event, 0);\n", "", "test_arrays.py"),
    "an array of another library is given back before it is read": (
        "arrays.c", "tfc_cuda.cuStreamQuery(g->compute) != CUDA_ERROR_NOT_READY", "true", "test_arrays.py"),
    "memory is used again before another library has read it": (
        "arrays.c", "  tfc_gpu_enter(r->gpu);\n  tfc_cuda.cuCtxSynchronize();\n", "", "test_arrays.py"),
    "a replay overwrites what the recording has uploaded": (
        "graph.c", "? allocate_apart(g, bytes)", "? tfc_gpu_allocate(&g->pub, bytes)", "test_replay.py"),
    "a replay reads the reports of the last one": (
        "graph.c", "  if (x->chunk) r = tfc_gpu_clear_chunk(x->chunk, stream);\n", "", "test_replay.py"),
}  # fmt: skip

FORGOTTEN = {
    "leave_out_copies_to_cpus": "test_values.py",
    "leave_out_copies_to_gpus": "test_values.py",
    "forget_host_args:Sum": "test_launch_values.py",
    "forget_host_args:Reshape": "test_launch_arrays.py",
    "forget_host_args:ConcatV2": "test_launch_arrays.py",
}


def run(mistake, tests, seed):
    """Whether the tests pass with the mistake, and what they print."""
    environment = {**os.environ, "TFCORE_EMULATE_GPUS": "2", "TFCORE_EMULATED_GPU_SEED": str(seed)}
    environment = {k: v for k, v in environment.items() if not k.startswith("PYTEST_")}
    options = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", os.path.join("tests/gpu/devices", tests)]
    command = [sys.executable, "-m", "tests.gpu.planted_runtime", str(mistake), *options]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    return done.returncode == 0, done.stdout[-5000:] + done.stderr[-5000:]


@pytest.fixture(scope="module")
def objects(tmp_path_factory):
    """The object files of the module tfcore.core.device.gpu, without mistakes."""
    if not os.path.exists(GENERATED):
        pytest.skip("the module was not built in this tree")
    folder = tmp_path_factory.mktemp("gpu")
    for source in [GENERATED, *(os.path.join(CUDA, name) for name in FILES)]:
        target = folder / (os.path.basename(source) + ".o")
        subprocess.run([*COMPILE, "-c", source, "-o", target], check=True)
    return folder


def link(folder, target, replaced=None, by=None):
    """Links the object files, one of them replaced."""
    files = [by if name == replaced else folder / f"{name}.o" for name in ["gpu.c", *FILES]]
    runtime = [RUNTIME, f"-Wl,-rpath,{os.path.dirname(RUNTIME)}"]
    subprocess.run(["gcc", "-shared", "-pthread", *files, *runtime, "-ldl", "-o", target], check=True)
    return target


@pytest.mark.slow
def test_without_a_mistake_the_tests_pass(objects, tmp_path):
    passes, text = run(link(objects, tmp_path / "gpu.so"), "test_values.py", 0)
    assert passes, text


@pytest.mark.slow
@pytest.mark.parametrize("mistake", CHANGED)
def test_a_changed_line_is_noticed(mistake, objects, tmp_path):
    file, right, wrong, tests = CHANGED[mistake]
    with open(os.path.join(CUDA, file), encoding="utf-8") as source:
        text = source.read()
    assert text.count(right) == 1, f"{file} has no longer what the mistake is planted in"
    (tmp_path / file).write_text(text.replace(right, wrong))
    subprocess.run([*COMPILE, "-c", tmp_path / file, "-o", tmp_path / "wrong.o"], check=True)
    library = link(objects, tmp_path / "gpu.so", file, tmp_path / "wrong.o")
    assert not all(run(library, tests, seed)[0] for seed in (0, 1)), f"nobody notices that {mistake}"


@pytest.mark.parametrize("mistake", FORGOTTEN)
def test_what_was_forgotten_is_noticed(mistake):
    passes, _ = run(mistake, FORGOTTEN[mistake], 0)
    assert not passes
