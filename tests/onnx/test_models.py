"""Whole networks, what does not depend on the inputs, names, files, and errors."""

import os

import numpy as np
import pytest

import tfcore as tf
import tfcore.onnx
from tests.framework.test_frozen import FOLDER, NETS, load
from tests.saved_model.test_fixtures import FOLDER as SAVED_MODELS
from tfcore.onnx import files

onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxruntime")

from tests.onnx.run import compare, run  # noqa: E402

rng = np.random.default_rng(5)
EFFORT = float(os.environ.get("TFCORE_TEST_EFFORT", 1))
# Frozen networks with operations that have no counterpart.
WITHOUT = {
    "bags_and_scatters": "type Unique has no",
    "batch_norm_training": "normalizes by the batch",
    "embedding_partitioned": "type DynamicPartition has no",
}


@pytest.fixture
def session():
    with tf.Graph().as_default(), tf.Session() as session:
        tf.set_random_seed(1)
        yield session


def images(*shape):
    return rng.uniform(size=shape).astype(np.float32)


# ---- Networks


@pytest.mark.parametrize("net", NETS)
def test_networks_that_tensorflow_froze(net):
    """Against the values that TensorFlow computed."""
    feeds, outputs = load(net)
    graph_def = tf.train.read_graph(os.path.join(FOLDER, net + ".pb"))
    if net in WITHOUT:
        with pytest.raises(tf.errors.UnimplementedError, match=WITHOUT[net]):
            tfcore.onnx.export(graph_def, list(feeds), list(outputs))
        return
    found = run(tfcore.onnx.export(graph_def, list(feeds), list(outputs)), list(feeds.values()))
    for got, (name, expected) in zip(found, outputs.items()):
        assert got.dtype == expected.dtype and got.shape == expected.shape, name
        if expected.dtype.kind == "f":
            scale = max(1e-3, float(np.abs(expected).max(initial=0)))
            bound = 256 * np.finfo(np.float16 if net.endswith("half") else expected.dtype).eps * scale
            np.testing.assert_allclose(got, expected, rtol=0, atol=bound, err_msg=name)
        else:
            np.testing.assert_array_equal(got, expected, name)


def test_a_convolutional_network_for_digits(session):
    x = tf.placeholder(tf.float32, [None, 784], name="pixels")
    hidden = tf.reshape(x, [-1, 28, 28, 1])
    for filters in (4, 8):
        hidden = tf.layers.conv2d(hidden, filters, 5, padding="same", activation=tf.nn.relu)
        hidden = tf.layers.max_pooling2d(tf.layers.batch_normalization(hidden), 2, 2)
    hidden = tf.layers.dense(tf.layers.flatten(hidden), 16, tf.nn.relu)
    y = tf.nn.softmax(tf.layers.dense(tf.layers.dropout(hidden), 10), name="digits")
    session.run(tf.global_variables_initializer())
    model = compare(session, [x], [y, tf.argmax(y, 1)], [images(3, 784)])
    # The layout changes once on the way in, and once on the way out.
    assert [node.op_type for node in model.graph.node].count("Transpose") == 2


def test_channels_first(session):
    """The CPU has no kernels for this layout: the same network with the channels last tells the values."""
    value, w, b = images(2, 9, 8, 4), images(3, 3, 4, 6), images(6)

    def network(x, layout):
        def four(n):
            return [1, n, n, 1] if layout == "NHWC" else [1, 1, n, n]

        x = tf.nn.conv2d(x, w, four(2), "SAME", data_format=layout)
        x = tf.nn.bias_add(x, b, data_format=layout)
        x = tf.nn.fused_batch_norm(x, b, b, b, b, data_format=layout, is_training=False)[0]
        x = tf.nn.max_pool(x, four(2), four(1), "SAME", data_format=layout)
        return tf.nn.avg_pool(x, four(2), four(2), "VALID", data_format=layout)

    first = tf.placeholder(tf.float32, [None, 4, 9, 8], name="first")
    model = tfcore.onnx.export(session, [first], [network(first, "NCHW")])
    assert "Transpose" not in [node.op_type for node in model.graph.node]
    expected = session.run(network(tf.constant(value), "NHWC")).transpose(0, 3, 1, 2)
    np.testing.assert_allclose(run(model, [value.transpose(0, 3, 1, 2)])[0], expected, rtol=1e-4, atol=1e-5)


def test_a_perceptron_with_partitioned_weights(session):
    x = tf.placeholder(tf.float32, [None, 20], name="x")
    with tf.variable_scope("mlp", partitioner=tf.fixed_size_partitioner(2)):
        y = tf.layers.dense(tf.layers.dense(x, 8, tf.nn.tanh), 3)
    session.run(tf.global_variables_initializer())
    model = compare(session, [x], [tf.nn.log_softmax(y)], [images(4, 20)])
    assert [node.op_type for node in model.graph.node if node.op_type == "Concat"] == []  # joined once, now


@pytest.mark.parametrize("cell", [tf.nn.rnn_cell.BasicLSTMCell, tf.nn.rnn_cell.GRUCell, tf.nn.rnn_cell.LSTMCell])
def test_an_unrolled_recurrent_network(session, cell):
    x = tf.placeholder(tf.float32, [None, 5, 3], name="x")
    outputs, _ = tf.nn.static_rnn(cell(6), tf.unstack(x, axis=1), dtype=tf.float32)
    session.run(tf.global_variables_initializer())
    compare(session, [x], [tf.stack(outputs, 1)], [images(2, 5, 3)])


def test_a_step_of_a_language_model(session):
    ids = tf.placeholder(tf.int32, [None], name="ids")
    stack = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(6) for _ in range(2)])
    states = [tf.placeholder(tf.float32, [None, 6], name=f"state{i}") for i in range(4)]
    pairs = tuple(tf.nn.rnn_cell.LSTMStateTuple(*states[i : i + 2]) for i in (0, 2))
    embedding = tf.get_variable("embedding", [11, 4])
    output, new = stack(tf.nn.embedding_lookup(embedding, ids), pairs)
    logits = tf.layers.dense(output, 11)
    session.run(tf.global_variables_initializer())
    given = [np.int32([3, 10]), *(images(2, 6) for _ in states)]
    compare(session, [ids, *states], [tf.nn.softmax(logits), *tf.nest.flatten(new)], given)


def test_functions(session):
    """Of TensorFlow 2, in a SavedModel, and of programs; they call others, and one is called twice."""
    model = tf.saved_model.load(session, ["serve"], os.path.join(SAVED_MODELS, "functions"))
    signature = model.signature_def["serving_default"]
    outputs = [session.graph.get_tensor_by_name(signature.outputs[key].name) for key in ("sum", "y")]
    compare(session, [session.graph.get_tensor_by_name(signature.inputs["x"].name)], outputs, [images(3, 2)])

    @tf.Defun(tf.float32)
    def normalize(x):
        return x / tf.reduce_sum(x, tf.range(1, tf.rank(x)), keepdims=True)

    @tf.Defun(tf.float32, tf.float32)
    def both(x, w):
        return normalize(tf.nn.conv2d(x, w, [1, 1, 1, 1], "SAME")), normalize(x)

    x = tf.placeholder(tf.float32, [2, 4, 4, 3], name="x")
    exported = compare(session, [x], list(both(x, tf.ones([3, 3, 3, 2]))), [images(2, 4, 4, 3)])
    assert [node.op_type for node in exported.graph.node].count("Conv") == 1
    loop = model.signature_def["even"]
    with pytest.raises(tf.errors.UnimplementedError, match="type StatelessWhile has no counterpart"):
        tfcore.onnx.export(session, [loop.inputs["n"].name], [loop.outputs["s"].name])


def test_variables_that_only_functions_read(session):
    model = tf.saved_model.load(session, ["serve"], os.path.join(SAVED_MODELS, "dense"))
    signature = model.signature_def["serving_default"]
    x, y = (session.graph.get_tensor_by_name(i.name) for i in (signature.inputs["x"], signature.outputs["y"]))
    exported = compare(session, [x], [y], [images(4, 3)])
    assert {node.op_type for node in exported.graph.node} >= {"MatMul", "Add", "Relu"}


@pytest.fixture
def dense(session):
    """A graph of TensorFlow 2 whose variables only functions read: (GraphDef, name of x, name of y)."""
    with tf.Graph().as_default() as graph, tf.Session() as loading:
        model = tf.saved_model.load(loading, ["serve"], os.path.join(SAVED_MODELS, "dense"))
        signature = model.signature_def["serving_default"]
        x, y = signature.inputs["x"].name, signature.outputs["y"].name
        return tf.graph_util.extract_sub_graph(graph.as_graph_def(), [y.partition(":")[0]]), x, y


def set_handles(session):
    """Gives values to all variables behind handles; nothing else reads or writes them."""
    assert not any(op.type == "ReadVariableOp" for op in session.graph.get_operations())
    for op in session.graph.get_operations():
        if op.type == "VarHandleOp":
            value = images(*op.get_attr("shape"))
            session.run(tf.raw_ops.AssignVariableOp(resource=op.outputs[0], value=value))


def test_variables_that_nothing_else_reads(session, dense):
    graph_def, *names = dense
    x, y = tf.import_graph_def(graph_def, return_elements=names, name="")
    set_handles(session)
    compare(session, [x], [y], [images(4, 3)])
    added = len(session.graph.get_operations())
    compare(session, [x], [y], [images(4, 3)])  # the reads that it added are used again
    assert len(session.graph.get_operations()) == added


def test_a_variable_that_only_a_function_reads_and_that_has_no_value(session, dense):
    graph_def, *names = dense
    x, y = tf.import_graph_def(graph_def, return_elements=names, name="")
    with pytest.raises(tf.errors.FailedPreconditionError):
        tfcore.onnx.export(session, [x], [y])


def test_a_graph_that_can_no_more_be_changed(session, dense):
    graph_def, *names = dense
    x, y = tf.import_graph_def(graph_def, return_elements=names, name="")
    set_handles(session)
    session.graph.finalize()
    with pytest.raises(tf.errors.UnimplementedError, match="No operation of the graph reads the variable"):
        tfcore.onnx.export(session, [x], [y])


@pytest.mark.parametrize("controlled", [False, True])
def test_a_function_of_variables_that_is_a_constant(session, dense, controlled):
    graph_def, *names = dense
    given = tf.constant(images(4, 3))
    (y,) = tf.import_graph_def(graph_def, {names[0]: given}, names[1:], name="")
    set_handles(session)
    other = tf.placeholder(tf.float32, [])
    with tf.control_dependencies([other] if controlled else []):
        y = tf.identity(y)
    x = tf.placeholder(tf.float32, [4, 1])
    z = x + y
    model = tfcore.onnx.export(session, [x], [z])
    value = images(4, 1)
    np.testing.assert_allclose(run(model, [value])[0], session.run(z, {x: value, other: 0}), rtol=1e-5)
    assert [node.op_type for node in model.graph.node] == ["Add"]


def test_a_function_that_changes_a_variable_is_no_constant(session):
    v = tf.get_variable("v", initializer=1.0, use_resource=True)
    session.run(v.initializer)

    @tf.Defun(tf.resource)
    def count(handle):
        with tf.control_dependencies([tf.raw_ops.AssignAddVariableOp(resource=handle, value=1.0)]):
            return tf.raw_ops.ReadVariableOp(resource=handle, dtype=tf.float32)

    x = tf.placeholder(tf.float32, [])
    with pytest.raises(tf.errors.UnimplementedError, match="AssignAddVariableOp has state"):
        tfcore.onnx.export(session, [x], [x + count(v.handle)])
    assert session.run(v) == 1


# ---- What is exported


def test_names(session):
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    parts = tf.split(x, 2, 1, name="s")
    model = tfcore.onnx.export(session, "x", ["s:1", parts[0]])
    assert [i.name for i in model.graph.input] == ["x"] and [o.name for o in model.graph.output] == ["s:1", "s"]
    dims = model.graph.input[0].type.tensor_type.shape.dim
    assert dims[0].dim_param and dims[1].dim_value == 2
    model = tfcore.onnx.export(
        session, {"given": x}, {"first": parts[0], "again": "s:0", "copy": x, "one": tf.ones([1])}
    )
    assert [o.name for o in model.graph.output] == ["first", "again", "copy", "one"]
    found = run(model, [np.float32([[1, 2]])])
    assert [f.tolist() for f in found] == [[[1]], [[1]], [[1, 2]], [1]]
    assert (model.opset_import[0].version, model.producer_name) == (18, "tfcore")


def test_a_part_of_a_graph(session):
    """Inputs may be any tensors; what comes before them is left out."""
    x = tf.placeholder(tf.string, [None])
    numbers = tf.string_to_number(x)
    y = numbers * 2.0
    assert run(tfcore.onnx.export(session, [numbers], [y]), [np.float32([3])])[0].tolist() == [6]
    with pytest.raises(
        tf.errors.UnimplementedError, match="'StringToNumber' of type StringToNumber has no counterpart"
    ):
        tfcore.onnx.export(session, [x], [y])


def test_an_input_may_be_what_another_operation_computes(session):
    """Its value is the given one, though it is a part of a split, a constant, or an axis."""
    x = tf.placeholder(tf.float32, [None, 2], name="x")
    a, b = tf.split(x, 2, 1)
    compare(session, [x, a], [a + b], [np.float32([[1, 2]]), np.float32([[100]])])
    image, c = tf.placeholder(tf.float32, [2, 1, 1, 3]), tf.constant([1.0, 2.0, 3.0])
    bias = tf.nn.bias_add(tf.nn.conv2d(image, np.ones([1, 1, 3, 3], np.float32), [1, 1, 1, 1], "SAME"), c)
    compare(session, [image, c], [bias], [images(2, 1, 1, 3), np.float32([10, 20, 30])])
    y, axis = tf.placeholder(tf.float32, [2, 3], name="y"), tf.constant(0)
    total = tf.reduce_sum(y, axis)
    model = tfcore.onnx.export(session, [y, axis], [total, tf.reduce_sum(y, tf.stack([axis]))])
    assert [f.tolist() for f in run(model, [np.ones([2, 3], np.float32), np.int32(1)])] == [[3, 3], [3, 3]]


def test_outputs_with_names_that_the_model_uses(session):
    x = tf.placeholder(tf.float32, [2, 2], name="x")
    y = tf.nn.xw_plus_b(x, np.ones([2, 2], np.float32), np.float32([1, 2]), name="logits")
    names = ["constant", "logits/Add", "logits:Add"]
    model = tfcore.onnx.export(session, [x], dict(zip(names, [tf.identity(x * [1.0, 2.0]), y + 1.0, y])))
    assert [o.name for o in model.graph.output] == names
    labels = [node.name for node in model.graph.node]
    assert len(set(labels)) == len(labels)
    assert [f[0].tolist() for f in run(model, [np.ones([2, 2], np.float32)])] == [[1, 2], [4, 5], [3, 4]]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_values_near_the_limits_of_log1p_and_expm1(session, dtype):
    value = dtype([0, -0.0, 1e-30, 1e-9, -1e-9, 1e-7, 3e-4, -3e-4, 0.1, -0.5, 0.9, 1.1, -5, 50, 1e30, np.inf, -np.inf])
    x = tf.placeholder(dtype, [None], name="x")
    model = tfcore.onnx.export(session, [x], [tf.log1p(x), tf.expm1(x)])
    for got, expected in zip(run(model, [value]), session.run([tf.log1p(x), tf.expm1(x)], {x: value})):
        np.testing.assert_allclose(got, expected, rtol=16 * np.finfo(dtype).eps, atol=0)
    logs = run(tfcore.onnx.export(session, [x], [tf.log1p(x)]), [dtype([-1, -2, np.nan])])[0]
    np.testing.assert_array_equal(logs, [-np.inf, np.nan, np.nan])


def test_constants_are_evaluated_once(session):
    x = tf.placeholder(tf.float32, [2])
    v = tf.Variable(3.0)
    session.run(v.initializer)
    places = tf.while_loop(lambda i: i < 5, lambda i: i + 1, [0])
    y = x * tf.cast(places, tf.float32) * v
    model = tfcore.onnx.export(session, [x], [y])
    assert [node.op_type for node in model.graph.node] == ["Mul", "Mul"]
    session.run(v.assign(100.0))
    assert run(model, [np.float32([1, 2])])[0].tolist() == [15, 30]


@pytest.mark.parametrize("use_resource", [False, True])
def test_exporting_changes_nothing(session, use_resource):
    x, other = tf.placeholder(tf.float32, [2], name="x"), tf.placeholder(tf.float32, [])
    v = tf.get_variable("v", initializer=1.0, use_resource=use_resource)
    session.run(v.initializer)
    with tf.control_dependencies([tf.assign_add(v, 1.0), tf.assign(v, other)]):
        read, seven = v.read_value(), tf.constant(3.0) + 4.0
        is_set = tf.cast(tf.is_variable_initialized(v), tf.float32)
    model = tfcore.onnx.export(session, [x], [x * (read * 2.0), x + seven])
    assert [f.tolist() for f in run(model, [np.float32([1, 2])])] == [[2, 4], [8, 9]]
    for outputs, text in (
        ([x * tf.assign_add(v, 1.0)], "AssignAdd"),
        ([x + is_set], "runs after"),
        ([x + tf.while_loop(lambda i: i < 3.0, lambda i: i + 1.0, [read])], "makes .* run too"),
    ):
        if use_resource and text == "AssignAdd":
            continue  # its value is a read that waits for it
        with pytest.raises(tf.errors.UnimplementedError, match=text):
            tfcore.onnx.export(session, [x], outputs)
    assert session.run(v) == 1


def test_resource_variables(session):
    places, x = tf.placeholder(tf.int32, [2], name="places"), tf.placeholder(tf.float32, [2, 2], name="x")
    v = tf.get_variable("v", initializer=[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], use_resource=True)
    with pytest.raises(tf.errors.FailedPreconditionError):
        tfcore.onnx.export(session, [places], [tf.gather(v, places)])
    session.run(v.initializer)
    outputs = [
        tf.gather(v, places),
        tf.gather_nd(v, places),
        x * tf.gather(v, [2, 0]) + tf.gather_nd(v, [1]),
        x + tf.cast(tf.raw_ops.VariableShape(input=v.handle), tf.float32),
    ]
    compare(session, [places, x], outputs, [np.int32([2, 1]), images(2, 2)])
    batched = tf.raw_ops.ResourceGather(
        resource=v.handle, indices=tf.concat([places, places[:1]], 0), dtype=tf.float32, batch_dims=1
    )
    with pytest.raises(tf.errors.UnimplementedError, match="batch dim"):
        tfcore.onnx.export(session, [places], [batched])


def test_a_file(session, tmp_path):
    x = tf.placeholder(tf.float32, [2], name="x")
    model = tfcore.onnx.export(session, [x], [x + 1.0], tmp_path / "m.onnx")
    assert onnx.load(str(tmp_path / "m.onnx")) == model
    assert os.listdir(tmp_path) == ["m.onnx"]


def test_constants_in_a_second_file(session, tmp_path, monkeypatch):
    monkeypatch.setattr("tfcore.onnx.files.MAX_CONSTANT_BYTES", 5000)
    x = tf.placeholder(tf.float32, [None, 1000], name="x")
    w = tf.constant(images(1000, 3))
    y = tf.matmul(x, w, name="y") + [1.0, 2.0, 3.0]
    model = tfcore.onnx.export(session, [x], [y], tmp_path / "m.onnx")
    _, data = sorted(os.listdir(tmp_path))
    assert data.startswith("m.onnx.") and data.endswith(".data")
    assert os.path.getsize(tmp_path / "m.onnx") < 2000 < 12000 == os.path.getsize(tmp_path / data)
    value = images(2, 1000)
    expected = session.run(y, {x: value})
    for exported in (str(tmp_path / "m.onnx"), model):  # the model in memory keeps its constants
        np.testing.assert_allclose(run(exported, [value])[0], expected, rtol=1e-4)

    def fails(*args):
        raise OSError("full")

    # The old model stays whole while another is written over it, and its constants go when that is done.
    with monkeypatch.context() as patch:
        patch.setattr("tfcore.onnx.files._with_constants_in", fails)
        with pytest.raises(OSError, match="full"):
            tfcore.onnx.export(session, [x], [tf.matmul(x, 2 * w)], tmp_path / "m.onnx")
    np.testing.assert_allclose(run(str(tmp_path / "m.onnx"), [value])[0], expected, rtol=1e-4)
    tfcore.onnx.export(session, [x], [tf.matmul(x, 2 * w)], tmp_path / "m.onnx")
    assert len(os.listdir(tmp_path)) == 2 and not os.path.exists(tmp_path / data)
    np.testing.assert_allclose(run(str(tmp_path / "m.onnx"), [value])[0], 2 * (expected - [1, 2, 3]), rtol=1e-3)
    tfcore.onnx.export(session, [x], [x + 1.0], tmp_path / "m.onnx")
    assert os.listdir(tmp_path) == ["m.onnx"]


def test_several_writers_of_one_file(session, tmp_path, monkeypatch):
    """One is held up before it puts its model in place, while another writes all of its own; and the reverse."""
    monkeypatch.setattr("tfcore.onnx.files.MAX_CONSTANT_BYTES", 1000)
    x, path = tf.placeholder(tf.float32, [2, 300], name="x"), tmp_path / "m.onnx"
    value = np.ones((2, 300), np.float32)
    outputs = [x * tf.constant(np.full(300, k, np.float32)) for k in range(3)]
    replace, waiting = files._replace, [2, 1]

    def held_up(model, path):
        if waiting:
            tfcore.onnx.export(session, [x], [outputs[waiting.pop()]], path)
            assert run(str(path), [value])[0][0, 0] in (1, 2)
        replace(model, path)

    tfcore.onnx.export(session, [x], [outputs[1]], path)
    monkeypatch.setattr(files, "_replace", held_up)
    tfcore.onnx.export(session, [x], [outputs[0]], path)
    assert run(str(path), [value])[0].tolist() == np.zeros((2, 300)).tolist()
    assert len(os.listdir(tmp_path)) == 2


@pytest.mark.skipif(EFFORT < 3, reason="takes 10 GB of memory")
def test_constants_of_more_than_two_gigabytes(session, tmp_path):
    x = tf.placeholder(tf.float32, [1], name="x")
    first, second = np.zeros(280_000_000, np.float32), np.ones(280_000_000, np.float32)
    y = x * first + x * second
    tfcore.onnx.export(session, [x], [tf.gather(y, [3])], tmp_path / "m.onnx")
    assert os.path.getsize(tmp_path / "m.onnx") < 2000 and len(os.listdir(tmp_path)) == 2


def test_what_no_output_needs_is_left_out(session):
    x = tf.placeholder(tf.float32, [2, 8, 8, 3], name="x")
    size = tf.shape(x)
    y = tf.nn.conv2d_transpose(x, images(3, 3, 5, 3), tf.stack([size[0], 16, 16, 5]), [1, 2, 2, 1])
    model = compare(session, [x], [tf.ensure_shape(y, [2, 16, 16, 5])], [images(2, 8, 8, 3)])
    assert [node.op_type for node in model.graph.node] == ["Transpose", "ConvTranspose", "Identity", "Transpose"]
    assert [tensor.dims for tensor in model.graph.initializer] == [[3, 5, 3, 3]]


def test_transposed_convolutions_of_groups(session):
    """The CPU has no kernel for them: each group alone tells the values."""
    value, filters = images(2, 8, 9, 4), images(3, 3, 3, 4)

    def transposed(x, part, channels):
        return tf.raw_ops.Conv2DBackpropInput(
            input_sizes=[2, 16, 18, channels], filter=part, out_backprop=x, strides=[1, 2, 2, 1], padding="SAME"
        )

    x = tf.placeholder(tf.float32, [2, 8, 9, 4], name="x")
    found = run(tfcore.onnx.export(session, [x], [transposed(x, filters, 6)]), [value])[0]
    parts = [transposed(value[..., s], filters[..., s], 3) for s in (slice(0, 2), slice(2, 4))]
    np.testing.assert_allclose(found, session.run(tf.concat(parts, 3)), rtol=1e-4, atol=1e-5)


def test_padding_of_images_of_unknown_size(session):
    x = tf.placeholder(tf.float32, [None, None, None, 4], name="x")
    value, image_filter = [images(2, 8, 9, 4)], images(3, 3, 4, 6)
    compare(session, [x], [tf.nn.conv2d(x, image_filter, 2, "SAME"), tf.nn.max_pool(x, 3, 2, "SAME")], value)
    compare(session, [x], [tf.nn.conv2d(x, image_filter[:1, :1], 2, "SAME"), tf.nn.max_pool(x, 1, 2, "SAME")], value)
    for y in (
        tf.nn.max_pool(x, 2, 3, "SAME"),
        tf.nn.conv2d(x, image_filter, [1, 2, 1, 1], "SAME", dilations=[1, 1, 2, 1]),
    ):
        with pytest.raises(tf.errors.UnimplementedError, match="height and width, which are unknown"):
            tfcore.onnx.export(session, [x], [y])


# ---- Errors


def test_errors(session):
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    other = tf.placeholder(tf.float32, name="other")
    v = tf.Variable([1.0], name="v")
    for inputs, outputs, error, text in (
        ([x], [x + other], ValueError, "depend on the placeholder 'other', which is not among the inputs"),
        ([x], [x + v], tf.errors.FailedPreconditionError, "v"),
        ([x], [x + tf.random_normal([4])], tf.errors.UnimplementedError, "has state or is random"),
        ([x], [tf.nn.dropout(x, 0.5)], tf.errors.UnimplementedError, "RandomUniform"),
        ([x], ["none:0"], KeyError, "none"),
        ([x], [], ValueError, "needs inputs and outputs"),
        ([x], [x], ValueError, "must have different names: x"),
        ({"a": x, "b": other}, {"a": x + other}, ValueError, "different names: a"),
        ([x, "x:0"], [x + 1.0], ValueError, "Two tensors have the name x"),
        ({"a": x, "b": x}, [x + 1.0], ValueError, "is there twice among the inputs: x:0, x:0"),
        ([x], [tf.where(x[0, 0] > 0.0)], tf.errors.UnimplementedError, "its input is a scalar"),
        ([x], [tf.cast(x, tf.complex64)], tf.errors.UnimplementedError, "complex64"),
        ([x], [tf.as_string(x)], tf.errors.UnimplementedError, "AsString"),
        ([x], [tf.pad(x, [[1, 1], [1, 1]], "SYMMETRIC")], tf.errors.UnimplementedError, "symmetric"),
        ([x], [tf.gather(x, tf.cast(x[:, :1], tf.int32), batch_dims=1)], tf.errors.UnimplementedError, "batch dim"),
        (
            [x, other],
            [tf.transpose(x, tf.cast(other, tf.int32))],
            tf.errors.UnimplementedError,
            "depends on the model's",
        ),
        ([other], [tf.squeeze(other)], tf.errors.UnimplementedError, "unknown rank"),
        ([x], [tf.cond(x[0, 0] > 0, lambda: x, lambda: -x)], tf.errors.UnimplementedError, "has no counterpart"),
    ):
        with pytest.raises(error, match=text):
            tfcore.onnx.export(session, inputs, outputs)
    with pytest.raises(TypeError, match="source must be a Session, a Graph or a GraphDef: 3"):
        tfcore.onnx.export(3, [x], [x + 1.0])
    with pytest.raises(tf.errors.FailedPreconditionError):
        tfcore.onnx.export(session.graph, [x], [x + v])


def test_onnx_is_missing(session, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "onnx.checker", None)
    with pytest.raises(ImportError, match=r"pip install 'tfcore\[onnx\]'"):
        tfcore.onnx.export(session, ["x"], ["y"])
