"""tf.graph_util: parts of graphs, frozen variables, graphs without what only training needs."""

import functools

import numpy as np
import pytest

import tfcore as tf
from tests.framework.assigning_graphs import GRAPHS, X, frozen


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def names(graph_def):
    return [n.name for n in graph_def.node]


def build():
    x = tf.placeholder(tf.float32, [2], name="x")
    v = tf.Variable([2.0, 3.0], name="v")
    u = tf.Variable([1.0, 1.0], name="u")
    y = tf.add(x * v, u, name="y")
    tf.reduce_sum(y, name="loss")
    return x, v, u, y


def test_extract_sub_graph(graph):
    build()
    part = tf.graph_util.extract_sub_graph(graph.as_graph_def(), ["y"])
    assert names(part) == ["x", "v", "v/read", "u", "u/read", "mul", "y"]
    assert part.versions == graph.as_graph_def().versions
    with pytest.raises(AssertionError, match="a, b is not in graph"):
        tf.graph_util.extract_sub_graph(graph.as_graph_def(), ["a", "y", "b"])
    with pytest.raises(TypeError, match="graph_def must be a graph_pb2.GraphDef proto"):
        tf.graph_util.extract_sub_graph(graph, ["y"])
    with pytest.raises(TypeError, match="dest_nodes must be an iterable of strings"):
        tf.graph_util.extract_sub_graph(graph.as_graph_def(), "y")


def test_sub_graphs_keep_control_inputs_and_colocated_nodes(graph):
    a, b = tf.no_op(name="a"), tf.no_op(name="b")
    with tf.control_dependencies([a]), tf.colocate_with(b):
        tf.no_op(name="c")
    tf.no_op(name="d")
    assert names(tf.graph_util.extract_sub_graph(graph.as_graph_def(), ["c"])) == ["a", "b", "c"]


def test_freezing(graph):
    x, v, _, y = build()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(v.assign([5.0, 6.0]))
        frozen = tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, ["y"])
        expected = sess.run(y, {x: [1, 2]})
        part = tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, ["y"], variable_names_blacklist=["u"])
        one = tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, ["y"], variable_names_whitelist=["u"])
    assert [n.op for n in frozen.node if n.name in ("u", "v")] == ["Const", "Const"]
    assert {n.name: n.op for n in part.node}["u"] == "VariableV2" == {n.name: n.op for n in one.node}["v"]
    with tf.Graph().as_default(), tf.Session() as sess:
        (y,) = tf.import_graph_def(frozen, {"x": [1.0, 2.0]}, ["y:0"])
        assert sess.run(y).tolist() == expected.tolist() == [6, 13]


def test_freezing_needs_values(graph):
    build()
    with tf.Session() as sess, pytest.raises(tf.errors.FailedPreconditionError):
        tf.graph_util.convert_variables_to_constants(sess, sess.graph_def, ["y"])


@pytest.mark.parametrize("name", GRAPHS)
def test_freezing_assignments(name):
    graph_def, expected = frozen(GRAPHS[name])
    assert not any(
        n.op.startswith(("Ref", "Assign", "Scatter", "StridedSliceAssign", "Variable")) for n in graph_def.node
    )
    with tf.Graph().as_default(), tf.Session() as sess:
        tf.import_graph_def(graph_def, name="")
        np.testing.assert_array_equal([sess.run("out:0", {"x:0": x}) for x in X], expected)


def read_after(x, v, w):
    with tf.control_dependencies([v.assign_add(x)]):
        return v.read_value()


def read_after_in_a_loop(x, v, w):
    return tf.while_loop(lambda y: y < 9.0, lambda y: v.assign_add(tf.abs(x) + 1.0) + y, [0.0])


def two_assignments(x, v, w):
    first = v.assign(x)
    with tf.control_dependencies([first]), tf.control_dependencies([v.assign_add(1.0)]):
        return tf.identity(first)


def changed_by_earlier_iterations(x, v, w):
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.scatter_add(w, i, x)), [0, tf.identity(w)])[1]


def changed_by_another_branch_of_earlier_iterations(x, v, w):
    def body(i, y):
        return i + 1, tf.cond(i > 1, lambda: tf.assign_add(v, x) * 1.0, lambda: tf.assign(v, x) * 2.0)

    return tf.while_loop(lambda i, y: i < 3, body, [0, x])[1]


def read_beside_a_change_in_a_loop(x, v, w):
    def body(i, y):
        return i + 1, y + v.read_value() + tf.assign(v, x + tf.cast(i, tf.float32))

    return tf.while_loop(lambda i, y: i < 3, body, [0, x])[1]


def read_outside_of_a_loop_with_a_change(x, v, w):
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, tf.assign(v, v + x) * 1.0), [0, x])[1]


def two_additions(x, v, w):
    return tf.stack([tf.assign_add(v, x) + 0.0, tf.assign_add(v, 10.0) + 0.0])


def two_conditionals(x, v, w):
    first, second = (tf.cond(p, lambda: tf.assign_add(v, x) + 0.0, lambda: x) for p in (x > 0, x > -2))
    return tf.stack([first, second])


@pytest.mark.parametrize("build", [read_after, read_after_in_a_loop, two_assignments])
def test_a_variable_that_is_read_after_a_change_cannot_be_frozen(build):
    with pytest.raises(ValueError, match=r"Can't freeze the variable v: .* reads it after \S+ \(Assign"):
        frozen(build)


@pytest.mark.parametrize(
    "build",
    [
        changed_by_earlier_iterations,
        changed_by_another_branch_of_earlier_iterations,
        read_beside_a_change_in_a_loop,
        read_outside_of_a_loop_with_a_change,
    ],
)
def test_a_variable_that_an_earlier_iteration_changes_cannot_be_frozen(build):
    text = r"variable \w: \S+ \(\w+\) reads it after while/\S+ \(\w+\) has changed it in an earlier iteration$"
    with pytest.raises(ValueError, match=text):
        frozen(build)


@pytest.mark.parametrize("build", [two_additions, two_conditionals])
def test_assignments_that_nothing_orders_cannot_be_frozen(build):
    node = r"\S*AssignAdd\S* \(AssignAdd\)"
    text = f"variable v: {node} changes it, as does {node}, and nothing orders them$"
    with pytest.raises(ValueError, match=text):
        frozen(build)


def test_what_cannot_be_frozen(graph):
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable([3.0, 4.0], name="w")
    tf.identity(tf.raw_ops.ApplyGradientDescent(var=v, alpha=0.1, delta=w), name="product")
    tf.identity(tf.raw_ops.RefMerge(inputs=[v, w])[0], name="either")
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        freeze = functools.partial(tf.graph_util.convert_variables_to_constants, sess, graph.as_graph_def())
        with pytest.raises(ValueError, match=r"variable v: \S+ \(ApplyGradientDescent\) has no form that takes values"):
            freeze(["product"])
        with pytest.raises(ValueError, match=r"variable v: RefMerge \(RefMerge\) also takes w, which is not frozen"):
            freeze(["either"], variable_names_blacklist=["w"])


def test_remove_training_nodes(graph):
    x = tf.placeholder(tf.float32, name="x")
    a = tf.identity(tf.identity(tf.check_numerics(x, "bad", name="n"), name="i1"), name="i2")
    y = tf.negative(tf.stop_gradient(a, name="s"), name="y")
    with tf.control_dependencies([tf.identity(y, name="waited")]):
        tf.identity(y, name="out")
    slim = tf.graph_util.remove_training_nodes(graph.as_graph_def(), protected_nodes=["out"])
    assert names(slim) == ["x", "y", "waited", "out"]
    assert slim.node[1].input == ["x"]
    with tf.Graph().as_default(), tf.Session() as sess:
        (out,) = tf.import_graph_def(slim, {"x": 2.0}, ["out:0"])
        assert sess.run(out) == -2


def test_must_run_on_cpu(graph):
    v = tf.Variable(1.0)
    must = tf.graph_util.must_run_on_cpu
    assert (
        must(tf.constant(1).op) and must(tf.constant("a").op.node_def) and must(tf.cast(tf.constant(1), tf.float32).op)
    )
    assert not must(tf.constant(1.0).op) and not must(v.op)
    assert must(v.op, pin_variables_on_cpu=True)
    resource = tf.Variable(1.0, use_resource=True)
    assert not must(resource.op, pin_variables_on_cpu=True)
    assert must(tf.truncated_normal([2]).op.inputs[0].op.inputs[0].op, pin_variables_on_cpu=True)


def test_tensor_shape_from_node_def_name(graph):
    tf.zeros([2, 3], name="z")
    assert tf.graph_util.tensor_shape_from_node_def_name(graph, "z").as_list() == [2, 3]
    assert tf.graph_util.tensor_shape_from_node_def_name(graph, "z:0").as_list() == [2, 3]
