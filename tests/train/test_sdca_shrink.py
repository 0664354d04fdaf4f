"""SdcaShrinkL1: weights are moved towards 0."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def _shrunk(weights, l1, l2):
    variables = [tf.Variable(np.array(w, np.float32), use_resource=False) for w in weights]
    shrink = tf.train.sdca_shrink_l1(variables, l1=l1, l2=l2)
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        assert session.run(shrink) is None
        return session.run(variables)


@pytest.mark.parametrize(
    "weights, l1, l2, expected",
    [
        ([[1, -1, 0.2, -0.2, 0, np.nan, np.inf], [[3, -4]]], 0.5, 2,
         [[0.75, -0.75, 0, -0.0, 0, np.nan, np.inf], [[2.75, -3.75]]]),
        ([[1, -1]], 0.5, 0, [[0, -0.0]]),
        ([[1, -1]], 0, 1, [[1, -1]]),
        ([[1, -1]], -1, 1, [[2, -2]]),
        ([3], 0.5, 1, [2.5]),
        ([[]], 0.5, 1, [[]]),
    ],
)  # fmt: skip
def test_values(weights, l1, l2, expected):
    """As in TensorFlow 2.21, signs of zeros included."""
    for value, wanted in zip(_shrunk(weights, l1, l2), expected, strict=True):
        np.testing.assert_array_equal(value, np.float32(wanted))
        np.testing.assert_array_equal(np.signbit(value), np.signbit(np.float32(wanted)))


def test_large_weights():
    weights = np.random.default_rng(1).normal(size=100_000).astype(np.float32)
    (value,) = _shrunk([weights], 1.0, 3.0)
    by = np.float32(1) / np.float32(3)
    np.testing.assert_array_equal(value, np.sign(weights) * np.maximum(np.abs(weights) - by, 0))


def test_without_weights():
    with tf.Session() as session:
        session.run(tf.train.sdca_shrink_l1([], l1=1.0, l2=1.0))


def test_refusals():
    fresh = tf.Variable([1.0], use_resource=False)
    with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value"):
        session.run(tf.train.sdca_shrink_l1([fresh], l1=1.0, l2=1.0))
    with pytest.raises((TypeError, ValueError)):
        tf.train.sdca_shrink_l1([tf.constant([1.0])], l1=1.0, l2=1.0)
    with pytest.raises((TypeError, ValueError)):
        tf.train.sdca_shrink_l1([tf.Variable([1], use_resource=False)], l1=1.0, l2=1.0)
