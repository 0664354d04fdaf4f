"""Graph.create_op, and names with an underscore."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as graph:
        yield graph


def test_types_follow_from_the_inputs(graph):
    a = tf.constant([1.0, 2.0])
    op = graph.create_op("Add", [a, a], [tf.float32], name="sum")
    again = graph.create_op("Add", [a, a], name="sum", compute_shapes=False)
    assert (op.name, again.name, op.get_attr("T"), op.outputs[0].shape) == ("sum", "sum_1", tf.float32, [2])
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(op.outputs[0]), [2, 4])


def test_attributes_as_messages_and_values(graph):
    a = tf.constant([[1.0, 2.0]])
    attrs = {"DstT": tf.AttrValue(type=3), "SrcT": tf.float32}
    assert graph.create_op("Cast", [a], [tf.int32], attrs=attrs).outputs[0].dtype == tf.int32
    packed = graph.create_op("Pack", [a, a, a], [tf.float32], attrs={"axis": 1})
    assert packed.outputs[0].shape == [1, 3, 2] and packed.get_attr("N") == 3
    parts = graph.create_op("Split", [tf.constant(1), a], [tf.float32] * 2, attrs={"num_split": 2})
    assert [t.shape.as_list() for t in parts.outputs] == [[1, 1], [1, 1]]


def test_scopes_apply(graph):
    a = tf.constant(1.0)
    with tf.name_scope("scope"), tf.device("/cpu:0"), tf.control_dependencies([a]):
        op = graph.create_op("NoOp", [], [], name="x")
        free = graph.create_op("NoOp", [], [], name="y", compute_device=False)
    assert (op.name, op.control_inputs, op.device, free.device) == ("scope/x", [a.op], "/device:CPU:0", "")
    assert graph.create_op("NoOp", [], [], name="exactly/this/").name == "exactly/this"


def test_tensors_from_outside_a_function(graph):
    a = tf.constant(2.0)
    f = tf.function(lambda x: tf.get_default_graph().create_op("Mul", [x, a]).outputs[0])
    with tf.Session() as session:
        assert session.run(f(tf.constant(3.0))) == 6


def test_references(graph):
    v = tf.Variable([1.0])
    assign = graph.create_op("Assign", [v._ref(), tf.constant([5.0])], [tf.float32._as_ref])
    with tf.Session() as session:
        np.testing.assert_array_equal(session.run(assign.outputs[0]), [5])


ERRORS = {
    "no tensor": (lambda g, a: g.create_op("Add", [a, 1.0]), TypeError, "Input #1 is not a tensor: 1.0"),
    "no such type": (lambda g, a: g.create_op("Nope", [a]), RuntimeError, "Op type not registered 'Nope'"),
    "no attribute": (lambda g, a: g.create_op("Cast", [a]), ValueError, "NodeDef missing attr 'DstT' from Op<Cast"),
    "types differ": (
        lambda g, a: g.create_op("Add", [a, tf.constant(1)]),
        ValueError,
        "Inconsistent values for attr 'T' DT_FLOAT vs. DT_INT32 while building NodeDef 'Add'",
    ),
    "other types expected": (
        lambda g, a: g.create_op("Add", [a, a], input_types=[tf.int32, tf.int32]),
        TypeError,
        "In op 'Add', input types .* are not compatible with expected types",
    ),
    "too few": (lambda g, a: g.create_op("Add", [a]), ValueError, "needs more than 1 inputs"),
    "too many": (lambda g, a: g.create_op("Neg", [a, a]), ValueError, "has 1 inputs, not 2"),
    "shapes": (
        lambda g, a: g.create_op("MatMul", [tf.ones([2, 3]), tf.ones([2, 3])]),
        ValueError,
        "Dimensions must be equal, but are 3 and 2",
    ),
    "another graph": (
        lambda g, a: tf.Graph().create_op("Neg", [a]),
        ValueError,
        "must be from the same graph as the operation",
    ),
    "unknown attribute": (
        lambda g, a: g.create_op("Neg", [a], attrs={"_own": 1, "nonsense": 1}),
        ValueError,
        "NodeDef mentions attr 'nonsense' not in Op<Neg",
    ),
    "name": (lambda g, a: g.create_op("Neg", [a], name="?"), ValueError, "'\\?' is not a valid node name"),
    "finalized": (lambda g, a: (g.finalize(), g.create_op("Neg", [a])), RuntimeError, "Graph is finalized"),
}


@pytest.mark.parametrize("case", ERRORS)
def test_errors(graph, case):
    function, error, text = ERRORS[case]
    a = tf.constant(1.0)
    with pytest.raises(error, match=text):
        function(graph, a)


def test_original_operations(graph):
    x = tf.placeholder(tf.float32)
    y = tf.tanh(x)
    (grad,) = tf.gradients(y, x)
    assert y.op._original_op is None and grad.op._original_op is y.op
    with graph._original_op(x.op):
        assert tf.identity(y).op._original_op is x.op


def test_internals_of_tensors_and_operations(graph):
    x = tf.zeros([2, 3])
    unknown = tf.placeholder(tf.float32)
    assert (x._op, x._dtype, x._shape.as_list(), x._rank()) == (x.op, tf.float32, [2, 3], 2)
    assert (x._shape_as_list(), x._shape_tuple(), unknown._rank()) == ([2, 3], (2, 3), None)
    with tf.control_dependencies([x]):
        op = tf.add(unknown, unknown).op
    assert op in x.op._control_outputs and op._input_types == [tf.float32] * 2 and op._output_types == [tf.float32]
    op._remove_all_control_inputs()
    op._set_device_from_string("/cpu:0")
    op._set_attr("_mine", b"x")
    op._clear_attr("_mine")
    assert op.control_inputs == [] and op.device == "/device:CPU:0" and not op._is_stateful
    with pytest.raises(ValueError, match="no attr named '_mine'"):
        op.get_attr("_mine")
    assert op._node_def.name == op.name


def test_internals_of_graphs(graph):
    x = tf.zeros([2], name="x")
    assert graph._nodes_by_name["x"] is x.op and graph._nodes_by_id[x.op._id] is x.op
    assert graph._get_operation_by_name("x") is x.op
    with graph.name_scope("a"), graph.control_dependencies([x]):
        assert graph._name_stack == "a" and graph._current_control_dependencies() == {x.op}
    assert graph._as_graph_def()[1] == graph.version
    with graph._colocate_with_for_gradient(x.op, None):
        assert tf.identity(x).op.colocation_groups() == [b"loc:@x"]
    graph.finalize()
    graph._unsafe_unfinalize()
    assert not graph.finalized
