"""Clipping by value and by norm."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


def test_clip_by_value():
    x = tf.constant([-5.0, 0.5, 5.0])
    assert _run(tf.clip_by_value(x, -1, 1)).tolist() == [-1, 0.5, 1]
    assert _run(tf.clip_by_value(x, [-9.0, 0, 0], [0.0, 9, 9])).tolist() == [-5, 0.5, 5]
    (grad,) = tf.gradients(tf.clip_by_value(x, -1, 1), x)
    assert _run(grad).tolist() == [0, 1, 0]
    with pytest.raises(ValueError):
        tf.clip_by_value(x, tf.zeros([2, 3]), 1)


def test_clip_by_norm():
    x = tf.constant([[3.0, 4.0], [0.6, 0.8]])
    np.testing.assert_allclose(_run(tf.clip_by_norm(x, 5, axes=[1])), [[3, 4], [0.6, 0.8]], rtol=1e-6)
    np.testing.assert_allclose(_run(tf.clip_by_norm(x, 1, axes=[1])), [[0.6, 0.8], [0.6, 0.8]], rtol=1e-6)
    total = np.sqrt(26)
    np.testing.assert_allclose(_run(tf.clip_by_norm(x, 2)), np.array([[3, 4], [0.6, 0.8]]) * 2 / total, rtol=1e-6)
    zero = tf.zeros([3])
    assert _run(tf.clip_by_norm(zero, 1)).tolist() == [0, 0, 0]
    assert not np.isnan(_run(tf.gradients(tf.clip_by_norm(zero, 1), zero)[0])).any()
    average = np.linalg.norm([3, 4]) / 2
    np.testing.assert_allclose(_run(tf.clip_by_average_norm(x[0], 1)), np.array([3, 4]) / average, rtol=1e-6)


def test_clip_by_global_norm():
    a, b = tf.constant([3.0]), tf.IndexedSlices(tf.constant([[4.0]]), tf.constant([1]), tf.constant([3, 1]))
    assert _run(tf.global_norm([a, None, b])) == 5
    (ca, none, cb), norm = tf.clip_by_global_norm([a, None, b], 1.0)
    assert none is None and isinstance(cb, tf.IndexedSlices)
    values = _run([ca, cb.values, norm])
    np.testing.assert_allclose(values[0], [0.6], rtol=1e-6)
    np.testing.assert_allclose(values[1], [[0.8]], rtol=1e-6)
    assert values[2] == 5
    (unchanged,), _ = tf.clip_by_global_norm([a], 10.0)
    assert _run(unchanged).tolist() == [3]
    (spoilt,), _ = tf.clip_by_global_norm([tf.constant([np.inf])], 1.0)
    assert np.isnan(_run(spoilt)).all()
    with pytest.raises(TypeError, match="t_list should be a sequence"):
        tf.clip_by_global_norm(5.0, 1.0)


def test_clipping_takes_no_tensor_from_its_place():
    with tf.Graph().as_default() as graph, tf.device("/job:worker"):
        with tf.device("/job:ps"):
            gradient = tf.zeros([1000]) + 1
        (clipped,), _ = tf.clip_by_global_norm([gradient], 1.0)
        # What reads it is with it: the half of its squared norm, and the product.
        readers = [op for op in graph.get_operations() if gradient in op.inputs]
        assert sorted(op.type for op in readers) == ["L2Loss", "Mul"]
        assert all(op.colocation_groups() == gradient.op.colocation_groups() for op in [*readers, clipped.op])


@pytest.mark.parametrize("limit", [np.inf, 1e38, 5.0])
def test_what_is_within_the_limit_stays_as_it_is(limit):
    x = tf.constant([3.0, 4.0]) * 1.0
    (together,), norm = tf.clip_by_global_norm([x], limit)
    for clipped in (tf.clip_by_norm(x, limit), tf.clip_by_norm(x, tf.constant(limit)), together):
        value, gradient = _run([clipped, *tf.gradients(clipped, x)], {norm: 5.0})
        assert value.tolist() == [3, 4]
        assert limit == 5.0 or gradient.tolist() == [1, 1]  # at the limit the two sides differ
    average = tf.clip_by_average_norm(x, limit)
    assert [v.tolist() for v in _run([average, *tf.gradients(average, x)])] == [[3, 4], [1, 1]]


def test_gradients_of_clipping_at_zero():
    zero = tf.zeros([3])
    for clip in (tf.clip_by_norm, tf.clip_by_average_norm):
        assert _run(tf.gradients(clip(zero, 1.0), zero)[0]).tolist() == [1, 1, 1]
