"""Kernel look-up, instruction-set levels, and kernels of a user's library compiled here."""

import os
import shutil
import subprocess
import sys

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats

import tfcore as tf
from tfcore.core.registry import cpu, registry
from tfcore.framework.definitions.op_def import define_op

HEADER = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(__file__))), "kernels_c", "include")
COMPILER = shutil.which("cc") or shutil.which("gcc")
LIBRARY = r"""
#include <string.h>
#include "tfcore/kernel.h"

static int scale_create(tfc_construction *c, void **state) {
  static double factors[16];
  static int used;
  double factor;
  int code = c->api->attr_float(c, "factor", &factor);
  if (code) return code;
  if (factor == 13) return c->api->error(c, TFC_INVALID_ARGUMENT, "factor %g is unlucky", factor);
  factors[used % 16] = factor;
  *state = &factors[used++ % 16];
  return TFC_OK;
}

static int scale(tfc_context *ctx) {
  const tfc_tensor *x = ctx->inputs[0];
  static const int forward[] = {0};
  int code = tfc_output_forward(ctx, 0, x->rank, x->dims, 1, forward);
  if (code) return code;
  float *out = ctx->outputs[0].data;
  for (int64_t i = 0; i < x->n; i++) out[i] = ((const float *)x->data)[i] * (float)*(double *)ctx->state;
  return TFC_OK;
}

struct job { tfc_context *ctx; int64_t *hits; };

static void inner(void *arg, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; i++) __atomic_fetch_add((int64_t *)arg, 1, __ATOMIC_RELAXED);
}

static void outer(void *arg, int64_t begin, int64_t end) {
  struct job *job = arg;
  int64_t *mine = tfc_scratch(job->ctx, 1000 * sizeof *mine); /* of this range alone */
  for (int64_t i = begin; i < end; i++) {
    *mine = i;
    tfc_parallel_for(job->ctx, 100, 1000, inner, job->hits);
    if (*mine != i) __atomic_fetch_add(job->hits, 1, __ATOMIC_RELAXED);
  }
}

static int nested(tfc_context *ctx) {
  int code = tfc_output_scalar(ctx, 0);
  if (code) return code;
  int64_t *hits = ctx->outputs[0].data;
  *hits = 0;
  struct job job = {ctx, hits};
  tfc_parallel_for(ctx, 200, 10000, outer, &job);
  return TFC_OK;
}

static int fails(tfc_context *ctx) {
  const tfc_tensor *x = ctx->inputs[0];
  if (!tfc_scratch(ctx, 1000)) return TFC_RESOURCE_EXHAUSTED;
  switch (((const int *)x->data)[0]) {
    case 0: return tfc_output_input(ctx, 0, 0);
    case 1: return tfc_error(ctx, TFC_OUT_OF_RANGE, "value %d is the end", 1);
    case 2: return TFC_DATA_LOSS;
    case 3: { int64_t dims[1] = {-5}; return tfc_output(ctx, 0, 1, dims); }
    case 4: { int64_t dims[1] = {1}; return tfc_output(ctx, 7, 1, dims); }
    case 5: { int64_t dims[21] = {0}; return tfc_output(ctx, 0, 21, dims); }
    case 6: { int64_t dims[1] = {4}; return tfc_output_view(ctx, 0, 0, 2, 1, dims); }
    case 7: return tfc_error(ctx, 99, "%0*d", 5000, 7);
    default: return tfc_error(ctx, TFC_ABORTED, "\xff\xfe is not text");
  }
}

static const tfc_kernel_def kernels[] = {
    {.op = "TestScale", .device = "CPU", .types = "T=float", .compute = scale, .create = scale_create},
    {.op = "TestNested", .device = "CPU", .types = "", .compute = nested},
    {.op = "TestFails", .device = "CPU", .types = "", .compute = fails},
    {.op = "Invert", .device = "CPU", .types = "T=int8", .compute = fails},
};
TFC_REGISTER_KERNELS(kernels);
TFC_LIBRARY;
"""

Scale = define_op(
    "TestScale",
    inputs=["x: T"],
    outputs=["y: T"],
    attrs=["factor: float", "T: {float, double}"],
    shape=lambda op: [op.inputs[0].dims],
)
Nested = define_op("TestNested", outputs=["y: int64"], stateful=True)
Fails = define_op("TestFails", inputs=["x: int32"], outputs=["y: int32"], stateful=True)


def compile_library(folder, source, name="user"):
    path, target = folder / f"{name}.c", folder / f"{name}.so"
    path.write_text(source)
    subprocess.run(
        [COMPILER, "-shared", "-fPIC", "-O1", "-std=gnu11", f"-I{HEADER}", str(path), "-o", str(target)],
        check=True,
        capture_output=True,
    )
    return str(target)


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    if COMPILER is None:
        pytest.skip("no C compiler")
    path = compile_library(tmp_path_factory.mktemp("library"), LIBRARY)
    kept = {op: list(kernels) for op, kernels in registry._user.items()}
    assert registry.load_library(path) == ["Invert", "TestFails", "TestNested", "TestScale"]
    yield path
    registry._user.clear()
    registry._user.update(kept)


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


# ---- A user's library


def test_a_users_kernel_runs(library, sess):
    x = tf.placeholder(tf.float32)
    assert sess.run([Scale(x, 2.5), Scale(Scale(x, 2.0), 3.0)], {x: 4})[0] == 10
    assert sess.run(Scale(Scale(x, 2.0), 3.0), {x: np.ones(1000)}).tolist() == [6.0] * 1000


def test_a_users_kernel_wins_over_ours(library, sess):
    x = tf.constant([1], tf.int8)
    assert registry.find_kernel("Invert", "CPU", {"T": tf.int8}).level == "user"
    assert registry.find_kernel("Invert", "CPU", {"T": tf.int16}).level == registry.cpu_level()
    del x


def test_create_may_refuse(library, sess):
    y = Scale(tf.constant(1.0), 13.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="factor 13 is unlucky") as caught:
        sess.run(y)
    assert caught.value.op is y.op and __file__ in str(caught.value)


@pytest.mark.cpu
def test_types_of_a_users_kernel(library, sess):
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"No registered 'TestScale' OpKernel for CPU .*\{T=double\}.*\n.*T=float"
    ):
        sess.run(Scale(tf.constant(1.0, tf.float64), 2.0))


@pytest.mark.parametrize(
    "what, error, text",
    [
        (1, tf.errors.OutOfRangeError, "value 1 is the end"),
        (2, tf.errors.DataLossError, "failed without a message"),
        (3, tf.errors.InvalidArgumentError, "-5"),
        (4, tf.errors.InternalError, "output 7 of 1"),
        (5, tf.errors.UnimplementedError, "rank 21"),
        (6, tf.errors.InternalError, "view outside of input 0"),
        (7, tf.errors.UnknownError, "0000"),
        (8, tf.errors.AbortedError, "is not text"),
    ],
)
def test_kernels_that_fail(library, sess, what, error, text):
    x = tf.placeholder(tf.int32)
    y = Fails(x)
    for dynamic in (False, True):
        with pytest.raises(error, match=text) as caught:
            sess.run(y, {x: [what, 5]})
        assert caught.value.op is y.op
        assert sess.run(y, {x: [0, 5]}).tolist() == [0, 5]
        for signature in sess._signatures.values():
            signature.plan.dynamic = dynamic


def test_nested_parallel_loops(library):
    for threads in (0, 1, 2, 5):
        with tf.Graph().as_default(), tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads)) as s:
            total = tf.add_n([Nested() for _ in range(4)])
            s.run(total)
            before = memory_stats()["bytes_in_use"]
            for _ in range(5):
                assert s.run(total) == 4 * 200 * 100
            assert memory_stats()["bytes_in_use"] == before


def test_files_that_are_no_library(tmp_path):
    with pytest.raises(tf.errors.NotFoundError):
        registry.load_library(str(tmp_path / "nothing.so"))
    text = tmp_path / "text.so"
    text.write_text("no library")
    with pytest.raises(tf.errors.NotFoundError):
        registry.load_library(str(text))
    if COMPILER:
        with pytest.raises(tf.errors.InvalidArgumentError, match="is not a tfcore kernel library"):
            registry.load_library(compile_library(tmp_path, "int nothing;", "empty"))
        future = '#include "tfcore/kernel.h"\nstatic tfc_library_def l = {.abi_version = TFC_ABI_VERSION + 1};\n'
        future += '__attribute__((visibility("default"))) const tfc_library_def *tfc_library(void) { return &l; }\n'
        with pytest.raises(tf.errors.FailedPreconditionError, match="kernel ABI"):
            registry.load_library(compile_library(tmp_path, future, "future"))


# ---- Look-up


def test_find_kernel():
    found = registry.find_kernel("Add", "CPU", {"T": tf.float32})
    assert (found.op, found.device, found.level) == ("Add", "CPU", registry.cpu_level())
    for op, device, attrs in (
        ("NoSuchOp", "CPU", {}),
        ("Add", "TPU", {"T": tf.float32}),
        ("MatMul", "CPU", {"T": tf.bool}),
    ):
        with pytest.raises(tf.errors.NotFoundError, match=f"No registered '{op}' OpKernel for {device} devices"):
            registry.find_kernel(op, device, attrs)


# ---- Levels


def test_levels():
    levels = registry.available_levels()
    assert levels == [level for level in registry.LEVELS if level in levels]
    assert ("avx2" in levels) <= cpu.has_avx2() and ("avx512" in levels) <= cpu.has_avx512()
    current = registry.cpu_level()
    assert current in levels
    try:
        for level in levels:
            registry.set_cpu_level(level)
            assert registry.cpu_level() == level
            with tf.Graph().as_default(), tf.Session() as s:
                assert s.run(tf.constant([1.0, 2.0]) * 2).tolist() == [2, 4]
    finally:
        registry.set_cpu_level(current)
    with pytest.raises(ValueError, match=f"level 'nonsense' is not available here. Available: {', '.join(levels)}."):
        registry.set_cpu_level("nonsense")


def test_a_level_that_was_not_built(monkeypatch, tmp_path):
    monkeypatch.setattr(registry, "_LIBRARIES", str(tmp_path))
    monkeypatch.setattr(registry, "_levels", {})
    assert registry.available_levels() == []
    with pytest.raises(ValueError, match="'baseline' is not available here: .*build_levels.* Available: none"):
        registry.set_cpu_level("baseline")


def test_levels_have_the_same_kernels():
    tables = [
        {(k.op, k.device, repr(k).split("[")[1].split("]")[0]) for k in registry.kernels(level) if k.level == level}
        for level in registry.available_levels()
    ]
    assert all(table == tables[0] for table in tables) and len(tables[0]) > 100


def run_python(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, **environment}, capture_output=True, text=True
    )


def test_the_environment_chooses_the_level():
    lowest = registry.available_levels()[0]
    done = run_python("from tfcore.core.registry.registry import cpu_level; print(cpu_level())", TFCORE_CPU=lowest)
    assert done.stdout.strip() == lowest
    done = run_python("from tfcore.core.registry.registry import cpu_level; cpu_level()", TFCORE_CPU="nonsense")
    assert done.returncode and "'nonsense' is not available here" in done.stderr
