"""Functions of one tensor at NaN, infinities, signed zeros, subnormals and range limits, against C's values."""

import math

import numpy as np
import pytest

import tfcore as tf
from tfcore.testing import evaluate


@pytest.fixture(autouse=True)
def _graph():
    with tf.Graph().as_default():
        yield


NAN, INF = math.nan, math.inf

# op: (argument, result), ...; a result of 0.0 or -0.0 is compared with its sign.
SPECIAL = {
    "Exp": [(NAN, NAN), (INF, INF), (-INF, 0.0), (0.0, 1.0), (-0.0, 1.0), (1000.0, INF), (-1000.0, 0.0)],
    "Expm1": [
        (NAN, NAN),
        (INF, INF),
        (-INF, -1.0),
        (0.0, 0.0),
        (-0.0, -0.0),
        (1000.0, INF),
        (-1000.0, -1.0),
        (1e-30, 1e-30),
    ],
    "Log": [(NAN, NAN), (INF, INF), (-INF, NAN), (0.0, -INF), (-0.0, -INF), (1.0, 0.0), (-1.0, NAN)],
    "Log1p": [(NAN, NAN), (INF, INF), (-INF, NAN), (0.0, 0.0), (-0.0, -0.0), (-1.0, -INF), (-1.5, NAN), (1e-30, 1e-30)],
    "Tanh": [
        (NAN, NAN),
        (INF, 1.0),
        (-INF, -1.0),
        (0.0, 0.0),
        (-0.0, -0.0),
        (100.0, 1.0),
        (-100.0, -1.0),
        (1e-30, 1e-30),
    ],
    "Sigmoid": [(NAN, NAN), (INF, 1.0), (-INF, 0.0), (0.0, 0.5), (-0.0, 0.5), (1000.0, 1.0), (-1000.0, 0.0)],
    "Sqrt": [(NAN, NAN), (INF, INF), (-INF, NAN), (0.0, 0.0), (-0.0, -0.0), (4.0, 2.0), (-1.0, NAN)],
    "Rsqrt": [(NAN, NAN), (INF, 0.0), (0.0, INF), (-0.0, -INF), (4.0, 0.5), (-1.0, NAN)],
    "Reciprocal": [(NAN, NAN), (INF, 0.0), (-INF, -0.0), (0.0, INF), (-0.0, -INF), (2.0, 0.5)],
    "Abs": [(NAN, NAN), (INF, INF), (-INF, INF), (-0.0, 0.0), (-3.0, 3.0)],
    "Neg": [(NAN, NAN), (INF, -INF), (0.0, -0.0), (-0.0, 0.0)],
    "Sign": [(NAN, NAN), (INF, 1.0), (-INF, -1.0), (0.0, 0.0), (-1e-30, -1.0)],
    "Square": [(NAN, NAN), (INF, INF), (-INF, INF), (-0.0, 0.0)],
    "Floor": [(NAN, NAN), (INF, INF), (-INF, -INF), (-0.0, -0.0), (2.5, 2.0), (-2.5, -3.0), (0.5, 0.0)],
    "Ceil": [(NAN, NAN), (INF, INF), (-INF, -INF), (-0.0, -0.0), (2.5, 3.0), (-2.5, -2.0), (-0.5, -0.0)],
    "Round": [
        (NAN, NAN),
        (INF, INF),
        (-INF, -INF),
        (0.5, 0.0),
        (1.5, 2.0),
        (2.5, 2.0),
        (-0.5, -0.0),
        (-1.5, -2.0),
        (16777215.0, 16777215.0),
    ],
    "Rint": [(NAN, NAN), (INF, INF), (-INF, -INF), (0.5, 0.0), (1.5, 2.0), (2.5, 2.0), (-0.5, -0.0), (-1.5, -2.0)],
    "Sin": [(NAN, NAN), (INF, NAN), (-INF, NAN), (0.0, 0.0), (-0.0, -0.0)],
    "Cos": [(NAN, NAN), (INF, NAN), (-INF, NAN), (0.0, 1.0)],
    "Atan": [(NAN, NAN), (0.0, 0.0), (-0.0, -0.0)],
    "Acosh": [(NAN, NAN), (INF, INF), (1.0, 0.0), (0.5, NAN)],
    "Atanh": [(NAN, NAN), (1.0, INF), (-1.0, -INF), (2.0, NAN), (-0.0, -0.0)],
    "Erf": [(NAN, NAN), (INF, 1.0), (-INF, -1.0), (0.0, 0.0), (-0.0, -0.0), (10.0, 1.0), (-10.0, -1.0)],
    "Erfc": [(NAN, NAN), (INF, 0.0), (-INF, 2.0), (0.0, 1.0)],
    "Erfinv": [(NAN, NAN), (1.0, INF), (-1.0, -INF), (0.0, 0.0), (-0.0, -0.0), (1.5, NAN)],
    "Ndtri": [(NAN, NAN), (0.0, -INF), (1.0, INF), (0.5, 0.0), (-0.5, NAN)],
    "Lgamma": [(NAN, NAN), (INF, INF), (-INF, INF), (0.0, INF), (-1.0, INF), (1.0, 0.0), (2.0, 0.0)],
    "Digamma": [(NAN, NAN), (INF, INF), (0.0, NAN), (-1.0, NAN), (-2.0, NAN)],
    "BesselI0e": [(NAN, NAN), (INF, 0.0), (-INF, 0.0), (0.0, 1.0)],
    "BesselI1e": [(NAN, NAN), (INF, 0.0), (-INF, -0.0), (0.0, 0.0)],
    "Softplus": [(NAN, NAN), (INF, INF), (-INF, 0.0), (1000.0, 1000.0), (-1000.0, 0.0)],
    "Softsign": [(NAN, NAN), (0.0, 0.0), (1e30, 1.0)],
    "Relu": [(NAN, NAN), (INF, INF), (-INF, 0.0), (-1e-30, 0.0)],
    "Relu6": [(NAN, NAN), (INF, 6.0), (-INF, 0.0), (6.5, 6.0)],
    "Elu": [(NAN, NAN), (INF, INF), (-INF, -1.0), (0.0, 0.0)],
    "Selu": [(NAN, NAN), (INF, INF), (0.0, 0.0)],
    "LeakyRelu": [(NAN, NAN), (INF, INF), (-INF, -INF), (0.0, 0.0)],
}


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("op", SPECIAL)
def test_special_values(op, dtype):
    """Each value alone, and in every lane of a long tensor among ordinary numbers."""
    for argument, expected in SPECIAL[op]:
        x = np.full(67, 0.5, dtype)
        x[::3] = argument
        for got in (evaluate(op, x)[::3], evaluate(op, x[:1])):
            np.testing.assert_array_equal(got, np.full(len(got), expected, dtype), err_msg=f"{op}({argument})")
            if expected == 0 and op not in ("Abs", "Square", "Relu"):
                assert (np.signbit(got) == np.signbit(expected)).all(), f"sign of {op}({argument})"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_subnormal_results_and_arguments(dtype):
    least = np.finfo(dtype).smallest_subnormal
    x = np.array([np.log(least * dtype(k)) for k in (1, 3, 100, 1e4)], dtype)
    np.testing.assert_allclose(evaluate("Exp", x), np.exp(x.astype(np.longdouble)).astype(dtype), atol=least, rtol=0)
    tiny = np.array([least, 5 * least, -least], dtype)
    for op in ("Expm1", "Log1p", "Tanh"):
        np.testing.assert_array_equal(evaluate(op, tiny), tiny)
    np.testing.assert_allclose(
        evaluate("Log", tiny[:2]), np.log(tiny[:2].astype(np.longdouble)).astype(dtype), rtol=1e-6
    )


def test_predicates_at_all_half_values():
    x = np.arange(65536, dtype=np.uint16).view(np.float16)
    for op, reference in (("IsNan", np.isnan), ("IsInf", np.isinf), ("IsFinite", np.isfinite)):
        np.testing.assert_array_equal(evaluate(op, x), reference(x))


@pytest.mark.parametrize("dtype", [np.int8, np.int16, np.int32, np.int64])
def test_integers_wrap(dtype):
    low = np.iinfo(dtype).min
    x = np.full(33, low, dtype)
    assert (evaluate("Abs", x) == low).all()
    assert (evaluate("Neg", x) == low).all()
    assert (evaluate("Square", x) == 0).all()


def test_gradient_of_sign_is_zero():
    x = tf.placeholder(tf.float32, [3])
    (grad,) = tf.gradients(tf.sign(x) * 3.0 + x, x)
    with tf.Session() as session:
        assert session.run(grad, {x: [-2, 0, 2]}).tolist() == [1, 1, 1]


def test_rounding_ops_stop_gradients():
    x = tf.placeholder(tf.float32, [3])
    for function in (tf.floor, tf.ceil, tf.round, tf.math.rint):
        assert tf.gradients(function(x), x) == [None]


def test_public_functions():
    x = tf.constant([-1.5, 2.5])
    z = tf.constant([3 + 4j])
    with tf.Session() as session:
        assert session.run(tf.abs(x)).tolist() == [1.5, 2.5]
        assert session.run(tf.abs(z)).tolist() == [5]
        assert tf.abs(z).dtype is z.dtype.real_dtype
        assert session.run(tf.round(x)).tolist() == [-2, 2]
        expected = -np.log1p(np.exp([1.5, -2.5]))
        np.testing.assert_allclose(session.run(tf.math.log_sigmoid(x)), expected, rtol=1e-6)
    integers = tf.constant([1, 2])
    assert tf.round(integers) is integers
    assert tf.nn.sigmoid(x).op.type == "Sigmoid" and tf.nn.tanh(x).op.type == "Tanh"
    assert tf.exp(x, name="mine").op.name == "mine"


def test_large_tensors_use_all_threads_alike():
    """Big enough for parallel_for, of a length that no split divides."""
    x = np.linspace(-5, 5, 300_007, dtype=np.float32)
    np.testing.assert_allclose(evaluate("Tanh", x), np.tanh(x.astype(np.float64)), rtol=1e-6)
    np.testing.assert_array_equal(evaluate("Abs", x.astype(np.float16)), np.abs(x.astype(np.float16)))


def test_wrong_type():
    with pytest.raises(TypeError, match="has DataType string not in list of allowed values"):
        tf.exp(tf.constant(["a"]))
    with pytest.raises(TypeError, match="has DataType int32 not in list of allowed values"):
        tf.sqrt(tf.constant([1]))
