"""Supervisors: sessions, services, stopping, errors; basic_train_loop."""

import threading

import pytest

import tfcore as tf
from tests.summary.test_file_writer import read, scalars


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def test_what_a_supervisor_makes(graph):
    v = tf.Variable(1.0, name="v")
    step = tf.train.get_or_create_global_step()
    tf.summary.scalar("s", v)
    sv = tf.train.Supervisor()
    assert graph.finalized and sv.is_chief and sv.global_step is step and sv.saver is not None
    assert isinstance(sv.coord, tf.train.Coordinator) and isinstance(sv.session_manager, tf.train.SessionManager)
    for key, value in (
        (tf.GraphKeys.INIT_OP, sv.init_op),
        (tf.GraphKeys.READY_OP, sv.ready_op),
        (tf.GraphKeys.SUMMARY_OP, sv.summary_op),
        (tf.GraphKeys.SAVERS, sv.saver),
    ):
        assert tf.get_collection(key) == [value]
    assert sv.ready_for_local_init_op is sv.summary_writer is sv.save_path is sv.init_feed_dict is None
    assert sv.save_model_secs == 600 and sv.save_summaries_secs == 120
    assert tf.train.Supervisor().init_op is sv.init_op


def test_none_means_none():
    sv = tf.train.Supervisor(
        init_op=None, ready_op=None, local_init_op=None, summary_op=None, saver=None, global_step=None
    )
    assert sv.init_op is sv.ready_op is sv.summary_op is sv.saver is sv.global_step is None
    with pytest.raises(RuntimeError, match="no init_op or init_fn or local_init_op was given"):
        sv.prepare_or_wait_for_session()


def test_managed_session():
    v = tf.Variable(1.0)
    sv = tf.train.Supervisor()
    for _ in range(2):  # a supervisor can be used again
        with sv.managed_session() as sess:
            assert sess.run(v) == 1.0 and not sv.should_stop()
        assert sv.should_stop() and sess._closed


def test_a_global_step_by_name():
    named = tf.Variable(0, name="global_step", dtype=tf.int64)
    assert tf.train.Supervisor().global_step.name == named.name
    with tf.Graph().as_default():
        tf.Variable(0.0, name="global_step")
        assert tf.train.Supervisor().global_step is None


@pytest.mark.parametrize("error", [ValueError("in the block"), tf.errors.AbortedError(None, None, "in the block")])
def test_an_error_of_the_block_is_raised_at_its_end(error):
    sv = tf.train.Supervisor()
    with pytest.raises(type(error), match="^in the block$"):
        with sv.managed_session() as sess:
            raise error
    assert sess._closed


def test_the_end_of_the_input_ends_the_block():
    with tf.train.Supervisor().managed_session() as sess:
        raise tf.errors.OutOfRangeError(None, None, "the end")
    assert sess._closed


def test_an_error_of_a_thread_is_raised():
    sv = tf.train.Supervisor()

    def fail(first, second):
        raise ValueError(f"{first} {second}")

    with pytest.raises(ValueError, match="^in the loop$"):
        with sv.managed_session():
            sv.loop(None, fail, args=("in the",), kwargs={"second": "loop"})
            sv.wait_for_stop()


def test_loops_are_stopped():
    sv, calls, enough = tf.train.Supervisor(), [], threading.Event()

    def work():
        calls.append(1)
        if len(calls) == 3:
            enough.set()

    with sv.managed_session():
        thread = sv.loop(0.0, work)
        assert enough.wait(60)
    assert not thread.is_alive()
    with sv.managed_session():
        with sv.stop_on_exception():
            raise tf.errors.OutOfRangeError(None, None, "the end")
        assert sv.should_stop()


def test_queue_runners():
    queue = tf.FIFOQueue(3, tf.int32)
    tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue(5)]))
    take = queue.dequeue()
    sv = tf.train.Supervisor()
    with sv.managed_session() as sess:
        assert [sess.run(take) for _ in range(9)] == [5] * 9
        assert sv.start_queue_runners(sess) == []  # they run
    with sv.managed_session(start_standard_services=False) as sess:
        assert len(sv.start_queue_runners(sess, tf.get_collection(tf.GraphKeys.QUEUE_RUNNERS))) == 2


# ---- Services


def wait_for(sv, happens):
    """Waits until a service has done something; `happens` looks for it."""
    for _ in range(6000):
        if happens():
            return
        assert not sv.coord.wait_for_stop(0.01)
    raise AssertionError("nothing happens")


def test_services(tmp_path):
    step = tf.train.get_or_create_global_step()
    increment = tf.assign_add(step, 1)
    tf.summary.scalar("s", tf.cast(step, tf.float32))
    sv = tf.train.Supervisor(logdir=str(tmp_path), save_summaries_secs=0.02, save_model_secs=0.02)
    assert sv.save_path == str(tmp_path / "model.ckpt")
    with sv.managed_session() as sess:
        assert sess.run(increment) == 1
        wait_for(sv, lambda: (tmp_path / "model.ckpt-1.index").exists())
        sv.summary_writer.flush()
        wait_for(sv, lambda: sv.summary_writer.flush() or scalars(read(tmp_path)[0])[-1:] != [] and any(
            tag == "s" and at == 1 for at, tag, _ in scalars(read(tmp_path)[0])
        ))  # fmt: skip
        sv.summary_computed(sess, tf.Summary(value=[tf.Summary.Value(tag="own", simple_value=3)]))
    assert (tmp_path / "graph.pbtxt").exists()
    (events,) = read(tmp_path)
    found = scalars(events)
    assert all(value == at for at, tag, value in found if tag == "s") and (1, "own", 3.0) in found
    assert any(tag == "global_step/sec" for _, tag, _ in found)
    states = [e.session_log.status for e in events if e.session_log.status]
    assert states[0] == tf.SessionLog.START and states[-1] == tf.SessionLog.STOP
    assert tf.SessionLog.CHECKPOINT in states
    assert sum(bool(e.graph_def) for e in events) == sum(bool(e.meta_graph_def) for e in events) == 1


def test_training_goes_on_where_it_was(tmp_path):
    step = tf.train.get_or_create_global_step()
    increment = tf.assign_add(step, 1)
    sv = tf.train.Supervisor(logdir=str(tmp_path), save_model_secs=0)
    with sv.managed_session() as sess:
        assert sess.run(increment) == 1
        sv.saver.save(sess, sv.save_path, global_step=step)
    with sv.managed_session() as sess:
        assert sess.run(increment) == 2


def test_without_a_folder(monkeypatch):
    warnings = []
    monkeypatch.setattr(tf.logging, "warning", lambda text, *args: warnings.append(text % args))
    sv = tf.train.Supervisor()
    with sv.managed_session(start_standard_services=False) as sess:
        assert sv.start_standard_services(sess) is None and "need a 'logdir'" in warnings[0]
        with pytest.raises(RuntimeError, match="Writing a summary requires a summary writer."):
            sv.summary_computed(sess, b"")


def test_a_writer_that_is_given(tmp_path):
    writer = tf.summary.FileWriter(tmp_path)
    sv = tf.train.Supervisor(summary_writer=writer)
    assert sv.summary_writer is writer
    with sv.managed_session(close_summary_writer=False):
        pass
    writer.add_event(tf.Event(step=3))  # without a warning
    assert tf.train.Supervisor(logdir=str(tmp_path), summary_writer=None).summary_writer is None


# ---- Tasks that are not the chief


def test_another_task(tmp_path):
    with tf.device("/cpu:0"):
        v = tf.Variable(1.0, name="v")
    ready = v.initializer
    sv = tf.train.Supervisor(is_chief=False, logdir=str(tmp_path), recovery_wait_secs=0.001)
    assert sv.save_path is sv.summary_writer is sv.save_model_secs is sv.save_summaries_secs is None
    with pytest.raises(tf.errors.DeadlineExceededError, match="Variables not initialized: v"):
        sv.prepare_or_wait_for_session(max_wait_secs=0.01)
    local = tf.train.Supervisor(is_chief=False, local_init_op=ready)
    with local.managed_session() as sess:
        assert sess.run(v) == 1.0
        with pytest.raises(RuntimeError, match="Only chief supervisor can start standard services"):
            local.start_standard_services(sess)
    assert list(tmp_path.iterdir()) == []


def test_variables_without_devices():
    tf.Variable(1.0, name="v")
    with pytest.raises(ValueError, match="When using replicas, all Variables must have their device set: .*v"):
        tf.train.Supervisor(is_chief=False)


def test_old_names_of_methods():
    tf.Variable(1.0)
    sv = tf.train.Supervisor()
    sess = sv.PrepareSession()
    assert not sv.ShouldStop() and sv.StartQueueRunners(sess) == []
    sv.RequestStop()
    sv.WaitForStop()
    sv.Stop()
    sess.close()


# ---- basic_train_loop


def test_train_loop():
    step = tf.train.get_or_create_global_step()
    increment = tf.assign_add(step, 1)
    sv, seen = tf.train.Supervisor(), []

    def train_step(sess, last, unit):
        seen.append(f"{sess.run(increment)}{unit}")
        if len(seen) == last:
            sv.request_stop()

    tf.train.basic_train_loop(sv, train_step, args=(3,), kwargs={"unit": "x"})
    assert seen == ["1x", "2x", "3x"]


def test_train_loop_goes_on_after_an_aborted_step(tmp_path):
    step = tf.train.get_or_create_global_step()
    increment = tf.assign_add(step, 1)
    sv, seen, sessions = tf.train.Supervisor(logdir=str(tmp_path), save_model_secs=0), [], []

    def train_step(sess):
        seen.append(int(sess.run(increment)))
        sessions.append(sess)
        if len(seen) == 2:
            sv.saver.save(sess, sv.save_path, global_step=step)
        if len(seen) == 3:
            raise tf.errors.AbortedError(None, None, "a task is gone")
        if len(seen) == 5:
            sv.request_stop()

    tf.train.basic_train_loop(sv, train_step)
    assert seen == [1, 2, 3, 3, 4] and sessions[2] is not sessions[3] and sessions[2]._closed
    with pytest.raises(ZeroDivisionError):
        tf.train.basic_train_loop(sv, lambda sess: 1 / 0)
