"""Sums of products in loops: computed at once, with the bits of one product and one addition at a time."""

import numpy as np
import pytest

import tfcore as tf
from tests.compiler.plans import ARITHMETIC, FUSION, plan_of, session, types_of
from tfcore.framework.definitions.op_def import get_op_def

pytestmark = pytest.mark.cpu


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def equal_bits(fetch, feed, rewritten=True):
    """Whether the rewrite was made; the values are the same bits without."""
    with session(ARITHMETIC, FUSION) as on, session() as off:
        for got, want in zip(on.run(fetch, feed), off.run(fetch, feed)):
            got, want = np.asarray(got), np.asarray(want)
            assert got.shape == want.shape and got.dtype == want.dtype
            assert got.tobytes() == want.tobytes()
        types = types_of(plan_of(on, fetch, feed))
    assert ("_ProductSumValue" in types) == rewritten, types
    return types


def recurrent(w, x, n, transpose=False):
    """A loop that multiplies by w in each iteration, and its result's gradient by w."""

    def body(i, h):
        return i + 1, tf.sin(tf.matmul(h, w, transpose_b=transpose) * 0.3 + 0.1)

    _, h = tf.while_loop(lambda i, h: i < n, body, [0, x])
    return tf.gradients(tf.reduce_sum(h * h), w)


@pytest.mark.parametrize("dtype", [tf.float32, tf.float64])
@pytest.mark.parametrize("batch,units", [(1, 1), (3, 5), (8, 32), (32, 48), (400, 16), (17, 130)])
@pytest.mark.parametrize("transpose", [False, True])
def test_the_gradient_of_a_matrix(dtype, batch, units, transpose):
    rng = np.random.default_rng(units)
    w, x = tf.placeholder(dtype, [units, units]), tf.placeholder(dtype, [batch, units])
    n = tf.placeholder(tf.int32, [])
    grads = recurrent(w, x, n, transpose)
    for count in (0, 1, 2, 7):
        feed = {w: rng.standard_normal((units, units)), x: rng.standard_normal((batch, units)), n: count}
        types = equal_bits(grads, feed)
    assert "_ProductSumOfZeros" in types


def test_more_factors_than_are_kept():
    rng = np.random.default_rng(0)
    w, x = tf.placeholder(tf.float32, [160, 160]), tf.placeholder(tf.float32, [700, 160])
    n = tf.placeholder(tf.int32, [])
    grads = recurrent(w, x, n)
    for count in (1, 2, 9):  # 0.9 MB in each iteration
        equal_bits(grads, {w: rng.standard_normal((160, 160)) / 8, x: rng.standard_normal((700, 160)), n: count})


def test_zeros_stay_positive():
    a, b = tf.placeholder(tf.float32, [32, 32]), tf.placeholder(tf.float32, [32, 32])
    n = tf.placeholder(tf.int32, [])
    loop_vars = [0, tf.zeros([32, 32])]
    _, y = tf.while_loop(lambda i, s: i < n, lambda i, s: (i + 1, s + tf.matmul(a, b)), loop_vars)
    tiny = {a: np.full((32, 32), -1e-30), b: np.full((32, 32), 1e-30), n: 1}  # products of -0, if fused
    equal_bits([y], tiny)
    # p is x * x, rounded: what is left of -p + x * x tells whether kernels fuse.
    x = np.float32(1 + 2**-12)
    left, right = np.zeros((2, 32, 32), np.float32)
    left[:, 0], left[:, 1], right[0], right[1] = -1, x, x * x, x
    with session(ARITHMETIC, FUSION) as s:
        product = tf.matmul(a, b)
        fused = s.run(product, {a: left, b: right}).any()
        assert not np.signbit(s.run(y, tiny)).any() and np.signbit(s.run(product, tiny)).any() == fused


def test_a_sum_that_starts_with_something():
    rng = np.random.default_rng(0)
    start, a, b = (tf.placeholder(tf.float32, s) for s in ((24, 40), (24, 8), (40, 8)))
    n = tf.placeholder(tf.int32, [])

    def body(i, s):
        k = tf.cast(i + 1, tf.float32)
        return i + 1, tf.matmul(a * k, b, transpose_b=True) + s

    _, y = tf.while_loop(lambda i, s: i < n, body, [0, tf.exp(start)])
    _, z = tf.while_loop(lambda i, s: i < n, body, [0, tf.constant(rng.standard_normal((24, 40)).astype(np.float32))])
    for count in (0, 1, 5):
        feed = {t: rng.standard_normal(t.shape.as_list()) for t in (start, a, b)}
        assert "_ProductSum" in equal_bits([y, z], {**feed, n: count})


def test_a_start_that_others_use():
    rng = np.random.default_rng(0)
    start, a = tf.placeholder(tf.float32, [64, 64]), tf.placeholder(tf.float32, [64, 2500])
    shared = tf.exp(start)
    n = tf.placeholder(tf.int32, [])

    def body(i, s):
        return i + 1, s + tf.matmul(a * tf.cast(i, tf.float32), a, transpose_b=True)

    _, y = tf.while_loop(lambda i, s: i < n, body, [0, shared])
    feed = {start: rng.standard_normal((64, 64)), a: rng.standard_normal((64, 2500)), n: 4}
    equal_bits([y, shared * 2.0, y + shared], feed)


def test_loops_in_loops():
    rng = np.random.default_rng(0)
    w, x = tf.placeholder(tf.float32, [16, 16]), tf.placeholder(tf.float32, [4, 16])

    def outer(i, h):
        _, h = tf.while_loop(lambda j, h: j < i, lambda j, h: (j + 1, tf.tanh(tf.matmul(h, w))), [0, h])
        return i + 1, h

    _, h = tf.while_loop(lambda i, h: i < 4, outer, [0, x])
    grads = tf.gradients(h, [w, x])
    equal_bits(grads, {w: rng.standard_normal((16, 16)), x: rng.standard_normal((4, 16))})


def test_a_conditional_around_the_loop():
    rng = np.random.default_rng(0)
    w, x, pred = tf.placeholder(tf.float32, [16, 16]), tf.placeholder(tf.float32, [4, 16]), tf.placeholder(tf.bool, [])

    def looped():
        return tf.while_loop(lambda i, h: i < 3, lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w))), [0, x])[1]

    grads = tf.gradients(tf.cond(pred, looped, lambda: x), [w, x])
    for value in (True, False):
        equal_bits(grads, {w: rng.standard_normal((16, 16)), x: rng.standard_normal((4, 16)), pred: value})


def test_what_must_stay():
    a, b = tf.placeholder(tf.float32, [8, 8]), tf.placeholder(tf.float32, [8, 8])
    unknown = tf.placeholder(tf.float32, [None, 8])
    feed = {a: np.arange(64).reshape(8, 8) / 50, b: np.eye(8) + 0.5, unknown: np.ones((8, 8))}

    def loop(body, *start):
        return list(tf.while_loop(lambda i, *_: i < 3, lambda i, *s: (i + 1, *body(i, *s)), [0, *start])[1:])

    zeros = tf.zeros([8, 8])
    used_in_body = loop(lambda i, s, t: (s + tf.matmul(a, b), t + s), zeros, zeros)
    sum_is_used = loop(lambda i, s, t: ((r := s + tf.matmul(a, b)), t + r), zeros, zeros)
    decides = list(
        tf.while_loop(lambda i, s: tf.reduce_sum(s) < 100, lambda i, s: (i + 1, s + tf.matmul(a, b)), [0, zeros])[1:]
    )
    product_is_used = loop(lambda i, s, t: (s + (p := tf.matmul(a, b)), t * p), zeros, zeros)
    no_sum = loop(lambda i, s: (s * tf.matmul(a, b),), zeros)
    replaced = loop(lambda i, s: (a + tf.matmul(a, b),), zeros)
    of_unknown_shape = loop(lambda i, s: (s + tf.matmul(unknown, b),), zeros)
    integers = loop(lambda i, s: (s + tf.matmul(tf.cast(a, tf.int32), tf.cast(b, tf.int32)),), tf.cast(zeros, tf.int32))

    def waiting(i, s):
        with tf.control_dependencies([tf.no_op()]):
            return (s + tf.matmul(a, b),)

    for fetches in (used_in_body, sum_is_used, decides, product_is_used, no_sum, replaced, of_unknown_shape, integers):
        equal_bits(fetches, feed, rewritten=False)
    equal_bits(loop(waiting, zeros), feed)


def test_errors():
    ops = {n: get_op_def(n) for n in ("_ProductSum", "_ProductSumOfZeros", "_ProductSumAdd", "_ProductSumValue")}
    x = tf.placeholder(tf.float32)
    total = ops["_ProductSum"](x)
    added = ops["_ProductSumAdd"](ops["_ProductSumOfZeros"]([2, 3], T=tf.float32), x, tf.ones([2, 3])).result
    value = ops["_ProductSumValue"](added, T=tf.float32)
    stack = ops["_ProductSumValue"](tf.raw_ops.StackV2(max_size=1, elem_type=tf.float32), T=tf.float32)
    bad_dims = ops["_ProductSumOfZeros"]([2], T=tf.float32)
    with session() as s:
        np.testing.assert_array_equal(s.run(value, {x: np.eye(2)}), np.ones((2, 3)))
        for op, fed, text in (
            (total, np.ones(3), r"The sum is not a matrix. Instead it has shape \[3\]"),
            (value, np.ones(3), r"In\[0\] is not a matrix"),
            (value, np.ones((2, 3)), r"Matrix size-incompatible: In\[0\]: \[2,3\], In\[1\]: \[2,3\]"),
            (value, np.ones((3, 2)), r"Incompatible shapes: \[2,3\] vs. \[3,3\]"),
            (stack, 0, "Trying to access a resource of kind sum of products with the handle of a Stack"),
            (bad_dims, 0, r"dims must be two numbers, but has shape \[1\]"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                s.run(op.op, {x: fed})


# ---- Rows


def test_the_slices_of_a_table():
    rng = np.random.default_rng(0)
    table, ids = tf.placeholder(tf.float32, [10, 3]), tf.placeholder(tf.int32, [None, 4])
    n = tf.placeholder(tf.int32, [])

    def body(i, a):
        return i + 1, tf.sin(a * tf.gather(table, ids[i]))

    _, y = tf.while_loop(lambda i, a: i < n, body, [0, tf.ones([4, 3])])
    (g,) = tf.gradients(y, table)
    for count in (0, 1, 40):
        feed = {table: rng.standard_normal((10, 3)), ids: rng.integers(0, 10, (40, 4)), n: count}
        with session(ARITHMETIC, FUSION) as on, session() as off:
            fetch = [g.values, g.indices]
            for got, want in zip(on.run(fetch, feed), off.run(fetch, feed)):
                assert got.dtype == want.dtype
                np.testing.assert_array_equal(got, want)
            types = types_of(plan_of(on, fetch, feed))
    assert types.count("_RowListValue") == 2 and "_RowListValue" not in types_of(plan_of(off, fetch, feed))


@pytest.mark.parametrize("dtype", [tf.float32, tf.bool, tf.complex128, tf.int64, tf.bfloat16])
def test_rows_of_a_program(dtype):
    start, more = tf.placeholder(dtype, [None, 2, 3]), tf.placeholder(dtype, [None, 2, 3])
    n = tf.placeholder(tf.int32, [])
    shapes = [tf.TensorShape([]), tf.TensorShape([None, 2, 3])]
    start_vars = [0, tf.identity(start)]
    _, rows = tf.while_loop(lambda i, r: i < n, lambda i, r: (i + 1, tf.concat([r, more], 0)), start_vars, shapes)
    a, b = (np.arange(k * 6).reshape(k, 2, 3).astype(dtype.as_numpy_dtype) for k in (2, 300))
    for parts, count in (((a, b), 0), ((a, b), 3), ((a[:0], b), 2), ((a, b[:0]), 2)):
        feed = {start: parts[0], more: parts[1], n: count}
        with session(ARITHMETIC, FUSION) as s:
            np.testing.assert_array_equal(s.run(rows, feed), np.concatenate([parts[0]] + [parts[1]] * count))
            assert "_RowListValue" in types_of(plan_of(s, rows, feed))


def test_rows_that_do_not_fit():
    start, more = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    _, rows = tf.while_loop(
        lambda i, r: i < 3,
        lambda i, r: (i + 1, tf.concat([r, more], 0)),
        [0, tf.identity(start)],
        [tf.TensorShape([]), None],
    )
    with session(ARITHMETIC, FUSION) as s:
        for values, text in (
            (
                (np.ones((2, 3)), np.ones((2, 4))),
                r"Dimensions of inputs should match: shape\[0\] = \[2,3\] vs. shape\[1\] = \[2,4\]",
            ),
            ((np.ones((2, 3)), np.ones(2)), "Dimensions of inputs should match"),
            ((1.0, np.ones(2)), "Expected concatenating dimensions in the range"),
        ):
            with pytest.raises(tf.errors.InvalidArgumentError, match=text):
                s.run(rows, {start: values[0], more: values[1]})


def test_rows_that_are_used_or_in_another_order_stay():
    shapes = [tf.TensorShape([]), tf.TensorShape([None])]
    bodies = (
        lambda i, r: (i + 1, tf.concat([[1.0], r], 0)),
        lambda i, r: (i + 1, tf.concat([r, r], 0)),
        lambda i, r: (i + 1, tf.concat([r, tf.reshape(tf.reduce_sum(r), [1])], 0)),
    )
    for body in bodies:
        _, rows = tf.while_loop(lambda i, r: i < 3, body, [0, tf.constant([5.0])], shapes)
        with session(ARITHMETIC, FUSION) as on, session() as off:
            np.testing.assert_array_equal(on.run(rows), off.run(rows))
            assert "_RowListValue" not in types_of(plan_of(on, rows))
