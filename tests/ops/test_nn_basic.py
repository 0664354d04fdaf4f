"""Bias, dropout, clipping and small parts of networks."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import cpu_level, cpu_levels, evaluate


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


def test_bias_add_formats():
    x = np.arange(24, dtype=np.float32).reshape(2, 3, 2, 2)
    last, second = np.array([1, 2], np.float32), np.array([1, 2, 3], np.float32)
    assert (_run(tf.nn.bias_add(x, last)) == x + last).all()
    assert (_run(tf.nn.bias_add(x, second, "NCHW")) == x + second[:, None, None]).all()
    assert (_run(tf.nn.bias_add(x[:, :, 0], second, "NCW")) == x[:, :, 0] + second[:, None]).all()
    with pytest.raises(ValueError, match="data_format must be of the form"):
        tf.nn.bias_add(x, last, "HWCN")


def test_bias_errors():
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 3 and 2"):
        tf.nn.bias_add(tf.zeros([2, 3]), tf.zeros([2]))
    with pytest.raises(ValueError, match="Shape must be at least rank 2"):
        tf.nn.bias_add(tf.zeros([3]), tf.zeros([3]))
    x, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.nn.bias_add(x, b)
    for value, bias, text in (
        (np.zeros((2, 3)), np.zeros(2), "Must provide as many biases as the last dimension"),
        (np.zeros(3), np.zeros(3), "Input tensor must be at least 2D"),
        (np.zeros((2, 3)), np.zeros((3, 1)), "Biases must be 1D"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            _run(y, {x: value, b: bias})


@pytest.mark.parametrize("shape", [(1, 1), (100, 10), (1000, 7), (5000, 64), (3, 3000), (2, 5, 33, 4)])
@pytest.mark.parametrize("data_format", ["NHWC", "NCHW"])
def test_bias_gradient_of_every_size(shape, data_format):
    x = np.random.default_rng(2).integers(-50, 50, shape).astype(np.float32)
    axis = 1 if data_format == "NCHW" else len(shape) - 1
    expected = x.sum(axis=tuple(i for i in range(len(shape)) if i != axis))
    np.testing.assert_array_equal(evaluate("BiasAddGrad", x, data_format=data_format), expected)


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


# ---- Clipping.


def test_clip_by_value():
    x = tf.constant([-5.0, 0.5, 5.0])
    assert _run(tf.clip_by_value(x, -1, 1)).tolist() == [-1, 0.5, 1]
    assert _run(tf.clip_by_value(x, [-9.0, 0, 0], [0.0, 9, 9])).tolist() == [-5, 0.5, 5]
    (grad,) = tf.gradients(tf.clip_by_value(x, -1, 1), x)
    assert _run(grad).tolist() == [0, 1, 0]
    with pytest.raises(ValueError):
        tf.clip_by_value(x, tf.zeros([2, 3]), 1)


def test_clip_by_norm():
    x = tf.constant([[3.0, 4.0], [0.6, 0.8]])
    np.testing.assert_allclose(_run(tf.clip_by_norm(x, 5, axes=[1])), [[3, 4], [0.6, 0.8]], rtol=1e-6)
    np.testing.assert_allclose(_run(tf.clip_by_norm(x, 1, axes=[1])), [[0.6, 0.8], [0.6, 0.8]], rtol=1e-6)
    total = np.sqrt(26)
    np.testing.assert_allclose(_run(tf.clip_by_norm(x, 2)), np.array([[3, 4], [0.6, 0.8]]) * 2 / total, rtol=1e-6)
    zero = tf.zeros([3])
    assert _run(tf.clip_by_norm(zero, 1)).tolist() == [0, 0, 0]
    assert not np.isnan(_run(tf.gradients(tf.clip_by_norm(zero, 1), zero)[0])).any()
    average = np.linalg.norm([3, 4]) / 2
    np.testing.assert_allclose(_run(tf.clip_by_average_norm(x[0], 1)), np.array([3, 4]) / average, rtol=1e-6)


def test_clip_by_global_norm():
    a, b = tf.constant([3.0]), tf.IndexedSlices(tf.constant([[4.0]]), tf.constant([1]), tf.constant([3, 1]))
    assert _run(tf.global_norm([a, None, b])) == 5
    (ca, none, cb), norm = tf.clip_by_global_norm([a, None, b], 1.0)
    assert none is None and isinstance(cb, tf.IndexedSlices)
    values = _run([ca, cb.values, norm])
    np.testing.assert_allclose(values[0], [0.6], rtol=1e-6)
    np.testing.assert_allclose(values[1], [[0.8]], rtol=1e-6)
    assert values[2] == 5
    (unchanged,), _ = tf.clip_by_global_norm([a], 10.0)
    assert _run(unchanged).tolist() == [3]
    (spoilt,), _ = tf.clip_by_global_norm([tf.constant([np.inf])], 1.0)
    assert np.isnan(_run(spoilt)).all()
    with pytest.raises(TypeError, match="t_list should be a sequence"):
        tf.clip_by_global_norm(5.0, 1.0)


def test_clipping_takes_no_tensor_from_its_place():
    with tf.Graph().as_default() as graph, tf.device("/job:worker"):
        with tf.device("/job:ps"):
            gradient = tf.zeros([1000]) + 1
        (clipped,), _ = tf.clip_by_global_norm([gradient], 1.0)
        # What reads it is with it: the half of its squared norm, and the product.
        readers = [op for op in graph.get_operations() if gradient in op.inputs]
        assert sorted(op.type for op in readers) == ["L2Loss", "Mul"]
        assert all(op.colocation_groups() == gradient.op.colocation_groups() for op in [*readers, clipped.op])


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
