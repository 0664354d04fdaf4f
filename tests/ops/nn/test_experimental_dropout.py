"""tf.nn.experimental and tf.random.experimental: TensorFlow's values for given seeds."""

import pytest

import tfcore as tf


def test_stateless_dropout():
    with tf.Graph().as_default(), tf.Session() as sess:
        dropped = tf.nn.experimental.stateless_dropout(tf.ones([2, 5]), 0.5, [1, 2])
        assert sess.run(dropped).tolist() == [[2, 0, 2, 0, 0], [2, 0, 0, 0, 0]]
        with pytest.raises(ValueError, match="floating point"):
            tf.nn.experimental.stateless_dropout(tf.constant([1]), 0.5, [1, 2])


def test_general_dropout():
    calls = []

    def sample(shape, dtype):
        calls.append((shape, dtype))
        return tf.constant([[0.0], [0.3]], dtype)

    with tf.Graph().as_default(), tf.Session() as sess:
        dropped = tf.nn.experimental.general_dropout(tf.fill([2, 2], 3.0), tf.constant(0.25), sample, [None, 1])
        assert sess.run(dropped).tolist() == [[0, 0], [4, 4]]
    assert calls == [([2, 1], tf.float32)]


def test_random_orders():
    with tf.Graph().as_default(), tf.Session() as sess:
        places = tf.random.experimental.index_shuffle(tf.range(10), [5, 8], 9)
        assert sess.run(places).tolist() == [3, 8, 0, 1, 2, 7, 6, 9, 4, 5]
        shuffled = tf.random.experimental.stateless_shuffle(tf.range(10), [1, 2])
        assert sess.run(shuffled).tolist() == [0, 3, 8, 1, 5, 4, 9, 7, 6, 2]
        each = tf.random.experimental.index_shuffle(tf.constant([0, 0]), [[5, 8], [6, 8]], 9)
        alone = [tf.random.experimental.index_shuffle(0, seed, 9) for seed in ([5, 8], [6, 8])]
        found, *expected = sess.run([each, *alone])
        assert found.tolist() == expected
