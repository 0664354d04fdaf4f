"""A loop that assigns to a variable reads what it has assigned, as in TensorFlow."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run_once(variables, fetches, level=0):
    """The values of the fetches after one step at an optimization level, and those of the variables."""
    options = tf.GraphOptions(optimizer_options=tf.OptimizerOptions(opt_level=level))
    with tf.Session(config=tf.ConfigProto(graph_options=options)) as sess:
        sess.run([v.initializer for v in variables])
        result = sess.run(fetches, options=tf.RunOptions(timeout_in_ms=20000))
        return result, sess.run(variables)


def test_a_loop_ends_by_what_it_assigns():
    a, b = tf.Variable(0), tf.Variable(0)

    def body(_):
        with tf.control_dependencies([tf.assign_add(a, 1), tf.assign_add(b, 1)]):
            return tf.identity(b)

    loop = tf.while_loop(lambda _: tf.less(b, 10), body, [b], parallel_iterations=1)
    assert run_once([a, b], loop) == (10, [10, 10])


def test_a_reference_is_the_next_value_of_a_loop_variable():
    v = tf.Variable([3.0, 4.0, 5.0])
    _, loop = tf.while_loop(
        lambda j, _: j < 3,
        lambda j, _: [j + 1, tf.scatter_update(v, j, 10.0)],
        [0, tf.identity(v)],
        parallel_iterations=1,
    )
    result, (after,) = run_once([v], loop)
    np.testing.assert_array_equal(result, [10.0, 10.0, 10.0])
    np.testing.assert_array_equal(after, result)


@pytest.mark.parametrize("read", [lambda v: v * 1.0, lambda v: v.read_value()], ids=["implicit", "read_value"])
def test_an_iteration_adds_to_the_sum_of_the_last_one(read):
    v = tf.Variable(1.0)

    def body(i):
        with tf.control_dependencies([v.assign_add(read(v))]):
            return i + 1

    assert run_once([v], tf.while_loop(lambda i: i < 3, body, [0], parallel_iterations=1)) == (3, [8.0])


# ---- Random programs of assignments, conditionals and loops, against an interpreter. Each statement waits for the one
# before it, so that there is one right result.

VARIABLES = st.integers(0, 1)
STATEMENTS = st.recursive(
    st.lists(st.tuples(st.just("add"), VARIABLES, VARIABLES, st.integers(-3, 3)), min_size=1, max_size=2),
    lambda block: st.lists(
        st.one_of(
            st.tuples(st.just("add"), VARIABLES, VARIABLES, st.integers(-3, 3)),
            st.tuples(st.just("if"), VARIABLES, st.integers(-5, 5), block, block),
            st.tuples(st.just("repeat"), st.integers(0, 3), block),
        ),
        min_size=1,
        max_size=3,
    ),
    max_leaves=4,
)


def interpret(block, values):
    for kind, *arguments in block:
        if kind == "add":
            target, source, number = arguments
            values[target] = (values[target] + values[source] + number) % 1000
        elif kind == "if":
            variable, limit, smaller, other = arguments
            interpret(smaller if values[variable] < limit else other, values)
        else:
            count, body = arguments
            for _ in range(count):
                interpret(body, values)


def build(block, variables, before=()):
    """Builds a block whose first statement waits for the operations `before`; returns its last operation."""
    for kind, *arguments in block:
        with tf.control_dependencies(before):
            before = [build_statement(kind, arguments, variables)]
    return before[0]


def build_statement(kind, arguments, variables):
    if kind == "add":
        target, source, number = arguments
        total = tf.identity(variables[target]) + tf.identity(variables[source]) + number
        return tf.assign(variables[target], tf.floormod(total, 1000)).op
    if kind == "if":
        variable, limit, smaller, other = arguments
        return tf.cond(
            tf.identity(variables[variable]) < limit,
            functools.partial(then_zero, smaller, variables),
            functools.partial(then_zero, other, variables),
        ).op
    return repeat(arguments[0], arguments[1], variables).op


def then_zero(block, variables):
    with tf.control_dependencies([build(block, variables)]):
        return tf.constant(0)


def repeat(count, block, variables):
    def body(i):
        with tf.control_dependencies([build(block, variables)]):
            return i + 1

    return tf.while_loop(lambda i: i < count, body, [0], parallel_iterations=1)


@settings(max_examples=150)
@pytest.mark.parametrize("level", [-1, 0])
@given(program=STATEMENTS, count=st.integers(1, 2))
def test_random_programs(level, program, count):
    values = [1, 2]
    interpret([("repeat", count, program)], values)
    with tf.Graph().as_default():
        variables = [tf.Variable(1), tf.Variable(2)]
        assert run_once(variables, repeat(count, program, variables), level) == (count, values)
