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
    with pytest.raises(tf.errors.UnimplementedError, match="Sparse tensors of more than 8 dimensions: 9"):
        dense([[1] * 9], [2] * 9, [1.0])


def test_shapes():
    with tf.Graph().as_default():
        indices = tf.placeholder(tf.int32, [None, 3])
        assert tf.sparse_to_dense(indices, [2, 3, 4], 1.0).shape.as_list() == [2, 3, 4]
        assert tf.sparse_to_dense(indices, tf.placeholder(tf.int32), 1.0).shape.rank is None
        with pytest.raises(ValueError, match="rank 3"):
            tf.sparse_to_dense([[[1]]], [5], 1.0)
        with pytest.raises(ValueError, match="must be equal, but are 2 and 1"):
            tf.sparse_to_dense([[1]], [5, 5], 1.0)
        with pytest.raises(ValueError, match="must be equal, but are 3 and 2"):
            tf.sparse_to_dense([1, 2], [5], [1.0, 2.0, 3.0])
