"""Distances between sequences: errors and shapes; `tests/records/strings/edit_distance.py` tests the values."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensor, feed=None):
    with tf.Session() as session:
        return session.run(tensor, feed)


def sparse(rows, shape=None, dtype=None):
    indices = [(i, k) for i, row in enumerate(rows) for k in range(len(row))]
    values = np.array([value for row in rows for value in row], dtype)
    return tf.SparseTensor(np.reshape(np.int64(indices), (-1, 2)), values, shape or [len(rows), 9])


def test_example_of_the_documentation():
    hypothesis = tf.SparseTensor([[0, 0, 0], [1, 0, 0]], ["a", "b"], [2, 1, 1])
    truth = tf.SparseTensor([[0, 1, 0], [1, 0, 0], [1, 0, 1], [1, 1, 0]], ["a", "b", "c", "a"], [2, 2, 2])
    distance = tf.edit_distance(hypothesis, truth)
    assert distance.shape.as_list() == [2, 2] and distance.op.name == "edit_distance"
    assert run(distance).tolist() == [[np.inf, 1], [0.5, 1]]
    assert run(tf.edit_distance(hypothesis, truth, normalize=False)).tolist() == [[1, 1], [1, 1]]


def test_long_sequences_on_several_threads():
    rng = np.random.default_rng(0)
    words = [rng.integers(0, 3, rng.integers(0, 30)).tolist() for _ in range(2000)]
    changed = [[*word, 7, 7] for word in words]
    shape = [len(words), 40]
    found = run(tf.edit_distance(sparse(words, shape, np.int32), sparse(changed, shape, np.int32), normalize=False))
    assert found.tolist() == [2] * len(words)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64, np.complex64, np.complex128])
def test_nan_equals_nothing_and_zeros_are_equal(dtype):
    a, b = sparse([[np.nan, 0.0, 1]], dtype=dtype), sparse([[np.nan, -0.0, 1]], dtype=dtype)
    assert run(tf.edit_distance(a, b, normalize=False)).tolist() == [1]


def test_what_is_refused_when_the_graph_is_built():
    x = sparse([[1]])
    for arguments, text in ((["a"], x), "Hypothesis must be a SparseTensor"), ((x, ["a"]), "Truth must be a Sparse"):
        with pytest.raises(TypeError, match=text):
            tf.edit_distance(*arguments)
    with pytest.raises(TypeError):
        tf.edit_distance(x, sparse([["a"]]))
    flat, deep = (tf.SparseTensor(np.zeros((0, n), np.int64), np.zeros(0, np.int64), [2] * n) for n in (1, 3))
    with pytest.raises(ValueError, match="must have rank at least 2, but hypothesis_shape rank is: 1"):
        tf.edit_distance(flat, x)
    with pytest.raises(ValueError, match="does not match truth_shape: 2 vs. 3"):
        tf.edit_distance(x, deep)


CASES = [
    ([0, 0], [1], [1, 1], "hypothesis_indices should be a matrix, but got shape: [2]"),
    ([[0, 0]], 1, [1, 1], "hypothesis_values should be a vector, but got shape: []"),
    ([[0, 0]], [1], [[1, 1]], "hypothesis_shape should be a vector, but got shape: [1,2]"),
    ([[0, 0]], [1], [1], "hypothesis_shape.NumElements == #cols(hypothesis_indices), their shapes are: [1] and [1,2]"),
    ([[0, 0]], [1, 2], [1, 1], "hypothesis_values.NumElements == #rows(hypothesis_indices), their shapes are: [2]"),
    ([[0]], [1], [1], "Input SparseTensors must have rank at least 2, but hypothesis_shape rank is: 1"),
    ([[0, 0, 0]], [1], [1, 1, 1], "to have matching ranks, but their shapes are: [2] and [3]"),
    ([[0, 0]], [1], [-1, 2], "Dimension -1 must be >= 0"),
    ([[0, 0]], [1], [2**40, 2**40], "too many elements"),
    ([[1, 0], [0, 0]], [1, 2], [2, 2], "hypothesis_indices[1] is out of order"),
]


@pytest.mark.parametrize(("indices", "values", "shape", "text"), CASES)
def test_what_is_refused_in_a_run(indices, values, shape, text):
    fed = [tf.placeholder(dtype) for dtype in (tf.int64, tf.int32, tf.int64)]
    distance = tf.raw_ops.EditDistance(
        hypothesis_indices=fed[0], hypothesis_values=fed[1], hypothesis_shape=fed[2],
        truth_indices=[[0, 0]], truth_values=[1], truth_shape=[1, 1],
    )  # fmt: skip
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        run(distance, dict(zip(fed, (indices, values, shape))))
    assert text in str(error.value)


@pytest.mark.parametrize("row", [5, -1])
def test_rows_outside_of_the_result(row):
    with pytest.raises(tf.errors.InternalError, match=rf"hypothesis_indices\[0,0\] = {row} is outside"):
        run(tf.edit_distance(tf.SparseTensor([[row, 0]], [1], [2, 2]), sparse([[1], [1]], dtype=np.int32)))


def test_no_rows():
    nothing = tf.SparseTensor(np.zeros((0, 2), np.int64), np.zeros(0, np.int64), [0, 2])
    with pytest.raises(tf.errors.InvalidArgumentError, match="0 elements"):
        run(tf.edit_distance(nothing, nothing))
