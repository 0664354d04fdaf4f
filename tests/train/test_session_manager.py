"""Session managers: preparing, recovering and waiting for sessions; which operations run; what is closed on errors."""

import threading

import numpy as np
import pytest

import tfcore as tf
from tfcore.train.sessions import session_manager


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


@pytest.fixture
def opened(monkeypatch):
    """The sessions that managers have made."""
    sessions = []

    class Session(tf.Session):
        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            sessions.append(self)

    monkeypatch.setattr(session_manager, "Session", Session)
    return sessions


def manager(**kwargs):
    return tf.train.SessionManager(ready_op=tf.report_uninitialized_variables(), **kwargs)


def checkpoint(folder, value):
    """Saves a checkpoint of the graph's variables, all with one value."""
    saver = tf.train.Saver()
    with tf.Session() as sess:
        for v in tf.global_variables():
            v.load(value, sess)
        return saver.save(sess, str(folder / "model"), global_step=5)


# ---- prepare_session


def test_prepare_initializes():
    v = tf.Variable(1.0, name="v")
    with manager().prepare_session("", init_op=tf.global_variables_initializer()) as sess:
        assert sess.run(v) == 1.0 and sess.graph is v.graph


def test_prepare_calls_a_function_after_the_operation():
    start = tf.placeholder(tf.float32, [])
    v = tf.Variable(start, name="v")
    seen = []
    sess = manager().prepare_session(
        "", init_op=v.initializer, init_feed_dict={start: 3.0}, init_fn=lambda s: seen.append(s.run(v))
    )
    assert seen == [3.0] and sess.run(v) == 3.0
    sess = manager().prepare_session("", init_fn=lambda s: s.run(v.initializer, {start: 4.0}))
    assert sess.run(v) == 4.0


def test_prepare_restores_the_latest_checkpoint(tmp_path):
    v = tf.Variable(1.0, name="v")
    checkpoint(tmp_path, 7.0)
    saver, calls = tf.train.Saver(), []
    init = tf.global_variables_initializer()
    sess = manager().prepare_session("", init, saver, checkpoint_dir=str(tmp_path), init_fn=calls.append)
    assert sess.run(v) == 7.0 and calls == [] and [p[-7:] for p in saver.last_checkpoints] == ["model-5"]
    sess = manager().prepare_session("", init, saver, checkpoint_dir=str(tmp_path / "other"))
    assert sess.run(v) == 1.0
    sess = manager().prepare_session("", init, None, checkpoint_dir=str(tmp_path))
    assert sess.run(v) == 1.0  # no saver


def test_prepare_restores_a_given_checkpoint(tmp_path):
    v = tf.Variable(1.0, name="v")
    path = checkpoint(tmp_path, 7.0)
    saver = tf.train.Saver()
    sess = manager().prepare_session("", v.initializer, saver, checkpoint_filename_with_path=path)
    assert sess.run(v) == 7.0
    with pytest.raises(ValueError, match="Can not provide both checkpoint_dir and checkpoint_filename_with_path"):
        manager().prepare_session("", saver=saver, checkpoint_dir=str(tmp_path), checkpoint_filename_with_path=path)


class Clock:
    """A clock that only pauses move; `happens` is called after so many of them."""

    def __init__(self, pauses, happens):
        self.now, self.pauses, self._most, self._happens = 0.0, [], pauses, happens

    def monotonic(self):
        return self.now

    def sleep(self, seconds):
        self.now += seconds
        self.pauses.append(round(seconds, 6))
        if len(self.pauses) == self._most:
            self._happens()


def test_prepare_waits_for_a_checkpoint(tmp_path, monkeypatch):
    v = tf.Variable(1.0, name="v")
    saver, clock = tf.train.Saver(), Clock(50, lambda: checkpoint(tmp_path, 7.0))
    monkeypatch.setattr(session_manager, "time", clock)
    sess = manager(recovery_wait_secs=3).prepare_session(
        "", v.initializer, saver, checkpoint_dir=str(tmp_path), wait_for_checkpoint=True
    )
    assert sess.run(v) == 7.0 and len(clock.pauses) == 50
    waited = 0.0
    for pause in clock.pauses:  # a tenth of the time waited so far, within limits
        assert pause == pytest.approx(min(max(0.1, waited / 10), 3), abs=1e-5)
        waited += pause
    assert clock.pauses[-1] == 3


def test_prepare_initializes_if_no_checkpoint_comes(tmp_path):
    v = tf.Variable(1.0, name="v")
    sess = manager(recovery_wait_secs=0.001).prepare_session(
        "",
        v.initializer,
        tf.train.Saver(),
        checkpoint_dir=str(tmp_path),
        wait_for_checkpoint=True,
        max_wait_secs=0.01,
    )
    assert sess.run(v) == 1.0


def test_prepare_without_means_to_initialize(opened):
    tf.Variable(1.0, name="v")
    with pytest.raises(RuntimeError, match="no init_op or init_fn or local_init_op was given"):
        manager().prepare_session("")
    assert opened[0]._closed


def test_prepare_that_leaves_variables_uninitialized(opened):
    v = tf.Variable(1.0, name="v")
    w = tf.Variable(1.0, name="w")
    with pytest.raises(
        RuntimeError,
        match=r"Init operations did not make model ready.  Init op: v/Assign, init fn: None, local_init_op: None, "
        r"error: Variables not initialized: w$",
    ):
        manager().prepare_session("", init_op=v.initializer)
    local = tf.train.SessionManager(
        local_init_op=w.initializer, ready_for_local_init_op=tf.report_uninitialized_variables()
    )
    with pytest.raises(RuntimeError, match="did not make model ready for local_init.*Variables not initialized: w$"):
        local.prepare_session("", init_op=v.initializer)
    assert len(opened) == 2 and all(s._closed for s in opened)


def test_a_checkpoint_that_does_not_fit_closes_the_session(tmp_path, opened):
    v = tf.Variable(1.0, name="v")
    checkpoint(tmp_path, 7.0)
    tf.Variable(1.0, name="w")
    with pytest.raises(tf.errors.NotFoundError, match="Key w not found in checkpoint"):
        manager().prepare_session("", v.initializer, tf.train.Saver(), checkpoint_dir=str(tmp_path))
    assert opened[-1]._closed


# ---- Local initialization


def test_the_local_operation_runs_in_each_session():
    v = tf.Variable(1.0, name="v")
    fed = tf.placeholder(tf.float32, [])
    local = tf.Variable(v.initialized_value() * fed, name="local", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    m = manager(
        local_init_op=tf.local_variables_initializer(),
        ready_for_local_init_op=tf.report_uninitialized_variables(tf.global_variables()),
        local_init_feed_dict={fed: 5.0},
        local_init_run_options=tf.RunOptions(timeout_in_ms=60_000),
    )
    for _ in range(2):
        assert m.prepare_session("", init_op=v.initializer).run(local) == 5.0


def test_recover_runs_the_local_operation(tmp_path):
    v = tf.Variable(1.0, name="v")
    checkpoint(tmp_path, 7.0)
    local = tf.Variable(0.0, name="local", collections=[tf.GraphKeys.LOCAL_VARIABLES])
    saver = tf.train.Saver([v])
    m = manager(local_init_op=local.assign(v + 1))
    sess, restored = m.recover_session("", saver, checkpoint_dir=str(tmp_path))
    assert restored and sess.run([v, local]) == [7.0, 8.0]


def test_a_local_operation_is_needed_if_its_precondition_is_given():
    with pytest.raises(ValueError, match="you must also pass a local_init_op"):
        tf.train.SessionManager(ready_for_local_init_op=tf.report_uninitialized_variables())


# ---- recover_session


def test_recover(tmp_path, caplog):
    v = tf.Variable(1.0, name="v")
    saver = tf.train.Saver()
    sess, restored = manager().recover_session("", saver, checkpoint_dir=str(tmp_path))
    assert not restored
    with pytest.raises(tf.errors.FailedPreconditionError):
        sess.run(v)
    path = checkpoint(tmp_path, 7.0)
    for where in ({"checkpoint_dir": str(tmp_path)}, {"checkpoint_filename_with_path": path}):
        sess, restored = manager().recover_session("", saver, **where)
        assert restored and sess.run(v) == 7.0


def test_recover_from_a_checkpoint_that_lacks_a_variable(tmp_path):
    v = tf.Variable(1.0, name="v")
    checkpoint(tmp_path, 7.0)
    w = tf.Variable(1.0, name="w")
    saver = tf.train.Saver([v])
    sess, ready = manager().recover_session("", saver, checkpoint_dir=str(tmp_path))
    assert not ready and sess.run(v) == 7.0
    m = manager(local_init_op=w.initializer, ready_for_local_init_op=tf.report_uninitialized_variables([w]))
    sess, ready = m.recover_session("", saver, checkpoint_dir=str(tmp_path))
    assert not ready and sess.run(tf.is_variable_initialized(w)) is not True


# ---- wait_for_session


def test_wait_until_another_task_has_initialized(opened, monkeypatch):
    """Sessions of one process share no variables, so the operation asks an event instead."""
    ready = threading.Event()
    names = tf.py_func(lambda: np.array([] if ready.is_set() else [b"v", b"w"], object), [], tf.string)
    clock = Clock(4, ready.set)
    monkeypatch.setattr(session_manager, "time", clock)
    m = tf.train.SessionManager(ready_op=names, recovery_wait_secs=0.05)
    sess = m.wait_for_session("", max_wait_secs=None)
    assert clock.pauses == [0.05] * 4 and opened[-1] is sess
    assert [s._closed for s in opened] == [True] * 4 + [False]


def test_wait_too_long(opened):
    v = tf.Variable(1.0, name="v")
    m = manager(recovery_wait_secs=0.001, local_init_op=tf.no_op())
    with pytest.raises(
        tf.errors.DeadlineExceededError,
        match="Session was not ready after waiting 0.01 secs: Variables not initialized: v",
    ):
        m.wait_for_session("", max_wait_secs=0.01)
    assert len(opened) > 1 and all(s._closed for s in opened)
    with pytest.raises(tf.errors.DeadlineExceededError):
        m.wait_for_session("", max_wait_secs=0)
    m = manager(local_init_op=v.initializer)
    assert m.wait_for_session("", max_wait_secs=0).run(v) == 1.0


def test_an_error_while_waiting_closes_the_session(opened):
    def fail():
        raise tf.errors.UnavailableError(None, None, "a task is gone")

    m = tf.train.SessionManager(ready_op=tf.py_func(fail, [], tf.string))
    with pytest.raises(tf.errors.UnavailableError, match="a task is gone"):
        m.wait_for_session("")
    assert len(opened) == 1 and opened[0]._closed


# ---- Ready operations


def test_kinds_of_ready_operations():
    v = tf.Variable(1.0, name="v")
    init = v.initializer
    for ready in (None, tf.no_op(), tf.constant(3, tf.int32), tf.constant([], tf.string), "v"):
        tf.train.SessionManager(ready_op=ready).prepare_session("", init_op=init).close()
    with pytest.raises(RuntimeError, match="uninitialized value v"):
        tf.train.SessionManager(ready_op=tf.assert_variables_initialized([v])).prepare_session("", init_op=tf.no_op())

    def fail():
        raise tf.errors.FailedPreconditionError(None, None, "something else")

    with pytest.raises(tf.errors.FailedPreconditionError, match="something else"):
        tf.train.SessionManager(ready_op=tf.py_func(fail, [], tf.string)).prepare_session("", init_op=init)


def test_another_graph():
    other = tf.Graph()
    with other.as_default():
        v = tf.Variable(2.0)
        init = v.initializer
    sess = tf.train.SessionManager(graph=other).prepare_session("", init_op=init)
    assert sess.graph is other and sess.run(v) == 2.0


# ---- Variables that outlive the loss of other tasks


class Survivors:
    """A cluster that has lost a task, and the sessions on it: the first finds variables that are alive."""

    def __init__(self, monkeypatch, took_over, value, step):
        self.v, self.step = tf.Variable(1.0, name="v"), tf.train.get_or_create_global_step()
        self.init = tf.group(self.v.initializer, self.step.initializer)
        alive = tf.Session()
        if value is not None:
            alive.run([self.v.assign(value), self.step.assign(step)])
        sessions = [alive]
        monkeypatch.setattr(session_manager, "Session", lambda *a, **k: sessions.pop() if sessions else tf.Session())
        monkeypatch.setattr(session_manager, "_has_prepared", False)
        monkeypatch.setattr(session_manager.cluster_state, "took_over", lambda: took_over)
        monkeypatch.setattr(session_manager.cluster_state, "has_others", lambda: True)
        self.saver = tf.train.Saver()

    def save(self, folder, value, step):
        with tf.Session() as sess:
            sess.run([self.v.assign(value), self.step.assign(step)])
            self.saver.save(sess, str(folder / "model"), global_step=step)

    def prepared(self, folder, manager=None, **more):
        """The value and the step that the next session begins with."""
        manager = manager or tf.train.SessionManager(ready_op=tf.report_uninitialized_variables())
        sess = manager.prepare_session("", self.init, self.saver, checkpoint_dir=str(folder), **more)
        return tuple(sess.run([self.v, self.step]))


@pytest.mark.parametrize("value, step, found", [(5.0, 8, (5.0, 8)), (5.0, 6, (2.0, 7)), (None, None, (2.0, 7))])
def test_a_new_chief_finds_variables(tmp_path, monkeypatch, value, step, found):
    """Newer ones than those of the last checkpoint; older ones; none."""
    cluster = Survivors(monkeypatch, True, value, step)
    cluster.save(tmp_path, 2.0, 7)
    assert cluster.prepared(tmp_path) == found
    assert cluster.saver.last_checkpoints == [str(tmp_path / "model-7")]
    assert cluster.prepared(tmp_path) == (2.0, 7)  # another manager in the same process


def test_one_that_starts_finds_variables_of_no_interest(tmp_path, monkeypatch):
    cluster = Survivors(monkeypatch, False, 5.0, 8)
    cluster.save(tmp_path, 2.0, 7)
    assert cluster.prepared(tmp_path) == (2.0, 7)


@pytest.mark.parametrize("is_done", [False, True])
def test_a_former_chief_that_may_have_died_while_it_prepared_the_variables(monkeypatch, tmp_path, is_done):
    cluster = Survivors(monkeypatch, True, 5.0, 8)
    monkeypatch.setattr(session_manager.Preparation, "is_done", lambda *args: is_done)
    called = cluster.v.assign(3.0)
    found = cluster.prepared(tmp_path, init_fn=lambda sess: sess.run(called.op))
    assert found == ((5.0, 8) if is_done else (3.0, 0))


def test_a_checkpoint_that_is_asked_for(tmp_path, monkeypatch):
    cluster = Survivors(monkeypatch, True, 5.0, 8)
    cluster.save(tmp_path, 2.0, 7)
    sess = tf.train.SessionManager(ready_op=tf.report_uninitialized_variables()).prepare_session(
        "", cluster.init, cluster.saver, checkpoint_filename_with_path=str(tmp_path / "model-7")
    )
    assert sess.run(cluster.v) == 2.0
