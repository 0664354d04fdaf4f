"""The input of replicas."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def elements(iterator, strategy):
    """All that replicas get, as lists."""
    initialized, parts = iterator.initialize(), strategy.experimental_local_results(iterator.get_next())
    found = []
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 3})) as sess:
        sess.run(initialized)
        with pytest.raises(tf.errors.OutOfRangeError):
            while True:
                found.append([v.tolist() for v in sess.run(list(parts))])
    return found


def mirrored(replicas=2):
    return tf.distribute.MirroredStrategy([f"/cpu:{i}" for i in range(replicas)])


@pytest.mark.parametrize("drop, last", [(False, [[[5], [6], []]]), (True, [])])
def test_batches_are_split(drop, last):
    strategy = mirrored(3)
    dataset = tf.data.Dataset.range(7).batch(5, drop_remainder=drop)
    expected = [[[0, 1], [2, 3], [4]], *last]
    assert elements(strategy.make_dataset_iterator(dataset), strategy) == expected
    assert (
        elements(strategy.experimental_distribute_dataset(dataset).make_initializable_iterator(), strategy) == expected
    )


def test_replicas_take_elements_in_turn():
    strategy, contexts = mirrored(), []

    def input_fn(context):
        contexts.append(context)
        return tf.data.Dataset.range(7).batch(context.get_per_replica_batch_size(4))

    expected = [[[0, 1], [2, 3]], [[4, 5], [6]]]
    assert elements(strategy.make_input_fn_iterator(input_fn), strategy) == expected
    dataset = strategy.distribute_datasets_from_function(input_fn)
    assert elements(dataset.make_initializable_iterator(), strategy) == expected
    assert str(contexts[0]) == "tf.distribute.InputContext(input pipeline id 0, total: 1)"
    assert (contexts[0].num_replicas_in_sync, contexts[0].num_input_pipelines) == (2, 1)
    with pytest.raises(ValueError, match="7 is not divisible by `num_replicas_in_sync` 2"):
        contexts[0].get_per_replica_batch_size(7)
    with pytest.raises(ValueError, match="Input replication mode not supported"):
        strategy.make_input_fn_iterator(input_fn, tf.distribute.InputReplicationMode.PER_REPLICA)


def test_functions_that_return_elements():
    strategy, calls = mirrored(), iter([3, 4])
    iterator = strategy.make_input_fn_iterator(lambda context: lambda: next(calls))
    assert iterator.initialize() == [] and iterator.get_next().values == (3, 4)
    with pytest.raises(ValueError, match="input_fn must return a tf.data.Dataset or a callable"):
        strategy.make_input_fn_iterator(lambda context: 3)


def test_structures_and_arrays():
    strategy = mirrored()
    rows = {"x": np.arange(4.0), "y": np.arange(8).reshape(4, 2)}
    dataset = strategy.experimental_make_numpy_dataset(rows).batch(4)
    iterator = strategy.make_dataset_iterator(dataset)
    found = strategy.experimental_run(
        lambda row: tf.reduce_sum(row["x"]) + tf.cast(row["y"][0, 1], tf.float64), iterator
    )
    with tf.Session(config=tf.ConfigProto(device_count={"CPU": 2})) as sess:
        sess.run(iterator.initializer)
        assert sess.run(list(found.values)) == [0 + 1 + 1, 2 + 3 + 5]


def test_what_cannot_be_split():
    strategy = mirrored()
    with pytest.raises(ValueError, match="has no batch dimension"):
        strategy.make_dataset_iterator(tf.data.Dataset.range(3)).get_next()
    sparse = tf.sparse.from_dense([[1], [2]])
    with pytest.raises(tf.errors.UnimplementedError, match="make_input_fn_iterator"):
        strategy.make_dataset_iterator(tf.data.Dataset.from_tensors(sparse)).get_next()
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.range(2).batch(2))
    with pytest.raises(RuntimeError, match=r"__iter__\(\) is only supported"):
        iter(dataset)
    with pytest.raises(tf.errors.UnimplementedError, match="make_initializable_iterator"):
        dataset.make_one_shot_iterator()
