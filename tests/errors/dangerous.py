"""Programs that could crash or hang: each runs in a process of its own, which must end well and soon."""

import gc
import os
import threading
import time

import numpy as np

import tfcore as tf


def fails(cls, text, function):
    """The function raises `cls` with `text`."""
    try:
        function()
    except cls as error:
        assert text in str(error), error
        return
    raise AssertionError(f"{function} did not fail")


def in_threads(count, function):
    """Runs `function(i)` in threads and raises what any of them raises."""
    errors = []

    def call(i):
        try:
            function(i)
        except BaseException as error:  # noqa: BLE001  raised below
            errors.append(error)

    threads = [threading.Thread(target=call, args=(i,)) for i in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if errors:
        raise errors[0]


def in_child(function):
    """Runs the function in a fork and returns its exit status; kills a child that hangs."""
    child = os.fork()
    if child == 0:
        status = 3
        try:
            function()
            status = 0
        finally:
            os._exit(status)
    for _ in range(300):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.1)
    os.kill(child, 9)
    os.waitpid(child, 0)
    raise AssertionError("the child hangs")


def session_of_the_parent_in_a_forked_child():
    x = tf.placeholder(tf.float32)
    v = tf.Variable(tf.zeros([1000, 1000]))
    y, change = v + x, tf.assign_add(v, tf.ones([1000, 1000]))
    with tf.Session() as session:
        session.run(v.initializer)
        call = session.make_callable(y, [x])

        def child():
            fails(RuntimeError, "belongs to the process that forked", lambda: session.run(y, {x: 1}))
            fails(RuntimeError, "belongs to the process that forked", lambda: call(1))
            session.close()
            with tf.Session() as own:  # the graph is the child's too
                own.run(v.initializer)
                assert own.run(y + 1, {x: 1})[0, 0] == 2
                assert own.run(change)[0, 0] == 1

        stop = threading.Event()

        def busy():
            while not stop.is_set():
                session.run(change.op)
                tf.Graph()
                with session.graph.as_default():
                    tf.identity(v, name="again")

        threads = [threading.Thread(target=busy) for _ in range(3)]
        for thread in threads:
            thread.start()
        try:
            for _ in range(15):
                assert in_child(child) == 0
        finally:
            stop.set()
            for thread in threads:
                thread.join()
        assert session.run(y, {x: 0})[0, 0] > 0


def graph_built_by_many_threads():
    graph = tf.Graph()

    def build(i):
        with graph.as_default(), tf.name_scope(f"part{i}"):
            for _ in range(100):
                tf.add(tf.constant(1.0, name="c"), 1.0, name="sum")
            fails(ValueError, "must be equal", lambda: tf.zeros([2]) + tf.zeros([3]))

    in_threads(8, build)
    names = [op.name for op in graph.get_operations()]
    assert len(set(names)) == len(names)
    with tf.Session(graph=graph) as session:
        assert session.run([f"part{i}/sum_99:0" for i in range(8)]) == [2.0] * 8


def default_session_of_another_thread():
    x = tf.constant(1.0)
    with tf.Session():
        assert x.eval() == 1.0
        in_threads(2, lambda i: fails(ValueError, "No default session", x.eval))
        in_threads(2, lambda i: fails(ValueError, "No default session", lambda: tf.group(x).run()))


def blocks_entered_in_one_thread_and_left_in_another():
    session = tf.Session()
    block = session.as_default()
    block.__enter__()
    in_threads(1, lambda i: fails(AssertionError, "Nesting violated", lambda: block.__exit__(None, None, None)))
    block.__exit__(None, None, None)
    assert session.run(tf.constant(1)) == 1


def graph_finalized_while_threads_build():
    graph = tf.Graph()

    def build(i):
        with graph.as_default():
            for _ in range(20000):
                try:
                    tf.constant(1.0)
                except RuntimeError as error:
                    assert "finalized" in str(error)
                    return
        raise AssertionError("never finalized")

    timer = threading.Timer(0.2, graph.finalize)
    timer.start()
    in_threads(4, build)
    with tf.Session(graph=graph) as session:
        assert session.run("Const:0") == 1.0


def close_while_threads_run():
    x = tf.placeholder(tf.float32)
    v = tf.Variable(tf.ones([200, 200]))
    y = tf.matmul(v * x, v)
    for _ in range(10):
        session = tf.Session()
        session.run(v.initializer)

        def run(i, session=session):
            if i == 0:
                time.sleep(0.02)
                session.close()
                return
            while True:
                try:
                    assert session.run(y, {x: 2})[0, 0] == 400
                except (RuntimeError, tf.errors.CancelledError) as error:
                    assert "closed" in str(error).lower(), error
                    return

        in_threads(5, run)


def array_that_changes_while_it_is_fed():
    x = tf.placeholder(tf.float32, [100000])
    total = tf.reduce_sum(x)
    value = np.zeros(100000, np.float32)
    stop = threading.Event()

    def change():
        while not stop.is_set():
            value[:] = 1.0
            value[:] = 0.0

    thread = threading.Thread(target=change)
    thread.start()
    with tf.Session() as session:
        for _ in range(200):
            assert 0 <= session.run(total, {x: value}) <= 100000
    stop.set()
    thread.join()


def array_that_shrinks_after_it_was_fed():
    x = tf.placeholder(tf.float32)
    v = tf.Variable(tf.zeros([50000]), validate_shape=False)
    keep = tf.assign(v, x, validate_shape=False)
    with tf.Session() as session:
        value = np.ones(50000, np.float32)
        got = session.run([keep, x + 0, x], {x: value})
        value[:] = 7.0
        assert (session.run(v) == 1.0).all(), "a variable shares memory with what was fed"
        assert (got[1] == 1.0).all()
        del value
        gc.collect()
        assert (session.run(v) == 1.0).all()


def feed_dictionary_that_changes_in_another_thread():
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    z = x + 1
    feed = {x: 1.0}
    stop = threading.Event()

    def change():
        while not stop.is_set():
            feed[y] = 2.0
            feed.pop(y, None)

    thread = threading.Thread(target=change)
    thread.start()
    with tf.Session() as session:
        for _ in range(3000):
            try:
                assert session.run(z, feed) == 2.0
            except (RuntimeError, ValueError) as error:
                assert "changed" in str(error), error
    stop.set()
    thread.join()


class _Reentrant:
    """A value that runs the session while the session converts it."""

    def __init__(self, session, fetch, others):
        self.session, self.fetch, self.others = session, fetch, others

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.session.run(self.fetch, self.others))


def value_that_runs_the_session_that_is_fed_with_it():
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    z = x * y
    with tf.Session() as session:
        inner = _Reentrant(session, z, {x: 2.0, y: 3.0})
        for _ in range(20):
            assert session.run(z, {x: inner, y: inner}) == 36.0


class _Closing:
    def __init__(self, session):
        self.session = session

    def __array__(self, dtype=None, copy=None):
        self.session.close()
        return np.array(1.0)


def value_that_closes_the_session():
    x = tf.placeholder(tf.float32)
    v = tf.Variable(2.0)
    y = v * x
    session = tf.Session()
    session.run(v.initializer)
    try:
        session.run(y, {x: _Closing(session)})
    except (RuntimeError, tf.errors.OpError):
        pass
    fails(RuntimeError, "closed", lambda: session.run(y, {x: 1.0}))


def session_deleted_while_its_values_live():
    x = tf.constant(np.arange(100000, dtype=np.float32))
    v = tf.Variable(x)
    session = tf.Session()
    session.run(v.initializer)
    got = session.run([v, x, v + 1])
    del session
    gc.collect()
    assert got[0][-1] == 99999 and got[2][-1] == 100000


def deep_graph():
    x = y = tf.placeholder(tf.float32)
    for _ in range(20000):
        y = tf.identity(y)
    g = tf.gradients(y, x)[0]
    with tf.Session() as session:
        assert session.run([y, g], {x: 3.0}) == [3.0, 1.0]


def exception_from_a_thread_that_ends():
    """An error that outlives its thread and its session keeps its text."""
    x = tf.placeholder(tf.int32)
    y = tf.floordiv(1, x, name="bad")
    caught = []

    def run(i):
        with tf.Session() as session:
            try:
                session.run(y, {x: 0})
            except tf.errors.InvalidArgumentError as error:
                caught.append(error)

    in_threads(4, run)
    gc.collect()
    assert len(caught) == 4 and all("[[node bad " in str(e) and e.op is y.op for e in caught)


PROGRAMS = [
    f
    for name, f in list(globals().items())
    if callable(f) and getattr(f, "__module__", "") == __name__ and not name.startswith("_")
    and name not in ("fails", "in_threads", "in_child")
]  # fmt: skip
