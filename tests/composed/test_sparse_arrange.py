"""Sparse tensors with other indices or fewer elements, against NumPy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tests.sparse_tensors import dense, draw_indices

SHAPES = st.lists(st.integers(0, 4), min_size=1, max_size=4)


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def fed(value):
    return tf.placeholder_with_default(np.asarray(value), None)


def draw(data, known=None, ordered=False):
    """A function that makes a sparse tensor, whose shapes may be known, and the dense array."""
    shape = data.draw(SHAPES)
    indices = draw_indices(data.draw, shape, ordered)
    values = np.arange(1, len(indices) + 1)
    parts = indices, values, np.array(shape, np.int64)
    known = data.draw(st.booleans()) if known is None else known
    return (lambda: tf.SparseTensor(*(parts if known else map(fed, parts)))), dense(*parts)


def as_dense(value):
    return dense(*value)


@given(st.data())
def test_reorder(data):
    make, x = draw(data)
    result = run(lambda: tf.sparse_reorder(make()))
    assert result.indices.tolist() == sorted(result.indices.tolist())
    np.testing.assert_array_equal(as_dense(result), x)


def test_reorder_sorts_by_any_numbers():
    """Also by indices outside of the shape and by more columns than fit into one word."""
    rng = np.random.default_rng(1)
    for rank in (1, 3, 12):
        indices = rng.choice([-(2**63), -5, 0, 1, 7, 2**40, 2**63 - 1], (300, rank))
        values = np.arange(300)
        out = run(lambda: tf.sparse_reorder(tf.SparseTensor(indices, values, [1] * rank)))  # noqa: B023
        order = sorted(range(300), key=lambda i: indices[i].tolist())  # noqa: B023
        assert out.values.tolist() == order
        np.testing.assert_array_equal(out.indices, indices[order])


def test_reorder_of_many():
    rng = np.random.default_rng(2)
    indices = rng.integers(0, 2000, (100_000, 2))
    out = run(lambda: tf.sparse_reorder(tf.SparseTensor(indices, np.arange(100_000), [2000, 2000])))
    order = np.lexsort(indices.T[::-1])
    np.testing.assert_array_equal(out.values, order)


@given(st.data())
def test_transpose(data):
    make, x = draw(data)
    perm = data.draw(st.none() | st.permutations(range(x.ndim)))
    result = run(lambda: tf.sparse_transpose(make(), perm))
    np.testing.assert_array_equal(as_dense(result), np.transpose(x, perm))
    assert result.indices.tolist() == sorted(result.indices.tolist())


@given(st.data())
def test_reshape(data):
    make, x = draw(data)
    shape = data.draw(st.permutations(x.shape))
    if x.size and data.draw(st.booleans()):
        shape[data.draw(st.integers(0, x.ndim - 1))] = -1
    result = run(lambda: tf.sparse_reshape(make(), shape))
    np.testing.assert_array_equal(as_dense(result), x.reshape(shape))


@given(st.data())
def test_retain(data):
    make, x = draw(data)
    count = int(np.count_nonzero(x))
    kept = data.draw(st.lists(st.booleans(), min_size=count, max_size=count))
    result = run(lambda: tf.sparse_retain(make(), np.array(kept, bool)))
    chosen = np.flatnonzero(kept) + 1
    np.testing.assert_array_equal(as_dense(result), np.where(np.isin(x, chosen), x, 0))


def test_static_shapes():
    x = tf.SparseTensor([[0, 1], [1, 2]], [1, 2], [2, 3])
    assert tf.sparse_reorder(x).shape.as_list() == [2, 3]
    assert tf.sparse_transpose(x).shape.as_list() == [3, 2]
    assert tf.sparse_reshape(x, [-1, 2]).shape.as_list() == [3, 2]
    assert tf.sparse_reshape(x, [3, -1, 1]).shape.as_list() == [3, 2, 1]
    y = tf.sparse_placeholder(tf.float32, [None, 3])
    assert tf.sparse_reorder(y).shape.as_list() == [None, 3]


@pytest.mark.parametrize(
    "make, error, text",
    [
        (lambda x: tf.sparse_reorder(x.values), TypeError, "Input must be a SparseTensor."),
        (lambda x: tf.sparse_retain(x, [True]), ValueError, "Dimensions 2 and 1 are not compatible"),
        (lambda x: tf.sparse_retain(x, [[True, True]]), ValueError, "Shape .* must have rank 1"),
        (lambda x: tf.sparse_reshape(x, [5]), ValueError, "Cannot reshape a tensor with 6 elements to shape .5. .5 el"),
        (lambda x: tf.sparse_reshape(x, [4, -1]), ValueError, "Cannot reshape a tensor with 6 elements"),
        (lambda x: tf.sparse_reshape(x, [-1, -1]), ValueError, "At most one dimension can be inferred .-1.. Found:"),
        (
            lambda x: tf.sparse_transpose(x, [0, 5]),
            IndexError,
            ".0, 5. is not an order of the dimensions of a tensor of rank 2",
        ),
    ],
)
def test_wrong_arguments(make, error, text):
    with pytest.raises(error, match=text):
        make(tf.SparseTensor([[0, 1], [1, 2]], [1, 2], [2, 3]))


R = tf.raw_ops


def reorder(indices, values, shape):
    return R.SparseReorder(input_indices=fed(indices), input_values=fed(values), input_shape=fed(shape))


def reshape(indices, shape, new):
    return R.SparseReshape(input_indices=fed(indices), input_shape=fed(shape), new_shape=fed(new))


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: reorder([1, 0], [1], [2, 2]), "Sparse indices must be rank 2 but is rank 1"),
        (lambda: reorder([[1, 0]], [[1]], [2, 2]), "Sparse values must be rank 1 but is rank 2"),
        (lambda: reorder([[1, 0]], [1], [[2, 2]]), "Sparse shape must be rank 1 but is rank 2"),
        (lambda: reorder([[1, 0]], [1, 2], [2, 2]), r"elements in indices \(1\) and values \(2\) do not match"),
        (lambda: reorder([[1, 0]], [1], [2, 2, 2]), r"Index rank \(2\) and shape rank \(3\) do not match"),
        (lambda: reshape([[1, 0]], [2, 2], [-1, -1]), "only one output dimension may be -1, not both 0 and 1"),
        (lambda: reshape([[1, 0]], [2, 2], [5]), r"a tensor with 4 dense values, but the requested shape has 5\."),
        (lambda: reshape([[1, 0]], [2, 2], [-1, 3]), "requires a multiple of 3. input_shape=.2,2. output_shape=.1,3."),
        (lambda: reshape([[1, 0]], [2, 2], [-2, 3]), "size 0 must be non-negative, not -2"),
        (lambda: reshape([[1, 0]], [0, 2], [2, 0]), r"Input tensor has 1 non zero elements but input shape \(.0,2.\)"),
        (lambda: reshape([[1, 0]], [0, 2], [0, -1]), "reshape cannot infer the missing input size for an empty tensor"),
        (
            lambda: reshape([[1, 0]], [2**40, 2**40], [2**40, 2**40]),
            "Encountered overflow when multiplying 10995116277",
        ),
        (lambda: reshape([[1, 0]], [2, -2], [4]), "Expected shape dimensions to be non-negative, got -2"),
        (lambda: reshape([[1, 0]], [2, 2, 1], [4]), "Input tensor rank must match input shape length."),
        (lambda: reshape([1, 0], [2, 2], [4]), "Input must be a matrix."),
        (lambda: reshape([[1, 0]], [[2, 2]], [4]), "Input shape must be a vector."),
        (lambda: reshape([[1, 0]], [2, 2], [[4]]), "Target shape should be a vector but received shape .1,1."),
    ],
)
def test_refused_at_run_time(make, text):
    with pytest.raises(tf.errors.InvalidArgumentError, match=text):
        run(make)


def test_reshape_of_huge_shapes():
    out = run(lambda: reshape([[2**31 - 1, 2**31 - 1]], [2**31, 2**31], [2**62]))
    assert out.output_indices.tolist() == [[2**62 - 1]]
