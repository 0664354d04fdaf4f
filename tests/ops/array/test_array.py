"""Ops on shapes, and permutations: static shapes, errors."""

import itertools

import numpy as np
import pytest

import tfcore as tf


def run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def raises(message):
    return pytest.raises(tf.errors.InvalidArgumentError, match=message)


def test_prevent_gradient():
    x = tf.constant(1.0)
    y = tf.raw_ops.PreventGradient(input=x, message="not here")
    with pytest.raises(LookupError, match="not here"):
        tf.gradients(y, x)


def test_gradient_of_several_identities():
    x, y = tf.constant(2.0), tf.constant(3.0)
    a, b = tf.identity_n([x, y])
    assert run(tf.gradients(a * b, [x, y])) == [3, 2]


def test_stop_gradient():
    x = tf.constant(2.0)
    y = tf.stop_gradient(x) * x
    assert run(tf.gradients(y, x)[0]) == 2


def test_shape_of_a_known_shape_is_a_constant():
    x = tf.placeholder(tf.float32, [2, 3])
    assert tf.shape(x).op.type == "Const" and tf.size(x).op.type == "Const" and tf.rank(x).op.type == "Const"
    assert run(tf.shape(x, out_type=tf.int64)).tolist() == [2, 3]


@pytest.mark.cpu
def test_sizes_beyond_32_bits():
    x, y = tf.placeholder(tf.int8, [2**31]), tf.placeholder(tf.int8, [2**31, 0])
    assert run(tf.size(x, out_type=tf.int64)) == 2**31
    assert run(tf.shape(y, out_type=tf.int64)).tolist() == [2**31, 0]
    large = np.zeros(2**31, np.int8)  # pages that nobody touches take no memory
    for build in (tf.size, lambda v: tf.raw_ops.Size(input=v)):
        with raises("Number of elements was larger than representable by 32-bit output type: 2147483648"):
            run(build(x), {x: large})
        with raises("Number of elements was larger than representable by 32-bit output type: 2147483648"):
            run(build(tf.placeholder_with_default(x, None)), {x: large})
    for build in (tf.shape, lambda v: tf.shape_n([v, v])[1]):
        with raises("output type is 32-bit but dim 0 is 2147483648"):
            run(build(y), {y: np.zeros([2**31, 0], np.int8)})
    assert tf.reshape(x, [-1, tf.size(x, out_type=tf.int64)]).shape == [1, 2**31]
    assert tf.reshape(x, [tf.size(x)]).shape.rank == 1
    assert run(tf.raw_ops.Size(input=tf.placeholder(tf.int8, [2**32, 2**32, 0]))) == 0


def test_static_shape_of_a_reshape_by_computed_sizes():
    x = tf.placeholder(tf.float32, [None, 28, 28])
    assert tf.reshape(x, [-1, 784]).shape.as_list() == [None, 784]
    assert tf.reshape(x, tf.stack([tf.shape(x)[0], 28 * 28])).shape.as_list() == [None, 784]
    assert tf.reshape(x, tf.concat([tf.shape(x)[:1], [784]], 0)).shape.as_list() == [None, 784]
    assert tf.reshape(tf.zeros([4, 6]), [-1, 8]).shape.as_list() == [3, 8]


def test_reshape_errors_when_building():
    with pytest.raises(ValueError, match=r"Cannot reshape a tensor with 6 elements to shape \[2,4\] \(8 elements\)"):
        tf.reshape(tf.zeros([6]), [2, 4])
    with pytest.raises(ValueError, match="must be evenly divisible by 4 but is 6"):
        tf.reshape(tf.zeros([6]), [-1, 4])


def test_reshape_errors_when_running():
    x, shape = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    y = tf.reshape(x, shape)
    value = np.zeros(6)
    with raises("Input to reshape is a tensor with 6 values, but the requested shape has 8"):
        run(y, {x: value, shape: [2, 4]})
    with raises("Input to reshape is a tensor with 6 values, but the requested shape requires a multiple of 4"):
        run(y, {x: value, shape: [-1, 4]})
    with raises("Only one input size may be -1, not both 0 and 1"):
        run(y, {x: value, shape: [-1, -1]})
    with raises("Size 1 must be non-negative, not -2"):
        run(y, {x: value, shape: [3, -2]})
    assert run(y, {x: value, shape: value.size}).shape == (value.size,)  # old graphs have scalars there
    with raises(r"sizes input must be 1-D, not \[1,2\]"):
        run(y, {x: value, shape: [[2, 3]]})
    assert run(y, {x: np.zeros((0, 3)), shape: [0, -1]}).shape == (0, 3)
    assert tf.reshape(tf.zeros([2, 0]), [-1, 0]).shape.as_list() == [2, 0]
    with raises("Input to reshape is a tensor with 6 values, but the requested shape requires a multiple of 0"):
        run(y, {x: value, shape: [0, -1]})


def test_expand_and_squeeze_errors():
    x, axis = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    with raises("Tried to expand dim index 3 for tensor with 1 dimensions"):
        run(tf.expand_dims(x, axis), {x: [1, 2], axis: 3})
    with raises(r"Can not squeeze dim\[0\], expected a dimension of 1, got 2"):
        run(tf.squeeze(x, [0]), {x: [1, 2]})
    with raises("Tried to squeeze dim index 2 for tensor with 1 dimensions"):
        run(tf.squeeze(x, [2]), {x: [1, 2]})
    with pytest.raises(ValueError, match=r"Can not squeeze dim\[1\], expected a dimension of 1, got 3"):
        tf.squeeze(tf.zeros([1, 3]), 1)


def test_old_argument_names():
    x = tf.zeros([2, 1])
    assert tf.expand_dims(x, dim=0).shape.as_list() == [1, 2, 1]
    assert tf.squeeze(x, squeeze_dims=[1]).shape.as_list() == [2]
    with pytest.raises(ValueError, match="Cannot specify both"):
        tf.squeeze(x, [1], squeeze_dims=[1])


def test_transpose_defaults_to_reversing():
    x = tf.placeholder(tf.float32)
    value = np.arange(24.0).reshape(2, 3, 4)
    assert run(tf.transpose(x), {x: value}).tolist() == value.T.tolist()
    assert tf.transpose(tf.zeros([2, 3])).shape.as_list() == [3, 2]


def test_large_transposes():
    rng = np.random.default_rng(0)
    for shape in ((1500, 1700), (2048, 1024), (33, 70, 129)):
        value = rng.integers(0, 1000, shape).astype(np.float32)
        perm = np.roll(np.arange(len(shape)), 1)
        x = tf.placeholder(tf.float32)
        np.testing.assert_array_equal(run(tf.transpose(x, perm), {x: value}), value.transpose(perm))


def test_transpose_errors():
    x, perm = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    y = tf.transpose(x, perm)
    with raises(r"transpose expects a vector of size 2. But input\(1\) is a vector of size 1"):
        run(y, {x: [[1.0]], perm: [0]})
    with raises(r"2 is out of range \[0 .. 2\)"):
        run(y, {x: [[1.0]], perm: [0, 2]})
    with raises(r"1 is missing from \{0,0\}"):
        run(y, {x: [[1.0]], perm: [0, 0]})
    with pytest.raises(ValueError, match="is missing from"):
        tf.transpose(tf.zeros([2, 2]), [1, 1])


def test_invert_permutation_errors():
    x = tf.placeholder(tf.int32)
    with raises("2 is not between 0 and 2"):
        run(tf.invert_permutation(x), {x: [0, 2]})
    with raises("0 is duplicated in the input"):
        run(tf.invert_permutation(x), {x: [0, 0]})


def test_ensure_shape():
    x = tf.placeholder(tf.float32)
    y = tf.ensure_shape(x, [None, 2])
    assert y.shape.as_list() == [None, 2]
    with raises(r"Shape of tensor .* \[1,3\] is not compatible with expected shape"):
        run(y, {x: [[1, 2, 3]]})


def test_reshape_of_nothing_to_an_unknown_size():
    """No size can be concluded from nothing: here it is 0, as the placeholder says."""
    with tf.Graph().as_default(), tf.Session() as session:
        rows = tf.placeholder(tf.int32, [])
        y = tf.reshape(tf.zeros([0, 0]), tf.stack([rows, 0]))
        assert y.shape.as_list() == [None, 0]
        assert [session.run(y, {rows: n}).shape for n in (0, 3)] == [(0, 0), (3, 0)]


def test_guarantee_const_is_the_same_value_without_a_gradient():
    x = tf.constant([1.0, 2.0])
    y = tf.guarantee_const(x, name="promised")
    assert y.op.name == "promised" and y.shape.as_list() == [2]
    with pytest.raises(LookupError, match="GuaranteeConst"):
        tf.gradients(y, x)
    with tf.Session() as session:
        assert session.run(y).tolist() == [1, 2]


@pytest.mark.parametrize("dtype", [np.uint8, np.float16, np.float32, np.complex128])
@pytest.mark.parametrize("channels", [1, 3, 5, 12, 17])
def test_pixels(channels, dtype):
    """Short lines, such as the channels of pixels, are copied many at a time."""
    for shape in ((2, 70, 40, channels), (1, 17, 1100, channels), (3, 15, 16, channels)):
        x = np.random.default_rng(1).integers(0, 200, shape).astype(dtype)
        orders = [order for order in itertools.permutations(range(4)) if order[3] != 0]
        with tf.Graph().as_default(), tf.Session() as session:
            t = tf.placeholder(dtype, shape)
            turned = [tf.transpose(t, order) for order in orders]
            reversed_ = [tf.reverse(t, [axis]) for axis in range(4)]
            tiled = [tf.tile(t[..., :1], [1, 1, 1, 3]), tf.tile(t, [1, 1, 2, 2]), t[:, ::2, ::-3], t[:, 2:, 3:, :2]]
            turned, reversed_, tiled = session.run([turned, reversed_, tiled], {t: x})
        for order, result in zip(orders, turned):
            np.testing.assert_array_equal(result, x.transpose(order))
        for axis, result in enumerate(reversed_):
            np.testing.assert_array_equal(result, np.flip(x, axis))
        expected = [np.repeat(x[..., :1], 3, 3), np.tile(x, [1, 1, 2, 2]), x[:, ::2, ::-3], x[:, 2:, 3:, :2]]
        for result, of_numpy in zip(tiled, expected):
            np.testing.assert_array_equal(result, of_numpy)
