"""Strict broadcasting: what is refused when the graph is built, when it runs, and what is not."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def place(shape):
    return tf.placeholder(tf.float32, shape)


def test_the_classic_loss_is_refused_with_shapes_op_and_line():
    labels, predictions = place([None]), place([None, 1])
    assert (labels - predictions).shape.as_list() == [None, None]
    with tf.strict_broadcasting(), pytest.raises(ValueError) as caught:
        tf.subtract(labels, predictions, name="error")
    text = str(caught.value)
    assert "Strict broadcasting: operands of ranks 1 and 2 would both be repeated for 'error' (op: 'Sub')" in text
    assert "with input shapes: [?], [?,1]" in text
    assert f"{__file__}:" in text and "in test_the_classic" in text


REFUSED = [
    ((3,), (3, 1)),
    ((3, 1), (4,)),
    ((None, 1), (4,)),
    ((2, 1, 4), (3, 4)),
    ((1, 5, 1), (2, 1, 1, 5)),
    ((5,), (2, 3, 1)),
]
ALLOWED = [
    ((3, 4), (4,)),
    ((3, 1), (1, 4)),
    ((3,), ()),
    ((), (3, 1)),
    ((1,), (3, 1)),
    ((3,), (1, 1)),
    ((2, 3, 4), (3, 1)),
    ((1, 1), (1,)),
    ((3,), (3,)),
]


@pytest.mark.parametrize("a, b", REFUSED, ids=str)
def test_refused(a, b):
    for x, y in ((a, b), (b, a)):
        for function in (tf.add, tf.multiply, tf.squared_difference, tf.maximum, tf.equal, tf.less, tf.pow, tf.atan2):
            with tf.strict_broadcasting(), pytest.raises(ValueError, match="Strict broadcasting"):
                function(place(x), place(y))
            assert function(place(x), place(y)).shape.ndims == max(len(a), len(b))


@pytest.mark.parametrize("a, b", ALLOWED, ids=str)
def test_allowed(a, b):
    with tf.strict_broadcasting(), tf.Session() as sess:
        for x, y in ((a, b), (b, a)):
            known = place(x) + place(y)
            unknown, feeds = [place(None), place(None)], [np.ones(x), np.ones(y)]
            assert known.shape.is_compatible_with(sess.run(unknown[0] + unknown[1], dict(zip(unknown, feeds))).shape)


def test_runs_refuse_what_static_shapes_left_open():
    with tf.strict_broadcasting():
        x, y, z = place(None), place([None, None]), place([None])
        outputs = [tf.add(x, x, name="same"), tf.subtract(x, y, name="first"), tf.multiply(y, z, name="second")]
    free = x * y
    good, bad = np.ones([3, 4], np.float32), np.ones([3, 1], np.float32)
    with tf.Session() as sess:
        assert sess.run(outputs, {x: good, y: good, z: good[0]})[2].shape == (3, 4)
        for output, feeds in ((outputs[1], {x: good[0], y: bad}), (outputs[2], {y: bad, z: good[0]})):
            with pytest.raises(tf.errors.InvalidArgumentError) as caught:
                sess.run(output, feeds)
            assert (
                "operands of shapes" in str(caught.value)
                and "[4]" in str(caught.value)
                and "[3,1]" in str(caught.value)
            )
            assert caught.value.op is output.op
            assert f"node {output.op.name} " in str(caught.value) and f"{__file__}:" in str(caught.value)
        assert sess.run(free, {x: good[0], y: bad}).shape == (3, 4)
        assert sess.run(outputs[1], {x: good[0], y: bad[:1]}).shape == (1, 4)


shapes = st.lists(st.sampled_from([1, 1, 2, 3]), max_size=3).map(tuple)


@given(shapes, shapes, st.data())
def test_building_and_running_agree(a, b, data):
    """An operand is repeated if it has fewer elements than the result."""
    try:
        result = np.broadcast_shapes(a, b)
    except ValueError:
        return
    repeated = [np.prod(s, dtype=int) < np.prod(result, dtype=int) for s in (a, b)]
    refused = all(repeated) and len(a) != len(b) and bool(a) and bool(b)
    hidden = [tuple(None if data.draw(st.booleans()) else d for d in s) for s in (a, b)]
    with tf.Graph().as_default(), tf.strict_broadcasting():
        for static in [(a, b), (None, None), (a, None)]:
            assert is_refused(static, (a, b)) == refused
        # Sizes that are unknown count as different from 1, so more is refused than must be.
        assert is_refused(hidden, (a, b)) or not refused


def is_refused(static, shapes):
    x, y = place(static[0]), place(static[1])
    try:
        total = x + y
    except ValueError:
        return True
    with tf.Session() as sess:
        try:
            sess.run(total, {x: np.ones(shapes[0]), y: np.ones(shapes[1])})
        except tf.errors.InvalidArgumentError:
            return True
    return False


def both():
    return place([3]) + place([3, 1])


def test_switches():
    both()
    tf.enable_strict_broadcasting()
    try:
        with pytest.raises(ValueError):
            both()
        with tf.strict_broadcasting(False):
            both()
            with tf.strict_broadcasting(), pytest.raises(ValueError):
                both()
            both()
        with pytest.raises(ValueError):
            both()
        assert in_thread(both) is ValueError
    finally:
        tf.disable_strict_broadcasting()
    both()
    with tf.strict_broadcasting():  # scopes belong to their thread
        assert in_thread(both) is None


def in_thread(function):
    caught, graph = [], tf.get_default_graph()

    def call():
        try:
            with graph.as_default():
                function()
            caught.append(None)
        except Exception as error:
            caught.append(type(error))

    thread = threading.Thread(target=call)
    thread.start()
    thread.join(60)
    return caught[0]


def test_environment_variable():
    program = "import tfcore as tf; tf.placeholder(tf.float32, [3]) + tf.placeholder(tf.float32, [3, 1])"
    for value, code in (("1", 1), ("0", 0)):
        done = subprocess.run(
            [sys.executable, "-c", program],
            env={**os.environ, "TFCORE_STRICT_BROADCASTING": value},
            capture_output=True,
            text=True,
        )
        assert done.returncode == code and ("Strict broadcasting" in done.stderr) == bool(code)


def test_training_works_in_strict_mode():
    with tf.strict_broadcasting():
        x, y = place([None, 4]), place([None])
        w, b = tf.Variable(tf.ones([4, 1])), tf.Variable(tf.zeros([1]))
        loss = tf.reduce_mean(tf.square(tf.squeeze(tf.matmul(x, w) + b, 1) - y))
        train = [tf.train.AdamOptimizer(0.1).minimize(loss), tf.train.MomentumOptimizer(0.1, 0.9).minimize(loss)]
        init = tf.global_variables_initializer()
    with tf.Session() as sess:
        sess.run(init)
        first, *_, last = [sess.run([loss, *train], {x: np.eye(4), y: np.zeros(4)})[0] for _ in range(20)]
    assert last < first
