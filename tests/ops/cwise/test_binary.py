"""Arithmetic on two tensors: integer edges, special values, broadcasting, errors, operators and names."""

import math

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import cpu_level, cpu_levels, evaluate


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


NAN, INF = math.nan, math.inf


def _run(tensor, feeds=None):
    with tf.Session() as session:
        return session.run(tensor, feeds)


# ---- Integers.


@pytest.mark.parametrize("op", ["Div", "TruncateDiv", "FloorDiv", "Mod", "TruncateMod", "FloorMod"])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_division_by_zero(op, dtype):
    x, y = tf.placeholder(dtype), tf.placeholder(dtype)
    z = tf.raw_ops.__dict__[op](x, y)
    divisors = [0, [1] * 40 + [0], np.array([[1], [0]])]
    for level in cpu_levels():
        with cpu_level(level), tf.Session() as session:
            for divisor in divisors:
                with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
                    session.run(z, {x: 7, y: divisor})
            with pytest.raises(tf.errors.InvalidArgumentError, match="Integer division by zero"):
                session.run(z, {x: np.ones((3, 5)), y: [1, 2, 0, 4, 5]})
            assert session.run(z, {x: 7, y: 7}) in (0, 1)  # the session is still good


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_most_negative_number(dtype):
    low = np.iinfo(dtype).min
    x, y = np.array([low, low, -7, 7], dtype), np.array([-1, 1, 2, -2], dtype)
    assert evaluate("FloorDiv", x, y).tolist() == [low, low, -4, -4]
    assert evaluate("TruncateDiv", x, y).tolist() == [low, low, -3, -3]
    assert evaluate("FloorMod", x, y).tolist() == [0, 0, 1, -1]


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64, np.uint64])
def test_overflow_wraps(dtype):
    info = np.iinfo(dtype)
    top = np.full(37, info.max, dtype)
    one = np.ones(37, dtype)
    assert (evaluate("AddV2", top, one) == info.min).all()
    assert (evaluate("Sub", np.full(37, info.min, dtype), one) == info.max).all()
    assert (evaluate("Mul", top, top) == 1).all()


def test_powers_of_integers():
    assert evaluate("Pow", np.array([2, -2, 0, 3, 7], np.int32), np.array([10, 3, 0, 40, 0], np.int32)).tolist() == [
        1024,
        -8,
        1,
        689956897,
        1,
    ]
    y = tf.placeholder(tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Integers to negative integer powers are not allowed"):
        _run(tf.pow(tf.constant([1, 2]), y), {y: -1})


# ---- Special values: (x, y, result).

SPECIAL = {
    "AddV2": [(INF, -INF, NAN), (NAN, 1, NAN), (-0.0, -0.0, -0.0), (1e308, 1e308, INF)],
    "Sub": [(INF, INF, NAN), (0.0, 0.0, 0.0)],
    "Mul": [(INF, 0, NAN), (-1, 0.0, -0.0), (-INF, 2, -INF)],
    "MulNoNan": [(INF, 0, 0), (NAN, 0, 0), (0, NAN, NAN), (0, INF, NAN)],
    "RealDiv": [(1, 0.0, INF), (1, -0.0, -INF), (0, 0, NAN), (INF, INF, NAN), (1, INF, 0.0)],
    "DivNoNan": [(1, 0, 0), (NAN, 0, 0), (INF, 0, 0), (1, NAN, NAN), (6, 3, 2)],
    "Xdivy": [(0, 0, 0), (0, NAN, 0), (1, 0, INF), (NAN, 1, NAN)],
    "Xlogy": [(0, 0, 0), (0, NAN, 0), (1, 0, -INF), (1, -1, NAN)],
    "Maximum": [(NAN, 1, NAN), (1, NAN, NAN), (-INF, INF, INF), (2, 3, 3)],
    "Minimum": [(NAN, 1, NAN), (1, NAN, NAN), (-INF, INF, -INF), (2, 3, 2)],
    "FloorMod": [(-6.5, INF, INF), (6.5, -INF, -INF), (6.5, INF, 6.5), (1, 0, NAN), (-5, 3, 1), (5, -3, -1)],
    "TruncateMod": [(-5, 3, -2), (5, -3, 2), (1, 0, NAN), (5, INF, 5)],
    "FloorDiv": [(-7, 2, -4), (7, -2, -4), (1, 0, INF), (0, 0, NAN)],
    "Pow": [(0, 0, 1), (NAN, 0, 1), (1, NAN, 1), (-8, 1 / 3, NAN), (0, -1, INF), (2, -INF, 0), (-2, 3, -8)],
    "Atan2": [(0.0, -1, math.pi), (-0.0, -1, -math.pi), (0.0, 1, 0.0), (1, 0, math.pi / 2)],
    "SquaredDifference": [(INF, 1, INF), (INF, INF, NAN), (3, 5, 4)],
    "NextAfter": [(1, 1, 1), (NAN, 1, NAN)],
    "Zeta": [(1, 1, INF), (2, 0, INF), (2, -2, INF), (3, 0, NAN), (1.5, 0, NAN), (0.5, 1, NAN)],
    "Polygamma": [(1, -1, INF), (1.5, 1, NAN), (-1, 1, NAN)],
    "Igamma": [(1, 0, 0), (0, 0, 0), (0, 1, NAN), (-1, 1, NAN), (1, -1, NAN), (1, INF, 1)],
    "SqrtGrad": [(0, 0, 0), (0, 1, INF), (4, 2, 0.25)],
    "RsqrtGrad": [(INF, 0, 0), (2, 1, -4)],
    "ReciprocalGrad": [(INF, 0, 0), (2, 1, -4)],
    "Igammac": [(1, 0, 1), (0, 0, NAN), (0, 1, NAN), (1, INF, 0)],
}


@pytest.mark.parametrize("op", SPECIAL)
def test_special_values(op):
    rows = SPECIAL[op]
    x, y, expected = (np.array([r[i] for r in rows], np.float64) for i in range(3))
    for repeat in (1, 9):
        got = evaluate(op, np.tile(x, repeat), np.tile(y, repeat))
        np.testing.assert_allclose(got, np.tile(expected, repeat), rtol=1e-14)
        zero = np.tile(expected, repeat) == 0
        if op in ("AddV2", "Sub", "Mul", "RealDiv"):
            assert (np.signbit(got) == np.signbit(np.tile(expected, repeat)))[zero].all()


def test_betainc_outside_its_domain():
    nan = evaluate("Betainc", np.array([0.0, -1, 1, 1]), np.ones(4), np.array([0.5, 0.5, -1, 2]))
    assert np.isnan(nan).all()
    np.testing.assert_allclose(evaluate("Betainc", np.array(2.0), np.array(3.0), np.array([0, 0.5, 1])), [0, 0.6875, 1])


# ---- Broadcasting.


@pytest.mark.parametrize("n", [1, 7, 10, 63, 64, 100, 1000])
def test_rows_columns_and_outer_products(n):
    rng = np.random.default_rng(n)
    a = rng.normal(size=(37, n)).astype(np.float32)
    for b in (a[0], a[:, :1], a[:1], a[3, 3 % n], np.float32(2)):
        b = np.asarray(b)
        np.testing.assert_array_equal(evaluate("Sub", a, b), a - b)
        np.testing.assert_array_equal(evaluate("Sub", b, a), b - a)
        np.testing.assert_array_equal(evaluate("Less", b, a), b < a)
        half = a.astype(np.float16)
        np.testing.assert_array_equal(evaluate("Sub", half, b.astype(np.float16)), half - b.astype(np.float16))
    np.testing.assert_array_equal(evaluate("Mul", a[:, :1], a[0]), a[:, :1] * a[0])


def test_eight_dimensions():
    a = np.arange(2**8, dtype=np.int32).reshape((2,) * 8)
    b = a[:, :1, :, :1, :, :1, :, :1]
    np.testing.assert_array_equal(evaluate("AddV2", a, b), a + b)


def test_large_broadcast():
    a, b = np.arange(600_000, dtype=np.float32).reshape(600, 1000), np.arange(1000, dtype=np.float32)
    np.testing.assert_array_equal(evaluate("AddV2", a, b), a + b)
    np.testing.assert_array_equal(evaluate("AddV2", a, a[:, :1]), a + a[:, :1])
    wide, narrow = a.reshape(-1, 10), b[:10]
    np.testing.assert_array_equal(evaluate("Mul", wide, narrow), wide * narrow)


def test_incompatible_shapes():
    with pytest.raises(ValueError, match="Dimensions must be equal, but are 2 and 3"):
        tf.add(tf.zeros([2]), tf.zeros([3]))
    x = tf.placeholder(tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2,2\] vs. \[3\]"):
        _run(tf.add(x, tf.zeros([3])), {x: np.zeros((2, 2))})


@pytest.mark.parametrize(("op", "value"), [("Equal", False), ("NotEqual", True)])
def test_equality_of_incompatible_shapes(op, value):
    x = tf.placeholder(tf.float32)
    lenient = tf.raw_ops.__dict__[op](x, tf.zeros([3]), incompatible_shape_error=False)
    assert bool(_run(lenient, {x: np.zeros(2)})) is value
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        _run(tf.raw_ops.__dict__[op](x, tf.zeros([3])), {x: np.zeros(2)})


def test_gradients_of_broadcast_operands_of_unknown_shape():
    x, y = tf.placeholder(tf.float64), tf.placeholder(tf.float64)
    grads = tf.gradients(x * y, [x, y])
    a, b = np.ones((3, 1, 2)), np.full((4, 1), 2.0)
    by_x, by_y = _run(grads, {x: a, y: b})
    assert by_x.tolist() == [[[8, 8]]] * 3 and by_y.tolist() == [[6]] * 4


def test_known_equal_shapes_add_no_reductions():
    x, y = tf.placeholder(tf.float32, [2, 3]), tf.placeholder(tf.float32, [2, 3])
    tf.gradients(x * y, [x, y])
    types = {op.type for op in x.graph.get_operations()}
    assert not types & {"BroadcastGradientArgs", "Sum", "Reshape"}


def test_unknown_batch_and_a_bias_need_no_dynamic_shapes():
    x, b = tf.placeholder(tf.float32, [None, 3]), tf.placeholder(tf.float32, [3])
    grads = tf.gradients(x + b, [x, b])
    assert not {op.type for op in x.graph.get_operations()} & {"BroadcastGradientArgs"}
    assert _run(grads[1], {x: np.zeros((5, 3)), b: np.zeros(3)}).tolist() == [5, 5, 5]


# ---- Operators and public functions.


def test_operators():
    x, y = tf.constant([7.0, -7.0]), tf.constant([2.0, 2.0])
    i = tf.constant([7, -7])
    p, q = tf.constant([True, True, False]), tf.constant([True, False, False])
    pairs = [
        (x + y, [9, -5]), (x - 1, [6, -8]), (2 * x, [14, -14]), (x / y, [3.5, -3.5]), (1 / y, [0.5, 0.5]),
        (x // y, [3, -4]), (x % y, [1, 1]), (x**2, [49, 49]), (2**y, [4, 4]), (-x, [-7, 7]), (abs(x), [7, 7]),
        (10 - x, [3, 17]), (i // 2, [3, -4]), (i % 4, [3, 1]), (15 // i, [2, -3]), (15 % i, [1, -6]),
        (i / 2, [3.5, -3.5]),
        (x < y, [False, True]), (x <= 7, [True, True]), (x > 0, [True, False]), (x >= y, [True, False]),
        (1 < x, [True, False]),
        (p & q, [True, False, False]), (p | q, [True, True, False]), (p ^ q, [False, True, False]),
        (~p, [False, False, True]),
        (True & p, [True, True, False]),
    ]  # fmt: skip
    for got, (_, expected) in zip(_run([t for t, _ in pairs]), pairs):
        assert got.tolist() == expected
    assert (i / 2).dtype is tf.float64
    assert (x == y) is False and (x == x) is True and len({x, y}) == 2
    matrix = tf.constant([[1.0, 2], [3, 4]])
    assert _run(matrix @ matrix).tolist() == [[7, 10], [15, 22]]


def test_names_and_types_of_operators():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, name="x")
        results = [x + 1, x - 1, x * 2, x / 2, x // 2, x % 2, x**2, -x, abs(x), x < 1]
        assert [t.op.name for t in results] == [
            "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "Neg", "Abs", "Less",
        ]  # fmt: skip
        assert [t.op.type for t in results] == [
            "AddV2", "Sub", "Mul", "RealDiv", "FloorDiv", "FloorMod", "Pow", "Neg", "Abs", "Less",
        ]  # fmt: skip
        assert results[0].op.inputs[1].op.name == "add/y"
        assert (3 * x).op.inputs[0].op.name == "mul_1/x"
        assert tf.add(x, 1).op.type == "Add" and tf.add(x, 1, name="mine").op.name == "mine"


def test_python_numbers_take_the_tensors_type():
    for dtype in (tf.float16, tf.float64, tf.int64, tf.complex64):
        x = tf.placeholder(dtype)
        assert (x + 1).dtype is dtype and (2 * x).dtype is dtype
    with pytest.raises(TypeError):
        tf.constant(1) + 1.5
    with pytest.raises(TypeError):
        tf.constant(1.0) + tf.constant(1)


def test_divisions():
    a, b = tf.constant([7, -7]), tf.constant([2, 2])
    results = [
        tf.div(a, b),
        tf.floordiv(a, b),
        tf.truediv(a, b),
        tf.divide(a, b),
        tf.truncatediv(a, b),
        tf.mod(a, b),
        tf.truncatemod(a, b),
    ]
    values = [r.tolist() for r in _run(results)]
    assert values == [[3, -4], [3, -4], [3.5, -3.5], [3.5, -3.5], [3, -3], [1, 1], [1, -1]]
    assert _run(tf.math.divide_no_nan([1.0, 2.0], [0.0, 4.0])).tolist() == [0, 0.5]
    with pytest.raises(TypeError, match="x and y must have the same dtype"):
        tf.truediv(tf.constant(1.0), tf.constant(1.0, tf.float64))


def test_strings():
    x, y = tf.constant([["a"], ["bc"]]), tf.constant([b"", "é"])
    assert _run(x + y).tolist() == [[b"a", "aé".encode()], [b"bc", "bcé".encode()]]
    assert _run(tf.equal(x, ["a", "bc"])).tolist() == [[True, False], [False, True]]


def test_scalar_mul():
    x = tf.constant([1.0, 2.0])
    assert _run(tf.scalar_mul(3, x)).tolist() == [3, 6]
    with pytest.raises(ValueError, match="The input scalar must be a 0-D value. Received shape"):
        tf.scalar_mul(x, x)
    assert _run(tf.scalar_mul(3, np.float32([1, 2]))).tolist() == [3, 6]
    with pytest.raises(AttributeError, match="dtype"):
        tf.scalar_mul(3, [1.0])


def test_many_summands():
    xs = [tf.constant(np.full(5000, k, np.float32)) for k in range(9)]
    assert (_run(tf.add_n(xs)) == 36).all() and (_run(tf.accumulate_n(xs)) == 36).all()
    assert tf.add_n([xs[0]]) is xs[0]
    assert (_run(tf.add_n([xs[1], xs[1], xs[1]])) == 3).all()
    with pytest.raises(ValueError, match="inputs must be an iterable of at least one Tensor"):
        tf.add_n([])
    with pytest.raises(ValueError):
        tf.add_n([xs[0], tf.zeros([3])])
    p = tf.placeholder(tf.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Inputs must have the same size and shape"):
        _run(tf.add_n([p, tf.zeros([3])]), {p: [1.0]})


def test_where():
    c, x, y = tf.constant([True, False]), tf.constant([[1, 2], [3, 4]]), tf.constant([[5, 6], [7, 8]])
    assert _run(tf.where(c, x, y)).tolist() == [[1, 2], [7, 8]]
    assert _run(tf.where_v2(c, x, 0)).tolist() == [[1, 0], [3, 0]]
    assert _run(tf.where(True, x, y)).tolist() == [[1, 2], [3, 4]]
    assert _run(tf.where(c)).tolist() == [[0]]
    assert _run(tf.where(c, ["a", "b"], ["c", "d"])).tolist() == [b"a", b"d"]
    with pytest.raises(ValueError, match="x and y must both be non-None or both be None"):
        tf.where(c, x)
    p = tf.placeholder(tf.bool)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Number of batches of 'then' must match size of 'cond'"):
        _run(tf.where(p, x, y), {p: [True] * 3})
    with pytest.raises(tf.errors.InvalidArgumentError, match="must be broadcastable"):
        _run(tf.where_v2(p, x, y), {p: [True] * 3})


def test_comparison_with_nan():
    x, y = np.array([NAN, 1, NAN] * 11), np.array([NAN, NAN, 1] * 11)
    for op in ("Less", "LessEqual", "Greater", "GreaterEqual", "Equal"):
        assert not evaluate(op, x, y).any()
    assert evaluate("NotEqual", x, y).all()


def test_complex_division_and_multiplication():
    rng = np.random.default_rng(1)
    x, y = (rng.normal(size=9) + 1j * rng.normal(size=9) for _ in range(2))
    np.testing.assert_allclose(evaluate("RealDiv", x, y), x / y, rtol=1e-14)
    assert evaluate("DivNoNan", x, y * 0).tolist() == [0] * 9
