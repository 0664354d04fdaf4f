"""Checkpoints that are written while training continues, and how often they are."""

import glob
import math
import os
import threading

import numpy as np
import pytest
from tfcore.core.runtime import SnapshotWatch

import tfcore as tf
from tfcore.train.hooks.checkpoint_interval import EXPECTED_S, BestIntervalTimer, best_interval

pytestmark = pytest.mark.cpu


class Gate(tf.train.Saver):
    """A saver whose file is written when the gate is open, after its snapshot was taken."""

    def __init__(self, **options):
        super().__init__(**options)
        self.open, self.began, self.error = threading.Event(), threading.Event(), None
        self.open.set()
        self.in_background = []  # of each save

    def save(self, *args, in_background=False, **kwargs):
        self.in_background.append(in_background)
        return super().save(*args, in_background=in_background, **kwargs)

    def export_meta_graph(self, *args, **kwargs):  # the end of a save, on its thread
        self.began.set()
        self.open.wait()
        if self.error is not None:
            raise self.error
        return super().export_meta_graph(*args, **kwargs)


class Told(tf.train.CheckpointSaverListener):
    def __init__(self):
        self.calls = []

    def before_save(self, session, global_step_value):
        self.calls.append(("before", int(global_step_value)))

    def after_save(self, session, global_step_value):
        self.calls.append(("after", int(global_step_value)))


def _training(folder, listener, **options):
    """A hook, its saver, and a step that adds one to all variables."""
    step = tf.train.get_or_create_global_step()
    big = tf.Variable(tf.zeros([1 << 18]), name="big")
    train = tf.group(tf.assign_add(step, 1).op, big.assign_add(tf.ones([1 << 18])).op)
    saver = Gate()
    hook = tf.train.CheckpointSaverHook(str(folder), saver=saver, listeners=[listener], in_background=True, **options)
    return hook, saver, train


def _saved(folder, step):
    reader = tf.train.NewCheckpointReader(os.path.join(folder, f"model.ckpt-{step}"))
    values = np.unique(reader.get_tensor("big"))
    assert len(values) == 1
    return int(values[0]), int(reader.get_tensor("global_step"))


def test_training_goes_on(tmp_path):
    told = Told()
    with tf.Graph().as_default():
        hook, saver, train = _training(tmp_path, told, save_steps=3)
        with tf.train.MonitoredSession(tf.train.ChiefSessionCreator(), [hook]) as sess:
            saver.open.clear()
            for _ in range(10):
                sess.run(train)
            assert saver.began.wait(60)
            # One that is not complete is not reported.
            assert told.calls == [("before", 0), ("after", 0), ("before", 3)]
            assert tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-0")
            saver.open.set()
            hook._background.thread.join()
            sess.run(train)
            assert told.calls[3:5] == [("after", 3), ("before", 11)]
        assert told.calls[5:] == [("after", 11)]
    assert _saved(tmp_path, 3) == (3, 3) and _saved(tmp_path, 11) == (11, 11)
    assert saver.in_background == [False, True, True]
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-11")


@pytest.mark.parametrize("where", ["step", "end"])
def test_an_error_is_raised(where, tmp_path):
    told = Told()
    with tf.Graph().as_default():
        hook, saver, train = _training(tmp_path, told, save_steps=2)
        sess = tf.train.MonitoredSession(tf.train.ChiefSessionCreator(), [hook])
        saver.error = tf.errors.ResourceExhaustedError(None, None, "disk full")
        saver.open.clear()
        for _ in range(2):
            sess.run(train)
        background = hook._background
        saver.open.set()
        if where == "step":
            background.thread.join()
        with pytest.raises(tf.errors.ResourceExhaustedError, match="disk full"):
            if where == "step":
                sess.run(train)
            sess.close()
        saver.error = None
    assert ("after", 2) not in told.calls
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-0")


def test_a_disk_that_is_full_leaves_no_files(tmp_path):
    """The folder of the checkpoint is a file, so nothing can be written."""
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(1.0)
        sess.run(v.initializer)
        saver = tf.train.Saver(sharded=True)
        os.mkdir(tmp_path / "m.index")  # where the merged index should go
        with pytest.raises(tf.errors.OpError):
            saver.save(sess, str(tmp_path / "m"))
        assert glob.glob(str(tmp_path / "*temp*")) == []


@pytest.mark.parametrize("kind", ["reference", "resource", "constant"])
def test_a_save_tells_when_its_values_are_fixed(kind, tmp_path):
    """Also if they are not variables."""
    with tf.Graph().as_default(), tf.Session() as sess:
        value = tf.constant(1.0) if kind == "constant" else tf.Variable(1.0, use_resource=kind == "resource")
        sess.run(tf.global_variables_initializer())
        save = tf.raw_ops.SaveV2(prefix=str(tmp_path / "m"), tensor_names=["v"], shape_and_slices=[""], tensors=[value])
        watch, end = SnapshotWatch(), threading.Event()

        def run():
            watch.begin()
            sess.run(save)
            end.wait()
            watch.end()

        thread = threading.Thread(target=run)
        thread.start()
        assert watch.wait(1, 60)
        assert not watch.wait(2, 0.0)
        end.set()
        assert watch.wait(2, 60)
        thread.join()


class Plain(tf.train.Saver):
    """A user's saver, whose method has only TensorFlow's arguments."""

    def save(self, sess, save_path, global_step=None, write_meta_graph=True):
        return super().save(sess, save_path, global_step=global_step, write_meta_graph=write_meta_graph)


@pytest.mark.parametrize("saver", [tf.train.Saver, Plain])
def test_a_hook_without_a_coordinator_saves_with_any_saver(saver, tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        step = tf.train.get_or_create_global_step()
        hook = tf.train.CheckpointSaverHook(str(tmp_path), save_steps=1, saver=saver(), in_background=True)
        hook.begin()
        sess.run(tf.global_variables_initializer())
        hook.after_create_session(sess, None)
        context = tf.train.SessionRunContext(tf.train.SessionRunArgs(step), sess)
        for number in (1, 2):
            sess.run(step.assign_add(1))
            hook.after_run(context, tf.train.SessionRunValues(number, None, None))
        hook.end(sess)
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model.ckpt-2")


def test_a_supervisor_saves_with_any_saver(tmp_path):
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        supervisor = tf.train.Supervisor(logdir=str(tmp_path), saver=Plain(), save_model_secs=1, save_summaries_secs=0)
        with supervisor.managed_session() as sess:
            while not tf.train.latest_checkpoint(str(tmp_path)):
                assert not supervisor.should_stop()
                sess.run(step)


def test_how_many_snapshots_a_save_takes():
    for version, sharded, count in (2, False, 1), (2, True, 2), (1, False, 1), (1, True, 2):
        with tf.Graph().as_default() as graph:
            with tf.device("/cpu:0"):
                tf.Variable(1.0)
            with tf.device("/cpu:1"):
                tf.Variable(1.0, use_resource=True)
            saver = tf.train.Saver(sharded=sharded, write_version=version)
            assert saver.snapshots_per_save(graph) == count
    with tf.Graph().as_default() as graph:
        assert tf.train.Saver(allow_empty=True).snapshots_per_save(graph) == 0


# ---- The interval


def test_the_best_interval():
    """Daly's estimate is near the minimum of the expected time, and Young's for cheap checkpoints."""
    for cost, mean in ((1.0, 3600.0), (10.0, 600.0), (0.01, 86400.0), (30.0, 300.0)):
        intervals = np.linspace(0.2, 3, 2000) * math.sqrt(2 * cost * mean)
        # The time for a unit of work if failures are a Poisson process, restarts apart (Daly, equation 20).
        total = mean / intervals * (np.exp((intervals + cost) / mean) - 1)
        found = best_interval(cost, mean)
        assert abs(found - intervals[total.argmin()]) < 0.02 * found + 2e-3 * math.sqrt(2 * cost * mean)
    assert best_interval(1e-6, 1e6) == pytest.approx(math.sqrt(2), rel=1e-3)
    assert best_interval(50.0, 20.0) == 20.0


class Clock:
    def __init__(self):
        self.now = 1000.0

    def __call__(self):
        return self.now


def test_the_timer_follows_the_cost(monkeypatch):
    monkeypatch.delenv("TFCORE_RESTARTED", raising=False)
    clock = Clock()
    timer = BestIntervalTimer(3600.0, clock)
    assert timer.should_trigger_for_step(0) and timer.update_last_triggered_step(0) == (None, None)
    timer.note_cost(2.0)
    assert timer.interval == best_interval(2.0, 3600.0)
    clock.now += timer.interval - 1
    assert not timer.should_trigger_for_step(5)
    clock.now += 2
    assert timer.should_trigger_for_step(5) and not timer.should_trigger_for_step(0)
    seconds, steps = timer.update_last_triggered_step(5)
    assert steps == 5 and seconds == pytest.approx(best_interval(2.0, 3600.0) + 1)
    timer.note_cost(4.0)
    assert timer.interval == best_interval(3.0, 3600.0) and timer.last_triggered_step() == 5
    timer.note_cost(0.0)
    timer.reset()
    assert timer.should_trigger_for_step(5)


def test_the_timer_learns_how_often_tasks_fail(monkeypatch):
    monkeypatch.delenv("TFCORE_RESTARTED", raising=False)
    clock = Clock()
    timer = BestIntervalTimer(clock=clock)
    assert timer.mean_time_between_failures == EXPECTED_S
    for _ in range(9):
        clock.now += 600
        timer.note_failure()
    assert timer.mean_time_between_failures == (EXPECTED_S + 5400) / 10
    monkeypatch.setenv("TFCORE_RESTARTED", "3")
    assert BestIntervalTimer(clock=clock).mean_time_between_failures == EXPECTED_S / 4
    with pytest.raises(ValueError, match="must be positive"):
        BestIntervalTimer(0)


def test_wrong_arguments():
    with pytest.raises(ValueError, match="both every_secs and every_steps"):
        tf.train.CheckpointSaverHook("x", save_secs="auto", save_steps=3)
    with pytest.raises(ValueError, match='for save_secs="auto"'):
        tf.train.CheckpointSaverHook("x", save_secs=3, mean_time_between_failures=3.0)


def test_a_monitored_session_chooses_the_interval(tmp_path):
    with tf.Graph().as_default():
        step = tf.train.get_or_create_global_step()
        train = tf.assign_add(step, 1)
        with tf.train.MonitoredTrainingSession(
            checkpoint_dir=str(tmp_path),
            save_checkpoint_secs="auto",
            mean_time_between_failures=1e9,
            save_in_background=True,
        ) as sess:
            for _ in range(5):
                sess.run(train)
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("-5")
    names = {os.path.basename(path) for path in glob.glob(str(tmp_path / "*.index"))}
    assert names == {"model.ckpt-0.index", "model.ckpt-5.index"}
