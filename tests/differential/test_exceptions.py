"""The reasons hold for what they are about and for nothing else. No TensorFlow is needed."""

import types

import numpy as np
import pytest

import tfcore as tf
from tests.differential import exceptions


def test_extremes_with_nan_beside_subnormal_numbers():
    """Both reasons meet in one output: an element with NaN, and one that differs by less than a normal number."""
    op = types.SimpleNamespace(type="TensorScatterMax")
    bfloat16 = tf.bfloat16.as_numpy_dtype
    ours = np.array([np.nan, 5.9e-39, 1], bfloat16)
    theirs = np.array([2, -9e-41, 1], bfloat16)
    assert exceptions.explain(op, 0, ours, theirs, [])
    for wrong in ([np.nan, 5.9e-39, 2], [0, np.nan, 1], [2, 1e-30, 1]):
        assert not exceptions.explain(op, 0, np.array([np.nan, 5.9e-39, 1], bfloat16), np.array(wrong, bfloat16), [])
    assert not exceptions.explain(op, 0, theirs, ours, [])


@pytest.mark.parametrize(
    "places, reason",
    [([[3], [2]], True), ([[7], [2]], True), ([[8], [0]], False),
     ([[0], [-1]], True), ([[0], [4]], False), ([[-1], [0]], False)],
)  # fmt: skip
def test_places_in_another_image(places, reason):
    images, at = np.zeros([2, 2, 2, 1], np.float32), np.array(places).reshape(2, 1, 1, 1)
    values = [images, np.zeros([2, 1, 1, 1], np.float32), at]

    def excuse(values, **attrs):
        return exceptions.excuse("MaxPoolGradWithArgmax", values, attrs, "values", "InvalidArgumentError")

    assert bool(excuse(values)) == reason
    assert not excuse(values, include_batch_in_index=True)
    assert not excuse([images[:1], *values[1:]])


@pytest.mark.parametrize(
    "window, stride, reason",
    [
        ([[1, 2, 2, 1]], [1, 1, 1, 1], True), ([1, 2, 2, 1], [1, 2, 2, -7], True), ([1, 2, 2, 1], [1, -7, 2, 1], False),
        ([1, 2, 2, 2], [1, 2, 2, -7], False), ([1, 2, -2, 1], [1, 2, 2, -7], False), ([1, 2, 2], [1, 2, 2], False),
    ],
)  # fmt: skip
def test_windows_of_pooling(window, stride, reason):
    values = [np.zeros([1, 4, 4, 3], np.float32), np.array(window), np.array(stride)]
    assert bool(exceptions.excuse("MaxPoolV2", values, {}, "values", "InvalidArgumentError")) == reason


@pytest.mark.parametrize("rank, reason", [(5, False), (6, True)])
def test_ranks_that_tensorflow_does_not_pad(rank, reason):
    values = [np.zeros([1] * rank, np.float32), np.zeros([rank - 1, 2], np.int32)]
    excuse = exceptions.excuse("MirrorPadGrad", values, {}, "UnimplementedError", "InvalidArgumentError")
    assert bool(excuse) == reason


@pytest.mark.parametrize(
    "call",
    [
        *(
            lambda x, exclusive=exclusive, reverse=reverse: tf.cumprod(x, exclusive=exclusive, reverse=reverse)
            for exclusive in (False, True)
            for reverse in (False, True)
        ),
        lambda x: tf.raw_ops.EuclideanNorm(input=x, axis=[0], keep_dims=True),
    ],
    ids=["cumprod", "cumprod-reverse", "cumprod-exclusive", "cumprod-exclusive-reverse", "norm"],
)
def test_complex_gradients_that_tensorflow_has_otherwise(call):
    """tfcore's is the one for which Re(conj(gradient) dx) is the change of Re(conj(grad_y) y)."""
    rng = np.random.RandomState(0)
    at, weights = rng.randn(2, 4) + 1j * rng.randn(2, 4)
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.complex128, [4])
        y = call(x)
        weights = weights[: y.shape[0].value]
        found = session.run(tf.gradients(y, x, grad_ys=tf.constant(weights))[0], {x: at})

        def change(step):
            ends = (session.run(y, {x: at + sign * step}) for sign in (1, -1))
            return np.subtract(*(np.sum(np.conj(weights) * end).real for end in ends)) / 2e-6

        steps = 1e-6 * np.eye(4)
        expected = [change(step) + 1j * change(1j * step) for step in steps]
    np.testing.assert_allclose(found, expected, rtol=1e-6)
