"""Where the program leaves it open, reads of a variable come before assignments, and these in order of creation."""

import os
import threading

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.client import slow_kernels
from tests.compiler.test_partition_property import DEVICES, place_at_random
from tfcore.framework.definitions.op_def import define_op

EXAMPLES = int(40 * float(os.environ.get("TFCORE_TEST_EFFORT", 1)))
RUNS = 5
JITTER = r"""
#include <time.h>
#include "tfcore/kernel.h"

static int jitter(tfc_context *ctx) {
  static unsigned state; /* atomic */
  unsigned r = __atomic_add_fetch(&state, 2654435761u, __ATOMIC_RELAXED);
  struct timespec t = {0, (r >> 24) * 1000L};
  nanosleep(&t, NULL);
  return tfc_output_input(ctx, 0, 0);
}

static const tfc_kernel_def kernels[] = {{.op = "TestJitter", .device = "CPU", .types = "", .compute = jitter}};
TFC_REGISTER_KERNELS(kernels);
TFC_LIBRARY;
"""
Jitter = define_op(
    "TestJitter", inputs=["x: float"], outputs=["y: float"], shape=lambda op: [op.inputs[0].dims], stateful=True
)


@pytest.fixture(scope="module", autouse=True)
def jitter(tmp_path_factory):
    slow_kernels.load(tmp_path_factory.mktemp("jitter") / "jitter.c", JITTER)


def run_both_ways(build, resource=False, data=None):
    """What `build`, given a function that makes variables, fetches; and the variables afterwards. Run serially, by two
    threads and, with Hypothesis's `data`, over three devices, from the same initial values; fails if two runs differ.
    """
    seen = []

    def run(threads, devices):
        config = tf.ConfigProto(intra_op_parallelism_threads=threads, device_count={"CPU": devices})
        with tf.Session(config=config) as sess:
            for _ in range(RUNS):
                sess.run(init)
                seen.append((sess.run(fetches), sess.run(values)))
                for signature in sess._signatures.values():
                    signature.plan.dynamic = threads > 1

    with tf.Graph().as_default() as graph:
        made = []

        def variable(value):
            made.append(tf.get_variable(f"v{len(made)}", initializer=np.float32(value), use_resource=resource))
            return made[-1]

        fetches = build(variable)
        values = [v.value() for v in made]
        init = tf.global_variables_initializer()
        run(1, 1)
        run(2, 1)
        if data is not None:
            place_at_random(graph, data, "/cpu:{}")
            run(2, DEVICES)
    for other in seen[1:]:
        assert str(other) == str(seen[0])
    return seen[0]


both_kinds = pytest.mark.parametrize("resource", [False, True])


@both_kinds
def test_an_update_uses_values_of_before_the_step(resource):
    """The optimizer of BERT updates the global step beside the weights."""

    def build(variable):
        w, step = variable(1.0), variable(2.0)
        counted = step.assign(Jitter(step + 1.0))
        learnt = w.assign(w - Jitter(step * 10.0))
        return [tf.group(counted, learnt)]

    assert run_both_ways(build, resource=resource)[1] == [-19.0, 3.0]


@both_kinds
def test_assignments_run_in_the_order_of_their_creation(resource):
    def build(variable):
        v = variable(0.0)
        first = v.assign(Jitter(tf.constant(1.0)))
        second = v.assign_add(3.0)
        with tf.control_dependencies([first, second]):
            return [tf.no_op(), Jitter(v.value()) if not resource else Jitter(v.read_value())]

    assert run_both_ways(build, resource=resource)[1] == [4.0]


@both_kinds
def test_paths_of_the_program_count_more(resource):
    def build(variable):
        v = variable(1.0)
        with tf.control_dependencies([v.assign(Jitter(tf.constant(5.0)))]):
            after = v.read_value() * 1.0
        with tf.control_dependencies([v.assign_add(1.0)]):
            later = v.read_value() * 1.0
        return [after, later]

    assert run_both_ways(build, resource=resource) == ([5.0, 6.0], [6.0])


@both_kinds
def test_what_a_cycle_forbids_stays_open(resource):
    """Each read follows the assignment to the other variable: the first pair of the program is put in order."""

    def build(variable):
        a, b = variable(1.0), variable(2.0)
        assign_a, assign_b = a.assign(Jitter(tf.constant(10.0))), b.assign(Jitter(tf.constant(20.0)))
        with tf.control_dependencies([assign_b]):
            read_a = a.read_value() * 1.0
        with tf.control_dependencies([assign_a]):
            read_b = b.read_value() * 1.0
        return [read_a, read_b]

    results, variables = run_both_ways(build, resource=resource)
    assert variables == [10.0, 20.0] and results in ([1.0, 20.0], [10.0, 2.0])


@both_kinds
@pytest.mark.parametrize("taken", [False, True])
def test_branches(taken, resource):
    """A read that does not run is not waited for, and an assignment in a branch waits."""

    def build(variable):
        v, u = variable(1.0), variable(2.0)
        pred = tf.placeholder_with_default(taken, [])
        read = tf.cond(pred, lambda: Jitter(v.read_value() * 1.0), lambda: tf.constant(7.0))
        assigned = tf.cond(pred, lambda: u.assign(9.0) * 1.0, lambda: tf.constant(8.0))
        return [read, assigned, v.assign_add(1.0), Jitter(u.read_value() * 1.0)]

    expected = ([1.0, 9.0, 2.0, 2.0], [2.0, 9.0]) if taken else ([7.0, 8.0, 2.0, 2.0], [2.0, 2.0])
    results, variables = run_both_ways(build, resource=resource)
    assert (results[:2] + [1.0 * results[2]] + results[3:], variables) == expected


@both_kinds
def test_loops_count_as_a_whole(resource):
    def build(variable):
        v, u = variable(1.0), variable(10.0)

        def body(i, total):
            return i + 1, total + v.assign_add(1.0) + Jitter(u.read_value() * 1.0)

        before = Jitter(v.read_value() * 1.0)
        loop = tf.while_loop(lambda i, _: i < 3, body, [0, 0.0], parallel_iterations=1)
        return [loop[1], before, u.assign(0.0)]

    results, variables = run_both_ways(build, resource=resource)
    assert (results[:2], variables) == ([9.0 + 30.0, 1.0], [4.0, 0.0])


def test_iterations_that_are_not_parallel_are_ordered():
    """With parallel iterations, this loop has another result in nearly every run."""
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(0.0)

        def body(i, seen):
            with tf.control_dependencies([Jitter(tf.cast(i, tf.float32))]):
                read = v.read_value()
            return i + 1, seen.write(i, read + 0.0 * v.assign_add(1.0))

        array = tf.TensorArray(tf.float32, 8)
        seen = tf.while_loop(lambda i, _: i < 8, body, [0, array], parallel_iterations=1)[1].stack()
        for _ in range(20):
            sess.run(v.initializer)
            assert sess.run(seen).tolist() == list(range(8))


step = st.one_of(
    st.tuples(st.just("read"), st.integers(0, 2)),
    st.tuples(st.sampled_from(["assign", "assign_add", "assign_sub"]), st.integers(0, 2), st.integers(0, 99)),
    st.tuples(st.just("combine"), st.integers(0, 99), st.integers(0, 99)),
)


@settings(max_examples=EXAMPLES)
@given(st.lists(st.tuples(step, st.none() | st.integers(0, 99)), min_size=2, max_size=14), st.booleans(), st.data())
def test_random_programs_have_one_result(program, resource, data):
    def build(variable):
        variables = [variable(float(i + 1)) for i in range(3)]
        values, ops = [tf.constant(1.0)], [tf.no_op()]
        for (kind, *operands), after in program:
            with tf.control_dependencies([] if after is None else [ops[after % len(ops)]]):
                if kind == "read":
                    value = variables[operands[0]].read_value() * 2.0
                elif kind == "combine":
                    value = values[operands[0] % len(values)] - values[operands[1] % len(values)] / 2.0
                else:
                    update = getattr(variables[operands[0]], kind)(Jitter(values[operands[1] % len(values)]))
                    ops.append(update.op)
                    continue
                values.append(Jitter(value))
                ops.append(values[-1].op)
        return [*values[1:], *ops]

    run_both_ways(build, resource, data)


@pytest.mark.parametrize("first", ["read", "assign"])
def test_an_order_that_a_queue_contradicts_is_left_open(first):
    """No path shows that the dequeue waits for the enqueue, which follows the assignment."""
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", initializer=0)
        queue = tf.FIFOQueue(10, tf.int32)
        if first == "assign":
            with tf.control_dependencies([queue.dequeue()]):
                later = v.assign(9)
        with tf.control_dependencies([v.assign(7)]):
            enqueue = queue.enqueue(1)
        if first == "read":
            with tf.control_dependencies([queue.dequeue()]):
                later = v.read_value()
        sess.run(v.initializer)
        assert sess.run([later, enqueue], options=tf.RunOptions(timeout_in_ms=60_000))[0] in (7, 9)
        assert sess.run(v) == (7 if first == "read" else 9)


def test_functions_may_wait_for_each_other_across_accesses():
    assigned = threading.Event()
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", initializer=np.int64(0))
        with tf.control_dependencies([v.assign(7)]):
            signal = tf.py_func(lambda: assigned.set() or np.int64(1), [], tf.int64)
        with tf.control_dependencies([tf.py_func(lambda: np.int64(assigned.wait(60)), [], tf.int64)]):
            read = v.read_value()
        sess.run(v.initializer)
        assert sess.run([read, signal]) == [7, 1]


def test_references_to_queues_are_not_variables():
    with tf.Graph().as_default(), tf.Session() as sess:
        queue = tf.raw_ops.FIFOQueue(component_types=[tf.float32], shapes=[[]], capacity=3)
        taken = tf.raw_ops.QueueDequeue(handle=queue, component_types=[tf.float32])  # created first
        put = tf.raw_ops.QueueEnqueue(handle=queue, components=[1.0])
        assert sess.run([taken, put], options=tf.RunOptions(timeout_in_ms=60_000)) == [[1.0], None]


def test_a_partial_run_accesses_variables_as_they_are_fed():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.get_variable("v", initializer=[3.0, 4.0])
        index, summand = tf.placeholder(tf.int32, []), tf.placeholder(tf.float32, [2])
        scattered = tf.scatter_add(v, index, 10.0)
        read = tf.raw_ops.Gather(params=v._ref(), indices=index)
        added = tf.assign_add(v, summand) * 2.0
        sess.run(v.initializer)
        run = sess.partial_run_setup([added, scattered, read], [index, summand])
        assert sess.partial_run(run, added, {summand: [1.0, 1.0]}).tolist() == [8.0, 10.0]
        assert sess.partial_run(run, scattered, {index: 1}).tolist() == [4.0, 15.0]


def controls_of(make):
    """The control edges of the program that runs what `make` makes."""
    with tf.Graph().as_default(), tf.Session() as sess:
        ops = make(tf.get_variable("v", initializer=0.0))
        program = sess._compiler.program([], [], [tf.group(*ops)])
        return sum(len(node.controls) for node in program.nodes if node.type != "NoOp")


def test_edges_grow_with_the_accesses():
    """Not with their pairs."""
    assert controls_of(lambda v: [v.assign_add(1.0) for _ in range(300)]) < 310
    assert controls_of(lambda v: [v.read_value() * i for i in range(300)] + [v.assign(1.0), v.assign(2.0)]) < 310


def test_loops_after_one_another():
    """Each loop assigns to the variable. As a whole it comes before the next one."""

    def build(variable):
        v = variable(1.0)

        def loop(factor):
            return tf.while_loop(
                lambda i: i < 2, lambda i: i + tf.cast(v.assign(v * factor + 1.0) > -9.0, tf.int32), [0]
            )

        return [loop(float(i)) for i in range(12)] + [Jitter(v.read_value() * 1.0)]

    results, _ = run_both_ways(build)
    assert results[-1] == 1.0


def test_loops_that_take_values_of_variables_and_assign_to_them():
    """All Enters of the loop wait for both reads, also the two Enters that read."""
    with tf.Graph().as_default(), tf.Session() as session:
        v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])

        def body(i, x, y):
            return i + 1, x + v.assign_add([1.0, 1.0]), y * w.assign_add([2.0, 2.0])

        def loop():
            return tf.while_loop(lambda i, *_: i < 3, body, [0, v, w], parallel_iterations=1)

        flat = loop()
        nested = tf.while_loop(lambda n, _: n < 2, lambda n, _: (n + 1, loop()[1]), [0, v], parallel_iterations=1)
        for _ in range(RUNS):
            session.run(tf.global_variables_initializer())
            _, x, y = session.run(flat)
            assert x.tolist() == [1 + 2 + 3 + 4, 2 + 3 + 4 + 5] and y.tolist() == [3 * 5 * 7 * 9, 4 * 6 * 8 * 10]
            session.run(tf.global_variables_initializer())
            assert session.run(nested)[1].tolist() == [4 + 5 + 6 + 7, 5 + 6 + 7 + 8]
