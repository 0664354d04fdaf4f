"""Which gates the compiler opens, and which it must keep."""

import numpy as np
import pytest

import tfcore as tf
from tests.compiler.plans import GATES, REWRITES, plan_of, session, types_of

pytestmark = pytest.mark.cpu


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def types(fetch):
    with session(GATES) as on, session() as off:
        for s in (on, off):
            s.run(tf.global_variables_initializer())
        return types_of(plan_of(on, fetch)), types_of(plan_of(off, fetch))


def network(gate):
    """A network whose plan does not depend on gates: types of a training step."""
    with tf.Graph().as_default() as graph:
        x = tf.constant(np.ones((4, 3), np.float32))
        labels = tf.constant([0, 1, 0, 1])
        layer = tf.layers.dense(x, 5, tf.nn.relu, kernel_initializer=tf.ones_initializer())
        logits = tf.layers.dense(layer, 2, kernel_initializer=tf.ones_initializer())
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        train = tf.train.AdamOptimizer().minimize(loss, gate_gradients=gate)
        with session(*REWRITES, graph=graph) as s:
            s.run(tf.global_variables_initializer())
            return types_of(plan_of(s, [loss, train]))


def test_gates_of_gradients_leave_no_trace():
    optimizer = tf.train.Optimizer
    plain = network(optimizer.GATE_NONE)
    assert network(optimizer.GATE_OP) == plain
    assert network(optimizer.GATE_GRAPH) == plain


def test_other_control_dependencies_stay():
    x = tf.constant(2.0)
    with tf.control_dependencies([tf.group(tf.exp(x), tf.sin(x))]):
        y = tf.identity(x)
    on, off = types(y)
    assert on == off and "Exp" in on


def test_what_is_only_computed_for_a_gate_is_dropped():
    x = tf.constant(2.0)
    y, _ = tf.tuple([tf.negative(x), tf.exp(x)])
    assert types(y) == (["Const", "Neg", "Identity"], ["Const", "Neg", "Exp", "NoOp", "Identity"])


def test_targets_keep_what_they_wait_for():
    x = tf.constant(2.0)
    y, _ = tf.tuple([tf.negative(x), tf.exp(x)])
    on, off = types(y.op)
    assert on == off and "Exp" in on


def test_effects_stay():
    v = tf.Variable(1.0)
    y, _ = tf.tuple([tf.constant(2.0), tf.negative(tf.assign_add(v, 1.0))])
    on, off = types(y)
    assert on == off and "AssignAdd" in on


@pytest.mark.parametrize("value", [0.0, 1.0])
def test_checks_stay(value):
    x = tf.placeholder(tf.float32, [])
    y, _ = tf.tuple([tf.identity(x), tf.negative(tf.check_numerics(1.0 / x, "quotient"))])
    with session(*REWRITES) as s:
        if value:
            assert s.run(y, {x: value}) == value
        else:
            with pytest.raises(tf.errors.InvalidArgumentError, match="quotient"):
                s.run(y, {x: value})


def test_who_waits_for_a_placeholder_needs_its_value():
    x = tf.placeholder(tf.float32, [], name="x")
    y, _ = tf.tuple([tf.constant(1.0), tf.exp(x)])
    with session(*REWRITES) as s, pytest.raises(tf.errors.InvalidArgumentError, match="placeholder tensor 'x'"):
        s.run(y)


def test_writers_wait_for_readers():
    v = tf.Variable(1.0)
    new, old = tf.tuple([tf.constant(5.0), tf.exp(v.read_value())])
    on, off = types([old, tf.assign(v, new)])
    assert "NoOp" in on and "NoOp" in off


def test_reads_need_no_order_where_nobody_writes():
    v = tf.Variable(1.0)
    y, _ = tf.tuple([tf.constant(2.0), tf.exp(v)])
    assert types(y)[0] == ["Const", "Identity"]


def test_a_writer_that_has_the_readers_value_does_not_wait_again():
    v = tf.Variable(1.0)
    old = v.read_value()
    new, _ = tf.tuple([tf.sin(old), tf.exp(old)])
    on, off = types(tf.assign(v, new))
    assert "Exp" in off and "Exp" not in on
