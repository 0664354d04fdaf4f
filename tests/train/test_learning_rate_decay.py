"""Learning-rate schedules against their formulas, over steps before, at and after the end."""

import math

import numpy as np
import pytest

import tfcore as tf

STEPS = [0, 1, 4, 5, 9, 10, 11, 25, 40]


def _values(make, steps=STEPS, step_type=tf.int64):
    with tf.Graph().as_default():
        step = tf.placeholder(step_type, [])
        rate = make(step)
        with tf.Session() as sess:
            return [float(sess.run(rate, {step: s})) for s in steps]


def _cosine(x):
    return 0.5 * (1 + math.cos(math.pi * x))


def _restarts(step, first, t_mul, m_mul):
    height = 1.0
    while step >= first:
        step, first, height = step - first, first * t_mul, height * m_mul
    return height * _cosine(step / first)


def _cycled(step):
    end = 10 * max(1, math.ceil(step / 10))
    return (0.5 - 0.1) * (1 - step / end) ** 2 + 0.1


SCHEDULES = {
    "exponential": (lambda s: tf.train.exponential_decay(0.5, s, 10, 0.9), lambda s: 0.5 * 0.9 ** (s / 10)),
    "staircase": (
        lambda s: tf.train.exponential_decay(0.5, s, 10, 0.9, staircase=True),
        lambda s: 0.5 * 0.9 ** (s // 10),
    ),
    "natural_exp": (lambda s: tf.train.natural_exp_decay(0.5, s, 10, 0.9), lambda s: 0.5 * math.exp(-0.9 * s / 10)),
    "natural_exp_staircase": (
        lambda s: tf.train.natural_exp_decay(0.5, s, 10, 0.9, staircase=True),
        lambda s: 0.5 * math.exp(-0.9 * (s // 10)),
    ),
    "inverse_time": (lambda s: tf.train.inverse_time_decay(0.5, s, 10, 0.9), lambda s: 0.5 / (1 + 0.9 * s / 10)),
    "inverse_time_staircase": (
        lambda s: tf.train.inverse_time_decay(0.5, s, 10, 0.9, staircase=True),
        lambda s: 0.5 / (1 + 0.9 * (s // 10)),
    ),
    "polynomial": (
        lambda s: tf.train.polynomial_decay(0.5, s, 10, 0.1, power=2.0),
        lambda s: (0.5 - 0.1) * (1 - min(s, 10) / 10) ** 2 + 0.1,
    ),
    "polynomial_cycle": (lambda s: tf.train.polynomial_decay(0.5, s, 10, 0.1, power=2.0, cycle=True), _cycled),
    "cosine": (
        lambda s: tf.train.cosine_decay(0.5, s, 10, alpha=0.1),
        lambda s: 0.5 * (0.9 * _cosine(min(s, 10) / 10) + 0.1),
    ),
    "cosine_restarts": (
        lambda s: tf.train.cosine_decay_restarts(0.5, s, 8, t_mul=2.0, m_mul=0.5),
        lambda s: 0.5 * _restarts(s, 8, 2.0, 0.5),
    ),
    "cosine_restarts_equal": (
        lambda s: tf.train.cosine_decay_restarts(0.5, s, 8, t_mul=1.0, m_mul=0.5),
        lambda s: 0.5 * _restarts(s, 8, 1.0, 0.5),
    ),
    "linear_cosine": (
        lambda s: tf.train.linear_cosine_decay(0.5, s, 10, num_periods=1.5, alpha=0.1, beta=0.01),
        lambda s: 0.5 * ((0.1 + 1 - min(s, 10) / 10) * _cosine(3.0 * min(s, 10) / 10) + 0.01),
    ),
}


@pytest.mark.parametrize("step_type", [tf.int32, tf.int64, tf.float32], ids=lambda d: d.name)
@pytest.mark.parametrize("name", SCHEDULES)
def test_schedule(name, step_type):
    make, formula = SCHEDULES[name]
    np.testing.assert_allclose(_values(make, step_type=step_type), [formula(s) for s in STEPS], rtol=2e-5, atol=1e-7)


def test_piecewise_constant():
    values = _values(lambda s: tf.train.piecewise_constant(s, [4, 10], [1.0, 0.5, 0.1]))
    np.testing.assert_allclose(values, [1.0 if s <= 4 else 0.5 if s <= 10 else 0.1 for s in STEPS])
    assert tf.train.piecewise_constant_decay is tf.train.piecewise_constant


def test_noisy_linear_cosine_varies_around_the_schedule():
    values = _values(lambda s: tf.train.noisy_linear_cosine_decay(0.5, s, 1000, 1e-6), [100] * 50)
    exact = _values(lambda s: tf.train.linear_cosine_decay(0.5, s, 1000), [100])[0]
    assert len(set(values)) > 1
    np.testing.assert_allclose(values, exact, rtol=1e-2)


def test_rate_given_as_a_tensor():
    values = _values(lambda s: tf.train.exponential_decay(tf.constant(0.5, tf.float64), s, 10, 0.75))
    np.testing.assert_allclose(values, [0.5 * 0.75 ** (s / 10) for s in STEPS], rtol=1e-12)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: tf.train.exponential_decay(0.1, None, 10, 0.9), "global_step is required"),
        (lambda: tf.train.piecewise_constant(tf.constant(1), [1, 2], [1.0, 2.0]), "length of boundaries"),
        (lambda: tf.train.piecewise_constant(tf.constant(1), [1.5], [1.0, 2.0]), "must have the same dtype as x"),
        (
            lambda: tf.train.piecewise_constant(tf.constant(1), [1], [1.0, 2]),
            "Values must have elements all with the same",
        ),
    ],
)
def test_bad_arguments(make, message):
    with tf.Graph().as_default(), pytest.raises(ValueError, match=message):
        make()


def test_the_step_counts_after_the_update():
    with tf.Graph().as_default():
        x = tf.Variable(0.0)
        step = tf.train.create_global_step()
        rate = tf.train.piecewise_constant(step, [0, 1], [1.0, 10.0, 100.0])
        train = tf.train.GradientDescentOptimizer(rate).minimize(-x, global_step=step)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            seen = []
            for _ in range(3):
                sess.run(train)
                seen.append(float(sess.run(x)))
            assert seen == [1.0, 11.0, 111.0]
