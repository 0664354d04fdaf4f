"""Graphs with functions that were made here, in TensorFlow: the same values."""

import numpy as np
import pytest

import tfcore as tf

X = np.array([0.1, 0.7, 2.5], np.float32)


def gradients():
    x = tf.placeholder(tf.float32, [3], name="x")
    c = tf.constant(1.5)
    inner = tf.Defun(tf.float32)(lambda x: tf.tanh(x) * c)
    outer = tf.Defun(tf.float32, tf.int32)(lambda x, n: (inner(inner(x)) * tf.cast(n, tf.float32), tf.exp(x), n))
    y, z, _ = outer(x, 3)
    first = tf.gradients([y, z], [x, c])
    return [y, z, *first, tf.gradients(first[0], x)[0]]


def registered_gradient():
    grad = tf.Defun(tf.float32, tf.float32)(lambda x, dy: x * dy * 10.0)
    f = tf.Defun(tf.float32, grad_func=grad, func_name="Squared")(lambda x: x * x)
    x = tf.placeholder(tf.float32, [3], name="x")
    return [f(x), tf.gradients(f(x), x)[0]]


def several_outputs():
    @tf.Defun(tf.float32)
    def f(x):
        parts = tf.split(x, 3)
        values, indices = tf.nn.top_k(x, 2)
        return parts[2], parts[0], tf.stack(tf.unstack(values, 2)[::-1]), indices

    return list(f(tf.placeholder(tf.float32, [3], name="x")))


def control_flow():
    @tf.Defun(tf.float32)
    def f(x):
        _, w = tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, tf.sin(a) * x), [0, x])
        return tf.cond(w[0] > 0.0, lambda: w * 2.0, lambda: -x)

    x = tf.placeholder(tf.float32, [3], name="x")
    y = tf.cond(x[0] > 0.0, lambda: f(x), lambda: x)
    looped = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, tf.reshape(f(a), [3])), [0, x])[1]
    return [f(x), f(-x), y, looped, tf.gradients(f(x), x)[0]]


def functional():
    x = tf.placeholder(tf.float32, [3], name="x")
    double, halve = _scaled(2.0), _scaled(0.5)
    cond = tf.Defun(tf.int32, tf.float32)(lambda i, x: i < 5)
    body = tf.Defun(tf.int32, tf.float32)(lambda i, x: (i + 1, double(x) + 1.0))
    some = {"Tout": [tf.float32], "then_branch": double, "else_branch": halve}
    return [
        tf.raw_ops.StatelessIf(cond=x[0] > 0.0, input=[x], **some)[0],
        tf.raw_ops.If(cond=x[0] < 0.0, input=[x], **some)[0],
        tf.raw_ops.StatelessWhile(input=[0, x], cond=cond, body=body)[1],
        tf.raw_ops.PartitionedCall(args=[x], Tout=[tf.float32], f=halve)[0],
        tf.raw_ops.Case(branch_index=1, input=[x], Tout=[tf.float32], branches=[double, halve])[0],
    ]


def _scaled(k):
    return tf.Defun(tf.float32)(lambda x: x * k)


@pytest.mark.parametrize(
    "make", [gradients, registered_gradient, several_outputs, control_flow, functional], ids=lambda f: f.__name__
)
def test_functions_in_tensorflow(peer, make):
    with tf.Graph().as_default() as graph:
        outputs = make()
        with tf.Session() as session:
            ours = session.run(outputs, {"x:0": X})
    names = [t.name for t in outputs]
    answer = peer.ask(graph=graph.as_graph_def().SerializeToString(), steps=[{"feeds": {"x:0": X}, "fetches": names}])
    assert "error" not in answer, answer["error"]
    for name, value in zip(names, ours):
        np.testing.assert_allclose(answer["values"][0][name], value, rtol=1e-5, atol=1e-6, err_msg=name)
