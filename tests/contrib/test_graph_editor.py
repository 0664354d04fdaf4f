"""tf.contrib.graph_editor: selections, views, other inputs, copies; gradients that recompute a part of the graph."""

import numpy as np
import pytest

import tfcore as tf

ge = tf.contrib.graph_editor


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def run(tensors, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(tensors, feed)


def names(elements):
    return sorted(x.name for x in elements)


def chain():
    """a, b -> sum = a + b -> double = 2 sum -> out = double * b"""
    a, b = tf.constant(1.0, name="a"), tf.constant(10.0, name="b")
    with tf.name_scope("inner"):
        total = tf.add(a, b, name="sum")
        double = tf.multiply(total, 2.0, name="double")
    return a, b, total, double, tf.multiply(double, b, name="out")


def test_walks():
    a, b, total, double, out = chain()
    with tf.control_dependencies([out.op]):
        last = tf.no_op("last")
    controls = ge.ControlOutputs(a.graph)
    assert names(ge.get_forward_walk_ops(a.op)) == ["a", "inner/double", "inner/sum", "out"]
    assert names(ge.get_forward_walk_ops([a])) == ["inner/double", "inner/sum", "out"]
    assert names(ge.get_forward_walk_ops(a, inclusive=False)) == ["inner/double", "out"]
    assert names(ge.get_forward_walk_ops(double, control_outputs=controls)) == ["last", "out"]
    assert names(ge.get_forward_walk_ops(a, stop_at_ts=[double])) == ["inner/double", "inner/sum"]
    assert names(ge.get_backward_walk_ops(double)) == ["a", "b", "inner/double", "inner/double/y", "inner/sum"]
    assert names(ge.get_backward_walk_ops(last, control_inputs=True, stop_at_ts=double)) == ["b", "last", "out"]
    assert names(ge.get_backward_walk_ops(out, within_ops=[out.op, double.op])) == ["inner/double", "out"]
    assert ge.get_backward_walk_ops(out, within_ops=double.op) == []  # it does not have the seed
    assert names(ge.get_backward_walk_ops(out, within_ops_fn=lambda op: op.type == "Mul")) == ["inner/double", "out"]
    assert names(ge.get_walks_intersection_ops([a], [out])) == ["inner/double", "inner/sum", "out"]
    assert names(ge.get_walks_union_ops([double], [total])) == ["a", "b", "inner/sum", "out"]
    within = ge.get_within_boundary_ops(a.graph, total.op, [double.op, b.op], inclusive=False)
    assert names(within) == ["a", "inner/sum"]
    with pytest.raises(ValueError, match="Boundary is intersecting"):
        ge.get_within_boundary_ops(a.graph, a.op, [a.op])


def test_selections():
    a, b, total, double, out = chain()
    g = a.graph
    assert names(ge.select_ops("^inner/", graph=g)) == ["inner/double", "inner/double/y", "inner/sum"]
    assert ge.select_ops("(?#ts)inner", graph=g) == [] and ge.select_ts("(?#ops)inner", graph=g) == []
    assert ge.select_ts("sum:0$", graph=g) == [total]
    assert ge.select_ops_and_ts("(?#ts)sum", out.op, a, graph=g) == ([out.op], [total, a])
    assert ge.select_ops(g, positive_filter=lambda op: op.type == "Mul") == [double.op, out.op]
    assert names(ge.get_name_scope_ops(g, "inner/")) == ["inner/double", "inner/double/y", "inner/sum"]
    assert ge.filter_ts_from_regex([total.op, out.op], "^(a|out)") == [a, out]
    assert ge.filter_ts(total.op, True) == [a, b, total]
    assert ge.filter_ops_from_regex(g, "o.t") == [out.op]
    assert names(ge.get_ops_ios(total.op)) == ["a", "b", "inner/double"]
    assert ge.compute_boundary_ts([total.op, double.op])[:2] == ([a, b, double.op.inputs[1]], [double])
    assert ge.get_consuming_ops([a, b]) == [total.op, out.op] and ge.get_generating_ops([a]) == [a.op]
    assert ge.util.find_corresponding([a, {"x": total.op}], g) == [a, {"x": total.op}]
    with pytest.raises(ValueError, match="Use the keyword argument 'graph'"):
        ge.select_ops("a")
    with pytest.raises(ValueError, match="Wrong keywords argument: grap"):
        ge.select_ops("a", grap=g)
    with pytest.raises(TypeError, match="Expected a type in"):
        ge.filter_ops([a], True)
    with tf.Graph().as_default():
        other = tf.constant(1.0)
    with pytest.raises(ValueError, match="does not belong to given graph"):
        ge.make_list_of_t([a, other])


def test_views():
    a, b, total, double, out = chain()
    view = ge.sgv(total.op, double.op)
    assert view.inputs == [a, b, double.op.inputs[1]] and view.outputs == [double] and view.consumers() == [out.op]
    assert view.remap_inputs([1, 0]).inputs == [b, a] and view.inputs[0] is a
    assert view.remap_outputs([0, 0]).outputs == [double, double]
    assert view.remap([1]).remap_default().inputs == view.inputs
    assert ge.sgv(a.op).remap_outputs_to_consumers().outputs == [a]
    assert ge.sgv_scope("inner", a.graph).find_op_by_name("inner/sum") is total.op
    through = ge.sgv(total.op, out)
    assert through.passthroughs == [out] and through.is_passthrough(out) and through.connected_outputs == [total]
    assert names(ge.sgv(total.op, out.op).remap([], [0]).remove_unused_ops().ops) == ["inner/sum"]
    assert not ge.SubGraphView() and str(ge.SubGraphView()) == "SubGraphView: empty"
    assert "** inputs[2]:\na:0\nb:0\n" in str(ge.sgv(total.op))
    with pytest.raises(ValueError, match="Found repetition"):
        view.remap_inputs([0, 0])
    with pytest.raises(ValueError, match="Can't find out:0 in inputs"):
        view.input_index(out)
    with pytest.raises(ValueError, match="Graph mismatch"):
        ge.make_view(a.op, graph=tf.Graph())


def test_other_inputs_after_a_run():
    a, b, total, double, out = chain()
    with tf.Session() as session:
        assert session.run(out) == 220
        assert ge.reroute_ts(tf.constant(5.0), a) == 1
        assert session.run([total, out]) == [15, 300]
        assert ge.swap_ts(a, b, can_modify=out.op) == 1
        assert session.run(out) == 30
        assert ge.reroute_ts([a], [double], cannot_modify=[out.op]) == 0
    with pytest.raises(ValueError, match="are not compatible"):
        ge.reroute_ts(tf.constant(1), a)
    with pytest.raises(ValueError, match=r"Shapes \(2,\) and \(\) are not"):
        ge.reroute_ts(tf.constant([1.0, 2.0]), a)
    with pytest.raises(ValueError, match="different sizes: 1 != 2"):
        ge.reroute_ts(a, [a, b])


def test_views_change_places():
    a, b = tf.constant(3.0), tf.constant(4.0)
    x, y = tf.negative(a), tf.square(b)
    out = [tf.identity(x), tf.identity(y)]
    ge.swap_outputs(x.op, y.op)
    assert run(out) == [16, -3]
    ge.swap_inputs(x.op, y.op)
    assert run(out) == [9, -4]
    ge.swap_ios(x.op, y.op)
    assert run(out) == [-3, 16]
    first, second = ge.reroute_ios(x.op, y.op)
    assert run(out) == [-3, -3] and second.inputs == [a]


def test_detach_connect_and_bypass():
    a, b, total, double, out = chain()
    view, inputs, outputs = ge.detach(ge.sgv(total.op))
    assert names(inputs) == ["geph__a_0:0", "geph__b_0:0"] and names(outputs) == ["inner/geph__sum_0:0"]
    assert run([total, out], {inputs[0]: 1, inputs[1]: 2, outputs[0]: 4}) == [3, 80]
    ge.connect(ge.sgv(total.op), ge.sgv(double.op).remap_inputs([0]))
    assert run(out, {inputs[0]: 1, inputs[1]: 2}) == 60
    _, detached = ge.bypass(ge.sgv(double.op).remap_inputs([0]))
    assert run(out, {inputs[0]: 1, inputs[1]: 2}) == 30 and len(detached) == 1


def test_control_dependencies():
    v = tf.Variable(1.0)
    add, read = tf.assign_add(v, 1.0), tf.identity(v.value())
    ge.add_control_inputs(read.op, add.op)
    with pytest.raises(ValueError, match="is already a control_input"):
        ge.add_control_inputs(read.op, [add.op])
    controls = ge.ControlOutputs(v.graph)
    assert list(controls.get(add.op)) == [read.op]
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(read)
        assert session.run(v) == 2
        ge.remove_control_inputs(read.op, [add.op])
        session.run(read)
        assert session.run(v) == 2
    assert list(controls.update().get(add.op)) == []
    with pytest.raises(ValueError, match="is not a control_input of"):
        ge.remove_control_inputs(read.op, [add.op])
    ge.add_control_inputs(read.op, add.op)
    ge.edit.detach_control_inputs(ge.sgv(read.op))
    assert read.op.control_inputs == []


def test_copies():
    a, b, total, double, out = chain()
    tf.add_to_collection("mine", double)
    tf.add_to_collection(tf.GraphKeys.LOSSES, out)
    view, info = ge.copy(ge.sgv(total.op, double.op), dst_scope="copy")
    assert names(view.ops) == ["copy/inner/double", "copy/inner/sum"]
    assert names(view.inputs) == ["copy/geph__a_0:0", "copy/geph__b_0:0", "copy/geph__y_0:0"]
    assert info.transformed(double) is view.outputs[0] and info.original(view.outputs[0]) is double
    assert info.transformed("inner/sum").name == "copy/inner/sum" and info.transformed([out]) == [None]
    assert tf.get_collection("copy/mine") == [view.outputs[0]] and tf.get_collection("mine") == [double]
    again, _ = ge.copy(ge.sgv(total.op, double.op), dst_scope="copy")
    assert again.ops[0].name.startswith("copy_1/")
    other = tf.Graph()
    there, _ = ge.copy(ge.sgv(out.graph), other)
    with other.as_default():
        assert run("out:0") == 220
    assert other.get_collection("losses") == [other.get_tensor_by_name("out:0")]
    assert len(there.ops) == len(out.graph.get_operations())
    assert "inner/sum => copy/inner/sum" in str(info)
    with pytest.raises(TypeError, match="Expected a tf.Graph"):
        ge.copy(ge.sgv(out.op), "graph")


def test_replacements():
    a, b, total, double, out = chain()
    assert run(ge.graph_replace(out, {a: tf.constant(2.0)})) == 240
    replaced = ge.graph_replace([out, {"a": a}], {total: tf.constant(7.0)})
    assert replaced[1]["a"] is a and run(replaced[0]) == 140
    _, info = ge.copy_with_input_replacements(ge.sgv(out.op), {double: a})
    assert run(info.transformed(out)) == 10
    with pytest.raises(ValueError, match="not connected"):
        ge.graph_replace(b, {a: b})


def test_copies_of_variables_conditionals_and_loops():
    v = tf.get_variable("v", initializer=[2.0], use_resource=True)
    x = tf.placeholder(tf.float32, [1])
    y = tf.cond(x[0] > 0, lambda: x * v, lambda: x - v)
    z = ge.graph_replace(y, {x: tf.negative(x)})
    assert [g[0] for g in run([y, z], {x: [3.0]})] == [6, -5]
    (slope,) = tf.gradients(z, x)
    assert [run(slope, {x: [value]})[0] for value in (3.0, -3.0)] == [-1, -2]
    loop = tf.while_loop(lambda i: i[0] < 10, lambda i: i + 1, [x])
    with pytest.raises(
        NotImplementedError,
        match=r"graph_editor cannot copy '.*' \(\w+\), which is part of a loop\n\t \[\[node .*defined at ",
    ):
        ge.graph_replace(loop, {x: v + 0.0})


def recomputed_gradients(y, xs, kept):
    """Gradients of y that recompute all activations behind the tensor `kept`, as for saving memory."""
    stopped = tf.stop_gradient(kept)
    behind = [op for op in ge.get_backward_walk_ops(y.op, stop_at_ts=kept) if kept in _inputs_of_all(op)]
    _, info = ge.copy_with_input_replacements(ge.sgv(behind), {})
    copies = info._transformed_ops.values()
    ge.reroute_ts(stopped, kept, can_modify=copies)
    for op in copies:
        ge.add_control_inputs(op, y.op)
    slopes = tf.gradients(info._transformed_ops[y.op]._outputs[0], [stopped, *xs])
    before = tf.gradients(kept, xs, grad_ys=slopes[0])
    return [sum(s for s in both if s is not None) for both in zip(slopes[1:], before)]


def _inputs_of_all(op):
    return {t for other in ge.get_backward_walk_ops(op) for t in other.inputs}


def test_gradients_that_recompute_activations():
    rng = np.random.default_rng(0)
    layer, weights = tf.constant(rng.standard_normal((5, 6)), tf.float32), []
    layers = []
    for i in range(6):
        weights.append(tf.get_variable(f"w{i}", initializer=rng.standard_normal((6, 6)).astype(np.float32)))
        layer = tf.tanh(tf.matmul(layer, weights[-1]))
        layers.append(layer)
    y = tf.reduce_sum(layer**2)
    count = len(y.graph.get_operations())
    found = recomputed_gradients(y, weights, layers[2])
    assert sum(op.type == "Tanh" for op in y.graph.get_operations()[count:]) == 3
    values = run([tf.gradients(y, weights), found])
    np.testing.assert_array_equal(*values)


def test_own_handlers():
    a, b, total, double, out = chain()
    transformer = ge.Transformer()
    transformer.transform_external_input_handler = lambda info, t: tf.constant(100.0) if t is a else t

    def negate(info, op, inputs):
        made, outputs = ge.copy_op_handler(info, op, inputs)
        return made, [tf.negative(t) for t in outputs]

    transformer.transform_op_handler = negate
    _, info = transformer(ge.sgv(total.op, double.op), tf.get_default_graph(), "")
    assert run(info.transformed(double)) == 220
    in_place = ge.Transformer()
    in_place.transform_op_handler = lambda info, op, inputs: ge.transform_op_in_place(info, op)
    in_place.transform_external_input_handler = lambda info, t: tf.constant(100.0) if t is a else t
    in_place(ge.sgv(total.op), tf.get_default_graph(), "")
    assert run(out) == 2200
