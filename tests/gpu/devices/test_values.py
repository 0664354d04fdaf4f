"""Values of programs that are spread over the CPU and GPUs."""

import numpy as np
import pytest

import tfcore as tf

TYPES = [tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.uint8, tf.int16, tf.uint16, tf.int32, tf.int64]


@pytest.mark.two_gpus
@pytest.mark.parametrize("n", [0, 1, 1000, 700_000, 3_000_001])
def test_values_cross_between_all_devices(n):
    a = tf.placeholder(tf.float32, [None])
    with tf.device("/gpu:0"):
        x = a * 2.0
    with tf.device("/gpu:1"):
        y = x + 1.0
        z = x * x
    with tf.device("/cpu:0"):
        w = y + z
    with tf.device("/gpu:0"):
        q = w + y
    value = (np.arange(n, dtype=np.float32) % 1000) / 1000
    expected = [value * 2, value * 2 + 1, value * value * 4]
    expected += [expected[1] + expected[2], 2 * expected[1] + expected[2]]
    with tf.Session() as session:
        for _ in range(2):
            for found, right in zip(session.run([x, y, z, w, q], {a: value}), expected):
                np.testing.assert_allclose(found, right, rtol=1e-6)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.name)
def test_every_type_crosses(dtype):
    value = np.arange(12).reshape(3, 4).astype(dtype.as_numpy_dtype)
    x = tf.placeholder(dtype, [3, None])
    with tf.device("/gpu:0"):
        y = tf.transpose(x)
    with tf.device("/gpu:1"):
        z = tf.reshape(y, [-1])
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        found, flat = session.run([y, z], {x: value})
    np.testing.assert_array_equal(found, value.T)
    np.testing.assert_array_equal(flat, value.T.ravel())
    assert found.dtype == value.dtype


@pytest.mark.two_gpus
def test_a_value_crosses_once_for_each_destination():
    x = tf.placeholder(tf.float32, [4])
    with tf.device("/gpu:0"):
        y = tf.exp(x)
    with tf.device("/gpu:1"):
        uses = [y + 1.0, y * 2.0, tf.sqrt(y)]
    with tf.device("/cpu:0"):
        total = tf.add_n([tf.identity(use) for use in uses]) + y + y * y
    metadata = tf.RunMetadata()
    options = tf.RunOptions(output_partition_graphs=True)
    with tf.Session() as session:
        session.run(total, {x: np.zeros(4)}, options=options, run_metadata=metadata)
    recvs = [n for graph in metadata.partition_graphs for n in graph.node if n.op == "_Recv"]
    crossings = [(n.attr["send_device"].s, n.attr["recv_device"].s, n.attr["tensor_name"].s) for n in recvs]
    from_y = [c for c in crossings if b"Exp" in c[2]]
    assert len(from_y) == len({c[:2] for c in from_y}) == 2, crossings


def test_fetches_that_share_a_buffer():
    with tf.device("/gpu:0"):
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]]) + 0.0
        views = [x, tf.reshape(x, [4]), tf.expand_dims(x, 0)]
    with tf.Session() as session:
        found = session.run(views)
    found[0][0, 0] = 99  # the caller's own
    assert found[1].tolist() == [1, 2, 3, 4] and found[2].shape == (1, 2, 2)


def test_shapes_are_known_on_the_host():
    x = tf.placeholder(tf.float32)
    with tf.device("/gpu:0"):
        y = tf.exp(x)
        flat = tf.reshape(y, [tf.shape(y)[0], tf.size(y) // tf.shape(y)[0]])
        rank = tf.rank(y)
    with tf.Session(config=tf.ConfigProto(allow_soft_placement=True)) as session:
        found, r = session.run([flat, rank], {x: np.zeros([2, 3, 4])})
    assert found.shape == (2, 12) and r == 3


def test_more_than_64_arguments():
    feeds = [tf.placeholder(tf.float32, [None]) for _ in range(70)]
    with tf.device("/gpu:0"):
        values = [x * 1.0 for x in feeds]
        shapes = tf.shape_n(values)  # on the host
        joined = tf.concat(values, tf.placeholder_with_default(0, []))
    with tf.device("/cpu:0"):
        total = tf.add_n([tf.identity(shape) for shape in shapes])
    with tf.Session() as session:
        found, last, all_values = session.run([total, shapes[-1], joined], {x: [1, 2, 3] for x in feeds})
    assert found.tolist() == [210] and last.tolist() == [3]
    assert all_values.tolist() == [1, 2, 3] * 70


def test_a_feed_may_change_after_the_run():
    x = tf.placeholder(tf.float32, [100_000])
    with tf.device("/gpu:0"):
        y = x + 1.0
        kept = tf.Variable(tf.zeros([100_000]))
        keep = tf.assign(kept, x)
    value = np.zeros(100_000, np.float32)
    with tf.Session() as session:
        session.run(kept.initializer)
        result, _ = session.run([y, keep.op], {x: value})
        value[:] = 7
        assert (result == 1).all() and (session.run(kept) == 0).all()


def test_many_steps_leave_memory_flat():
    x = tf.placeholder(tf.float32, [None])
    with tf.device("/gpu:0"):
        y = tf.reduce_sum(tf.exp(x) * x)
    from tfcore.core.device import gpu

    with tf.Session() as session:
        session.run(y, {x: np.zeros(5000)})
        before = gpu.gpu(0).memory_stats()
        for i in range(200):
            session.run(y, {x: np.zeros(1000 + 20 * i)})
        after = gpu.gpu(0).memory_stats()
    assert after["bytes_in_use"] == before["bytes_in_use"]
    assert after["bytes_reserved"] <= before["bytes_reserved"] + (4 << 20)


def test_dlpack_and_strings_still_work_beside_a_gpu():
    text = tf.placeholder(tf.string, [2])
    joined = tf.reduce_join(text)
    with tf.Session() as session:
        assert session.run(joined, {text: ["a", "b"]}) == b"ab"
