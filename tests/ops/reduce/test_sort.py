"""Order: what records can't say."""

import numpy as np
import pytest

import tfcore as tf


def test_places_must_fit_the_output_type():
    rows = np.zeros((1, 2**31), np.int8)  # zeros that nobody wrote take no memory
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.int8)
        long = tf.raw_ops.UpperBound(sorted_inputs=x, values=np.int8([[0]]), out_type=tf.int64)
        assert session.run(long, {x: rows}) == 2**31
        short = tf.raw_ops.UpperBound(sorted_inputs=x, values=np.int8([[0]]), out_type=tf.int32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="trailing dim_size must less than INT_MAX"):
            session.run(short, {x: rows})


@pytest.mark.parametrize("kind", [tf.int16, tf.int32, tf.int64], ids=lambda t: t.name)
def test_types_of_indices(kind):
    x = tf.constant([[1.0, 3.0, 2.0], [3.0, 2.0, 1.0]])
    for k in (np.int16(2), np.int32(2), np.int64(2)):
        top = tf.nn.top_k(x, k, index_type=kind)
        with tf.Session() as sess:
            values, indices, grad = sess.run([top.values, top.indices, tf.gradients(top.values, x)[0]])
        assert values.tolist() == [[3, 2], [3, 2]] and indices.tolist() == [[1, 2], [0, 1]]
        assert indices.dtype == kind.as_numpy_dtype and grad.tolist() == [[0, 1, 1], [1, 1, 0]]


def test_indices_that_do_not_fit():
    x = tf.placeholder(tf.int8, [None])
    top = tf.nn.top_k(x, 1, index_type=tf.int16)
    with tf.Session() as sess:
        assert sess.run(top.indices, {x: np.arange(2**15 - 1) == 32000}).tolist() == [32000]
        with pytest.raises(tf.errors.InvalidArgumentError, match="do not fit into int16"):
            sess.run(top.indices, {x: np.zeros(2**15)})
    with pytest.raises(TypeError, match="index_type"):
        tf.nn.top_k([1], index_type=tf.float32)


REALS = "float32 float64 half bfloat16 int8 int16 int32 int64 uint8 uint16 uint32 uint64".split()


@pytest.mark.parametrize("count", [190, 400, 5000])  # on both sides of where counting digits begins
@pytest.mark.parametrize("kind", [getattr(tf, name) for name in REALS], ids=lambda t: t.name)
def test_long_rows(kind, count):
    """In descending order; of equal elements the first comes first; NaN is the largest."""
    r = np.random.default_rng(count)
    if kind.is_floating:
        x = r.standard_normal((3, count)) * 10.0 ** r.integers(-3, 3, (3, count))
        x[:, ::7] = [[np.nan], [-np.inf], [np.inf]]
        x[:, 1::9], x[:, 2::9] = 0.0, -0.0
    else:
        x = r.integers(kind.min, kind.max, (3, count), kind.as_numpy_dtype, endpoint=True)
        x[1] = x[1] // 2**8 * 2**8 if kind.size > 1 else x[1] % 3  # a digit that is the same in all
    x[2, 50:] = x[2, 50]  # a row of equal ones
    x = x.astype(kind.as_numpy_dtype)
    with tf.Graph().as_default(), tf.Session() as sess:
        values, places = sess.run(tf.nn.top_k(x, count))
        ascending = sess.run(tf.sort(x))
    wide = x.astype(np.float64) if kind.is_floating else x
    wanted = (count - 1 - np.argsort(wide[:, ::-1], -1, kind="stable"))[:, ::-1]
    np.testing.assert_array_equal(places, wanted)
    assert values.tobytes() == np.take_along_axis(x, wanted, -1).tobytes()
    if not np.isnan(wide).any():
        np.testing.assert_array_equal(ascending, np.sort(x, -1))
