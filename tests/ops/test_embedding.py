"""Embedding tables in shards on parameter servers: what travels between tasks, and that training does the right thing."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.train import replica_device_setter

ROWS, WIDTH, SHARDS = 97, 4, 3
WORKER = "/job:worker/task:0"

OPTIMIZERS = {
    "GradientDescent": lambda: tf.train.GradientDescentOptimizer(0.5),
    "Momentum": lambda: tf.train.MomentumOptimizer(0.5, 0.9),
    "Adagrad": lambda: tf.train.AdagradOptimizer(0.5),
    "Adam": lambda: tf.train.AdamOptimizer(0.5),
    "RMSProp": lambda: tf.train.RMSPropOptimizer(0.5),
}


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def make_table(kind):
    """A table in shards: parts of a partitioned variable, separate variables, or variables of unknown shape."""
    values = np.random.default_rng(0).standard_normal((ROWS, WIDTH)).astype(np.float32)
    if kind == "partitioned":
        return tf.get_variable("t", initializer=values, partitioner=tf.fixed_size_partitioner(SHARDS))
    if kind == "one":
        return tf.Variable(values, name="t")
    sizes = [ROWS // SHARDS + (i < ROWS % SHARDS) for i in range(SHARDS)]
    parts = np.split(values, np.cumsum(sizes)[:-1])
    return [tf.Variable(p, name=f"t{i}", validate_shape=kind == "list") for i, p in enumerate(parts)]


def task_of(op, graph):
    """The task of an operation; where it has none of its own, that of what it is colocated with."""
    device = op.device
    for group in op.colocation_groups():
        device = device or graph.get_operation_by_name(group[5:].decode()).device
    return device.split("/device")[0]


def travelling(graph):
    """Tensors that another task reads, when variables are not being initialized."""
    initial = {v.initial_value.op for v in tf.global_variables()}
    tensors = {}
    for op in graph.get_operations():
        for t in op.inputs:
            if task_of(t.op, graph) != task_of(op, graph) and t.op.type != "Const" and t.op not in initial:
                tensors[t] = op
    return tensors


@pytest.mark.parametrize("kind", ["partitioned", "one", "list", "unknown"])
@pytest.mark.parametrize("strategy", ["mod", "div"])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("max_norm", [None, 2.0])
@pytest.mark.parametrize("colocate", [False, True])
def test_tables_stay_on_their_tasks(graph, kind, strategy, optimizer, max_norm, colocate):
    with tf.device(replica_device_setter(2, worker_device=WORKER)):
        table = make_table(kind)
        ids = tf.placeholder(tf.int64, [5])
        again = tf.placeholder(tf.int64, [None, 3])
        found = tf.nn.embedding_lookup(table, ids, strategy, max_norm=max_norm)
        more = tf.nn.embedding_lookup(table, again, strategy, max_norm=max_norm)
        loss = tf.reduce_sum(tf.square(found)) + tf.reduce_sum(more)
        pairs = OPTIMIZERS[optimizer]().compute_gradients(loss, colocate_gradients_with_ops=colocate)
        OPTIMIZERS[optimizer]().apply_gradients(pairs)
    assert all(isinstance(grad, tf.IndexedSlices) for grad, _ in pairs)
    assert found.device == more.device == WORKER
    shards = [table] if kind == "one" else list(table)
    for i, shard in enumerate(shards):
        assert shard.device == f"/job:ps/task:{i % 2}"
        readers = [op for op in shard.value().consumers()]
        assert readers and {op.type for op in readers} <= {"GatherV2", "Shape"}
        assert {task_of(op, graph) for op in readers} == {shard.device}
    whole = {v.op.outputs[0] for v in tf.global_variables()} | {v.value() for v in tf.global_variables()}
    for t, reader in travelling(graph).items():
        assert t not in whole or t.shape.as_list() == [], (t, reader)  # powers of Adam's betas do
        assert t.dims is None or ROWS // SHARDS not in t.dims and ROWS not in t.dims, (t, reader)
        assert not t.op.type.startswith("UnsortedSegment"), (t, reader)
    kinds = {op.type: task_of(op, graph) for op in graph.get_operations()}
    if kind != "one":
        assert kinds["DynamicPartition"] == kinds["ParallelDynamicStitch"] == WORKER


@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("strategy", ["mod", "div"])
@pytest.mark.parametrize("shards", [1, 2, 5])
def test_training_in_shards_is_training_of_the_whole(graph, optimizer, strategy, shards):
    """Rows that a step names several times too."""
    values = np.random.default_rng(1).standard_normal((11, 3)).astype(np.float32)
    places = (
        np.array_split(np.arange(11), shards)
        if strategy == "div"
        else [np.arange(11)[k::shards] for k in range(shards)]
    )
    whole = tf.Variable(values)
    parts = [tf.Variable(values[p]) for p in places]
    ids = tf.placeholder(tf.int32, [None])
    steps = []
    for table in (whole, parts):
        found = tf.nn.embedding_lookup(table, ids, strategy)
        loss = tf.reduce_sum(tf.square(found) * tf.cast(ids[:, None] + 1, tf.float32))
        steps.append(OPTIMIZERS[optimizer]().minimize(loss, var_list=[table] if table is whole else table))
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for batch in ([0, 10, 3, 3, 3], [10, 1], [5, 0, 7, 0]):
            sess.run(steps, {ids: batch})
        expected, *found = sess.run([whole, *parts])
    assert not np.allclose(expected, values)
    for place, part in zip(places, found):
        np.testing.assert_allclose(part, expected[place], rtol=1e-6)


def test_ids_travel_once(graph):
    """The gradient's rows are known by the ids that the rows were fetched with."""
    with tf.device(replica_device_setter(2, worker_device=WORKER)):
        table = make_table("partitioned")
        found = tf.nn.embedding_lookup(table, tf.placeholder(tf.int64, [None, 2]), "div")
        tf.train.GradientDescentOptimizer(0.5).minimize(tf.reduce_sum(tf.square(found)))
    integers = [t for t in travelling(graph) if t.dtype.is_integer]
    assert len(integers) == SHARDS and {t.op.type for t in integers} == {"DynamicPartition"}


def test_the_result_of_one_table_is_not_bound_to_its_place():
    with tf.device("/job:ps/task:0"):
        table = tf.Variable(tf.zeros([5, 2]))
    with tf.device(WORKER):
        rows = tf.nn.embedding_lookup(table, [1, 2])
        with tf.colocate_with(rows):
            assert tf.no_op().device == WORKER
    assert rows.device == WORKER and b"loc:@" + table.op.name.encode() not in rows.op.colocation_groups()
