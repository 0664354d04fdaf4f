"""Loops and conditionals whose bodies run on GPUs."""

import numpy as np
import pytest

import tfcore as tf


def test_conditional():
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [])
        y = tf.cond(x > 1.0, lambda: x * 2.0, lambda: tf.exp(x))
    with tf.Session() as session:
        assert session.run(y, {x: 3}) == 6
        assert session.run(y, {x: 0}) == 1


@pytest.mark.parametrize("device", ["/gpu:0", "/gpu:1", None])
def test_loop_and_its_gradient(device):
    x = tf.placeholder(tf.float32, [4])
    with tf.device(device):
        _, result = tf.while_loop(lambda i, v: i < 10.0, lambda i, v: (i + 1.0, v * 1.5 + x), [tf.constant(0.0), x])
        (gradient,) = tf.gradients(result, x)
    value = np.array([1, 2, 3, 4], np.float32)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        found, slope = session.run([result, gradient], {x: value})
    factor = 1.5**10 + sum(1.5**k for k in range(10))
    np.testing.assert_allclose(found, value * factor, rtol=1e-5)
    np.testing.assert_allclose(slope, np.full(4, factor), rtol=1e-5)


def test_a_loop_assigns_to_a_variable():
    """Switch, Merge, NextIteration and Exit hand on the reference."""
    with tf.device("/gpu:0"):
        v = tf.Variable([1.0, 2.0])

        def body(i, _):
            return i + 1, tf.cond(i > 1, lambda: v.assign_add([1.0, 1.0]), lambda: v.assign_add(v * 1.5))

        _, last = tf.while_loop(lambda i, _: i < 4, body, [0, tf.identity(v)], parallel_iterations=1)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(last).tolist() == session.run(v).tolist() == [8.25, 14.5]


def test_a_loop_that_spans_devices():
    x = tf.placeholder(tf.float32, [3])

    def body(i, v):
        with tf.device("/gpu:0"):
            a = v + 1.0
        with tf.device("/cpu:0"):
            b = a * 2.0
        with tf.device("/gpu:1"):
            return i + 1, b - 1.0

    _, result = tf.while_loop(lambda i, v: i < 5, body, [tf.constant(0), x])
    expected = value = np.array([1, 2, 3], np.float32)
    for _ in range(5):
        expected = (expected + 1) * 2 - 1
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        for _ in range(3):
            np.testing.assert_allclose(session.run(result, {x: value}), expected)


def test_tensor_array_on_a_gpu():
    x = tf.placeholder(tf.float32, [5, 3])
    with tf.device("/gpu:0"):
        y = tf.scan(lambda a, row: a + row * row, x, initializer=tf.zeros([3]))
        (gradient,) = tf.gradients(y, x)
    value = np.arange(15, dtype=np.float32).reshape(5, 3)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        found, slope = session.run([y, gradient], {x: value})
    np.testing.assert_allclose(found, np.cumsum(value * value, axis=0))
    np.testing.assert_allclose(slope, 2 * value * np.arange(5, 0, -1)[:, None])
