"""The time."""

import time

import tfcore as tf


def test_time_passes():
    with tf.Graph().as_default(), tf.Session() as session:
        now = tf.timestamp()
        assert now.dtype == tf.float64 and now.shape.as_list() == []
        before = time.time()
        first, second = session.run(now), session.run(now)
        assert before - 1 <= first <= second <= time.time() + 1


def test_each_operation_reads_the_clock():
    with tf.Graph().as_default() as graph:
        a, b = tf.timestamp(), tf.timestamp(name="now")
        assert a is not b and b.op.name == "now" and len(graph.get_operations()) == 2
