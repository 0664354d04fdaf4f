"""Gather, scatter, selection and sets: errors, sparse gradients, special values."""

import numpy as np
import pytest

import tfcore as tf


def run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def message_of(tensor, feeds):
    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        run(tensor, feeds)
    return str(error.value)


def test_gather_out_of_range():
    i = tf.placeholder(tf.int32)
    y = tf.gather(tf.constant([1, 2, 3]), i)
    assert "indices[0] = 5 is not in [0, 3)" in message_of(y, {i: [5]})
    assert "indices[1,0] = -1 is not in [0, 3)" in message_of(y, {i: [[0], [-1]]})
    assert "indices = 3 is not in [0, 3)" in message_of(y, {i: 3})


def test_gather_nd_out_of_range():
    i = tf.placeholder(tf.int32)
    y = tf.gather_nd(tf.zeros([2, 2]), i)
    assert "indices[1] = [2, 0] does not index into param shape [2,2]" in message_of(y, {i: [[0, 0], [2, 0]]})


def test_scatter_nd_errors():
    i = tf.placeholder(tf.int32)
    assert "indices[0] = [4] does not index into shape [4]" in message_of(tf.scatter_nd(i, [1.0], [4]), {i: [[4]]})
    with pytest.raises(ValueError, match="must match"):
        tf.scatter_nd([[1]], [[1.0, 2.0]], [4])


def test_gradient_of_gather_is_sparse():
    table = tf.constant(np.arange(10, dtype=np.float32).reshape(5, 2))
    grad = tf.gradients(tf.gather(table, [[1, 3], [1, 0]]) * 2.0, table)[0]
    assert isinstance(grad, tf.IndexedSlices)
    values, indices, shape = run([grad.values, grad.indices, grad.dense_shape])
    assert indices.tolist() == [1, 3, 1, 0] and shape.tolist() == [5, 2] and values.shape == (4, 2)
    assert run(tf.convert_to_tensor(grad)).tolist() == [[2, 2], [4, 4], [0, 0], [2, 2], [0, 0]]


def test_gather_of_a_variable():
    table = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2))
    rows = tf.gather(table, [2, 0])
    grad = tf.gradients(rows, table)[0]
    assert isinstance(grad, tf.IndexedSlices)
    with tf.Session() as session:
        session.run(table.initializer)
        assert session.run(rows).tolist() == [[4, 5], [0, 1]]


def test_batch_gather():
    x = tf.constant([[1, 2, 3], [4, 5, 6]])
    assert run(tf.batch_gather(x, [[2, 0], [1, 1]])).tolist() == [[3, 1], [5, 5]]
    assert run(tf.gather_nd(x, [[[2]], [[0]]], batch_dims=1)).tolist() == [[3], [4]]


def test_later_updates_win():
    y = tf.tensor_scatter_update(tf.zeros([2]), [[0], [0]], [1.0, 2.0])
    assert run(y).tolist() == [2, 0]
    y = tf.dynamic_stitch([[0, 1], [1]], [[1, 2], [3]])
    assert run(y).tolist() == [1, 3]


def test_one_hot():
    assert run(tf.one_hot([0, 2, -1, 9], 3)).tolist() == [[1, 0, 0], [0, 0, 1], [0, 0, 0], [0, 0, 0]]
    y = tf.one_hot([1], 2, on_value=True, off_value=False, axis=0)
    assert y.dtype == tf.bool and run(y).tolist() == [[False], [True]]
    assert run(tf.one_hot(1, 2, "y", "n")).tolist() == [b"n", b"y"]
    assert tf.one_hot(tf.placeholder(tf.int32, [None]), 10).shape.as_list() == [None, 10]
    with pytest.raises(ValueError, match="depth must be non-negative"):
        tf.one_hot([1], -2)


def test_where_without_alternatives():
    assert run(tf.where([[True, False], [False, True]])).tolist() == [[0, 0], [1, 1]]
    assert run(tf.where([False])).shape == (0, 1)


def test_dynamic_partition_errors():
    p = tf.placeholder(tf.int32)
    y = tf.dynamic_partition(tf.constant([1.0, 2.0]), p, 2)
    assert "partitions[1] = 2 is not in [0, 2)" in message_of(y, {p: [0, 2]})
    assert "data.shape must start with partitions.shape" in message_of(y, {p: [0]})


def test_unique_keeps_nan_apart_and_zeros_together():
    values, places = run(tf.unique(tf.constant([0.0, -0.0, np.nan, np.nan, 1.0])))
    assert places.tolist() == [0, 0, 1, 2, 3] and len(values) == 4


@pytest.mark.parametrize(
    "kind", "float32 float64 half bfloat16 complex64 complex128 int8 int32 int64 uint16 string".split()
)
def test_large_sets(kind):
    """More elements than fit into the first table, several times."""
    r = np.random.default_rng(1)
    numbers = r.integers(-3000, 3000, 20_000)
    if kind == "string":
        x = np.array([b"%d" % n * (1 + n % 9) for n in numbers], object)
    else:
        dtype = getattr(tf, kind).as_numpy_dtype
        x = (numbers * (2**40 if kind == "int64" else 1)).astype(dtype)
        if kind.startswith("complex"):
            x = x + (1j * r.integers(0, 2, x.shape)).astype(dtype)
    first = {}
    wanted_places = [first.setdefault(e, len(first)) for e in x.tolist()]
    values, places, counts = run(tf.unique_with_counts(x, out_idx=tf.int64))
    assert values.tolist() == list(first) and places.tolist() == wanted_places
    assert counts.tolist() == np.bincount(wanted_places).tolist()
    known = set(x[:5000].tolist())
    left = [i for i, e in enumerate(x.tolist()) if e not in known]
    out, at = run(tf.setdiff1d(x, x[:5000]))
    assert at.tolist() == left and out.tolist() == x[left].tolist()


def test_sets_with_many_nan():
    x = np.tile(np.float32([np.nan, 1, 2, 0.0, -0.0]), 1000)
    values, places, counts = run(tf.unique_with_counts(x))
    assert len(values) == 1003 and counts[1:4].tolist() == [1000, 1000, 2000]
    assert len(set(places[::5].tolist())) == 1000
    out, at = run(tf.setdiff1d(x, x[:10]))
    assert np.isnan(out).all() and at.tolist() == list(range(0, 5000, 5))


def test_distinct_slices_with_nan():
    x = np.float32([[1, np.nan], [1, np.nan], [0.0, 2], [-0.0, 2]] * 1000)
    values, places = run(tf.raw_ops.UniqueV2(x=x, axis=[0]))
    assert len(values) == 2001 and len(set(places.reshape(-1, 4)[:, :2].ravel().tolist())) == 2000
    assert set(places.reshape(-1, 4)[:, 2:].ravel().tolist()) == {2}


def test_setdiff1d():
    out, at = run(tf.setdiff1d(["a", "b", "c", "a"], ["a"]))
    assert out.tolist() == [b"b", b"c"] and at.tolist() == [1, 2]


def test_segment_errors():
    ids = tf.placeholder(tf.int32)
    x = tf.constant([1.0, 2.0, 3.0])
    y = tf.segment_sum(x, ids)
    assert "segment ids are not increasing" in message_of(y, {ids: [1, 0, 2]})
    assert "segment ids must be >= 0" in message_of(y, {ids: [0, 1, -1]})
    assert "Segment id -1 out of range [0, 2)" in message_of(y, {ids: [-1, 0, 1]})
    assert "segment_ids should be the same size as dimension 0 of input" in message_of(y, {ids: [0, 1]})
    y = tf.unsorted_segment_sum(x, ids, 2)
    assert "segment_ids[2] = 2 is out of range [0, 2)" in message_of(y, {ids: [0, 1, 2]})
    y = tf.sparse_segment_sum(x, ids, [0, 0])
    assert "Bad: indices[1] == 3 out of range [0, 3)" in message_of(y, {ids: [0, 3]})


def test_empty_segments_of_floats():
    x = tf.constant([1.0, 2.0])
    assert run(tf.unsorted_segment_max(x, [1, 1], 2)).tolist() == [np.finfo(np.float32).min, 2]
    assert run(tf.unsorted_segment_min(x, [1, 1], 2)).tolist() == [np.finfo(np.float32).max, 1]
    assert run(tf.unsorted_segment_mean(x, [1, 1], 2)).tolist() == [0, 1.5]
    assert run(tf.segment_max(x, [0, 2])).tolist() == [1, 0, 2]


def test_embedding_lookup_in_shards():
    rows = np.arange(14, dtype=np.float32).reshape(7, 2)
    ids = np.array([[6, 0, 3], [1, 5, 2]])
    by_mod = [tf.constant(rows[k::3]) for k in range(3)]
    np.testing.assert_array_equal(run(tf.nn.embedding_lookup(by_mod, ids)), rows[ids])
    by_div = [tf.constant(rows[:3]), tf.constant(rows[3:5]), tf.constant(rows[5:])]
    found = tf.nn.embedding_lookup(by_div, ids, partition_strategy="div")
    np.testing.assert_array_equal(run(found), rows[ids])
    assert found.shape.as_list() == [2, 3, 2]


def test_embedding_lookup_limits_norms():
    table = tf.constant([[3.0, 4.0], [0.3, 0.4]])
    assert np.allclose(run(tf.nn.embedding_lookup(table, [0, 1], max_norm=1.0)), [[0.6, 0.8], [0.3, 0.4]])


def test_top_k():
    x = tf.constant([[1.0, 3.0, 2.0, 3.0]])
    values, places = run(tf.nn.top_k(x, 3))
    assert values.tolist() == [[3, 3, 2]] and places.tolist() == [[1, 3, 2]]
    with pytest.raises(ValueError, match="input must have last dimension >= k = 5 but is 4"):
        tf.nn.top_k(x, 5)
    k = tf.placeholder(tf.int32, [])
    assert "input must have at least k columns. Had 4, needed 9" in message_of(tf.nn.top_k(x, k), {k: 9})


@pytest.mark.parametrize("dtype", [np.float32, np.int8, np.uint8])
def test_sort_and_argsort(dtype):
    value = np.random.default_rng(0).integers(0, 100, (4, 9)).astype(dtype)
    for axis in (0, -1):
        assert run(tf.sort(value, axis)).tolist() == np.sort(value, axis).tolist()
        assert run(tf.argsort(value, axis)).tolist() == np.argsort(value, axis, kind="stable").tolist()
        down = run(tf.sort(value, axis, "DESCENDING"))
        assert down.tolist() == np.flip(np.sort(value, axis), axis).tolist()


def test_bincount():
    assert run(tf.bincount([1, 1, 3])).tolist() == [0, 2, 0, 1]
    assert run(tf.bincount([1, 3], weights=[0.5, 2.0], minlength=5)).tolist() == [0, 0.5, 0, 2, 0]
    arr = tf.placeholder(tf.int32)
    assert "Input arr must be non-negative!" in message_of(tf.bincount(arr, minlength=2), {arr: [-1]})


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64, tf.float32, tf.float64])
@pytest.mark.parametrize("n", [65_535, 65_536, 300_001])
def test_bincount_of_many(n, dtype):
    x = np.random.default_rng(n).integers(0, 1000, n).astype(np.int32)
    x[-1] = 2**31 - 2
    counts = run(tf.bincount(x, minlength=900, maxlength=900, dtype=dtype))
    assert counts.dtype == dtype.as_numpy_dtype
    assert counts.tolist() == np.bincount(x[:-1], minlength=900)[:900].tolist()
    x[n // 2] = -5
    assert "Input arr must be non-negative!" in message_of(tf.bincount(x, maxlength=900), {})


def test_searchsorted():
    assert run(tf.searchsorted([[1, 3, 3, 7]], [[3, 0, 9]])).tolist() == [[1, 0, 4]]
    assert run(tf.searchsorted([[1, 3, 3, 7]], [[3, 0, 9]], side="right")).tolist() == [[3, 0, 4]]


# ---- bad_indices_policy


@pytest.mark.parametrize("x", [np.arange(12.0).reshape(4, 3), np.array([b"a", b"b", b"c", b"d"], object)], ids=str)
def test_bad_indices_are_ignored(x):
    indices = np.array([[1], [4], [0], [-1]])
    zero = b"" if x.dtype == object else 0.0
    with tf.Session() as sess:
        gathered = sess.run(tf.gather_nd(x, indices, bad_indices_policy="IGNORE"))
        want = x[[1, 0, 0, 0]]
        want[[1, 3]] = zero
        np.testing.assert_array_equal(gathered, want)
        updates = x if x.dtype != object else x[:4]
        scattered = sess.run(tf.scatter_nd(indices, updates, x.shape, bad_indices_policy="IGNORE"))
        want = np.full_like(x, zero)
        want[1], want[0] = updates[0], updates[2]
        np.testing.assert_array_equal(scattered, want)


def test_updates_at_bad_indices_are_left_out():
    x, updates = tf.constant([1.0, 2.0, 3.0]), tf.constant([5.0, 6.0])
    add = tf.tensor_scatter_add(x, [[1], [7]], updates, bad_indices_policy="IGNORE")
    sub = tf.tensor_scatter_sub(x, [[-1], [2]], updates, bad_indices_policy="IGNORE")
    with tf.Session() as sess:
        assert sess.run(add).tolist() == [1, 7, 3] and sess.run(sub).tolist() == [1, 2, -3]
        assert sess.run(tf.gradients(add, updates))[0].tolist() == [1, 0]
        picked = tf.gather_nd(x, [[1], [7]], bad_indices_policy="IGNORE")
        assert sess.run(tf.gradients(picked, x))[0].tolist() == [0, 1, 0]
        made = tf.scatter_nd([[1], [7]], updates, [3], bad_indices_policy="IGNORE")
        assert sess.run(tf.gradients(made * 2.0, updates))[0].tolist() == [2, 0]


@pytest.mark.parametrize("policy", ["", "DEFAULT", "ERROR", "other"])
def test_bad_indices_are_errors(policy):
    text = "bad_indices_policy must be" if policy == "other" else r"indices\[1\] = \[7\] does not index into"
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError, match=text):
        sess.run(tf.gather_nd([1, 2, 3], [[1], [7]], bad_indices_policy=policy))
