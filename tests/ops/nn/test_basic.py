"""Dropout, l2_loss and small parts of networks."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import cpu_level, cpu_levels


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


def test_l2_loss_is_the_same_for_all_thread_counts():
    x = np.random.default_rng(0).normal(size=200_003).astype(np.float32)
    t = tf.placeholder(tf.float32)
    y = tf.nn.l2_loss(t)
    for level in cpu_levels():
        results = set()
        for threads in (1, 2, 4):
            with cpu_level(level), tf.Session(config=tf.ConfigProto(intra_op_parallelism_threads=threads)) as s:
                results.add(float(s.run(y, {t: x})))
        assert len(results) == 1
        assert results.pop() == pytest.approx((x.astype(np.float64) ** 2).sum() / 2, rel=1e-6)


def test_dropout():
    x = tf.ones([300, 100])
    y = _run(tf.nn.dropout(x, keep_prob=0.8, seed=1))
    assert set(np.unique(y)) == {0, np.float32(1.25)}
    assert abs((y != 0).mean() - 0.8) < 0.02
    y = _run(tf.nn.dropout(x, rate=0.5, noise_shape=[300, 1], seed=1))
    assert (y == y[:, :1]).all() and 0.3 < (y != 0).mean() < 0.7
    assert tf.nn.dropout(x, keep_prob=1.0) is x and tf.nn.dropout(x, rate=0) is x
    rate = tf.placeholder(tf.float32, [])
    y = _run(tf.nn.dropout(x, rate=rate, seed=3), {rate: 0.25})
    assert abs((y != 0).mean() - 0.75) < 0.02 and y.max() == pytest.approx(4 / 3)
    (grad,) = tf.gradients(tf.nn.dropout(x, rate=0.5, seed=1), x)
    assert set(np.unique(_run(grad))) == {0, 2}


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"rate": 1.0}, r"rate must be a scalar tensor or a float in the range \[0, 1\), got 1"),
        ({"rate": -0.1}, "rate must be a scalar tensor"),
        ({"keep_prob": 0.0}, "rate must be a scalar tensor"),
        ({"keep_prob": 0.5, "rate": 0.4}, "Cannot specify both"),
        ({}, "You must provide a rate to dropout"),
    ],
)
def test_dropout_arguments(arguments, text):
    with pytest.raises(ValueError, match=text):
        tf.nn.dropout(tf.ones([2]), **arguments)
    with pytest.raises(ValueError, match="x has to be a floating point tensor"):
        tf.nn.dropout(tf.constant([1]), keep_prob=0.5)


def test_in_top_k():
    predictions = [[0.1, 0.3, 0.3, 0.2], [0.1, np.nan, 0.2, 0.3], [1, 2, 3, 4]]
    assert _run(tf.nn.in_top_k(predictions, [2, 0, 9], 1)).tolist() == [True, False, False]
    with pytest.raises(ValueError):
        tf.nn.in_top_k([[1.0, 2.0]], [0, 1], 1)
    p = tf.placeholder(tf.float32)
    text = "First dimension of predictions 1 must match length of targets 2"
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        _run(tf.nn.in_top_k(p, [0, 1], 1), {p: [[1.0, 2.0]]})


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_check_numerics(dtype):
    x = tf.placeholder(dtype)
    y = tf.check_numerics(x, "hey")
    for level in cpu_levels():
        with cpu_level(level), tf.Session() as session:
            assert session.run(y, {x: [1, 2]}).tolist() == [1, 2]
            for bad, text in (([np.nan, 1], "NaN"), ([1, -np.inf], "Inf"), ([np.nan, np.inf], "Inf and NaN")):
                with pytest.raises(tf.errors.InvalidArgumentError, match=f"hey : Tensor had {text} values"):
                    session.run(y, {x: bad + [0] * 50})


def test_check_numerics_of_gradients():
    x = tf.placeholder(tf.float32)
    (grad,) = tf.gradients(tf.sqrt(tf.check_numerics(x, "forward")), x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="detected in gradient. forward : Tensor had Inf"):
        _run(grad, {x: 0.0})


def test_layers():
    x, w, b = np.array([[1.0, -2]]), np.array([[1.0, 0], [0, 1]]), np.array([0.5, 0.5])
    assert _run(tf.nn.xw_plus_b(x, w, b)).tolist() == [[1.5, -1.5]]
    assert _run(tf.nn.relu_layer(x, w, b)).tolist() == [[1.5, 0]]


def test_activation_wrappers():
    x = tf.constant([-2.0, 0.0, 7.0])
    assert _run(tf.nn.crelu(x)).tolist() == [0, 0, 7, 2, 0, 0]
    assert _run(tf.nn.leaky_relu(x, 0.5)).tolist() == [-1, 0, 7]
    assert _run(tf.nn.leaky_relu(tf.constant([-2, 3]), 0.5)).tolist() == [-1, 3]
    assert _run(tf.nn.relu6(x)).tolist() == [0, 0, 6]
    np.testing.assert_allclose(_run(tf.nn.swish(x)), x_sigmoid(np.array([-2.0, 0, 7])), rtol=1e-6)


def x_sigmoid(x):
    return x / (1 + np.exp(-x))


def test_gradient_op_with_two_shapes():
    g = tf.placeholder(tf.float32)
    y = tf.raw_ops.ReluGrad(gradients=g, features=tf.zeros([2]))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"same size and shape.  Input 0: \[3\] != input 1: \[2\]"):
        _run(y, {g: np.zeros(3)})


def test_cross():
    assert _run(tf.cross([[1, 0, 0]], [[0, 1, 0]])).tolist() == [[0, 0, 1]]
    with pytest.raises(ValueError):
        tf.cross([1.0, 2], [1.0, 2])
    p = tf.placeholder(tf.float32)
    with pytest.raises(tf.errors.FailedPreconditionError, match="only defined for 3-element vectors"):
        _run(tf.cross(p, p), {p: [1.0, 2]})


def test_broadcast_shapes():
    assert _run(tf.broadcast_dynamic_shape([2, 1, 3], [4, 1])).tolist() == [2, 4, 3]
    assert tf.broadcast_static_shape(tf.TensorShape([2, 1]), tf.TensorShape([5])) == tf.TensorShape([2, 5])
    with pytest.raises(ValueError, match="Incompatible shapes for broadcasting"):
        tf.broadcast_static_shape(tf.TensorShape([2]), tf.TensorShape([3]))
    s = tf.placeholder(tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2,4\] vs. \[3,2\]"):
        _run(tf.broadcast_dynamic_shape(s, [3, 2]), {s: [2, 4]})
