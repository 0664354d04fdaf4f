"""Products of quantized numbers: exact integers, at every level."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tests.ops.quantized.reference import F, run_at_all_levels, zero_of

_ENDS = st.tuples(st.floats(0, 3, width=16), st.floats(0.125, 5, width=16)).map(lambda v: (-v[0], v[1]))


def _integers(np_type, shape, seed):
    info = np.iinfo(np_type)
    return np.random.default_rng(seed).integers(info.min, info.max, shape, endpoint=True).astype(np_type)


def _range(a_ends, b_ends):
    level = F(F(a_ends[1]) - F(a_ends[0])) / F(255) * (F(F(b_ends[1]) - F(b_ends[0])) / F(255))
    return level * F(-(2**31)), level * F(2**31 - 1)


@given(
    st.tuples(*[st.integers(1, 9) | st.integers(60, 70)] * 3),
    st.booleans(),
    st.booleans(),
    _ENDS,
    _ENDS,
    st.integers(0),
)
def test_matrices(sizes, transpose_a, transpose_b, a_ends, b_ends, seed):
    m, k, n = sizes
    a = _integers(np.uint8, (k, m) if transpose_a else (m, k), seed)
    b = _integers(np.uint8, (n, k) if transpose_b else (k, n), seed + 1)

    def build(a, b):
        return list(
            tf.raw_ops.QuantizedMatMul(a, b, *a_ends, *b_ends, transpose_a=transpose_a, transpose_b=transpose_b)
        )

    out, *ends = run_at_all_levels(build, [(tf.quint8, a), (tf.quint8, b)])
    a, b = a.T if transpose_a else a, b.T if transpose_b else b
    expected = (a.astype(np.int64) - zero_of(*a_ends, np.uint8)) @ (b.astype(np.int64) - zero_of(*b_ends, np.uint8))
    np.testing.assert_array_equal(out, expected)
    assert ends == list(_range(a_ends, b_ends))


@pytest.mark.parametrize("filter_type", [tf.quint8, tf.qint8], ids=lambda t: t.name)
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_images(filter_type, padding):
    @given(st.integers(1, 3), st.integers(1, 3), st.sampled_from([1, 3, 16, 70]), _ENDS, _ENDS, st.integers(0, 2**32))
    def check(stride, dilation, filters, x_ends, f_ends, seed):
        np_type = filter_type.as_numpy_dtype[0].type
        x, f = _integers(np.uint8, (2, 7, 6, 3), seed), _integers(np_type, (3, 2, 3, filters), seed)
        options = {"strides": [1, stride, stride, 1], "padding": padding, "dilations": [1, dilation, dilation, 1]}

        def build(x, f):
            return list(tf.nn.quantized_conv2d(x, f, *x_ends, *f_ends, **options))

        out, *ends = run_at_all_levels(build, [(tf.quint8, x), (filter_type, f)])
        x = x.astype(np.float64) - zero_of(*x_ends, np.uint8)
        f = f.astype(np.float64) - zero_of(*f_ends, np_type)
        strides, dilations = options.pop("strides"), options.pop("dilations")
        with tf.Graph().as_default(), tf.Session() as session:  # sums of these integers are exact in double
            expected = session.run(tf.nn.conv2d(x, f, strides, padding, dilations=dilations))
        np.testing.assert_array_equal(out, expected)
        assert ends == list(_range(x_ends, f_ends))

    check()


def test_empty_products():
    a, b = np.zeros((0, 3), np.uint8), np.zeros((3, 2), np.uint8)
    assert run_at_all_levels(lambda a, b: _matmul(a, b)[0], [(tf.quint8, a), (tf.quint8, b)]).shape == (0, 2)
    a, b = np.zeros((2, 0), np.uint8), np.zeros((0, 2), np.uint8)
    assert run_at_all_levels(lambda a, b: _matmul(a, b)[0], [(tf.quint8, a), (tf.quint8, b)]).tolist() == [[0, 0]] * 2


def _matmul(a, b, low=0.0, high=1.0):
    return tf.raw_ops.QuantizedMatMul(a, b, low, high, 0.0, 1.0)


def test_errors():
    a = tf.constant(np.ones((2, 3)), tf.quint8)
    unknown = tf.placeholder_with_default(np.ones((2, 3), np.uint8).astype(tf.quint8.as_numpy_dtype), None)
    with tf.Session() as session:
        for product, text in (
            (_matmul(a, unknown), "Matrix size-incompatible"),
            (_matmul(a, tf.reshape(unknown, tf.placeholder_with_default([-1], None))), "is not a matrix"),
            (_matmul(tf.transpose(unknown), unknown, 1000.0, 1000.5), "too far from zero"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                session.run(product)
    with pytest.raises(ValueError):
        _matmul(a, a)
