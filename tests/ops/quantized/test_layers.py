"""Layers of quantized networks, to the last integer; known values are those of TensorFlow 2.21."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tests.ops.quantized.reference import TYPES, F, integer_of, limits, read, run_at_all_levels, write, zero_of

_ENDS = st.tuples(st.floats(-5, 5, width=16), st.floats(0.125, 8, width=16)).map(lambda v: (v[0], v[0] + v[1]))
_SEEDS = st.integers(0, 2**32)
_EIGHT_BITS = pytest.mark.parametrize("dtype", [tf.quint8, tf.qint8], ids=lambda t: t.name)
_RELU_TYPES = pytest.mark.parametrize("dtype", [tf.quint8, tf.qint32], ids=lambda t: t.name)


def _integers(dtype, shape, seed):
    low, high = limits(TYPES[dtype])
    return np.random.default_rng(seed).integers(low, high, shape, endpoint=True).astype(TYPES[dtype])


@_EIGHT_BITS
@given(_ENDS, _ENDS, _SEEDS)
def test_bias(dtype, x_ends, bias_ends, seed):
    x, bias = _integers(dtype, (2, 3, 5), seed), _integers(dtype, (5,), seed + 1)

    def build(x, bias):
        return list(tf.raw_ops.QuantizedBiasAdd(x, bias, *x_ends, *bias_ends, out_type=tf.qint32))

    out, low, high = run_at_all_levels(build, [(dtype, x), (dtype, bias)])
    most = max(x_ends[1], -x_ends[0], bias_ends[1], -bias_ends[0]) * 2**17
    assert (low, high) == (-most, most)
    in_sum = [
        write(read(q, *ends, q.dtype), F(-most), F(most), np.int32) for q, ends in ((x, x_ends), (bias, bias_ends))
    ]
    np.testing.assert_array_equal(out, in_sum[0] + in_sum[1] + min(zero_of(-most, most, np.int32), 2**31 - 1))
    number = out.astype(float) * most / 2**31
    expected = read(x, *x_ends, x.dtype).astype(float) + read(bias, *bias_ends, bias.dtype)
    np.testing.assert_allclose(number, expected, atol=most / 2**22)


@_RELU_TYPES
@given(_ENDS, st.floats(-1, 8, width=16), _SEEDS)
def test_activations(dtype, ends, most, seed):
    x = _integers(dtype, (40,), seed)

    def build(x):
        options = {"min_features": ends[0], "max_features": ends[1], "out_type": dtype}
        made = [tf.raw_ops.QuantizedRelu(features=x, **options), tf.raw_ops.QuantizedRelu6(features=x, **options)]
        made.append(tf.nn.quantized_relu_x(x, most, *ends, dtype))
        return [t for outputs in made for t in outputs]

    found = run_at_all_levels(build, [(dtype, x)])
    zero, six, top = (np.clip(integer_of(v, *ends, x.dtype), *limits(x.dtype)) for v in (0, 6, most))
    np.testing.assert_array_equal(found[0], np.maximum(x, zero))
    np.testing.assert_array_equal(found[3], np.minimum(np.maximum(x, zero), six))
    np.testing.assert_array_equal(found[6], np.minimum(np.maximum(x, zero), top))
    assert found[1:3] == found[4:6] == found[7:] == list(ends)


@_EIGHT_BITS
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
@given(st.integers(1, 3), st.integers(1, 4), st.integers(1, 3), _SEEDS)
def test_pools(dtype, padding, stride, height, width, seed):
    x = _integers(dtype, (2, 7, 6, 3), seed)
    window = {"ksize": [1, height, width, 1], "strides": [1, stride, stride, 1], "padding": padding}

    def build(x):
        return [*tf.nn.quantized_max_pool(x, -1.0, 2.0, **window), *tf.nn.quantized_avg_pool(x, -1.0, 2.0, **window)]

    most, *ends, mean, low, high = run_at_all_levels(build, [(dtype, x)])
    assert [*ends, low, high] == [-1, 2, -1, 2]
    with tf.Graph().as_default(), tf.Session() as session:
        numbers = tf.placeholder(tf.float64, x.shape)
        pools = [tf.nn.max_pool(numbers, **window), tf.nn.avg_pool(numbers, **window)]
        expected = session.run(pools, {numbers: x})
    np.testing.assert_array_equal(most, expected[0])
    np.testing.assert_array_equal(mean, np.rint(np.round(expected[1], 9)))


@_RELU_TYPES
@given(st.lists(_ENDS, min_size=2, max_size=3), st.integers(0, 2), _SEEDS)
def test_joins(dtype, ranges, axis, seed):
    shapes = [tuple(i + 1 if d == axis else 3 for d in range(3)) for i in range(len(ranges))]
    parts = [_integers(dtype, shape, seed + i) for i, shape in enumerate(shapes)]

    def build(*parts):
        return list(tf.quantized_concat(axis, parts, [r[0] for r in ranges], [r[1] for r in ranges]))

    out, *ends = run_at_all_levels(build, [(dtype, part) for part in parts])
    low, high = min(0, *(r[0] for r in ranges)), max(r[1] for r in ranges)
    if dtype is tf.qint32:
        low, high = -max(-low, abs(high)), max(-low, abs(high))
    assert ends == [low, high]
    expected = [
        part if r == (low, high) else write(read(part, *r, part.dtype), F(low), F(high), part.dtype)
        for part, r in zip(parts, ranges)
    ]
    np.testing.assert_array_equal(out, np.concatenate(expected, axis))


@given(_SEEDS, st.booleans())
def test_batch_norm(seed, scales):
    shapes = [(2, 3, 3, 4), (4,), (4,), (4,), (4,)]
    ranges = [(-3.0, 5.0), (-1.0, 2.0), (0.0, 3.0), (-2.0, 2.0), (-1.0, 1.5)]
    parts = [_integers(tf.quint8, shape, seed + i) for i, shape in enumerate(shapes)]

    def build(*parts):
        arguments = [v for part, ends in zip(parts, ranges) for v in (part, *ends)]
        return list(
            tf.raw_ops.QuantizedBatchNormWithGlobalNormalization(
                *arguments, out_type=tf.qint32, variance_epsilon=0.01, scale_after_normalization=scales
            )
        )

    out, low, high = run_at_all_levels(build, [(tf.quint8, part) for part in parts])
    assert (low, high) == (-(2**20), 2**20)
    x, mean, variance, beta, gamma = (read(q, *ends, q.dtype).astype(float) for q, ends in zip(parts, ranges))
    expected = (x - mean) / np.sqrt(variance + 0.01) * (gamma if scales else 1) + beta
    # 11 bits after the point; those of the factor are multiplied by up to 5.
    np.testing.assert_allclose(out / 2048, expected, atol=0.01)


@pytest.mark.parametrize("given_range", [False, True])
@given(_SEEDS)
def test_instance_norm(given_range, seed):
    x = _integers(tf.quint8, (2, 4, 5, 3), seed)
    options = {"output_range_given": True, "given_y_min": -2.0, "given_y_max": 2.5} if given_range else {}

    def build(x):
        return list(tf.raw_ops.QuantizedInstanceNorm(x, -1.0, 1.0, **options))

    out, low, high = run_at_all_levels(build, [(tf.quint8, x)])
    numbers = x * (2 / 255)
    expected = numbers - numbers.mean((1, 2), keepdims=True)
    expected /= np.sqrt(numbers.var((1, 2), keepdims=True) + 1e-5)
    if not given_range:
        np.testing.assert_allclose([low, high], [expected.min(), expected.max()], rtol=1e-5)
    steps = (np.clip(expected, low, high) - low) / (high - low) * 255
    assert np.abs(out - steps).max() <= 1.001  # the least number is itself rounded to a step


def test_instance_norm_of_nothing_and_of_equal_pixels():
    for shape in (0, 2, 2, 1), (1, 2, 2, 3):
        x = np.full(shape, 7, np.uint8)
        out, low, high = run_at_all_levels(
            lambda x: list(tf.raw_ops.QuantizedInstanceNorm(x, 0.0, 1.0)), [(tf.quint8, x)]
        )
        assert not out.any() and (low, high) == (0, F(0.001))


def test_errors():
    x = tf.placeholder_with_default(np.ones((2, 3), np.uint8).astype(tf.quint8.as_numpy_dtype), None)
    bias = lambda x, bias: tf.raw_ops.QuantizedBiasAdd(x, bias, 0.0, 1.0, 0.0, 1.0, out_type=tf.qint32)  # noqa: E731
    norm = {"variance_epsilon": 0.1, "scale_after_normalization": False}
    vectors = [v for _ in range(4) for v in (x, 0.0, 1.0)]
    cases = [
        (bias(x, x), "Biases must be 1D"),
        (bias(x, tf.reshape(x, [-1])), "as many biases"),
        (tf.nn.quantized_max_pool(x, 0.0, 1.0, [1, 1, 1, 1], [1, 1, 1, 1], "SAME"), "must be 4-dimensional"),
        (tf.quantized_concat(tf.placeholder_with_default(2, []), [x, x], [0.0] * 2, [1.0] * 2), r"range \[0, 2\)"),
        (tf.raw_ops.QuantizedInstanceNorm(x, 1.0, 1.0), "must be 4-dimensional"),
        (
            tf.raw_ops.QuantizedBatchNormWithGlobalNormalization(x, 0.0, 1.0, *vectors, out_type=tf.qint32, **norm),
            "input must be 4-dimensional",
        ),
    ]
    with tf.Session() as session:
        for tensors, text in cases:
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(tensors)
        with pytest.raises(tf.errors.UnimplementedError, match="batch dimension"):
            session.run(tf.nn.quantized_avg_pool(x, 0.0, 1.0, [2, 1, 1, 1], [1, 1, 1, 1], "SAME"))


def test_reshape():
    x = np.arange(6, dtype=np.int32)
    out = run_at_all_levels(lambda x: list(tf.raw_ops.QuantizedReshape(x, [-1, 2], -1.0, 2.0)), [(tf.qint32, x)])
    assert out[0].tolist() == x.reshape(3, 2).tolist() and out[1:] == [-1, 2]
    with pytest.raises(ValueError, match="Cannot reshape"):
        tf.raw_ops.QuantizedReshape(tf.constant(x, tf.qint32), [4], 0.0, 1.0)
