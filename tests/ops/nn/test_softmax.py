"""Softmax and the cross entropies: special values, long rows, labels, gradients, the public functions."""

import numpy as np
import pytest
import scipy.special as sp

import tfcore as tf
from tfcore.testing import cpu_level, cpu_levels, evaluate


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


_RNG = np.random.default_rng(5)


def _at_every_level(op, *inputs):
    """The op's output (or list of outputs) at each level, without comparing the levels with each other."""
    outputs = tf.raw_ops.__dict__[op](*inputs)
    for level in cpu_levels():
        with cpu_level(level), tf.Session() as session:
            yield session.run(outputs)


@pytest.mark.parametrize("classes", [1, 3, 10, 16, 17, 63, 127, 129, 1000, 4099])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_rows_of_every_length(classes, dtype):
    x = (_RNG.normal(size=(5, classes)) * 20).astype(dtype)
    labels = sp.softmax(_RNG.normal(size=(5, classes)), axis=1).astype(dtype)
    wide = x.astype(np.float64)
    eps = np.finfo(dtype).eps
    y, log_y = sp.softmax(wide, axis=1), sp.log_softmax(wide, axis=1)
    for got in _at_every_level("Softmax", x):
        np.testing.assert_allclose(got, y, rtol=100 * eps, atol=eps)
    for got in _at_every_level("LogSoftmax", x):
        np.testing.assert_allclose(got, log_y, rtol=4 * eps, atol=100 * eps)
    for loss, backprop in _at_every_level("SoftmaxCrossEntropyWithLogits", x, labels):
        np.testing.assert_allclose(loss, -(labels * log_y).sum(axis=1), rtol=50 * eps, atol=50 * eps)
        np.testing.assert_allclose(backprop, y - labels, atol=8 * eps)
    indices = np.arange(5) * 7919 % classes
    for loss, backprop in _at_every_level("SparseSoftmaxCrossEntropyWithLogits", x, indices):
        np.testing.assert_allclose(loss, -log_y[np.arange(5), indices], rtol=4 * eps, atol=100 * eps)
        np.testing.assert_allclose(backprop, y - np.eye(classes)[indices], atol=8 * eps)


def test_huge_logits_do_not_overflow():
    x = np.array([[1e38, -1e38, 0], [-1e38, -1e38, -1e38]], np.float32)
    np.testing.assert_array_equal(evaluate("Softmax", x), [[1, 0, 0], np.full(3, np.float32(1) / 3)])
    loss, _ = evaluate("SparseSoftmaxCrossEntropyWithLogits", x, np.array([0, 2]))
    np.testing.assert_allclose(loss, [0, np.log(3)], rtol=1e-6)


@pytest.mark.parametrize("classes", [2, 40])
def test_nan_and_infinity(classes):
    x = np.zeros((4, classes), np.float32)
    x[0, 0], x[1, 0], x[2] = np.nan, np.inf, -np.inf
    x[3, 0] = -np.inf
    y = evaluate("Softmax", x)
    assert np.isnan(y[0]).all() and np.isnan(y[1]).any() and np.isnan(y[2]).all()
    np.testing.assert_allclose(y[3], [0] + [1 / (classes - 1)] * (classes - 1), rtol=1e-6)
    # A class of probability 0 with label 0 adds nothing to the loss.
    labels = np.zeros((1, classes), np.float32)
    labels[0, 1] = 1
    loss, _ = evaluate("SoftmaxCrossEntropyWithLogits", x[3:], labels)
    np.testing.assert_allclose(loss, [np.log(classes - 1)], atol=1e-6)


def test_same_result_on_one_and_on_many_threads():
    x = _RNG.normal(size=(700, 203)).astype(np.float32)
    graph_input = tf.placeholder(tf.float32)
    outputs = [tf.nn.softmax(graph_input), tf.nn.log_softmax(graph_input)]
    for level in cpu_levels():
        results = []
        for threads in (1, 2, 5):
            config = tf.ConfigProto(intra_op_parallelism_threads=threads)
            with cpu_level(level), tf.Session(config=config) as session:
                results.append(session.run(outputs, {graph_input: x}))
        for other in results[1:]:
            for a, b in zip(results[0], other):
                assert a.tobytes() == b.tobytes()


@pytest.mark.cpu
@pytest.mark.parametrize("dtype", [np.int32, np.int64])
@pytest.mark.parametrize("label", [-1, 3])
def test_label_out_of_range(dtype, label):
    labels = tf.placeholder(dtype, [2])
    loss = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=tf.zeros([2, 3]))
    with tf.Session() as session:
        text = (
            rf"Received a label value of {label} which is outside the valid range of \[0, 3\).  Label values: 0 {label}"
        )
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            session.run(loss, {labels: [0, label]})


def test_shapes_that_do_not_fit():
    with pytest.raises(ValueError, match="Rank mismatch"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[1]], logits=[[1.0, 2]])
    with pytest.raises(ValueError, match="Shape mismatch"):
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1, 2, 3], logits=[[1.0, 2]])
    with pytest.raises(ValueError, match="Both `labels` and `logits` must be provided"):
        tf.nn.softmax_cross_entropy_with_logits(labels=[[1.0]])
    with pytest.raises(ValueError, match="Only call `softmax_cross_entropy_with_logits` with named"):
        tf.nn.softmax_cross_entropy_with_logits([[1.0]], [[1.0]])
    with pytest.raises(ValueError):
        tf.nn.softmax(3.0)
    x = tf.placeholder(tf.float32)
    with tf.Session() as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match="must be broadcastable"):
            loss, _ = tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x, labels=tf.zeros([3, 3]))
            session.run(loss, {x: np.zeros((2, 3))})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Must have at least one class"):
            loss, _ = tf.raw_ops.SparseSoftmaxCrossEntropyWithLogits(features=x, labels=[0, 0])
            session.run(loss, {x: np.zeros((2, 0))})


def test_no_rows_and_no_classes():
    for shape in ((0, 5), (3, 0)):
        loss, backprop = evaluate("SoftmaxCrossEntropyWithLogits", *[np.zeros(shape, np.float32)] * 2)
        assert loss.tolist() == [0] * shape[0] and backprop.shape == shape
    assert evaluate("Softmax", np.zeros((2, 0), np.float32)).shape == (2, 0)


@pytest.mark.parametrize("axis", [0, 1, 2, -1, -2, -3])
def test_axis(axis):
    x = _RNG.normal(size=(3, 4, 5))
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(tf.nn.softmax(x, axis=axis)), sp.softmax(x, axis=axis))
        np.testing.assert_allclose(session.run(tf.nn.log_softmax(x, dim=axis)), sp.log_softmax(x, axis=axis))
        labels = sp.softmax(_RNG.normal(size=x.shape), axis=axis)
        loss = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=x, axis=axis)
        np.testing.assert_allclose(session.run(loss), -(labels * sp.log_softmax(x, axis=axis)).sum(axis=axis))


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("loss", [tf.nn.softmax_cross_entropy_with_logits, tf.nn.softmax_cross_entropy_with_logits_v2])
@pytest.mark.parametrize(
    "logits_shape, labels_shape",
    [((6, 7), (1, 6, 7)), ((6, 7), (2, 3, 7)), ((1, 6, 7), (6, 7)), ((2, 3, 7), (3, 2, 7))],
)
def test_outer_dimensions_are_folded_for_each_argument(loss, logits_shape, labels_shape, known):
    logits = _RNG.normal(size=logits_shape).astype(np.float32)
    labels = sp.softmax(_RNG.normal(size=labels_shape), -1).astype(np.float32)
    x = tf.placeholder(tf.float32, logits_shape if known else [None] * (len(logits_shape) - 1) + [7])
    z = tf.placeholder(tf.float32, labels_shape if known else None)
    y = loss(labels=z, logits=x)
    assert y.shape.as_list() == (list(logits_shape[:-1]) if known else [None] * (len(logits_shape) - 1))
    expected = -(labels.reshape(6, 7) * sp.log_softmax(logits.reshape(6, 7), -1)).sum(-1).reshape(logits_shape[:-1])
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(y, {x: logits, z: labels}), expected, rtol=1e-5)


@pytest.mark.parametrize("axis", [-3, -2, -1, 0, 1, 2])
def test_cross_entropy_along_an_axis_of_unknown_rank(axis):
    logits = _RNG.normal(size=(2, 3, 4)).astype(np.float32)
    labels = sp.softmax(_RNG.normal(size=(2, 3, 4)), axis).astype(np.float32)
    x = tf.placeholder(tf.float32)
    y = tf.nn.softmax_cross_entropy_with_logits_v2(labels=labels, logits=x, axis=axis)
    with tf.Session() as session:
        expected = -(labels * sp.log_softmax(logits, axis)).sum(axis)
        np.testing.assert_allclose(session.run(y, {x: logits}), expected, rtol=1e-5)


def test_cross_entropy_along_an_axis_that_is_not_there():
    with pytest.raises(ValueError, match=r"dimension in the range \[-3, 3\), but got 3"):
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.zeros([2, 7, 3]), logits=tf.zeros([2, 7, 3]), axis=3)


@pytest.mark.parametrize("known", [[2, 3, 4], [None, None, None], [None, 3, 4], None])
def test_cross_entropies_of_any_rank(known):
    x, indices = _RNG.normal(size=(2, 3, 4)), _RNG.integers(0, 4, (2, 3))
    logits, labels = tf.placeholder(tf.float64, known), tf.placeholder(tf.int32, known and known[:-1])
    dense_labels = np.eye(4)[indices]
    losses = [
        tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits),
        tf.nn.softmax_cross_entropy_with_logits_v2(labels=dense_labels, logits=logits),
    ]
    expected = -np.log((sp.softmax(x, axis=-1) * dense_labels).sum(axis=-1))
    with tf.Session() as session:
        for value in session.run(losses, {logits: x, labels: indices}):
            np.testing.assert_allclose(value, expected)


def _check_gradient(loss, x, feeds, degree):
    """Directional derivatives, first and second."""
    with tf.Session() as session:
        for _ in range(degree):
            (grad,) = tf.gradients(loss, x)
            value = session.run(grad, feeds)
            d = _RNG.normal(size=value.shape)
            at = [session.run(loss, {**feeds, x: feeds[x] + s * 1e-5 * d}) for s in (1, -1)]
            np.testing.assert_allclose((at[0] - at[1]) / 2e-5, (value * d).sum(), rtol=1e-6, atol=1e-8)
            loss = tf.reduce_sum(grad * tf.constant(_RNG.normal(size=value.shape)))


def test_dense_cross_entropy_gradients():
    """Labels that sum to 1 (softmax of something): by the logits, and by what the labels are made of."""
    x, z = tf.placeholder(tf.float64, [4, 7]), tf.placeholder(tf.float64, [4, 7])
    weights = tf.constant(_RNG.normal(size=4))
    losses = tf.nn.softmax_cross_entropy_with_logits_v2(labels=tf.nn.softmax(z), logits=x)
    loss = tf.reduce_sum(losses * weights)
    feeds = {x: _RNG.normal(size=(4, 7)), z: _RNG.normal(size=(4, 7))}
    _check_gradient(loss, x, feeds, 2)
    _check_gradient(loss, z, feeds, 2)
    stopped = tf.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax(z), logits=x)
    assert tf.gradients(stopped, z) == [None]


def test_gradients_of_broadcast_operands():
    x, labels = tf.placeholder(tf.float64, [1, 5]), tf.placeholder(tf.float64, [3, 5])
    loss, _ = tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=x, labels=labels)
    feeds = {x: _RNG.normal(size=(1, 5)), labels: sp.softmax(_RNG.normal(size=(3, 5)), axis=1)}
    _check_gradient(tf.reduce_sum(loss), x, feeds, 1)


def test_sigmoid_cross_entropies():
    x, z = _RNG.normal(size=(3, 4)) * 30, _RNG.uniform(size=(3, 4))
    x[0, 0] = 0
    log_p, log_q = sp.log_expit(x), sp.log_expit(-x)
    logits = tf.constant(x)
    plain = tf.nn.sigmoid_cross_entropy_with_logits(labels=z, logits=logits)
    weighted = tf.nn.weighted_cross_entropy_with_logits(z, logits, 2.5)
    with tf.Session() as session:
        np.testing.assert_allclose(session.run(plain), -(z * log_p + (1 - z) * log_q), atol=1e-12)
        np.testing.assert_allclose(session.run(weighted), -(2.5 * z * log_p + (1 - z) * log_q), atol=1e-12)
        (grad,) = session.run(tf.gradients(plain, logits))
    np.testing.assert_allclose(grad, sp.expit(x) - z, atol=1e-12)
    with pytest.raises(ValueError, match="logits and labels must have the same shape"):
        tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0], logits=[1.0, 2.0])


def test_log_poisson_loss():
    z, c = np.array([0.0, 0.5, 1.0, 3.0, 10.0]), _RNG.normal(size=5)
    with tf.Session() as session:
        short, full = session.run([tf.nn.log_poisson_loss(z, c), tf.nn.log_poisson_loss(z, c, compute_full_loss=True)])
    np.testing.assert_allclose(short, np.exp(c) - z * c)
    stirling = np.where(z > 1, z * np.log(np.maximum(z, 1)) - z + 0.5 * np.log(2 * np.pi * np.maximum(z, 1)), 0)
    np.testing.assert_allclose(full, np.exp(c) - z * c + stirling)
