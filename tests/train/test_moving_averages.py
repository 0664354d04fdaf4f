"""ExponentialMovingAverage and assign_moving_average against the formula."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.train.optimizers.moving_averages import assign_moving_average


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def _run(update, average, changes):
    """Runs `update` after each change of the followed value; the averages seen."""
    seen = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        seen.append(sess.run(average))
        for change in changes:
            sess.run(change)
            sess.run(update)
            seen.append(sess.run(average))
    return seen


def test_average_of_a_variable():
    v = tf.Variable([10.0, 20.0], name="v")
    ema = tf.train.ExponentialMovingAverage(0.75)
    update = ema.apply([v])
    average = ema.average(v)
    assert update.name == "ExponentialMovingAverage" and average.name == "v/ExponentialMovingAverage:0"
    assert not average.trainable and tf.moving_average_variables() == [v]
    seen = _run(update, average, [v.assign([20.0, 0.0]), v.assign([40.0, 8.0])])
    np.testing.assert_allclose(seen, [[10, 20], [12.5, 15], [19.375, 13.25]], rtol=1e-6)


@pytest.mark.parametrize("dtype", [tf.float16, tf.float32, tf.float64], ids=lambda d: d.name)
def test_types(dtype):
    v = tf.Variable(tf.constant(8.0, dtype))
    ema = tf.train.ExponentialMovingAverage(0.5)
    seen = _run(ema.apply([v]), ema.average(v), [v.assign(tf.constant(4.0, dtype))])
    assert seen == [8.0, 6.0] and seen[0].dtype == dtype.as_numpy_dtype


def test_num_updates_makes_a_quick_start():
    v = tf.Variable(0.0)
    n = tf.Variable(0, trainable=False)
    ema = tf.train.ExponentialMovingAverage(0.9, num_updates=n)
    update = ema.apply()
    with tf.control_dependencies([v.assign(8.0)]):
        change = n.assign_add(1)
    seen = _run(update, ema.average(v), [change])
    decay = min(0.9, 2 / 11)
    np.testing.assert_allclose(seen, [0.0, 8 * (1 - decay)], rtol=1e-6)


@pytest.mark.parametrize("zero_debias", [False, True])
def test_average_of_a_tensor(zero_debias):
    v = tf.Variable(4.0)
    t = v * 2.0
    ema = tf.train.ExponentialMovingAverage(0.5, zero_debias=zero_debias)
    seen = _run(ema.apply([t]), ema.average(t), [v.assign(4.0), v.assign(8.0)])
    expected = [0, 8, (8 + 2 * 16) / 3] if zero_debias else [0, 4, 10]
    np.testing.assert_allclose(seen, expected, rtol=1e-6)


def test_variables_to_restore():
    v, w = tf.Variable(1.0, name="v"), tf.Variable(1.0, name="w", trainable=False)
    step = tf.train.get_or_create_global_step()
    ema = tf.train.ExponentialMovingAverage(0.9)
    assert ema.average(v) is None
    assert ema.variables_to_restore() == {"v/ExponentialMovingAverage": v, "w": w, "global_step": step}
    ema.apply([v])
    names = ema.variables_to_restore()
    assert names.pop("v/ExponentialMovingAverage") is v
    assert set(names) == {"w", "global_step"}
    assert ema.average_name(v) == "v/ExponentialMovingAverage" and ema.average_name(w) == "w/ExponentialMovingAverage"


def test_only_floating_types():
    with pytest.raises(TypeError, match="The variables must be half, float, or double: Variable:0"):
        tf.train.ExponentialMovingAverage(0.9).apply([tf.Variable(1)])


def test_two_applies_share_averages():
    v = tf.Variable(8.0)
    ema = tf.train.ExponentialMovingAverage(0.5)
    first, second = ema.apply([v]), ema.apply([v])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(v.assign(0.0))
        sess.run(first)
        sess.run(second)
        assert sess.run(ema.average(v)) == 2.0


def test_assign_moving_average():
    v = tf.Variable(0.0)
    value = tf.placeholder(tf.float32, [])
    plain = assign_moving_average(v, value, 0.75, zero_debias=False)
    with tf.Session() as sess:
        sess.run(v.initializer)
        assert sess.run(plain, {value: 8.0}) == 2.0
        assert sess.run(plain, {value: 2.0}) == 2.0
    w = tf.Variable(0.0, name="w")
    debiased = assign_moving_average(w, value, 0.75)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        np.testing.assert_allclose(sess.run(debiased, {value: 8.0}), 8.0, rtol=1e-6)
        np.testing.assert_allclose(sess.run(debiased, {value: 1.0}), (0.75 * 2 + 0.25) / (1 - 0.75**2), rtol=1e-6)


def test_apply_after_a_training_step_follows_the_new_value():
    v = tf.Variable(8.0)
    train = tf.train.GradientDescentOptimizer(4.0).minimize(v)
    ema = tf.train.ExponentialMovingAverage(0.5)
    with tf.control_dependencies([train]):
        update = ema.apply([v])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(update)
        assert sess.run([v, ema.average(v)]) == [4.0, 6.0]
