"""The warning about operations that a loop adds between runs: when it comes, and when it must not."""

import os
import subprocess
import sys
import warnings

import numpy as np
import pytest

import tfcore as tf
from tfcore.client.growth import LIMIT


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        s.run(tf.no_op())
        yield s


def warned(function):
    """The warnings that a call gives."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        function()
    return [w for w in caught if issubclass(w.category, tf.GraphGrowthWarning)]


def assign_in_a_loop(sess, v, times=3 * LIMIT):
    for i in range(times):
        sess.run(tf.assign(v, float(i)))  # THE LINE


def test_once_for_a_graph_with_the_line(sess):
    v = tf.Variable(0.0, name="v")
    found = warned(lambda: assign_in_a_loop(sess, v))
    assert len(found) == 1
    assert found[0].filename == __file__
    with open(__file__) as file:
        assert file.readlines()[found[0].lineno - 1].endswith("# THE LINE\n")
    text = str(found[0].message)
    assert f"({LIMIT} times" in text and "in assign_in_a_loop has added operations" in text
    assert not warned(lambda: assign_in_a_loop(sess, v))
    with tf.Graph().as_default(), tf.Session() as other:
        w = tf.Variable(0.0)
        other.run(w.initializer)
        assert len(warned(lambda: assign_in_a_loop(other, w))) == 1


def leak_constants(sess):
    for i in range(LIMIT):
        sess.run(tf.reduce_mean(np.full([3], i, np.float32)))


def leak_chain(sess):
    total = tf.constant(0.0)
    for _ in range(LIMIT + 1):
        total = total + 1.0
        sess.run(total)


def leak_sessions(sess):
    for _ in range(LIMIT):
        with tf.Session(graph=sess.graph) as own:
            own.run(tf.random_uniform([2]))


def leak_callables(sess):
    for _ in range(LIMIT):
        sess.make_callable(tf.ones([2]))()


def leak_partial_runs(sess):
    for _ in range(LIMIT):
        sess.partial_run_setup(tf.ones([2]))


def leak_through_helper(sess):
    def helper(x):
        return tf.square(x) + 1.0

    for _ in range(LIMIT):
        sess.run(helper(2.0))


LEAKS = [leak_constants, leak_chain, leak_sessions, leak_callables, leak_partial_runs, leak_through_helper]


@pytest.mark.parametrize("leak", LEAKS, ids=lambda f: f.__name__)
def test_leaks(sess, leak):
    assert len(warned(lambda: leak(sess))) == 1


def fine_layers(sess):
    """A deep net is built in a loop after the first run, and run many times."""
    x = net = tf.placeholder(tf.float32, [None, 4])
    for _ in range(3 * LIMIT):
        net = tf.layers.dense(net, 4)
    sess.run(tf.global_variables_initializer())
    for _ in range(3 * LIMIT):
        sess.run(net, {x: np.ones([1, 4])})


def fine_loading(sess):
    """Every variable gets its stored value by an operation of its own."""
    variables = [tf.Variable(0.0) for _ in range(3 * LIMIT)]
    for i, v in enumerate(variables):
        sess.run(v.assign(float(i)))


def fine_growth_in_parts(sess):
    """A net that gets another layer, and is trained, a number of times."""
    x = net = tf.placeholder(tf.float32, [None, 4])
    for _ in range(12):
        net = tf.layers.dense(net, 4)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(net))
        sess.run(tf.global_variables_initializer())
        for _ in range(5):
            sess.run([train, net], {x: np.ones([1, 4])})


def fine_fetches(sess):
    """Many signatures, no new operations."""
    values = [tf.constant(i) for i in range(3 * LIMIT)]
    for v in values:
        sess.run(v)
    for _ in range(LIMIT):
        for v in values:
            sess.run([v])


def fine_folds(sess):
    """Cross validation starts again for each part of the data."""
    v = tf.Variable(tf.zeros([2]))
    for _ in range(10):
        sess.run(tf.global_variables_initializer())
        for _ in range(LIMIT):
            sess.run(v)


FINE = [fine_layers, fine_loading, fine_growth_in_parts, fine_fetches, fine_folds]


@pytest.mark.parametrize("program", FINE, ids=lambda f: f.__name__)
def test_normal_programs(sess, program):
    assert not warned(lambda: program(sess))


PROGRAM = """
import warnings
import tfcore as tf
{switch}
with tf.Session() as sess:
    for i in range(100):
        sess.run(tf.ones([2]) * float(i))
"""


@pytest.mark.parametrize("switch, lines", [("", 1), ("warnings.simplefilter('ignore', tf.GraphGrowthWarning)", 0)])
def test_on_standard_error_and_switched_off(switch, lines, tmp_path):
    path = tmp_path / "train.py"
    path.write_text(PROGRAM.format(switch=switch))
    env = {**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(tf.__file__))}
    done = subprocess.run([sys.executable, str(path)], env=env, capture_output=True, text=True, check=True)
    assert done.stderr.count("GraphGrowthWarning: line 7 in <module>") == lines
    assert done.stderr.count("train.py:7") == lines
