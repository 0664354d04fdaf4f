"""Gradients of conditionals and loops that were imported from a GraphDef: their contexts are found again."""

import numpy as np
import pytest

import tfcore as tf

START = np.array([1.0, 0.5, 0.3])


def power(x, count=4):
    return tf.while_loop(lambda i, _: i < count, lambda i, s: (i + 1, s * x), [0, x])[1]


def with_conditional(x):
    def body(i, s):
        return i + 1, tf.cond(i < 2, lambda: tf.cond(i < 1, lambda: s * s, lambda: x * s), lambda: s + tf.sin(x))

    return tf.while_loop(lambda i, _: i < 4, body, [0, x])[1]


def nested(x):
    def inner(i, s):
        return tf.while_loop(lambda j, _: j < i, lambda j, t: (j + 1, t * x + s), [0, s])[1]

    def body(i, s):
        return i + 1, tf.cond(i > 0, lambda: inner(i, s), lambda: s * x)

    return tf.while_loop(lambda i, _: i < 3, body, [0, x])[1]


def in_a_conditional(x):
    return tf.cond(tf.reduce_sum(x) > 0, lambda: power(x), lambda: x)


def in_the_branch_not_taken(x):
    return tf.cond(tf.reduce_sum(x) < 0, lambda: power(x), lambda: x * x)


def scanned(x):
    return tf.scan(lambda a, row: a * row + x, tf.stack([x, x * x]))


BUILDS = [power, with_conditional, nested, in_a_conditional, in_the_branch_not_taken, scanned]


def graph_def_of(build, gradients=False):
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float64, [3], name="x")
        y = tf.identity(build(x), name="y")
        if gradients:
            tf.gradients(y, x, name="of")
        return graph.as_graph_def()


def imported(graph_def, name):
    return tf.import_graph_def(graph_def, return_elements=["x:0", "y:0"], name=name)


def check(x, y):
    """Compares symbolic with numeric gradients."""
    (dx,) = tf.gradients(y, x)
    with tf.Session() as sess:
        found = sess.run(dx, {x: START})
        for i, step in enumerate(np.eye(3) * 1e-6):
            sides = [sess.run(tf.reduce_sum(y), {x: START + step}), sess.run(tf.reduce_sum(y), {x: START - step})]
            np.testing.assert_allclose(found[i], (sides[0] - sides[1]) / 2e-6, rtol=1e-6)


@pytest.mark.parametrize("name", ["", "some/prefix"])
@pytest.mark.parametrize("build", BUILDS)
def test_gradients(build, name):
    with tf.Graph().as_default():
        check(*imported(graph_def_of(build), name))


@pytest.mark.parametrize("build", BUILDS)
def test_a_graph_that_has_gradients_already(build):
    with tf.Graph().as_default():
        check(*imported(graph_def_of(build, gradients=True), "prefix"))


def test_a_meta_graph_without_contexts():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [3], name="x")
        tf.identity(nested(x), name="y")
        meta_graph = tf.train.export_meta_graph()
    for kind in (tf.GraphKeys.WHILE_CONTEXT, tf.GraphKeys.COND_CONTEXT):
        meta_graph.collection_def.pop(kind, None)
    with tf.Graph().as_default() as graph:
        tf.train.import_meta_graph(meta_graph)
        check(graph.get_tensor_by_name("x:0"), graph.get_tensor_by_name("y:0"))


def test_two_imports_and_a_second_derivative():
    graph_def = graph_def_of(power)
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.float64, [3])
        a, b = (tf.import_graph_def(graph_def, {"x": x}, ["y:0"])[0] for _ in range(2))  # x^5
        (first,) = tf.gradients(a * b, x)
        (second,) = tf.gradients(first, x)
        found = sess.run([first, second], {x: START})
        np.testing.assert_allclose(found, [10 * START**9, 90 * START**8])


def inside_of_a_conditional(x, load):
    return tf.cond(x[0] > 0, lambda: load(x), lambda: x)


def inside_of_a_loop(x, load):
    return tf.while_loop(lambda i, _: i < 2, lambda i, s: (i + 1, load(s)), [0, x])[1]


@pytest.mark.parametrize("around", [inside_of_a_conditional, inside_of_a_loop])
def test_a_loop_that_is_imported_inside_of_a_context_has_no_gradient(around):
    graph_def = graph_def_of(power)
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [3])
        y = around(x, lambda value: tf.import_graph_def(graph_def, {"x": value}, ["y:0"])[0])
        with pytest.raises(ValueError, match="import/while/Exit_1: its loop was imported from a GraphDef inside of"):
            tf.gradients(y, x)
