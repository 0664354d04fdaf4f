"""Graphs whose output `out` needs assignments to variables, for freezing."""

import tfcore as tf


def _in_a_conditional(x, v, w):
    return tf.cond(x > 0, lambda: tf.assign_add(v, x) * 2, lambda: tf.assign(v, x * 3) + 1)


def _in_one_branch(x, v, w):
    return tf.cond(x > 0, lambda: tf.identity(v), lambda: tf.assign_sub(v, x))


def _in_nested_conditionals(x, v, w):
    return tf.cond(
        x > 0, lambda: tf.cond(x > 1, lambda: tf.assign(v, x), lambda: tf.assign_add(v, x)) + x, lambda: v * x
    )


def _in_a_row(x, v, w):
    return tf.assign_add(tf.assign_sub(tf.assign(v, x), 3.0), x * x)


def _of_rows(x, v, w):
    changed = tf.scatter_update(w, [1, 0], [x, 2 * x])
    changed = tf.scatter_add(tf.scatter_sub(changed, [2, 2], [x, x]), [[0], [2]], x)
    changed = tf.scatter_nd_update(changed, [[1]], [5 * x])
    return tf.scatter_max(changed, 0, x)


def _of_products(x, v, w):
    changed = tf.scatter_mul(tf.scatter_div(w, [2, 0], [4.0, x]), [[1], [2]], x)
    return tf.scatter_mul(changed, [1, 0, 1], [x, 2.0, 4.0])


def _of_slices(x, v, w):
    return tf.cond(x > 0, lambda: w[::-2].assign([x, 2 * x]), lambda: w[1, tf.newaxis].assign([x / 0.0])) * 2.0


def _of_smallest_rows(x, v, w):
    nd = {"indices": [[2], [0]], "updates": [x, -x]}
    return tf.raw_ops.ScatterNdMax(ref=tf.raw_ops.ScatterNdMin(ref=w, **nd), **nd)


def _of_references(x, v, w):
    """Assignments to what RefSwitch returns, of a value from outside of the conditional, and a RefMerge."""
    raw = tf.raw_ops
    smaller, other = raw.RefSwitch(data=v, pred=x > 0)
    assigned = raw.Assign(ref=smaller, value=x), raw.AssignAdd(ref=raw.RefIdentity(input=other), value=x)
    merged, index = raw.RefMerge(inputs=assigned)
    return raw.AssignAdd(ref=merged, value=tf.cast(index, tf.float32))


def _in_a_loop_over_a_reference(x, v, w):
    raw, options = tf.raw_ops, {"frame_name": "loop", "parallel_iterations": 1}
    start = raw.RefEnter(data=v, **options)
    count = raw.Enter(data=tf.constant(0), **options)
    merge, counts = raw.RefMerge(inputs=[start, start])[0], raw.Merge(inputs=[count, count])[0]
    with tf.control_dependencies([counts]):
        limit, one, step = tf.constant(3), tf.constant(1), tf.constant(2.0)
    more = raw.LoopCond(input=tf.less(counts, limit))
    (done, again), following = raw.RefSwitch(data=merge, pred=more), raw.Switch(data=counts, pred=more).output_true
    merge.op._update_input(1, raw.RefNextIteration(data=raw.AssignAdd(ref=again, value=step)))
    counts.op._update_input(1, raw.NextIteration(data=following + one))
    return raw.RefExit(data=done) + x


def _if_initialized(x, v, w):
    return tf.cond(x > 0, lambda: tf.is_variable_initialized(v), lambda: x < 0)


GRAPHS = {
    function.__name__.strip("_"): function
    for function in (
        _in_a_conditional,
        _in_one_branch,
        _in_nested_conditionals,
        _in_a_row,
        _of_rows,
        _of_products,
        _of_slices,
        _of_smallest_rows,
        _of_references,
        _in_a_loop_over_a_reference,
        _if_initialized,
    )
}
X = (-1.0, 0.5, 2.0)  # values of the placeholder `x`


def frozen(build):
    """The GraphDef of a graph in which v = 2 and w = [1, 2, 3] are frozen, and the values of `out` for each x."""
    with tf.Graph().as_default() as graph, tf.Session() as sess:
        x = tf.placeholder(tf.float32, [], name="x")
        v, w = tf.Variable(2.0, name="v"), tf.Variable([1.0, 2.0, 3.0], name="w")
        out = tf.identity(build(x, v, w), name="out")
        initializer = tf.global_variables_initializer()
        sess.run(initializer)
        graph_def = tf.graph_util.convert_variables_to_constants(sess, graph.as_graph_def(), ["out"])
        values = []
        for value in X:
            sess.run(initializer)
            values.append(sess.run(out, {x: value}))
    return graph_def, values
