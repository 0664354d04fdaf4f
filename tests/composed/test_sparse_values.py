"""Sparse tensors from and to dense ones, ids, left-out slices, operators, embeddings with missing ids."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tests.sparse_tensors import dense


def run(make):
    with tf.Graph().as_default(), tf.Session() as sess:
        return sess.run(make())


def ids():
    return tf.SparseTensor([[0, 0], [1, 0], [1, 1]], tf.constant([2, 3, 0], tf.int64), [2, 2])


def values():
    return tf.SparseTensor([[0, 0], [1, 0], [1, 1]], [0.1, 0.2, 0.3], [2, 2])


@pytest.mark.parametrize("array", [[[0, 5], [6, 0]], [0.0, -2.5], [b"", b"a"], [[True, False]]])
def test_from_dense_and_back(array):
    array = np.array(array)
    array = array.astype(object) if array.dtype.kind == "S" else array
    out = run(lambda: tf.sparse_tensor_to_dense(tf.sparse.from_dense(array)))
    np.testing.assert_array_equal(out, array)


@given(st.integers(0, 5), st.none() | st.integers(0, 5), st.booleans())
def test_eye(rows, columns, fed):
    def size(n):
        return tf.placeholder_with_default(n, ()) if fed and n is not None else n

    out = run(lambda: tf.sparse.eye(size(rows), size(columns), tf.int32))
    np.testing.assert_array_equal(dense(*out), np.eye(rows, columns, dtype=np.int32))


def test_to_dense_with_a_default():
    out = run(lambda: tf.sparse_tensor_to_dense(ids(), tf.constant(9, tf.int64)))
    assert out.tolist() == [[2, 9], [3, 0]]
    assert run(lambda: tf.sparse_tensor_to_dense(tf.SparseTensor([[1]], ["a"], [2]))).tolist() == [b"", b"a"]


def test_merge():
    out = run(lambda: tf.sparse_merge(ids(), values(), 4))
    assert out.indices.tolist() == [[0, 2], [1, 0], [1, 3]] and out.dense_shape.tolist() == [2, 4]
    np.testing.assert_allclose(out.values, [0.1, 0.3, 0.2])
    unsorted = run(lambda: tf.sparse_merge(ids(), values(), tf.constant(4), already_sorted=True))
    assert unsorted.indices.tolist() == [[0, 2], [1, 3], [1, 0]]
    several = run(lambda: tf.sparse_merge([ids(), ids()], values(), [4, 5]))
    assert several.indices.tolist() == [[0, 2, 2], [1, 0, 0], [1, 3, 3]] and several.dense_shape.tolist() == [2, 4, 5]


def test_indicator():
    assert run(lambda: tf.sparse_to_indicator(ids(), 4)).tolist() == [[0, 0, 1, 0], [1, 0, 0, 1]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of bounds"):
        run(lambda: tf.sparse_to_indicator(ids(), 2))


def test_mask():
    out = run(lambda: tf.sparse_mask(tf.IndexedSlices(tf.constant([[1], [2], [3]]), tf.constant([4, 7, 9])), [7, 8]))
    assert out.values.tolist() == [[1], [3]] and out.indices.tolist() == [4, 9]


@pytest.mark.parametrize(
    "make, error, text",
    [
        (
            lambda: tf.sparse_merge(ids(), values(), 4.0),
            TypeError,
            "vocab_size has to be a Tensor or Python int. Found",
        ),
        (lambda: tf.sparse_merge([ids()], values(), [4, 4]), ValueError, "have to have equal lengths"),
        (lambda: tf.sparse_merge(5, values(), [4]), TypeError, "sp_ids has to be a SparseTensor or list thereof"),
        (
            lambda: tf.sparse_merge([ids()], values(), 4),
            TypeError,
            "vocab_size has to be a list of Tensors or Python i",
        ),
        (
            lambda: tf.sparse_merge([ids()], values(), [4.0]),
            TypeError,
            "vocab_size has to be a list of Tensors or Pyth",
        ),
        (lambda: tf.sparse.eye(2.5), TypeError, "num_rows must be an integer value"),
        (lambda: tf.sparse_tensor_to_dense([1]), TypeError, "Input must be a SparseTensor."),
    ],
)
def test_wrong_arguments(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_operators():
    array = np.array([[0.1, 0], [0.2, 0.3]], np.float32)
    for make, want in [
        (lambda: values() * 2.0, array * 2),
        (lambda: values() * [1.0, 3.0], array * [1, 3]),
        (lambda: tf.constant([[2.0], [4.0]]) * values(), array * [[2], [4]]),
        (lambda: values() / [2.0, 4.0], array / [2, 4]),
    ]:
        np.testing.assert_allclose(dense(*run(make)), want, 1e-6)
    whole = tf.SparseTensor([[0]], [-3], [2])
    assert (whole / 2).dtype is tf.float64 and (
        tf.SparseTensor([[0]], tf.constant([3], tf.int8), [2]) / 2
    ).dtype is tf.float32
    assert run(lambda: tf.SparseTensor([[0]], [-3], [2]).__div__(2)).values.tolist() == [-1]
    for wrong in (lambda: 2.0 * values(), lambda: values() + 1.0, lambda: values() * values(), lambda: -values()):
        with pytest.raises(TypeError):
            wrong()


TABLE = np.array([[1, 2], [3, 4], [5, 6]], np.float32)


def embedded_ids():
    """Rows: [0, 1], an invalid id, none, [2]."""
    return tf.SparseTensor([[0, 0], [0, 1], [1, 0], [3, 0]], tf.constant([0, 1, -1, 2], tf.int64), [4, 2])


@pytest.mark.parametrize("combiner, first", [("sum", [4, 6]), ("mean", [2, 3]), ("sqrtn", np.array([4, 6]) / 2**0.5)])
@pytest.mark.parametrize("default", [None, 1])
def test_safe_embedding_lookup(combiner, first, default):
    def look_up(module):
        return module.safe_embedding_lookup_sparse(TABLE, embedded_ids(), combiner=combiner, default_id=default)

    missing = [0, 0] if default is None else TABLE[default]
    want = [first, missing, missing, TABLE[2]]
    np.testing.assert_allclose(run(lambda: look_up(tf.nn)), want, 1e-6)
    np.testing.assert_allclose(run(lambda: look_up(tf.contrib.layers)), want, 1e-6)


def test_safe_embedding_lookup_with_weights():
    """A weight that is not positive leaves its id out, unless embeddings are summed."""
    weights = [1.0, 3.0, 1.0, -1.0]

    def look_up(combiner, shards):
        ids = embedded_ids()
        return tf.nn.safe_embedding_lookup_sparse(
            shards, ids, ids.with_values(weights), combiner, partition_strategy="mod"
        )

    np.testing.assert_allclose(run(lambda: look_up("mean", [TABLE])), [[2.5, 3.5], [0, 0], [0, 0], [0, 0]], 1e-6)
    shards = [TABLE[::2], TABLE[1::2]]
    np.testing.assert_allclose(run(lambda: look_up("sum", shards)), [[10, 14], [0, 0], [0, 0], [-5, -6]], 1e-6)


def test_safe_embedding_lookup_of_any_rank():
    ids = tf.SparseTensor([[0, 0, 0], [1, 1, 1]], tf.constant([0, 2], tf.int64), [2, 2, 2])
    out = tf.nn.safe_embedding_lookup_sparse(TABLE, ids)
    assert out.shape.as_list() == [2, 2, 2]
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(out), [[[1, 2], [0, 0]], [[0, 0], [5, 6]]])


def test_safe_embedding_lookup_trains_its_table():
    with tf.Graph().as_default(), tf.Session() as sess:
        table = tf.Variable(TABLE)
        total = tf.reduce_sum(tf.nn.safe_embedding_lookup_sparse(table, embedded_ids(), combiner="sum"))
        step = tf.train.GradientDescentOptimizer(1.0).minimize(total)
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        np.testing.assert_allclose(sess.run(table), TABLE - 1)


@pytest.mark.parametrize(
    "make, text",
    [
        (lambda: tf.nn.safe_embedding_lookup_sparse(None, embedded_ids()), "Missing embedding_weights None."),
        (lambda: tf.nn.safe_embedding_lookup_sparse([], embedded_ids()), "Missing embedding_weights .."),
        (lambda: tf.nn.safe_embedding_lookup_sparse(TABLE, embedded_ids(), combiner="x"), "combiner must be one of"),
        (
            lambda: tf.nn.safe_embedding_lookup_sparse(
                tf.constant(TABLE, tf.float64), embedded_ids(), embedded_ids().with_values([1.0] * 4)
            ),
            "Tensor conversion requested dtype float32 for Tensor with dtype float64",
        ),
    ],
)
def test_safe_embedding_lookup_refuses(make, text):
    with pytest.raises(ValueError, match=text):
        make()
