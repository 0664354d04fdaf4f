"""What is said about long work, on a terminal and elsewhere."""

import contextlib
import fcntl
import os
import re
import struct
import sys
import termios
import threading
import time
import tty

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
        if any(a._due > progress.seconds for a in progress._running.values()):
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
    monkeypatch.setattr(progress, "seconds", 2)
    with progress.work("compiling a plan"):
        since = next(iter(progress._running.values()))._since
        progress.phase("waiting")
        for after in (1, 1.9, 2.1, 2.2, 8, 9, 10, 35, 37):
            progress.report(since + after)
        with progress.work("compiling a plan"):  # a run inside of a run is part of it
            assert len(progress._running) == 1
        progress.report(since + 200)
    progress.report(since + 10_000)
    lines = [f"tfcore: waiting, {t} s so far" for t in ("2.1", "9.0", "37.0", "200.0")]
    assert capfd.readouterr().err.splitlines() == lines


def test_how_far_it_is(monkeypatch, capfd):
    """Work within counted work does not hide the count; other work is a phase, with the time of the whole."""
    monkeypatch.setattr(progress, "_start", lambda: None)
    monkeypatch.setattr(progress, "seconds", 2)
    with progress.work("restoring", 4000, " MB", lambda: 1200) as counted:
        with progress.work("compiling a plan"):
            progress.phase("running")
            progress.report(counted._since + 3)
    with progress.work("training") as outer:
        progress.report(outer._since + 3)
        with progress.work("compiling a kernel") as inner:
            progress.report(outer._since + 4)
            progress.report(outer._since + 13)
        progress.report(outer._since + 14)
        progress.report(outer._since + 60)
        assert inner._since == outer._since
    with progress.work("levels", 7) as counted:
        progress.report(counted._since + 3)  # nothing is known yet
        counted.done = 3
        progress.report(counted._since + 13)
    lines = ["restoring, 1,200 of 4,000 MB, 3.0", "training, 3.0", "compiling a kernel, 13.0", "training, 60.0"]
    lines += ["levels, 3.0", "levels, 3 of 7, 13.0"]
    out, err = capfd.readouterr()
    assert (out, err.splitlines()) == ("", [f"tfcore: {line} s so far" for line in lines])


@contextlib.contextmanager
def terminal(monkeypatch):
    """Standard error is a terminal; yields a function that returns what it has shown since its last call."""
    reader, writer = os.openpty()
    tty.setraw(writer)
    fcntl.ioctl(writer, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 100, 0, 0))

    def shown():
        os.write(writer, b"\0")  # what was written before comes before it
        text = b""
        while not text.endswith(b"\0"):
            text += os.read(reader, 1 << 16)
        return text[:-1].decode()

    with open(writer, "w") as stream, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        yield shown
    os.close(reader)


def test_a_terminal_has_one_line_that_is_rewritten(monkeypatch, capfd):
    monkeypatch.setattr(progress, "_start", lambda: None)
    with terminal(monkeypatch) as shown:
        with progress.work("building", 8) as work:
            progress.report(work._since + 1)
            assert shown() == ""
            for done in (2, 4):
                work.done = done
                progress.report(work._since + 10 + done)
            text = shown()
            assert re.search(r"tfcore: building +25%\|.*\| 2/8 \[.*tfcore: building +50%\|", text), text
            with progress.work("a part"):
                progress.report(work._since + 20)
            last = shown()
            assert "\n" not in text + last and "a part" not in last
        assert re.fullmatch(r"\r *\r", shown())  # gone
        with progress.work("waiting") as work:
            progress.report(work._since + 10)
            with progress.work("restoring", 50, " MB", lambda: 20):  # takes the line over
                progress.report(work._since + 11)
            progress.report(work._since + 12)
        text = shown()
        assert re.search(r"tfcore: waiting \[00:10\].*restoring +40%.* 20/50 MB .*tfcore: waiting \[", text), text
        assert text.endswith("\r") and "\n" not in text

        def run():  # a program may print meanwhile
            with progress.work("filling a queue") as work:
                progress.report(work._since + 10)
                progress.report(work._since + 11)

        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
        assert shown() == "tfcore: filling a queue, 10.0 s so far\n"
    assert capfd.readouterr() == ("", "")


def test_threads_share_the_watcher(monkeypatch, capfd):
    monkeypatch.setattr(progress, "seconds", 0.001)
    go, begun = threading.Event(), threading.Barrier(5)

    def run(number):
        with progress.work(f"work {number}"):
            begun.wait(60)
            assert go.wait(60)

    threads = [threading.Thread(target=run, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    begun.wait(60)
    text, deadline = "", time.monotonic() + 60
    while any(f"tfcore: work {n}, " not in text for n in range(4)) and time.monotonic() < deadline:
        text += capfd.readouterr().err
        time.sleep(0.01)
    go.set()
    for thread in threads:
        thread.join()
    assert all(f"tfcore: work {n}, " in text for n in range(4)) and not progress._running


def test_long_work_without_a_standard_error(monkeypatch, capfd):
    monkeypatch.setattr(progress, "_start", lambda: None)
    monkeypatch.setattr(sys, "stderr", None)
    with progress.work("anything"):
        progress.report(time.monotonic() + 100)
    assert capfd.readouterr() == ("", "")


def test_switched_off(monkeypatch):
    monkeypatch.setattr(progress, "seconds", 0.0)
    with progress.work("compiling a plan"):
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
    with progress.work("compiling a plan"):
        pass
    deadline = time.monotonic() + 60
    while progress._watcher is not None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert progress._watcher is None
    with progress.work("compiling a plan"):
        assert progress._watcher is not None


def test_the_watcher_outlives_a_closed_standard_error(monkeypatch):
    class Closed:
        def write(self, text):
            raise BrokenPipeError

    monkeypatch.setattr(progress, "_start", lambda: None)
    monkeypatch.setattr(sys, "stderr", Closed())
    with progress.work("compiling a plan"):
        progress.report(time.monotonic() + 100)
        assert next(iter(progress._running.values()))._due >= 400


def test_a_signal_handler_may_begin_a_first_run_at_any_moment(monkeypatch):
    monkeypatch.setattr(progress, "_watcher", None)
    monkeypatch.setattr(progress, "_lock", type(progress._lock)())  # other tests don't wait for it

    def run():
        with progress._lock:  # the handler comes now
            with progress.work("compiling a plan"):
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
