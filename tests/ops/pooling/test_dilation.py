"""Dilation: erosion, special values, errors; the records test the rest."""

import numpy as np
import pytest

import tfcore as tf

ONES = [1, 1, 1, 1]
X = np.arange(12, dtype=np.float32).reshape(1, 3, 4, 1)
FILTER = np.zeros((2, 2, 1), np.float32)
LEAST = np.finfo(np.float32).min


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def test_wrappers():
    """Both names of the arguments; the least sums of images are the greatest of their negatives."""
    want = [[5, 6, 7], [9, 10, 11]]
    assert run(tf.nn.dilation2d(X, FILTER, ONES, ONES, "VALID"))[0, ..., 0].tolist() == want
    newer = tf.nn.dilation2d(X, filters=FILTER, strides=ONES, dilations=ONES, padding="VALID")
    assert run(newer)[0, ..., 0].tolist() == want
    kernel = np.array([[0, 1], [2, 4]], np.float32)[..., None]
    eroded = run(tf.nn.erosion2d(X, kernel, ONES, ONES, "VALID"))[0, ..., 0]
    least = [
        [min((X[0, r + i, q + k, 0] - kernel[1 - i, 1 - k, 0]) for i in (0, 1) for k in (0, 1)) for q in range(3)]
        for r in (0, 1)
    ]
    assert eroded.tolist() == least
    with pytest.raises(ValueError, match="Cannot specify both"):
        tf.nn.dilation2d(X, FILTER, ONES, ONES, "VALID", filters=FILTER)


def test_numbers_wrap():
    x = np.uint8([250, 251]).reshape(1, 1, 2, 1)
    assert run(tf.nn.dilation2d(x, np.uint8([[[10]]]), ONES, ONES, "VALID")).ravel().tolist() == [4, 5]


@pytest.mark.parametrize("value", [np.nan, -np.inf])
def test_nothing_is_greater(value):
    """Without a sum above the least number: that number, and the first pixel gets the gradient."""
    x = tf.constant(np.full_like(X, value))
    window = tf.constant(FILTER)
    y = tf.nn.dilation2d(x, window, ONES, ONES, "VALID")
    result, (images, filters) = run([y, tf.gradients(y, [x, window])])
    assert (result == LEAST).all()
    assert images[0, ..., 0].tolist() == [[1, 1, 1, 0], [1, 1, 1, 0], [0, 0, 0, 0]]
    assert filters[..., 0].tolist() == [[6, 0], [0, 0]]


def test_windows_without_pixels():
    """A filter without pixels, and one whose pixels all lie around the image."""
    empty = np.zeros((0, 2, 1), np.float32)
    y = tf.nn.dilation2d(X, empty, ONES, ONES, "VALID")
    assert y.shape.as_list() == [1, 4, 3, 1]
    grad = tf.raw_ops.Dilation2DBackpropInput(
        input=X, filter=empty, out_backprop=tf.ones_like(y), strides=ONES, rates=ONES, padding="VALID"
    )
    result, images = run([y, grad])
    assert (result == LEAST).all() and images.sum() == 12
    far = run(tf.nn.dilation2d(X, FILTER, ONES, [1, 9, 9, 1], "SAME"))
    assert far.shape == X.shape and (far == LEAST).all()


def test_static_shapes():
    x = tf.placeholder(tf.float32, [None, 10, None, 3])
    y = tf.nn.dilation2d(x, tf.zeros([3, 2, 3]), [1, 2, 1, 1], [1, 2, 1, 1], "VALID")
    assert y.shape.as_list() == [None, 3, None, 3]


@pytest.mark.parametrize(
    "change, message",
    [
        ({"strides": [1, 0, 1, 1]}, "Stride must be > 0, but got 0"),
        ({"rates": [1, 0, 1, 1]}, "Dilation rate must be >= 1, but got 0"),
        ({"strides": [2, 1, 1, 1]}, "strides are only supported across spatial dimensions"),
        ({"rates": [1, 1, 1, 2]}, "rates are only supported across spatial dimensions"),
        ({"strides": [1, 1, 1, 1, 1]}, "requires the strides attribute to contain 4 values, but got: 5"),
        ({"filter": np.zeros((5, 5, 1), np.float32)}, "Negative dimension size"),
        ({"filter": np.zeros((2, 2, 2), np.float32)}, "must be equal, but are 1 and 2"),
        ({"padding": "FULL"}, "padding"),
    ],
)
def test_static_errors(change, message):
    with pytest.raises(ValueError, match=message):
        tf.raw_ops.Dilation2D(
            **{"input": X, "filter": FILTER, "strides": ONES, "rates": ONES, "padding": "VALID", **change}
        )


@pytest.mark.parametrize(
    "x, window, grad, message",
    [
        (X[0], FILTER, X, r"input must be 4-dimensional\[3,4,1\]"),
        (X, FILTER[0], X, r"filter must be 3-dimensional: \[2,1\]"),
        (X, np.zeros((2, 2, 2)), X, "input and filter must have the same depth: 1 vs 2"),
        (X, np.zeros((5, 5, 1)), X, r"Computed output size would be negative: -1 \[input_size: 3"),
        (X, FILTER, X[0], r"out_backprop must be 4-dimensional\[3,4,1\]"),
        (X, FILTER, X, r"out_backprop has incompatible size. Got \[1,3,4,1\], expected \[1,2,3,1\]"),
    ],
)
def test_errors(x, window, grad, message):
    inputs, filters, backprop = (tf.placeholder(tf.float32) for _ in range(3))
    attrs = {"strides": ONES, "rates": ONES, "padding": "VALID"}
    y = tf.nn.dilation2d(inputs, filters, ONES, ONES, "VALID")
    grads = [
        op(input=inputs, filter=filters, out_backprop=backprop, **attrs)
        for op in (tf.raw_ops.Dilation2DBackpropInput, tf.raw_ops.Dilation2DBackpropFilter)
    ]
    for result in grads if "out_backprop" in message else [y, *grads]:
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            run(result, {inputs: x, filters: window, backprop: grad})
