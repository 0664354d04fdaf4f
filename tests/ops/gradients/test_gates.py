"""Gates of gradients: names, control inputs and values as in TensorFlow."""

import numpy as np
import pytest

import tfcore as tf

NONE, OP, GRAPH = (
    tf.train.Optimizer.GATE_NONE,
    tf.train.Optimizer.GATE_OP,
    tf.train.Optimizer.GATE_GRAPH,
)


def built(gate, device=None, **kwargs):
    """The operations of gates in a graph with gradients, as (name, type, inputs, control inputs, attributes)."""
    with tf.Graph().as_default() as graph, tf.device(device):
        x = tf.placeholder(tf.float32, [2, 3])
        w = tf.get_variable("w", [3, 4])
        loss = tf.reduce_sum(tf.square(tf.matmul(x, w) + tf.get_variable("b", [4])))
        tf.gradients(loss, tf.trainable_variables(), gate_gradients=gate, **kwargs)
        return [
            (
                op.name, op.type, [t.name for t in op.inputs], [c.name for c in op.control_inputs],
                {n: op.get_attr(n) for n in op.attrs},
            )
            for op in graph.get_operations()
            if "/tuple/" in op.name
        ]  # fmt: skip


def test_gates_are_tuples_as_in_tensorflow():
    first = "gradients/add_grad/"
    gates = {name: rest for name, *rest in built(True)}
    assert list(gates) == [
        f"gradients/{op}_grad/tuple/{name}"
        for op in ("add", "MatMul")
        for name in ("group_deps", "control_dependency", "control_dependency_1")
    ]
    kind, inputs, controls, attrs = gates["gradients/MatMul_grad/tuple/group_deps"]
    assert kind == "NoOp" and not inputs and not attrs
    assert controls == ["gradients/MatMul_grad/MatMul", "gradients/MatMul_grad/MatMul_1"]
    kind, inputs, controls, attrs = gates["gradients/MatMul_grad/tuple/control_dependency_1"]
    assert (kind, inputs) == ("Identity", ["gradients/MatMul_grad/MatMul_1:0"])
    assert controls == ["gradients/MatMul_grad/tuple/group_deps"]
    assert attrs == {"T": tf.float32, "_class": [b"loc:@gradients/MatMul_grad/MatMul_1"]}
    assert gates[first + "tuple/control_dependency"][1] == [gates[first + "tuple/group_deps"][2][0] + ":0"]


def test_no_gates_unless_asked_for():
    assert built(False) == []


def test_a_scope_that_says_nothing_changes_nothing():
    with_scope = built(True, device="")  # takes the general way
    assert with_scope == built(True)


def test_placed_gradients_are_gated_where_they_are():
    with tf.Graph().as_default() as graph:
        with tf.device("/cpu:0"):
            x = tf.constant(2.0)
            y = x * tf.constant(3.0)
        tf.gradients(y, x, gate_gradients=True, colocate_gradients_with_ops=True)
        gated = graph.get_operation_by_name("gradients/mul_grad/tuple/control_dependency")
        assert gated.device == gated.inputs[0].device == "/device:CPU:0"


def test_names_stay_unique():
    with tf.Graph().as_default() as graph:
        x = tf.constant(2.0)
        with tf.name_scope("gradients/mul_grad/"):
            tf.tuple([x, x])
        y = x * tf.constant(3.0)
        with tf.name_scope(""):
            tf.gradients(y, x, gate_gradients=True, name="gradients/")
        names = [op.name for op in graph.get_operations()]
        assert len(set(names)) == len(names)
        tf.tuple([x, x], name="gradients/mul_grad/tuple/")
        with tf.name_scope("gradients/mul_grad/tuple/"):
            assert tf.identity(x, name="control_dependency").op.name.rpartition("_")[2].isdigit()


def test_optimizers_gate_operations_by_default():
    def gates(**kwargs):
        with tf.Graph().as_default() as graph:
            v, w = tf.Variable(2.0), tf.Variable(3.0)
            tf.train.GradientDescentOptimizer(0.1).minimize(v * w * w, **kwargs)
            return [op.name for op in graph.get_operations() if op.name.endswith("group_deps")]

    assert gates() == gates(gate_gradients=OP)
    assert gates() == ["gradients/mul_1_grad/tuple/group_deps", "gradients/mul_grad/tuple/group_deps"]
    assert gates(gate_gradients=NONE) == []
    assert gates(gate_gradients=GRAPH) == ["tuple/group_deps"]


def test_sparse_gradients_are_gated():
    with tf.Graph().as_default():
        v = tf.Variable(np.arange(6, dtype=np.float32).reshape(3, 2))
        shift = tf.Variable([1.0, 2.0])
        rows = tf.gather(v, [2, 0])
        grads = tf.gradients(tf.reduce_sum(tf.square(rows * shift)), [v, shift], gate_gradients=True)
        plain = tf.gradients(tf.reduce_sum(tf.square(rows * shift)), [v, shift])
        assert isinstance(grads[0], tf.IndexedSlices)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            for gated, free in zip(sess.run(grads), sess.run(plain)):
                for a, b in zip(gated, free):
                    np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("gate", [False, True])
def test_gradients_of_gated_gradients(gate):
    with tf.Graph().as_default():
        x = tf.constant([1.0, 2.0])
        (hessian,) = tf.hessians(tf.reduce_sum(x * x * x), x, gate_gradients=gate)
        with tf.Session() as sess:
            np.testing.assert_array_equal(sess.run(hessian), np.diag([6.0, 12.0]))
