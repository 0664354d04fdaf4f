"""Names and orders of arguments of TensorFlow 0.5 to 0.12, which programs find with --old-code."""

import subprocess
import sys

import pytest

from tfcore.as_tensorflow.old_code import tensorflow_names

HEAD = """
import numpy as np
import tfcore.as_tensorflow
tfcore.as_tensorflow.install(old_code=True)
import tensorflow as tf
def run(x):
    with tf.Session() as sess:
        sess.run(tf.initialize_all_variables())
        return sess.run(x)
def error(function):
    try:
        function()
    except Exception as error:
        return f"{type(error).__name__}: {error}"
a, b = np.float32([[1, 2], [3, 4]]), np.float32([[5, 6], [7, 8]])
"""


def old(program):
    job = subprocess.run([sys.executable, "-c", HEAD + program], capture_output=True, text=True, timeout=100)
    assert job.returncode == 0, job.stderr
    return job.stdout


def test_all_names_are_there():
    names = [(module, name) for module, table in tensorflow_names.NAMES.items() for name in table]
    modules = [path for path in tensorflow_names.MODULES]
    old(
        f"""
import importlib
for module, name in {names}:
    assert getattr(importlib.import_module(("tensorflow." + module).strip(".")), name) is not None, name
for path in {modules}:
    importlib.import_module("tensorflow." + path)
from tensorflow.models.rnn import rnn, rnn_cell, seq2seq
assert rnn.rnn is tf.nn.rnn is tf.nn.static_rnn and seq2seq is tf.nn.seq2seq is tf.contrib.legacy_seq2seq
assert rnn_cell.GRUCell is tf.nn.rnn_cell.GRUCell and tf.nn.relu is tfcore.nn.relu
"""
    )


def test_concat_and_split_take_both_orders():
    old(
        """
both = np.concatenate([a, b], 1)
for joined in (tf.concat(1, [a, b]), tf.concat([a, b], 1), tf.concat(np.int64(1), [a, b], name="c"),
               tf.concat(concat_dim=1, values=[a, b]), tf.concat(axis=1, values=[a, b]),
               tf.concat(1, values=[a, b]), tf.concat(1, [a, b], "c"), tf.concat([a, b], concat_dim=1)):
    assert (run(joined) == both).all()
assert joined.op.type == "ConcatV2" and tf.concat(0, [a, b], name="mine").op.name == "mine"
for parts in (tf.split(1, 2, both), tf.split(both, 2, 1), tf.split(split_dim=1, num_split=2, value=both),
              tf.split(both, [2, 2], axis=1), tf.split(both, num_or_size_splits=2, axis=1),
              tf.split(tf.constant(1), 2, both),
              tf.split(1, 2, value=both), tf.split(1, num_split=2, value=both), tf.split(1, 2, both, "s")):
    first, second = run(parts)
    assert (first == a).all() and (second == b).all()
assert len(tf.split(both, 2)) == 2 and tf.split(both, 2)[0].shape == (1, 4)
assert "TypeError" in error(lambda: tf.concat()) or "ValueError" in error(lambda: tf.concat())
"""
    )


def test_losses_take_both_orders():
    old(
        """
logits, labels = np.float32([[1, 2, 3]]), np.float32([[0, 1, 0]])
for name in ("softmax_cross_entropy_with_logits", "sigmoid_cross_entropy_with_logits"):
    own = getattr(tfcore.nn, name)
    now = run(own(labels=labels, logits=logits))
    new = getattr(tf.nn, name)
    for loss in (new(logits, labels), new(logits, labels, name="l"), new(labels=labels, logits=logits),
                 new(None, labels, logits), new(None, labels=labels, logits=logits), new(logits, labels, None)):
        np.testing.assert_array_equal(run(loss), now)
np.testing.assert_array_equal(run(tf.nn.sigmoid_cross_entropy_with_logits(logits, targets=labels)), now)
sparse = tf.nn.sparse_softmax_cross_entropy_with_logits
assert run(sparse(logits, [1])) == run(sparse(labels=[1], logits=logits))
assert sparse(logits, [1], "mine").op.name.startswith("mine")
weights, biases = np.ones([5, 2], np.float32), np.zeros(5, np.float32)
for name in ("nce_loss", "sampled_softmax_loss"):
    loss, options = getattr(tf.nn, name), dict(sampled_values=([0, 2], [[0.5]], [0.5, 0.5]))
    ids = np.int64([[1]])
    assert run(loss(weights, biases, [[1.0, 2.0]], ids, 2, 5, **options)) == run(
        loss(weights, biases, ids, [[1.0, 2.0]], 2, 5, **options))
"""
    )


def test_other_functions():
    old(
        """
x = tf.constant([[3.0, -4.0]])
assert run([tf.mul(2, 3), tf.sub(2, 3), tf.neg(2)]) == [6, -1, -2] and run(tf.inv(4.0)) == 0.25
assert run(tf.complex_abs(3 + 4j)) == 5 and list(run(tf.listdiff([1, 2, 3], [2]))[0]) == [1, 3]
assert list(run(tf.select([True, False], [1, 2], [3, 4]))) == [1, 4]
assert tf.zeros([1e1, 2]).shape == [10, 2] and run(tf.ones((2.0,))).tolist() == [1, 1]
assert error(lambda: tf.zeros([1.5])).startswith("TypeError") and tf.zeros(np.int64([3])).shape == [3]
assert run(tf.pack([1, 2])).tolist() == [1, 2] and run(tf.unpack([1, 2])) == [1, 2]
np.testing.assert_allclose(run(tf.batch_matmul(a, b, adj_y=True)), a @ b.T)
np.testing.assert_allclose(run(tf.batch_matrix_inverse(a)), np.linalg.inv(a), rtol=1e-5)
image = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
resize = tf.image.resize_images
for resized in (resize(image, 2, 8), resize(image, [2, 8]), resize(image, 2, 8, tf.image.ResizeMethod.BILINEAR),
                resize(image, new_height=2, new_width=8), resize(image, 2, new_width=8),
                resize(image, tf.constant(2), tf.constant(8))):
    np.testing.assert_array_equal(run(resized), run(tfcore.image.resize_images(image, [2, 8])))
nearest = run(resize(image, 2, 8, 1))
np.testing.assert_array_equal(nearest, run(tfcore.image.resize_images(image, [2, 8], 1)))
assert run(tf.image.per_image_whitening(image[0])).std() > 0.99
"""
    )


def test_summaries_keep_their_tags(tmp_path):
    old(
        f"""
with tf.name_scope("scope"):
    tf.scalar_summary("the loss (raw)", 2.0)
    tf.scalar_summary(["x", "y"], [3.0, 4.0], name="s")
    tf.histogram_summary("h", [1.0, 2.0])
    tf.image_summary("i", np.zeros([4, 2, 2, 1], np.float32), max_images=1)
    tf.audio_summary("a", np.zeros([1, 8], np.float32), 100, max_outputs=1)
    alone = tf.scalar_summary("alone", 1.0, collections=["mine"])
assert tf.get_collection("mine") == [alone] and tf.merge_summary([alone], collections=["c"]) in tf.get_collection("c")
summary = tf.Summary.FromString(run(tf.merge_all_summaries()))
values = {{value.tag: value for value in summary.value}}
assert sorted(values) == ["a/audio", "h", "i/image", "the loss (raw)", "x", "y"], sorted(values)
assert [values[tag].simple_value for tag in ("the loss (raw)", "x", "y")] == [2, 3, 4]
assert values["h"].histo.num == 2 and values["a/audio"].audio.sample_rate == 100
writer = tf.train.SummaryWriter({str(tmp_path)!r}, tf.get_default_graph())
writer.add_summary(summary, 1)
writer.close()
"""
    )
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("name", ["mul", "train.SummaryWriter", "nn.seq2seq"])
def test_without_the_switch_they_are_not_there(name):
    program = f"import tfcore.as_tensorflow as t; t.install(); import tensorflow as tf; tf.{name}"
    job = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=100)
    assert "has no attribute" in job.stderr
