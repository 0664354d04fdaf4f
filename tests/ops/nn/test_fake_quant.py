"""Fake quantization: special ranges, gradients, errors; `tests/records/nn/fake_quant.py` tests the values."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def test_known_values():
    """What TensorFlow 2.21 makes of these."""
    x = [-7.0, -6.0, -0.3, 0.0, 0.1, 5.99, 100.0]
    expected = np.float32([-6.0235295, -5.9764705, -0.28235295, 0.0, 0.09411765, 5.9764705, 5.9764705])
    assert run(tf.fake_quant_with_min_max_args(x)).tolist() == expected.tolist()
    assert run(tf.fake_quant_with_min_max_args([-1.0, 0.4, 1.6, 9.0], 0, 3, 2)).tolist() == [0, 0, 2, 3]
    assert run(tf.fake_quant_with_min_max_args([-1.0, 0.4, 1.6, 9.0], 0, 2, 2, True)).tolist() == [0, 0, 2, 2]


def test_zero_is_a_level():
    for low, high in (1, 5), (-5, -1), (-0.1, 0.3), (-3.3, 7.7):
        for bits in 2, 8, 16:
            assert run(tf.fake_quant_with_min_max_args([0.0, -0.0], low, high, bits)).tolist() == [0, 0]


def test_nan_and_an_empty_range():
    x = np.float32([np.nan, 1, -1])
    assert np.isnan(run(tf.fake_quant_with_min_max_args(x))[0])
    assert run(tf.fake_quant_with_min_max_vars(x, 0.0, 0.0)).tolist() == [0, 0, 0]
    assert run(tf.fake_quant_with_min_max_vars_per_channel(x, [0.0] * 3, [0.0] * 3)).tolist() == [0, 0, 0]
    assert np.isnan(run(tf.fake_quant_with_min_max_vars(x, 2.0, 2.0))).all()
    gradients = run(tf.fake_quant_with_min_max_vars_gradient([1.0, 2.0, 3.0], x, 0.0, 0.0))
    assert gradients.backprops_wrt_input.tolist() == [1, 2, 3]
    assert gradients.backprop_wrt_min == gradients.backprop_wrt_max == 0


def test_gradients():
    x, low, high = tf.constant([0.5, 7.0, -8.0, -9.0]), tf.constant(-6.0), tf.constant(6.0)
    assert run(tf.gradients(tf.fake_quant_with_min_max_args(x, narrow_range=True), x))[0].tolist() == [1, 0, 0, 0]
    y = tf.fake_quant_with_min_max_vars(x, low, high, num_bits=4)
    assert [g.tolist() for g in run(tf.gradients(y, [x, low, high]))] == [[1, 0, 0, 0], 2, 1]
    lows, highs = tf.constant([-1.0] * 4), tf.constant([1.0] * 4)
    y = tf.fake_quant_with_min_max_vars_per_channel(x, lows, highs) * [1.0, 2.0, 3.0, 4.0]
    found = [g.tolist() for g in run(tf.gradients(y, [x, lows, highs]))]
    assert found == [[1, 0, 0, 0], [0, 0, 3, 4], [0, 2, 0, 0]]
    first = tf.gradients(tf.fake_quant_with_min_max_args(x), x)[0]
    assert tf.gradients(first, x) == [None]


def test_long_sums_are_exact():
    n = 300_001
    g, x = np.full(n, 0.1, np.float32), np.full(n, 9, np.float32)
    found = run(tf.fake_quant_with_min_max_vars_gradient(g, x, -1.0, 1.0))
    assert found.backprop_wrt_max == np.float32(g.sum(dtype=float)) and found.backprop_wrt_min == 0
    rows = [a[:300_000].reshape(-1, 3) for a in (g, x)]
    found = run(tf.fake_quant_with_min_max_vars_per_channel_gradient(*rows, [-1.0] * 3, [1.0] * 3))
    assert found.backprop_wrt_max.tolist() == [np.float32(rows[0][:, 0].sum(dtype=float))] * 3


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: tf.fake_quant_with_min_max_args([1.0], num_bits=1), "num_bits must be between 2 and 16, inclusive"),
        (lambda: tf.fake_quant_with_min_max_vars([1.0], 0.0, 1.0, 17), "num_bits must be between 2 and 16, inclusive"),
        (lambda: tf.fake_quant_with_min_max_args([1.0], min=3, max=3), "min has to be smaller than max, was: 3 >= 3"),
        (lambda: tf.fake_quant_with_min_max_args([1.0], min=np.nan), "min has to be smaller than max, was: nan >= 6"),
        (lambda: tf.fake_quant_with_min_max_args_gradient([1.0, 2.0], [1.0]), "gradient and input must be the same"),
    ],
)
def test_what_is_refused_in_a_run(call, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(call())


@pytest.mark.parametrize(
    ("x", "low", "high", "text"),
    [
        ([1.0, 2.0], [-1.0], [1.0], "min has incorrect size, expected 2 was 1"),
        ([1.0, 2.0], [-1.0, 1.0], [1.0], "max has incorrect size, expected 2 was 1"),
        ([1.0], -1.0, [1.0], "`min` must be rank 1 but is rank 0"),
        ([1.0], [-1.0], [[1.0]], "`max` must be rank 1 but is rank 2"),
        (1.0, [-1.0], [1.0], "inputs must be at least rank 1 but is rank 0"),
    ],
)
def test_channels_that_are_refused(x, low, high, text):
    fed = [tf.placeholder(tf.float32) for _ in range(3)]
    feed = dict(zip(fed, (x, low, high)))
    for y in (
        tf.fake_quant_with_min_max_vars_per_channel(*fed),
        tf.fake_quant_with_min_max_vars_per_channel_gradient(fed[0], *fed)[0],
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            run(y, feed)


def test_ranges_that_are_refused():
    low, high = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    y = tf.fake_quant_with_min_max_vars([1.0], low, high)
    for feed, name in ({low: [1.0], high: 1.0}, "min"), ({low: 1.0, high: []}, "max"):
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"`{name}` must be rank 0 but is rank 1"):
            run(y, feed)
    with pytest.raises(ValueError, match="rank 0"):
        tf.fake_quant_with_min_max_vars([1.0], [0.0], 1.0)
    with pytest.raises(ValueError, match="equal"):
        tf.fake_quant_with_min_max_vars_per_channel([1.0, 2.0], [0.0], [1.0])
    with pytest.raises(ValueError, match="at most rank 4"):
        x = np.ones((1, 1, 1, 1, 2))
        tf.fake_quant_with_min_max_vars_per_channel_gradient(x, x, [0.0, 0.0], [1.0, 1.0])


def test_static_shapes_and_names():
    x = tf.placeholder(tf.float32, [None, None])
    assert tf.fake_quant_with_min_max_vars_per_channel(x, [0.0, 0.0], [1.0, 1.0]).shape.as_list() == [None, 2]
    found = tf.fake_quant_with_min_max_vars_per_channel_gradient(x, x, [0.0, 0.0], [1.0, 1.0])
    assert [t.shape.as_list() for t in found] == [[None, 2], [2], [2]]
    assert [t.shape.rank for t in tf.fake_quant_with_min_max_vars_gradient(x, x, 0.0, 1.0)] == [2, 0, 0]
    assert tf.quantization.fake_quant_with_min_max_args is tf.fake_quant_with_min_max_args
