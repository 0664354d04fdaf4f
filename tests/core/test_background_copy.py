"""Checkpoints that are saved in the background: on which threads, and that nobody waits for those for long."""

import contextlib
import os
import subprocess
import sys
import threading
import time

import pytest
from tfcore.core.runtime import copy_stats, steps_running

import tfcore as tf
from tests.distributed import PATIENCE

pytestmark = [
    pytest.mark.cpu,
    pytest.mark.alone,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system has no such threads"),
]
ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@contextlib.contextmanager
def training(sess, step):
    """Runs steps on a thread meanwhile."""
    over, begun, errors = threading.Event(), threading.Event(), []

    def train():
        try:
            while not over.is_set():
                sess.run(step)
                begun.set()
        except Exception as error:  # noqa: BLE001
            errors.append(error)
            begun.set()

    thread = threading.Thread(target=train)
    thread.start()
    begun.wait()
    try:
        yield
    finally:
        over.set()
        thread.join()
    assert not errors


def change(before):
    after = copy_stats()
    return {name: after[name] - before[name] for name in after}


def idle_threads():
    found = 0
    for thread in os.listdir("/proc/self/task"):
        with contextlib.suppress(ProcessLookupError):  # it has ended
            found += os.sched_getscheduler(int(thread)) == os.SCHED_IDLE
    return found


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def test_variables_are_copied_on_a_thread_for_idle_cores(tmp_path, sess):
    """While somebody trains, by a thread that is there only as long as the save, at the lowest priority."""
    v = tf.Variable(tf.zeros([8 << 20]))
    step, saver = tf.assign_add(tf.Variable(0), 1).op, tf.train.Saver([v])
    sess.run(tf.global_variables_initializer())
    before, path, seen = copy_stats(), str(tmp_path / "m"), 0
    with training(sess, step):
        for _ in range(100):  # the thread that trains may have had no core during the save
            save = threading.Thread(target=saver.save, args=(sess, path), kwargs={"in_background": True})
            save.start()
            while save.is_alive():
                seen = max(seen, idle_threads())
                save.join(0.001)
            if seen:
                break
    assert seen >= 1 and change(before)["busy_ns"] > 0
    while idle_threads():  # it ends when a core is idle
        pass
    assert not tf.train.NewCheckpointReader(path).get_tensor(v.op.name).any()


def test_nobody_is_spared_if_nobody_trains(tmp_path, sess):
    v = tf.Variable(tf.zeros([8 << 20]))
    saver = tf.train.Saver([v])
    sess.run(v.initializer)
    before = copy_stats()
    saver.save(sess, str(tmp_path / "m"), in_background=True)
    assert change(before)["idle_ns"] == 0 and change(before)["busy_ns"] > 0
    # Nor by a save that is not in the background, whoever trains.
    before = copy_stats()
    with training(sess, tf.assign_add(v, tf.ones([8 << 20])).op):
        saver.save(sess, str(tmp_path / "m"))
    assert change(before)["idle_ns"] == change(before)["busy_ns"] == 0


def _wait_until_all_wait(started):
    """Until steps have begun or gone on so often, and none runs."""
    deadline = time.monotonic() + 60 * PATIENCE
    while steps_running()[0] or steps_running()[1] < started:
        assert time.monotonic() < deadline, (steps_running(), started)
        time.sleep(0.001)


def test_nobody_is_spared_if_others_only_wait(tmp_path, sess):
    """A step that waits in a dequeue does not train, until it continues."""
    v, queue = tf.Variable(tf.zeros([8 << 20])), tf.FIFOQueue(1, tf.int32, shapes=[])
    with tf.control_dependencies([queue.dequeue()]):
        twice = queue.dequeue()
    one, saver = queue.enqueue(1), tf.train.Saver([v])
    sess.run(v.initializer)
    started = steps_running()[1]
    waiting = threading.Thread(target=sess.run, args=(twice,))
    waiting.start()
    _wait_until_all_wait(started + 1)
    before = copy_stats()
    saver.save(sess, str(tmp_path / "m"), in_background=True)
    assert change(before)["idle_ns"] == 0 and change(before)["busy_ns"] > 0
    started = steps_running()[1]
    sess.run(one)
    _wait_until_all_wait(started + 2)  # the second dequeue
    sess.run(one)
    waiting.join()
    assert steps_running()[0] == 0


SHAPES = {
    "tiny": ("float32", [3]),
    "bytes": ("int8", [1_300_007]),
    "large": ("float32", [700_001]),
    "last": ("int64", [9]),
}


def test_what_is_saved_is_one_state_of_each_variable(tmp_path, sess):
    """Pieces of all lengths, also some that are not a multiple of a block of the disk."""
    variables = [tf.Variable(tf.zeros(shape, dtype), name=name) for name, (dtype, shape) in SHAPES.items()]
    text = tf.Variable([b"some", b"text"], name="text")
    step = tf.group(*[tf.assign_add(v, tf.ones(v.shape, v.dtype.base_dtype)).op for v in variables])
    saver = tf.train.Saver([variables[0], text, *variables[1:]])
    sess.run(tf.global_variables_initializer())
    with training(sess, step):
        for i in range(4):
            path = saver.save(sess, str(tmp_path / "m"), i, in_background=True)
            reader = tf.train.NewCheckpointReader(path)  # which compares the checksums
            for name, (_, shape) in SHAPES.items():
                value = reader.get_tensor(name)
                assert value.shape == tuple(shape) and (value == value[0]).all(), name
            assert reader.get_tensor("text").tolist() == [b"some", b"text"]


def test_a_step_in_the_background_can_be_cancelled(tmp_path):
    """While it rests, too: the save would take minutes."""
    with tf.Graph().as_default():
        v = tf.Variable(tf.zeros([64 << 20]))
        step, saver = tf.assign_add(tf.Variable(0), 1).op, tf.train.Saver([v])
        init = tf.global_variables_initializer()
    with tf.Session(graph=v.graph) as other, tf.Session(graph=v.graph) as sess:
        other.run(init)
        sess.run(init)
        errors = []

        def save():
            try:
                saver.save(sess, str(tmp_path / "m"), in_background=True, write_meta_graph=False)
            except tf.errors.CancelledError as error:
                errors.append(error)

        before = copy_stats()
        with training(other, step):
            thread = threading.Thread(target=save)
            thread.start()
            while not change(before)["busy_ns"]:
                pass
            sess.close()
            thread.join()
    assert errors and not [name for name in os.listdir(tmp_path) if "m." in name]


STARVED = """
import os, subprocess, sys, threading
core = min(os.sched_getaffinity(0))
os.sched_setaffinity(0, {core})
import numpy as np
import tfcore as tf
from tfcore.core.runtime import copy_stats
busy = subprocess.Popen([sys.executable, "-c", "while True: pass"])
v = tf.Variable(tf.zeros([4 << 20]), name="v")
step = tf.assign_add(v, tf.ones([4 << 20])).op
saver = tf.train.Saver([v])
with tf.Session() as sess:
    sess.run(tf.global_variables_initializer())
    def save():
        while not copy_stats()["waits"]:
            saver.save(sess, sys.argv[1], in_background=True)
            value = tf.train.NewCheckpointReader(sys.argv[1]).get_tensor("v")
            assert (value == value[0]).all()
        print("fine")

    saving = threading.Thread(target=save)
    saving.start()
    while saving.is_alive():
        sess.run(step)
busy.kill()
"""


@pytest.mark.parametrize("memory", ["0", "2"])
def test_updates_that_wait_for_a_save_without_a_core(memory, tmp_path):
    """All threads share one core, which is busy all the time, and updates may keep less than they change."""
    env = {**os.environ, "TFCORE_SAVE_MEMORY": memory, "TFCORE_NUM_THREADS": "2"}
    command = [sys.executable, "-c", STARVED, str(tmp_path / "m")]
    done = subprocess.run(command, env=env, cwd=ROOT, capture_output=True, text=True, timeout=60 * PATIENCE)
    assert done.returncode == 0 and done.stdout == "fine\n", done.stderr
