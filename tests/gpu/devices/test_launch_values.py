"""Launches whose results the records do not cover: empty tensors, chunks, memory that is used again."""

import numpy as np
import pytest

import tfcore as tf
from tests.gpu.devices.on_both import raw, run


def draw(*shape, dtype=np.float32):
    return np.random.default_rng(len(shape)).standard_normal(shape).astype(dtype)


@pytest.mark.parametrize(
    ("build", "values"),
    [
        (raw("Mean"), [np.zeros((0, 3), np.float32), np.array([0], np.int32)]),
        (raw("Mean"), [np.zeros((0, 3), np.int64), np.array([0], np.int32)]),
        (raw("Max"), [np.zeros((2, 0, 3), np.int16), np.array([1], np.int32)]),
        (raw("Prod"), [np.zeros((2, 0, 3, 0), np.float16), np.array([1, 3], np.int32)]),
        (raw("Sum"), [np.zeros((0, 3), np.int32), np.array([0], np.int32)]),
        (raw("BiasAddGrad"), [np.zeros((0, 3), np.float32)]),
        (raw("L2Loss"), [np.zeros(0, np.float32)]),
        (raw("MatMul"), [np.zeros((2, 0), np.float32), np.zeros((0, 3), np.float32)]),
        (raw("SoftmaxCrossEntropyWithLogits"), [np.zeros((2, 0), np.float32)] * 2),
        (raw("AddV2"), [np.zeros((0, 3), np.float32), np.zeros(3, np.float32)]),
    ],
)
def test_empty_tensors(build, values):
    found, right = (run(device, build, values) for device in ("/gpu:0", "/cpu:0"))
    for a, b in zip(found, right) if isinstance(found, tuple) else [(found, right)]:
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("axes", [[0], [1], [0, 2], [1, 3], [0, 1, 2, 3]])
def test_sums_in_chunks_and_stages(axes):
    x = draw(7, 50, 2, 300)
    found = run("/gpu:0", lambda x: tf.reduce_sum(x, axes), [x])
    np.testing.assert_allclose(found, x.astype(float).sum(tuple(axes)), rtol=1e-4, atol=1e-3)


def test_products_in_chunks():
    a, b = draw(2000, 5), draw(2000, 3)
    found = run("/gpu:0", lambda a, b: tf.matmul(a, b, transpose_a=True), [a, b])
    np.testing.assert_allclose(found, a.T.astype(float) @ b, rtol=1e-4, atol=1e-3)


def test_one_factor_for_a_batch():
    a, b = draw(3, 4, 5, 6), draw(6, 2)
    np.testing.assert_allclose(run("/gpu:0", raw("BatchMatMulV2"), [a, b]), a @ b, rtol=1e-5, atol=1e-5)


def test_sums_of_more_inputs_than_a_launch_takes():
    x = draw(1000)
    found = run("/gpu:0", lambda x: tf.add_n([x * float(i) for i in range(150)]), [x])
    np.testing.assert_allclose(found, x * sum(range(150)), rtol=1e-5)


def test_memory_of_inputs_is_used_again():
    """Each of these kernels may write over an input that nobody else needs, and must not over others."""
    x = draw(50, 40)

    def build(x):
        y = tf.exp(x)  # two consumers: it may not be written over
        z = tf.nn.softmax(tf.nn.bias_add(tf.nn.relu(y - 1.0), tf.reduce_max(x, axis=0)))
        return tf.where(x > 0, z, tf.clip_by_value(y, 0.1, 0.9)), y

    for a, b in zip(run("/gpu:0", build, [x]), run("/cpu:0", build, [x])):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_shapes_that_do_not_broadcast_are_unequal():
    values = [draw(2), draw(3)]
    for name, right in (("Equal", False), ("NotEqual", True)):
        assert run("/gpu:0", raw(name, incompatible_shape_error=False), values) == right


def test_arithmetic_on_sizes():
    """As in TensorFlow: sizes that are computed from shapes become arguments of kernels."""
    x = draw(4, 6)

    def build(x):
        n = tf.shape(x)
        rows = tf.reduce_prod(n) // tf.maximum(n[1] // 2, 1)
        return tf.reshape(x, [rows, -1])

    assert run("/gpu:0", build, [x]).shape == (8, 3)
