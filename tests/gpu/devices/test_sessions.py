"""Sessions with GPUs: placement, logs, traces, partial runs, threads."""

import subprocess
import sys
import threading

import numpy as np
import pytest

import tfcore as tf
from tfcore.client.config import SessionOptions, number_of_gpus
from tfcore.core.device import gpu
from tfcore.gpu import driver


def test_operations_go_to_the_gpu_by_default(capfd):
    x = tf.constant([1.0, 2.0], name="x")
    y = tf.exp(x, name="y")
    with tf.device("/cpu:0"):
        z = tf.exp(y, name="z")
    with tf.Session(config=tf.ConfigProto(log_device_placement=True)) as session:
        session.run(z)
    lines = capfd.readouterr().err.splitlines()
    last = gpu.count() - 1
    listed = f"/job:localhost/replica:0/task:0/device:GPU:{last} -> device: {last}, name: "
    assert any(line.startswith(listed) for line in lines)
    assert "y: (Exp): /job:localhost/replica:0/task:0/device:GPU:0" in lines
    assert "z: (Exp): /job:localhost/replica:0/task:0/device:CPU:0" in lines


def test_devices_are_listed():
    with tf.Session() as session:
        kinds = [(d.device_type, d.name[-5:]) for d in session.list_devices()]
    assert kinds == [("CPU", "CPU:0"), *(("GPU", f"GPU:{i}") for i in range(gpu.count()))]


def test_a_trace_names_the_devices():
    x = tf.placeholder(tf.float32, [10])
    last = gpu.count() - 1
    with tf.device(f"/gpu:{last}"):
        y = tf.exp(x * 2.0, name="y")
    metadata = tf.RunMetadata()
    with tf.Session() as session:
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        session.run(y, {x: np.zeros(10)}, options=options, run_metadata=metadata)
    nodes = {d.device[-5:]: [n.node_name for n in d.node_stats] for d in metadata.step_stats.dev_stats}
    assert "y" in nodes[f"GPU:{last}"]


def test_partial_runs():
    a, b = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
    with tf.device("/gpu:0"):
        c = a * 2.0
        d = c + b
    with tf.Session() as session:
        handle = session.partial_run_setup([c, d], [a, b])
        assert session.partial_run(handle, c, {a: 1}) == 2
        assert session.partial_run(handle, d, {b: 4}) == 6


def test_steps_of_several_threads():
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/gpu:0"):
        y = tf.reduce_sum(x * x)
    with tf.device(f"/gpu:{gpu.count() - 1}"):
        z = y + tf.reduce_sum(x)
    wrong, done = [], []
    with tf.Session() as session:

        def run(seed):
            rng = np.random.default_rng(seed)
            for _ in range(20):
                value = rng.integers(0, 10, rng.integers(1, 3000)).astype(np.float32)
                found = session.run(z, {x: value})
                if found != (value * value).sum() + value.sum():
                    wrong.append((seed, found))
            done.append(seed)

        threads = [threading.Thread(target=run, args=[i]) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong and sorted(done) == list(range(4))


def test_random_numbers_are_those_of_the_cpu():
    values = []
    for device in ("/cpu:0", "/gpu:0"):
        with tf.Graph().as_default(), tf.device(device):
            tf.set_random_seed(5)
            numbers = [tf.random_uniform([1000]), tf.random_normal([999]), tf.truncated_normal([77])]
            with tf.Session() as session:
                values.append([session.run(numbers) for _ in range(3)])
    for on_cpu, on_gpu in zip(*values):
        for a, b in zip(on_cpu, on_gpu):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)


def test_an_operation_with_state_that_later_runs_have_elsewhere():
    tf.random_uniform([4], seed=3)
    (random,) = [op for op in tf.get_default_graph().get_operations() if op.type == "RandomUniform"]
    with tf.device("/cpu:0"):
        once = tf.exp(random.outputs[0])
    with tf.Session() as session:
        session.run(once)
        with tf.colocate_with(random):
            tf.as_string(tf.placeholder(tf.float32, []))  # has no kernel for GPUs
        with tf.device("/cpu:0"):
            again = tf.sqrt(random.outputs[0])
        assert np.isfinite(session.run(again)).all()


def test_the_first_session_decides_which_gpus_there_are(monkeypatch):
    for name, value in [("_configured", False), ("_gpus", {}), ("_visible", None)]:
        monkeypatch.setattr(gpu, name, value)

    def count(visible):
        config = tf.ConfigProto()
        config.gpu_options.visible_device_list = visible
        return number_of_gpus(SessionOptions.of(config))

    with pytest.raises(tf.errors.InvalidArgumentError, match="invalid GPU id '7'"):
        count("7")
    there = count("")
    assert there == (2 if driver.emulation_is_wanted() else gpu.count())
    assert count(str(there - 1)) == there  # sessions have all already


FIRST_USES = """
import numpy as np
import tfcore as tf

x = tf.placeholder(tf.float32, [2, 2])
with tf.device("/gpu:0"):
    product, smooth = x * 2.0, tf.exp(x)
with tf.device("/gpu:1"):
    other = x * 3.0
value = np.ones([2, 2])
with tf.Session() as session:
    for y in (product, other, smooth):
        print(session.run(y, {x: value})[0, 0])
"""


@pytest.mark.two_gpus
def test_kernels_of_two_gpus_made_in_turns():
    """A thread that opens a GPU works with the others as before."""
    done = subprocess.run([sys.executable, "-c", FIRST_USES], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    np.testing.assert_allclose([float(line) for line in done.stdout.split()], [2, 3, np.exp(1)], rtol=1e-6)
