"""Monitored sessions: hooks and their order, threads, errors, recovery, the end; functions that run steps."""

import functools
import os
import threading
import types

import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g
    tf.summary.FileWriterCache.clear()


class Recorder(tf.train.SessionRunHook):
    """Notes what is called; `actions` says what else to do: a name of a method, and a function of its arguments."""

    def __init__(self, log, name="", fetches=None, feed_dict=None, options=None, **actions):
        self.log, self.name, self.actions = log, name, actions
        self.request = tf.train.SessionRunArgs(fetches, feed_dict, options)
        self.results = []

    def _note(self, method, *args):
        self.log.append(self.name + method)
        if method in self.actions:
            self.actions[method](*args)

    def begin(self):
        self._note("begin")

    def after_create_session(self, session, coord):
        self.session, self.coord = session, coord
        self._note("after_create_session", session, coord)

    def before_run(self, run_context):
        self._note("before_run", run_context)
        return None if self.request == (None, None, None) else self.request

    def after_run(self, run_context, run_values):
        self.values = run_values
        self.results.append(run_values.results)
        self._note("after_run", run_context, run_values)

    def end(self, session):
        self._note("end", session)


def raising(*errors):
    """A function that raises each of some errors once, and then nothing."""
    left = list(errors)

    def action(*args):
        if left:
            raise left.pop(0)

    return action


def aborted(text="a task is gone"):
    return tf.errors.AbortedError(None, None, text)


def unavailable(text="a task is gone"):
    return tf.errors.UnavailableError(None, None, text)


def counter():
    step = tf.train.get_or_create_global_step()
    return step, tf.assign_add(step, 1)


# ---- Hooks


def test_the_order_of_calls(graph):
    log, (_, increment) = [], counter()
    hooks = [Recorder(log, "a."), Recorder(log, "b.")]
    with tf.train.MonitoredSession(hooks=hooks) as sess:
        assert graph.finalized and sess.graph is graph
        assert log == ["a.begin", "b.begin", "a.after_create_session", "b.after_create_session"]
        del log[:]
        assert sess.run(increment) == 1
        assert log == ["a.before_run", "b.before_run", "a.after_run", "b.after_run"]
        del log[:]
    assert log == ["a.end", "b.end"] and not graph.finalized
    assert sess.graph is None and sess.should_stop() and hooks[0].session is hooks[1].session


def test_hooks_fetch_and_feed():
    a, b = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    total, product = a + b, a * b
    hooks = [
        Recorder([], fetches=total, feed_dict={a: 2}),
        Recorder([]),
        Recorder([], fetches={"both": [a, (product,)]}, feed_dict={b: 5}),
        Recorder([], fetches=[]),
    ]
    with tf.train.MonitoredSession(hooks=hooks) as sess:
        assert sess.run({"sum": total, "more": [product]}) == {"sum": 7, "more": [10]}
        assert sess.run([]) == [] and sess.run(total) == 7
    assert hooks[0].results == [7, 7, 7] and hooks[1].results == [None] * 3
    assert hooks[2].results == [{"both": [2, (10,)]}] * 3 and hooks[3].results == [[]] * 3


def test_the_context_that_hooks_get():
    x = tf.placeholder(tf.float32, [])
    y, contexts = x + 1, []
    hook = Recorder([], before_run=contexts.append, after_run=lambda context, values: contexts.append(context))
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        sess.run(y, {x: 1.0})
        assert contexts[0] is contexts[1] and contexts[0].session is hook.session
        assert contexts[0].original_args == tf.train.SessionRunArgs(y, {x: 1.0})
        assert contexts[0].session.run(y, {x: 2.0}) == 3.0  # without hooks
        assert len(contexts) == 2


def test_a_tensor_that_is_fed_twice():
    a, b = tf.placeholder(tf.int32, []), tf.placeholder(tf.int32, [])
    with tf.train.MonitoredSession(hooks=[Recorder([], feed_dict={a: 1})]) as sess:
        with pytest.raises(
            RuntimeError, match="Same tensor is fed by a SessionRunHook and user. Conflict.*Placeholder"
        ):
            sess.run(a, {a: 2})
        assert sess.run([a, b], {b: 2}) == [1, 2]
    log = []
    hooks = [Recorder(log, "1.", feed_dict={a: 1}), Recorder(log, "2.", feed_dict={a: 1}), Recorder(log, "3.")]
    with tf.train.MonitoredSession(hooks=hooks) as sess:
        del log[:]
        with pytest.raises(RuntimeError, match="Same tensor is fed by two hooks. Conflict"):
            sess.run(b, {b: 2})
        assert log == ["1.before_run", "2.before_run"]


def test_a_hook_that_asks_for_something_of_another_type():
    class Hook(tf.train.SessionRunHook):
        def before_run(self, run_context):
            return []

    with tf.train.MonitoredSession(hooks=[Hook()]) as sess:
        with pytest.raises(AttributeError, match="has no attribute"):
            sess.run("init")


def test_options_are_merged():
    FULL, SOFTWARE = tf.RunOptions.FULL_TRACE, tf.RunOptions.SOFTWARE_TRACE
    hooks = [
        Recorder([], options=tf.RunOptions(timeout_in_ms=70_000, trace_level=SOFTWARE)),
        Recorder([], options=tf.RunOptions(timeout_in_ms=60_000, trace_level=FULL, output_partition_graphs=True)),
    ]
    x = tf.constant(1) + 1
    with tf.train.MonitoredSession(hooks=hooks) as sess:
        own, metadata = tf.RunOptions(report_tensor_allocations_upon_oom=True), tf.RunMetadata()
        sess.run(x, options=own, run_metadata=metadata)
        values = hooks[0].values
        assert (values.options.timeout_in_ms, values.options.trace_level) == (70_000, FULL)
        assert values.options.output_partition_graphs and values.options.report_tensor_allocations_upon_oom
        assert own == tf.RunOptions(report_tensor_allocations_upon_oom=True)
        assert values.run_metadata is metadata and len(metadata.step_stats.dev_stats) > 0
        sess.run(x)
        assert hooks[1].values.run_metadata is not metadata
        assert len(hooks[1].values.run_metadata.step_stats.dev_stats) > 0


def test_options_without_requests():
    hook = Recorder([])
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        sess.run(tf.get_default_graph().get_operations()[0])
        assert hook.values.options == tf.RunOptions() and hook.values.run_metadata == tf.RunMetadata()
        metadata, options = tf.RunMetadata(), tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        sess.run("init", options=options, run_metadata=metadata)
        assert hook.values.options is options and len(metadata.step_stats.dev_stats) > 0
    with tf.train.MonitoredSession() as sess:  # without hooks
        metadata = tf.RunMetadata()
        sess.run("init", options=options, run_metadata=metadata)
        assert len(metadata.step_stats.dev_stats) > 0


def test_a_hook_ends_the_loop():
    _, increment = counter()
    hook = Recorder([], after_run=lambda context, values: context.request_stop())
    with tf.train.MonitoredSession(hooks=[hook, Recorder(hook.log)]) as sess:
        assert not sess.should_stop()
        assert sess.run(increment) == 1
        assert sess.should_stop()
        with pytest.raises(RuntimeError, match="Run called even after should_stop requested."):
            sess.run(increment)
    assert hook.log[-4:] == ["after_run", "after_run", "end", "end"]  # a stop keeps no hook from its work


def test_hooks_may_add_operations_only_at_their_beginning(graph):
    made = []
    hook = Recorder([], begin=lambda: made.append(tf.constant(3)))
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        assert sess.run(made[0]) == 3
        with pytest.raises(RuntimeError, match="finalized"):
            tf.constant(4)


def test_a_graph_that_was_finalized_stays_so(graph):
    scaffold = tf.train.Scaffold().finalize()
    with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold)):
        pass
    assert graph.finalized


# ---- Errors


@pytest.mark.parametrize("method", ["begin", "after_create_session"])
def test_errors_of_hooks_at_the_beginning(method):
    queue = tf.FIFOQueue(1, tf.int32)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(1)]))
    log = []
    first, second = Recorder(log, "a."), Recorder(log, "b.", **{method: raising(ValueError("in the hook"))})
    with pytest.raises(ValueError, match="^in the hook$"):
        tf.train.MonitoredSession(hooks=[first, second])
    assert log[-1] == "b." + method and not any(entry.endswith("end") for entry in log)
    if method == "after_create_session":
        assert first.session._closed and first.coord.joined  # the threads have ended


@pytest.mark.parametrize("method", ["before_run", "after_run"])
def test_errors_of_hooks_in_a_step(method):
    _, increment = counter()
    log = []
    hooks = [Recorder(log, "a."), Recorder(log, "b.", **{method: raising(ValueError("in the hook"))})]
    with pytest.raises(ValueError, match="^in the hook$"):
        with tf.train.MonitoredSession(hooks=hooks) as sess:
            sess.run(increment)
    assert log[-1] == "b." + method and hooks[0].session._closed  # no `end`


def test_errors_of_hooks_at_the_end(graph):
    hook = Recorder([], end=raising(ValueError("in the hook")))
    with pytest.raises(ValueError, match="^in the hook$"):
        with tf.train.MonitoredSession(hooks=[hook]):
            pass
    assert hook.session._closed and not graph.finalized


@pytest.mark.parametrize("cls", [tf.train.MonitoredSession, tf.train.SingularMonitoredSession])
def test_an_error_of_the_block_is_raised(cls):
    hook = Recorder([])
    with pytest.raises(KeyError, match="in the block"):
        with cls(hooks=[hook]):
            raise KeyError("in the block")
    assert hook.session._closed and "end" not in hook.log


@pytest.mark.parametrize("error", [tf.errors.OutOfRangeError(None, None, "the end"), StopIteration("the end")])
def test_the_end_of_the_input_ends_the_block(error):
    hook = Recorder([])
    with tf.train.MonitoredSession(hooks=[hook]):
        raise error
    assert hook.log[-1] == "end" and hook.session._closed


def test_errors_of_steps():
    x = tf.placeholder(tf.float32, [2])
    hook = Recorder([])
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match="You must feed a value"):
            sess.run(x)
        assert list(sess.run(x, {x: [1, 2]})) == [1, 2] and hook.log.count("after_run") == 1


def test_a_closed_session():
    for cls in (tf.train.MonitoredSession, tf.train.SingularMonitoredSession):
        hook = Recorder([])
        sess = cls(hooks=[hook])
        sess.close()
        for use, *args in ((sess.close,), (sess.run, "init"), (sess.run_step_fn, lambda step_context: None)):
            with pytest.raises(RuntimeError, match="Session is already closed."):
                use(*args)
        assert sess.should_stop() and hook.log.count("end") == 1 and sess._is_closed()


# ---- Threads


def failing_queue_runner(error):
    """A queue whose runner fails when an event is set."""
    event = threading.Event()

    def value():
        event.wait(60)
        raise error

    queue = tf.FIFOQueue(10, tf.int32)
    number = tf.py_func(value, [], tf.int32)
    number.set_shape([])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)]))
    return queue, event


def test_queue_runners_are_started_and_stopped():
    queue = tf.FIFOQueue(10, tf.int32)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(7)] * 2))
    take, hook = queue.dequeue(), Recorder([])
    before = threading.active_count()
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        assert [sess.run(take) for _ in range(50)] == [7] * 50
        assert tf.train.start_queue_runners(sess) == []  # programs may ask for it again
    assert hook.coord.joined and threading.active_count() <= before


def test_the_end_of_a_queue_ends_the_loop():
    queue = tf.FIFOQueue(10, tf.int32)
    v = tf.Variable(0)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(v.count_up_to(5))]))
    take, taken = queue.dequeue(), []
    with tf.train.MonitoredSession() as sess:
        while not sess.should_stop():
            taken.append(sess.run(take))
    assert taken == [0, 1, 2, 3, 4]


def test_an_error_of_a_thread_is_raised_at_the_end():
    queue, event = failing_queue_runner(ValueError("in the thread"))
    hook, size = Recorder([]), queue.size()
    with pytest.raises(tf.errors.OpError, match="in the thread"):
        with tf.train.MonitoredSession(hooks=[hook]) as sess:
            event.set()
            while not sess.should_stop():
                sess.run(size)
    assert hook.log[-1] == "end" and hook.session._closed


def test_an_error_of_a_thread_in_a_session_that_does_not_recover():
    _, event = failing_queue_runner(ValueError("in the thread"))
    hook = Recorder([])
    with pytest.raises(tf.errors.OpError, match="in the thread"):
        with tf.train.SingularMonitoredSession(hooks=[hook]) as sess:
            event.set()
            hook.coord.wait_for_stop(60)
            with pytest.raises(tf.errors.OpError, match="in the thread"):
                sess.should_stop()


@pytest.mark.parametrize("make", [aborted, unavailable])
def test_a_preempted_thread_of_a_session_that_does_not_recover(make):
    _, event = failing_queue_runner(make("in the thread"))
    hook = Recorder([])
    with pytest.raises(type(make()), match="in the thread"):
        with tf.train.SingularMonitoredSession(hooks=[hook]):
            event.set()
            hook.coord.wait_for_stop(60)
    assert hook.log[-1] == "end" and hook.session._closed


def test_a_step_that_fails_because_a_thread_failed_has_its_own_error():
    queue, event = failing_queue_runner(ValueError("in the thread"))
    take = queue.dequeue()
    with pytest.raises(tf.errors.OpError, match="in the thread"):  # of the thread, as the more important one
        with tf.train.MonitoredSession() as sess:
            event.set()
            with pytest.raises(tf.errors.OutOfRangeError, match="is closed and has insufficient elements"):
                sess.run(take)


def test_a_stop_that_a_thread_asks_for():
    hook = Recorder([], after_create_session=lambda session, coord: coord.request_stop())
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        assert sess.should_stop()


def test_threads_that_go_on_are_left_alone():
    release, threads = threading.Event(), []

    def start(session, coord):
        threads.append(threading.Thread(target=release.wait, daemon=True))
        threads[0].start()
        coord.register_thread(threads[0])

    with tf.train.MonitoredSession(hooks=[Recorder([], after_create_session=start)], stop_grace_period_secs=0.01):
        pass
    assert threads[0].is_alive()
    release.set()


# ---- Recovery


@pytest.mark.parametrize("make", [aborted, unavailable])
@pytest.mark.parametrize("method", ["before_run", "after_run"])
def test_a_new_session_replaces_one_that_fails(make, method, tmp_path):
    step, increment = counter()
    saver = Recorder([], after_run=lambda context, values: saves(context.session))
    writer = tf.train.Saver()

    def saves(session):
        writer.save(session, str(tmp_path / "model"), global_step=step)

    hook = Recorder([], fetches=step, **{method: raising(make())})
    creator = tf.train.ChiefSessionCreator(checkpoint_dir=str(tmp_path), scaffold=tf.train.Scaffold(saver=writer))
    with tf.train.MonitoredSession(creator, [saver, hook]) as sess:
        first, coord = hook.session, hook.coord
        # Where `after_run` fails, the first hook has saved, and the step is run again after that.
        assert sess.run(increment) == (1 if method == "before_run" else 2)
        assert first._closed and coord.joined and hook.session is not first and hook.coord is not coord
        assert hook.log.count("begin") == 1 and hook.log.count("after_create_session") == 2
        assert not sess.should_stop() and sess._tf_sess() is hook.session
        second = hook.session
        sess.run(increment)
        assert hook.session is second


def test_a_session_that_does_not_recover():
    _, increment = counter()
    with pytest.raises(tf.errors.AbortedError):
        with tf.train.SingularMonitoredSession(hooks=[Recorder([], before_run=raising(aborted()))]) as sess:
            sess.run(increment)


def test_a_session_is_replaced_as_often_as_it_fails():
    _, increment = counter()
    errors = [aborted(), unavailable(), aborted()]
    hook = Recorder([], before_run=raising(*errors))
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        assert sess.run(increment) == 1
    assert hook.log.count("after_create_session") == 4


def test_a_session_that_can_not_be_made_at_first(monkeypatch):
    pauses = []
    monkeypatch.setattr("tfcore.train.sessions.monitored_session.time", types.SimpleNamespace(sleep=pauses.append))

    class Creator(tf.train.ChiefSessionCreator):
        fail = staticmethod(raising(*[unavailable() for _ in range(8)]))

        def create_session(self):
            self.fail()
            return super().create_session()

    hook = Recorder([], after_create_session=raising(aborted()))
    with tf.train.MonitoredSession(Creator(), [hook]) as sess:
        sess.run("init")
    assert pauses == [0.05, 0.1, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2, 0.2]


def test_other_errors_of_a_creator_are_raised():
    class Creator(tf.train.SessionCreator):
        def create_session(self):
            raise KeyError("no session")

    with pytest.raises(KeyError, match="no session"):
        tf.train.MonitoredSession(Creator())
    with pytest.raises(TypeError, match="abstract"):
        tf.train.SessionCreator()


def test_a_session_that_can_not_be_replaced_is_made_at_the_next_step():
    _, increment = counter()

    class Creator(tf.train.ChiefSessionCreator):
        calls = 0

        def create_session(self):
            self.calls += 1
            if self.calls == 2:
                raise KeyError("no session")
            return super().create_session()

    hook = Recorder([], before_run=raising(aborted()))
    with tf.train.MonitoredSession(Creator(), [hook]) as sess:
        with pytest.raises(KeyError, match="no session"):
            sess.run(increment)
        assert sess.should_stop() and sess.graph is None
        assert sess.run(increment) == 1
        assert not sess.should_stop()


def test_an_error_while_a_failed_session_is_closed():
    """The error of a thread counts: training that continues without that thread would hang."""
    _, increment = counter()
    _, event = failing_queue_runner(ValueError("in the thread"))

    def fail(context):
        event.set()
        hook.coord.wait_for_stop(60)
        raise aborted()

    hook = Recorder([], before_run=fail)
    with pytest.raises(tf.errors.OpError, match="in the thread"):
        with tf.train.MonitoredSession(hooks=[hook]) as sess:
            sess.run(increment)


@pytest.mark.parametrize("use", ["run", "should_stop"])
def test_a_thread_that_was_preempted(use):
    """What a step meets then is a consequence: a queue that the stop has closed."""
    v = tf.Variable(0, collections=[tf.GraphKeys.LOCAL_VARIABLES])
    fail = raising(aborted())

    def value():
        fail()
        return 5

    queue = tf.FIFOQueue(10, tf.int32)
    number = tf.py_func(value, [], tf.int64)
    number.set_shape([])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(tf.cast(number, tf.int32) + v)]))
    take, hook = queue.dequeue(), Recorder([])
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        if use == "should_stop":
            hook.coord.wait_for_stop(60)
            assert not sess.should_stop()
        assert [sess.run(take) for _ in range(3)] == [5, 5, 5]
    assert hook.log.count("after_create_session") == 2


def test_variables_that_a_replaced_task_has_lost(monkeypatch):
    """A task that is lost and comes back between two steps: nothing fails but what reads its variables."""
    step, increment = counter()
    changes = [0]
    monkeypatch.setattr(tf.Session, "_cluster_changes", lambda self: changes[0])

    def lost(text):
        return tf.errors.FailedPreconditionError(None, None, text)

    hook = Recorder([], before_run=raising(lost("uninitialized value v"), lost("uninitialized value v")))
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        with pytest.raises(tf.errors.FailedPreconditionError):
            sess.run(increment)  # nobody was replaced
        changes[0] += 1
        assert sess.run(increment) == 1
    assert hook.log.count("after_create_session") == 2


@pytest.mark.parametrize("use", ["run", "run_step_fn"])
def test_steps_that_fail_for_good(use, monkeypatch):
    """Of a session that can be made, as all variables are here, while a step needs a task that won't come back."""
    _, increment = counter()
    pauses, comes_back = [], [False]
    monkeypatch.setattr("tfcore.train.sessions.monitored_session.time", types.SimpleNamespace(sleep=pauses.append))
    monkeypatch.setattr("tfcore.train.sessions.cluster_state.may_recover", lambda: comes_back[0])

    def failures(n):
        pauses.clear()
        hook.actions["before_run"] = raising(*[unavailable(f"failure {i}") for i in range(n)])

    def step(sess):
        if use == "run":
            return sess.run(increment)
        return sess.run_step_fn(lambda step_context: step_context.run_with_hooks(increment))

    hook, limit = Recorder([]), 9 if use == "run" else 8  # `run` pauses, and counts, only from the second failure on
    with pytest.raises(tf.errors.UnavailableError, match=f"failure {limit - 1}"):
        with tf.train.MonitoredSession(hooks=[hook]) as sess:
            comes_back[0] = True
            failures(20)
            assert step(sess) == 1
            comes_back[0] = False
            for _ in range(2):  # the count begins again after a step that works
                failures(limit - 1)
                assert step(sess) == 1
            assert pauses == [0.05, 0.1, 0.2, 0.2, 0.2, 0.2, 0.2]
            made = hook.log.count("after_create_session")
            failures(100)
            step(sess)
    assert hook.log.count("after_create_session") == made + limit - 1
    assert hook.session._closed and "end" not in hook.log


@pytest.mark.parametrize("use", ["run", "should_stop", "close"])
def test_variables_that_a_thread_misses_after_a_task_was_replaced(use, monkeypatch):
    _, increment = counter()
    changes, fail = [0], raising(tf.errors.FailedPreconditionError(None, None, "uninitialized value v"))
    monkeypatch.setattr(tf.Session, "_cluster_changes", lambda self: changes[0])

    def lose():
        fail()
        return 5

    queue = tf.FIFOQueue(10, tf.int64)
    number = tf.py_func(lose, [], tf.int64)
    number.set_shape([])
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(number)]))
    take, hook = queue.dequeue(), Recorder([])
    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        hook.coord.wait_for_stop(60)
        changes[0] += 1
        if use == "run":
            assert sess.run(take) == 5  # and not the consequence, a queue that is closed
        elif use == "should_stop":
            assert not sess.should_stop() and sess.run(take) == 5
        else:
            hook.actions["before_run"] = raising(aborted())
            assert sess.run(increment) == 1  # although the thread's error is raised while the session is closed
    assert hook.log.count("after_create_session") == 2 and hook.log[-1] == "end"


# ---- Functions that run steps


@pytest.mark.parametrize("cls", [tf.train.MonitoredSession, tf.train.SingularMonitoredSession])
def test_run_step_fn(cls):
    step, increment = counter()
    hook = Recorder([])

    def step_fn(step_context):
        assert isinstance(step_context, tf.train.MonitoredSession.StepContext)
        assert step_context.session is hook.session
        step_context.session.run(increment)
        return step_context.run_with_hooks(fetches=increment)

    class Trainer:
        def train(self, step_context):
            return step_context.run_with_hooks(step)

    with cls(hooks=[hook]) as sess:
        assert sess.run_step_fn(step_fn) == 2 and hook.log.count("before_run") == 1
        assert sess.run_step_fn(Trainer().train) == 2 and hook.log.count("before_run") == 2


def test_arguments_of_step_functions():
    tf.constant(2, name="x")
    with tf.train.MonitoredSession() as sess:
        for wrong in (lambda: 1, lambda context: 1, lambda step_context, more: 1, lambda other, step_context: 1):
            with pytest.raises(ValueError, match="`step_fn` may either have one `step_context` argument"):
                sess.run_step_fn(wrong)

        def scaled(step_context, factor, *more, offset=1):
            return step_context.run_with_hooks(tf.get_default_graph().get_tensor_by_name("x:0")) * factor + offset

        assert sess.run_step_fn(functools.partial(scaled, factor=10)) == 21


def test_a_step_function_ends_the_loop():
    _, increment = counter()
    hook, values = Recorder([]), []

    def step_fn(step_context):
        values.append(step_context.run_with_hooks(increment))
        if values[-1] == 3:
            step_context.request_stop()

    with tf.train.MonitoredSession(hooks=[hook]) as sess:
        while not sess.should_stop():
            sess.run_step_fn(step_fn)
        raise AssertionError("the loop continues")
    assert values == [1, 2, 3] and hook.log[-1] == "end"


def test_step_functions_are_called_again_with_a_new_session():
    _, increment = counter()
    fail, sessions = raising(aborted(), unavailable()), []

    def step_fn(step_context):
        sessions.append(step_context.session)
        fail()
        return step_context.run_with_hooks(increment), step_context.session.run(increment)

    with tf.train.MonitoredSession(hooks=[Recorder([])]) as sess:
        assert sess.run_step_fn(step_fn) == (1, 2)
    assert len({id(s) for s in sessions}) == 3
    with pytest.raises(tf.errors.AbortedError):
        with tf.train.SingularMonitoredSession() as sess:
            fail = raising(aborted())
            sess.run_step_fn(step_fn)


def test_an_error_of_a_step_function():
    with pytest.raises(ZeroDivisionError):
        with tf.train.MonitoredSession() as sess:
            sess.run_step_fn(lambda step_context: 1 / 0)


# ---- Other properties


def test_the_session_itself(graph, tmp_path):
    v = tf.Variable(3.0)
    saver = tf.train.Saver()
    with tf.train.SingularMonitoredSession() as sess:
        assert isinstance(sess.raw_session(), tf.Session) and sess.graph is graph
        assert v.eval(session=sess) == 3.0 and sess.raw_session().run(v) == 3.0
        inner = sess
        while type(inner) is not tf.Session:  # how programs get at it
            inner = inner._sess
        assert inner is sess.raw_session()
    with tf.train.MonitoredSession() as sess:
        assert v.eval(session=sess) == 3.0
        with pytest.raises(TypeError, match=r"'sess' must be a Session; .*sess\.run_step_fn\(lambda step_context"):
            saver.save(sess, "model")
        prefix = str(tmp_path / "model")
        assert sess.run_step_fn(lambda step_context: saver.save(step_context.session, prefix)) == prefix


def test_a_singular_session_restores(tmp_path):
    v = tf.Variable(3.0)
    saver = tf.train.Saver()
    with tf.Session() as sess:
        v.load(7.0, sess)
        path = saver.save(sess, str(tmp_path / "model"))
    scaffold = tf.train.Scaffold(saver=saver)
    for where in ({"checkpoint_dir": str(tmp_path)}, {"checkpoint_filename_with_path": path}):
        with tf.train.SingularMonitoredSession(scaffold=scaffold, **where) as sess:
            assert sess.run(v) == 7.0


def test_in_a_forked_process():
    v = tf.Variable(3.0)
    sess = tf.train.MonitoredSession()
    pid = os.fork()
    if pid == 0:
        code = 1
        try:
            try:
                sess.run(v)
            except RuntimeError as error:
                code = 0 if "belongs to the process that forked this one" in str(error) else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert sess.run(v) == 3.0
    sess.close()
