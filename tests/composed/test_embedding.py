"""Embedding tables sharded over parameter servers: traffic between tasks, and correct training."""

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


def needed_by(operations):
    """The operations and all whose values they need."""
    found, todo = set(operations), list(operations)
    while todo:
        before = {t.op for t in todo.pop().inputs} - found
        found |= before
        todo.extend(before)
    return found


def travelling(graph):
    """Tensors that another task reads, when variables are not being initialized."""
    initial = {v.initial_value.op for v in tf.global_variables()}
    making = needed_by(initial)
    tensors = {}
    for op in graph.get_operations():
        for t in op.inputs:
            if op in making or t.op in initial or t.op.type == "Const":
                continue
            if task_of(t.op, graph) != task_of(op, graph):
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


@pytest.mark.parametrize("strategy", ["mod", "div"])
@pytest.mark.parametrize("rows, shards", [(97, 3), (12, 4), (2, 3)])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_an_id_out_of_range_is_named(strategy, rows, shards, dtype):
    sizes = [rows // shards + (i < rows % shards) for i in range(shards)]
    table = [tf.zeros([size, 2]) for size in sizes]
    ids = tf.placeholder(dtype, [2, 2])
    found = tf.nn.embedding_lookup(table, ids, strategy)
    with tf.Session() as sess:
        assert not sess.run(found, {ids: [[0, rows - 1], [1, 0]]}).any()
        for wrong in (rows, rows + 1, 10 * rows + 7, 10**6, -1, -2, -rows, -(10**6)):
            with pytest.raises(tf.errors.InvalidArgumentError, match=rf"is not in \[0, \d+\): id {wrong}\n"):
                sess.run(found, {ids: [[0, 1], [wrong, 0]]})
        for wrong in (rows * 2**32 + 5, -rows * 2**32 + 5) if dtype == "int64" else ():
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"is not in \[0, \d+\)"):
                sess.run(found, {ids: [[0, 1], [wrong, 0]]})


@pytest.mark.parametrize("strategy", ["mod", "div"])
def test_a_look_up_leaves_compiled_plans_valid(strategy):
    table = [tf.zeros([3, 2]), tf.zeros([3, 2])]
    before = tf.get_default_graph().mutation_version
    tf.nn.embedding_lookup(table, [0, 5], strategy)
    assert tf.get_default_graph().mutation_version == before


# ---- Sparse ids

PLACES = np.array([[0, 0], [0, 1], [0, 4], [1, 0], [2, 2], [2, 3]])
IDS = np.array([1, 3, 1, 0, 6, 2])
WEIGHTS = np.array([2.0, 0.5, 1.0, 3.0, 0.25, 0.0])


def sparse(values, dtype=None):
    return tf.SparseTensor(PLACES, tf.constant(values, dtype), [3, 5])


def combined(table, weights, combiner):
    result = np.zeros((3, *table.shape[1:]))
    for row in range(3):
        here = PLACES[:, 0] == row
        w = weights[here].reshape(-1, *[1] * (table.ndim - 1))
        scale = {"sum": 1, "mean": w.sum(), "sqrtn": np.sqrt((w * w).sum())}[combiner]
        result[row] = (table[IDS[here]] * w).sum(0) / scale
    return result


@pytest.mark.parametrize("combiner", ["sum", "mean", "sqrtn", None])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("width", [(), (4,), (2, 3)])
def test_sparse_ids(combiner, weighted, width):
    table = np.random.default_rng(0).standard_normal((7, *width)).astype(np.float32)
    weights = sparse(WEIGHTS, tf.float64) if weighted else None
    expected = combined(table, WEIGHTS if weighted else np.ones(6), combiner or "mean")
    shards = [tf.constant(table[k::3]) for k in range(3)]
    with tf.Session() as sess:
        for params in (table, shards):
            found = tf.nn.embedding_lookup_sparse(params, sparse(IDS), weights, combiner=combiner)
            np.testing.assert_allclose(sess.run(found), expected, rtol=1e-5, atol=1e-6)
            assert found.shape.as_list()[1:] == list(width)


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16])
def test_sparse_ids_of_short_types_are_added_in_float32(dtype):
    table = tf.cast(tf.fill([2, 1], 0.1), dtype)
    places = [[0, i] for i in range(2000)]
    ids, weights = (tf.SparseTensor(places, v, [1, 2000]) for v in ([0] * 2000, [1.0] * 2000))
    found = tf.nn.embedding_lookup_sparse(table, ids, weights, combiner="sum")
    assert found.dtype == dtype
    with tf.Session() as sess:
        assert float(sess.run(found)[0, 0]) == pytest.approx(200, rel=0.01)


def test_sparse_ids_fetch_each_row_once_and_have_sparse_gradients(graph):
    with tf.device(replica_device_setter(2, worker_device=WORKER)):
        table = make_table("partitioned")
        ids = tf.sparse_placeholder(tf.int64, name="ids")
        found = tf.nn.embedding_lookup_sparse(table, ids, None, "div", combiner="sum")
        grads = tf.gradients(found, list(table), colocate_gradients_with_ops=True)
    assert found.device == WORKER and all(isinstance(g, tf.IndexedSlices) for g in grads)
    for t, reader in travelling(graph).items():
        assert t.dims is None or ROWS // SHARDS not in t.dims, (t, reader)
    gathers = [op for op in graph.get_operations() if op.type == "GatherV2" and "ps" in op.device]
    assert len(gathers) == SHARDS


def test_gradients_of_sparse_ids():
    table = tf.Variable(np.random.default_rng(0).standard_normal((7, 2)).astype(np.float32))
    weights = sparse(WEIGHTS, tf.float32)
    found = tf.nn.embedding_lookup_sparse([table], sparse(IDS), weights, combiner="sum")
    dense = tf.convert_to_tensor(tf.gradients(found, table, grad_ys=tf.constant([[1.0, 10.0]] * 3))[0])
    expected = np.zeros((7, 2))
    np.add.at(expected, IDS, WEIGHTS[:, None] * [1, 10])
    with tf.Session() as sess:
        sess.run(table.initializer)
        np.testing.assert_allclose(sess.run(dense), expected, rtol=1e-6)


def test_wrong_sparse_arguments():
    lookup, table = tf.nn.embedding_lookup_sparse, tf.zeros([7, 2])
    with pytest.raises(ValueError, match="combiner must be one of 'mean', 'sqrtn' or 'sum', got max"):
        lookup(table, sparse(IDS), None, combiner="max")
    with pytest.raises(TypeError, match="sp_ids must be SparseTensor, got <class 'list'>"):
        lookup(table, [1, 2], None)
    with pytest.raises(TypeError, match="sp_weights must be either None or SparseTensor"):
        lookup(table, sparse(IDS), [1.0])
    with pytest.raises(ValueError, match="incompatible"):
        lookup(table, sparse(IDS), tf.SparseTensor([[0, 0]], [1.0], [3, 5]))
    with pytest.raises(ValueError, match="Need at least one param"):
        lookup([], sparse(IDS), None)
