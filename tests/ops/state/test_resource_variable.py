"""The ops that take handles of variables do what those that take references do."""

import numpy as np
import pytest

import tfcore as tf
from tests.records.training.training import _domain
from tfcore.framework.functions.function import Defun
from tfcore.ops.training.resource_variable import by_handles
from tfcore.ops.training.training import UPDATES

TYPES = [
    *(tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.int8, tf.int16, tf.int32, tf.int64),
    *(tf.uint8, tf.uint16, tf.uint32, tf.uint64, tf.bool, tf.complex64, tf.complex128, tf.string),
]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def handle_of(value, name="v", shape=None, dtype=None):
    """A handle of a new variable, and its initializer."""
    value = tf.convert_to_tensor(value, dtype)
    handle = tf.raw_ops.VarHandleOp(dtype=value.dtype, shape=value.shape if shape is None else shape, shared_name=name)
    return handle, tf.raw_ops.AssignVariableOp(resource=handle, value=value)


def read(handle, dtype=tf.float32):
    return tf.raw_ops.ReadVariableOp(resource=handle, dtype=dtype)


@pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.name)
def test_every_type_is_assigned_and_read(dtype):
    text = dtype is tf.string
    values = np.array([[b"a", b"bc"]], object) if text else np.array([[0, 1]]).astype(dtype.as_numpy_dtype)
    handle, init = handle_of(values, dtype=dtype)
    raw = tf.raw_ops
    with tf.Session() as session:
        session.run(init)
        found = session.run(read(handle, dtype))
        assert found.dtype == values.dtype and found.tolist() == values.tolist()
        assert (
            session.run(raw.ResourceGather(resource=handle, indices=[0, 0], dtype=dtype)).tolist()
            == [values[0].tolist()] * 2
        )
        assert session.run(raw.VariableShape(input=handle, out_type=tf.int64)).tolist() == [1, 2]
        assert session.run(raw.VarIsInitializedOp(resource=handle))


def test_variables_are_known_by_shared_name_and_container():
    raw, session = tf.raw_ops, tf.Session()
    a, init = handle_of([1.0], "a")
    same = raw.VarHandleOp(dtype=tf.float32, shape=[1], shared_name="a")
    other = raw.VarHandleOp(dtype=tf.float32, shape=[1], shared_name="a", container="c")
    reference = raw.VariableV2(dtype=tf.float32, shape=[1], shared_name="a")
    session.run(init)
    assert session.run(read(same)) == [1]
    with pytest.raises(tf.errors.FailedPreconditionError, match="Container: c. .* Resource c/a/"):
        session.run(read(other))
    assert not session.run(tf.raw_ops.IsVariableInitialized(ref=reference))


def test_a_name_has_one_type():
    raw, session = tf.raw_ops, tf.Session()
    _, init = handle_of([1.0], "a")
    other = raw.VarHandleOp(dtype=tf.int32, shape=[1], shared_name="a")
    session.run(init)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Trying to share variable a"):
        session.run(read(other, tf.int32))


def test_validate_shape():
    handle, init = handle_of([1.0, 2.0], shape=tf.TensorShape(None))
    x = tf.placeholder(tf.float32)
    strict = tf.raw_ops.AssignVariableOp(resource=handle, value=x, validate_shape=True)
    loose = tf.raw_ops.AssignVariableOp(resource=handle, value=x)
    with tf.Session() as session:
        session.run(init)
        session.run(strict, {x: [3.0, 4.0]})
        with pytest.raises(tf.errors.InvalidArgumentError, match="requires shapes of both tensors to match"):
            session.run(strict, {x: [3.0]})
        session.run(loose, {x: [3.0]})
        assert session.run(read(handle)).tolist() == [3]


def test_handles_of_variables_of_two_types():
    a, _ = handle_of([1.0], "a")
    b, _ = handle_of([1], "b")
    either = tf.cond(tf.placeholder_with_default(True, []), lambda: tf.identity(a), lambda: tf.identity(b))
    with pytest.raises(tf.errors.InvalidArgumentError, match="merges handles of variables of different types"):
        tf.Session().run(read(either))

    @Defun(tf.resource)
    def read_ints(handle):
        return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.int32)

    assert read_ints(b).dtype is tf.int32
    with pytest.raises((ValueError, tf.errors.InvalidArgumentError), match="read variable with wrong dtype"):
        tf.Session().run(read_ints(a))  # found when the call is added, unless an equal call was found right before


@pytest.mark.parametrize("action", ["Update", "Add", "Sub", "Mul", "Div", "Min", "Max"])
def test_scatter_ops(action):
    values = np.arange(12, dtype=np.float32).reshape(4, 3)
    rows = np.float32([[2, 4, 8], [1, -2, 4], [4, 4, 4]])
    handle, init = handle_of(values)
    reference = tf.Variable(values)
    by_handle = [getattr(tf.raw_ops, "ResourceScatter" + action)(resource=handle, indices=[3, 1, 3], updates=rows)]
    by_reference = [getattr(tf.raw_ops, "Scatter" + action)(ref=reference, indices=[3, 1, 3], updates=rows)]
    if action not in ("Mul", "Div"):
        nd = {"indices": [[0, 1], [0, 1], [2, 2]], "updates": [2.0, 3.0, 50.0]}
        by_handle.append(getattr(tf.raw_ops, "ResourceScatterNd" + action)(ref=handle, **nd))
        by_reference.append(getattr(tf.raw_ops, "ScatterNd" + action)(ref=reference, **nd))
    with tf.Session() as session:
        session.run([init, reference.initializer])
        for one, other in zip(by_handle, by_reference):
            session.run([one, other])
            np.testing.assert_array_equal(*session.run([read(handle), reference]))


def test_errors_of_counters():
    handle, init = handle_of(np.zeros([1], np.int32))
    with pytest.raises(ValueError, match="must be rank 0"):
        tf.raw_ops.ResourceCountUpTo(resource=handle, limit=3, T=tf.int32)
    with pytest.raises(ValueError, match="must be rank 0"):
        tf.count_up_to(tf.Variable([0]), 3)
    last, started = handle_of(np.int32(2**31 - 1), "last")
    beyond = tf.raw_ops.ResourceCountUpTo(resource=last, limit=2**31, T=tf.int32)
    with tf.Session() as session:
        session.run(started)
        with pytest.raises(tf.errors.InvalidArgumentError, match="limit has value 2147483648 out of range"):
            session.run(beyond)
    unknown, other = handle_of(np.zeros([1], np.int32), "w", shape=tf.TensorShape(None))
    counted = tf.raw_ops.ResourceCountUpTo(resource=unknown, limit=3, T=tf.int32)
    with tf.Session() as session:
        session.run([init, other])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"input is not a scalar: \[1\]"):
            session.run(counted)


def test_scatter_errors():
    handle, init = handle_of(np.zeros([4, 3], np.float32))
    raw = tf.raw_ops
    with pytest.raises(ValueError, match="must be equal"):
        raw.ResourceScatterAdd(resource=handle, indices=[0, 1], updates=np.zeros([2, 2], np.float32))
    with pytest.raises(ValueError, match="must be at most the rank"):
        raw.ResourceScatterNdAdd(ref=handle, indices=[[0, 0, 0]], updates=[1.0])
    outside = raw.ResourceScatterAdd(resource=handle, indices=[0, 9], updates=np.ones([2, 3], np.float32))
    ignoring = raw.ResourceScatterNdAdd(ref=handle, indices=[[9, 9]], updates=[1.0], bad_indices_policy="IGNORE")
    with tf.Session() as session:
        session.run(init)
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices\[1\] = 9 is not in \[0, 4\)"):
            session.run(outside)
        assert not session.run(read(handle)).any()
        with pytest.raises(tf.errors.UnimplementedError, match="bad_indices_policy"):
            session.run(ignoring)


def test_strided_slices_are_assigned():
    handle, init = handle_of(np.zeros([3, 3], np.float32))
    assign = tf.raw_ops.ResourceStridedSliceAssign(
        ref=handle, begin=[0, 1], end=[3, 0], strides=[2, 1], value=[7.0, 8.0], shrink_axis_mask=2
    )
    with tf.Session() as session:
        session.run(init)
        session.run(assign)
        assert session.run(read(handle)).tolist() == [[0, 7, 0], [0, 0, 0], [0, 8, 0]]


@pytest.mark.parametrize("update", [u for u in UPDATES if u.name[0] != "_"], ids=lambda u: u.name)
def test_updates_of_optimizers(update):
    random = np.random.default_rng(3)
    arguments, handles, references, started = {}, [], [], []
    sparse = update.name.startswith("Sparse")
    for arg in update.inputs:
        low, high = _domain(arg.name) if arg.name != "epsilon" else (0.5, 1)
        if arg.is_ref:
            value = random.uniform(low, high, [5, 2]).astype(np.float32)
            handle, init = handle_of(value, arg.name)
            reference = tf.Variable(value)
            handles.append((arg.name, handle))
            references.append((arg.name, reference))
            started += [init, reference.initializer]
        elif arg.name == "indices":
            arguments["indices"] = [4, 0, 4]
        elif arg.name == "global_step":
            arguments[arg.name] = 3
        elif arg.name in ("grad", "delta"):
            arguments[arg.name] = random.normal(size=[3 if sparse else 5, 2]).astype(np.float32)
        else:
            arguments[arg.name] = float(random.uniform(low, high))
    step = getattr(tf.raw_ops, by_handles(update).name)(**dict(handles), **arguments)
    same = getattr(tf.raw_ops, update.name)(**dict(references), **arguments)
    with tf.Session() as session:
        session.run(started)
        for _ in range(3):
            session.run([step, same.op])
        for (name, handle), (_, reference) in zip(handles, references):
            found, expected = session.run([read(handle), reference])
            np.testing.assert_array_equal(found, expected, err_msg=name)


def test_updates_check_shapes():
    var, init = handle_of([1.0, 2.0], "var")
    accum, other = handle_of([1.0, 2.0, 3.0], "accum")
    with pytest.raises(ValueError, match="must be equal"):
        tf.raw_ops.ResourceApplyAdagrad(var=var, accum=accum, lr=0.1, grad=[1.0, 1.0])
    with pytest.raises(ValueError, match="Shape must be rank 0"):
        tf.raw_ops.ResourceApplyGradientDescent(var=var, alpha=[0.1], delta=[1.0, 1.0])
    delta = tf.placeholder(tf.float32)
    step = tf.raw_ops.ResourceApplyGradientDescent(var=var, alpha=0.1, delta=delta)
    with tf.Session() as session:
        with pytest.raises(tf.errors.FailedPreconditionError, match="resource variable var from Container"):
            session.run(step, {delta: [1.0, 1.0]})
        session.run(init)
        with pytest.raises(tf.errors.InvalidArgumentError, match="var and delta do not have the same shape"):
            session.run(step, {delta: [1.0]})


@pytest.mark.parametrize("name", ["SparseApplyFtrl", "SparseApplyFtrlV2", "ApplyProximalAdagrad", "ApplyFtrl"])
def test_updates_check_their_scalars(name):
    update = next(u for u in UPDATES if u.name == name)
    handles, scalars, started = {}, {}, []
    for arg in update.inputs:
        if arg.is_ref:
            handles[arg.name], init = handle_of([1.0, 2.0], arg.name)
            started.append(init)
        elif arg.name not in ("grad", "indices"):
            scalars[arg.name] = tf.placeholder(tf.float32, [])
    rows = {"grad": [0.5, 0.5]} | ({"indices": [0, 1]} if "Sparse" in name else {})
    raw = getattr(tf.raw_ops, by_handles(update).name)
    step = raw(**handles, **scalars, **rows)
    good = {x: -0.5 if arg == "lr_power" else 0.1 for arg, x in scalars.items()}
    with tf.Session() as session:
        session.run(started)
        session.run(step, good)
        before = session.run(read(handles["var"])).tolist()
        for arg, x in scalars.items():
            wrong = {**good, x: 0.5 if arg == "lr_power" else -0.5}
            if name == "ApplyFtrl":  # TensorFlow lets it pass
                session.run(step, wrong)
                continue
            with pytest.raises(tf.errors.InvalidArgumentError, match=r"is not a (positive|non-\w+) scalar: -?0\.5"):
                session.run(step, wrong)
        if name == "ApplyFtrl":
            return
        with pytest.raises(tf.errors.InvalidArgumentError, match="lr is not a positive scalar: 0"):
            session.run(step, {**good, scalars["lr"]: 0.0})
        with pytest.raises(tf.errors.InvalidArgumentError, match="lr is not a positive scalar: nan"):
            session.run(step, {**good, scalars["lr"]: np.nan})
        assert session.run(read(handles["var"])).tolist() == before
        if "Ftrl" in name:
            by_rate = raw(**handles, **scalars, **rows, multiply_linear_by_lr=True)
            session.run(by_rate, {**good, scalars["lr"]: 0.0})
            with pytest.raises(tf.errors.InvalidArgumentError, match="lr is not a non-negative scalar: -0.1"):
                session.run(by_rate, {**good, scalars["lr"]: -0.1})


def test_errors_name_the_operation_of_the_program():
    v = tf.Variable(1.0, name="v", use_resource=True)
    with tf.Session() as session, pytest.raises(tf.errors.FailedPreconditionError) as caught:
        session.run(v.read_value())
    assert "Read/ReadVariableOp (op: ReadVariableOp)" in str(caught.value)


def test_everything_is_where_the_variable_is():
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.device("/cpu:1"):
        v = tf.Variable([1.0, 2.0], use_resource=True)
    with tf.device("/cpu:0"):
        y = tf.gather(v, [0]) + 1
        update = v.assign_add([1.0, 1.0], read_value=False)
    metadata = tf.RunMetadata()
    options = tf.RunOptions(output_partition_graphs=True)
    with tf.Session(config=config) as session:
        session.run(v.initializer)
        session.run([y, update], options=options, run_metadata=metadata)
        assert session.run(v).tolist() == [2, 3]
    where = {n.name: n.device for g in metadata.partition_graphs for n in g.node}
    assert where["Variable"].endswith("CPU:1") and where[update.name].endswith("CPU:1")


def test_copies_on_read_are_never_made():
    handle, init = handle_of(np.zeros(3, np.float32))
    with tf.Session() as session:
        session.run(init)
        assert session.run(tf.raw_ops.DisableCopyOnRead(resource=handle)) is None
        assert session.run(read(handle)).tolist() == [0, 0, 0]


def test_graphs_go_out_and_in():
    v = tf.Variable([1.0, 2.0], use_resource=True)
    y = tf.identity(v.assign_add([1.0, 1.0]), name="y")
    definition = y.graph.as_graph_def()
    with tf.Graph().as_default(), tf.Session() as session:
        tf.import_graph_def(definition, name="")
        session.run("Variable/Assign")
        assert session.run("y:0").tolist() == [2, 3]


def test_reads_that_wait_for_the_same_are_one():
    v = tf.Variable([1.0, 2.0], use_resource=True)
    with tf.control_dependencies([v.assign([3.0, 4.0], read_value=False)]):
        later = [v.read_value(), v + 0]
    fetches = [v * 2, v + 1, *later]
    metadata, options = tf.RunMetadata(), tf.RunOptions(output_partition_graphs=True)
    with tf.Session() as session:
        session.run(v.initializer)
        found = session.run(fetches, options=options, run_metadata=metadata)
    assert found[2].tolist() == found[3].tolist() == [3, 4]
    reads = [n.name for g in metadata.partition_graphs for n in g.node if "ReadVariableOp" in n.name]
    assert len(reads) == 2
