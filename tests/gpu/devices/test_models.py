"""The models of the examples train on a GPU as on the CPU. Only counters of steps are left there, as in TensorFlow."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.examples import char_lm, mnist


def images(model):
    """(loss, training step, feeds of three steps)"""
    built = mnist.MODELS[model][0](100)
    rng = np.random.default_rng(0)
    feeds = []
    for _ in range(3):
        labels = np.eye(10, dtype=np.float32)[rng.integers(0, 10, 8)]
        feeds.append(built.feed(rng.random((8, 784), np.float32), labels, 0.7))
    return built.loss, built.train_step, feeds


def characters():
    arguments = char_lm.parse_arguments(["--units", "16", "--embed", "8", "--batch", "4", "--steps", "6"])
    reading, minimize, _, _ = char_lm.build(20, 100, arguments)
    rng = np.random.default_rng(0)
    feeds = []
    for _ in range(3):
        inputs, targets = rng.integers(0, 20, (2, 6, 4)).astype(np.int32)
        feeds.append({reading.inputs: inputs, reading.targets: targets})
    return reading.loss, minimize, feeds


MODELS = {
    "softmax": lambda: images("softmax"),
    "mlp": lambda: images("mlp"),
    "conv": lambda: images("conv"),
    "char_lm": characters,
}


def train(model, device):
    """The losses of three steps, and the operations that ran on the CPU."""
    with tf.Graph().as_default() as graph:
        tf.set_random_seed(1)
        with tf.device(device):
            loss, step, feeds = MODELS[model]()
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            losses = [session.run([loss, step], feed, options, metadata)[0] for feed in feeds]
    operations = {op.name: op for op in graph.get_operations()}
    on_cpu = [n.node_name for d in metadata.step_stats.dev_stats if "CPU" in d.device for n in d.node_stats]
    return losses, [operations[name] for name in on_cpu if name in operations]  # the others are transfers


@pytest.mark.parametrize("model", MODELS)
def test_a_model_trains_on_a_gpu(model):
    on_cpu, everything = train(model, "/cpu:0")
    on_gpu, left = train(model, "/gpu:0")
    np.testing.assert_allclose(on_gpu, on_cpu, rtol=1e-4)
    assert len(everything) > 40
    assert not [op.name for op in left for value in op.outputs if not value.dtype.base_dtype.is_integer]


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
def test_a_kernel_that_works_on_the_host_has_its_place_on_the_gpu(dtype):
    x = tf.placeholder(dtype, [None])
    with tf.device("/gpu:0"):
        numbers = x + tf.constant(1, dtype)
        once, index, count = tf.unique_with_counts(numbers)
        missing, _ = tf.setdiff1d(numbers, once[1:])
    values = np.random.default_rng(0).integers(0, 50, 3000)
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    with tf.Session() as session:
        found = session.run([once, index, count, missing], {x: values}, options, metadata)
        assert session.run(once, {x: []}).size == 0
    np.testing.assert_array_equal(found[0][found[1]], values + 1)
    np.testing.assert_array_equal(found[2], [np.sum(values + 1 == value) for value in found[0]])
    np.testing.assert_array_equal(found[3], (values + 1)[values == values[0]])
    devices = {n.node_name: d.device for d in metadata.step_stats.dev_stats for n in d.node_stats}
    assert "GPU:0" in devices[once.op.name] and "GPU:0" in devices[missing.op.name]
