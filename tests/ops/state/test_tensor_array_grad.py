"""Gradients through tensor arrays: of single calls, of second order, in loops, branches and nested loops."""

import numpy as np
import pytest

import tfcore as tf


def _squares(x, clears=True):
    """x -> the sum over rows i of (i + 1) * x[i]^2, by way of two arrays."""
    source = tf.TensorArray(tf.float64, 3, clear_after_read=clears).unstack(x)
    target = tf.TensorArray(tf.float64, 3)
    for i in range(3):
        target = target.write(i, (i + 1.0) * source.read(i) ** 2)
    return tf.reduce_sum(target.stack())


def test_gradients_of_each_call_are_their_own():
    x = np.arange(6.0).reshape(3, 2)
    weights = np.array([[1.0], [2.0], [3.0]])
    with tf.Graph().as_default(), tf.Session() as session:
        p = tf.placeholder(tf.float64, [3, 2])
        y = _squares(p)
        grads = [tf.gradients(y, p)[0] for _ in range(3)]  # run in one step, each must not see the others' terms
        with tf.name_scope("gradients_of_mine"):
            grads += [tf.gradients(y, p, name="by_another_name")[0] for _ in range(2)]
        for g in session.run(grads, {p: x}):
            np.testing.assert_allclose(g, 2 * weights * x)


def test_second_derivatives():
    x = np.arange(6.0).reshape(3, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        p = tf.placeholder(tf.float64, [3, 2])
        first = tf.gradients(_squares(p) ** 2, p)[0]
        second = tf.gradients(first, p)[0]  # sum of the columns of the Hessian
        w = np.array([[1.0], [2.0], [3.0]])
        y = (w * x**2).sum()
        hessian = np.diag((4 * y * w * np.ones(2)).ravel()) + 8 * np.outer(w * x, w * x)
        np.testing.assert_allclose(session.run(second, {p: x}), hessian.sum(0).reshape(3, 2))


def test_gradients_of_elements_that_are_read_often():
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]], tf.float64)
        array = tf.TensorArray(tf.float64, 2, clear_after_read=False).unstack(x)
        y = array.read(0) * array.read(0) * array.read(1) + array.gather([1, 1, 0])[0]
        dx = tf.gradients(y, x)[0]
        ddx = tf.gradients(dx, x)[0]
        np.testing.assert_allclose(session.run(dx), [[6, 16], [2, 5]])
        np.testing.assert_allclose(session.run(ddx), [[6 + 2, 8 + 4], [2, 4]])


def test_gradients_of_split_and_concat():
    x = np.arange(8.0).reshape(4, 2)
    with tf.Graph().as_default(), tf.Session() as session:
        p = tf.placeholder(tf.float64, [4, 2])
        array = tf.TensorArray(tf.float64, 3, infer_shape=False).split(p, [1, 0, 3])
        joined = array.concat()
        dx = tf.gradients(joined**3, p)[0]
        assert dx.shape.as_list() == [4, 2]
        np.testing.assert_allclose(session.run(dx, {p: x}), 3 * x**2)
        np.testing.assert_allclose(session.run(tf.gradients(dx, p)[0], {p: x}), 6 * x)


@pytest.mark.parametrize("parallel", [1, 10])
def test_gradients_of_a_growing_array_that_a_loop_reads_and_writes(parallel):
    """The gradient array is created after the last write of the loop, even if no value of the loop waits for it."""
    n = 12
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float64, [n])
        rows = tf.TensorArray(tf.float64, n).unstack(x)
        array = tf.TensorArray(tf.float64, 1, dynamic_size=True, clear_after_read=False).write(
            0, tf.constant(2.0, tf.float64)
        )
        state = (tf.constant(0), tf.constant(0.0, tf.float64), array)

        def body(i, total, array):
            last = array.read(i)
            return i + 1, total + last, array.write(i + 1, tf.sin(last) * rows.read(i))

        _, total, array = tf.while_loop(lambda i, *_: i < n, body, state, parallel_iterations=parallel)
        looped = total**2 + tf.reduce_sum(array.stack()[1:] ** 2)
        last, total, squares = tf.constant(2.0, tf.float64), 0.0, 0.0
        for row in tf.unstack(x):
            total += last
            last = tf.sin(last) * row
            squares += last**2
        plain = total**2 + squares
        results = [looped, plain, tf.gradients(looped, x)[0], tf.gradients(plain, x)[0]]
        for threads in (1, 4):
            with tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=threads)) as session:
                for seed in range(5):
                    value = np.random.default_rng(seed).normal(1.0, 0.3, n)
                    a, b, da, db = session.run(results, {x: value})
                    np.testing.assert_allclose(a, b, rtol=1e-12)
                    np.testing.assert_allclose(da, db, rtol=1e-10)


def test_gradients_of_arrays_in_loops_in_loops():
    """One array that both loops share, and one that each iteration of the outer loop makes."""
    x = np.random.default_rng(4).normal(size=(3, 4))
    with tf.Graph().as_default(), tf.Session() as session:
        p = tf.placeholder(tf.float64, [3, 4])
        shared = tf.TensorArray(tf.float64, 12, clear_after_read=False).unstack(tf.reshape(p, [12]))

        def outer(i, total):
            own = tf.TensorArray(tf.float64, 4, element_shape=[])

            def inner(j, total, own):
                e = shared.read(4 * i + j)
                return j + 1, total * tf.cos(e), own.write(j, e * total)

            _, total, own = tf.while_loop(lambda j, *_: j < 4, inner, (0, total, own))
            return i + 1, total + tf.reduce_sum(own.stack() ** 2)

        _, looped = tf.while_loop(lambda i, _: i < 3, outer, (0, tf.constant(1.0, tf.float64)))
        plain = tf.constant(1.0, tf.float64)
        for i in range(3):
            squares = 0.0
            for j in range(4):
                squares += (p[i, j] * plain) ** 2
                plain = plain * tf.cos(p[i, j])
            plain += squares
        a, b, da, db = session.run([looped, plain, tf.gradients(looped, p)[0], tf.gradients(plain, p)[0]], {p: x})
        np.testing.assert_allclose(a, b)
        np.testing.assert_allclose(da, db, rtol=1e-10)


@pytest.mark.parametrize("depth", [1, 2])
def test_gradients_of_a_growing_array_whose_flow_stays_in_an_iteration(depth):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant([1.0, 0.5], tf.float64)
        inner = tf.TensorArray(tf.float64, 0, True)

        def body(i, total):
            value = total * x
            if depth == 1:
                value = inner.write(i, value).read(i)
            else:
                value = tf.while_loop(
                    lambda j, _: j < 2, lambda j, v: (j + 1, inner.write(2 * i + j, v).read(2 * i + j)), [0, value]
                )[1]
            return i + 1, total + value

        loop = tf.while_loop(lambda i, *_: i < 3, body, [0, x])
        (dx,) = tf.gradients(loop[1], x)  # x (1 + x)^3
        v = np.array([1.0, 0.5])
        for _ in range(10):  # a gradient array that is made too early is only mostly too small
            np.testing.assert_allclose(session.run(dx), (1 + v) ** 3 + 3 * v * (1 + v) ** 2)


def test_gradients_of_arrays_in_branches_in_loops():
    x = np.random.default_rng(5).normal(size=(5, 2))
    with tf.Graph().as_default(), tf.Session() as session:
        p = tf.placeholder(tf.float64, [5, 2])
        rows = tf.TensorArray(tf.float64, 5, clear_after_read=False).unstack(p)
        made = tf.TensorArray(tf.float64, 5)

        def body(i, made):
            return i + 1, tf.cond(
                tf.equal(i % 2, 0),
                lambda: made.write(i, rows.read(i) ** 2),
                lambda: made.write(i, rows.read(i) * rows.read(i - 1)),
            )

        y = tf.while_loop(lambda i, _: i < 5, body, (0, made))[1].stack()
        got, dy = session.run([y, tf.gradients(y, p)[0]], {p: x})
        factors = np.array([x[0], x[0], x[2], x[2], x[4]])
        np.testing.assert_allclose(got, x * factors)
        expected = np.array([2 * x[0] + x[1], x[0], 2 * x[2] + x[3], x[2], 2 * x[4]])
        np.testing.assert_allclose(dy, expected)


def test_gradient_functions_need_a_call_of_gradients():
    from tfcore.framework.definitions.op_def import gradient_function

    with tf.Graph().as_default():
        read = tf.TensorArray(tf.float32, 1).write(0, 1.0).read(0)
        with pytest.raises(ValueError, match="can only be taken by tf.gradients"):
            gradient_function(read.op)(read.op, tf.constant(1.0))


def test_graphs_go_out_and_come_in():
    with tf.Graph().as_default() as graph:
        x = tf.placeholder(tf.float64, [3, 2], name="x")
        tf.identity(_squares(x), name="y")
        tf.identity(tf.gradients(graph.get_tensor_by_name("y:0"), x)[0], name="dx")
    with tf.Graph().as_default(), tf.Session() as session:
        y, dx = tf.import_graph_def(graph.as_graph_def(), return_elements=["y:0", "dx:0"], name="")
        got, grad = session.run([y, dx], {"x:0": np.ones((3, 2))})
        assert got == 12
        np.testing.assert_array_equal(grad, [[2, 2], [4, 4], [6, 6]])


def test_an_array_on_another_device_than_its_readers():
    """What asks for another device than that of the array it reads from goes to the array, and its gradient with it."""
    config = tf.ConfigProto(device_count={"CPU": 2})
    with tf.Graph().as_default(), tf.Session(config=config) as session:
        x = tf.placeholder(tf.float64, [None, 3])
        with tf.device("/cpu:1"):
            rows = tf.TensorArray(tf.float64, tf.shape(x)[0], colocate_with_first_write_call=False).unstack(x)
        made = tf.TensorArray(tf.float64, tf.shape(x)[0])

        def body(i, made):
            with tf.device("/cpu:0"):
                row = rows.read(i) ** 2
            with tf.device("/cpu:1"):
                return i + 1, made.write(i, row + 1.0)

        y = tf.while_loop(lambda i, _: i < tf.shape(x)[0], body, (0, made))[1].stack()
        value = np.arange(6.0).reshape(2, 3)
        got, dx = session.run([y, tf.gradients(y, x)[0]], {x: value})
        np.testing.assert_array_equal(got, value**2 + 1)
        np.testing.assert_array_equal(dx, 2 * value)
