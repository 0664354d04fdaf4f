"""What is said while a restore or a wait takes long."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.core.threads import progress
from tfcore.train.checkpoints import checkpoint_utils
from tfcore.train.sessions import session_manager


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


class Clock:
    """A clock whose pauses end at once; the first one notes what is said meanwhile."""

    def __init__(self, happens):
        self.now, self.said, self._happens = 0.0, [], happens

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        if not self.said:
            self.said = [work.what for work in progress._running.values()]
            self._happens()


def saved(path):
    v = tf.Variable(np.ones([1000, 1000], np.float32), name="v")
    with tf.Session() as session:
        session.run(v.initializer)
        return v, tf.train.Saver().save(session, str(path / "m"))


@pytest.fixture
def counted(monkeypatch):
    """What is counted: (what, total, unit, done, all that ran)."""
    seen = []

    class Noted(progress.work):
        def __exit__(self, *exc):
            if self.total:
                seen.append((self.what, self.total, self.unit, self.done(), progress._running.copy()))
            super().__exit__(*exc)

    monkeypatch.setattr(progress, "work", Noted)
    return seen


@pytest.mark.parametrize("version", [tf.train.SaverDef.V1, tf.train.SaverDef.V2])
def test_a_restore_says_how_far_it_is(tmp_path, counted, version):
    v = tf.Variable(np.ones([1000, 1000], np.float32), name="v")
    saver = tf.train.Saver(write_version=version)
    with tf.Session() as session:
        session.run(v.initializer)
        path = saver.save(session, str(tmp_path / "m"))
        saver.restore(session, path)
    ((what, total, unit, done, running),) = counted
    assert (what, total, unit, done) == (f"restoring {path}", 4, " MB", 4)
    assert [work.what for work in running.values()] == [what]  # also while a plan was compiled
    assert not progress._running


def test_a_small_restore_has_nothing_to_count(tmp_path, counted):
    v = tf.Variable(1.0, name="v")
    saver = tf.train.Saver()
    with tf.Session() as session:
        session.run(v.initializer)
        saver.restore(session, saver.save(session, str(tmp_path / "[m]")))
    assert not counted
    assert not progress._running


def test_a_wait_for_a_checkpoint(tmp_path, monkeypatch):
    for module, wait in (
        (checkpoint_utils, lambda: next(tf.train.checkpoints_iterator(str(tmp_path / "a")))),
        (session_manager, lambda: prepare(tmp_path / "b")),
    ):
        folder = tmp_path / "ab"[module is session_manager]
        folder.mkdir()
        clock = Clock(lambda folder=folder: saved_elsewhere(folder))
        monkeypatch.setattr(module, "time", clock)
        wait()
        assert len(clock.said) == 1 and clock.said[0].endswith(f"checkpoint in {folder}"), clock.said
        assert not progress._running


def saved_elsewhere(folder):
    with tf.Graph().as_default():
        saved(folder)


def prepare(folder):
    v = tf.Variable(np.zeros([1000, 1000], np.float32), name="v")
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    saver = tf.train.Saver()
    manager.prepare_session("", v.initializer, saver, checkpoint_dir=str(folder), wait_for_checkpoint=True).close()


def test_a_wait_for_the_chief(monkeypatch):
    v = tf.Variable(1.0, name="v")
    manager = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
    monkeypatch.setattr(session_manager, "time", clock := Clock(lambda: None))
    with pytest.raises(tf.errors.DeadlineExceededError):
        manager.wait_for_session("", max_wait_secs=5)
    assert clock.said == [
        f"waiting for the chief. Variables not initialized: {v.op.name}. This process works alone, so it has to be the "
        "chief (is_chief=True)"
    ]
    assert not progress._running
