"""Updates of slices: errors, strings, duplicates, large updates, updates by batch."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf


@pytest.fixture
def sess():
    with tf.Graph().as_default() as graph, tf.Session(graph=graph) as session:
        yield session


def _variable(sess, value, **kwargs):
    variable = tf.Variable(value, **kwargs)
    sess.run(variable.initializer)
    return variable


def test_string_slices(sess):
    v = _variable(sess, [["a", "b"], ["c", "d"], ["e", "f"]])
    result = sess.run(tf.scatter_update(v, [2, 0], [["long" * 20, ""], ["x", "y"]]))
    assert result.tolist() == [[b"x", b"y"], [b"c", b"d"], [b"long" * 20, b""]]
    assert sess.run(tf.scatter_nd_update(v, [[1, 1]], ["z"]))[1].tolist() == [b"c", b"z"]


class TestScatterErrors:
    @pytest.mark.parametrize(
        "indices, message",
        [
            ([1, 7], r"indices\[1\] = 7 is not in \[0, 5\)"),
            ([-1, 0], r"indices\[0\] = -1 is not in \[0, 5\)"),
            ([[0, 1], [2, 5]], r"indices\[1,1\] = 5 is not in \[0, 5\)"),
        ],
    )
    def test_index_out_of_range(self, sess, indices, message):
        v = _variable(sess, np.zeros((5, 2), np.float32))
        updates = np.ones((*np.shape(indices), 2), np.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match=message):
            sess.run(tf.scatter_add(v, indices, updates))
        assert not sess.run(v).any(), "a failed update must not be applied in part"

    def test_index_out_of_range_nd(self, sess):
        v = _variable(sess, np.zeros((5, 2), np.float32))
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = \[4, 2\] does not index into shape"):
            sess.run(tf.scatter_nd_update(v, [[0, 0], [4, 2]], [1.0, 2.0]))
        assert not sess.run(v).any()

    def test_shapes_known_when_built(self, sess):
        v = tf.Variable(np.zeros((5, 2), np.float32))
        with pytest.raises(
            ValueError,
            match=r"Dimension 1 in both shapes must be equal, but are 3 and 2. Shapes are \[2,3\] and \[2,2\]",
        ):
            tf.scatter_update(v, [0, 1], np.ones((2, 3), np.float32))

    @pytest.mark.parametrize("updates", [np.ones((3, 2)), np.ones(2), np.ones((2, 3)), np.ones((1, 2, 2))])
    def test_shapes_known_when_run(self, sess, updates):
        v = _variable(sess, np.zeros((5, 2), np.float32))
        i, u = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="Must have updates.shape = indices.shape"):
            sess.run(tf.scatter_update(v, i, u), {i: [0, 1], u: updates})
        with pytest.raises(tf.errors.InvalidArgumentError, match="Must have updates.shape = indices.shape"):
            sess.run(tf.scatter_nd_update(v, i, u), {i: [[0], [1]], u: updates})

    @pytest.mark.parametrize("indices", [np.zeros((1, 3), np.int32), np.int32(0)])
    def test_nd_indices_of_wrong_rank(self, sess, indices):
        v = _variable(sess, np.zeros((5, 2), np.float32))
        i, u = tf.placeholder(tf.int32), tf.placeholder(tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(tf.scatter_nd_add(v, i, u), {i: indices, u: 1.0})

    def test_scalar_variable(self, sess):
        x = tf.placeholder(tf.float32)
        v = tf.Variable(x, validate_shape=False)
        sess.run(v.initializer, {x: 1.0})
        with pytest.raises(tf.errors.InvalidArgumentError, match="at least 1-D"):
            sess.run(tf.scatter_add(v, [0], [1.0]))

    def test_integer_division_by_zero(self, sess):
        v = _variable(sess, [6, 7])
        with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
            sess.run(tf.scatter_div(v, [0, 1], [2, 0]))
        assert sess.run(v).tolist() == [6, 7]


def test_large_scatter_with_duplicates_is_exact_and_repeatable(sess):
    rng = np.random.default_rng(0)
    v = _variable(sess, np.zeros((500, 64), np.float32))
    indices = rng.integers(0, 500, 20000).astype(np.int32)
    updates = rng.normal(size=(20000, 64)).astype(np.float32)
    expected = np.zeros((500, 64), np.float32)
    np.add.at(expected, indices, updates)
    assert np.array_equal(sess.run(tf.scatter_add(v, indices, updates)), expected)  # same order of additions


@pytest.mark.parametrize("n", [4095, 4096, 100001])
def test_large_updates(sess, n):
    v = _variable(sess, np.arange(n, dtype=np.int32))
    assert np.array_equal(
        sess.run(tf.assign_sub(v, np.arange(n, dtype=np.int32)[::-1].copy())), 2 * np.arange(n) - n + 1
    )


@given(st.data())
def test_batch_scatter_update(data):
    batch = data.draw(st.lists(st.integers(1, 3), min_size=0, max_size=2))
    n, count = data.draw(st.integers(1, 4)), data.draw(st.integers(0, 3))
    size = int(np.prod(batch, dtype=int)) * count
    indices = np.array(data.draw(st.lists(st.integers(0, n - 1), min_size=size, max_size=size)), np.int64)
    indices = indices.reshape(*batch, count)
    updates = np.broadcast_to((10 * (indices + 1))[..., None], (*indices.shape, 2)).astype(np.float32)
    expected = np.zeros([*batch, n, 2], np.float32)
    for place in np.ndindex(*indices.shape):
        expected[(*place[:-1], indices[place])] = updates[place]
    with tf.Graph().as_default(), tf.Session() as sess:
        ref = tf.Variable(np.zeros_like(expected))
        sess.run(ref.initializer)
        np.testing.assert_array_equal(sess.run(tf.batch_scatter_update(ref, indices, updates)), expected)


def test_batch_scatter_update_refuses():
    with tf.Graph().as_default(), tf.Session() as sess:
        ref = tf.Variable(tf.zeros([2, 3]))
        sess.run(ref.initializer)
        with pytest.raises(ValueError, match="does not allow indices with unknown shape"):
            tf.batch_scatter_update(ref, tf.placeholder(tf.int32), [[1.0], [1.0]])
        with pytest.raises(ValueError, match="must be equal"):
            tf.batch_scatter_update(ref, [[0], [1]], [[1.0, 2.0], [1.0, 2.0]])
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(tf.batch_scatter_update(ref, [[0], [3]], [[1.0], [1.0]]))
