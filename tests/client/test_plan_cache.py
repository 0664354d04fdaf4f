"""A session keeps a bounded number of plans, and those that are used."""

import threading

import pytest

import tfcore as tf
from tfcore.client import plan_cache


@pytest.fixture
def few(monkeypatch):
    monkeypatch.setattr(plan_cache, "MAX_PLANS", 8)


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def count_compiled(session, monkeypatch):
    """A list that grows with every signature that the session compiles."""
    compiled, compile_one = [], session._compiler.compile
    monkeypatch.setattr(session._compiler, "compile", lambda *args: (compiled.append(args[0]), compile_one(*args))[1])
    return compiled


def test_the_number_of_plans_is_bounded(sess):
    values = [tf.constant(i) for i in range(plan_cache.MAX_PLANS + 200)]
    for i, value in enumerate(values):
        assert sess.run(value) == i
    assert len(sess._signatures) == plan_cache.MAX_PLANS
    assert [sess.run(v) for v in values[:50]] == list(range(50))  # compiled again
    assert len(sess._signatures) == plan_cache.MAX_PLANS


def test_plans_that_are_used_stay(few, sess, monkeypatch):
    compiled = count_compiled(sess, monkeypatch)
    loss, train = tf.constant(1.0), tf.constant(2.0)
    others = [tf.constant(i) for i in range(50)]
    for other in others:
        sess.run(loss)
        sess.run(train)
        sess.run(other)
    assert len(compiled) == 52
    assert len(sess._signatures) == 8


def test_the_size_of_plans_is_bounded(sess, monkeypatch):
    monkeypatch.setattr(plan_cache, "MAX_OPERATIONS", 500)
    x = tf.placeholder(tf.float32, [])
    ends = []
    for i in range(20):
        y = x + float(i)
        for _ in range(100):
            y = tf.sin(y)
        ends.append(y)
    for y in ends:
        sess.run(y, {x: 1.0})
        plans = [s.plan for s in sess._signatures.values()]
        assert sum(p.num_nodes for p in plans) <= 500
    assert 2 <= len(plans) <= 5
    sess.run(ends, {x: 1.0})  # larger than the bound: it is kept alone
    assert len(sess._signatures) == 1


def test_plans_of_partial_runs_are_bounded(few, sess):
    x = tf.placeholder(tf.int32, [])
    sums = [x + i for i in range(30)]
    for i, total in enumerate(sums):
        handle = sess.partial_run_setup([total], [x])
        assert sess.partial_run(handle, total, {x: 1}) == 1 + i
    assert len(sess._partial._set_ups) == 8


def test_state_outlives_plans(few, sess):
    v = tf.Variable(0)
    count = tf.assign_add(v, 1)
    sess.run(v.initializer)
    others = [tf.constant(i) for i in range(30)]
    for i in range(5):
        assert sess.run(count) == i + 1
        for other in others:
            sess.run(other)
    assert sess.run(v) == 5


def test_a_plan_that_runs_is_dropped_after_its_end(few, sess):
    """Another thread's signatures push out a plan in the middle of its run."""
    inside, go_on = threading.Event(), threading.Event()

    def wait():
        inside.set()
        assert go_on.wait(300)
        return 7

    waited = tf.py_func(wait, [], tf.int64) + tf.constant(1, tf.int64)
    others = [tf.constant(i) for i in range(20)]
    results = []
    thread = threading.Thread(target=lambda: results.append(sess.run(waited)))
    thread.start()
    assert inside.wait(300)
    for other in others:
        sess.run(other)
    assert waited not in sess._signatures
    go_on.set()
    thread.join()
    assert results == [8]


def test_threads_with_more_signatures_than_fit(few, sess):
    values = [tf.constant(i) for i in range(40)]
    wrong = []

    def work(first):
        for k in range(120):
            i = (first + 7 * k) % 40
            if sess.run(values[i]) != i:
                wrong.append(i)

    threads = [threading.Thread(target=work, args=(10 * n,)) for n in range(4)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not wrong and len(sess._signatures) <= 8


def test_a_signal_handler_may_compile_while_a_plan_is_dropped(few, sess, monkeypatch):
    values, inner = [tf.constant(i) for i in range(20)], tf.constant(-1)
    least_used, results, interrupted = plan_cache._least_used, [], []

    def look(entries):
        if not interrupted:
            interrupted.append(True)
            results.append(sess.run(inner))  # as a handler does that comes at this moment
        return least_used(entries)

    monkeypatch.setattr(plan_cache, "_least_used", look)
    monkeypatch.setattr(plan_cache, "_lock", type(plan_cache._lock)())  # other tests don't wait for it
    thread = threading.Thread(target=lambda: results.extend(sess.run(v) for v in values), daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive() and sorted(results) == [-1, *range(20)]
    assert len(sess._signatures) == 8


def test_plans_are_freed_after_the_lock(few):
    """Their destructors may wait for other threads."""

    class Entry:
        num_nodes, runs, runs_seen = 1, 0, 0

        def __init__(self):
            self.plan = self

        def __del__(self):
            held.append(plan_cache._lock._is_owned())

    held, entries = [], {}
    for i in range(20):
        entry = Entry()
        entry.plan = Entry  # no cycle: it is freed at once
        plan_cache.keep(entries, i % 15, entry)
        del entry
    assert len(held) == 12 and not any(held)
