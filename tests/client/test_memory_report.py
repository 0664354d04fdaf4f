"""The holders of memory: reports of traced steps, and what an error says when no memory is left."""

import gc
import re

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats, set_memory_limit, trim_memory

import tfcore as tf

pytestmark = pytest.mark.cpu

FULL = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
MIB = 1 << 20


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s
    set_memory_limit(0)


def report_of(session, fetches, feeds=None):
    metadata = tf.RunMetadata()
    session.run(fetches, feeds, FULL, metadata)
    return metadata.memory_report()


@pytest.mark.parametrize("dynamic", [False, True])
def test_report(sess, dynamic):
    x = tf.placeholder(tf.float32, [1000])
    a = tf.exp(x, name="a")
    b = tf.reduce_sum(a, name="b")
    v = tf.Variable(np.zeros(500, np.float32))
    sess.run(v.initializer)
    fetches, feeds = [b, v * 2.0], {x: np.ones(1000, np.float32)}
    sess.run(fetches, feeds)
    for signature in sess._signatures.values():
        signature.plan.dynamic = dynamic
    report = report_of(sess, fetches, feeds)
    uses = {u.name: u for u in report.uses}
    assert 4000 <= uses["a"].output <= 5200 and uses["a"].live_at_peak == uses["a"].output and uses["a"].kept == 0
    assert uses["a"].type == "Exp" and "test_memory_report.py" in uses["a"].line
    assert uses["b"].kept == uses["b"].output > 0 and uses["mul"].kept >= 2000
    assert 2000 <= report.variables <= 2600
    assert uses["a"].output <= report.peak <= report.allocated
    assert sum(u.live_at_peak for u in report.uses) <= report.peak
    table = str(report)
    assert re.search(r"KiB +0B +0B  a \(op: Exp\) \(defined at .*test_memory_report.py:\d+ in test_report\)", table), (
        table
    )


def test_views_and_memory_taken_over_count_once(sess):
    x = tf.placeholder(tf.float32, [1000])
    y = tf.negative(tf.reshape(tf.exp(x, name="e"), [10, 100], name="view"), name="n")
    report = report_of(sess, tf.reduce_sum(y), {x: np.ones(1000, np.float32)})
    uses = {u.name: u for u in report.uses}
    assert uses["e"].output >= 4000 and uses["view"].output == 0
    assert report.peak < 2 * 5200 + 1024


@pytest.mark.parametrize("parallel", [1, 10])
def test_values_of_loops(sess, parallel):
    """Each is held until the iteration that needs it last has ended, wherever it was meanwhile."""
    x = tf.placeholder(tf.float32, [30, 30])
    start, constant = tf.exp(x, name="start"), tf.sin(x, name="constant")
    body = lambda i, y: (i + 1, tf.matmul(y, constant, name="next"))  # noqa: E731
    end = tf.while_loop(lambda i, _: i < 20, body, [0, start], parallel_iterations=parallel)[1]
    report = report_of(sess, tf.reduce_sum(end, name="end"), {x: np.eye(30, dtype=np.float32)})
    assert {u.name for u in report.uses if u.kept} == {"end"}, report.table(100)
    outputs = {name: [u.output for u in report.uses if u.name == name] for name in ("start", "constant", "while/next")}
    assert [len(sizes) for sizes in outputs.values()] == [1, 1, 20]
    assert all(3600 <= size <= 4800 for sizes in outputs.values() for size in sizes), outputs
    assert 3 * 3600 <= report.peak <= 4 * 4800, report.table(100)


def test_scratch(sess):
    x = tf.placeholder(tf.float32, [400, 300])
    report = report_of(sess, tf.matmul(x, x, transpose_b=True, name="m"), {x: np.ones([400, 300], np.float32)})
    (use,) = [u for u in report.uses if u.name == "m"]
    assert use.output >= 400 * 400 * 4 and use.live_at_peak == use.output + use.scratch == report.peak


def test_long_reports_are_cut(sess):
    y = tf.placeholder_with_default(1.0, [])
    for _ in range(40):
        y = tf.sin(y)
    report = report_of(sess, y)
    assert f"and {len(report.uses) - 20} more operations" in report.table() and len(report.uses) > 40
    assert "more" not in report.table(rows=100)


# ---- No memory left


@pytest.mark.parametrize("dynamic", [False, True])
def test_the_error_names_the_holders(dynamic):
    gc.collect()
    trim_memory()
    config = tf.ConfigProto(memory_limit_in_bytes=memory_stats()["bytes_reserved"] + 64 * MIB)
    with tf.Graph().as_default():
        v = tf.Variable(tf.zeros([2 * MIB]), name="weights")
        n = tf.placeholder(tf.int32, [], name="n")
        held = tf.exp(tf.fill([4 * MIB], 1.0), name="held")
        with tf.control_dependencies([held.op]):
            big = tf.fill(tf.stack([n, MIB]), 1.0, name="big")
        with tf.control_dependencies([big]):
            both = [tf.reduce_sum(held), tf.reduce_sum(big), tf.reduce_sum(v)]
        with tf.Session(config=config) as session:
            session.run(v.initializer)
            session.run(both, {n: 1})
            for signature in session._signatures.values():
                signature.plan.dynamic = dynamic
            in_use = memory_stats()["bytes_in_use"]
            for _ in range(2):
                with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
                    session.run(both, {n: 100})
                text = str(caught.value)
                assert "OOM when allocating tensor with shape[100,1048576] and type float on /job:localhost" in text
                assert caught.value.op is big.op and "[[node big (op: Fill) (defined at" in text
                holders = text.split("Current usage from device")[1]
                assert re.search(r"MiB from held \(op: Exp\) \(defined at .*test_memory_report.py", holders), text
                assert re.search(r"MiB from variable weights \(op: VariableV2\) \(defined at", holders), text
                assert holders.index("held") < holders.index("weights")  # the largest first
                assert "limit " in holders
                del caught
                gc.collect()
                assert memory_stats()["bytes_in_use"] == in_use
            assert session.run(both, {n: 1})[1] == MIB
    assert memory_stats()["bytes_limit"] == 0


def test_the_smallest_limit_of_open_sessions_counts():
    base = memory_stats()["bytes_reserved"]
    with tf.Graph().as_default():
        sessions = [tf.Session(config=tf.ConfigProto(memory_limit_in_bytes=base + n * MIB)) for n in (300, 200, 400)]
        limits = []
        for session in sessions:
            limits.append(memory_stats()["bytes_limit"] - base)
            session.close()
        assert limits == [200 * MIB, 200 * MIB, 400 * MIB]
        tf.Session(config=tf.ConfigProto(memory_limit_in_bytes=base + MIB))
        gc.collect()  # a session that nobody closed
    assert memory_stats()["bytes_limit"] == 0


def test_the_system_has_no_memory(sess):
    n = tf.placeholder(tf.int64, [None])
    big = tf.fill(n, tf.constant(1, tf.float64))
    with pytest.raises(tf.errors.ResourceExhaustedError, match=r"shape\[1099511627776,32\] and type double"):
        sess.run(big, {n: [1 << 40, 32]})
    assert sess.run(big, {n: [2]}).tolist() == [1, 1]


def test_scratch_memory_runs_out(sess):
    x = tf.placeholder(tf.float32, [None, None])
    top = tf.nn.top_k(x, 1)
    value = np.ones([4, 4], np.float32)
    sess.run(top, {x: value})
    product = tf.matmul(x, x)
    gc.collect()
    trim_memory()
    set_memory_limit(memory_stats()["bytes_reserved"] + 1)
    with pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating"):
        sess.run(product, {x: np.ones([1500, 1500], np.float32)})
    set_memory_limit(0)
    assert sess.run(product, {x: value})[0, 0] == 4


@pytest.mark.parametrize("optimization", [1, 2], ids=["fused", "general"])
def test_what_loops_hold_is_listed(optimization):
    """The variable that grows, and what is saved for the gradient; all is given back with the error."""
    config = tf.ConfigProto()
    config.graph_options.rewrite_options.loop_optimization = optimization
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        x = tf.placeholder(tf.float32, [1000, 100])

        def body(i, y):
            return i + 1, tf.concat([y, tf.tanh(y, name="inside")], 0, name="grow")

        shapes = [tf.TensorShape([]), tf.TensorShape([None, 100])]
        end = tf.while_loop(lambda i, _: i < 30, body, [0, 2.0 * x], shape_invariants=shapes)[1]
        gradient = tf.gradients(end, x)
        value = np.ones([1000, 100], np.float32)
        gc.collect()
        trim_memory()
        before = memory_stats()["bytes_in_use"]
        set_memory_limit(memory_stats()["bytes_reserved"] + 50 * MIB)
        try:
            texts = []
            for fetch in end, gradient, end:
                with pytest.raises(tf.errors.ResourceExhaustedError) as caught:
                    session.run(fetch, {x: value})
                texts.append(str(caught.value))
                del caught
                gc.collect()
                assert memory_stats()["bytes_in_use"] < before + MIB
        finally:
            set_memory_limit(0)
    sizes = [{name: size for size, name in re.findall(r"([\d.]+)MiB from (\S+) ", text)} for text in texts]
    assert sizes[0]["while/inside"] == "24.41" and sizes[0] == sizes[2], texts[0]
    assert all(float(total) > 10 for total in sizes[1].values()) and len(sizes[1]) > 1, texts[1]
    for text in texts:
        listed = sum(float(size) for size in re.findall(r"([\d.]+)MiB from", text))
        assert abs(listed - float(re.search(r"In use: ([\d.]+)MiB", text)[1])) < 0.1 + before / MIB, text
