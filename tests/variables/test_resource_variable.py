"""`tf.Variable(use_resource=True)`: values, order, gradients, control flow, saving."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf
from tfcore.framework.functions.function import Defun
from tfcore.variables.resource_variable import ResourceVariable


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def variable(value, name="v", **options):
    return tf.Variable(value, name=name, use_resource=True, **options)


def started():
    session = tf.Session()
    session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
    return session


# ---- Creation


def test_ops_and_names_are_those_of_tensorflow(graph):
    v = variable(lambda: tf.zeros([2]))
    names = {op.name: op.type for op in graph.get_operations() if not op.name.startswith("v/Initializer")}
    assert names == {
        "v": "VarHandleOp",
        "v/IsInitialized/VarIsInitializedOp": "VarIsInitializedOp",
        "v/Assign": "AssignVariableOp",
        "v/Read/ReadVariableOp": "ReadVariableOp",
    }
    assert isinstance(v, tf.Variable) and v.name == "v:0" and v.dtype is tf.float32 and v.shape == [2]
    assert v.handle.dtype is tf.resource and v.op is v.handle.op and v.op.get_attr("shared_name") == b"v"
    assert tf.trainable_variables() == [v]


def test_who_decides_which_kind_a_variable_is():
    def kind(**options):
        return isinstance(tf.Variable(1.0, **options), ResourceVariable)

    assert not kind() and kind(use_resource=True) and not kind(use_resource=False)
    with tf.variable_scope("s", use_resource=True):
        assert kind() and not kind(use_resource=False)
        with tf.variable_scope("inner"):
            assert isinstance(tf.get_variable("a", [2]), ResourceVariable)
    with tf.variable_scope("t"):
        tf.get_variable_scope().set_use_resource(True)
        assert isinstance(tf.get_variable("a", [2]), ResourceVariable)
        assert not isinstance(tf.get_variable("b", [2], use_resource=False), ResourceVariable)
    tf.enable_resource_variables()
    try:
        assert tf.resource_variables_enabled() and kind() and not kind(use_resource=False)
        assert isinstance(tf.compat.v1.get_variable("c", [1]), ResourceVariable)
    finally:
        tf.disable_resource_variables()
    assert not kind()


def test_creators_see_the_argument():
    def as_resource(next_creator, **kwargs):
        return next_creator(**{**kwargs, "use_resource": True})

    with tf.variable_creator_scope(as_resource):
        assert isinstance(tf.Variable(1.0), ResourceVariable)


def test_initial_values_may_depend_on_other_variables():
    a = variable(tf.constant(2.0), "a")
    b = variable(a * 3, "b")
    c = variable(b.initialized_value() + 1, "c")
    with started() as session:
        assert session.run([a, b, c]) == [2, 6, 7]


def test_initial_values_may_depend_on_parts_of_other_variables():
    a = variable([[1.0, 2.0], [3.0, 4.0]], "a")
    raw = tf.raw_ops
    batched = raw.ResourceGather(resource=a.handle, indices=[[1], [0]], batch_dims=1, dtype=tf.float32)
    read = tf.Defun(tf.resource)(lambda h: raw.ReadVariableOp(resource=h, dtype=tf.float32))
    b = [
        variable(value, "b")
        for value in (tf.gather(a, [1]), batched, a.gather_nd([[0, 1]]), raw.VariableShape(input=a.handle) * 2)
    ]
    called = variable(read(a.handle), "called", validate_shape=False)  # a function takes the handle, as in TensorFlow
    with tf.Session() as session:
        session.run([v.initializer for v in b])
        assert [x.tolist() for x in session.run(b)] == [[[3, 4]], [[2], [3]], [2], [4, 4]]
        with pytest.raises(tf.errors.FailedPreconditionError, match="resource variable a"):
            session.run(called.initializer)
        session.run(a.initializer)
        session.run(called.initializer)
        assert session.run(called).tolist() == [[1, 2], [3, 4]]


def test_a_caching_device_keeps_a_copy():
    v = variable(1.0, caching_device="/cpu:0")
    assert v.value() is v.value() and v.value().op.type == "Identity"
    assert v.value().op.name == "v/Read/Identity"  # as in TensorFlow's graphs
    again = tf.Variable.from_proto(v.to_proto())
    assert again.value() is v.value()


def test_functions_capture_handles():
    v = variable([1.0, 2.0])

    @Defun(tf.float32)
    def scaled(x):
        w = tf.get_variable("w", [], initializer=tf.ones_initializer(), use_resource=True)
        return v * x * x + w

    y = scaled(3.0)
    by_v, by_handle = tf.gradients(y, [v, v.handle])
    with started() as session:
        assert session.run(y).tolist() == [10, 19]
        assert session.run(by_v).tolist() == session.run(by_handle).tolist() == [9, 9]


# ---- Values


def test_reads_are_snapshots_in_the_order_of_control_dependencies():
    v = variable([1.0, 2.0])
    before = v.read_value()
    with tf.control_dependencies([before]):
        assigned = v.assign([10.0, 20.0], read_value=False)
    with tf.control_dependencies([assigned]):
        after = v.read_value()
        operand = v + 0
    with started() as session:
        for expected in ([1, 2], [10, 20]):
            first, second, third = session.run([before, after, operand])
            assert first.tolist() == expected and second.tolist() == third.tolist() == [10, 20]


def test_an_update_in_place_leaves_earlier_reads_as_they_are():
    v = variable(np.zeros(1000, np.float32))
    reads, last = [], None
    for _ in range(5):
        with tf.control_dependencies([] if last is None else [last]):
            reads.append(v.read_value())
        with tf.control_dependencies([reads[-1]]):
            last = v.assign_add(np.ones(1000, np.float32), read_value=False)
    with started() as session:
        found = session.run(reads)
    assert [r.tolist() for r in found] == [[i] * 1000 for i in range(5)]


def test_assignments_return_the_variable_after_them():
    v = variable([1, 2, 3])
    chain = v.assign_add([1, 1, 1]).assign_sub([0, 0, 1]).assign_add([5, 5, 5])
    assert chain.op.type == "AssignAddVariableOp" and chain.handle is v.handle
    assert v.assign([0, 0, 0], name="zero").name == "zero" and v.name == "v:0"
    with started() as session:
        assert session.run(chain).tolist() == [7, 8, 8]
        assert session.run(v.assign([4, 5, 6])).tolist() == [4, 5, 6]
        assert session.run(v.assign([0, 0, 0], read_value=False)) is None
        assert v.eval(session).tolist() == [0, 0, 0]
        v.load([7, 7, 7], session)
        assert session.run(v[1]) == 7
        assert session.run(tf.assign(v, [1, 2, 3])).tolist() == [1, 2, 3]
        assert session.run(tf.assign_add(v, [1, 1, 1])).tolist() == [2, 3, 4]
        assert session.run(tf.assign_sub(v, [1, 1, 1])).tolist() == [1, 2, 3]
        assert session.run(v[1:].assign([8, 9])).tolist() == [1, 8, 9]


def test_slices_are_read_and_updated_by_handle(graph):
    v = variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    row = tf.IndexedSlices(tf.constant([[2.0, 4.0]]), tf.constant([1]))
    with started() as session:
        assert session.run(tf.gather(v, [2, 0])).tolist() == [[5, 6], [1, 2]]
        assert session.run(tf.gather_nd(v, [[1, 1]])).tolist() == [4]
        assert session.run(tf.gather(v, [1], axis=1)).tolist() == [[2], [4], [6]]
        assert session.run(tf.nn.embedding_lookup(v, [[1]])).tolist() == [[[3, 4]]]
        assert session.run(v.scatter_add(row)).tolist() == [[1, 2], [5, 8], [5, 6]]
        assert session.run(v.scatter_sub(row)).tolist() == [[1, 2], [3, 4], [5, 6]]
        assert session.run(v.scatter_mul(row)).tolist() == [[1, 2], [6, 16], [5, 6]]
        assert session.run(v.scatter_div(row)).tolist() == [[1, 2], [3, 4], [5, 6]]
        assert session.run(v.scatter_min(row)).tolist() == [[1, 2], [2, 4], [5, 6]]
        assert session.run(v.scatter_max(row)).tolist() == [[1, 2], [2, 4], [5, 6]]
        assert session.run(v.scatter_update(row)).tolist() == [[1, 2], [2, 4], [5, 6]]
        assert session.run(v.scatter_nd_add([[0, 1]], [1.0])).tolist() == [[1, 3], [2, 4], [5, 6]]
        assert session.run(v.scatter_nd_sub([[0, 1]], [2.0])).tolist() == [[1, 1], [2, 4], [5, 6]]
        assert session.run(v.scatter_nd_update([[2]], [[0.0, 0.0]])).tolist() == [[1, 1], [2, 4], [0, 0]]
        assert session.run(tf.scatter_update(v, [0], [[9.0, 9.0]])).tolist() == [[9, 9], [2, 4], [0, 0]]
        assert session.run(tf.scatter_nd_add(v, [[0]], [[1.0, 1.0]])).tolist() == [[10, 10], [2, 4], [0, 0]]
    types = {op.type for op in graph.get_operations()}
    assert {"ResourceGather", "ResourceGatherNd", "ResourceScatterMul", "ResourceScatterNdSub"} <= types
    assert not {t for t in types if t.startswith("Scatter")}


def test_counters():
    v = variable(0)
    up, other = v.count_up_to(2), tf.count_up_to(v, 2)
    with started() as session:
        assert session.run(up) == 0 and session.run(other) == 1
        with pytest.raises(tf.errors.OutOfRangeError, match="Reached limit of 2"):
            session.run(up)


def test_another_shape():
    v = variable([1.0, 2.0], validate_shape=False)
    assert v.shape.ndims is None
    with started() as session:
        assert session.run(v.assign([[1.0, 2.0, 3.0]])).shape == (1, 3)
        assert session.run(tf.raw_ops.VariableShape(input=v.handle)).tolist() == [1, 3]


# ---- Errors


def test_uninitialized_variables_are_named():
    v = variable([1.0, 2.0], "weights")
    text = (
        "Error while reading resource variable weights from Container: localhost. This could mean that the variable "
        "was uninitialized. Not found: Resource localhost/weights/N10tensorflow3VarE does not exist."
    )
    uses = [v, v.assign_add([1.0, 1.0]), v.sparse_read([0]), v.scatter_nd_add([[0]], [1.0])]
    with tf.Session() as session:
        for use in uses:
            with pytest.raises(tf.errors.FailedPreconditionError) as caught:
                session.run(use)
            assert text in str(caught.value)
        report = tf.report_uninitialized_variables()
        assert session.run([v.is_initialized(), report])[1].tolist() == [b"weights"]
        session.run(v.initializer)
        assert session.run([tf.is_variable_initialized(v), report])[0]
        assert session.run(report).tolist() == []


def test_wrong_types_and_shapes():
    v = variable([1.0, 2.0])
    raw = tf.raw_ops
    with pytest.raises(ValueError, match="Trying to read variable with wrong dtype. Expected float got int32"):
        raw.ReadVariableOp(resource=v.handle, dtype=tf.int32)
    with pytest.raises(ValueError, match="Trying to assign variable|wrong dtype"):
        raw.AssignVariableOp(resource=v.handle, value=[1, 2])
    with pytest.raises(ValueError, match="Shapes|Dimension 0 in both shapes"):
        v.assign([1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="Dimension 0 in both shapes must be equal"):
        raw.AssignVariableOp(resource=v.handle, value=[1.0, 2.0, 3.0])
    x = tf.placeholder(tf.float32)
    with started() as session, pytest.raises(tf.errors.InvalidArgumentError, match="shape"):
        session.run(v.assign_add(x), {x: [1.0, 2.0, 3.0]})
    other = variable(1, "other")
    with pytest.raises(ValueError, match="Trying to update|wrong dtype|dtype"):
        raw.ResourceScatterAdd(resource=other.handle, indices=[0], updates=[1.0])


def test_a_handle_goes_only_where_a_handle_belongs():
    v = variable([1.0, 2.0])
    with pytest.raises(TypeError):
        tf.raw_ops.QueueSizeV2(handle=v)
    size = tf.raw_ops.QueueSizeV2(handle=v.handle)
    with pytest.raises(tf.errors.InvalidArgumentError, match="is the handle of the variable v"):
        started().run(size)


def test_destroyed_variables_are_uninitialized():
    v = variable([1.0, 2.0])
    destroy = tf.raw_ops.DestroyResourceOp(resource=v.handle)
    strictly = tf.raw_ops.DestroyResourceOp(resource=v.handle, ignore_lookup_error=False)
    with started() as session:
        session.run(strictly)
        assert not session.run(v.is_initialized())
        session.run(destroy)
        with pytest.raises(tf.errors.NotFoundError):
            session.run(strictly)
        session.run(v.initializer)
        assert session.run(v).tolist() == [1, 2]


# ---- Gradients and control flow


def test_gradients_by_the_variable_and_by_its_handle():
    v = variable([1.0, 2.0])
    y = tf.reduce_sum(v * v + tf.gather(v, [1, 1]))
    with started() as session:
        for x in (v, v.handle):
            assert session.run(tf.convert_to_tensor(tf.gradients(y, x)[0])).tolist() == [2, 6]
    assert tf.gradients(tf.constant(1.0), v) == [None]
    zeros = tf.gradients(tf.constant(1.0), v, unconnected_gradients=tf.UnconnectedGradients.ZERO)[0]
    with started() as session:
        assert session.run(zeros).tolist() == [0, 0]


def test_gathered_rows_have_sparse_gradients():
    v = variable([[1.0, 2.0], [3.0, 4.0]])
    (grad,) = tf.gradients(tf.reduce_sum(tf.gather(v, [1, 1])), v)
    assert isinstance(grad, tf.IndexedSlices)
    batched = tf.raw_ops.ResourceGather(resource=v.handle, indices=[[1], [0]], batch_dims=1, dtype=tf.float32)
    (by_batch,) = tf.gradients(batched * [[2.0], [3.0]], v)
    (by_place,) = tf.gradients(v.gather_nd([[0, 1], [0, 1]]), v)
    with started() as session:
        assert session.run(tf.convert_to_tensor(grad)).tolist() == [[0, 0], [2, 2]]
        assert session.run(batched).tolist() == [[2], [3]]
        assert session.run(by_batch).tolist() == [[0, 2], [3, 0]]
        assert session.run(by_place).tolist() == [[0, 2], [0, 0]]


@pytest.mark.parametrize("shape", [[2], None])
def test_hessians_have_the_shape_of_the_variable(shape):
    v = variable(tf.placeholder_with_default([1.0, 2.0], shape), validate_shape=shape is not None)
    (hessian,) = tf.hessians(tf.reduce_sum(v**3.0), v)
    assert hessian.shape.rank == (2 if shape else None)
    with started() as session:
        assert session.run(hessian).tolist() == [[6, 0], [0, 12]]


def test_gradients_are_checked_by_assignments():
    v, x = variable([1.0, 2.0]), tf.placeholder(tf.float32, [2])
    y = v * v * x
    wrong = tf.stop_gradient(v) * v
    with started() as session:
        pair = tf.test.compute_gradient(v, [2], y, [2], x_init_value=np.array([3.0, 4.0]), extra_feed_dict={x: [1, 2]})
        for jacobian in pair:
            np.testing.assert_allclose(jacobian, [[6, 0], [0, 16]], atol=0.02)
        pairs = tf.test.compute_gradient([v, x], [[2], [2]], y, [2], x_init_value=[np.array([3, 4]), np.array([1, 2])])
        for jacobian, expected in zip(pairs, ([[6, 0], [0, 16]], [[9, 0], [0, 16]])):
            np.testing.assert_allclose(jacobian, [expected] * 2, atol=0.02)
        assert tf.test.compute_gradient_error(v, [2], tf.gather(v, [1, 1]) * 3.0, [2]) < 0.02
        assert tf.test.compute_gradient_error(v, [2], wrong, [2], x_init_value=np.array([3.0, 4.0])) > 2
        assert session.run(v).tolist() == [1, 2]


@pytest.mark.parametrize("use_resource", [False, True])
def test_loops_and_conditionals(use_resource):
    v = tf.Variable([1.0, 2.0], use_resource=use_resource)
    x = tf.placeholder(tf.float32, [])

    def body(i, state):
        return i + 1, state * tf.gather(v, [0, 1]) + tf.cond(x > 0, lambda: v * x, lambda: v.read_value())

    _, y = tf.while_loop(lambda i, _: i < 3, body, [0, tf.constant([1.0, 1.0])])
    grad = tf.convert_to_tensor(tf.gradients(y, v)[0])
    with started() as session:
        # y = v**3 + x' (v + v**2 + v**3) with x' = x, or 1
        for fed, scale in ((2.0, 2.0), (-1.0, 1.0)):
            values = np.array([1.0, 2.0])
            np.testing.assert_allclose(session.run(y, {x: fed}), values**3 + scale * (values + values**2 + values**3))
            np.testing.assert_allclose(
                session.run(grad, {x: fed}), 3 * values**2 + scale * (1 + 2 * values + 3 * values**2)
            )


def test_assignments_in_loops():
    v = variable(0)

    def body(i):
        with tf.control_dependencies([v.assign_add(i, read_value=False)]):
            return i + 1

    loop = tf.while_loop(lambda i: i < 5, body, [0], parallel_iterations=1)
    with started() as session:
        assert session.run(loop) == 5
        assert session.run(v) == 10


def test_a_conditional_chooses_a_handle():
    a, b = variable([1.0], "a"), variable([2.0], "b")
    first = tf.placeholder(tf.bool, [])
    handle = tf.cond(first, lambda: tf.identity(a.handle), lambda: tf.identity(b.handle))
    update = tf.raw_ops.AssignAddVariableOp(resource=handle, value=[10.0])
    with started() as session:
        session.run(update, {first: False})
        assert session.run([a, b]) == [[1], [12]]
        session.run(update, {first: True})
        assert session.run([a, b]) == [[11], [12]]


# ---- Saving


def test_protos_describe_resource_variables():
    v = variable([1.0, 2.0], trainable=False)
    message = v.to_proto()
    assert message.is_resource and message.variable_name == "v:0"
    assert message.snapshot_name == "v/Read/ReadVariableOp:0" and message.initializer_name == "v/Assign"
    again = tf.Variable.from_proto(message)
    assert isinstance(again, ResourceVariable) and again.handle is v.handle and not again.trainable
    assert again.shape == [2] and again.dtype is tf.float32
    assert v.to_proto("elsewhere") is None


def test_a_read_stands_for_its_variable_in_a_checkpoint(tmp_path):
    v, w = variable([1.0, 2.0], "v"), variable(3, "w")
    savers = tf.train.Saver({"z": v.value()}), tf.train.Saver([v.value(), w])
    with started() as session:
        paths = [saver.save(session, str(tmp_path / str(i))) for i, saver in enumerate(savers)]
        assert [tf.train.list_variables(path) for path in paths] == [[("z", [2])], [("v", [2]), ("w", [])]]
        for saver, path in zip(savers, paths):
            session.run([v.assign([5.0, 6.0]), w.assign(7)])
            saver.restore(session, path)
            assert session.run(v).tolist() == [1, 2]
        assert session.run(w) == 3
    for value in (v.read_value(), v.handle):
        with pytest.raises(TypeError, match="Not a variable"):
            tf.train.Saver({"z": value})


def test_meta_graphs_and_checkpoints_of_both_kinds(tmp_path):
    partitioner = tf.fixed_size_partitioner(2)
    values = np.arange(8, dtype=np.float32).reshape(4, 2)

    def build(use_resource):
        with tf.variable_scope("m", use_resource=use_resource):
            tf.get_variable("whole", initializer=tf.constant([1.0, 2.0]))
            tf.get_variable("parts", [4, 2], initializer=lambda shape, dtype, partition_info: tf.constant(
                values[partition_info.var_offset[0] : partition_info.var_offset[0] + shape[0]]),
                partitioner=partitioner)  # fmt: skip
        return tf.train.Saver()

    with tf.Graph().as_default():
        saver = build(True)
        path = saver.save(started(), str(tmp_path / "resource"))
    with tf.Graph().as_default(), tf.Session() as session:
        saver = build(False)
        saver.restore(session, path)
        assert session.run("m/whole:0").tolist() == [1, 2] and session.run("m/parts/part_1:0").tolist() == [
            [4, 5],
            [6, 7],
        ]
        path = saver.save(session, str(tmp_path / "reference"))
    with tf.Graph().as_default(), tf.Session() as session:
        saver = tf.train.import_meta_graph(str(tmp_path / "resource.meta"))
        saver.restore(session, path)
        assert all(isinstance(v, ResourceVariable) for v in tf.global_variables())
        assert session.run(tf.global_variables())[0].tolist() == [1, 2]
    with tf.Graph().as_default(), tf.Session() as session:
        w = tf.get_variable("w", [2], use_resource=True)
        tf.train.init_from_checkpoint(path, {"m/whole": w})
        session.run(tf.global_variables_initializer())
        assert session.run(w).tolist() == [1, 2]


# ---- The two kinds do the same


@st.composite
def programs(draw):
    """Steps of a program on two variables of shape [3, 2]."""
    index, number = st.integers(0, 2), st.integers(-3, 3)
    update = st.tuples(st.sampled_from(["assign", "assign_add", "assign_sub"]), st.integers(0, 1), number)
    scatter = st.tuples(st.sampled_from(["scatter_add", "scatter_update", "scatter_max"]), st.integers(0, 1), index)
    read = st.tuples(st.just("read"), st.integers(0, 1), number)
    train = st.tuples(st.sampled_from(["gradient_descent", "momentum", "adam"]), st.integers(0, 1), index)
    return draw(st.lists(st.one_of(update, scatter, read, train), min_size=1, max_size=8))


def run_program(steps, use_resource):
    results = []
    with tf.Graph().as_default():
        both = [
            tf.get_variable(f"v{i}", initializer=np.arange(6.0, dtype=np.float32).reshape(3, 2) + i,
                            use_resource=use_resource)
            for i in range(2)
        ]  # fmt: skip
        optimizers = {
            "gradient_descent": tf.train.GradientDescentOptimizer(0.5),
            "momentum": tf.train.MomentumOptimizer(0.25, 0.5),
            "adam": tf.train.AdamOptimizer(0.5),
        }
        last = tf.no_op()
        for action, which, number in steps:
            v = both[which]
            with tf.control_dependencies([last]):
                if action == "read":
                    results.append(tf.cond(tf.constant(number > 0), lambda v=v: v + 1, lambda v=v: tf.identity(v) - 1))
                    last = results[-1].op
                elif action.startswith("assign"):
                    last = getattr(v, action)(tf.fill([3, 2], float(number))).op
                elif action.startswith("scatter"):
                    rows = tf.IndexedSlices(tf.ones([2, 2]) * 4, tf.constant([number, 1]))
                    last = getattr(v, action)(rows).op
                else:
                    rows = tf.reduce_sum(tf.gather(v, [number, 0]) * v.read_value()[:2])
                    last = optimizers[action].minimize(rows, var_list=[v])
        with started() as session:
            return session.run([last, *results])[1:] + session.run(both)


@given(programs())
def test_random_programs_have_equal_bits(steps):
    for resource, reference in zip(run_program(steps, True), run_program(steps, False)):
        np.testing.assert_array_equal(resource, reference)


def test_snapshots_are_never_torn():
    """Readers on many threads, while writers update in place and exchange the value."""
    size = 20_000
    v = variable(np.zeros(size, np.float32))
    updates = [
        v.assign_add(np.ones(size, np.float32), read_value=False),
        v.assign(tf.fill([size], 5.0), read_value=False),
        tf.raw_ops.ResourceApplyGradientDescent(var=v.handle, alpha=1.0, delta=tf.ones([size])),
        tf.raw_ops.ResourceScatterMul(resource=v.handle, indices=tf.range(size), updates=2.0),
    ]
    reads = [v.read_value(), tf.identity(v), tf.gather(v, tf.range(size))]
    session, done, wrong = started(), threading.Event(), []

    def read(i):
        while not done.is_set():
            value = session.run(reads[i % len(reads)])
            if value.min() != value.max():
                wrong.append(value)

    readers = [threading.Thread(target=read, args=(i,)) for i in range(4)]
    writers = [threading.Thread(target=lambda u=u: [session.run(u) for _ in range(40)]) for u in updates]
    for thread in (*readers, *writers):
        thread.start()
    for thread in writers:
        thread.join()
    done.set()
    for thread in readers:
        thread.join()
    assert not wrong


def test_loads_do_not_change_what_was_read():
    v = variable(np.zeros(100, np.float32))
    with started() as session:
        first = session.run(v.read_value())
        session.run(v.assign_add(np.ones(100, np.float32), read_value=False))
        assert not first.any() and session.run(v).all()


def test_frozen_graphs_have_constants():
    table = variable([[1.0, 2.0], [3.0, 4.0]], "table")
    bias = variable([10.0, 20.0], "bias")
    tf.add(tf.gather(table, [1]), bias, name="out")
    with started() as session:
        frozen = tf.graph_util.convert_variables_to_constants(session, session.graph.as_graph_def(), ["out"])
    assert not {n.op for n in frozen.node} & {"VarHandleOp", "ReadVariableOp", "ResourceGather"}
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(frozen, name="")
        assert session.run("out:0").tolist() == [[13, 24]]


def frozen_graph(session, *outputs, **options):
    graph_def = session.graph.as_graph_def(add_shapes=True)
    names = [t.op.name for t in outputs]
    return tf.graph_util.convert_variables_to_constants(session, graph_def, names, **options)


def frozen_value(*outputs):
    """The values of outputs before and after the graph is frozen."""
    with started() as session:
        expected = session.run(outputs)
        graph_def = frozen_graph(session, *outputs)
    assert not any(n.op == "VarHandleOp" or "Variable" in n.op for n in graph_def.node)
    with tf.Graph().as_default(), tf.Session() as session:
        found = session.run(tf.import_graph_def(graph_def, return_elements=[t.name for t in outputs]))
    for a, b in zip(expected, found):
        np.testing.assert_array_equal(a, b)
    return expected


def test_freezing_follows_handles_to_their_reads():
    v = variable([1.0, 2.0])
    p = tf.placeholder_with_default(True, [])
    copy = tf.identity(v.handle)
    with tf.control_dependencies([v.handle]):
        after = tf.identity(tf.constant(1.0))
    values = frozen_value(
        tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x * v), [0, tf.ones([2])])[1],
        tf.cond(p, lambda: v * 2.0, lambda: v + 1.0),
        tf.raw_ops.ReadVariableOp(resource=copy, dtype=tf.float32),
        tf.raw_ops.VariableShape(input=v.handle, out_type=tf.int64),
        v.gather_nd([[1]]),
        after,
    )
    assert [x.tolist() for x in values] == [[1, 8], [2, 4], [1, 2], [2], [2], 1]


def test_frozen_recurrent_nets():
    with tf.variable_scope("net", use_resource=True):
        cell = tf.nn.rnn_cell.BasicLSTMCell(2)
        outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([1, 3, 2]), dtype=tf.float32)
    assert {v.op.type for v in tf.global_variables()} == {"VarHandleOp"}
    frozen_value(outputs)


def test_freezing_a_choice_of_handles():
    a, b, other = variable(1.0, "a"), variable(2.0, "b"), variable(3, "other")
    p = tf.placeholder_with_default(False, [])

    def choice(first, second):
        return tf.cond(p, lambda: tf.identity(first.handle), lambda: tf.identity(second.handle))

    read = tf.raw_ops.ReadVariableOp(resource=choice(a, b), dtype=tf.float32)
    assert frozen_value(read) == (2,)
    mixed = tf.raw_ops.VariableShape(input=choice(a, other))
    with started() as session:
        with pytest.raises(
            ValueError, match=r"variable a: .* \(Merge\) also takes the handle of a variable that is not"
        ):
            frozen_graph(session, read, variable_names_blacklist=["b"])
        with pytest.raises(ValueError, match=r"\(Merge\) uses handles of variables of several types \(a, other\)"):
            frozen_graph(session, mixed)


def test_freezing_changes_no_variable():
    """Not even where the only read of a handle waits for an update."""
    handle = tf.raw_ops.VarHandleOp(dtype=tf.float32, shape=[], shared_name="counted")
    first = tf.raw_ops.AssignVariableOp(resource=handle, value=1.0)
    with tf.control_dependencies([tf.raw_ops.AssignAddVariableOp(resource=handle, value=1.0)]):
        after = tf.identity(tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32), name="after")
    with tf.Session() as session:
        session.run(first)
        with pytest.raises(ValueError, match="No operation of the graph reads the variable .* without control inputs"):
            frozen_graph(session, after)
        assert session.run(after) == 2


def test_what_cannot_be_frozen():
    v = variable(1.0)
    read = tf.Defun(tf.resource)(lambda h: tf.raw_ops.ReadVariableOp(resource=h, dtype=tf.float32))
    branches = {"then_branch": read, "else_branch": read}
    chosen = tf.raw_ops.If(cond=True, input=[v.handle], Tout=[tf.float32], name="choose", **branches)[0]
    with tf.control_dependencies([v.assign_add(1.0, read_value=False)]):
        changed = tf.identity(v)
    for output, user in ((chosen, r"choose \(If\)"), (changed, r"\w+ \(AssignAddVariableOp\)")):
        with (
            started() as session,
            pytest.raises(ValueError, match=f"Can't freeze the variable v: {user} uses its handle"),
        ):
            frozen_graph(session, output)


def test_parameter_servers_take_handles():
    setter = tf.train.replica_device_setter(cluster={"ps": ["a:1", "b:1"], "worker": ["c:1"]})
    with tf.device(setter):
        a, b = variable([1.0], "a"), variable(np.zeros([3, 2], np.float32), "b")
    assert [v.device for v in (a, b)] == ["/job:ps/task:0", "/job:ps/task:1"]
    assert a.initializer.device == a._graph_element.device == "/job:ps/task:0"
    assert tf.contrib.training.byte_size_load_fn(b.op) == 24


@pytest.mark.parametrize("optimizer", ["Adam", "Momentum", "Adagrad", "RMSProp", "Ftrl", "Adadelta", "ProximalAdagrad"])
def test_slots_are_resource_variables(optimizer):
    arguments = (0.1, 0.9) if optimizer == "Momentum" else (0.1,)
    v = variable([[1.0, 2.0], [3.0, 4.0]])
    made = getattr(tf.train, optimizer + "Optimizer")(*arguments)
    step = tf.train.get_or_create_global_step()
    made.minimize(tf.reduce_sum(v * v), global_step=step)
    slots = [made.get_slot(v, name) for name in made.get_slot_names()]
    assert slots and all(isinstance(s, ResourceVariable) for s in [*slots, *made.variables()])
    assert not isinstance(step, ResourceVariable)


def test_moving_averages_and_layers():
    with tf.variable_scope("net", use_resource=True):
        x = tf.layers.batch_normalization(tf.layers.dense(tf.ones([4, 3]), 2), training=True)
        cell = tf.nn.rnn_cell.LSTMCell(3)
        y, _ = tf.nn.dynamic_rnn(cell, tf.expand_dims(x, 0), dtype=tf.float32)
    kinds = {type(v) for v in tf.global_variables()}
    assert kinds == {ResourceVariable}
    averages = tf.train.ExponentialMovingAverage(0.5)
    train = tf.train.AdamOptimizer(0.1).minimize(tf.reduce_mean(tf.square(y - 0.3)))
    with tf.control_dependencies([train, *tf.get_collection(tf.GraphKeys.UPDATE_OPS)]):
        step = averages.apply()
    first = tf.trainable_variables()[0]
    assert isinstance(averages.average(first), ResourceVariable)
    with started() as session:
        before = session.run(first)
        session.run(step)
        after, average = session.run([first, averages.average(first)])
    np.testing.assert_allclose(average, (before + after) / 2, rtol=1e-5)


def test_a_global_step_is_a_resource_variable():
    v, step = variable(1.0), variable(0, "step")
    train = tf.train.GradientDescentOptimizer(0.1).minimize(v * v, global_step=step, name="train")
    assert train.type == "AssignAddVariableOp" and train.name == "train"
    assert tf.get_collection(tf.GraphKeys.TRAIN_OP) == [train]
    with started() as session:
        assert session.run(train) is None
        assert session.run(step) == 1 and session.run(v) == np.float32(0.8)


def test_constraints_apply_after_updates():
    v = variable([3.0, -4.0], constraint=lambda x: tf.clip_by_norm(x, 1.0))
    train = tf.train.GradientDescentOptimizer(0.0).minimize(tf.reduce_sum(v))
    with started() as session:
        session.run(train)
        np.testing.assert_allclose(session.run(v), [0.6, -0.8], rtol=1e-6)


def test_optimizers_of_programs_define_updates_by_handle():
    class Plain(tf.train.Optimizer):
        def __init__(self):
            super().__init__(False, "Plain")

        def _resource_apply_dense(self, grad, handle):
            return handle.assign_sub(grad, read_value=False)

        def _resource_apply_sparse(self, grad, handle, indices):
            return tf.raw_ops.ResourceScatterSub(resource=handle.handle, indices=indices, updates=2 * grad)

    class ByReference(Plain):
        def _apply_dense(self, grad, var):
            return tf.assign(var, -grad).op

    v, rows = variable([1.0, 2.0]), variable([[1.0], [2.0]], "rows")
    reference = tf.Variable([1.0])
    loss = tf.reduce_sum(3 * v) + tf.reduce_sum(tf.gather(rows, [1, 1])) + tf.reduce_sum(reference)
    train = ByReference().minimize(loss)
    with started() as session:
        session.run(train)
        assert session.run(v).tolist() == [-2, -1] and session.run(rows).tolist() == [[1], [-2]]
        assert session.run(reference).tolist() == [-1]
