"""The comparison of whole programs, with one that has layers, random numbers, updates and flags."""

import subprocess
import textwrap

import numpy as np
import pytest

from tests.differential import programs
from tests.differential.peer import NOT_INSTALLED, python

PROGRAM = """
    import numpy as np
    import tensorflow as tf
    from tensorflow.python.ops import array_ops

    tf.app.flags.DEFINE_integer("units", 3, "units of the layer")

    def main(argv):
        x = tf.placeholder(tf.float32, [None, 4])
        h = tf.layers.dropout(tf.layers.dense(x, tf.app.flags.FLAGS.units, tf.nn.relu), 0.5, training=True)
        noise = tf.random_normal([5, 1])
        loss = tf.reduce_mean(tf.square(tf.layers.dense(h, 1) - noise))
        step = tf.train.AdamOptimizer(0.01).minimize(loss)
        count = tf.Variable(0)
        with tf.control_dependencies([step, tf.assign_add(count, 1)]):
            result = {"loss": array_ops.identity(loss), "twice": count * 2}
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for _ in range(10):
                sess.run(result, {x: np.random.rand(5, 4)})
            sess.run(count)

    if __name__ == "__main__":
        tf.app.run()
"""

CONTRIB = """
    import tensorflow as tf
    from tensorflow.contrib import layers

    with tf.contrib.framework.arg_scope([layers.fully_connected], variables_collections=["mine"]):
        y = layers.fully_connected(tf.ones([2, 3]), 4)
    step = tf.contrib.framework.get_or_create_global_step()
    numbers = tf.contrib.data.Dataset.range(7).apply(tf.contrib.data.map_and_batch(tf.square, 3))
    iterator = tf.contrib.data.Iterator.from_structure(numbers.output_types, numbers.output_shapes)
    start, following = iterator.make_initializer(numbers), iterator.get_next()
    with tf.Session() as sess:
        sess.run(start)
        sess.run(following)
        sess.run(tf.global_variables_initializer())
        sess.run([y, step, tf.get_collection("mine")])
"""

MONITORED = """
    import threading

    import numpy as np
    import tensorflow as tf
    from tensorflow.contrib.learn.python.learn.datasets import mnist as reader
    from tensorflow.examples.tutorials.mnist import mnist

    data = reader.read_data_sets(None, dtype=tf.uint8, reshape=False).train.next_batch(3)
    assert data[0].dtype == np.uint8 and data[0].shape == (3, 28, 28, 1)
    tf.train.get_or_create_global_step()
    queue = tf.FIFOQueue(3, tf.float32)
    enqueue, size = queue.enqueue(2.0), queue.size()
    pixels = tf.reshape(tf.cast(data[0], tf.float32) / 255, [3, 784])
    loss = mnist.loss(mnist.inference(pixels, 5, 4), data[1])
    step = tf.train.AdamOptimizer().minimize(loss, tf.train.get_global_step())
    hooks = [tf.train.StopAtStepHook(num_steps=6), tf.train.NanTensorHook(loss)]
    with tf.train.MonitoredTrainingSession(checkpoint_dir="saved", hooks=hooks) as sess:
        thread = threading.Thread(target=sess.run, args=(enqueue,))
        thread.start()
        thread.join()
        while not sess.should_stop():
            sess.run([step, loss, size])
"""


def require(*packages):
    """Skips the test where TensorFlow, or a package beside it, is not installed."""
    if python() is None:
        pytest.skip(NOT_INSTALLED)
    for package in packages:
        look = f"import importlib.util, sys; sys.exit(importlib.util.find_spec('{package}') is None)"
        if subprocess.run([python(), "-c", look]).returncode:
            pytest.skip(f"{package} is not installed where TensorFlow is")


@pytest.mark.alone
def test_a_program(tmp_path):
    require("tf_keras")
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(PROGRAM))
    (ours, theirs), _ = programs.run_both(python(), [str(path), "--units=6"], runs=8)
    assert theirs["run 7, value 1"] == 14 and "run 8, value 0" not in theirs
    assert theirs["session 0, dense/kernel:0"].shape == (4, 6)
    differences = programs.compare(ours, theirs)
    assert len(differences) > 20 and max(differences.values()) < 1e-4


@pytest.mark.alone
def test_a_program_with_contrib(tmp_path):
    require("tf_keras", "tf_slim")
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(CONTRIB))
    (ours, theirs), _ = programs.run_both(python(), [str(path)])
    differences = programs.compare(ours, theirs)
    assert len(differences) >= 5 and max(differences.values()) < 1e-5


@pytest.mark.alone
def test_a_monitored_session(tmp_path):
    require("tf_keras")
    path = tmp_path / "program.py"
    path.write_text(textwrap.dedent(MONITORED))
    both = []
    for name in ("whole", "part"):  # whether it ends or is stopped
        (tmp_path / name).mkdir()
        both.append(programs.run_both(python(), [str(path)], runs=9 if name == "whole" else 3, cwd=tmp_path / name)[0])
    for ours, theirs in both:
        assert len(theirs) > 5 and max(programs.compare(ours, theirs).values()) < 1e-5
    assert both[0][1]["run 4, value 1"] == 1


def test_differences():
    one, two = np.float32([1.0, 2.0]), np.float32([1.0, 2.5])
    assert programs.difference(one, one) == 0.0 and programs.difference(one, two) == pytest.approx(0.2)
    assert programs.difference(one, one[:1]) == float("inf")
    assert programs.difference(np.float32([np.nan, 1.0]), one) == float("inf")
    assert programs.difference(np.float32([np.nan, 1.0]), np.float32([np.nan, 1.0])) == 0.0
    assert programs.compare({"a": one}, {"a": two, "b": one}) == {"a": pytest.approx(0.2), "b": float("inf")}
