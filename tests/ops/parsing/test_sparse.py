"""Sparse tensors to strings and back."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.ops.parsing.examples import assert_equal
from tests.ops.parsing.test_tensor import TYPES, some
from tests.sparse_tensors import draw_indices


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors):
    with tf.Session() as session:
        return session.run(tensors)


def deserialize(serialized, dtype):
    return tf.SparseTensor(*tf.raw_ops.DeserializeSparse(serialized_sparse=serialized, dtype=dtype))


@pytest.mark.parametrize("name", TYPES)
def test_one(name):
    dtype = tf.as_dtype(name)
    x = tf.SparseTensor([[0, 1], [2, 0], [2, 1]], tf.constant(some(name, (3,)), dtype), [3, 4])
    strings = tf.serialize_sparse(x)
    expected, back, batch = run([x, deserialize(strings, dtype), deserialize(tf.stack([[strings] * 2]), dtype)])
    assert_equal(back, expected)
    assert batch.indices.tolist() == [[0, i, *at] for i in range(2) for at in expected.indices.tolist()]
    assert batch.values.tolist() == expected.values.tolist() * 2
    assert batch.dense_shape.tolist() == [1, 2, 3, 4]


@settings(max_examples=30)
@given(st.data())
def test_rows(data):
    shape = data.draw(st.lists(st.integers(1, 4), min_size=2, max_size=4))
    dtype = tf.as_dtype(data.draw(st.sampled_from(TYPES)))
    indices = draw_indices(data.draw, shape)
    with tf.Graph().as_default():
        x = tf.SparseTensor(indices, tf.constant(some(dtype.name, (len(indices),)), dtype), shape)
        rows = tf.serialize_many_sparse(x)
        y = tf.deserialize_many_sparse(rows, dtype, rank=len(shape))
        assert y.shape.ndims == len(shape)
        expected, texts, back = run([x, rows, y])
    assert texts.shape == (shape[0], 3)
    assert_equal(back, expected)


def test_sizes_of_rows_may_differ():
    rows = [tf.serialize_sparse(tf.SparseTensor([[1]], [i], [i])) for i in (5, 7, 3)]
    back = run(tf.deserialize_many_sparse(tf.stack(rows), tf.int32))
    assert back.dense_shape.tolist() == [3, 7]
    assert back.values.tolist() == [5, 7, 3]


@pytest.mark.parametrize(
    "indices", [[[0, 1], [0, 1]], [[0, 1], [0, 0]], [[1, 0], [0, 0]], [[0, 2]], [[0, -1]], [[2, 0]], [[-1, 0]]]
)
def test_wrong_indices(indices):
    x = tf.SparseTensor(indices, list(range(len(indices))), [2, 2])
    with pytest.raises(tf.errors.InvalidArgumentError):
        run(tf.serialize_many_sparse(x))


def test_wrong_strings():
    good = run(tf.serialize_sparse(tf.SparseTensor([[1]], [5], [3]))).tolist()
    other = run(tf.serialize_sparse(tf.SparseTensor([[1, 1]], [5.0], [3, 3]))).tolist()
    for strings, text in (
        ([[b"\x01", *good[1:]]], r"Could not parse serialized_sparse\[0, 0\]: it is malformed"),
        ([good, [good[1], good[1], good[2]]], r"serialized_sparse\[1, 0\] to represent an index matrix"),
        ([good, [good[0], good[0], good[2]]], r"serialized_sparse\[1, 1\] to represent a values vector"),
        ([good, other], r"Requested SparseTensor of type int32 but SparseTensor\[1\].values.dtype\(\) == float"),
        ([good, [other[0], *good[1:]]], "Expected column counts"),
        ([good, [other[0], good[1], other[2]]], "Inconsistent shape across SparseTensors"),
        ([good[:2]], "Serialized sparse should have 3"),
    ):
        fed = tf.placeholder(tf.string)
        with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match=text):
            session.run(tf.deserialize_many_sparse(fed, tf.int32), {fed: strings})
    with pytest.raises(TypeError):
        tf.serialize_sparse([1])
