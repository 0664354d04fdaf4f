"""Sparse tensors that wait in a map."""

import numpy as np
import pytest

import tfcore as tf

TYPES = [tf.float32, tf.int64, tf.uint8, tf.complex128, tf.bool, tf.string, tf.half]


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def values_of(dtype, n, seed=0):
    random = np.random.RandomState(seed).randint(0, 2, n)
    return np.array([b"x" * k for k in random], object) if dtype == tf.string else random.astype(dtype.as_numpy_dtype)


def take(numbers, dtype, name="map"):
    return tf.raw_ops.TakeManySparseFromTensorsMap(sparse_handles=numbers, dtype=dtype, shared_name=name)


@pytest.mark.parametrize("dtype", TYPES)
def test_tensors_come_back(sess, dtype):
    add = tf.raw_ops.AddSparseToTensorsMap
    a, b = values_of(dtype, 3), values_of(dtype, 1, 1)
    numbers = tf.stack(
        [
            add(sparse_indices=[[0, 1], [2, 0], [2, 3]], sparse_values=tf.constant(a, dtype), sparse_shape=[3, 4],
                shared_name="map"),
            add(sparse_indices=[[4, 0]], sparse_values=tf.constant(b, dtype), sparse_shape=[5, 2], shared_name="map"),
        ]
    )  # fmt: skip
    indices, values, shape = sess.run(take(numbers, dtype))
    assert indices.tolist() == [[0, 0, 1], [0, 2, 0], [0, 2, 3], [1, 4, 0]]
    assert values.tolist() == [*a.tolist(), *b.tolist()] and shape.tolist() == [2, 5, 4]


@pytest.mark.parametrize("dtype", TYPES)
def test_rows_come_back(sess, dtype):
    """Elements of rows in any order; rows without elements."""
    values = values_of(dtype, 4)
    numbers = sess.run(
        tf.raw_ops.AddManySparseToTensorsMap(
            sparse_indices=[[2, 1], [0, 3], [2, 0], [0, 1]],
            sparse_values=tf.constant(values, dtype),
            sparse_shape=[4, 5],
            shared_name="map",
        )
    )
    assert numbers.tolist() == [0, 1, 2, 3]
    given = tf.placeholder(tf.int64, [None])
    taken = take(given, dtype)
    indices, found, shape = sess.run(taken, {given: [2, 3]})
    assert indices.tolist() == [[0, 0], [0, 1]] and shape.tolist() == [2, 5]
    assert found.tolist() == values[[2, 0]].tolist()
    indices, found, shape = sess.run(taken, {given: [1, 0]})
    assert indices.tolist() == [[1, 1], [1, 3]] and found.tolist() == values[[3, 1]].tolist()
    with pytest.raises(tf.errors.InvalidArgumentError, match="Unable to find SparseTensor: 2 in map: map"):
        sess.run(taken, {given: [2]})


def test_many_tensors_wait(sess):
    """More than a map has room for at first."""
    add = tf.raw_ops.AddManySparseToTensorsMap(
        sparse_indices=np.stack([np.arange(100), np.arange(100) % 7], 1),
        sparse_values=tf.range(100),
        sparse_shape=[100, 7],
        shared_name="map",
    )
    numbers = np.concatenate([sess.run(add) for _ in range(5)])
    assert numbers.tolist() == list(range(500))
    order = np.random.RandomState(1).permutation(500)
    indices, values, shape = sess.run(take(tf.constant(order), tf.int32))
    assert values.tolist() == (order % 100).tolist() and indices[:, 1].tolist() == (order % 100 % 7).tolist()


def test_errors(sess):
    raw = tf.raw_ops
    parts = {"sparse_indices": [[1]], "sparse_values": [1.0], "sparse_shape": [1]}
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"column 0 value in input SparseTensor: 1 < 0 or >= N"):
        sess.run(raw.AddManySparseToTensorsMap(**parts))
    number = raw.AddSparseToTensorsMap(**parts, shared_name="m")
    with pytest.raises(tf.errors.InvalidArgumentError, match="type int64 but SparseTensor.0..values.dtype.. == float"):
        sess.run(take([number], tf.int64, "m"))
    other = raw.AddSparseToTensorsMap(
        sparse_indices=[[0, 0]], sparse_values=[1.0], sparse_shape=[1, 1], shared_name="m"
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="Inconsistent rank across SparseTensors"):
        sess.run(take([number, other], tf.float32, "m"))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Must have at least 1 element, but found 0"):
        sess.run(take(tf.constant([], tf.int64), tf.float32, "m"))
    empty = tf.placeholder_with_default(tf.constant([], tf.int64), None)
    indices = tf.placeholder_with_default(np.zeros([0, 0], np.int64), None)
    values = tf.placeholder_with_default(np.zeros([0], np.float32), None)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Rank of input SparseTensor should be > 1"):
        sess.run(raw.AddManySparseToTensorsMap(sparse_indices=indices, sparse_values=values, sparse_shape=empty))
    with pytest.raises(ValueError, match="Dimensions must be equal|must be equal"):
        raw.AddSparseToTensorsMap(sparse_indices=[[1]], sparse_values=[1.0, 2.0], sparse_shape=[1])
