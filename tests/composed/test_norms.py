"""tf.norm against NumPy."""

import numpy as np
import pytest

import tfcore as tf

X = np.random.default_rng(0).normal(size=(3, 4, 5))


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def run(fetches, feed=None):
    with tf.Session() as session:
        return session.run(fetches, feed)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("order", ["euclidean", 1, 2, np.inf, 3, 1.5])
def test_vectors(order, keepdims):
    number = 2 if order == "euclidean" else order
    for axis in (0, 2, -2):
        wanted = np.linalg.norm(X, number, axis, keepdims)
        found = tf.norm(X, order, axis, keepdims=keepdims)
        assert found.shape.as_list() == list(wanted.shape)
        np.testing.assert_allclose(run(found), wanted, rtol=1e-12)
    wanted = np.linalg.norm(X.ravel(), number)
    found = run(tf.norm(X, order, keep_dims=keepdims))
    np.testing.assert_allclose(found, np.full((1, 1, 1) if keepdims else (), wanted), rtol=1e-12)


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize("order", ["euclidean", "fro", 1, 2, np.inf])
def test_matrices(order, keepdims):
    for axis in ((0, 1), [-1, 0], (2, 1)):
        wanted = np.linalg.norm(X, "fro" if order == "euclidean" else order, tuple(axis), keepdims)
        found = tf.linalg.norm(X, order, axis, keepdims=keepdims)
        assert found.shape.as_list() == list(wanted.shape)
        np.testing.assert_allclose(run(found), wanted, rtol=1e-12)


def test_complex_and_unknown_shapes():
    z = np.array([3 + 4j, 0, 5j])
    assert run(tf.norm(z)) == np.sqrt(50) and run(tf.norm(z, 1)) == 10
    x = tf.placeholder(tf.float64)
    np.testing.assert_allclose(run(tf.norm(x, axis=1), {x: X}), np.linalg.norm(X, axis=1))
    grad = run(tf.gradients(tf.norm(x), x), {x: X})[0]
    np.testing.assert_allclose(grad, X / np.linalg.norm(X))


def test_wrong_arguments():
    for order in (0, -1, "fro", "nuc", 1j):
        with pytest.raises(ValueError, match="'ord' must be a supported vector norm"):
            tf.norm(X, order)
    for axis in ((1, 1), (0, 1.5), 1.5, (0, 1, 2), "a"):
        with pytest.raises(ValueError, match="'axis' must be None, an integer, or a tuple of 2 unique integers"):
            tf.norm(X, axis=axis)
    with pytest.raises(ValueError, match="must be a supported matrix norm"):
        tf.norm(X, 3, (0, 1))
    with pytest.raises(ValueError, match="rank of 'tensor' must be known"):
        tf.norm(tf.placeholder(tf.float32), 2, (0, 1))
    for order in (None, object()):
        with pytest.raises(TypeError, match="'ord' must be a number"):
            tf.norm(X, order)
    with pytest.raises(ValueError, match="Cannot specify both"):
        tf.norm(X, keepdims=True, keep_dims=True)
