"""Random graphs of tfcore's ops, `cuda_func` and `cuda_kernel` on all devices give the values of their NumPy twins."""

import ctypes
import functools
import gc
import random
import time

import numpy as np
import pytest

import tfcore as tf
from tests.gpu.pycuda.conftest import GPUS
from tests.gpu.pycuda.memory import in_use, settles
from tfcore.gpu import driver, pycuda

pycuda.load()
import pycuda.autoprimaryctx  # noqa: E402, F401
import pycuda.driver as drv  # noqa: E402
from pycuda import gpuarray  # noqa: E402
from pycuda.elementwise import ElementwiseKernel  # noqa: E402

GRAPHS, NODES = 200, 10
DEVICES = ["/cpu:0", *(f"/gpu:{i}" for i in range(int(GPUS)))]
SOURCE = """
__global__ void mix(const float* a, const float* b, float* sum, float* product, long n) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) { sum[i] = a[i] + 0.5f * b[i]; product[i] = 0.25f * a[i] * b[i]; }
}
__global__ void row_sums(const float* x, float* y, int rows, int columns) {
  int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= rows) return;
  float sum = 0;
  for (int i = 0; i < columns; i++) sum += x[row * columns + i];
  for (int i = 0; i < columns; i++) y[row * columns + i] = sum / columns;
}
"""


def mix(a, b):
    like = (tf.float32, lambda a, b: a.shape)
    return tf.gpu.cuda_kernel(
        SOURCE, "mix", [a, b], [like, like], grid=lambda a, b: a.size.ceil_div(32), block=32,
        scalars=[lambda a, b: a.size],
    )  # fmt: skip


def row_sums(a):
    return tf.gpu.cuda_kernel(
        SOURCE, "row_sums", [a], (tf.float32, lambda a: a.shape), grid=lambda a: a.shape[0].ceil_div(32), block=32,
        scalars=[lambda a: a.shape[0], lambda a: a.shape[1]],
    )  # fmt: skip


def arithmetic(a, b):
    return (a + b) / 2 - 1


@functools.cache
def halve(device):
    """PyCUDA's kernels belong to the device on which they are first launched."""
    return ElementwiseKernel("float *y, const float *x", "y[i] = x[i] / 2 + i % 3", "halve")


def elementwise(a):
    y = gpuarray.empty(a.shape, a.dtype, allocator=tf.gpu.allocator)
    halve(drv.Context.get_device())(y, a)
    return y


def elementwise_twin(a):
    return a / 2 + (np.arange(a.size) % 3).reshape(a.shape)


# (number of inputs, function of tensors, its twin, whether it needs a GPU)
CHOICES = [
    (2, lambda a, b: [a * b / 4], lambda a, b: [a * b / 4], False),
    (1, lambda a: [tf.tanh(a)], lambda a: [np.tanh(a)], False),
    (1, lambda a: [a - tf.reduce_mean(a, 1, keepdims=True)], lambda a: [a - a.mean(1, keepdims=True)], False),
    (2, lambda a, b: [tf.matmul(tf.matmul(a, b, transpose_b=True), a) / 16], lambda a, b: [a @ b.T @ a / 16], False),
    (2, mix, lambda a, b: [a + 0.5 * b, 0.25 * a * b], True),
    (1, lambda a: [row_sums(a)], lambda a: [np.broadcast_to(a.mean(1, keepdims=True), a.shape)], True),
    (2, lambda a, b: tf.gpu.cuda_func(arithmetic, [a, b], [tf.float32], shapes=[a.shape]),
     lambda a, b: [(a + b) / 2 - 1], True),
    (1, lambda a: tf.gpu.cuda_func(elementwise, [a], [tf.float32], shapes=[a.shape]), lambda a: [elementwise_twin(a)],
     True),
]  # fmt: skip


def random_graph(seed):
    """Placeholders with arrays to be fed, and pairs (tensor, its value by NumPy in float64)."""
    rng, shape = random.Random(seed), (1 + seed % 5, 1 + seed % 7)
    feeds = {
        tf.placeholder(tf.float32, shape): np.random.default_rng((seed, i)).uniform(-2, 2, shape) for i in range(2)
    }
    made = [(x, value) for x, value in feeds.items()]
    for _ in range(NODES):
        count, build, twin, needs_gpu = rng.choice(CHOICES)
        inputs = [rng.choice(made) for _ in range(count)]
        with tf.device(rng.choice(DEVICES[1:] if needs_gpu else DEVICES)):
            tensors = build(*(t for t, _ in inputs))
        made += zip(tensors, twin(*(value for _, value in inputs)), strict=True)
    return feeds, made


def counts():
    """What the emulator counts of all devices, and what sessions hold of their memory."""
    emulator = driver.load()
    found = {}
    gc.collect()
    for device in range(int(GPUS)):
        for name in ("contexts", "streams", "modules"):
            count = ctypes.c_size_t()
            emulator.call("tfcEmulatedCount", device, name.encode(), ctypes.byref(count))
            found[device, name] = count.value
        found[device, "bytes"] = in_use(device)
    return found


@pytest.mark.parametrize("part", range(4))
def test_random_graphs(part):
    for seed in range(part, GRAPHS, 4):
        with tf.Graph().as_default():
            feeds, made = random_graph(seed)
            tensors, expected = zip(*made, strict=True)
            with tf.Session() as sess:
                for _ in range(2):
                    for i, value in enumerate(sess.run(tensors, feeds)):
                        np.testing.assert_allclose(value, expected[i], rtol=2e-4, atol=2e-4, err_msg=f"seed {seed}")


def run_and_close(how):
    with tf.Graph().as_default():
        feeds, made = random_graph(7)
        tensors = [t for t, _ in made]
        with tf.device("/gpu:0"):
            if how == "fails":
                tensors += tf.gpu.cuda_func(lambda x: 1 / 0, [tensors[-1]], [tf.float32])
            elif how == "times out":
                tensors += tf.gpu.cuda_func(lambda x: time.sleep(0.3) or x, [tensors[-1]], [tf.float32])
        with tf.Session() as sess:
            options = tf.RunOptions(timeout_in_ms=50) if how == "times out" else None
            try:
                sess.run(tensors, feeds, options=options)
                return how == "ends"
            except (tf.errors.UnknownError, tf.errors.DeadlineExceededError):
                return how != "ends"


@pytest.mark.parametrize("how", ["ends", "fails", "times out"])
def test_sessions_leave_nothing_behind(how):
    assert run_and_close(how)
    before = counts()  # may hold memory that is on its way back
    for _ in range(10):
        assert run_and_close(how)
    assert settles(lambda: all(count <= before[key] for key, count in counts().items())), (counts(), before)
