"""Checkpoints with random state and queues: a program that was restored continues as if it had not ended."""

import os
import subprocess
import sys

import numpy as np
import pytest

import tfcore as tf
from tfcore.core import runtime  # noqa: F401

pytestmark = pytest.mark.cpu
STEPS = 7


def build():
    """Logistic regression on shuffled rows, with dropout and noise: a saver, what fills the queue, and a step."""
    queue = tf.RandomShuffleQueue(200, 10, [tf.float32, tf.string], shapes=[[4], []], seed=5, name="shuffled")
    rows = tf.random_uniform([30, 4], seed=1)
    fill = queue.enqueue_many([rows, tf.as_string(rows[:, 0])])
    x, texts = queue.dequeue_many(3)
    w = tf.Variable(tf.ones([4, 1]), name="w")
    y = tf.matmul(tf.nn.dropout(x, 0.5), w) + tf.random_normal([3, 1])
    optimizer = tf.train.AdamOptimizer(0.1)
    train = optimizer.minimize(tf.reduce_mean(tf.square(y - 1.0)))
    return tf.train.Saver(save_random_state=True, save_queues=True), fill, [train, y, texts, tf.identity(w)]


def run(sess, fill, step, steps):
    found = []
    for i in range(steps):
        if i % 3 == 0:
            sess.run(fill)
        _, y, texts, w = sess.run(step)
        found.append((y.tobytes(), texts.tolist(), w.tobytes()))
    return found


def go_on(prefix):
    """The rest of the training, in a new process."""
    tf.set_random_seed(99)
    with tf.Graph().as_default(), tf.Session() as sess:
        saver, fill, step = build()
        sess.run(tf.global_variables_initializer())
        sess.run(fill)
        saver.restore(sess, prefix)
        print(repr(run(sess, fill, step, STEPS)))


def test_a_restored_program_goes_on_bit_for_bit(tmp_path):
    with tf.Graph().as_default(), tf.Session() as sess:
        saver, fill, step = build()
        sess.run(tf.global_variables_initializer())
        run(sess, fill, step, STEPS)
        prefix = saver.save(sess, str(tmp_path / "m"))
        rest = run(sess, fill, step, STEPS)
        saver.restore(sess, prefix)
        assert run(sess, fill, step, STEPS) == rest
    root = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    code = f"from tests.train import test_saved_state as t; t.go_on({prefix!r})"
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert eval(done.stdout) == rest


def _counter(**options):
    v = tf.Variable(1.0, name="v")
    noise = tf.random_uniform([3], name="noise")
    q = tf.FIFOQueue(5, tf.int32, shapes=[[]], name="numbers")
    return v, noise, q, tf.train.Saver(**options)


def test_only_what_graph_and_checkpoint_both_have_is_restored(tmp_path):
    plain, full = str(tmp_path / "plain"), str(tmp_path / "full")
    everything = {"save_random_state": True, "save_queues": True}
    with tf.Graph().as_default(), tf.Session() as sess:
        v, noise, q, saver = _counter()
        sess.run(v.initializer)
        saver.save(sess, plain)
    with tf.Graph().as_default(), tf.Session() as sess:
        v, noise, q, saver = _counter(**everything)
        sess.run(v.initializer)
        sess.run([noise, q.enqueue(4)])
        saver.save(sess, full)
        numbers = sess.run(noise)
        saver.restore(sess, plain)
        assert sess.run(q.size()) == 1
        saver.restore(sess, full)
        assert (sess.run(noise) == numbers).all() and sess.run(q.dequeue()) == 4
    with tf.Graph().as_default(), tf.Session() as sess:  # other random operations, no queue
        v, other = tf.Variable(2.0, name="v"), tf.random_uniform([3], seed=4, name="other")
        saver = tf.train.Saver(**everything)
        first = sess.run(other)
        saver.restore(sess, full)
        assert sess.run(v) == 1 and (sess.run(other) != first).all()
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable(2.0, name="v")
        tf.train.Saver().restore(sess, full)
        assert sess.run(v) == 1
    reader = tf.train.NewCheckpointReader(full)
    assert reader.get_tensor("_tfcore/random/states").shape == (1, 3)
    assert reader.get_tensor("_tfcore/queue/numbers/0").tolist() == [4]


def test_other_programs_can_use_the_exported_graph(tmp_path):
    """It has no operations that only this library knows; what they would save is empty then."""
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        v, noise, q, saver = _counter(save_random_state=True)
        sess.run(v.initializer)
        saver.save(sess, str(tmp_path / "m"))
        assert any(op.type == "_GetRandomState" for op in graph.get_operations())
    with open(tmp_path / "m.meta", "rb") as file:
        exported = tf.MetaGraphDef.FromString(file.read())
    assert not [node.name for node in exported.graph_def.node if node.op.startswith("_")]
    with tf.Graph().as_default(), tf.Session() as sess:
        saver = tf.train.import_meta_graph(exported)
        saver.restore(sess, str(tmp_path / "m"))
        saver.save(sess, str(tmp_path / "again"))
    assert tf.train.NewCheckpointReader(str(tmp_path / "again")).get_tensor("_tfcore/random/names").shape == (0,)


def test_the_first_format_has_neither():
    with tf.Graph().as_default():
        tf.Variable(1.0)
        with pytest.raises(ValueError, match="first format"):
            tf.train.Saver(save_queues=True, write_version=tf.train.SaverDef.V1)


def test_a_monitored_session_goes_on_with_the_same_numbers(tmp_path):
    def losses(steps):
        found = []
        with tf.Graph().as_default():
            tf.set_random_seed(3)
            step = tf.train.get_or_create_global_step()
            w = tf.Variable(tf.ones([20]))
            loss = tf.reduce_sum(tf.nn.dropout(w, 0.5))
            train = tf.train.GradientDescentOptimizer(0.01).minimize(loss, step)
            with tf.train.MonitoredTrainingSession(checkpoint_dir=str(tmp_path), log_step_count_steps=None) as sess:
                for _ in range(steps):
                    found.append(sess.run([loss, train])[0])
        return found

    halves = losses(4) + losses(4)
    for name in os.listdir(tmp_path):
        os.remove(tmp_path / name)
    assert np.array_equal(halves, losses(8))
