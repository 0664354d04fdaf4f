"""Variables in a GPU's memory."""

import numpy as np
import pytest

import tfcore as tf


def started(**options):
    session = tf.Session(config=tf.ConfigProto(**options))
    session.run(tf.global_variables_initializer())
    return session


def test_uninitialized():
    with tf.device("/gpu:0"):
        v = tf.Variable([1.0], name="v")
        w = v + 1.0
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="Attempting to use uninitialized value v"):
            session.run(w)
        assert not session.run(tf.is_variable_initialized(v))


def test_updates():
    with tf.device("/gpu:0"):
        v = tf.Variable(np.arange(6, dtype=np.float32).reshape(2, 3))
        add, sub, put = v.assign_add(tf.ones([2, 3])), v.assign_sub(tf.ones([2, 3])), v.assign(tf.zeros([2, 3]))
    with started() as session:
        start = np.arange(6).reshape(2, 3)
        assert (session.run(add) == start + 1).all()
        session.run([add.op])
        assert (session.run(v) == start + 2).all()
        assert (session.run(sub) == start + 1).all()
        assert (session.run(put) == 0).all()


def test_an_update_through_a_chosen_reference():
    index = tf.placeholder(tf.int32, [])
    with tf.device("/gpu:0"):
        v, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 4.0])
        chosen = tf.raw_ops.RefSelect(index=index, inputs=[v._ref(), w._ref()])
        update = tf.raw_ops.Assign(ref=chosen, value=[7.0, 8.0])
    with started() as session:
        session.run(update, {index: 1})
        assert session.run([v, w])[0].tolist() == [1, 2] and session.run(w).tolist() == [7, 8]


def test_who_read_before_an_update_keeps_the_value():
    with tf.device("/gpu:0"):
        v = tf.Variable(tf.zeros([1000]))
        before = tf.identity(v)
        with tf.control_dependencies([before]):
            update = v.assign_add(tf.ones([1000]))
        with tf.control_dependencies([update]):
            after = tf.identity(v.read_value())
    with started() as session:
        for i in range(3):
            old, new = session.run([before, after])
            assert (old == i).all() and (new == i + 1).all()


@pytest.mark.two_gpus
def test_reads_on_other_devices():
    with tf.device("/gpu:0"):
        v = tf.Variable(np.arange(4.0, dtype=np.float32))
        bump = v.assign_add(tf.ones([4]))
    reads = []
    for device in ("/cpu:0", "/gpu:1", "/gpu:0"):
        with tf.device(device), tf.control_dependencies([bump]):
            reads.append(v * 2.0)
    with started() as session:
        for i in range(1, 4):
            for found in session.run(reads):
                np.testing.assert_array_equal(found, 2 * (np.arange(4) + i))


def test_a_variable_goes_where_all_its_operations_can_be(capfd):
    v = tf.Variable(np.zeros((4, 2), np.float32), name="v")
    with tf.colocate_with(v.op):
        tf.as_string(v)  # has no kernel for GPUs, and no run needs it
    with started(log_device_placement=True) as session:
        assert (session.run(v.assign_add(tf.ones([4, 2]))) == 1).all()
    assert "v: (VariableV2): /job:localhost/replica:0/task:0/device:CPU:0" in capfd.readouterr().err.splitlines()


def test_soft_placement_has_a_variable_in_one_place(capfd):
    with tf.device("/gpu:0"):
        v = tf.Variable(np.zeros((4, 2), np.float32), name="v")
        with tf.colocate_with(v.op):
            text = tf.as_string(v)  # has no kernel for GPUs
    with started(log_device_placement=True, allow_soft_placement=True) as session:
        assert (session.run(v.assign_add(tf.ones([4, 2]))) == 1).all()
        assert session.run(text)[0, 0] == b"1.000000"
    lines = [line for line in capfd.readouterr().err.splitlines() if line.startswith("v: (VariableV2)")]
    assert lines == ["v: (VariableV2): /job:localhost/replica:0/task:0/device:CPU:0"]


def test_a_variable_moves_if_a_later_operation_needs_the_host():
    v = tf.Variable(np.zeros([5, 2], np.float32))
    index = tf.placeholder(tf.int32, [3])
    loss = tf.reduce_sum(tf.gather(v, index))
    with started() as session:
        assert (session.run(v) == 0).all()
        step = tf.train.AdagradOptimizer(1.0).minimize(loss)
        session.run(tf.variables_initializer(tf.global_variables()[1:]))
        session.run(step, {index: [1, 1, 2]})
        with tf.device("/cpu:0"):
            on_host = v * 1.0
        changed = session.run(on_host)
    assert (changed[[0, 3, 4]] == 0).all() and (changed[[1, 2]] < 0).all()


def test_training_gives_the_values_of_the_cpu():
    def train(device):
        with tf.Graph().as_default(), tf.device(device):
            tf.set_random_seed(1)
            x = tf.placeholder(tf.float32, [None, 8])
            y = tf.placeholder(tf.float32, [None, 3])
            w1 = tf.Variable(tf.random_normal([8, 16], seed=3))
            w2 = tf.Variable(tf.random_normal([16, 3], seed=4))
            logits = tf.matmul(tf.nn.relu(tf.matmul(x, w1)), w2)
            loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=y, logits=logits))
            steps = [o.minimize(loss) for o in (tf.train.AdamOptimizer(0.01), tf.train.MomentumOptimizer(0.1, 0.9))]
            rng = np.random.default_rng(0)
            with started(allow_soft_placement=True) as session:
                for i in range(6):
                    feed = {x: rng.normal(size=[20, 8]), y: np.eye(3)[rng.integers(0, 3, 20)]}
                    session.run(steps[i % 2], feed)
                return session.run([w1, w2, loss], feed)

    for a, b in zip(train("/cpu:0"), train("/gpu:0")):
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=1e-6)
