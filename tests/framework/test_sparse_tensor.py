"""SparseTensor: its parts, static shape, feeds and fetches."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_parts():
    x = tf.SparseTensor(indices=[[0, 1], [2, 0]], values=[1.5, 2.5], dense_shape=[3, 4])
    assert x.indices.dtype == x.dense_shape.dtype == tf.int64 and x.dtype == tf.float32
    assert x.shape.as_list() == x.get_shape().as_list() == [3, 4]
    assert x.op is x.values.op and x.graph is tf.get_default_graph()
    assert "SparseTensor(indices=" in repr(x)
    used = [tf.identity(t).op for t in (x.values, x.indices, x.dense_shape)]
    assert x.consumers() == used


def test_fetches_and_feeds():
    x = tf.sparse_placeholder(tf.float32, name="x")
    y = tf.SparseTensor(x.indices, x.values * 2.0, x.dense_shape)
    assert [t.op.name for t in (x.indices, x.values, x.dense_shape)] == ["x/indices", "x/values", "x/shape"]
    value = tf.SparseTensorValue([[0, 1]], [3.0], [2, 2])
    with tf.Session() as sess:
        for feed in (value, tuple(value), tf.SparseTensorValue(*map(np.array, value))):
            got = sess.run({"y": y}, {x: feed})["y"]
            assert isinstance(got, tf.SparseTensorValue)
            assert [p.tolist() for p in got] == [[[0, 1]], [6.0], [2, 2]]
        assert y.eval({x: value}, sess).values.tolist() == [6.0]
        run = sess.make_callable(y.values, [x.indices, x.values, x.dense_shape])
        assert run(*map(np.array, value)).tolist() == [6.0]
    with pytest.raises(ValueError, match="No default session"):
        y.eval({x: value})


def test_static_shapes():
    assert tf.sparse_placeholder(tf.int32).shape.dims is None
    assert tf.sparse_placeholder(tf.int32, [None, 3]).shape.as_list() == [None, 3]
    assert tf.sparse_placeholder(tf.int32, [None, 3]).indices.shape.as_list() == [None, 2]


SHAPES = [
    ([2, 3], (2, 3), [2, 3]),
    ([None, 3], (None, 3), [-1, 3]),
    ([-1, 3], (None, 3), [-1, 3]),
    ((tf.Dimension(2), 3), (2, 3), [2, 3]),
    (np.array([2, 3]), (2, 3), [2, 3]),
    (lambda: tf.constant([2, 3], tf.int64), (2, 3), [2, 3]),
    (lambda: tf.placeholder_with_default(np.array([2, 3]), [2]), (None, None), [2, 3]),
    (lambda: tf.placeholder_with_default(np.array([2, 3]), [None]), None, [2, 3]),
]


@pytest.mark.parametrize("shape, known, default", SHAPES)
def test_shapes_of_placeholders(shape, known, default):
    with tf.Session() as sess:
        x = tf.sparse_placeholder(tf.float32, shape() if callable(shape) else shape)
        assert x.shape.as_list() == list(known) if known else x.shape.rank is None
        assert sess.run(x.dense_shape, {x: ([[0, 1]], [2.0], [2, 3])}).tolist() == [2, 3]
        fed = sess.run(x, {x.indices: [[0, 1]], x.values: [2.0]})
        assert fed.dense_shape.tolist() == default


def test_shape_of_a_placeholder_must_be_int64():
    with pytest.raises(ValueError, match="requested dtype int64 for Tensor with dtype int32"):
        tf.sparse_placeholder(tf.float32, tf.constant([2, 3]))


def test_from_value():
    value = tf.SparseTensorValue([[0]], [1.0], [1])
    x = tf.SparseTensor.from_value(value)
    assert tf.SparseTensor.from_value(x) is x
    with pytest.raises(TypeError, match="Neither a SparseTensor nor SparseTensorValue"):
        tf.SparseTensor.from_value([1])


@pytest.mark.parametrize(
    "parts",
    [
        ([0], [1.0], [1]),
        ([[0]], [[1.0]], [1]),
        ([[0]], [1.0], 1),
        ([[0]], [1.0, 2.0], [1]),
        ([[0, 0]], [1.0], [1]),
    ],
)
def test_parts_that_do_not_fit(parts):
    with pytest.raises(ValueError, match="rank|incompatible"):
        tf.SparseTensor(*parts)
