"""Sixteen threads on one session: everything that can run at the same time does."""

import contextlib
import gc
import os
import random
import threading
import time

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats

import tfcore as tf
from tests.client import slow_kernels
from tests.client.slow_kernels import Block, Loop, Wait
from tests.threads import in_threads, rounds

THREADS = 16
pytestmark = pytest.mark.usefixtures("many_threads")
SIZE = 700
FOREVER = 1_000_000


@pytest.fixture(scope="module")
def slow(tmp_path_factory):
    return slow_kernels.build(tmp_path_factory.mktemp("slow"))


def in_use():
    gc.collect()
    return memory_stats()["bytes_in_use"]


class Model:
    """Overlapping subgraphs of two feeds and some state; `want` computes what a step must give."""

    def __init__(self):
        self.a = tf.placeholder(tf.float32, [None], name="a")
        self.b = tf.placeholder(tf.int32, [], name="b")
        scale = tf.cast(self.b, tf.float32)
        chain = [self.a]
        for i in range(6):
            chain.append(tf.maximum(chain[-1] * 0.5 + scale, chain[max(0, i - 2)]))
        self.values = [
            *chain[1:],
            tf.reduce_sum(chain[3]),
            tf.concat(tf.split(chain[4], 2), 0),
            tf.add_n([chain[1], chain[2], chain[2], chain[5]]),
            tf.stack([scale, scale * 2]),
            tf.string_join(["b", tf.gather([f"{i:05}" for i in range(20)], self.b)], separator="="),
        ]
        self.quotient = 1000 // self.b
        self.counters = [tf.Variable(np.zeros(n, np.int64)) for n in (1, 3, 50_000)]
        self.counts = [tf.assign_add(c, np.ones(c.shape.as_list(), np.int64)).op for c in self.counters]

    def want(self, a, b):
        chain = [a]
        for i in range(6):
            chain.append(np.maximum(chain[-1] * np.float32(0.5) + np.float32(b), chain[max(0, i - 2)]))
        added = chain[1] + chain[2] + chain[2] + chain[5]
        return [*chain[1:], chain[3].sum(), chain[4], added, np.float32([b, 2 * b]), f"b={b:05}".encode()]


def check(got, want):
    if isinstance(want, bytes):
        assert got == want
    else:
        np.testing.assert_allclose(got, want, rtol=1e-4)


class Client:
    """One thread: runs random kinds of steps and counts what it added."""

    def __init__(self, model, sess, seed):
        self.m, self.sess, self.random = model, sess, random.Random(seed)
        a = np.random.RandomState(seed).rand(SIZE + 2 * (seed % 3)).astype(np.float32)
        self.feed = {model.a: a, model.b: seed + 1}
        self.want = model.want(a, seed + 1)
        self.added = [0, 0, 0]

    def some(self):
        wanted = sorted(self.random.sample(range(len(self.want)), self.random.randint(1, 4)))
        return wanted, [self.m.values[i] for i in wanted]

    def plain(self, options=None, metadata=None):
        wanted, fetches = self.some()
        for i, got in zip(wanted, self.sess.run(fetches, self.feed, options, metadata)):
            check(got, self.want[i])

    def traced(self):
        metadata = tf.RunMetadata()
        self.plain(tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), metadata)
        assert len(metadata.step_stats.dev_stats) > 0

    def limited(self):
        self.plain(tf.RunOptions(timeout_in_ms=100_000))

    def checked(self):
        self.plain(tf.RunOptions(check_numerics=True))

    def failing(self):
        feed = {**self.feed, self.m.b: 0}
        with pytest.raises(tf.errors.InvalidArgumentError, match="ivision by zero"):
            self.sess.run([self.m.quotient, *self.some()[1]], feed)

    def partial(self):
        wanted, fetches = self.some()
        handle = self.sess.partial_run_setup([*fetches, self.m.quotient], [self.m.a, self.m.b])
        assert (
            self.sess.partial_run(handle, self.m.quotient, {self.m.b: self.feed[self.m.b]})
            == 1000 // self.feed[self.m.b]
        )
        for i, got in zip(wanted, self.sess.partial_run(handle, fetches, {self.m.a: self.feed[self.m.a]})):
            check(got, self.want[i])

    def abandoned(self):
        handle = self.sess.partial_run_setup([self.m.quotient, self.m.values[0]], [self.m.a, self.m.b])
        self.sess.partial_run(handle, self.m.quotient, {self.m.b: 7})

    def callable(self):
        i = self.random.randrange(len(self.want))
        call = self.sess.make_callable(self.m.values[i], [self.m.a, self.m.b])
        check(call(*self.feed.values()), self.want[i])

    def counting(self):
        k = self.random.randrange(3)
        self.sess.run(self.m.counts[k], options=self.random.choice([None, tf.RunOptions(timeout_in_ms=100_000)]))
        self.added[k] += 1
        held = self.sess.run(self.m.counters[k])
        assert (held == held[0]).all() and held[0] >= self.added[k]

    def toggling(self):
        for signature in list(self.sess._signatures.values()):
            if self.random.random() < 0.3:
                signature.plan.dynamic = not signature.plan.dynamic

    KINDS = (plain, plain, plain, traced, limited, checked, failing, partial, abandoned, callable, counting, toggling)

    def run(self, n):
        for _ in range(n):
            self.random.choice(self.KINDS)(self)


def test_everything_overlaps():
    with tf.Graph().as_default(), tf.Session() as sess:
        model = Model()
        sess.run(tf.global_variables_initializer())
        clients = [Client(model, sess, i) for i in range(THREADS)]
        in_threads([lambda c=c: c.run(rounds(25)) for c in clients])
        totals = np.sum([c.added for c in clients], 0)
        for counter, total in zip(model.counters, totals):
            assert (sess.run(counter) == total).all()
        assert sess._control.running == 0


def test_several_sessions_on_one_graph():
    with tf.Graph().as_default():
        model = Model()
        init = tf.global_variables_initializer()
        sessions = [tf.Session() for _ in range(4)]
        for s in sessions:
            s.run(init)
        clients = [Client(model, sessions[i % 4], i) for i in range(THREADS)]
        in_threads([lambda c=c: c.run(rounds(12)) for c in clients])
        for k, s in enumerate(sessions):  # each has variables of its own
            total = np.sum([c.added for c in clients[k::4]], 0)
            assert [s.run(c)[0] for c in model.counters] == total.tolist()
            s.close()


@pytest.mark.filterwarnings("ignore:.*has added operations to the graph again and again")
def test_the_graph_grows_while_everything_runs():
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        model = Model()
        sess.run(tf.global_variables_initializer())

        def extend(index):
            with graph.as_default():
                total = tf.cast(model.b, tf.float32)
                for i in range(rounds(12)):
                    with tf.control_dependencies([total]):
                        total = total + float(i)
                    assert sess.run(total, {model.b: index}) == index + i * (i + 1) / 2

        clients = [Client(model, sess, i) for i in range(THREADS - 4)]
        in_threads([lambda c=c: c.run(rounds(10)) for c in clients] + [lambda i=i: extend(i) for i in range(4)])
        totals = np.sum([c.added for c in clients], 0)
        assert [sess.run(c)[0] for c in model.counters] == totals.tolist()


def test_time_limits_and_resuming_meet(slow):
    """A limit that ends a step just when its kernels resume, or it starts, or it is done."""
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [None])
        forever = tf.placeholder_with_default(FOREVER, [])
        after = [tf.cast(kind(forever), tf.float32) for kind in (Wait, Wait, Block)]
        stuck = tf.add_n([*after[:2], tf.reduce_sum(x)])
        blocked = after[2] + tf.reduce_sum(x)
        looping = Loop(tf.placeholder_with_default(30, []))
        free = tf.reduce_sum(tf.exp(x * 0.0))
        values = np.ones(2000, np.float32)
        for fetch in (stuck, blocked, looping, free):  # the plans' constants count from the start
            with contextlib.suppress(tf.errors.DeadlineExceededError):
                sess.run(fetch, {x: values}, tf.RunOptions(timeout_in_ms=1))
        before = in_use()
        stop = threading.Event()
        ended = {"value": 0, "limit": 0}
        lock = threading.Lock()

        def run(index):
            choose = random.Random(index)
            for _ in range(rounds(8)):
                fetch = choose.choice([stuck, blocked, looping, free])
                try:
                    sess.run(fetch, {x: values}, tf.RunOptions(timeout_in_ms=choose.choice([1, 2, 5, 20])))
                    how = "value"
                except tf.errors.DeadlineExceededError:
                    how = "limit"
                with lock:
                    ended[how] += 1

        def release():
            while not stop.is_set():
                slow.slow_release()
                time.sleep(0.002)

        releaser = threading.Thread(target=release)
        releaser.start()
        try:
            in_threads([lambda i=i: run(i) for i in range(THREADS)])
        finally:
            stop.set()
            releaser.join()
        assert ended["value"] + ended["limit"] == THREADS * rounds(8) and ended["limit"] > 0
        assert slow.slow_waiting() == 0 and sess._control.running == 0
        assert sess.run(free, {x: values}) == 2000
        assert in_use() == before


@pytest.mark.parametrize("repeat", range(rounds(3)))
def test_close_while_everything_runs(slow, repeat):
    before = in_use()
    run_and_close()
    assert slow.slow_waiting() == 0
    assert in_use() <= before + 65536


def run_and_close():
    with tf.Graph().as_default():
        model = Model()
        forever = tf.placeholder_with_default(FOREVER, [])
        stuck = [Wait(forever), Block(forever), Loop(forever)]
        init = tf.global_variables_initializer()
        sessions = [tf.Session(), tf.Session()]
        for s in sessions:
            s.run(init)
        started = threading.Semaphore(0)

        def until_closed(step):
            started.release()
            while True:
                try:
                    step()
                except (tf.errors.CancelledError, RuntimeError) as error:
                    assert "losed" in str(error), error
                    return
                except (tf.errors.FailedPreconditionError, tf.errors.InvalidArgumentError) as error:
                    # Closed between two calls: the variables, or the handle of a partial run, are gone.
                    assert "uninitialized" in str(error) or "partial" in str(error).lower(), error

        def close():
            for _ in range(14):
                started.acquire()
            time.sleep(0.05)
            for s in sessions:
                s.close()
                assert s._control.running == 0

        clients = [Client(model, sessions[i % 2], i) for i in range(11)]
        steps = [lambda c=c: c.run(1) for c in clients]
        steps += [lambda t=t: sessions[0].run(t) for t in stuck]
        in_threads([lambda s=s: until_closed(s) for s in steps] + [close, close_quietly(sessions[1])])


def close_quietly(session):
    def close():
        time.sleep(0.05)
        session.close()

    return close


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_forks_while_steps_run():
    with tf.Graph().as_default(), tf.Session() as sess:
        model = Model()
        sess.run(tf.global_variables_initializer())
        product = tf.reduce_sum(tf.matmul(tf.ones([90, 80]), tf.ones([80, 70])))
        stop = threading.Event()

        def busy(client):
            while not stop.is_set():
                client.run(1)

        threads = [threading.Thread(target=busy, args=(Client(model, sess, i),)) for i in range(8)]
        for t in threads:
            t.start()
        try:
            codes = [_fork(sess, product) for _ in range(rounds(3))]
        finally:
            stop.set()
            for t in threads:
                t.join()
    assert codes == [0] * rounds(3)


def _fork(parents_session, product):
    """The exit status of a child that runs steps of its own; -1 if it hangs."""
    child = os.fork()
    if not child:
        code = 1
        try:
            with tf.Session(graph=product.graph) as session:
                values = [session.run(product) for _ in range(12)]
            with pytest.raises(RuntimeError, match="process"):
                parents_session.run(product)
            code = 0 if values == [90 * 80 * 70] * 12 else 2
        finally:
            os._exit(code)
    end = time.monotonic() + 60
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.005)
    os.kill(child, 9)
    os.waitpid(child, 0)
    return -1
