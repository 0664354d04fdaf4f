"""Training under MirroredStrategy: the same numbers as on one device, and TensorFlow's."""

import numpy as np
import pytest

import tfcore as tf

ROWS = np.random.RandomState(0).randn(12, 3).astype(np.float32)
TARGETS = ROWS.sum(1, keepdims=True) * 2 + 1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def session(replicas):
    return tf.Session(config=tf.ConfigProto(device_count={"CPU": max(replicas, 1)}))


def mirrored(replicas):
    return tf.distribute.MirroredStrategy([f"/cpu:{i}" for i in range(replicas)])


def train(replicas, optimizer, normalized=False):
    """The losses of five steps, and the variables by name; replicas: 0 for none and no strategy."""

    def step(rows, targets):
        hidden = tf.layers.dense(rows, 5, activation=tf.tanh, kernel_initializer=tf.initializers.constant(0.3))
        if normalized:
            hidden = tf.layers.batch_normalization(hidden, training=True)
        predicted = tf.layers.dense(hidden, 1, kernel_initializer=tf.initializers.constant(0.2))
        loss = tf.reduce_sum((predicted - targets) ** 2) / 4
        return loss, optimizer().minimize(loss, global_step=tf.train.get_or_create_global_step())

    dataset = tf.data.Dataset.from_tensor_slices((ROWS, TARGETS)).batch(4).repeat()
    updates = []
    if replicas:
        strategy = mirrored(replicas)
        with strategy.scope():
            iterator = strategy.make_dataset_iterator(dataset)
            initialized = iterator.initialize()
            losses, trained = strategy.run(step, args=iterator.get_next())
            updates = [strategy.group(u) for u in tf.get_collection(tf.GraphKeys.UPDATE_OPS)]
            loss, trained = strategy.reduce("SUM", losses, axis=None), strategy.group(trained)
    else:
        iterator = tf.data.make_initializable_iterator(dataset)
        initialized = iterator.initializer
        loss, trained = step(*iterator.get_next())
    with session(replicas) as sess:
        sess.run([tf.global_variables_initializer(), initialized])
        losses = [sess.run([loss, trained, *updates])[0] for _ in range(5)]
        return losses, {v.name: sess.run(v) for v in tf.global_variables()}


@pytest.mark.parametrize("replicas", [1, 2, 3])
@pytest.mark.parametrize(
    "optimizer", [lambda: tf.train.MomentumOptimizer(0.05, 0.9), lambda: tf.train.AdamOptimizer(0.05)]
)
def test_training_is_that_of_one_device(replicas, optimizer):
    losses, variables = train(replicas, optimizer)
    with tf.Graph().as_default():
        expected_losses, expected = train(0, optimizer)
    np.testing.assert_allclose(losses, expected_losses, 1e-5)
    assert variables.keys() == expected.keys()
    for name, value in expected.items():
        np.testing.assert_allclose(variables[name], value, 1e-4, 1e-5, err_msg=name)
    assert variables["global_step:0"] == 5


def test_batch_normalization_is_tensorflows():
    """Replicas normalize their own rows, and the moving averages are the means of theirs."""
    losses, variables = train(2, lambda: tf.train.GradientDescentOptimizer(0.1), normalized=True)
    np.testing.assert_allclose(losses, [33.372665, 10.777899, 9.853455, 20.229414, 12.504005], 1e-5)
    np.testing.assert_allclose(variables["batch_normalization/moving_mean:0"], [0.01555] * 5, rtol=1e-3)
    np.testing.assert_allclose(variables["batch_normalization/moving_variance:0"], [0.95397] * 5, rtol=1e-5)


def test_gradients_are_summed_with_sparse_ones_and_clipped_once():
    class Halving(tf.train.GradientDescentOptimizer):
        def apply_gradients(self, grads_and_vars, *args, **kwargs):
            return super().apply_gradients([(g if g is None else g * 0.5, v) for g, v in grads_and_vars], *args)

    strategy = mirrored(2)
    with strategy.scope():
        table = tf.get_variable("table", initializer=np.zeros((4, 2), np.float32))
        scale = tf.get_variable("scale", initializer=1.0)
        tf.get_variable("unused", initializer=1.0)

        def step(index):
            loss = tf.reduce_sum(tf.gather(table, index) * 3.0)
            sparse = tf.train.GradientDescentOptimizer(1.0).minimize(loss)
            return tf.group(sparse, Halving(1.0).minimize(scale * 2.0, var_list=[scale]))

        trained = strategy.group(strategy.run(step, args=(tf.distribute.get_strategy().run(_number),)))
    with session(2) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(trained)
        assert sess.run(table).tolist() == [[-3, -3], [-3, -3], [0, 0], [0, 0]]
        assert sess.run(scale) == 1 - 2 * 2 * 0.5


def _number():
    return tf.reshape(tf.distribute.get_replica_context().replica_id_in_sync_group, [1])


@pytest.mark.parametrize(
    "aggregation, added, assigned", [("SUM", 10 + 3.0, 3.0), ("MEAN", 10 + 1.5, 1.5), ("ONLY_FIRST_REPLICA", 11.0, 1.0)]
)
@pytest.mark.parametrize("synchronization", ["ON_WRITE", "ON_READ"])
def test_updates_in_replicas_are_combined(aggregation, added, assigned, synchronization):
    strategy = mirrored(2)
    with strategy.scope():
        variable = tf.Variable(
            10.0,
            trainable=False,
            aggregation=tf.VariableAggregation[aggregation],
            synchronization=tf.VariableSynchronization[synchronization],
        )

        def update(method):
            number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32) + 1.0
            return method(variable, number)

        add = strategy.group(strategy.run(update, args=(tf.assign_add,)))
        assign = strategy.group(strategy.run(update, args=(lambda v, x: v.assign(x),)))
    with session(2) as sess:
        sess.run(variable.initializer)
        sess.run(add)
        assert sess.run(variable) == added
        sess.run(assign)
        assert sess.run(variable) == assigned


def test_updates_that_cannot_be_combined():
    strategy = mirrored(2)
    with strategy.scope():
        local = tf.Variable(0.0, trainable=False, synchronization=tf.VariableSynchronization.ON_READ)
        rows = tf.Variable([0.0, 0.0])
        slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([0]))
        with pytest.raises(tf.errors.UnimplementedError, match="would have another value in each replica"):
            strategy.run(lambda: local.assign(1.0))
        with pytest.raises(tf.errors.UnimplementedError, match="ScatterAdd of the variable .* in a replica context"):
            strategy.run(lambda: rows.scatter_add(slices))
        rows.scatter_add(slices)


def test_variables_are_created_once():
    strategy = mirrored(2)
    with strategy.scope():

        def create():
            named = tf.get_variable("named", [2], initializer=tf.zeros_initializer())
            plain = tf.Variable(2.0, name="plain")
            with tf.variable_scope("inner"):
                return named, plain, tf.get_variable("v", initializer=3.0)

        named, plain, inner = strategy.run(create)
        assert [v.name for v in (named, plain, inner)] == ["named:0", "plain:0", "inner/v:0"]
        assert tf.global_variables() == [named, plain, inner]
        assert all(strategy.extended.variable_created_in_scope(v) for v in (named, plain, inner))
        assert {v.device for v in (named, plain, inner)} == {"/device:CPU:0"}

        def differently():
            if tf.get_variable_scope().reuse:
                tf.Variable(1.0, name="of_the_second_replica")

        with pytest.raises(RuntimeError, match="Replica 1 creates a variable, 'of_the_second_replica', that replica 0"):
            strategy.run(differently)


def test_metrics_are_those_of_all_replicas():
    strategy = mirrored(2)
    with strategy.scope():

        def step():
            number = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
            return tf.metrics.mean(number + 1.0, weights=number + 1.0)

        value, update = strategy.run(step)
        update = strategy.group(update)
    with session(2) as sess:
        sess.run(tf.local_variables_initializer())
        sess.run(update)
        np.testing.assert_allclose(sess.run(value), (1 + 4) / 3)


def test_a_saver_writes_the_variables_of_a_program_without_a_strategy(tmp_path):
    strategy = mirrored(2)
    with strategy.scope():
        variable = tf.get_variable("v", initializer=3.0)
        saver = tf.train.Saver()
    with session(2) as sess:
        sess.run(variable.initializer)
        path = saver.save(sess, str(tmp_path / "model"))
    assert tf.train.list_variables(path) == [("v", [])]


def test_central_storage_has_its_variables_on_one_device():
    strategy = tf.distribute.experimental.CentralStorageStrategy(["/cpu:1", "/cpu:2"], "/cpu:0")
    with strategy.scope():
        variable = tf.get_variable("v", initializer=3.0)
        total = strategy.reduce("SUM", strategy.run(lambda: variable * 2.0), axis=None)
    assert variable.device == "/device:CPU:0"
    with session(3) as sess:
        sess.run(variable.initializer)
        assert sess.run(total) == 12.0


@pytest.mark.parametrize(
    "make, instead",
    [
        (tf.distribute.experimental.MultiWorkerMirroredStrategy, "AllreduceOptimizer"),
        (tf.distribute.experimental.ParameterServerStrategy, "replica_device_setter"),
        (tf.distribute.experimental.TPUStrategy, "MirroredStrategy"),
        (tf.contrib.distribute.CollectiveAllReduceStrategy, "AllreduceOptimizer"),
        (tf.contrib.distribute.ParameterServerStrategy, "replica_device_setter"),
    ],
)
def test_strategies_over_processes_say_what_to_use(make, instead):
    with pytest.raises(
        tf.errors.UnimplementedError, match=f"{make.__name__} is not implemented: .*{instead}"
    ) as raised:
        make()
    space = "contrib.distribute" if "contrib" in make.__module__ else "distribute.experimental"
    assert f"tf.{space}.{make.__name__} is" in str(raised.value)
    with pytest.raises(tf.errors.UnimplementedError, match="AllreduceOptimizer"):
        mirrored(1).configure(cluster_spec={"worker": ["a:1"]})


def averages(zero_debias):
    """The averages of a variable and of a tensor that differs between replicas: 3 and 5, of the mean 4."""
    v = tf.get_variable("v", initializer=2.0)
    ema = tf.train.ExponentialMovingAverage(0.5, zero_debias=zero_debias)
    x = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32) * 2.0 + 3.0
    later = tf.train.ExponentialMovingAverage(0.5, name="later")
    return ema.apply([x, v]), ema.average(x), ema.average(v), later.apply([v]), tf.Variable(7.0, name="last")


@pytest.mark.parametrize("zero_debias, expected", [(False, [2.0, 3.0]), (True, [4.0, 4.0])])
def test_replicas_share_averages(zero_debias, expected):
    strategy = mirrored(2)
    update, of_tensor, of_variable, _, last = strategy.run(lambda: averages(zero_debias))
    assert of_variable.op.name == "v/ExponentialMovingAverage" and last.op.name == "last"
    names = [v.op.name for v in tf.global_variables() if not v.op.name.endswith(("biased", "local_step"))]
    assert names == ["v", "add/ExponentialMovingAverage", "v/ExponentialMovingAverage", "v/later", "last"]
    assert all(type(v).__name__ == "MirroredVariable" and v.device == "/device:CPU:0" for v in tf.global_variables())
    with session(2) as sess:
        sess.run(tf.global_variables_initializer())
        found = []
        for _ in expected:
            sess.run(strategy.group(update))
            found.append(sess.run(of_tensor))
        assert found == expected and sess.run(of_variable) == 2.0


def test_replicas_share_the_averages_of_an_object_from_outside():
    ema, strategy = tf.train.ExponentialMovingAverage(0.5), mirrored(2)

    def replica():
        v = tf.get_variable("v", initializer=1.0)
        update = ema.apply([v])
        return update, tf.Variable(5.0, name="w")

    _, w = strategy.run(replica)
    assert w.op.name == "w" and [v.op.name for v in tf.global_variables()] == ["v", "v/ExponentialMovingAverage", "w"]


def test_a_slot_that_the_first_replica_has_not_made():
    def replica():
        v = tf.get_variable("v", initializer=1.0)
        if "CPU:1" in tf.distribute.get_replica_context().devices[0]:
            tf.train.ExponentialMovingAverage(0.5).apply([v])

    with pytest.raises(
        RuntimeError, match="Replica 1 creates a variable, 'v/ExponentialMovingAverage', that replica 0"
    ):
        mirrored(2).run(replica)


def test_an_optimizer_with_averages():
    def replica():
        v = tf.get_variable("v", initializer=1.0)
        optimizer = tf.contrib.opt.MovingAverageOptimizer(tf.train.MomentumOptimizer(0.25, 0.5), average_decay=0.5)
        return optimizer.minimize(v * 2.0)

    strategy = mirrored(2)
    train = strategy.group(strategy.run(replica))
    assert [v.op.name for v in tf.global_variables()] == ["v", "v/Momentum", "v/ExponentialMovingAverage"]
    with session(2) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)  # v is then 1 - 0.25 * (2 + 2)
        assert sess.run(tf.global_variables()) == [0.0, 4.0, 0.5]


def test_a_reference_from_outside_has_slots_of_its_kind():
    v = tf.Variable(1.0, use_resource=False, name="v")
    strategy = mirrored(2)
    train = strategy.group(strategy.run(lambda: tf.train.MomentumOptimizer(0.25, 0.5).minimize(v * 2.0)))
    with session(2) as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        assert sess.run(tf.global_variables()) == [0.0, 4.0]


def test_contrib_takes_a_number_of_gpus():
    assert tf.contrib.distribute.MirroredStrategy(num_gpus=2).num_replicas_in_sync == 2
    assert tf.contrib.distribute.MirroredStrategy(num_gpus=0).extended.device_names == ("/device:CPU:0",)
    with pytest.raises(ValueError, match="Must only specify one of `devices` and `num_gpus`"):
        tf.contrib.distribute.MirroredStrategy(["/cpu:0"], num_gpus=1)
    with pytest.raises(ValueError, match="both `num_gpus` and `num_gpus_per_worker`"):
        tf.contrib.distribute.MirroredStrategy(num_gpus=1, num_gpus_per_worker=1)
