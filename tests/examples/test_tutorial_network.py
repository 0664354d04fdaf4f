"""The network of the tutorials: its values, a step of training, names of variables."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.examples.tutorials.mnist import input_data, mnist


@pytest.fixture
def images():
    return input_data.read_data_sets(None).train.next_batch(40, shuffle=False)


def test_values_and_a_step(images):
    pixels, labels = images
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(1)
        logits = mnist.inference(tf.constant(pixels), 12, 7)
        loss = mnist.loss(logits, tf.constant(labels.astype(np.int32)))
        right = mnist.evaluation(logits, labels.astype(np.int32))
        step = mnist.training(loss, 0.1)
        sess.run(tf.global_variables_initializer())
        values = {v.op.name: sess.run(v).astype(np.float64) for v in tf.trainable_variables()}
        found, first, count = sess.run([logits, loss, right])
        sess.run(step)
        second = sess.run(loss)
        assert sess.run("global_step:0") == 1
        assert [s.op.name for s in tf.get_collection(tf.GraphKeys.SUMMARIES)] == ["loss"]
    h = pixels.astype(np.float64)
    for layer in ("hidden1", "hidden2", "softmax_linear"):
        h = h @ values.pop(f"{layer}/weights") + values.pop(f"{layer}/biases")
        h = np.maximum(h, 0) if layer != "softmax_linear" else h
    assert not values and np.abs(found - h).max() < 1e-5
    right = h[np.arange(40), labels]
    assert first == pytest.approx((np.log(np.exp(h).sum(1)) - right).mean(), rel=1e-5)
    assert count == (right == h.max(1)).sum() and second < first


def test_it_learns():
    data = input_data.read_data_sets(None).train
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.set_random_seed(1)
        x, y = tf.placeholder(tf.float32, [None, mnist.IMAGE_PIXELS]), tf.placeholder(tf.int32, [None])
        logits = mnist.inference(x, 32, 16)
        step, right = mnist.training(mnist.loss(logits, y), 0.1), mnist.evaluation(logits, y)
        sess.run(tf.global_variables_initializer())
        for _ in range(300):
            sess.run(step, dict(zip((x, y), data.next_batch(50))))
        assert sess.run(right, {x: data.images[:1000], y: data.labels[:1000]}) > 800
