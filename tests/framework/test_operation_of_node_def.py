"""`tf.Operation(node_def, graph)`, and inputs that follow later."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def copy_of(op, name):
    node_def = tf.NodeDef()
    node_def.CopyFrom(op.node_def)
    node_def.name = name
    return node_def


def test_with_its_inputs(graph):
    x = tf.constant([[1.0, 2.0]])
    product = tf.matmul(x, [[3.0], [4.0]], name="product")
    node_def = copy_of(product.op, "scope/copy")
    first = tf.identity(5.0)
    copy = tf.Operation(node_def, graph, product.op.inputs, control_inputs=[first], original_op=product.op)
    assert graph.get_operation_by_name("scope/copy") is copy and copy in graph.get_operations()
    assert copy.control_inputs == [first.op] and copy._original_op is product.op
    assert copy.outputs[0].shape == [1, 1] and copy in x.consumers()
    graph._add_op(copy)
    with tf.Session() as sess:
        assert sess.run(copy.outputs[0]) == [[11]]
    assert tf.identity(x, name="scope/copy").op.name == "scope/copy_1"


def test_inputs_that_follow(graph):
    x, y = tf.constant([1.0, 2.0]), tf.constant([3.0, 4.0])
    node_def = copy_of(tf.add(x, x).op, "sum")
    total = tf.Operation(node_def, graph, [], [tf.float32], [], [], None, None)
    with tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"'sum' \(op: 'Add'\) has only 0 of its inputs"):
            sess.run(tf.square(total.outputs[0]))
        total._add_input(x)
        with pytest.raises(tf.errors.InvalidArgumentError, match="has only 1 of its inputs"):
            sess.run(total)
        with pytest.raises(ValueError, match="incompatible with expected float"):
            total._add_input(tf.constant(1))
        total._add_input(y)
        np.testing.assert_array_equal(sess.run(total.outputs[0]), [4, 6])
    assert total.outputs[0].shape == [2]
    with pytest.raises(ValueError, match="'sum' .* has all of its 2 inputs"):
        total._add_input(x)


def test_an_input_whose_shape_does_not_fit(graph):
    x, y = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])
    total = tf.Operation(copy_of(tf.add(x, x).op, "sum"), graph, [])
    total._add_input(x)
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        total._add_input(y)
    total._add_input(tf.constant([5.0, 6.0]))
    with tf.Session() as sess:
        np.testing.assert_array_equal(sess.run(total.outputs[0]), [6, 8])
    with pytest.raises(ValueError, match="Dimensions must be equal"):
        tf.Operation(copy_of(total, "other"), graph, [x, y])
    assert len(y.consumers()) == 0


def test_operations_without_outputs(graph):
    """They have no shape function."""
    first = tf.Operation(tf.NodeDef(name="first", op="NoOp"), graph)
    node_def = copy_of(tf.Assert(tf.placeholder(tf.bool, [], name="x"), ["no"]), "assertion")
    assertion = tf.Operation(node_def, graph, control_inputs=[first])
    assertion._add_input(graph.get_tensor_by_name("x:0"))
    assertion._add_input(tf.constant("wrong"))
    with tf.Session() as sess:
        sess.run(assertion, {"x:0": True})
        with pytest.raises(tf.errors.InvalidArgumentError, match="wrong"):
            sess.run(assertion, {"x:0": False})


def test_a_loop_is_copied(graph):
    """Node by node, each before its inputs, as programs do that follow inputs backwards."""
    i = tf.constant(2.0)
    result = tf.while_loop(lambda n, x: n < 3, lambda n, x: (n + 1, x * i), [0, 1.0])[1]

    def copied(op):
        name = "copy/" + op.name
        if name in graph._nodes_by_name:
            return graph.get_operation_by_name(name)
        node_def = copy_of(op, name)
        if "frame_name" in node_def.attr:
            node_def.attr["frame_name"].s = b"copy/" + node_def.attr["frame_name"].s
        new = tf.Operation(node_def, graph, [])
        for tensor in op.inputs:
            new._add_input(copied(tensor.op).outputs[tensor.value_index])
        new._add_control_inputs([copied(c) for c in op.control_inputs])
        new._set_control_flow_context(op._get_control_flow_context())
        return new

    copy = copied(result.op).outputs[0]
    with tf.Session() as sess:
        assert sess.run([result, copy, copy + result], {i: 3.0}) == [27, 8, 35]  # the copy has a constant of its own


@pytest.mark.parametrize(
    ("change", "error", "text"),
    [
        (lambda d: setattr(d, "name", "a b"), ValueError, "'a b': Node name contains invalid characters"),
        (lambda d: setattr(d, "name", "x"), ValueError, "'x' is already in use"),
        (lambda d: setattr(d, "op", "Sqare"), tf.errors.NotFoundError, "Op type not registered 'Sqare'"),
        (lambda d: d.attr.pop("T"), ValueError, "missing attr 'T'"),
        (lambda d: d.attr["U"].CopyFrom(d.attr["T"]), ValueError, "mentions attr 'U' not in"),
        (lambda d: setattr(d.attr["T"], "type", 10), ValueError, "'T'"),
        (lambda d: setattr(d, "device", "/cpu:x"), ValueError, "device"),
    ],
)
def test_malformed_nodes(graph, change, error, text):
    x = tf.constant(2.0, name="x")
    node_def = copy_of(tf.square(x).op, "copy")
    change(node_def)
    count = len(graph.get_operations())
    with pytest.raises(error, match=text):
        tf.Operation(node_def, graph, [x])
    assert len(graph.get_operations()) == count and len(x.consumers()) == 1


def test_wrong_arguments(graph):
    x = tf.constant(2.0)
    node_def = copy_of(tf.square(x).op, "copy")
    with tf.Graph().as_default():
        other = tf.constant(2.0)
    for args, error, text in [
        (("copy", graph), TypeError, "node_def needs to be a NodeDef: 'copy'"),
        ((node_def, None), TypeError, "g needs to be a Graph: None"),
        ((node_def, graph, [2.0]), TypeError, "input needs to be a Tensor: 2.0"),
        ((node_def, graph, [other]), ValueError, "is not an element of this graph"),
        ((node_def, graph, [tf.constant(2)]), ValueError, "was passed int32 from"),
        ((node_def, graph, [x, x]), ValueError, "do not match 2 inputs specified"),
        ((node_def, graph, [x], None, [3]), TypeError, "Can not convert a int"),
    ]:
        with pytest.raises(error, match=text):
            tf.Operation(*args)
    graph.finalize()
    with pytest.raises(RuntimeError, match="finalized"):
        tf.Operation(node_def, graph, [x])
