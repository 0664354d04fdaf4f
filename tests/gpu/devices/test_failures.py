"""What goes wrong on a GPU names the operation, and later steps run."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.core.device import gpu


def test_a_wrong_index_names_its_operation():
    with tf.device("/gpu:0"):
        x, index = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.int32, [3])
        first = tf.gather(x, [0, 1], name="first")
        second = tf.gather(x, index, name="second")
    with tf.Session() as session:
        for _ in range(3):
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 9 is not in \[0, 4\)") as error:
                session.run([first, second], {x: [1, 2, 3, 4], index: [0, 9, 1]})
            assert error.value.op.name == "second" and "test_failures.py" in error.value.message
            assert session.run(second, {x: [1, 2, 3, 4], index: [0, 3, 1]}).tolist() == [1, 4, 2]


def test_a_step_that_fetches_nothing_fails_too():
    with tf.device("/gpu:0"):
        v = tf.Variable(tf.zeros([4]))
        update = tf.scatter_add(v, tf.placeholder(tf.int32, [1], name="index"), [1.0])
    with tf.Session() as session:
        session.run(v.initializer)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[0\] = 7 is not in \[0, 4\)"):
            session.run(update.op, {"index:0": [7]})
        session.run(update.op, {"index:0": [2]})
        assert session.run(v).tolist() == [0, 0, 1, 0]


def test_many_reports_in_a_loop():
    with tf.device("/gpu:0"):
        x, last = tf.placeholder(tf.float32, [4]), tf.placeholder(tf.int32, [])

        def body(i, total):
            return i + 1, total + tf.gather(x, tf.where(i < 150, 0, last))

        _, total = tf.while_loop(lambda i, _: i < 200, body, [tf.constant(0), tf.constant(0.0)])
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run(total, {x: [1, 2, 3, 4], last: 1}) == 150 + 2 * 50
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"= -3 is not in \[0, 4\)"):
            session.run(total, {x: [1, 2, 3, 4], last: -3})


@pytest.fixture
def small_memory():
    """GPU:0 with no more than an emulated one has."""
    device = gpu.gpu(0)
    device.set_memory_limit(256 << 20)
    yield device
    device.set_memory_limit(0)


def test_out_of_memory(small_memory):
    with tf.device("/gpu:0"):
        n = tf.placeholder(tf.int32, [])
        a = tf.fill([1 << 20, n], 1.0)
        b = a * 2.0
        c = b + tf.matmul(a, a, transpose_a=True)[0, 0]
    with tf.Session() as session:
        with pytest.raises(tf.errors.ResourceExhaustedError) as error:
            session.run(c.op, {n: 1000})
        text = error.value.message
        assert "OOM when allocating tensor with shape[1048576,1000] and type float" in text
        assert "device:GPU:0 by allocator GPU_0_bfc" in text and "Current usage from device" in text
        session.run(c.op, {n: 2})
        with pytest.raises(tf.errors.ResourceExhaustedError, match=r"MiB from .*Fill"):
            session.run(c.op, {n: 50})
        session.run(c.op, {n: 2})
    assert small_memory.memory_stats()["bytes_in_use"] < 1 << 20


def test_a_memory_limit():
    last = gpu.count() - 1
    with tf.device(f"/gpu:{last}"):
        n = tf.placeholder(tf.int32, [])
        a = tf.fill([n], 1.0) + 1.0
    device = gpu.gpu(last)
    device.set_memory_limit(32 << 20)
    try:
        with tf.Session() as session:
            session.run(a.op, {n: 1 << 20})
            more = device.memory_stats()["bytes_reserved"] + (32 << 20)  # of earlier tests, too
            with pytest.raises(tf.errors.ResourceExhaustedError, match="limit 32.00MiB"):
                session.run(a.op, {n: more // 4})
    finally:
        device.set_memory_limit(0)


def test_numerics_are_checked():
    with tf.device("/gpu:0"):
        x = tf.placeholder(tf.float32, [2], name="x")
        y = tf.log(x, name="y")
    options = tf.ConfigProto()
    options.graph_options.rewrite_options.disable_meta_optimizer = True
    with tf.Session(config=options) as session:
        assert np.isinf(session.run(y, {x: [0, 1]})[0])
        with pytest.raises(tf.errors.InvalidArgumentError, match="y:0 : Tensor had Inf values"):
            session.run(y, {x: [0, 1]}, options=tf.RunOptions(check_numerics=True))


@pytest.mark.parametrize(
    "name, options, text",
    [
        pytest.param("/gpu:2", {}, "available devices are .*GPU:0.*GPU:1", marks=pytest.mark.two_gpus),
        ("/gpu:99", {}, "available devices are .*GPU:0"),
        ("/gpu:0", {"device_count": {"GPU": 0}}, "available devices are"),
    ],
)
def test_a_device_that_is_not_there(name, options, text):
    with tf.device(name):
        x = tf.constant(1.0) + 1.0
    with tf.Session(config=tf.ConfigProto(**options)) as session:
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            session.run(x)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True, **options)) as session:
        assert session.run(x) == 2


def test_an_operation_without_a_kernel():
    with tf.device("/gpu:0"):
        text = tf.as_string(tf.placeholder(tf.float32, [], name="x"))
    with tf.Session() as session, pytest.raises(tf.errors.InvalidArgumentError, match="for GPU devices"):
        session.run(text, {"x:0": 1})
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        assert session.run(text, {"x:0": 1}) == b"1.000000"
