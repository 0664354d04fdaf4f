"""tf.vectorized_map"""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_structures_and_types_follow_from_the_function():
    rows = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    weight = tf.get_variable("weight", initializer=2.0)

    def call(slices):
        total = tf.reduce_sum(slices["x"]) * weight
        return {"total": total, "parts": (tf.cast(slices["y"][0], tf.int32), total > 10, 7)}

    found = tf.vectorized_map(call, {"x": rows, "y": rows})
    gradient = tf.gradients(found["total"], weight)[0]
    with tf.Session() as sess:
        sess.run(weight.initializer)
        found, gradient = sess.run([found, gradient])
    assert found["total"].tolist() == [6, 14, 22] and gradient == 21
    numbers, greater, sevens = found["parts"]
    assert numbers.dtype == np.int32 and numbers.tolist() == [1, 3, 5]
    assert greater.tolist() == [False, True, True] and sevens.tolist() == [7, 7, 7]


@pytest.mark.parametrize("is_static", [True, False])
def test_first_dimensions_of_one_are_broadcast(is_static):
    x, y = np.arange(6.0).reshape(3, 2), np.array([[10.0, 20.0]])
    if is_static:
        tensors, feeds = (tf.constant(x), tf.constant(y)), {}
    else:
        tensors = tf.placeholder(tf.float64, [None, 2]), tf.placeholder(tf.float64, [None, 2])
        feeds = dict(zip(tensors, (x, y)))
    found = tf.vectorized_map(lambda slices: slices[0] + slices[1], tensors)
    np.testing.assert_array_equal(tf.Session().run(found, feeds), x + y)


def test_what_is_refused():
    with pytest.raises(ValueError, match="fallback_to_while_loop=False forbids"):
        tf.vectorized_map(tf.abs, tf.constant([1.0]), fallback_to_while_loop=False)
    with pytest.raises(ValueError, match="elems must be a Tensor or a nest of them"):
        tf.vectorized_map(tf.abs, [])
