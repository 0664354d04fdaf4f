"""tf.contrib.mixed_precision: scaled losses."""

import numpy as np
import pytest

import tfcore as tf

mixed_precision = tf.contrib.mixed_precision


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_small_gradients_in_half_precision():
    """A gradient of 1e-8 is 0 in half precision; scaled, it is not."""
    updated = []
    for scale in (1, 1024):
        w = tf.Variable(1.0)
        optimizer = mixed_precision.LossScaleOptimizer(
            tf.train.GradientDescentOptimizer(1e8), mixed_precision.FixedLossScaleManager(scale)
        )
        half = tf.cast(w, tf.float16) * tf.constant(1e-4, tf.float16)
        step = optimizer.minimize(tf.cast(half * tf.constant(1e-4, tf.float16), tf.float32))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(step)
            updated.append(sess.run(w))
    assert updated[0] == 1 and updated[1] == pytest.approx(0, abs=0.05)


def test_steps_that_are_not_finite_change_no_variable():
    manager = mixed_precision.ExponentialUpdateLossScaleManager(8.0, 2, 2, 4, 0.25)
    optimizer = mixed_precision.LossScaleOptimizer(tf.train.MomentumOptimizer(0.5, 0.9), manager)
    w, table = tf.Variable([1.0, 2.0]), tf.Variable(np.ones([4, 2], np.float32))
    x, count = tf.placeholder(tf.float32, []), tf.train.get_or_create_global_step()
    loss = tf.reduce_sum(w * x) + tf.reduce_sum(tf.gather(table, [1, 1])) * x
    pairs = optimizer.compute_gradients(loss)
    assert isinstance(pairs[1][0], tf.IndexedSlices)
    step = optimizer.apply_gradients(pairs, global_step=count)
    scales = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for value in (1.0, np.inf, np.nan, 1.0, 1.0, np.inf, 1.0, np.inf):
            sess.run(step, {x: value})
            scales.append(sess.run(manager.get_loss_scale()))
        assert sess.run(count) == 4
        np.testing.assert_allclose(sess.run(w), _momentum([1.0, 2.0], 1.0, 4), rtol=1e-6)
        np.testing.assert_allclose(sess.run(table)[1], _momentum([1.0, 1.0], 2.0, 4), rtol=1e-6)
    # good: 1, -, -, 1, 2 (grows), -, 1, -; bad: -, 1, 2 (shrinks), -, -, 1, 1, 2 (shrinks)
    assert scales == [8, 8, 2, 2, 8, 8, 8, 2]
    assert optimizer.get_slot(w, "momentum") is not None and optimizer.get_slot_names() == ["momentum"]


def _momentum(start, gradient, steps):
    value, velocity = np.array(start), 0.0
    for _ in range(steps):
        velocity = 0.9 * velocity + gradient
        value = value - 0.5 * velocity
    return value


def test_the_scale_stays_between_1_and_infinity():
    with tf.Session() as sess:
        for start, finite, expected in ((2e38, True, 2e38), (1.0, False, 1.0)):
            manager = mixed_precision.ExponentialUpdateLossScaleManager(start, 1, 1)
            update = manager.update_loss_scale(tf.constant(finite))
            sess.run(tf.global_variables_initializer())
            for _ in range(2):
                sess.run(update)
            assert sess.run(manager.get_loss_scale()) == np.float32(expected)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="at least 1, but got 0.5"):
        mixed_precision.FixedLossScaleManager(0.5)
    with pytest.raises(ValueError, match='"opt" must be an instance of Optimizer'):
        mixed_precision.LossScaleOptimizer(None, mixed_precision.FixedLossScaleManager(2))
