"""Concat, split, stack and unstack: errors, views, gradients."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing.strategies import TYPES


def run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def raises(message):
    return pytest.raises(tf.errors.InvalidArgumentError, match=message)


def test_concat_errors():
    with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal, but are 2 and 3"):
        tf.concat([tf.zeros([2, 3]), tf.zeros([3, 3])], 1)
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    with raises(r"ConcatOp : Dimension 0 in both shapes must be equal: shape\[0\] = \[1,2\] vs. shape\[1\] = \[2,2\]"):
        run(tf.concat([a, b], 1), {a: np.zeros((1, 2)), b: np.zeros((2, 2))})
    with raises(r"ConcatOp : Ranks of all input tensors should match: shape\[0\] = \[1,2\] vs. shape\[1\] = \[2\]"):
        run(tf.concat([a, b], 0), {a: np.zeros((1, 2)), b: np.zeros(2)})
    with raises(r"ConcatOp : Expected .*dimensions in the range \[-2, 2\), but got 5"):
        axis = tf.placeholder(tf.int32)
        run(tf.concat([a, b], axis), {a: np.zeros((1, 2)), b: np.zeros((2, 2)), axis: 5})


def test_concat_of_one_is_the_identity():
    x = tf.constant([1, 2])
    assert tf.concat([x], 0).op.type == "Identity" and run(tf.concat(x, 0)).tolist() == [1, 2]


def test_split_errors():
    with pytest.raises(ValueError, match="must be evenly divisible by 2 but is 3"):
        tf.split(tf.zeros([3]), 2)
    x = tf.placeholder(tf.float32)
    with raises(r"Number of ways to split should evenly divide the split dimension, but got split_dim 0 \(size = 3\)"):
        run(tf.split(x, 2), {x: [1, 2, 3]})
    with raises("Determined shape must either match input shape along split_dim exactly"):
        run(tf.split(x, [1, 1]), {x: [1, 2, 3]})


def test_split_without_names_of_sizes():
    parts = tf.split(tf.constant([1, 2, 3, 4]), [1, -1])
    assert [p.shape.as_list() for p in parts] == [[1], [3]]
    assert [v.tolist() for v in run(parts)] == [[1], [2, 3, 4]]


def test_stack_of_a_tensor_is_that_tensor():
    x = tf.placeholder(tf.int32, [2, 3])
    assert tf.stack(x) is x
    with pytest.raises(TypeError, match="only iterable"):
        tf.stack(x, axis=1)


def test_stack_of_tensors_in_nested_lists():
    n = tf.placeholder(tf.int32, [])
    assert run(tf.stack([[n, 1], [2, n]]), {n: 7}).tolist() == [[7, 1], [2, 7]]
    assert tf.stack([1, 2]).op.type == "Const"
    with pytest.raises(ValueError, match=r"axis = 3 not in \[-2, 2\)"):
        tf.stack([tf.zeros([2])] * 2, 3)


def test_pack_and_unpack_errors():
    a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    with raises(r"Shapes of all inputs must match: values\[0\].shape = \[1\] != values\[1\].shape = \[2\]"):
        run(tf.stack([a, b]), {a: [1], b: [1, 2]})
    with raises("Input shape axis 0 must equal 3"):
        run(tf.unstack(a, 3), {a: [1, 2]})
    with pytest.raises(ValueError, match="Cannot infer argument `num` from shape"):
        tf.unstack(a)


def test_views_keep_their_values_when_the_source_is_gone():
    x = tf.placeholder(tf.float32, [4, 2])
    rows = tf.unstack(x * 2)
    first = tf.reshape(rows[0], [1, 2])
    value = np.arange(8, dtype=np.float32).reshape(4, 2)
    with tf.Session() as session:
        kept = session.run([rows[1], first], {x: value})
        session.run([rows[1], first], {x: value * 100})
    assert kept[0].tolist() == [4, 6] and kept[1].tolist() == [[0, 2]]


def test_gradient_of_reused_slices():
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    a, b = tf.unstack(x)
    grad = tf.gradients(tf.reduce_sum(a * a + a * b), x)[0]
    assert run(grad).tolist() == [[5, 8], [1, 2]]


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.name)
def test_parallel_concat(dtype):
    rows = [np.array([[[i, 2 * i, 0]]]).astype(bytes if dtype is tf.string else dtype.as_numpy_dtype) for i in range(4)]
    with tf.Graph().as_default(), tf.Session() as session:
        fed = [tf.placeholder(dtype, [1, 1, 3]) for _ in rows]
        out = tf.raw_ops.ParallelConcat(values=fed, shape=[4, 1, 3])
        value = session.run(out, dict(zip(fed, rows, strict=True)))
        assert out.shape == value.shape == (4, 1, 3)
        np.testing.assert_array_equal(value, np.concatenate(rows))
        more = session.run(tf.raw_ops.ParallelConcat(values=fed[:1], shape=[2, 1, 3]), {fed[0]: rows[1]})
        empty = np.array([b""] * 3) if dtype is tf.string else np.zeros(3)
        np.testing.assert_array_equal(more, [rows[1][0], [empty]])  # rows without a value, as in TensorFlow


@pytest.mark.parametrize(
    "shapes, shape, text",
    [
        ([[1, 2], [1, 2]], [2, 3], "Dimension 1 in both shapes must be equal, but are 2 and 3"),
        ([[1, 2], [1, 2]], [None, 2], "shape attr must be fully defined"),
        ([[1, 2], [1, 2]], None, "shape attr must be fully defined"),
        ([[2, 2], [2, 2]], [4, 2], "Size of first dimension must be 1"),
        ([[1, 2], [1, 3]], [2, 2], "Dimension 1 in both shapes must be equal, but are 3 and 2"),
        ([[], []], [2], "rank of all input shapes must be greater than 0, but input 0 had rank 0"),
        ([[1, 2], [1, None]], [2, 2], "All input shapes must be fully defined"),
        ([[1, 2], None], [2, 2], "All input shapes must be fully defined"),
    ],
)
def test_parallel_concat_refuses(shapes, shape, text):
    values = [tf.placeholder(tf.float32, s) for s in shapes]
    with pytest.raises(ValueError, match=text):
        tf.raw_ops.ParallelConcat(values=values, shape=shape)


def test_parallel_concat_with_fewer_rows_than_values():
    out = tf.raw_ops.ParallelConcat(values=[tf.ones([1, 2])] * 3, shape=[2, 2])
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="must be greater than loc_ = 2"):
        session.run(out)
