"""Stacks: order, types, errors, memory, and swapping under a memory limit."""

import os
import threading

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats, set_memory_limit, trim_memory

import tfcore as tf
from tfcore.framework.definitions.op_def import get_op_def

RAW = {name: get_op_def(name) for name in ("StackV2", "StackPushV2", "StackPopV2", "StackCloseV2")}


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def new(dtype, max_size=-1, **kwargs):
    return RAW["StackV2"](max_size, elem_type=dtype, **kwargs)


def push_all(handle, values, swap_memory=False):
    """Pushes the values in order; the last operation."""
    last = []
    for value in values:
        with tf.control_dependencies(last):
            last = [RAW["StackPushV2"](handle, value, swap_memory=swap_memory).op]
    return last


def pop_all(handle, dtype, count, after):
    popped = []
    for _ in range(count):
        with tf.control_dependencies(after):
            popped.append(RAW["StackPopV2"](handle, elem_type=dtype))
        after = [popped[-1].op]
    return popped


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64, tf.int32, tf.bool, tf.bfloat16, tf.complex64, tf.string])
def test_values_come_back_in_reverse_order(sess, dtype):
    numbers = [np.arange(n).reshape(shape) for n, shape in ((0, (0, 3)), (1, ()), (6, (2, 3)), (40, (40,)))]
    values = [n.astype(str).astype(object) if dtype is tf.string else n.astype(dtype.as_numpy_dtype) for n in numbers]
    fed = [tf.placeholder(dtype, n.shape) for n in numbers]
    handle = new(dtype)
    popped = pop_all(handle, dtype, 4, push_all(handle, [tf.identity(x) for x in fed]))
    for got, expected in zip(sess.run(popped, dict(zip(fed, values))), values[::-1]):
        assert np.shape(got) == expected.shape
        if dtype is tf.string:
            expected = np.vectorize(lambda s: s.encode(), otypes=[object])(expected)
        np.testing.assert_array_equal(got, expected)


def test_a_stack_is_new_in_each_step_and_gone_after_it(sess):
    handle = new(tf.float32)
    x = tf.placeholder(tf.float32, [None])
    last = push_all(handle, [x * 2, x * 3])
    one = pop_all(handle, tf.float32, 1, last)[0]  # the other stays on the stack
    before = None
    for _ in range(4):
        np.testing.assert_array_equal(sess.run(one, {x: np.ones(1 << 16)}), np.full(1 << 16, 3))
        used = memory_stats()["bytes_in_use"]
        assert before is None or used == before
        before = used


@pytest.mark.cpu
def test_a_push_shares_memory(sess):
    handle = new(tf.float32)
    x = tf.identity(tf.placeholder(tf.float32, [None], name="x")) + 1
    y = pop_all(handle, tf.float32, 1, push_all(handle, [x]))[0]
    sess.run(y, {"x:0": np.zeros(4)})
    options, metadata = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), tf.RunMetadata()
    sess.run(y, {"x:0": np.zeros(1 << 20)}, options=options, run_metadata=metadata)
    assert memory_stats()["peak_bytes_in_use"] >= 4 << 20
    stats = [n for d in metadata.step_stats.dev_stats for n in d.node_stats if n.node_name.startswith("StackP")]
    assert {n.node_name for n in stats} == {"StackPushV2", "StackPopV2"}


def test_errors(sess):
    x = tf.constant([1.0])
    full = new(tf.float32, 1, stack_name="few")
    closed = new(tf.float32)
    close = RAW["StackCloseV2"](closed)
    with tf.control_dependencies([close]):
        late = RAW["StackPushV2"](closed, x)
        late_pop = RAW["StackPopV2"](closed, elem_type=tf.float32)
    other = tf.placeholder(tf.int32)
    for op, text in (
        (push_all(full, [x, x])[0], r"Stack\[few_\d+\] overflowed its max_size \(1\)"),
        (late, r"Stack\[StackV2_1_\d+\] has already been closed\."),
        (late_pop, r"Stack\[StackV2_1_\d+\] has already been closed\."),
        (pop_all(new(tf.float32), tf.float32, 1, [])[0], r"Stack\[StackV2_2_\d+\] is empty when calling Pop\(\)\."),
        (push_all(new(tf.float32), [1])[0], "Must have type float but got int32"),
        (pop_all(new(tf.float32), tf.int32, 1, [])[0], "Must have type float but got int32"),
        (new(tf.float32, other), r"Stack size must be a scalar, but had shape: \[2\]"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            sess.run(op if isinstance(op, tf.Operation) else op.op, {other: [1, 2]})
    with pytest.raises(ValueError, match="Shape must be rank 0 but is rank 1"):
        new(tf.float32, [1])


def test_stacks_of_tensorflow_1_0(sess):
    handle = tf.raw_ops.Stack(elem_type=tf.float32, stack_name="old")
    assert handle.dtype._is_ref_dtype
    first = tf.raw_ops.StackPush(handle=handle, elem=tf.constant(1.0))
    with tf.control_dependencies([first]):
        second = tf.raw_ops.StackPush(handle=handle, elem=tf.constant([2.0, 3.0]))
    with tf.control_dependencies([second]):
        pop = tf.raw_ops.StackPop(handle=handle, elem_type=tf.float32)
    with tf.control_dependencies([pop]):
        again = tf.raw_ops.StackPop(handle=handle, elem_type=tf.float32)
    with tf.control_dependencies([again]):
        close = tf.raw_ops.StackClose(handle=handle)
    got = sess.run([pop, again, close])
    np.testing.assert_array_equal(got[0], [2, 3])
    assert got[1] == 1
    with tf.control_dependencies([close]):
        late = tf.raw_ops.StackPop(handle=handle, elem_type=tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Stack\[old_\d+\] has already been closed"):
        sess.run(late)


def test_what_nothing_pops_is_not_pushed(sess):
    calls = []

    def seen(x):
        calls.append(1)
        return x

    value = tf.py_func(seen, [tf.constant(1.0)], tf.float32, stateful=False)
    handle = new(tf.float32)
    push = RAW["StackPushV2"](handle, value)
    with tf.control_dependencies([push]):
        y = tf.constant(2.0) + 1
    assert sess.run(y) == 3 and not calls
    assert sess.run(push) == 1 and len(calls) == 1
    with tf.control_dependencies([y]):
        pop = RAW["StackPopV2"](handle, elem_type=tf.float32)
    assert sess.run(pop) == 1 and len(calls) == 2


def test_steps_at_the_same_time_have_stacks_of_their_own(sess):
    x = tf.placeholder(tf.float32, [])
    handle = new(tf.float32)
    values = [x + i for i in range(20)]
    popped = pop_all(handle, tf.float32, 20, push_all(handle, values))
    wrong = []

    def run(start):
        for i in range(50):
            got = sess.run(popped, {x: start + i})
            if got != [start + i + k for k in reversed(range(20))]:
                wrong.append(got)

    threads = [threading.Thread(target=run, args=(1000 * t,)) for t in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong


def test_many_pushes_at_the_same_time(sess):
    x = tf.placeholder(tf.int32, [])
    handle = new(tf.int32)
    pushes = [RAW["StackPushV2"](handle, x + i) for i in range(200)]
    popped = pop_all(handle, tf.int32, 200, pushes)
    assert sorted(sess.run(popped, {x: 5})) == list(range(5, 205))


@pytest.fixture
def limited():
    """Sets a limit some bytes above what is reserved."""

    def limit(more):
        trim_memory()
        set_memory_limit(memory_stats()["bytes_reserved"] + more)

    yield limit
    set_memory_limit(0)


def saved_and_summed(swap_memory):
    """Pushes 24 values of 1 MB and then sums up what is popped."""
    x = tf.placeholder(tf.float32, [1 << 18], name="x")
    handle = new(tf.float32)
    last, total = [], tf.constant(0.0)
    for i in range(24):
        with tf.control_dependencies(last):
            last = [RAW["StackPushV2"](handle, x * (i + 1), swap_memory=swap_memory).op]
    weight = 1.0
    for _ in range(24):
        with tf.control_dependencies(last):
            pop = RAW["StackPopV2"](handle, elem_type=tf.float32)
        last = [pop.op]
        total += weight * tf.reduce_sum(pop[:1000])
        weight *= 0.5
    return x, total


@pytest.mark.cpu
def test_swapping_under_a_memory_limit(limited):
    ones = np.ones(1 << 18, np.float32)
    results = {}
    for swap_memory in (False, True):
        with tf.Graph().as_default(), tf.Session() as sess:
            x, total = saved_and_summed(swap_memory)
            results[swap_memory] = sess.run(total, {x: ones})
            limited(12 << 20)
            if swap_memory:
                for _ in range(3):
                    assert sess.run(total, {x: ones}) == results[False]
            else:
                with pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating"):
                    sess.run(total, {x: ones})
            set_memory_limit(0)
    assert results[True] == results[False]


def run_out_of_memory():
    """Makes 10 MB of tensors where there is no memory left; kernels that can give some back have to."""
    set_memory_limit(1 << 40)
    trim_memory()
    set_memory_limit(memory_stats()["bytes_reserved"])
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [])
        sess.run(tf.reduce_sum(tf.fill([10 << 18], x)), {x: 1.0})


def in_child(ready, work):
    """Forks; the child waits for a byte in the pipe `ready`."""
    child = os.fork()
    if not child:
        status = 1
        try:
            os.read(ready, 1)
            work()
            status = 0
        finally:
            os._exit(status)
    return child


@pytest.mark.cpu
def test_a_child_leaves_the_swapped_values_of_its_parent_alone(sess, limited):
    shape = [16 << 18]
    first, second, third = fed = [tf.placeholder(tf.float32, shape) for _ in range(3)]
    handle = new(tf.float32)
    push_first, push_second, push_third = (
        RAW["StackPushV2"](handle, -x, swap_memory=True) for x in (first, second, third)
    )
    pop_second, pop_third = (RAW["StackPopV2"](handle, elem_type=tf.float32) for _ in range(2))
    step = sess.partial_run_setup([push_first, push_second, pop_second, push_third, pop_third], fed)

    def push(op, x, number):
        sess.partial_run(step, op, {x: np.full(shape, number, np.float32)})

    push(push_first, first, 1)
    run_out_of_memory()  # the first value is in the file when the process forks, the second in memory
    set_memory_limit(0)
    push(push_second, second, 2)
    ready, go = os.pipe()

    def child_runs_out_of_memory():
        with pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating"):
            run_out_of_memory()

    child = in_child(ready, child_runs_out_of_memory)
    assert (sess.partial_run(step, pop_second) == -2).all()
    push(push_third, third, 3)
    run_out_of_memory()
    os.write(go, b"!")
    os.close(ready)
    os.close(go)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    set_memory_limit(0)
    assert (sess.partial_run(step, pop_third) == -3).all()
    assert status == 0


def test_swapped_values_of_several_stacks_and_sizes(limited):
    rng = np.random.default_rng(0)
    values = [rng.standard_normal(n) for n in (10, 90_000, 400, 200_000, 0, 150_000, 1, 300_000, 120_000)]
    with tf.Graph().as_default(), tf.Session() as sess:
        fed = [tf.placeholder(tf.float64, v.shape) for v in values]
        handles = [new(tf.float64) for _ in range(3)]
        last = []
        for handle in handles:
            for x in fed:
                with tf.control_dependencies(last):
                    last = [RAW["StackPushV2"](handle, -x, swap_memory=True).op]
        sums = []
        for handle in handles:
            for _ in values:
                with tf.control_dependencies(last):
                    pop = RAW["StackPopV2"](handle, elem_type=tf.float64)
                    sums.append(tf.reduce_sum(pop * pop))
                last = [sums[-1].op]
        feeds = dict(zip(fed, values))
        expected = sess.run(sums, feeds)
        limited(10 << 20)
        assert sess.run(sums, feeds) == expected
    np.testing.assert_allclose(expected[: len(values)], [np.sum(v * v) for v in values[::-1]])
