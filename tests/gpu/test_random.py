"""Random numbers, in checked builds on the host, against the CPU's kernels."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.gpu import kernels as k

SEEDS = st.integers(0, 2**31 - 2)  # tf takes seeds modulo 2^31 - 1
COUNTS = st.sampled_from([0, 1, 2, 3, 4, 5, 7, 1023, 2050])
FLOATS = {"float": tf.float32, "double": tf.float64, "half": tf.float16, "bfloat16": tf.bfloat16}


def draw(gpu, op, dtype, n, seeds, block=0, low=0, range_=1, seed=0):
    y = gpu.empty(n, k.NUMPY[dtype])
    per_block = 2 if y.dtype.itemsize == 8 else 4
    fields = {"key": seeds[0], "high": seeds[1], "block": block, "low": low, "range": range_, "per_block": per_block}
    gpu.run("random/random", f"{op}_{dtype}", "random", y=y, n=n, seed=seed, **fields)
    return y.numpy().copy()


def on_cpu(make, seeds):
    """What the op gives in its first and its second run with these seeds."""
    with tf.Graph().as_default():
        tf.set_random_seed(seeds[0])
        value = make(seeds[1])
        with tf.Session() as session:
            return session.run(value), session.run(value)


@pytest.mark.parametrize("dtype", FLOATS)
@settings(max_examples=15)
@given(COUNTS, st.integers(1, 2**31 - 2), SEEDS)
def test_uniform_numbers_are_those_of_the_cpu(dtype, n, key, high):
    gpu = k.gpu()
    gpu.reset()
    first, second = on_cpu(lambda seed: tf.random_uniform([n], dtype=FLOATS[dtype], seed=seed), (key, high))
    np.testing.assert_array_equal(draw(gpu, "RandomUniform", dtype, n, (key, high)), first)
    np.testing.assert_array_equal(draw(gpu, "RandomUniform", dtype, n, (key, high), block=256 * n), second)


@pytest.mark.parametrize("dtype", ["int32", "int64"])
@settings(max_examples=25)
@given(COUNTS, st.integers(1, 2**31 - 2), SEEDS, st.data())
def test_integers_are_those_of_the_cpu(dtype, n, key, high, data):
    info, gpu = np.iinfo(dtype), k.gpu()
    gpu.reset()
    low = data.draw(st.integers(info.min, info.max - 1) | st.just(0))
    top = data.draw(st.integers(low + 1, info.max))
    numbers = tf.int32 if dtype == "int32" else tf.int64
    first, _ = on_cpu(lambda seed: tf.random_uniform([n], low, top, numbers, seed), (key, high))
    actual = draw(gpu, "RandomUniformInt", dtype, n, (key, high), low=low, range_=top - low)
    np.testing.assert_array_equal(actual, first)


@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("op", ["RandomStandardNormal", "TruncatedNormal"])
@settings(max_examples=15)
@given(COUNTS, st.integers(1, 2**31 - 2), SEEDS)
def test_normal_numbers_are_those_of_the_cpu(op, dtype, n, key, high):
    gpu = k.gpu()
    gpu.reset()
    make = tf.random_normal if op == "RandomStandardNormal" else tf.truncated_normal
    first, second = on_cpu(lambda seed: make([n], dtype=FLOATS[dtype], seed=seed), (key, high))
    for block, expected in ((0, first), (256 * n, second)):
        actual = draw(gpu, op, dtype, n, (key, high), block)
        k.assert_close(actual, k.exact(expected), dtype, factor=1 if dtype in ("float", "double") else 0.6)
    if op == "TruncatedNormal" and dtype in ("float", "double"):
        assert (np.abs(actual) < 2).all()


def test_the_order_of_threads_does_not_matter():
    gpu = k.gpu()
    gpu.reset()
    a, b = (draw(gpu, "TruncatedNormal", "float", 3000, (5, 6), seed=seed) for seed in (1, 2))
    np.testing.assert_array_equal(a, b)
