"""Frames, iterations and dead tokens: graphs of the primitives, made by hand."""

import gc
import threading
import time

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats, set_num_threads

import tfcore as tf
from tests.threads import assert_closing_ends

ops = tf.raw_ops


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def loop(cond, body, inits, name="loop", parallel=10, constants=()):
    """The graph of a while loop: body and cond get the lists of variables and constants."""
    enter = {"frame_name": name, "parallel_iterations": parallel}
    entered = [ops.Enter(data=x, **enter) for x in inits]
    fixed = [ops.Enter(data=x, is_constant=True, **enter) for x in constants]
    merged = [ops.Merge(inputs=[e, e]).output for e in entered]
    going = ops.LoopCond(input=cond(merged, fixed))
    switched = [ops.Switch(data=m, pred=going) for m in merged]
    following = body([tf.identity(s.output_true) for s in switched], fixed)
    for m, x in zip(merged, following):
        m.op._update_input(1, ops.NextIteration(data=x))
    return [ops.Exit(data=s.output_false) for s in switched]


def counter(n, name="loop", parallel=10, zero=None, one=None):
    """Adds up 0 to n - 1: (n, the sum). zero, one: of the frame in which it is."""
    zero = tf.constant(0) if zero is None else zero
    one = tf.constant(1) if one is None else one
    return loop(
        lambda v, c: v[0] < c[0], lambda v, c: [v[0] + c[1], v[1] + v[0]], [zero, zero], name, parallel, [n, one]
    )


def cond(pred, true, false, *inputs):
    """Outputs of one of two functions of the switched inputs; their constants have to hang on a switched value."""
    switched = [ops.Switch(data=x, pred=pred) for x in inputs]
    yes = true(*[s.output_true for s in switched])
    no = false(*[s.output_false for s in switched])
    return ops.Merge(inputs=[no, yes])


def plan_of(session):
    plan = list(session._signatures.values())[-1].plan
    plan.verify()
    return plan


@pytest.mark.parametrize("parallel", [1, 2, 10])
def test_a_loop_counts(sess, parallel):
    n = tf.placeholder(tf.int32, [])
    out = counter(n, parallel=parallel)
    for count in (0, 1, 2, 7, 1000):
        assert sess.run(out, {n: count}) == [count, count * (count - 1) // 2]
    plan_of(sess)


def test_a_conditional_takes_one_way(sess):
    p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [None])
    merged = cond(p, lambda x: x * 2.0, lambda x: x - 1.0, x)
    assert sess.run(merged.output, {p: True, x: [3.0, 4.0]}).tolist() == [6.0, 8.0]
    assert sess.run(list(merged), {p: False, x: [3.0, 4.0]})[1] == 0
    assert sess.run(merged.value_index, {p: True, x: [3.0, 4.0]}) == 1
    plan_of(sess)


def test_only_the_branch_taken_runs(sess):
    p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.int32, [])
    merged = cond(p, lambda x: 7 // x, lambda x: x + 1, x)
    assert sess.run(merged.output, {p: False, x: 0}) == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="ivision by zero"):
        sess.run(merged.output, {p: True, x: 0})


def test_a_dead_value_can_not_be_fetched(sess):
    p, x = tf.placeholder(tf.bool, []), tf.constant(3.0)
    no, yes = ops.Switch(data=x, pred=p)
    later = yes + 1.0
    assert sess.run(later, {p: True}) == 4.0
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Retval\[1\] does not have value.*add"):
        sess.run([x, later], {p: False})


def test_deadness_goes_along_control_edges(sess):
    p, x, y = tf.placeholder(tf.bool, []), tf.constant(3.0), tf.placeholder(tf.float32, [])
    _, yes = ops.Switch(data=x, pred=p)
    pivot = tf.identity(yes)
    with tf.control_dependencies([pivot]):
        held = tf.identity(y)
        constant = tf.constant(5.0)
    both = held + constant
    assert sess.run(both, {p: True, y: 1.0}) == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have value"):
        sess.run(both, {p: False, y: 1.0})
    with tf.control_dependencies([pivot]):
        trigger = ops.ControlTrigger()
    with tf.control_dependencies([trigger]):
        after = tf.identity(y)
    assert sess.run(after, {p: False, y: 2.0}) == 2.0


def test_a_merge_waits_for_its_control_inputs(sess):
    p, x = tf.placeholder(tf.bool, []), tf.constant(3.0)
    ran = []
    no, yes = ops.Switch(data=x, pred=p)
    slow = tf.py_func(lambda: time.sleep(0.02) or ran.append(1) or 1.0, [], tf.float64)
    with tf.control_dependencies([slow]):
        merged = ops.Merge(inputs=[no, yes]).output
    assert sess.run(merged, {p: True}) == 3.0 and ran == [1]
    with tf.control_dependencies([merged]):  # and others wait for it
        assert sess.run(tf.identity(x), {p: False}) == 3.0 and ran == [1, 1]


def test_a_merge_of_many_inputs_takes_the_first_live_one(sess):
    x, preds = tf.constant(1.0), [tf.placeholder(tf.bool, []) for _ in range(5)]
    live = [ops.Switch(data=x * float(i), pred=p).output_true for i, p in enumerate(preds)]
    merged = ops.Merge(inputs=live)
    for i in range(5):
        feed = {p: k == i for k, p in enumerate(preds)}
        assert sess.run(list(merged), feed) == [i, i]
    assert sess.run(merged.output, dict.fromkeys(preds, True)) in range(5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not have value"):
        sess.run(merged.output, dict.fromkeys(preds, False))


def test_loops_inside_of_loops(sess):
    n = tf.placeholder(tf.int32, [])

    def body(v, c):
        inner = counter(v[0], "inner", 3, c[2], c[1])
        return [v[0] + c[1], v[1] + inner[1]]

    zero, one = tf.constant(0), tf.constant(1)
    out = loop(lambda v, c: v[0] < c[0], body, [zero, zero], "outer", 4, [n, one, zero])
    for _ in range(3):
        assert sess.run(out, {n: 12}) == [12, sum(i * (i - 1) // 2 for i in range(12))]
    plan_of(sess)


def test_a_conditional_in_a_loop_and_a_loop_in_a_conditional(sess):
    n, p = tf.placeholder(tf.int32, []), tf.placeholder(tf.bool, [])
    one, zero, two = tf.constant(1), tf.constant(0), tf.constant(2)

    def body(v, c):
        even = tf.equal(tf.floormod(v[0], c[2]), c[3])
        merged = cond(even, lambda x, y: x + y, lambda x, y: x - y, v[1], v[0])
        return [v[0] + c[1], merged.output]

    out = loop(lambda v, c: v[0] < c[0], body, [zero, zero], "first", 10, [n, one, two, zero])
    assert sess.run(out, {n: 9}) == [9, 0 - 1 + 2 - 3 + 4 - 5 + 6 - 7 + 8]

    def looped(n, zero, one):
        return counter(n, "second", 10, zero, one)[1]

    merged = cond(p, looped, lambda n, zero, one: n + one, n, zero, one)
    assert sess.run(merged.output, {p: True, n: 5}) == 10
    assert sess.run(merged.output, {p: False, n: 5}) == 6  # the loop is dead: so are its exits
    plan_of(sess)


def test_values_of_many_types_go_around(sess):
    x = tf.placeholder(tf.string, [])
    n, one = tf.placeholder(tf.int32, []), tf.constant(1)
    a = np.random.RandomState(0).randn(50, 50).astype(np.float32)

    def body(v, c):
        return [v[0] + c[1], tf.string_join([v[1], c[2]]), tf.matmul(v[2], c[3]), tf.logical_not(v[3])]

    inits = [tf.constant(0), x, tf.constant(a), tf.constant(True)]
    out = loop(lambda v, c: v[0] < c[0], body, inits, constants=[n, one, tf.constant("b"), tf.constant(a / 10)])
    _, text, product, flag = sess.run(out, {n: 5, x: "a"})
    assert text == b"abbbbb" and not flag
    np.testing.assert_allclose(product, a @ np.linalg.matrix_power(a / 10, 5), rtol=1e-3, atol=1e-4)


def test_variables_change_in_loops_and_branches(sess):
    v = tf.Variable(1.0)
    n, one = tf.placeholder(tf.int32, []), tf.constant(1)
    sess.run(tf.global_variables_initializer())
    enter = {"frame_name": "assigns", "parallel_iterations": 1}
    i = ops.Enter(data=tf.constant(0), **enter)
    limit, one = [ops.Enter(data=x, is_constant=True, **enter) for x in (n, one)]
    ref = ops.RefEnter(data=v._ref(), is_constant=True, **enter)
    merged = ops.Merge(inputs=[i, i]).output
    switched = ops.Switch(data=merged, pred=ops.LoopCond(input=merged < limit))
    body = tf.identity(switched.output_true)
    with tf.control_dependencies([body]):
        doubled = tf.identity(ref) * 2.0
    assigned = ops.Assign(ref=ref, value=doubled)
    with tf.control_dependencies([assigned]):
        merged.op._update_input(1, ops.NextIteration(data=body + one))
    out = ops.Exit(data=switched.output_false)
    assert sess.run(out, {n: 6}) == 6
    assert sess.run(v) == 64.0


def test_references_are_switched_and_merged(sess):
    a, b = tf.Variable(1.0), tf.Variable(2.0)
    p = tf.placeholder(tf.bool, [])
    sess.run(tf.global_variables_initializer())
    one = ops.RefSwitch(data=a._ref(), pred=p).output_true
    other = ops.RefSwitch(data=b._ref(), pred=p).output_false
    chosen = ops.RefMerge(inputs=[one, other])
    added = ops.AssignAdd(ref=chosen.output, value=10.0)
    for taken, want in ((True, [11.0, 2.0]), (False, [11.0, 12.0])):
        assert sess.run([added, chosen.value_index], {p: taken}) == [want[not taken], not taken]
        assert sess.run([a, b]) == want
    value = ops.Merge(inputs=[ops.Switch(data=a._ref(), pred=p).output_false, a._ref()]).output
    assert sess.run(value, {p: True}) == 11.0


def test_errors_in_iterations_name_the_node(sess):
    n = tf.placeholder(tf.int32, [])
    one = tf.constant(1)
    out = loop(
        lambda v, c: v[0] > c[1], lambda v, c: [v[0] - 7 // (v[0] - 3) + c[1]], [n], constants=[n, tf.constant(-9)]
    )
    with pytest.raises(tf.errors.OpError):
        sess.run(out, {n: 3})
    with pytest.raises(tf.errors.InvalidArgumentError, match="second input must be a scalar, but it has shape \\[2\\]"):
        p = tf.placeholder(tf.bool)
        sess.run(ops.Switch(data=one, pred=p).output_true, {p: [True, False]})


def test_python_functions_and_queues_in_loops(sess):
    n, one = tf.placeholder(tf.int32, []), tf.constant(1)
    seen = []

    def body(v, c):
        (called,) = [tf.py_func(lambda i: seen.append(int(i)) or i * 2, [v[0]], tf.int32)]
        return [v[0] + c[1], v[1] + called]

    out = loop(lambda v, c: v[0] < c[0], body, [tf.constant(0)] * 2, constants=[n, one])
    assert sess.run(out, {n: 20}) == [20, 380]
    assert sorted(seen) == list(range(20))


@pytest.mark.parametrize("how", ["close", "timeout"])
def test_an_endless_loop_can_be_ended(how):
    with tf.Graph().as_default():
        s = tf.Session()
        one = tf.constant(1)
        out = loop(lambda v, c: v[0] > c[1], lambda v, c: [v[0] + c[0] - c[0]], [one], constants=[one, tf.constant(0)])
        if how == "timeout":
            with pytest.raises(tf.errors.DeadlineExceededError):
                s.run(out, options=tf.RunOptions(timeout_in_ms=100))
            s.close()
            return
        assert_closing_ends(s, out, 0.1)


def test_inputs_of_different_frames(sess):
    one = tf.constant(1)
    inside = ops.Enter(data=one, frame_name="f")
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="has inputs from different frames. The input .* is in frame ''"
    ):
        sess.run(ops.Exit(data=inside + one))
    other = ops.Enter(data=one, frame_name="g")
    with pytest.raises(tf.errors.InvalidArgumentError, match="has inputs from different frames"):
        sess.run(ops.Exit(data=inside + other))
    with pytest.raises(tf.errors.InvalidArgumentError, match="inside frame 'f'"):
        sess.run(inside)
    with pytest.raises(tf.errors.InvalidArgumentError, match="inside frame 'f'"):
        sess.run(inside.op)
    with pytest.raises(tf.errors.InvalidArgumentError, match="in no frame"):
        sess.run(ops.Exit(data=one))
    with pytest.raises(tf.errors.InvalidArgumentError, match='Mismatched parent frames for "f"'):
        inner = ops.Enter(data=ops.Enter(data=one, frame_name="g"), frame_name="f")
        sess.run([ops.Exit(data=inside), ops.Exit(data=ops.Exit(data=inner))])


def test_a_traced_loop(sess):
    n = tf.placeholder(tf.int32, [])
    out = counter(n)
    assert sess.run(out, {n: 5}) == [5, 10]
    metadata = tf.RunMetadata()
    sess.run(out, {n: 5}, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    names = [node.node_name for device in metadata.step_stats.dev_stats for node in device.node_stats]
    assert names.count("LoopCond") == 6 and names.count("NextIteration") == 5
    assert metadata.memory_report().peak >= 0
    assert len(metadata.cost_graph.node) > 5


def test_references_go_around(sess):
    v = tf.Variable(3.0)
    sess.run(tf.global_variables_initializer())
    n, one = tf.placeholder(tf.int32, []), tf.constant(1)
    enter = {"frame_name": "refs"}
    i, ref = ops.Enter(data=tf.constant(0), **enter), ops.RefEnter(data=v._ref(), **enter)
    limit, one = [ops.Enter(data=x, is_constant=True, **enter) for x in (n, one)]
    count, refs = ops.Merge(inputs=[i, i]).output, ops.RefMerge(inputs=[ref, ref]).output
    going = ops.LoopCond(input=count < limit)
    counts, chosen = ops.Switch(data=count, pred=going), ops.RefSwitch(data=refs, pred=going)
    count.op._update_input(1, ops.NextIteration(data=counts.output_true + one))
    refs.op._update_input(1, ops.RefNextIteration(data=chosen.output_true))
    left = ops.RefExit(data=chosen.output_false)
    assert sess.run(ops.AssignAdd(ref=left, value=1.0), {n: 4}) == 4.0
    assert sess.run(v) == 4.0


def test_sixteen_threads_run_loops_of_two_sessions():
    with tf.Graph().as_default() as graph:
        n = tf.placeholder(tf.int32, [])
        out = counter(n, parallel=3)
        sessions = [tf.Session(graph=graph) for _ in range(2)]
        for s in sessions:
            s.run(out, {n: 3})
        for signature in sessions[1]._signatures.values():
            signature.plan.offers = True
        failures = []

        def work(k):
            for count in range(k, 200, 16):
                got = sessions[k % 2].run(out, {n: count})
                if got != [count, count * (count - 1) // 2]:
                    failures.append((count, got))

        threads = [threading.Thread(target=work, args=(k,)) for k in range(16)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        assert not failures
        for s in sessions:
            s.close()


def test_a_loop_that_fails_leaves_no_memory_behind(sess):
    n, limit = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    x, one = tf.placeholder(tf.float32, [1000]), tf.constant(1)

    def body(v, c):
        quotient = c[1] // (v[0] - c[2])
        return [v[0] + c[1] + (quotient - quotient), v[1] * v[1]]

    out = loop(lambda v, c: v[0] < c[0], body, [tf.constant(0), x], constants=[n, one, limit])
    feed = {n: 8, x: np.ones(1000), limit: -1}
    sess.run(out, feed)
    sess.run(out[0], feed)
    gc.collect()
    before = memory_stats()["bytes_in_use"]
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="ivision by zero.*floordiv|FloorDiv"):
            sess.run(out, {**feed, limit: 4})
        assert sess.run(out[0], feed) == 8
    gc.collect()
    assert memory_stats()["bytes_in_use"] == before


@pytest.mark.cpu
def test_long_nodes_are_offered_to_other_threads():
    before = set_num_threads(4)
    try:
        with tf.Graph().as_default(), tf.Session() as sess:
            p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [20_000])
            parts = [cond(p, lambda x: tf.exp(x), lambda x: x * 2.0, x * float(i)).output for i in range(6)]
            total = tf.add_n(parts)
            value = np.linspace(0, 1, 20_000, dtype=np.float32)
            want = {taken: sess.run(total, {p: taken, x: value}) for taken in (True, False)}
            for i in range(30):
                np.testing.assert_array_equal(sess.run(total, {p: i % 2 == 0, x: value}), want[i % 2 == 0])
        assert not all(short_nodes_are_offered() for _ in range(5))  # a node that was interrupted seems to be long
    finally:
        set_num_threads(before)


def short_nodes_are_offered():
    with tf.Graph().as_default(), tf.Session() as sess:
        out = cond(tf.placeholder_with_default(True, []), lambda x: x + 1, lambda x: x - 1, tf.constant(1)).output
        for _ in range(15):
            assert sess.run(out) == 2
        return plan_of(sess).offers


def test_values_that_nobody_takes_are_freed(sess):
    p, x = tf.placeholder(tf.bool, []), tf.placeholder(tf.float32, [5000])
    made = x * 2.0
    merged = ops.Merge(inputs=[made, x * 3.0])
    both = [merged.output, merged.value_index]
    feed = {x: np.ones(5000), p: False}
    assert sess.run(both, feed)[0][0] in (2.0, 3.0)
    gc.collect()
    before = memory_stats()["bytes_in_use"]
    for _ in range(3):
        sess.run(both, feed)
    gc.collect()
    assert memory_stats()["bytes_in_use"] == before
    dead = ops.Switch(data=x * 2.0, pred=p).output_true
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError, match="does not have value"):
            sess.run(dead, feed)
        gc.collect()
        assert memory_stats()["bytes_in_use"] < before + 1000  # the constant of the new plan
