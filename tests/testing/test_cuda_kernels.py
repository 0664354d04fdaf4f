"""check_cuda_kernel passes right kernels, and finds and shrinks each kind of mistake."""

import re

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import check_cuda_kernel, run_cuda_kernel, strategies
from tfcore.testing.drawing import st

SWISH = """
__global__ void swish(const T* x, T* y, long n) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = x[i] / (1 + exp(-x[i]));
}
__global__ void swish_gradient(const T* x, const T* dy, T* dx, long n) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i >= n) return;
  T s = 1 / (1 + exp(-x[i]));
  dx[i] = dy[i] * (s + x[i] * s * (1 - s));
}
"""
# The sum of each row: a block for a row, threads that meet in shared memory.
ROWS = """
__global__ void rows(const float* x, float* y, int n) {
  __shared__ float part[128];
  float sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += x[blockIdx.x * (long)n + i];
  part[threadIdx.x] = sum;
  __syncthreads();
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    __syncthreads();
  }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}
"""


def launch(source, name, *inputs):
    dtype = inputs[0].dtype
    return tf.gpu.cuda_kernel(
        source, name, list(inputs), (dtype, lambda x, *_: x.shape), grid=lambda x, *_: x.size.ceil_div(256), block=256,
        scalars=[lambda x, *_: x.size], constants={"T": "float" if dtype == tf.float32 else "double"},
    )  # fmt: skip


def swish_of(source):
    @tf.custom_gradient
    def swish(x):
        return launch(source, "swish", x), lambda dy: launch(source, "swish_gradient", x, dy)

    return swish


def swish(x):
    return x / (1 + np.exp(-x))


def rows_of(source):
    return lambda x: tf.gpu.cuda_kernel(
        source, "rows", [x], (tf.float32, lambda x: x.shape[:1]), grid=lambda x: x.shape[0], block=128,
        scalars=[lambda x: x.shape[1]],
    )  # fmt: skip


def check_swish(source, **options):
    check_cuda_kernel(swish_of(source), swish, ["n"], domain=(-20, 20), **options)


def check_rows(source):
    check_cuda_kernel(rows_of(source), lambda x: x.sum(1), [("n", "m")], scale=lambda x: x.sum(1), ulps=16, examples=20)


def found(check, source, old, new):
    """The message about a source with a mistake."""
    assert source.count(old) == 1
    with pytest.raises(AssertionError) as caught:
        check(source.replace(old, new))
    return str(caught.value)


def test_right_kernels():
    check_swish(SWISH, dtypes=("float32", "float64"), special=True)
    check_rows(ROWS)


def test_an_access_out_of_bounds_is_found_and_shrunk():
    text = found(check_swish, SWISH, "i < n) y", "i <= n) y")
    assert re.search(
        r"swish, block \(0, 0, 0\), thread \(1, 0, 0\): a (read|write) .* outside live device memory", text
    )
    assert "swish.cu:4" in text and "np.float32).reshape((1,))" in text


def test_a_race_is_found():
    text = found(check_rows, ROWS, "+= part[threadIdx.x + half];\n    __syncthreads();", "+= part[threadIdx.x + half];")
    assert "race" in text and "rows.cu:9" in text and "np.float32).reshape((1, 1))" in text
    text = found(check_rows, ROWS, "y[blockIdx.x] = part[0]", "y[0] = part[0]")
    assert "race" in text and "np.float32).reshape((2, 1))" in text, text


def test_a_barrier_that_some_threads_do_not_reach_is_found():
    assert "barrier" in found(check_rows, ROWS, "float sum = 0;", "if (threadIdx.x == 7) return;\n  float sum = 0;")


def test_a_wrong_tail_is_found_and_shrunk():
    text = found(check_swish, SWISH, "i < n) y", "i < n / 4 * 4 || i < n - 1) y")
    assert "1 of 1 elements differ" in text and "output 0" in text


def test_an_output_that_is_not_written_is_found_where_poison_is_a_result():
    source = "__global__ void nothing(const unsigned char* x, unsigned char* y) {}"

    def nothing(x):
        return tf.gpu.cuda_kernel(source, "nothing", [x], (tf.uint8, lambda x: x.shape), grid=1, block=1)

    with pytest.raises(AssertionError, match="output 0 in another launch: .* elements differ"):
        check_cuda_kernel(nothing, lambda x: np.full_like(x, 0xCB), [(3,)], ["uint8"])


def test_a_result_that_depends_on_the_order_of_threads_is_found():
    source = "__global__ void last(const int* x, int* y) { atomicExch(y, x[threadIdx.x]); }"

    def last(x):
        return tf.gpu.cuda_kernel(source, "last", [x], (tf.int32, ()), grid=1, block=lambda x: x.size)

    with pytest.raises(AssertionError, match="output 0"):
        check_cuda_kernel(last, lambda x: x[-1], [(64,)], ["int32"])
    with pytest.raises(AssertionError, match=r"output 0 in another launch(.|\n)*, seed=[12]\)\)"):
        check_cuda_kernel(last, lambda x: run_cuda_kernel(last, x.astype(np.int32))[0], [(64,)], ["int32"])
    orders = [[int(run_cuda_kernel(last, np.arange(64, dtype=np.int32), seed=s)[0]) for s in range(3)] for _ in "ab"]
    assert orders[0] == orders[1] and len(set(orders[0])) > 1


def test_results_that_may_depend_on_the_order_of_threads():
    source = "__global__ void sum(const float* x, const float* zero, float* y) { atomicAdd(y, x[threadIdx.x]); }"

    def total(x):
        return tf.gpu.cuda_kernel(
            source, "sum", [x, 0.0], (tf.float32, ()), grid=1, block=lambda x, _: x.size, in_place={0: 1},
        )  # fmt: skip

    how = dict(reference=lambda x: x.sum(), shapes=[(200,)], scale=lambda x: x.sum(), ulps=64)
    with pytest.raises(AssertionError, match="output 0 in another launch"):
        check_cuda_kernel(total, **how)
    check_cuda_kernel(total, repeatable=False, dtypes="float32", **how)


def test_a_wrong_gradient_is_found_and_shrunk():
    text = found(check_swish, SWISH, "dy[i] * (s +", "dy[i] * (s -")
    assert "derivative of order 1" in text and "np.float32).reshape((1,))" in text


def test_a_missing_gradient():
    check_cuda_kernel(lambda x: launch(SWISH, "swish", x), swish, [(5,)], domain=(-5, 5))
    with pytest.raises(ValueError, match="has no gradient"):
        check_cuda_kernel(lambda x: launch(SWISH, "swish", x), swish, [(5,)], domain=(-5, 5), gradient=True)


def test_a_function_without_a_kernel():
    with pytest.raises(ValueError, match="makes no cuda_kernel"):
        check_cuda_kernel(lambda x: x + 1, lambda x: x + 1, ["n"])


def test_an_input_that_is_written_is_found():
    source = "struct f { float v; };\n__global__ void add(const f* x, f* y) { ((f*)x)->v += 1; y->v = x->v; }"

    def add(x):
        return tf.gpu.cuda_kernel(source, "add", [x], (tf.float32, ()), grid=1, block=1)

    with pytest.raises(AssertionError, match="add writes to input 0"):
        check_cuda_kernel(add, lambda x: x + 1, [()], domain=(0, 1))


def test_outputs_in_place_of_inputs():
    source = "__global__ void twice(const float* x, float* y, int n) { if (threadIdx.x < n) y[threadIdx.x] *= 2; }"

    def twice(x):
        return tf.gpu.cuda_kernel(
            source, "twice", [x], (tf.float32, lambda x: x.shape), grid=1, block=128,
            scalars=[lambda x: x.size], in_place={0: 0},
        )  # fmt: skip

    check_cuda_kernel(twice, lambda x: 2 * x, [(100,)])


def test_shapes_from_a_strategy_and_other_operations_beside_the_kernel():
    shapes = st.tuples(strategies.shapes(max_rank=3)).map(list)
    check_cuda_kernel(lambda x: -launch(SWISH, "swish", tf.abs(x)), lambda x: -swish(abs(x)), shapes, domain=(-9, 9))


def test_a_kernel_is_run_once():
    (y,) = run_cuda_kernel(lambda x: launch(SWISH, "swish", x), np.array([[0.0, 1.0]], np.float32))
    np.testing.assert_allclose(y, [[0, 0.7310586]], rtol=1e-6)


def test_scalars_lie_at_multiples_of_their_sizes():
    source = """
    __global__ void add(const float* x, float* y, float a, float2 b, bool c, long d) { *y = *x + a + b.y + c + d; }"""

    def add(x):
        return tf.gpu.cuda_kernel(
            source, "add", [x], (tf.float32, ()), grid=1, block=1, scalars=[1.0, np.complex64(2 + 4j), True, 8]
        )

    check_cuda_kernel(add, lambda x: x + 14, [()], domain=(0, 1), gradient=False)
