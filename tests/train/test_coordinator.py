"""Coordinators: stopping, joining, errors of threads, and threads that loop."""

import os
import sys
import threading

import pytest

import tfcore as tf
from tests.distributed import PATIENCE
from tfcore.train.threads import coordinator


def started(*targets):
    threads = [threading.Thread(target=target, daemon=True) for target in targets]
    for thread in threads:
        thread.start()
    return threads


def report(coord, error, as_tuple):
    """A thread that reports an error to the coordinator."""

    def run():
        try:
            raise error
        except type(error) as caught:
            coord.request_stop(sys.exc_info() if as_tuple else caught)

    return run


def test_stopping():
    coord = tf.train.Coordinator()
    assert not coord.should_stop() and not coord.wait_for_stop(0) and not coord.joined
    coord.request_stop()
    assert coord.should_stop() and coord.wait_for_stop(0) and coord.wait_for_stop()
    coord.raise_requested_exception()  # there is none
    coord.clear_stop()
    assert not coord.should_stop()


def test_wait_for_stop_is_woken():
    coord = tf.train.Coordinator()
    woken = []
    threads = started(*[lambda: woken.append(coord.wait_for_stop(60))] * 3)
    coord.request_stop()
    coord.join(threads)
    assert woken == [True] * 3


def test_join_waits_for_threads_that_end_by_themselves():
    coord = tf.train.Coordinator()
    done = []
    coord.join(started(lambda: done.append(1), lambda: done.append(2)))
    assert sorted(done) == [1, 2] and coord.joined and not coord.should_stop()


def test_join_waits_for_registered_threads():
    coord = tf.train.Coordinator()
    done = []
    (thread,) = started(lambda: (coord.wait_for_stop(), done.append(1)))
    coord.register_thread(thread)
    started(coord.request_stop)
    coord.join()
    assert done == [1]
    coord.clear_stop()
    coord.join()  # forgets those it has waited for


def test_a_thread_that_was_not_started_is_not_waited_for():
    coord = tf.train.Coordinator()
    coord.join([threading.Thread(target=coord.wait_for_stop)])


@pytest.mark.parametrize("grace", [0, 0.01, -1])
def test_threads_that_go_on(grace):
    coord, release = tf.train.Coordinator(), threading.Event()
    threads = started(release.wait, coord.wait_for_stop)
    threads[0].name, threads[1].name = "stubborn", "obedient"
    coord.request_stop()
    threads[1].join()
    with pytest.raises(RuntimeError, match="^Coordinator stopped with threads still running: stubborn$"):
        coord.join(threads, stop_grace_period_secs=grace)
    coord.join(threads, stop_grace_period_secs=grace, ignore_live_threads=True)
    release.set()


def test_a_thread_that_joins_itself_is_still_running():
    coord = tf.train.Coordinator()
    raised = []

    def work():
        coord.request_stop()
        try:
            coord.join([threading.current_thread()], stop_grace_period_secs=60)
        except RuntimeError as error:
            raised.append(str(error))

    (thread,) = started(work)
    thread.join(60)
    assert raised == [f"Coordinator stopped with threads still running: {thread.name}"]


# ---- Errors


@pytest.mark.parametrize("as_tuple", [False, True])
def test_join_raises_the_first_error(as_tuple):
    coord = tf.train.Coordinator()
    first = ValueError("First")
    threads = started(report(coord, first, as_tuple))
    threads[0].join()
    threads += started(report(coord, RuntimeError("Too late"), as_tuple), coord.request_stop)
    for _ in range(2):
        with pytest.raises(ValueError, match="^First$") as caught:
            coord.join(threads)
        assert caught.value is first
    with pytest.raises(ValueError, match="^First$"):
        coord.raise_requested_exception()
    coord.clear_stop()
    coord.raise_requested_exception()
    coord.join()


def test_an_error_counts_more_than_threads_that_go_on():
    coord, release = tf.train.Coordinator(), threading.Event()
    threads = started(release.wait, report(coord, ValueError("First"), False))
    with pytest.raises(ValueError, match="^First$"):
        coord.join(threads, stop_grace_period_secs=0)
    release.set()


def test_an_error_after_a_stop_without_one_is_ignored():
    coord = tf.train.Coordinator()
    coord.request_stop()
    report(coord, ValueError("Too late"), False)()
    coord.join()


@pytest.mark.parametrize("as_tuple", [False, True])
def test_an_error_after_join_is_raised_where_it_is_reported(as_tuple):
    coord = tf.train.Coordinator()
    coord.join([])
    with pytest.raises(RuntimeError, match="^Too late$"):
        report(coord, RuntimeError("Too late"), as_tuple)()
    assert not coord.should_stop()
    report(coord, tf.errors.OutOfRangeError(None, None, "the end"), as_tuple)()  # no error
    assert coord.should_stop()


@pytest.mark.parametrize("as_tuple", [False, True])
def test_some_errors_only_mean_the_end(as_tuple):
    end, other = tf.errors.OutOfRangeError(None, None, "the end"), ValueError("no end")
    coord = tf.train.Coordinator()
    coord.join(started(report(coord, end, as_tuple)))
    assert coord.should_stop()
    coord = tf.train.Coordinator(clean_stop_exception_types=[ValueError])
    coord.join(started(report(coord, other, as_tuple)))
    coord = tf.train.Coordinator(clean_stop_exception_types=[])
    with pytest.raises(tf.errors.OutOfRangeError):
        coord.join(started(report(coord, end, as_tuple)))


def test_an_exception_that_was_never_raised():
    coord = tf.train.Coordinator()
    coord.request_stop(KeyError("made, not raised"))
    with pytest.raises(KeyError, match="made, not raised"):
        coord.join()


@pytest.mark.parametrize("reason", ["text", (), (ValueError, None, None), (1, 2, 3)])
def test_a_reason_that_is_no_exception(reason):
    coord = tf.train.Coordinator()
    coord.request_stop(reason)
    with pytest.raises(ValueError, match="ex must be an exception or a tuple"):
        coord.join()


@pytest.mark.parametrize("error", [ValueError("inside"), KeyboardInterrupt("inside"), SystemExit("inside")])
def test_stop_on_exception(error):
    coord = tf.train.Coordinator()

    def work():
        with coord.stop_on_exception():
            raise error

    with pytest.raises(type(error), match="^inside$"):
        coord.join(started(work))
    coord.clear_stop()
    with coord.stop_on_exception():
        pass
    assert not coord.should_stop()


def test_a_signal_handler_may_request_a_stop_at_any_place():
    """A tracer stands for the handler: it runs at each line once."""
    met, coord, rounds = set(), tf.train.Coordinator(), []

    def handle(frame, event, arg):
        file = frame.f_code.co_filename
        if file not in (coordinator.__file__, threading.__file__):
            return None
        if event == "line" and (file, frame.f_lineno) not in met:
            met.add((file, frame.f_lineno))
            coord.raise_requested_exception()
            coord.request_stop()
        return handle

    def work():
        sys.settrace(handle)
        for _ in range(100):
            thread = threading.Thread(target=coord.wait_for_stop, daemon=True)
            thread.start()
            coord.register_thread(thread)
            coord.raise_requested_exception()
            coord.wait_for_stop(0.001)
            coord.request_stop()
            coord.join()
            rounds.append(coord.should_stop())
            coord.clear_stop()

    (thread,) = started(work)
    thread.join(60 * PATIENCE)
    assert rounds == [True] * 100 and len(met) > 20


# ---- Threads that loop


def test_looper_calls_a_function():
    coord, calls = tf.train.Coordinator(), []

    def target(step, more):
        calls.append((step, more))
        if len(calls) == 3:
            coord.request_stop()

    looper = tf.train.LooperThread.loop(coord, 0.0, target, args=(1,), kwargs={"more": 2})
    coord.join()  # it is registered
    assert calls == [(1, 2)] * 3 and looper.daemon and not looper.is_alive()


@pytest.mark.parametrize("interval", [None, 0.0, 0.001])
def test_looper_calls_its_methods(interval):
    class Looper(tf.train.LooperThread):
        calls = ""

        def start_loop(self):
            self.calls += "start "

        def run_loop(self):
            self.calls += "run "
            if self.calls.count("run") == 2:
                self._coord.request_stop()

        def stop_loop(self):
            self.calls += "stop"

    coord = tf.train.Coordinator()
    looper = Looper(coord, interval)
    looper.start()
    coord.join()
    assert looper.calls == "start run run stop"


def test_looper_reports_its_error():
    coord = tf.train.Coordinator()

    def fail():
        raise ValueError("in the loop")

    tf.train.LooperThread.loop(coord, None, fail)
    with pytest.raises(ValueError, match="^in the loop$"):
        coord.join()


def test_looper_stops_while_it_waits():
    coord, called = tf.train.Coordinator(), threading.Event()
    tf.train.LooperThread.loop(coord, 3600, called.set)
    assert called.wait(60)
    coord.request_stop()
    coord.join(stop_grace_period_secs=60)


def test_wrong_arguments_of_a_looper():
    with pytest.raises(ValueError, match="'coord' argument must be a Coordinator: 1"):
        tf.train.LooperThread(1, None)
    coord = tf.train.Coordinator()
    for given in ({"args": (1,)}, {"kwargs": {"a": 1}}):
        with pytest.raises(ValueError, match="require that you also pass 'target'"):
            tf.train.LooperThread(coord, None, **given)
    coord.join()  # none of them is registered


def test_fork_while_a_thread_holds_the_locks():
    coord = tf.train.Coordinator()
    with coord._lock:
        pid = os.fork()
        if pid == 0:
            try:
                coord.request_stop()
                coord.join()
                os._exit(0 if coord.should_stop() else 1)
            finally:
                os._exit(2)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert not coord.should_stop()
