"""Sessions over several devices of one process."""

import threading

import numpy as np
import pytest

import tfcore as tf
from tfcore.core.rendezvous import rendezvous

pytestmark = pytest.mark.cpu

TASK = "/job:localhost/replica:0/task:0"


@pytest.fixture(autouse=True)
def graph():
    before = rendezvous.count()
    with tf.Graph().as_default() as graph:
        yield graph
    assert rendezvous.count() == before


def session(count=2, **options):
    return tf.Session(config=tf.ConfigProto(device_count={"CPU": count}, **options))


def test_list_devices():
    with session(3) as sess:
        devices = sess.list_devices()
    assert [d.name for d in devices] == [f"{TASK}/device:CPU:{i}" for i in range(3)]
    assert all(d.device_type == "CPU" and d.memory_limit_bytes > 0 and d.incarnation for d in devices)
    assert repr(devices[1]).startswith(f"_DeviceAttributes({TASK}/device:CPU:1, CPU, ")
    with pytest.raises(tf.errors.CancelledError, match="Session has been closed"):
        sess.list_devices()


def test_log_device_placement(capfd):
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0, name="v")
    y = tf.negative(v, name="y")
    with session(log_device_placement=True) as sess:
        sess.run(v.initializer)
        sess.run(y)
        sess.run([y, v])
    lines = capfd.readouterr().err.splitlines()
    assert "Device mapping: no known devices." in lines
    for line in (f"v: (VariableV2): {TASK}/device:CPU:1", f"y: (Neg): {TASK}/device:CPU:0"):
        assert lines.count(line) == 1


def test_log_device_placement_by_default(capfd):
    y = tf.negative(tf.placeholder(tf.float32, name="x"), name="y")
    assert not tf.debugging.get_log_device_placement()
    tf.debugging.set_log_device_placement(True)
    try:
        assert tf.debugging.get_log_device_placement()
        with tf.Session() as logged, tf.Session(config=tf.ConfigProto()) as configured:
            logged.run(y, {"x:0": 1.0})
            assert f"y: (Neg): {TASK}/device:CPU:0" in capfd.readouterr().err.splitlines()
            configured.run(y, {"x:0": 1.0})
            assert "(Neg)" not in capfd.readouterr().err
    finally:
        tf.debugging.set_log_device_placement(False)


def test_time_limits_reach_all_devices():
    with tf.device("/cpu:1"):
        x = tf.py_func(lambda: (threading.Event().wait(0.2), np.float32(1))[1], [], tf.float32)
        y = tf.exp(x)
    with tf.device("/cpu:2"):
        z = tf.negative(y)
    with session(3) as sess:
        with pytest.raises(tf.errors.DeadlineExceededError, match="Timed out"):
            sess.run(z, options=tf.RunOptions(timeout_in_ms=50))
        assert np.isclose(sess.run(z), -np.e)


def test_many_threads_at_once():
    x = tf.placeholder(tf.float32, [64])
    with tf.device("/cpu:1"):
        y = tf.square(x)
    with tf.device("/cpu:2"):
        z = tf.sqrt(y) + tf.reduce_sum(y)
    with session(3) as sess:
        wrong = []

        def work(n):
            value = np.full(64, n, np.float32)
            for _ in range(200):
                if not np.array_equal(sess.run(z, {x: value}), value + 64 * value * value):
                    wrong.append(n)

        threads = [threading.Thread(target=work, args=(n,)) for n in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong


def test_partial_runs_cross_devices():
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    with tf.device("/cpu:1"):
        x = a * 2.0
        y = x + b
    with session() as sess:
        handle = sess.partial_run_setup([x, y], [a, b])
        assert sess.partial_run(handle, x, {a: 3.0}) == 6
        assert sess.partial_run(handle, y, {b: 10.0}) == 16
        handle = sess.partial_run_setup([x, y], [a, b])
        assert sess.partial_run(handle, x, {a: 4.0}) == 8


def test_feeds_of_what_another_device_computes():
    with tf.device("/cpu:1"):
        x = tf.placeholder(tf.float32, [2])
        y = x * 2.0
        z = y + 1.0
    with session() as sess:
        assert sess.run([y, z], {y: [5, 6]})[1].tolist() == [6, 7]
        fed = np.array([5, 6], np.float32)
        got = sess.run(y, {y: fed})
        fed[:] = 0
        assert got.tolist() == [5, 6]


def test_fetched_values_are_the_users_own():
    with tf.device("/cpu:1"):
        v = tf.Variable(np.ones(5000, np.float32))
        change = tf.assign_add(v, np.ones(5000, np.float32))
    with session() as sess:
        sess.run(tf.global_variables_initializer())
        first = sess.run(v)
        first[:] = -1
        sess.run(change)
        assert (sess.run(v) == 2).all()


def test_uninitialized_variables_are_named():
    with tf.device("/cpu:1"):
        v = tf.Variable(1.0, name="v")
    with session() as sess, pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value v") as caught:
        sess.run(v._ref() + 1.0)
    assert __file__ in str(caught.value)


def test_traces_name_devices():
    with tf.device("/cpu:1"):
        y = tf.exp(tf.placeholder_with_default(1.0, []), name="y")
    metadata = tf.RunMetadata()
    with session() as sess:
        sess.run(y, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    found = {d.device: [n.node_name for n in d.node_stats] for d in metadata.step_stats.dev_stats}
    assert "y" in found[f"{TASK}/device:CPU:1"] and "y" not in found[f"{TASK}/device:CPU:0"]
    assert any(name.startswith("y/_") for name in found[f"{TASK}/device:CPU:0"])
