"""tf.layers.batch_normalization: renormalization, adjustment, virtual batches, several axes, fed `training`."""

import numpy as np
import pytest

import tfcore as tf

X = np.random.default_rng(0).normal(1, 2, size=(6, 4, 3, 5)).astype(np.float32)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def moments(x, axes):
    return x.mean(axes, keepdims=True), x.var(axes, keepdims=True)


def normalized(x, axes, epsilon=1e-3):
    mean, variance = moments(x, axes)
    return (x - mean) / np.sqrt(variance + epsilon)


def test_several_axes():
    y = tf.layers.batch_normalization(X, axis=[1, -1], training=True)
    assert [v.shape.as_list() for v in tf.global_variables()] == [[1, 4, 1, 5]] * 4
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_allclose(sess.run(y), normalized(X, (0, 2)), rtol=1e-3, atol=1e-4)


def test_virtual_batches():
    y = tf.layers.batch_normalization(X, training=True, virtual_batch_size=3)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        # Each column of [size, number of virtual batches] is one.
        parts = [normalized(X[i::2], (0, 1, 2)) for i in range(2)]
        expected = np.stack(parts, 1).reshape(X.shape)
        np.testing.assert_allclose(sess.run(y), expected, rtol=1e-3, atol=1e-4)


def test_adjustment():
    y = tf.layers.batch_normalization(X, training=True, adjustment=lambda shape: (tf.ones([5]) * 2, tf.ones([5])))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_allclose(sess.run(y), normalized(X, (0, 1, 2)) * 2 + 1, rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize("clipping", [None, {"rmin": 0.8, "rmax": 1.2, "dmax": 0.1}])
@pytest.mark.parametrize("fed", [False, True])
def test_renormalization(clipping, fed):
    training = tf.placeholder(tf.bool, []) if fed else True
    y = tf.layers.batch_normalization(
        X, training=training, renorm=True, renorm_clipping=clipping, renorm_momentum=0.75, momentum=0.5
    )
    names = ["gamma", "beta", "moving_mean", "moving_variance", "moving_stddev", "renorm_mean", "renorm_stddev"]
    assert [v.op.name for v in tf.global_variables()] == [f"batch_normalization/{n}" for n in names]
    mean, variance = (m[0, 0, 0] for m in moments(X, (0, 1, 2)))
    stddev = np.sqrt(variance + 1e-3)
    known_mean, known_stddev = 0.5, 1.5
    r, d = stddev / known_stddev, (mean - known_mean) / known_stddev
    if clipping:
        r, d = np.clip(r, 0.8, 1.2), np.clip(d, -0.1, 0.1)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        values = dict(zip(names, tf.global_variables()))
        values["renorm_mean"].load(np.full(5, known_mean), sess)
        values["renorm_stddev"].load(np.full(5, known_stddev), sess)
        feeds = {training: True} if fed else {}
        np.testing.assert_allclose(sess.run(y, feeds), normalized(X, (0, 1, 2)) * r + d, rtol=1e-3, atol=1e-3)
        values["renorm_mean"].load(np.full(5, known_mean), sess)
        values["renorm_stddev"].load(np.full(5, known_stddev), sess)
        sess.run(tf.get_collection(tf.GraphKeys.UPDATE_OPS), feeds)
        after = sess.run(values)
        np.testing.assert_allclose(after["renorm_mean"], 0.75 * known_mean + 0.25 * mean, rtol=1e-4)
        np.testing.assert_allclose(after["renorm_stddev"], 0.75 * known_stddev + 0.25 * stddev, rtol=1e-4)
        np.testing.assert_allclose(after["moving_mean"], 0.5 * mean, rtol=1e-4)
        moved = 0.5 + 0.5 * np.sqrt(variance + 1e-3)
        np.testing.assert_allclose(after["moving_stddev"], moved, rtol=1e-4)
        np.testing.assert_allclose(after["moving_variance"], moved**2 - 1e-3, rtol=1e-4)
        if fed:
            before = sess.run(values)
            sess.run([y, *tf.get_collection(tf.GraphKeys.UPDATE_OPS)], {training: False})
            for name, value in sess.run(values).items():
                np.testing.assert_array_equal(value, before[name])


def test_fed_training_of_images_is_the_same_as_constant_training():
    training = tf.placeholder(tf.bool, [])
    layer = tf.layers.BatchNormalization(momentum=0.5)
    fed = layer(X, training=training)
    updates = layer.updates
    constant = layer(X, training=True)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        a, b = sess.run([fed, constant], {training: True})
        np.testing.assert_array_equal(a, b)
        sess.run(updates, {training: True})
        first = sess.run(layer.moving_variance)
        sess.run(tf.global_variables_initializer())
        sess.run(layer.updates[2:])
        np.testing.assert_allclose(sess.run(layer.moving_variance), first, rtol=1e-6)


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_types(dtype):
    y = tf.layers.batch_normalization(X.astype(dtype), training=True)
    (kind,) = {v.dtype.base_dtype for v in tf.global_variables()}
    assert kind == (tf.float32 if dtype == np.float16 else tf.float64)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        value = sess.run(y)
        assert value.dtype == dtype
        np.testing.assert_allclose(value, normalized(X, (0, 1, 2)), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize(
    "arguments, error, text",
    [
        ({"axis": 7}, ValueError, "Invalid value for `axis` argument"),
        ({"axis": "a"}, TypeError, "Expected an int or a list/tuple of ints"),
        ({"axis": [1, -3]}, ValueError, "Duplicate axis"),
        ({"renorm": True, "renorm_clipping": {"max": 1}}, ValueError, "invalid keys for `renorm_clipping`"),
        ({"virtual_batch_size": -1}, ValueError, "`virtual_batch_size` must be a positive integer"),
        ({"virtual_batch_size": 2, "axis": 0}, ValueError, "axis cannot include 0"),
        ({"virtual_batch_size": 2, "adjustment": print}, ValueError, "adjustment cannot be specified"),
    ],
)
def test_errors(arguments, error, text):
    with pytest.raises(error, match=text):
        tf.layers.batch_normalization(X, **arguments)
