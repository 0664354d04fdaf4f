"""Fused loops give the same bits as iterations that are run token by token, and fail and end in the same way."""

import gc
import threading

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats

import tfcore as tf
from tests.threads import assert_closing_ends

pytestmark = pytest.mark.cpu

GENERAL = tf.ConfigProto()
GENERAL.graph_options.rewrite_options.loop_optimization = 2


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def loops_of(session):
    """How many fused loops the session's last plan has, inner ones included, and whether control flow is left."""
    plan = list(session._signatures.values())[-1].plan
    plan.verify()
    ops = plan.ops + plan.inner_ops
    return sum(op.type == "_Loop" for op in ops), plan.flows


def run_both(session, fetches, feed, fused):
    """The values, after a look that both ways give the same bits, in several runs."""
    with tf.Session(graph=session.graph, config=GENERAL) as general:
        for s in (session, general):
            if tf.global_variables():
                s.run(tf.global_variables_initializer())
        wanted = general.run(fetches, feed)
        assert loops_of(general)[0] == 0
        for _ in range(3):
            got = session.run(fetches, feed)
            assert loops_of(session) == (fused, False)
            for a, b in zip(tf.nest.flatten(got), tf.nest.flatten(wanted)):
                np.testing.assert_array_equal(a, b)
    return wanted


def test_variables_that_change_places(sess):
    n = tf.placeholder(tf.int32, [])
    out = tf.while_loop(
        lambda i, a, b, c, d: i < n, lambda i, a, b, c, d: (i + 1, b, a, b + 1.0, d), [0, 1.0, 2.0, 3.0, 4.0]
    )
    assert run_both(sess, out, {n: 5}, 1) == (5, 2.0, 1.0, 3.0, 4.0)
    assert run_both(sess, out, {n: 0}, 1)[1:] == (1.0, 2.0, 3.0, 4.0)


def test_a_variable_is_changed_in_place_and_its_first_value_is_not(sess):
    x = tf.Variable(np.arange(1000.0, dtype=np.float32))
    start = x + 0.0
    _, out = tf.while_loop(lambda i, a: i < 6, lambda i, a: (i + 1, a * 2.0), [0, start])
    first, last, kept = run_both(sess, [start, out, x], {}, 1)
    np.testing.assert_array_equal(last, np.arange(1000.0) * 64)
    np.testing.assert_array_equal(first, kept)
    fed = tf.placeholder(tf.float32, [1000])
    _, out = tf.while_loop(lambda i, a: i < 6, lambda i, a: (i + 1, a * 2.0), [0, fed])
    value = np.ones(1000, np.float32)
    np.testing.assert_array_equal(run_both(sess, out, {fed: value}, 1), value * 64)
    assert value[0] == 1.0


def test_conditionals_and_loops_inside(sess):
    n = tf.placeholder(tf.int32, [])

    def inner(j, a):
        odd = tf.equal(j % 2, 1)
        return j + 1, tf.cond(odd, lambda: tf.cond(a > 9.0, lambda: a - 3.0, lambda: a * 1.5), lambda: a + 1.0)

    def outer(i, a):
        return i + 1, tf.while_loop(lambda j, a: j < i, inner, [0, a])[1]

    out = tf.while_loop(lambda i, a: i < n, outer, [0, 0.0])
    a = 0.0
    for i in range(20):
        for j in range(i):
            a = (a - 3.0 if a > 9.0 else a * 1.5) if j % 2 else a + 1.0
    assert run_both(sess, out, {n: 20}, 2) == (20, pytest.approx(a))


def test_a_loop_in_a_branch_that_is_not_taken(sess):
    p, n = tf.placeholder(tf.bool, []), tf.placeholder(tf.int32, [])
    out = tf.cond(p, lambda: tf.while_loop(lambda i: i < n, lambda i: i + 1, [0]), lambda: -n)
    for taken, want in ((True, 7), (False, -7)):
        assert sess.run(out, {p: taken, n: 7}) == want
        assert loops_of(sess) == (1, True)


def test_gradients_and_arrays(sess):
    x = tf.placeholder(tf.float32, [7, 3])
    w = tf.Variable(np.linspace(-1, 1, 9).reshape(3, 3).astype(np.float32))
    total = tf.scan(lambda a, v: tf.tanh(tf.matmul(a[None], w)[0] + v), x)
    feed = {x: np.random.RandomState(0).randn(7, 3)}
    run_both(sess, [total, tf.gradients(total, [x, w])], feed, 2)


def test_what_waits_stays_as_it_is(sess):
    out = tf.while_loop(lambda i: i < 5, lambda i: tf.reshape(tf.py_func(lambda i: i + 1, [i], tf.int32), []), [0])
    assert sess.run(out) == 5 and loops_of(sess) == (0, True)
    queue = tf.FIFOQueue(10, tf.int32, [[]]) if hasattr(tf, "FIFOQueue") else None
    if queue is not None:
        sess.run(queue.enqueue_many([list(range(5))]))
        out = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a + queue.dequeue()), [0, 0])
        assert sess.run(out)[1] == 10 and loops_of(sess) == (0, True)


@pytest.mark.parametrize("config", [None, GENERAL], ids=["fused", "general"])
def test_errors_name_the_operation(config):
    with tf.Graph().as_default(), tf.Session(config=config) as sess:
        n = tf.placeholder(tf.int32, [])
        x = tf.placeholder(tf.float32, [100])

        def body(i, a):
            inner = tf.while_loop(lambda j: j < 2, lambda j: j + 1 + tf.floordiv(0, n - i, name="culprit"), [0])
            return i + inner - 1, a * 2.0

        out = tf.while_loop(lambda i, a: i < 9, body, [0, x])
        feed = {x: np.ones(100)}
        assert sess.run(out, {n: 20, **feed})[0] == 9
        gc.collect()
        before = memory_stats()["bytes_in_use"]
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError, match="ivision by zero") as caught:
                sess.run(out, {n: 4, **feed})
            assert caught.value.op.name == "while/while/culprit" and "test_fused_loops.py" in str(caught.value)
        del caught
        gc.collect()
        assert memory_stats()["bytes_in_use"] == before


def test_a_condition_that_is_no_scalar(sess):
    p = tf.placeholder(tf.bool, None)
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError), match="scalar|rank 0"):
        merged = tf.cond(p, lambda: 1, lambda: 2)
        sess.run(tf.while_loop(lambda i: i < 3, lambda i: i + merged, [0]), {p: [True, False]})


def test_an_endless_fused_loop_can_be_ended():
    with tf.Graph().as_default():
        s = tf.Session()
        out = tf.while_loop(lambda i: i > 0, lambda i: i, [1])
        with pytest.raises(tf.errors.DeadlineExceededError, match="while"):
            s.run(out, options=tf.RunOptions(timeout_in_ms=50))
        assert_closing_ends(s, out, 0.05)


def test_threads_share_a_fused_loop(sess):
    n = tf.placeholder(tf.int32, [])
    out = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a + tf.ones([50])), [0, tf.zeros([50])])
    sess.run(out, {n: 3})
    failures = []

    def work(k):
        for count in range(k, 60, 8):
            i, a = sess.run(out, {n: count})
            if i != count or not (a == count).all():
                failures.append((count, i, a))

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not failures


def test_a_trace_shows_each_iteration(sess):
    n = tf.placeholder(tf.int32, [])
    out = tf.while_loop(lambda i: i < n, lambda i: i + 1, [0])
    assert sess.run(out, {n: 4}) == 4
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    assert sess.run(out, {n: 4}, options=options, run_metadata=metadata) == 4
    names = [node.node_name for device in metadata.step_stats.dev_stats for node in device.node_stats]
    assert names.count("while/add") == 4
    sess.run(out, {n: 4}, options=tf.RunOptions(output_partition_graphs=True), run_metadata=metadata)
    (graph,) = metadata.partition_graphs
    assert {"while/while_context", "while/add", "while/Less"} <= {node.name for node in graph.node}


def test_loops_that_need_values_of_each_other():
    """The second variable of `first` starts with what `second` gives, which starts with the first one of `first`."""
    n = tf.placeholder(tf.int32, [], name="n")
    late = tf.placeholder(tf.float32, [], name="late")
    _, a, b = tf.while_loop(
        lambda i, *_: i < n, lambda i, a, b: (i + 1, a + 1.0, b * 2.0), [0, 0.0, late], name="first"
    )
    _, c = tf.while_loop(lambda i, _: i < n, lambda i, c: (i + 1, c * 3.0), [0, a], name="second")
    _, d = tf.while_loop(lambda i, _: i < n, lambda i, d: (i + 1, d + c), [0, b], name="third")
    tf.identity(d, name="out")
    graph_def = tf.get_default_graph().as_graph_def()
    (enter,) = [x for x in graph_def.node if x.op == "Enter" and "late" in list(x.input)]
    enter.input[list(enter.input).index("late")] = c.op.name
    with tf.Graph().as_default() as graph:
        tf.import_graph_def(graph_def, name="")
        with tf.Session(graph=graph) as sess, tf.Session(graph=graph, config=GENERAL) as general:
            # a = 3, c = 81, b = 648, d = 648 + 3 * 81
            assert general.run("out:0", {"n:0": 3}) == sess.run("out:0", {"n:0": 3}) == 891.0
            assert loops_of(sess) == (2, True)


def test_many_loops_behind_one_another(sess):
    """In a chain, side by side, and inside of one another, with gradients."""
    x = tf.placeholder(tf.float32, [])
    y, ends = x, []
    for k in range(12):
        y = tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, y * 1.5), [0, y])[1]
        ends.append(tf.while_loop(lambda i, _: i < 3, lambda i, y: (i + 1, y + float(k)), [0, y])[1])  # noqa: B023

    def inner(y):
        return tf.while_loop(lambda j, _: j < 2, lambda j, y: (j + 1, y * 0.5), [0, y])[1]

    ends.append(tf.while_loop(lambda i, _: i < 2, lambda i, y: (i + 1, inner(inner(y) + y)), [0, y])[1])
    total = tf.add_n(ends)
    run_both(sess, total, {x: 0.3}, 27)
    (gradient,) = tf.gradients(total, x)
    run_both(sess, gradient, {x: 0.3}, 54)
