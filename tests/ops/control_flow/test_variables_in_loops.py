"""A loop that assigns to a variable reads what it has assigned, as in TensorFlow."""

import functools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.compiler.test_partition_property import DEVICES, place_at_random, results_of_tasks
from tests.compiler.test_property import bits


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
NUMBERS = st.integers(-3, 3)
SIMPLE = st.one_of(
    st.tuples(st.just("add"), VARIABLES, VARIABLES, NUMBERS),
    # Assignments to references: that which a conditional or an index chooses, and the variables of loops, in turn.
    st.tuples(st.just("merged"), VARIABLES, st.integers(-5, 5), NUMBERS),
    st.tuples(st.just("selected"), VARIABLES, st.integers(-5, 5), NUMBERS),
    st.tuples(st.just("in_turn"), st.integers(0, 3), VARIABLES, NUMBERS),
)
STATEMENTS = st.recursive(
    st.lists(SIMPLE, min_size=1, max_size=2),
    lambda block: st.lists(
        st.one_of(
            SIMPLE,
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
        elif kind in ("merged", "selected"):
            variable, limit, number = arguments
            values[int(values[variable] >= limit)] += number
        elif kind == "in_turn":
            count, first, number = arguments
            for i in range(count):
                values[(first + i) % 2] += number + i
            values[(first + count) % 2] += 100
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
    if kind in ("merged", "selected"):
        variable, limit, number = arguments
        smaller = tf.identity(variables[variable]) < limit
        return tf.assign_add(one_of([v._ref() for v in variables], smaller, kind), number).op
    if kind == "in_turn":
        return in_turn(*arguments, [tf.raw_ops.RefIdentity(input=v._ref()) for v in variables])
    if kind == "if":
        variable, limit, smaller, other = arguments
        return tf.cond(
            tf.identity(variables[variable]) < limit,
            functools.partial(then_zero, smaller, variables),
            functools.partial(then_zero, other, variables),
        ).op
    return repeat(arguments[0], arguments[1], variables).op


def one_of(references, first, how):
    """The first reference or the second one."""
    if how == "selected":
        return tf.raw_ops.RefSelect(index=tf.where(first, 0, 1), inputs=references)
    sides = [tf.raw_ops.RefSwitch(data=ref, pred=first)[side] for ref, side in zip(references, (1, 0))]
    return tf.raw_ops.RefMerge(inputs=sides)[0]


def in_turn(count, first, number, references):
    """Adds to the references in turn, which a loop exchanges in each iteration."""

    def body(i, ref, other):
        added = tf.assign_add(ref, number + i)
        with tf.control_dependencies([added]):
            return i + 1, tf.raw_ops.RefIdentity(input=other), added

    start = [tf.identity(0), references[first], references[1 - first]]
    return tf.assign_add(tf.while_loop(lambda i, *_: i < count, body, start)[1], 100).op


def then_zero(block, variables):
    with tf.control_dependencies([build(block, variables)]):
        return tf.constant(0)


def repeat(count, block, variables):
    def body(i):
        with tf.control_dependencies([build(block, variables)]):
            return i + 1

    return tf.while_loop(lambda i: i < count, body, [0], parallel_iterations=1)


def results(program):
    values = [1, 2]
    interpret(program, values)
    return values


@pytest.mark.parametrize("rewritten", [False, True])
@settings(max_examples=100)
@given(program=STATEMENTS, count=st.integers(0, 2))
def test_random_programs(rewritten, program, count):
    if count:
        program = [("repeat", count, program)]
    with tf.Graph().as_default():
        variables = [tf.Variable(1), tf.Variable(2)]
        last = build(program, variables)
        assert run_once(variables, last, 0 if rewritten else -1)[1] == results(program)


# ---- The same over devices and tasks.


def place(graph, data, device):
    """Places operations at random, but the variables, references to which meet, together."""
    place_at_random(graph, data, device)
    first, second = [op for op in graph.get_operations() if op.type == "VariableV2"]
    second._set_device(first.device)


def run_over_devices(last, initializer, variables):
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": DEVICES})) as sess:
        sess.run(initializer)
        sess.run(last, options=tf.RunOptions(timeout_in_ms=20000))
        return bits(sess.run(variables))


def run_over_tasks(last, initializer, variables):
    with tf.control_dependencies([last]):
        done = tf.constant(0)
    return results_of_tasks([done], [{}], initializer, [v._ref() for v in variables], 1)[-1]


@pytest.mark.parametrize(
    "device, run", [("/cpu:{}", run_over_devices), ("/task:{}", run_over_tasks)], ids=["devices", "tasks"]
)
@settings(max_examples=60)
@given(program=STATEMENTS, data=st.data())
def test_random_programs_over(device, run, program, data):
    with tf.Graph().as_default() as graph:
        variables = [tf.Variable(1), tf.Variable(2)]
        last, initializer = build(program, variables), tf.global_variables_initializer()
        place(graph, data, device)
        assert run(last, initializer, variables) == bits(map(np.int32, results(program)))


def test_a_fetched_reference_has_the_value_of_the_end_of_the_step():
    with tf.device("/cpu:1"):
        variables = [tf.Variable(1), tf.Variable(2)]
        first = tf.placeholder(tf.bool, [])
        chosen = [one_of([v._ref() for v in variables], first, how) for how in ("merged", "selected")]
        late = tf.while_loop(lambda i: i < 3000, lambda i: i + 1, [0])
        adds = [variables[0].assign_add(10)]
        with tf.control_dependencies([late]):
            adds.append(variables[1].assign_add(10))
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        for value, expected in ((True, 11), (False, 12)):
            sess.run([v.initializer for v in variables])
            assert sess.run([chosen, adds], {first: value})[0] == [expected] * 2
