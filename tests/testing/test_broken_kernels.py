"""check_kernel and check_gradient on a library of kernels, each wrong in one way (and one right)."""

import numpy as np
import pytest
from hypothesis import find

from tests.core.test_registry import COMPILER, compile_library
from tfcore.core.registry import registry
from tfcore.framework.definitions.op_def import define_op, gradient
from tfcore.testing import check_gradient, check_kernel, strategies

LIBRARY = r"""
#include <math.h>
#include <string.h>
#include "tfcore/kernel.h"

#define IN ((const float *)ctx->inputs[0]->data)
#define OUT ((float *)ctx->outputs[0].data)
#define N (ctx->inputs[0]->n)

static int like(tfc_context *ctx) { return tfc_output_like(ctx, 0, ctx->inputs[0]); }
static int forward(tfc_context *ctx) {
  static const int candidates[] = {0};
  return tfc_output_forward(ctx, 0, ctx->inputs[0]->rank, ctx->inputs[0]->dims, 1, candidates);
}

static int right(tfc_context *ctx) {
  int code = forward(ctx);
  for (int64_t i = 0; !code && i < N; i++) OUT[i] = IN[i] * IN[i];
  return code;
}

static int right_double(tfc_context *ctx) {
  int code = forward(ctx);
  for (int64_t i = 0; !code && i < N; i++)
    ((double *)ctx->outputs[0].data)[i] =
        ((const double *)ctx->inputs[0]->data)[i] * ((const double *)ctx->inputs[0]->data)[i];
  return code;
}

static int tail(tfc_context *ctx) { /* by fours; the last of a tail of three is computed from its neighbour */
  int code = like(ctx);
  for (int64_t i = 0; !code && i < N; i++) OUT[i] = i % 4 == 2 && i == N - 1 ? IN[i - 1] * IN[i - 1] : IN[i] * IN[i];
  return code;
}

static int unwritten(tfc_context *ctx) { /* forgets the rest after the last eight */
  int code = like(ctx);
  for (int64_t i = 0; !code && i < (N & ~(int64_t)7); i++) OUT[i] = IN[i] * IN[i];
  return code;
}

static int nan_lost(tfc_context *ctx) {
  int code = like(ctx);
  for (int64_t i = 0; !code && i < N; i++) OUT[i] = IN[i] > 0 ? IN[i] * IN[i] : IN[i] < 0 ? IN[i] * IN[i] : 0;
  return code;
}

static int modifies(tfc_context *ctx) { /* right, but squares in the input's memory, which others may read */
  int code = like(ctx);
  if (code || N == 0) return code;
  float *x = (float *)ctx->inputs[0]->data;
  for (int64_t i = 0; i < N; i++) x[i] *= x[i];
  memcpy(OUT, x, N * sizeof *x);
  return TFC_OK;
}

static int reverses(tfc_context *ctx) { /* right, except when the output is the input's memory */
  int code = forward(ctx);
  for (int64_t i = 0; !code && i < N; i++) OUT[i] = IN[N - 1 - i];
  return code;
}

struct sum { const float *x; float parts[4096]; };

static void add_up(void *arg, int64_t begin, int64_t end) {
  struct sum *s = arg;
  float part = 0;
  for (int64_t i = begin; i < end; i++) part += s->x[i];
  s->parts[begin % 4096] = part;
}

static int sum(tfc_context *ctx) { /* the order of additions follows how the loop was split */
  int code = tfc_output_scalar(ctx, 0);
  if (code) return code;
  struct sum s = {.x = IN};
  memset(s.parts, 0, sizeof s.parts);
  tfc_parallel_for(ctx, N, 1.0, add_up, &s);
  float total = 0;
  for (int i = 0; i < 4096; i++) total += s.parts[i];
  *OUT = total;
  return TFC_OK;
}

static int no_empty(tfc_context *ctx) {
  if (N == 0) return tfc_error(ctx, TFC_INVALID_ARGUMENT, "nothing to square");
  return right(ctx);
}

#define KERNEL(NAME, FUNCTION) {.op = "TestSquare" NAME, .device = "CPU", .types = "T=float", .compute = FUNCTION}
static const tfc_kernel_def kernels[] = {
    KERNEL("Right", right), KERNEL("Tail", tail), KERNEL("Unwritten", unwritten), KERNEL("NanLost", nan_lost),
    KERNEL("Modifies", modifies), KERNEL("NoEmpty", no_empty), KERNEL("Shape", right), KERNEL("Gradient", right),
    {.op = "TestSquareRight", .device = "CPU", .types = "T=double", .compute = right_double},
    {.op = "TestReverses", .device = "CPU", .types = "T=float", .compute = reverses},
    {.op = "TestSumInAnyOrder", .device = "CPU", .types = "T=float", .compute = sum},
};
TFC_REGISTER_KERNELS(kernels);
TFC_LIBRARY;
"""

FLOATS = "T: {float, double}"


def same(op):
    return [op.inputs[0].dims]


for suffix in ("Right", "Tail", "Unwritten", "NanLost", "Modifies", "NoEmpty", "Gradient"):
    define_op(f"TestSquare{suffix}", inputs=["x: T"], outputs=["y: T"], attrs=[FLOATS], shape=same)
define_op("TestSquareShape", inputs=["x: T"], outputs=["y: T"], attrs=[FLOATS], shape=lambda op: [(7,)])
define_op("TestReverses", inputs=["x: T"], outputs=["y: T"], attrs=[FLOATS], shape=same)
define_op("TestSumInAnyOrder", inputs=["x: T"], outputs=["y: T"], attrs=[FLOATS], shape=lambda op: [()])


@gradient("TestSquareRight")
def _right(op, grad):
    return 2.0 * op.inputs[0] * grad


@gradient("TestSquareGradient")
def _wrong(op, grad):
    return op.inputs[0] * grad


@pytest.fixture(scope="module", autouse=True)
def library(tmp_path_factory):
    if COMPILER is None:
        pytest.skip("no C compiler")
    kept = {op: list(kernels) for op, kernels in registry._user.items()}
    registry.load_library(compile_library(tmp_path_factory.mktemp("broken"), LIBRARY, "broken"))
    yield
    registry._user.clear()
    registry._user.update(kept)


def message_of(op, reference=np.square, **options):
    with pytest.raises(AssertionError) as caught:
        check_kernel(op, reference, special=True, examples=100, **options)
    return str(caught.value)


def test_a_right_kernel_passes():
    check_kernel("TestSquareRight", np.square, special=True)
    check_gradient("TestSquareRight")


def test_a_wrong_tail_is_found():
    text = message_of("TestSquareTail")
    assert "TestSquareTail [float32] at level" in text
    assert "elements differ" in text and "units in the last place apart, 4 allowed" in text


def test_what_was_not_written_is_found():
    assert "nan" in message_of("TestSquareUnwritten")


def test_a_lost_nan_is_found():
    assert "np.float32(0.0) instead of np.float64(nan)" in message_of("TestSquareNanLost")


def test_a_modified_input_is_found():
    assert "fed input 0 was modified by the kernel" in message_of("TestSquareModifies")


def test_taking_over_memory_wrongly_is_found():
    text = message_of("TestReverses", lambda x: x.reshape(-1)[::-1].reshape(x.shape))
    assert "the memory of inputs may be reused" in text


def test_dependence_on_threads_is_found():
    text = message_of("TestSumInAnyOrder", np.sum, scale="abs", ulps=100, domain=(-1, 1))
    assert "is different when loops run in pieces" in text


def test_refusing_empty_tensors_is_found():
    text = message_of("TestSquareNoEmpty")
    assert "fails with InvalidArgumentError" in text and "nothing to square" in text


def test_a_wrong_shape_function_is_found():
    assert "inferred shape (7,), computed" in message_of("TestSquareShape")


def test_a_wrong_gradient_is_found():
    with pytest.raises(AssertionError, match=r"TestSquareGradient \[float32\](?s:.*)derivative of order 1"):
        check_gradient("TestSquareGradient")


def test_the_program_in_a_message_repeats_the_failure(capsys):
    text = message_of("TestSquareTail")
    program = text[text.index("import ml_dtypes") :]
    exec(program.replace("\n    ", "\n"), {})
    printed = capsys.readouterr().out
    found = text[text.index("]: np.float32(") + len("]: np.float32(") :].partition(")")[0]
    assert found.rstrip("0").rstrip(".") in printed or found in printed


def test_what_can_not_be_checked():
    with pytest.raises(ValueError, match="No CPU kernel is registered for op type TestSquareTail with types"):
        check_kernel("TestSquareTail", np.square, types={"T": "double"})
    with pytest.raises(ValueError, match="TestSquareTail has no type attribute 'U'"):
        check_kernel("TestSquareTail", np.square, types={"U": "float"})
    with pytest.raises(ValueError, match="Op type TestSquareTail has no gradient"):
        check_gradient("TestSquareTail")
    with pytest.raises(KeyError):
        check_kernel("TestOfNothing", np.square)


def test_calls_are_drawn_for_users_ops():
    call = find(strategies.op_calls("TestSquareRight"), lambda call: call.inputs[0].size > 3)
    assert call.inputs[0].dtype in (np.float32, np.float64)
    with pytest.raises(ValueError, match="No kernel is registered for op type TestSquareTail"):
        find(strategies.op_calls("TestSquareTail", types={"T": ["double"]}), lambda call: True)
