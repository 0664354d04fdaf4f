"""How much does a step cost that computes nothing, or next to nothing?"""

import numpy as np

from bench.rows import Program, Row

CHAIN = 5000


def empty_run(tf):
    with tf.Graph().as_default():
        nothing = tf.no_op()
        session = tf.Session()
    return Program(lambda: session.run(nothing))


def monitored(tf):
    with tf.Graph().as_default():
        nothing = tf.no_op()
        session = tf.train.MonitoredSession()
    return Program(lambda: session.run(nothing))


def hooked(tf):
    with tf.Graph().as_default():
        increment = tf.assign_add(tf.train.get_or_create_global_step(), 1)
        session = tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(last_step=1 << 40)])
    return Program(lambda: session.run(increment))


def scalar(tf):
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [])
        y = x + 1.0
        session = tf.Session()
    value = np.float32(41)
    return Program(lambda: session.run(y, {x: value}), lambda: [session.run(y, {x: value})])


def chain(tf):
    with tf.Graph().as_default():
        x = y = tf.placeholder(tf.float32, [])
        for _ in range(CHAIN):
            y = y + x
        session = tf.Session()
    value = np.float32(1)
    return Program(lambda: session.run(y, {x: value}), lambda: [session.run(y, {x: value})])


ROWS = [
    Row("empty run", "us", empty_run, reference=(60, None, 3)),
    Row("empty run in a monitored session", "us", monitored, reference=(60, None, 3)),
    Row("run with a hook", "us", hooked, reference=(160, None, 16)),
    Row("feed and fetch a scalar", "us", scalar, reference=(158, None, 6), expected=lambda: [42]),
    Row(
        "chain of 5,000 scalar adds",
        "M ops/s",
        chain,
        reference=(4.6, None, 28),
        work=CHAIN / 1e6,
        expected=lambda: [CHAIN + 1],
    ),
]
