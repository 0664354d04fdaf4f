"""The lines about slow first runs."""

import re
import sys
import threading
import time

import pytest

import tfcore as tf
from tfcore.compiler import compile as compiler
from tfcore.core.threads import progress


@pytest.fixture
def fast(monkeypatch):
    """Lines come after a very short time; returns a function that waits for one."""
    monkeypatch.setattr(progress, "seconds", 0.001)
    seen = threading.Event()
    report = progress.report

    def tell(now):
        report(now)
        if any(a.due > progress.seconds for a in progress._running.values()):
            seen.set()

    monkeypatch.setattr(progress, "report", tell)
    return lambda: seen.wait(60)


def test_a_line_names_the_phase_of_a_slow_first_run(fast, monkeypatch, capfd):
    fold = compiler.fold_constants

    def slow_fold(*args):
        assert fast(), "no line came"
        fold(*args)

    monkeypatch.setattr(compiler, "fold_constants", slow_fold)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float32, [])
        y = tf.exp(x + 1.0)
        assert sess.run(y, {x: -1.0}) == 1.0
        lines = capfd.readouterr().err.splitlines()
        wanted = r"tfcore: compiling a plan of 3 operations \(constant folding\), \d+\.\d s so far"
        assert any(re.fullmatch(wanted, line) for line in lines), lines
        assert not progress._running
        assert sess.run(y, {x: -1.0}) == 1.0  # not a first run
        assert not progress._running
    assert "tfcore:" not in capfd.readouterr().err


def test_lines_become_rarer(monkeypatch, capfd):
    monkeypatch.setattr(progress, "_start", lambda: None)
    with progress.first_run():
        since = next(iter(progress._running.values())).since
        progress.phase("waiting")
        for after in (1, 1.9, 2.1, 2.2, 8, 9, 10, 35, 37):
            progress.report(since + after)
        with progress.first_run():  # a run inside of a run is part of it
            assert len(progress._running) == 1
        progress.report(since + 200)
    progress.report(since + 10_000)
    lines = [f"tfcore: waiting, {t} s so far" for t in ("2.1", "9.0", "37.0", "200.0")]
    assert capfd.readouterr().err.splitlines() == lines


def test_switched_off(monkeypatch):
    monkeypatch.setattr(progress, "seconds", 0.0)
    with progress.first_run():
        progress.phase("nothing")
        assert not progress._running


def test_errors_end_the_watch(fast):
    with tf.Graph().as_default(), tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError):
            sess.run(tf.check_numerics(tf.constant(float("nan")), "bad") + tf.placeholder(tf.float32, []))
        assert not progress._running
        with pytest.raises(TypeError):
            sess.run(None)
        assert not progress._running


def test_the_thread_ends_when_there_is_nothing_to_watch(monkeypatch):
    monkeypatch.setattr(progress, "seconds", 0.001)
    monkeypatch.setattr(progress, "_IDLE_ROUNDS", 2)
    with progress.first_run():
        pass
    deadline = time.monotonic() + 60
    while progress._watcher is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert progress._watcher is None
    with progress.first_run():
        assert progress._watcher is not None


def test_the_watcher_outlives_a_closed_standard_error(monkeypatch):
    class Closed:
        def write(self, text):
            raise BrokenPipeError

    monkeypatch.setattr(progress, "_start", lambda: None)
    monkeypatch.setattr(sys, "stderr", Closed())
    with progress.first_run():
        progress.report(time.monotonic() + 100)
        assert next(iter(progress._running.values())).due >= 400


def test_a_signal_handler_may_begin_a_first_run_at_any_moment(monkeypatch):
    monkeypatch.setattr(progress, "_watcher", None)
    monkeypatch.setattr(progress, "_lock", type(progress._lock)())  # other tests don't wait for it

    def run():
        with progress._lock:  # the handler comes now
            with progress.first_run():
                ended.append(len(progress._running))

    ended = []
    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(60)
    assert ended == [1]


def test_without_a_thread_for_the_report_the_run_goes_on(monkeypatch):
    def fail(thread):
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(progress, "_watcher", None)
    monkeypatch.setattr(threading.Thread, "start", fail)
    with tf.Graph().as_default(), tf.Session() as session:
        assert session.run(tf.constant(3)) == 3
    assert progress._watcher is None
