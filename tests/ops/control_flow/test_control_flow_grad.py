"""Gradients through conditionals and loops, against central differences, closed forms and unrolled programs."""

import numpy as np
import pytest
from tfcore.core.runtime import memory_stats, set_memory_limit, trim_memory

import tfcore as tf
from tfcore.framework.definitions.op_def import get_op_def


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def leaf(value):
    return tf.placeholder_with_default(np.array(value, np.float64), np.shape(value))


def numeric(sess, y, x, value, eps=1e-5):
    """Central differences of the sum of y."""
    total = tf.reduce_sum(y)
    value = np.array(value, np.float64)
    result = np.zeros_like(value)
    for i in np.ndindex(value.shape):
        for sign in (1, -1):
            moved = value.copy()
            moved[i] += sign * eps
            result[i] += sign * sess.run(total, {x: moved}) / (2 * eps)
    return result


def check(sess, y, xs, values, rtol=1e-6):
    """The gradients of y by xs equal central differences. Returns them."""
    grads = sess.run([tf.convert_to_tensor(g) for g in tf.gradients(y, xs)])
    for x, value, grad in zip(xs, values, grads):
        np.testing.assert_allclose(grad, numeric(sess, y, x, value), rtol=rtol, atol=1e-7)
    return grads


def repeat(n, body, *values, **kwargs):
    """The values after n times `body(*values)`."""
    result = tf.while_loop(lambda i, *_: i < n, lambda i, *v: (i + 1, *_listed(body(*v))), [0, *values], **kwargs)
    return result[1:] if len(values) > 1 else result[1]


def _listed(values):
    return values if isinstance(values, (list, tuple)) else [values]


# ---- Conditionals


@pytest.mark.parametrize("value", [0.7, 2.5])
def test_cond(sess, value):
    x, w = leaf(value), leaf([1.0, -2.0])
    y = tf.cond(x > 1, lambda: x * x * w, lambda: tf.sin(w) + w)
    check(sess, y, [x, w], [value, [1.0, -2.0]])
    assert [g.dims for g in tf.gradients(y, [x, w])] == [(), (2,)]


def test_cond_where_a_branch_does_not_use_a_value(sess):
    x = tf.placeholder(tf.float64, [None])
    flag = tf.placeholder(tf.bool, [])
    y = tf.cond(flag, lambda: tf.reduce_sum(x * x), lambda: tf.constant(1.0, tf.float64))
    (g,) = tf.gradients(y, x)
    np.testing.assert_array_equal(sess.run(g, {flag: True, x: [1, 2]}), [2, 4])
    np.testing.assert_array_equal(sess.run(g, {flag: False, x: [1, 2]}), [0, 0])


def test_zeros_of_a_branch_are_not_computed_where_it_is_taken(sess):
    x = tf.placeholder(tf.float64, [None])
    flag = tf.placeholder(tf.bool, [])
    y = tf.cond(flag, lambda: tf.reduce_sum(x * x), lambda: tf.constant(1.0, tf.float64))
    (g,) = tf.gradients(y, x)
    metadata = tf.RunMetadata()
    options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
    seen = {}
    for flag_value in (True, False):
        sess.run(g, {flag: flag_value, x: [1, 2]}, options=options, run_metadata=metadata)
        names = {n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats}
        seen[flag_value] = {n for n in names if "/zeros" in n}
    assert seen[False] and not seen[True]


def test_nested_conds(sess):
    for value in (-1.5, 0.5, 3.0):
        x = leaf(value)
        y = tf.cond(
            x > 0,
            lambda x=x: tf.cond(x > 1, lambda: x * x, lambda: tf.cond(x > 0.7, lambda: x, lambda: tf.exp(x))),
            lambda x=x: -tf.sin(x) * x,
        )
        check(sess, y, [x], [value])


def test_cond_of_second_order(sess):
    x = leaf(2.0)
    y = tf.cond(x > 1, lambda: x * x * x, lambda: x)
    (g,) = tf.gradients(y, x)
    (h,) = tf.gradients(g, x)
    (t,) = tf.gradients(h, x)
    assert sess.run([g, h, t]) == [12, 12, 6]
    assert sess.run([g, h, t], {x: 0.5}) == [1, 0, 0]


def test_cond_with_several_results_and_passed_on_values(sess):
    x, w = leaf(1.5), leaf(0.5)
    a, b, c = tf.cond(x > w, lambda: (x, x * w, tf.constant(3.0, tf.float64)), lambda: (w, w, x))
    check(sess, a * 2 + b * c, [x, w], [1.5, 0.5])
    check(sess, b, [x, w], [1.5, 0.5])


def test_gather_in_a_branch_gives_slices(sess):
    table, flag = leaf(np.arange(12.0).reshape(6, 2)), tf.placeholder(tf.bool, [])
    y = tf.cond(flag, lambda: tf.reduce_sum(tf.gather(table, [1, 1, 4])), lambda: tf.constant(0.0, tf.float64))
    (g,) = tf.gradients(y, table)
    assert isinstance(g, tf.IndexedSlices)
    assert sess.run(g.values, {flag: True}).shape == (3, 2)
    assert sess.run(g.values, {flag: False}).shape == (0, 2)
    dense = tf.convert_to_tensor(g)
    np.testing.assert_array_equal(sess.run(dense, {flag: True})[:, 0], [0, 2, 0, 0, 1, 0])
    np.testing.assert_array_equal(sess.run(dense, {flag: False}), np.zeros((6, 2)))


def test_slices_in_one_branch_and_a_tensor_in_the_other(sess):
    for value in (1.0, -1.0):
        table, x = leaf(np.arange(1.0, 7.0).reshape(3, 2)), leaf(value)
        y = tf.cond(
            x > 0, lambda t=table, x=x: tf.gather(t, [0, 0]) * x, lambda t=table: tf.reduce_sum(t * t, 0, keepdims=True)
        )
        check(sess, tf.reduce_sum(y), [table, x], [np.arange(1.0, 7.0).reshape(3, 2), value])


# ---- Loops


@pytest.mark.parametrize("n", [0, 1, 2, 5])
def test_loop_variables_and_captured_values(sess, n):
    x, w, b = leaf([1.0, 2.0]), leaf([0.5, -0.3]), leaf(0.1)
    y = repeat(n, lambda a: tf.sin(a * w) + b, x)
    grads = check(sess, y, [x, w, b], [[1.0, 2.0], [0.5, -0.3], 0.1])
    if n == 0:
        np.testing.assert_array_equal(np.concatenate([g.ravel() for g in grads]), [1, 1, 0, 0, 0])


@pytest.mark.parametrize("n", [0, 1, 4])
def test_unknown_shapes(sess, n):
    x, w = tf.placeholder(tf.float64), tf.placeholder(tf.float64)
    y = repeat(n, lambda a: a * w + tf.reduce_sum(w), x)
    (gx, gw) = tf.gradients(y, [x, w])
    values = {x: np.array([[1.0, 2.0, 3.0]]), w: np.array([[0.5], [2.0]])}
    if n == 0:
        got = sess.run([gx, gw], values)
        np.testing.assert_array_equal(got[0], [[1, 1, 1]])
        np.testing.assert_array_equal(got[1], [[0], [0]])
        return
    values[x] = np.ones((2, 3))  # a loop keeps the shape of a variable here
    for t, g in ((x, gx), (w, gw)):
        expected = np.zeros_like(values[t])
        for i in np.ndindex(expected.shape):
            for sign in (1, -1):
                moved = values[t].copy()
                moved[i] += sign * 1e-5
                expected[i] += sign * np.sum(sess.run(y, {**values, t: moved})) / 2e-5
        np.testing.assert_allclose(sess.run(g, values), expected, rtol=1e-6)


def test_closed_form(sess):
    x, n = tf.placeholder(tf.float64, []), tf.placeholder(tf.int32, [])
    y = repeat(n, lambda a: a * x, tf.constant(1.0, tf.float64))
    (g,) = tf.gradients(y, x)
    for count in (0, 1, 2, 7, 30):
        assert sess.run(y, {x: 2, n: count}) == 2.0**count
        assert sess.run(g, {x: 2, n: count}) == count * 2.0 ** (count - 1)


def test_several_variables_of_which_only_some_count(sess):
    x, w = leaf(0.5), leaf(1.5)

    def body(i, a, b, c):
        return i + 1, a * b, tf.sin(b) + w, c + 1

    _, a, b, c = tf.while_loop(lambda i, a, b, c: i < 4, body, [0, x, w * x, x])
    for y in (a, b, c, a + b, a * tf.stop_gradient(b) + c):
        check(sess, y, [x], [0.5]) if y is c else None
    check(sess, a, [x, w], [0.5, 1.5])
    check(sess, b, [x, w], [0.5, 1.5])
    check(sess, a * b + c, [x, w], [0.5, 1.5])


def test_results_that_are_used_at_different_distances(sess):
    x = leaf(0.8)
    a, b = repeat(3, lambda a, b: (a * b, a + b), x, x)
    far = b
    for _ in range(10):
        far = tf.sin(far)
    together = tf.gradients([a, far], x)[0]
    apart = tf.gradients(a, x)[0] + tf.gradients(far, x)[0]
    got = sess.run([together, apart])
    np.testing.assert_allclose(got[0], got[1], rtol=1e-14)


def test_a_variable_that_is_replaced_or_kept(sess):
    x, w = leaf(0.5), leaf([1.5, 2.0])
    a, b = repeat(3, lambda a, b: (tf.reduce_sum(w) * b, b), x, x * 2)
    check(sess, a, [x, w], [0.5, [1.5, 2.0]])
    a, b = repeat(3, lambda a, b: (b, a), x, tf.reduce_sum(w))
    check(sess, a, [x, w], [0.5, [1.5, 2.0]])
    y = repeat(3, lambda a: tf.constant(1.0, tf.float64), x)
    assert tf.gradients(y, w) == [None]
    assert sess.run(tf.gradients(y, x)[0]) == 0


def test_a_variable_that_is_replaced_whose_shape_is_unknown(sess):
    x, w = tf.placeholder(tf.float64), tf.placeholder(tf.float64)
    n = tf.placeholder(tf.int32, [])
    y = repeat(n, lambda a: w * 2.0, x)
    grads = tf.gradients(y, [x, w])
    for count, gx, gw in ((0, 1, 0), (1, 0, 2), (3, 0, 2)):
        got = sess.run(grads, {x: [1, 2], w: [3, 4], n: count})
        np.testing.assert_array_equal(got, [[gx, gx], [gw, gw]])


def test_integers_and_predicates_on_the_way(sess):
    x = leaf(1.2)

    def body(i, k, a):
        return i + 1, k * 2, tf.where(a > 2, a * 0.5, a * tf.cast(k, tf.float64) + x)

    i, k, a = tf.while_loop(lambda i, k, a: tf.logical_and(i < 6, a < 100), body, [0, 1, x])
    check(sess, a + tf.cast(k, tf.float64), [x], [1.2])
    assert tf.gradients(k, x) == [None]


def test_unconnected_and_stopped(sess):
    x, w, other = leaf(0.5), leaf(1.5), leaf(1.0)
    y = repeat(3, lambda a: a * tf.stop_gradient(a) * w, x)
    assert tf.gradients(y, other) == [None]
    assert sess.run(tf.gradients(y, [other], unconnected_gradients="zero")[0]) == 0
    hidden = repeat(3, lambda a: tf.stop_gradient(a * w), x)
    assert tf.gradients(hidden, [w]) == [None]
    v = w * 2
    z = repeat(3, lambda a: a * v, x)
    full, held = tf.gradients(z, [x, w]), tf.gradients(z, [x, w], stop_gradients=[v])
    assert sess.run(held[0]) == sess.run(full[0]) == 27
    assert held[1] is None and full[1] is not None


def test_matrices_against_the_unrolled_network(sess):
    rng = np.random.default_rng(0)
    x, w, u = (leaf(rng.standard_normal(s) * 0.4) for s in ((3, 4), (4, 4), (4,)))
    inputs = leaf(rng.standard_normal((5, 3, 4)))

    def cell(h, i):
        return tf.tanh(tf.matmul(h, w) + inputs[i] * u)

    _, looped = tf.while_loop(lambda i, h: i < 5, lambda i, h: (i + 1, cell(h, i)), [0, x])
    unrolled = x
    for i in range(5):
        unrolled = cell(unrolled, i)
    for a, b in zip(*(sess.run(tf.gradients(y, [x, w, u, inputs])) for y in (looped, unrolled))):
        np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)


def test_a_table_outside_gives_slices(sess):
    values = np.arange(1.0, 9.0).reshape(4, 2) / 4
    table, n = leaf(values), tf.placeholder_with_default(3, [])

    def body(i, a):
        return i + 1, a * tf.reduce_sum(tf.gather(table, [i, 2 * i % 3]), 0)

    _, y = tf.while_loop(lambda i, a: i < n, body, [0, tf.ones([2], tf.float64)])
    (g,) = tf.gradients(y, table)
    assert isinstance(g, tf.IndexedSlices)
    assert sess.run(g.values).shape == (6, 2)
    assert sess.run(g.values, {n: 0}).shape == (0, 2)
    check(sess, y, [table], [values])
    np.testing.assert_array_equal(sess.run(tf.convert_to_tensor(g), {n: 0}), np.zeros((4, 2)))


def test_slices_of_a_loop_variable(sess):
    values = np.arange(1.0, 7.0).reshape(3, 2)
    table = leaf(values)
    y = repeat(3, lambda t: tf.concat([tf.gather(t, [2, 0]) * 0.5, tf.reduce_sum(t, 0, keepdims=True)], 0), table)
    check(sess, tf.gather(y, [0, 2, 2]), [table], [values])


def test_outputs_of_an_operation_that_are_not_used(sess):
    x = leaf([[3.0, 1.0, 2.0, 5.0]])
    y = repeat(2, lambda a: tf.concat([tf.split(a * a, 2, 1)[0], tf.nn.top_k(a, 2)[0]], 1), x)
    check(sess, y, [x], [[[3.0, 1.0, 2.0, 5.0]]])
    z = tf.placeholder(tf.float64, [None, 4])
    y = repeat(2, lambda a: tf.concat([tf.split(a * a, 2, 1)[0], tf.split(a, 2, 1)[1]], 1), z)
    got = sess.run(tf.gradients(y, z)[0], {z: [[3.0, 1.0, 2.0, 5.0]]})
    np.testing.assert_array_equal(got, [[4 * 27, 4, 1, 1]])


# ---- Nesting


@pytest.mark.parametrize("n,m", [(0, 2), (1, 1), (3, 0), (3, 2)])
def test_loop_in_a_loop(sess, n, m):
    x, w = leaf(0.7), leaf([1.1, 0.4])

    def outer(a):
        inner = repeat(m, lambda b: tf.sin(b * w) + a, a * w)
        return tf.reduce_sum(inner) * a

    check(sess, repeat(n, outer, x), [x, w], [0.7, [1.1, 0.4]])


def test_loop_in_a_loop_whose_length_varies(sess):
    x, w = leaf(0.7), leaf(1.1)

    def outer(i, a):
        _, b = tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, tf.sin(b) * w + a), [0, a])
        return i + 1, b

    _, y = tf.while_loop(lambda i, a: i < 5, outer, [0, x])
    check(sess, y, [x, w], [0.7, 1.1])


def test_three_loops_in_one_another(sess):
    x, w = leaf(0.3), leaf(0.9)

    def once(a):
        return repeat(2, lambda b: repeat(2, lambda c: tf.sin(c * w) + b * a, b + a), a)

    check(sess, repeat(2, once, x), [x, w], [0.3, 0.9], rtol=1e-5)


def test_unknown_shapes_in_nested_loops(sess):
    x, w = tf.placeholder(tf.float64), tf.placeholder(tf.float64)
    y = repeat(3, lambda a: repeat(2, lambda b: tf.tanh(b * w) + a, a) * w, x)
    grads = tf.gradients(y, [x, w])
    feed = {x: np.array([0.1, 0.2]), w: np.array([0.7, 0.9])}
    got = sess.run(grads, feed)
    for t, g in zip((x, w), got):
        for i in range(2):
            moved = [{**feed, t: feed[t] + sign * 1e-5 * np.eye(2)[i]} for sign in (1, -1)]
            expected = np.sum(sess.run(y, moved[0]) - sess.run(y, moved[1])) / 2e-5
            np.testing.assert_allclose(g[i], expected, rtol=1e-6)


def test_table_in_nested_loops(sess):
    values = np.arange(1.0, 7.0).reshape(3, 2) / 3
    table = leaf(values)

    def outer(i, a):
        _, b = tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b * tf.gather(table, j) + a), [0, a])
        return i + 1, b

    _, y = tf.while_loop(lambda i, a: i < 4, outer, [0, tf.ones([2], tf.float64)])
    check(sess, y, [table], [values])


def test_cond_in_a_loop(sess):
    x, w = leaf([0.6, 1.5]), leaf(0.8)

    def body(a):
        total = tf.reduce_sum(a)
        return tf.cond(total > 2, lambda: a * w, lambda: tf.sin(a) + total * w)

    check(sess, repeat(6, body, x), [x, w], [[0.6, 1.5], 0.8])


def test_cond_in_a_loop_with_unknown_shapes(sess):
    x = tf.placeholder(tf.float64)
    w = tf.placeholder(tf.float64)
    y = repeat(6, lambda a: tf.cond(tf.reduce_sum(a) > 2, lambda: a * w, lambda: tf.sin(a) + 1.0), x)
    grads = tf.gradients(y, [x, w])
    feed = {x: np.array([0.5, 1.0]), w: np.array([0.8, 0.7])}
    got = sess.run(grads, feed)
    for t, g in zip((x, w), got):
        for i in range(2):
            moved = [{**feed, t: feed[t] + sign * 1e-5 * np.eye(2)[i]} for sign in (1, -1)]
            expected = np.sum(sess.run(y, moved[0]) - sess.run(y, moved[1])) / 2e-5
            np.testing.assert_allclose(g[i], expected, rtol=1e-6)


def test_cond_on_an_invariant_and_constants_in_a_loop(sess):
    x, w = leaf(0.5), leaf(0.8)
    big = tf.constant(np.linspace(0, 1, 1000))
    for value in (0.8, -0.8):
        y = repeat(4, lambda a: tf.cond(w > 0, lambda: a * w + tf.reduce_mean(big) * a, lambda: a * a), x)
        grads = tf.gradients(y, [x, w])
        got = sess.run(grads, {w: value})
        for t, g, at in ((x, got[0], 0.5), (w, got[1], value)):
            moved = [sess.run(y, {w: value, t: at + s * 1e-5}) for s in (1, -1)]
            np.testing.assert_allclose(g, (moved[0] - moved[1]) / 2e-5, rtol=1e-6)


def test_nested_conds_in_a_loop(sess):
    x, w = leaf(0.5), leaf(1.3)

    def body(a):
        inner = lambda: tf.cond(a > 2, lambda: a * 0.3, lambda: a * w)  # noqa: E731
        return tf.cond(a > 1, inner, lambda: a + w)

    check(sess, repeat(7, body, x), [x, w], [0.5, 1.3])


def test_loop_in_a_cond(sess):
    x, w, n = leaf(0.6), leaf(1.2), tf.placeholder_with_default(1, [])
    y = tf.cond(n > 0, lambda: repeat(3, lambda a: tf.sin(a * w) + x, x), lambda: x * w)
    check(sess, y, [x, w], [0.6, 1.2])
    assert sess.run(tf.gradients(y, [x, w]), {n: 0}) == [1.2, 0.6]


def test_loop_in_a_cond_in_a_loop(sess):
    x, w = leaf(0.6), leaf(1.2)

    def body(i, a):
        long = lambda: repeat(i, lambda b: tf.sin(b * w) + a, a)  # noqa: E731
        return i + 1, tf.cond(tf.equal(i % 2, 0), long, lambda: a * w)

    _, y = tf.while_loop(lambda i, a: i < 5, body, [0, x])
    check(sess, y, [x, w], [0.6, 1.2])


def test_loop_after_loop(sess):
    x, w = leaf(0.6), leaf(1.2)
    first = repeat(3, lambda a: tf.sin(a * w), x)
    y = repeat(2, lambda a: a * first + w, first)
    check(sess, y, [x, w], [0.6, 1.2])


# ---- Options, places, errors


@pytest.mark.parametrize("options", [{"parallel_iterations": 1}, {"swap_memory": True}, {"maximum_iterations": 3}])
def test_options_are_those_of_the_backward_loop(sess, options):
    x, w = leaf(0.6), leaf(1.2)
    y = repeat(5, lambda a: tf.sin(a * w), x, **options)
    check(sess, y, [x, w], [0.6, 1.2])
    graph = sess.graph
    backward = {op for op in graph.get_operations() if op.type == "Enter" and op.name.startswith("gradients/")}
    if "parallel_iterations" in options:
        assert {op.get_attr("parallel_iterations") for op in backward} == {1}
    pushes = [op for op in graph.get_operations() if op.type == "StackPushV2"]
    assert {op.get_attr("swap_memory") for op in pushes} == {"swap_memory" in options}


def test_no_backprop(sess):
    x = leaf(2.0)
    y = repeat(3, lambda a: a * x, x, back_prop=False)
    assert tf.gradients(y, x) == [None]


def test_gradients_inside_of_a_loop(sess):
    x = leaf(2.0)

    def body(a):
        y = a * x * x
        by_x, by_a = tf.gradients(y, [x, a])
        return a + by_x * 0.1 + by_a

    def plain(a, x):
        for _ in range(3):
            a = a + 0.1 * 2 * a * x + x * x
        return a

    y = repeat(3, body, tf.constant(1.0, tf.float64))
    np.testing.assert_allclose(sess.run(y), plain(1.0, 2.0))
    np.testing.assert_allclose(sess.run(tf.gradients(y, x)[0]), (plain(1, 2.0001) - plain(1, 1.9999)) / 2e-4, rtol=1e-6)


def test_gradients_of_a_loop_inside_of_a_loop(sess):
    x = leaf(0.9)

    def body(a):
        y = repeat(3, lambda b: tf.sin(b * x) + b, a)
        return a - 0.1 * tf.gradients(y, a)[0]

    y = repeat(2, body, x)

    def f(a, x):
        for _ in range(3):
            a = np.sin(a * x) + a
        return a

    a = 0.9
    for _ in range(2):
        a -= 0.1 * (f(a + 1e-6, 0.9) - f(a - 1e-6, 0.9)) / 2e-6
    np.testing.assert_allclose(sess.run(y), a, rtol=1e-8)


def test_gradients_through_the_start_of_a_loop_are_refused_inside(sess):
    x = tf.constant(2.0, name="start")
    with pytest.raises(ValueError, match="Cannot compute gradient inside while loop with respect to op 'start'"):
        repeat(3, lambda a: a + tf.gradients(a * x * x, x)[0], x)


# ---- Higher orders


def check_second(sess, y, xs, values):
    """Second derivatives equal central differences of the first."""
    first = [tf.convert_to_tensor(g) for g in tf.gradients(y, xs)]
    check(sess, sum(tf.reduce_sum(tf.sin(g)) for g in first), xs, values, rtol=1e-5)


@pytest.mark.parametrize("n", [0, 1, 3])
def test_second_order_through_a_loop(sess, n):
    x, w = leaf([0.3, 0.5]), leaf(1.3)
    y = repeat(n, lambda a: tf.sin(a * w) * a + w, x * x)
    check_second(sess, y + w * w, [x, w], [[0.3, 0.5], 1.3])


def test_second_order_through_nested_loops(sess):
    x, w = leaf([0.3, 0.5]), leaf(1.3)

    def outer(i, a):
        _, b = tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, tf.sin(b) * w + a), [0, a])
        return i + 1, b

    _, y = tf.while_loop(lambda i, a: i < 4, outer, [0, x])
    check_second(sess, y, [x, w], [[0.3, 0.5], 1.3])


def test_second_order_with_a_table_a_matrix_and_a_conditional_around(sess):
    values = [[0.3, 0.5], [0.2, -0.4]]
    x, n = leaf(values), tf.placeholder_with_default(3, [])

    def body(i, a):
        return i + 1, tf.tanh(tf.matmul(a, x)) * tf.gather(x, [i % 2, 0])

    y = tf.cond(n > 0, lambda: tf.while_loop(lambda i, a: i < n, body, [0, x * 2])[1], lambda: x * x * x)
    check_second(sess, y, [x], [values])
    (h,) = tf.gradients(tf.gradients(y, x)[0], x)
    np.testing.assert_allclose(sess.run(h, {n: 0}), 6 * np.array(values))


def test_third_and_fourth_order(sess):
    x = leaf(0.7)
    looped = repeat(2, lambda a: tf.sin(a) * x, x)
    unrolled = tf.sin(tf.sin(x) * x) * x
    for _ in range(4):
        looped, unrolled = tf.gradients(looped, x)[0], tf.gradients(unrolled, x)[0]
        got = sess.run([looped, unrolled])
        np.testing.assert_allclose(got[0], got[1], rtol=1e-10)


def test_a_penalty_on_a_gradient(sess):
    w = tf.Variable(np.array([0.5, -0.3]))
    y = tf.reduce_sum(repeat(3, lambda a: tf.tanh(a * w) + a, tf.ones([2], tf.float64)))
    loss = y + 0.1 * tf.reduce_sum(tf.square(tf.gradients(y, w)[0]))
    train = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
    sess.run(w.initializer)
    before = [sess.run(loss)]
    for _ in range(5):
        sess.run(train)
        before.append(sess.run(loss))
    assert all(a > b for a, b in zip(before, before[1:]))


def test_the_gradient_of_a_loop_that_differentiates_a_loop(sess):
    x = leaf(0.9)

    def body(a):
        y = repeat(2, lambda b: tf.sin(b * x) + b, a)
        return tf.gradients(y, a)[0] * a

    check(sess, repeat(2, body, x), [x], [0.9], rtol=1e-5)


def test_hessians_of_a_loop(sess):
    x = leaf([0.3, 0.5])
    (h,) = tf.hessians(repeat(3, lambda a: a * a[::-1] * x, x), x)
    (u,) = tf.hessians(_unrolled(3, lambda a: a * a[::-1] * x, x), x)
    got = sess.run([h, u])
    np.testing.assert_allclose(got[0], got[1], rtol=1e-12)


def _unrolled(n, body, value):
    for _ in range(n):
        value = body(value)
    return value


def test_second_order_through_a_conditional_in_a_loop_is_refused(sess):
    x = leaf(2.0)
    (g,) = tf.gradients(repeat(3, lambda a: tf.cond(a > 1, lambda: a * x, lambda: tf.sin(a)), x), x)
    with pytest.raises(TypeError, match="Second-order gradient for while loops not supported where the loop has"):
        tf.gradients(g, x)


def test_stacks_of_a_program_pass_no_gradient(sess):
    x = leaf(2.0)
    stack = tf.raw_ops.StackV2(max_size=-1, elem_type=tf.float64)
    pushed = tf.raw_ops.StackPushV2(handle=stack, elem=x)
    with tf.control_dependencies([pushed]):
        popped = tf.raw_ops.StackPopV2(handle=stack, elem_type=tf.float64)
    assert tf.gradients(popped, x) == [None]
    assert sess.run(tf.gradients(pushed * 3.0, x)) == [3]


def test_values_inside_of_a_loop(sess):
    x, inside = leaf(2.0), []

    def body(a):
        inside.append(a * x)
        return inside[0]

    y = repeat(3, body, x)
    assert tf.gradients(inside[0], x) == [None]
    (g,) = tf.gradients(y, inside[0])
    with pytest.raises(ValueError, match="has been marked as not fetchable"):
        sess.run(g)


def test_colocated_and_gated(sess):
    x, w = leaf(0.6), leaf(1.2)
    with tf.device("/cpu:0"):
        y = repeat(3, lambda a: tf.sin(a * w) * a, x)
    plain = sess.run(tf.gradients(y, [x, w]))
    both = tf.gradients(y, [x, w], colocate_gradients_with_ops=True, gate_gradients=True)
    assert sess.run(both) == plain


def test_gates_in_loops_are_opened(sess):
    w, b = tf.Variable(np.eye(3)), tf.Variable(np.ones(3))
    x = leaf(np.ones((2, 3)))
    y = repeat(3, lambda a: tf.tanh(tf.nn.bias_add(tf.matmul(a, w), b)), x)
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
    assert any("while" in op.name and op.type == "NoOp" for op in sess.graph.get_operations())
    sess.run(tf.global_variables_initializer())
    expected = sess.run([w, b])
    for v, g in zip(expected, sess.run(tf.gradients(y, [w, b]))):
        v -= 0.1 * g
    metadata = tf.RunMetadata()
    sess.run(train, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    assert not [n for d in metadata.step_stats.dev_stats for n in d.node_stats if "group_deps" in n.node_name]
    for got, want in zip(sess.run([w, b]), expected):
        np.testing.assert_allclose(got, want)


def test_two_calls_on_one_loop(sess):
    x, w = leaf(0.6), leaf(1.2)
    y = repeat(3, lambda a: tf.sin(a * w) * a, x)
    one, two = tf.gradients(y, [x, w]), tf.gradients(y * y, [x, w])
    value, a, b = sess.run([y, one, two])
    np.testing.assert_allclose(b, 2 * value * np.array(a))


def test_variables_and_an_optimizer(sess):
    w = tf.Variable(np.float64(0.5))
    table = tf.Variable(np.arange(6.0).reshape(3, 2))

    def body(i, a):
        return i + 1, a * w + tf.reduce_sum(tf.gather(table, i))

    _, y = tf.while_loop(lambda i, a: i < 3, body, [0, tf.constant(1.0, tf.float64)])
    train = tf.train.GradientDescentOptimizer(0.1).minimize(y)
    sess.run(tf.global_variables_initializer())
    sess.run(train)
    # y = w^3 + s0 w^2 + s1 w + s2 with the sums s of the rows 1, 5 and 9
    np.testing.assert_allclose(sess.run(w), 0.5 - 0.1 * (3 * 0.25 + 2 * 0.5 + 5))
    expected = np.arange(6.0).reshape(3, 2) - 0.1 * np.array([[0.25], [0.5], [1]])
    np.testing.assert_allclose(sess.run(table), expected)


def test_counters_of_iterations_are_not_saved(sess):
    x, n, table = leaf(0.5), tf.placeholder_with_default(4, []), leaf([0.2, 0.9, 1.4, 0.7])

    def of_two(i, a):
        return i + 2, a * tf.gather(table, i)

    def inner(k, a):
        return tf.while_loop(lambda i, a: i < n - k, lambda i, a: (1 + i, a * tf.gather(table, i)), [0, a])[1]

    def saved(y):
        grads = tf.gradients(y, [x, table])
        metadata = tf.RunMetadata()
        sess.run(grads, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
        names = {n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats}
        pushes = [sess.graph.get_operation_by_name(n) for n in names if "StackPush" in n]
        return sorted(op.inputs[1].dtype.name for op in pushes)

    plain = inner(0, x)
    assert set(saved(plain)) == {"float64"}
    for value in (0, 1, 4):
        expected = 0.5 * np.cumprod([1, 0.2, 0.9, 1.4, 0.7])[value]
        assert np.isclose(sess.run(plain, {n: value}), expected)
        np.testing.assert_allclose(sess.run(tf.gradients(plain, x)[0], {n: value}), expected / 0.5)
    check(sess, plain, [x, table], [0.5, [0.2, 0.9, 1.4, 0.7]])
    twos = tf.while_loop(lambda i, a: i < n, of_two, [0, x])[1]
    assert set(saved(twos)) == {"float64", "int32"}
    check(sess, twos, [x, table], [0.5, [0.2, 0.9, 1.4, 0.7]])
    later = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * tf.gather(table, i)), [1, x])[1]
    check(sess, later, [x, table], [0.5, [0.2, 0.9, 1.4, 0.7]])
    nested = repeat(2, lambda a: inner(1, a) + inner(2, a * a), x)
    check(sess, nested, [x, table], [0.5, [0.2, 0.9, 1.4, 0.7]], rtol=1e-5)


def test_references_to_variables(sess):
    v = tf.Variable(np.float64(0.5))
    sess.run(v.initializer)
    ref, read = v._ref(), tf.raw_ops.Identity
    looped = repeat(3, lambda a: a * read(input=ref), tf.constant(2.0, tf.float64))
    chosen = tf.cond(looped > 0, lambda: read(input=ref) * looped, lambda: looped)
    types = {op.type for op in sess.graph.get_operations()}
    assert {"RefEnter", "RefSwitch"} <= types
    np.testing.assert_allclose(sess.run(tf.gradients(chosen, v)[0]), 2 * 4 * 0.5**3)
    # Without contexts, as in an imported graph.
    pred = tf.placeholder(tf.bool, [])
    sides = tf.raw_ops.RefSwitch(data=ref, pred=pred)
    merged = tf.raw_ops.RefMerge(inputs=[sides.output_false, sides.output_true]).output
    (g,) = tf.gradients(read(input=merged) * 3.0, v)
    assert [sess.run(g, {pred: p}) for p in (True, False)] == [3, 3]
    for op_type in ("Exit", "NextIteration"):
        assert get_op_def("Ref" + op_type).gradient_fn is get_op_def(op_type).gradient_fn


def test_a_long_loop(sess):
    x = leaf(0.9999)
    y = repeat(10_000, lambda a: a * x, tf.constant(1.0, tf.float64))
    np.testing.assert_allclose(sess.run(tf.gradients(y, x)[0]), 10_000 * 0.9999**9999, rtol=1e-9)


def test_only_what_the_gradient_needs_is_saved(sess):
    x, w = leaf(np.ones(8)), leaf(0.5)
    limit = tf.constant(0.05, tf.float64)
    _, y = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, tf.tanh(a * 2.0 + w) * limit), [0, x])
    grads = tf.gradients(y, [x, w])
    metadata = tf.RunMetadata()
    sess.run(grads, options=tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE), run_metadata=metadata)
    nodes = {n.node_name for d in metadata.step_stats.dev_stats for n in d.node_stats}
    for name in (
        "StackPushV2",
        "StackPopV2",
    ):  # what tanh gave; what `limit` and 2.0 were multiplied with is not asked for
        assert len([n for n in nodes if n.endswith(name)]) == 1


@pytest.mark.cpu  # limits the host's memory
@pytest.mark.parametrize("swap_memory", [False, True])
def test_swapping_what_is_saved(swap_memory):
    with tf.Graph().as_default(), tf.Session() as sess:
        w = tf.Variable(tf.fill([1 << 17], 1.01))  # 0.5 MB, and as much is saved in each iteration
        y = repeat(100, lambda a: tf.sin(a * w), tf.fill([1 << 17], 0.5), swap_memory=swap_memory)
        loss = tf.reduce_sum(y)
        train = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
        (g,) = tf.gradients(loss, w)
        sess.run(w.initializer)
        expected = sess.run(g)
        trim_memory()
        set_memory_limit(memory_stats()["bytes_reserved"] + (16 << 20))
        try:
            if swap_memory:
                np.testing.assert_array_equal(sess.run(g), expected)
                sess.run(train)
                np.testing.assert_allclose(sess.run(w), np.float32(1.01) - np.float32(0.1) * expected, rtol=1e-6)
            else:
                with pytest.raises(tf.errors.ResourceExhaustedError, match="OOM when allocating"):
                    sess.run(train)
        finally:
            set_memory_limit(0)
