"""Values of integer tensors that ops compute from constants: as in runs, and known to shape functions."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.framework.values.constant import constant_value


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def computed():
    a, b = tf.constant([5, -7, 2]), tf.constant([3, 2, -4], name="b")
    matrix = tf.constant(np.arange(6, dtype=np.int64).reshape(2, 3))
    yield from (a + b, a - b, a * b, -a, abs(a), a // b, a % b, tf.maximum(a, b), tf.minimum(a, 1))
    yield from (a < b, a <= b, a > b, a >= 5, tf.equal(a, b), tf.not_equal(a, 5), ~(a < b), (a < b) | (b < 3))
    yield tf.logical_and(a < b, True)
    yield from (tf.reduce_sum(matrix, 0), tf.reduce_prod(matrix + 1), tf.reduce_max(matrix, [0, 1], keepdims=True))
    yield from (tf.reduce_min(matrix, -1), tf.reduce_all(a < 3), tf.reduce_any(a < 3))
    yield from (tf.gather(a, [2, 0]), tf.gather(matrix, [1, 1], axis=1), matrix[1:, ::-1], matrix[..., None, 0], a[-1:])
    yield from (tf.reshape(matrix, [3, -1]), tf.expand_dims(a, -1), tf.squeeze(matrix[:1], 0), tf.reverse(matrix, [1]))
    yield from (tf.where(a < b, a, b), tf.where_v2(a < b, 1, matrix), tf.zeros_like(a + b), tf.ones_like(a + b))
    yield tf.broadcast_dynamic_shape(tf.constant([2, 1]) + 0, tf.constant([3]) + 0)
    yield tf.raw_ops.Gather(params=a, indices=[1])
    yield tf.constant([2**31 - 1]) + 1


def test_values_are_those_of_runs():
    with tf.Session() as session:
        for tensor in list(computed()):
            value = constant_value(tensor)
            assert value is not None, tensor
            expected = session.run(tensor)
            np.testing.assert_array_equal(value, expected, strict=True)


def test_static_value_knows_only_what_no_op_computes():
    three = tf.constant(1) + 2
    assert constant_value(three) == 3 and tf.get_static_value(three) is None


def test_shape_functions_use_them():
    x, n = tf.placeholder(tf.float32, [None, 4, None]), tf.constant(3)
    sizes = tf.shape(x)
    last = tf.size(sizes) - 1
    assert sizes[last - 1 :].shape == [2] and tf.ones(sizes[last:last]).shape == []
    assert tf.transpose(x, [n - 1, 0, 1]).shape.as_list() == [None, None, 4]
    assert tf.reshape(x, [n * 4, n - 2]).shape == [12, 1]
    assert tf.split(tf.ones([4, 6]), 2, axis=n - 2)[0].shape == [4, 3]
    assert tf.pad(tf.ones([4, 6]), [[n, n * 2], [0, n]]).shape == [13, 9]
    assert tf.reduce_sum(tf.ones([2, 4, 3]), n - 2).shape == [2, 3]


@pytest.mark.parametrize(
    "make",
    [
        lambda x: x + 1,
        lambda x: tf.constant(1) // (tf.constant(2) - 2),
        lambda x: tf.constant(1) % (tf.constant(2) - 2),
        lambda x: tf.constant(1.5) + 1,
        lambda x: tf.zeros([5000], tf.int32) + 1,
        lambda x: tf.reshape(tf.constant([1, 2, 3]), tf.constant([2]) + x),
        lambda x: tf.gather(tf.constant([1, 2]), tf.constant([1]) + x),
        lambda x: tf.raw_ops.GatherV2(params=[1, 2], indices=tf.constant([1]) * 2, axis=0),
        lambda x: tf.raw_ops.Max(input=tf.zeros([0], tf.int32), reduction_indices=[0]),
        lambda x: tf.raw_ops.BroadcastArgs(s0=[2], s1=tf.constant([3]) + 0),
    ],
)
def test_what_is_not_known(make):
    assert constant_value(make(tf.placeholder(tf.int32, []))) is None


def test_deep_graphs_cost_little():
    """Twice the sum each time would take 2 ** 200 steps, and 3,000 additions more frames than Python has."""
    total = tf.constant(1)
    for _ in range(200):
        total = total + total
    assert constant_value(total) is None
    for _ in range(3000):
        total = total + 1
    assert constant_value(total) is None and constant_value(tf.constant(2) + 3) == 5
