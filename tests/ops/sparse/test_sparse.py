"""SparseToDense: errors, and shapes that are not known before."""

import numpy as np
import pytest

import tfcore as tf


def dense(indices, shape, values, default=0.0, **kw):
    with tf.Graph().as_default() as graph:
        fed = [tf.placeholder_with_default(np.asarray(x), None) for x in (indices, shape, values, default)]
        out = tf.sparse_to_dense(*fed, **kw)
    with tf.Session(graph=graph) as session:
        return session.run(out)


def test_of_repeated_indices_the_last_counts():
    assert dense([1, 3, 1], [5], [1.0, 2.0, 3.0], validate_indices=False).tolist() == [0, 3, 0, 2, 0]


@pytest.mark.parametrize(
    ("args", "text"),
    [
        (([[1, 1], [0, 1]], [2, 2], [1.0, 2.0]), r"indices\[1\] = \[0,1\] is out of order. Many sparse ops require"),
        (([1, 1], [5], [1.0, 2.0]), r"indices\[1\] = \[1\] is repeated"),
        (([1, 7], [5], [1.0, 2.0]), r"indices\[1\] = \[7\] is out of bounds: need 0 <= index < \[5\]"),
        (([-1, 3], [5], [1.0, 2.0]), r"indices\[0\] = \[-1\] is out of bounds"),
        (([[1], [3]], [5, 5], [1.0, 2.0]), "output_shape has incorrect number of elements: 2 should be: 1"),
        (([1, 3], [5], [1.0, 2.0, 3.0]), r"sparse_values has incorrect shape \[3\], should be \[\] or \[2\]"),
        (([[[1]]], [5], [1.0]), r"sparse_indices should be a scalar, vector, or matrix, got shape \[1,1,1\]"),
        (([1, 3], [5], [1.0, 2.0], [0.0]), "default_value should be a scalar"),
        (([1, 3], [[5]], [1.0, 2.0]), r"output_shape must be rank 1, got shape \[1,1\]"),
        (([1, 3], [-5], [1.0, 2.0]), "Dimension -5 must be >= 0"),
        ((np.zeros((0, 2), np.int64), [2**40, 2**40], np.zeros(0)), "too many elements"),
    ],
)
def test_wrong_arguments(args, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        dense(*args)


def test_more_dimensions_than_tensors_have():
    with pytest.raises(tf.errors.UnimplementedError, match="Sparse tensors of more than 20 dimensions: 21"):
        dense([[1] * 21], [2] * 21, [1.0])


def test_shapes():
    with tf.Graph().as_default():
        indices = tf.placeholder(tf.int32, [None, 3])
        assert tf.sparse_to_dense(indices, [2, 3, 4], 1.0).shape.as_list() == [2, 3, 4]
        assert tf.sparse_to_dense(indices, tf.placeholder(tf.int32), 1.0).shape.rank is None
        with pytest.raises(ValueError, match="rank 2"):
            tf.sparse_to_dense([1], [[5]], 1.0)
    for arguments in ([[[1]]], [5], 1.0), ([[1]], [5, 5], 1.0), ([1, 2], [5], [1.0, 2.0, 3.0]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            dense(*arguments)


def test_other_values_and_static_shapes():
    x = tf.SparseTensor([[0, 1]], [2.0], tf.placeholder_with_default(np.int64([2, 3]), [2]))
    y = x.with_values(x.values * 3.0)
    assert y.indices is x.indices and x.shape.as_list() == [None, None]
    x.set_shape([2, None])
    assert x.shape.as_list() == [2, None] and x.with_values([1]).shape.as_list() == [2, None]
    with pytest.raises(ValueError):
        x.set_shape([3, 3])
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
    used = tf.negative(slices.values)
    assert slices.consumers() == [used.op]
    assert tf.zeros([2, 3]).ndim == 2 and tf.placeholder(tf.float32).ndim is None
    with tf.Session() as sess:
        assert sess.run(y).values.tolist() == [6]
