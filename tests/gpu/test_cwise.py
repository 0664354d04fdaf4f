"""Element-wise kernels, in checked builds on the host."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from tests.gpu import kernels as k

SIZES = st.sampled_from([0, 1, 2, 31, 255, 256, 257, 1000])
SEEDS = st.integers(0, 2**32 - 1)


@pytest.fixture(autouse=True)
def errors():
    with np.errstate(all="ignore"):
        yield


@pytest.fixture
def gpu():
    return k.gpu()


def unary(gpu, family, op, dtype, values, out=None, argument=0.0, seed=0):
    """The result of a kernel, and the same again in place if the types allow it."""
    gpu.reset()
    x, y = gpu.array(values), gpu.empty(values.shape, k.NUMPY[out or dtype])
    fields = {"n": values.size, "argument": argument, "seed": seed}
    gpu.run(family, f"{op}_{dtype}", "cwise_unary", x=x, y=y, **fields)
    if out is None:
        gpu.run(family, f"{op}_{dtype}", "cwise_unary", x=x, y=x, **fields)
        np.testing.assert_array_equal(x.numpy().view(np.uint8), y.numpy().view(np.uint8))
    return y.numpy().copy()


def binary(gpu, family, op, dtype, x, y, out=None, argument=0.0, seed=0):
    """The result and the report's bits."""
    gpu.reset()
    fields = k.broadcast_fields([x.shape, y.shape], "xy")
    if x.shape == y.shape:  # as the host merges dimensions
        fields = {"dims": [x.size], "rank": 1, "n": x.size, "x_stride": [1], "y_stride": [1]}
    z, report = gpu.empty(np.broadcast_shapes(x.shape, y.shape), k.NUMPY[out or dtype]), gpu.report()
    fields |= {"x": gpu.array(x), "y": gpu.array(y), "z": z, "report": report, "argument": argument, "seed": seed}
    gpu.run(family, f"{op}_{dtype}", "cwise_binary", **fields)
    return z.numpy().copy(), k.failed(report)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


IDENTITY = "any"
UNARY = {
    "Neg": (np.negative, IDENTITY, k.FLOATS + k.SIGNED),
    "Abs": (np.abs, IDENTITY, k.FLOATS + k.SIGNED),
    "Square": (np.square, IDENTITY, k.REALS),
    "Sign": (np.sign, IDENTITY, k.FLOATS + k.SIGNED),
    "Reciprocal": (lambda x: 1 / x, IDENTITY, k.FLOATS),
    "Floor": (np.floor, IDENTITY, k.FLOATS),
    "Ceil": (np.ceil, IDENTITY, k.FLOATS),
    "Round": (np.rint, IDENTITY, k.FLOATS),
    "Sqrt": (np.sqrt, "positive", k.FLOATS),
    "Rsqrt": (lambda x: 1 / np.sqrt(x), "positive", k.FLOATS),
    "Exp": (np.exp, IDENTITY, k.FLOATS),
    "Expm1": (np.expm1, IDENTITY, k.FLOATS),
    "Log": (np.log, "positive", k.FLOATS),
    "Log1p": (np.log1p, "positive", k.FLOATS),
    "Tanh": (np.tanh, IDENTITY, k.FLOATS),
    "Sigmoid": (sigmoid, IDENTITY, k.FLOATS),
    "Erf": (special.erf, IDENTITY, k.FLOATS),
    "Erfc": (special.erfc, IDENTITY, k.FLOATS),
    "Lgamma": (special.gammaln, "positive", k.FLOATS),
    "Sin": (np.sin, IDENTITY, k.FLOATS),
    "Cos": (np.cos, IDENTITY, k.FLOATS),
    "Tan": (np.tan, "unit", k.FLOATS),
    "Asin": (np.arcsin, "unit", k.FLOATS),
    "Acos": (np.arccos, "unit", k.FLOATS),
    "Atan": (np.arctan, IDENTITY, k.FLOATS),
    "Sinh": (np.sinh, IDENTITY, k.FLOATS),
    "Cosh": (np.cosh, IDENTITY, k.FLOATS),
    "Asinh": (np.arcsinh, IDENTITY, k.FLOATS),
    "Acosh": (lambda x: np.arccosh(x), "above 1", k.FLOATS),
    "Atanh": (np.arctanh, "unit", k.FLOATS),
}
ACTIVATIONS = {
    "Relu": (lambda x: np.maximum(x, 0), IDENTITY, k.REALS),
    "Relu6": (lambda x: np.clip(x, 0, 6), IDENTITY, k.REALS),
    "LeakyRelu": (lambda x: np.where(x > 0, x, x * 0.25), IDENTITY, k.FLOATS),
    "Elu": (lambda x: np.where(x < 0, np.expm1(x), x), IDENTITY, k.FLOATS),
    "Selu": (lambda x: 1.0507009873554805 * np.where(x < 0, 1.6732632423543772 * np.expm1(x), x), IDENTITY, k.FLOATS),
    "Softplus": (lambda x: np.logaddexp(0, x), IDENTITY, k.FLOATS),
    "Softsign": (lambda x: x / (1 + np.abs(x)), IDENTITY, k.FLOATS),
}


def domain_values(rng, dtype, n, domain):
    x = k.random_values(rng, dtype, n)
    if dtype in k.FLOATS and domain != IDENTITY:
        x = np.abs(k.exact(x)) + 0.05
        x = {"positive": x, "above 1": x + 1, "unit": x / (x + 1)}[domain].astype(k.NUMPY[dtype])
    return x


def check_unary(gpu, family, op, dtype, row, n, seed, argument=0.0):
    reference, domain, _ = row
    x = domain_values(np.random.default_rng(seed), dtype, n, domain)
    y = unary(gpu, family, op, dtype, x, argument=argument, seed=seed)
    k.assert_close(y, reference(k.exact(x)), dtype, factor=4, scale=0.1)


@pytest.mark.parametrize("op", UNARY)
@settings(max_examples=12)
@given(st.data(), SIZES, SEEDS)
def test_unary(op, data, n, seed):
    check_unary(k.gpu(), "cwise/unary", op, data.draw(st.sampled_from(UNARY[op][2])), UNARY[op], n, seed)


@pytest.mark.parametrize("op", ACTIVATIONS)
@settings(max_examples=12)
@given(st.data(), SIZES, SEEDS)
def test_activations(op, data, n, seed):
    dtype = data.draw(st.sampled_from(ACTIVATIONS[op][2]))
    check_unary(k.gpu(), "nn/activations", op, dtype, ACTIVATIONS[op], n, seed, 0.25)


@pytest.mark.parametrize("dtype", k.FLOATS)
def test_special_values_of_unary_functions(gpu, dtype):
    x = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.5, -100, 2.5]).astype(k.NUMPY[dtype])
    e = k.exact(x)
    for op, reference in (("IsNan", np.isnan), ("IsInf", np.isinf), ("IsFinite", np.isfinite)):
        np.testing.assert_array_equal(unary(gpu, "cwise/unary", op, dtype, x, out="bool"), reference(e))
    for op in ("Sign", "Tanh", "Sigmoid", "Round", "Exp"):
        expected = UNARY[op][0](e)
        y = unary(gpu, "cwise/unary", op, dtype, x)
        k.assert_close(y, expected, dtype, scale=1e-30)
        if op == "Sign":
            np.testing.assert_array_equal(np.signbit(k.exact(y)[3:]), np.signbit(e[3:]))
    for op in ("Relu", "Relu6", "Softplus", "Elu"):
        k.assert_close(unary(gpu, "nn/activations", op, dtype, x), ACTIVATIONS[op][0](e), dtype, scale=1e-30)


@pytest.mark.parametrize("dtype", k.SIGNED)
def test_the_most_negative_integer_wraps(gpu, dtype):
    x = np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype)
    np.testing.assert_array_equal(unary(gpu, "cwise/unary", "Abs", dtype, x), np.abs(x))
    np.testing.assert_array_equal(unary(gpu, "cwise/unary", "Neg", dtype, x), np.negative(x))
    np.testing.assert_array_equal(unary(gpu, "cwise/unary", "Square", dtype, x), np.square(x))


def test_logic(gpu):
    x, y = np.array([0, 0, 1, 1], bool), np.array([0, 1, 0, 1], bool)
    np.testing.assert_array_equal(unary(gpu, "cwise/unary", "LogicalNot", "bool", x), ~x)
    for op, reference in (("LogicalAnd", x & y), ("LogicalOr", x | y), ("Equal", x == y), ("NotEqual", x != y)):
        np.testing.assert_array_equal(binary(gpu, "cwise/compare", op, "bool", x, y)[0], reference)


# ---- Two operands.


@st.composite
def broadcast_shapes(draw):
    """Two shapes that broadcast, of rank up to 8, with sizes 0 and 1 among them."""
    rank = draw(st.integers(0, 8))
    sizes = st.sampled_from([1, 1, 2, 3, 5] if rank > 4 else [0, 1, 2, 7, 19])
    full = draw(st.lists(sizes, min_size=rank, max_size=rank))
    while math.prod(full) > 2000:
        full[full.index(max(full))] = 1

    def part():
        kept = [1 if draw(st.booleans()) else size for size in full]
        return tuple(kept[draw(st.integers(0, rank)) if draw(st.booleans()) else 0 :])

    return (part(), part()) if draw(st.booleans()) else (tuple(full), tuple(full))


def integer_quotient(x, y):
    return np.trunc(x.astype(object) / y) if x.dtype == object else x // y + ((x % y != 0) & ((x < 0) != (y < 0)))


BINARY = {
    "Add": (np.add, k.REALS),
    "Sub": (np.subtract, k.REALS),
    "Mul": (np.multiply, k.REALS),
    "SquaredDifference": (lambda x, y: (x - y) ** 2, (*k.FLOATS, "int32", "int64")),
    "Maximum": (np.maximum, k.REALS),
    "Minimum": (np.minimum, k.REALS),
    "MulNoNan": (lambda x, y: np.where(y == 0, 0, x * y), k.FLOATS),
    "Div": (np.divide, k.FLOATS),
    "DivNoNan": (lambda x, y: np.where(y == 0, 0, x / y), k.FLOATS),
    "Xdivy": (lambda x, y: np.where(x == 0, 0, x / y), k.FLOATS),
    "Atan2": (np.arctan2, k.FLOATS),
    "Xlogy": (special.xlogy, k.FLOATS),
    "Xlog1py": (special.xlog1py, k.FLOATS),
    "Pow": (np.power, k.FLOATS),
}
COMPARE = {
    "Equal": np.equal,
    "NotEqual": np.not_equal,
    "Less": np.less,
    "LessEqual": np.less_equal,
    "Greater": np.greater,
    "GreaterEqual": np.greater_equal,
}
GRADIENTS = {
    ("cwise/unary", "SigmoidGrad"): lambda y, dy: dy * y * (1 - y),
    ("cwise/unary", "TanhGrad"): lambda y, dy: dy * (1 - y * y),
    ("cwise/unary", "SqrtGrad"): lambda y, dy: dy * 0.5 / y,
    ("cwise/unary", "RsqrtGrad"): lambda y, dy: dy * -0.5 * y**3,
    ("cwise/unary", "ReciprocalGrad"): lambda y, dy: -dy * y * y,
    ("nn/activations", "ReluGrad"): lambda dy, y: np.where(y > 0, dy, 0),
    ("nn/activations", "Relu6Grad"): lambda dy, y: np.where((y > 0) & (y < 6), dy, 0),
    ("nn/activations", "LeakyReluGrad"): lambda dy, y: np.where(y > 0, dy, dy * 0.25),
    ("nn/activations", "EluGrad"): lambda dy, y: np.where(y < 0, dy * (y + 1), dy),
    ("nn/activations", "SeluGrad"): lambda dy, y: dy * np.where(y < 0, y + 1.7580993408473768, 1.0507009873554805),
    ("nn/activations", "SoftplusGrad"): lambda dy, y: dy * sigmoid(y),
    ("nn/activations", "SoftsignGrad"): lambda dy, y: dy / (1 + np.abs(y)) ** 2,
}


@pytest.mark.slow
@pytest.mark.parametrize("op", BINARY)
@settings(max_examples=25)
@given(st.data(), broadcast_shapes(), SEEDS)
def test_binary(op, data, shapes, seed):
    reference, types = BINARY[op]
    dtype, rng = data.draw(st.sampled_from(types)), np.random.default_rng(seed)
    x, y = (k.random_values(rng, dtype, shape) for shape in shapes)
    if op in ("Pow", "Xlogy", "Xlog1py"):
        x, y = np.abs(x), np.abs(y)
    z, report = binary(k.gpu(), "cwise/binary", op, dtype, x, y, seed=seed)
    k.assert_close(z, reference(k.exact(x), k.exact(y)), dtype, factor=4, scale=0.1)
    assert report == 0


@pytest.mark.parametrize("op", COMPARE)
@settings(max_examples=20)
@given(st.sampled_from(k.REALS), broadcast_shapes(), SEEDS)
def test_compare(op, dtype, shapes, seed):
    rng = np.random.default_rng(seed)
    x, y = (k.random_values(rng, dtype, shape).astype(np.int8).astype(k.NUMPY[dtype]) for shape in shapes)
    z, _ = binary(k.gpu(), "cwise/compare", op, dtype, x, y, out="bool", seed=seed)
    np.testing.assert_array_equal(z, COMPARE[op](k.exact(x), k.exact(y)))


@pytest.mark.parametrize("op", GRADIENTS)
@settings(max_examples=10)
@given(st.sampled_from(k.FLOATS), SIZES, SEEDS)
def test_gradients(op, dtype, n, seed):
    rng = np.random.default_rng(seed)
    x, y = k.random_values(rng, dtype, n), k.random_values(rng, dtype, n)
    z, _ = binary(k.gpu(), *op, dtype, x, y, argument=0.25, seed=seed)
    k.assert_close(z, GRADIENTS[op](k.exact(x), k.exact(y)), dtype, factor=4, scale=2)


@pytest.mark.parametrize("op", ["SqrtGrad", "RsqrtGrad", "ReciprocalGrad"])
def test_a_gradient_of_0_stays_0_at_a_singularity(gpu, op):
    x, y = np.array([0, np.inf], np.float32), np.zeros(2, np.float32)
    assert not binary(gpu, "cwise/unary", op, "float", x, y)[0].any()


@pytest.mark.parametrize("dtype", k.INTEGERS)
@settings(max_examples=10)
@given(SEEDS, broadcast_shapes())
def test_integer_division(dtype, seed, shapes):
    rng = np.random.default_rng(seed)
    info = np.iinfo(dtype)
    x, y = (k.random_values(rng, dtype, shape) for shape in shapes)
    x.reshape(-1)[:1] = info.min
    y[y == 0] = 3
    y.reshape(-1)[:1] = 5 if info.min == 0 else -1
    floor, rest = np.floor_divide(x, y), np.remainder(x, y)
    truncated = floor + ((rest != 0) & ((x < 0) != (y < 0))).astype(dtype)
    expected = {"FloorDiv": floor, "FloorMod": rest, "TruncateDiv": truncated, "TruncateMod": x - truncated * y}
    for op, z in expected.items():
        actual, report = binary(k.gpu(), "cwise/binary", op, dtype, x, y)
        np.testing.assert_array_equal(actual, z, err_msg=op)
        assert report == 0


@pytest.mark.parametrize("op", ["TruncateDiv", "FloorDiv", "TruncateMod", "FloorMod"])
def test_division_by_zero_is_reported(gpu, op):
    x, y = np.array([1, 2, 3], np.int32), np.array([1, 0, 2], np.int32)
    z, report = binary(gpu, "cwise/binary", op, "int32", x, y)
    assert report == 1 and z[1] == 0


def test_division_and_remainder_of_floats(gpu):
    x, y = np.array([7.5, -7.5, 7.5, -7.5, 1, 0]), np.array([2, 2, -2, -2, 0, 3.0])
    reference = {"FloorDiv": np.floor(x / y), "TruncateDiv": np.trunc(x / y), "TruncateMod": np.fmod(x, y)}
    for op, z in (reference | {"FloorMod": np.mod(x, y)}).items():
        np.testing.assert_array_equal(binary(gpu, "cwise/binary", op, "double", x, y)[0], z)


def test_integer_powers(gpu):
    x, y = np.array([3, -2, 2, 0, 7, 5], np.int32), np.array([4, 3, 40, 0, 0, -1], np.int32)
    z, report = binary(gpu, "cwise/binary", "Pow", "int32", x[:5], y[:5])
    assert z.tolist() == [81, -8, 0, 1, 1] and report == 0
    assert binary(gpu, "cwise/binary", "Pow", "int32", x, y)[1] == 2


def test_nan_wins_in_extremes_and_loses_in_comparisons(gpu):
    x, y = np.array([np.nan, 1, np.nan, 2], np.float32), np.array([1, np.nan, np.nan, 3], np.float32)
    np.testing.assert_array_equal(binary(gpu, "cwise/binary", "Maximum", "float", x, y)[0], np.maximum(x, y))
    np.testing.assert_array_equal(binary(gpu, "cwise/binary", "Minimum", "float", x, y)[0], np.minimum(x, y))
    assert binary(gpu, "cwise/compare", "LessEqual", "float", x, y, out="bool")[0].tolist() == [0, 0, 0, 1]


@pytest.mark.slow
@pytest.mark.parametrize("dtype", k.REALS)
def test_approximate_equality(gpu, dtype):
    x, y = np.array([3, 3, 9, 1]).astype(k.NUMPY[dtype]), np.array([4, 5, 7, 1]).astype(k.NUMPY[dtype])
    z, _ = binary(gpu, "cwise/compare", "ApproximateEqual", dtype, x, y, out="bool", argument=1.0)
    assert z.tolist() == [True, False, False, True]


@pytest.mark.parametrize("dtype", k.INTEGERS)
def test_bits(gpu, dtype):
    x, y = k.random_values(np.random.default_rng(1), dtype, (300, 2)).T.copy()
    bits = 8 * x.itemsize
    reference = {"BitwiseAnd": x & y, "BitwiseOr": x | y, "BitwiseXor": x ^ y}
    distance = np.clip(y, 0, bits - 1)
    reference |= {"LeftShift": x << distance, "RightShift": x >> distance}
    for op, z in reference.items():
        np.testing.assert_array_equal(binary(gpu, "cwise/bitwise", op, dtype, x, y)[0], z, err_msg=op)
    np.testing.assert_array_equal(unary(gpu, "cwise/bitwise", "Invert", dtype, x), ~x)
    counts = [bin(int(v) % 2**bits).count("1") for v in x]
    np.testing.assert_array_equal(unary(gpu, "cwise/bitwise", "PopulationCount", dtype, x, out="uint8"), counts)


# ---- Select, AddN, ClipByValue, Fill, Cast.


@settings(max_examples=30)
@given(broadcast_shapes(), st.sampled_from(sorted(k.BYTES)), SEEDS)
def test_select(shapes, size, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    shapes = [shapes[0], shapes[1], rng.permutation(np.array(shapes, object))[0]]
    c = rng.integers(0, 3, shapes[0]).astype(np.uint8)  # any byte but 0 is true
    x, y = (rng.integers(0, 100, shape).astype(k.BYTES[size]) for shape in shapes[1:])
    z = gpu.empty(np.broadcast_shapes(*shapes), x.dtype)
    fields = k.broadcast_fields(shapes, "cxy") | {"c": gpu.array(c), "x": gpu.array(x), "y": gpu.array(y), "z": z}
    gpu.run("cwise/select", f"Select_bytes{size}", "cwise_select", seed=seed, **fields)
    np.testing.assert_array_equal(z.numpy(), np.where(c != 0, x, y))


@settings(max_examples=30)
@given(st.sampled_from(k.REALS), SIZES, st.integers(1, 64), SEEDS)
def test_add_n(dtype, n, count, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    values = [k.random_values(rng, dtype, n) for _ in range(count)]
    y = gpu.empty(n, k.NUMPY[dtype])
    inputs = [gpu.array(v) for v in values]
    gpu.run("cwise/nary", f"AddN_{dtype}", "cwise_sum", inputs=inputs, y=y, n=n, n_inputs=count, seed=seed)
    expected = np.sum([k.exact(v) for v in values], axis=0, dtype=None if dtype in k.FLOATS else k.NUMPY[dtype])
    k.assert_close(y.numpy(), expected, dtype, scale=10)


@settings(max_examples=30)
@given(st.sampled_from(k.REALS), SIZES, st.booleans(), st.booleans(), SEEDS)
def test_clip(dtype, n, lows, highs, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    x = k.random_values(rng, dtype, n)
    low, high = (k.random_values(rng, dtype, n if many else 1) for many in (lows, highs))
    y = gpu.empty(n, x.dtype)
    fields = {"x": gpu.array(x), "low": gpu.array(low), "high": gpu.array(high), "y": y, "n": n}
    gpu.run("cwise/clip", f"ClipByValue_{dtype}", "cwise_clip", low_step=lows, high_step=highs, seed=seed, **fields)
    expected = np.maximum(np.minimum(k.exact(x), k.exact(high)), k.exact(low))
    np.testing.assert_array_equal(k.exact(y.numpy()), expected)


@pytest.mark.parametrize("size", k.BYTES)
@pytest.mark.parametrize("n", [0, 1, 300])
def test_fill(gpu, size, n):
    gpu.reset()
    value = np.arange(1, 17, dtype=np.uint8)
    y = gpu.empty((n, size), np.uint8)
    gpu.run("array/constants", f"Fill_bytes{size}", "cwise_fill", y=y, n=n, value=value.view(np.uint64).tolist())
    assert (y.numpy() == value[:size]).all()


TYPES = (*k.REALS, "bool")


def cast(gpu, source, target, values, zeroed_bits=0, seed=0):
    gpu.reset()
    y = gpu.empty(values.shape, k.NUMPY[target])
    fields = {"x": gpu.array(values), "y": y, "n": values.size, "zeroed_bits": zeroed_bits, "seed": seed}
    name = "uint8" if source == "bool" else source  # the bytes are the same
    gpu.run("cwise/cast", f"Cast_{name}_{target}", "cwise_cast", **fields)
    return y.numpy().copy()


@settings(max_examples=150)
@given(st.sampled_from(TYPES), st.sampled_from(TYPES), SIZES, SEEDS)
def test_cast(source, target, n, seed):
    x = k.random_values(np.random.default_rng(seed), source, n, scale=50)
    if target in k.UNSIGNED:
        x = np.abs(x)
    expected = x.astype(k.NUMPY[target])
    np.testing.assert_array_equal(k.exact(cast(k.gpu(), source, target, x, seed=seed)), k.exact(expected))


def test_casts_out_of_range_give_the_values_of_the_cpu(gpu):
    x = np.array([1e20, -1e20, np.nan, np.inf, 3e9, -3e9, 300.7, -1.5])
    low = -(2**31)
    assert cast(gpu, "double", "int32", x).tolist() == [low, low, low, low, low, low, 300, -1]
    assert cast(gpu, "double", "int8", x).tolist() == [0, 0, 0, 0, 0, 0, 44, -1]
    assert cast(gpu, "double", "int64", x).tolist() == [-(2**63)] * 4 + [3000000000, -3000000000, 300, -1]
    assert cast(gpu, "double", "uint32", x).tolist() == [2**31] * 4 + [3000000000, 2**31, 300, 2**32 - 1]
    assert cast(gpu, "double", "uint64", x)[[0, 4, 7]].tolist() == [2**63, 3000000000, 2**64 - 1]
    assert cast(gpu, "double", "bool", np.append(x, 0.0)).tolist() == [True] * 8 + [False]


def test_double_becomes_half_in_one_rounding(gpu):
    # Just above the middle of two halves: through float it would be rounded to the middle, then down.
    x = np.array([1 + 2**-11 + 2**-40, 1 + 2**-11])
    assert cast(gpu, "double", "half", x).tolist() == [1 + 2**-10, 1]


def test_cast_with_truncation(gpu):
    x = np.array([1 + 2**-8 + 2**-9, -(1 + 2**-8 + 2**-9), np.nan], np.float32)
    y = cast(gpu, "float", "bfloat16", x, zeroed_bits=16).astype(np.float64)
    np.testing.assert_array_equal(y, [1, -1, np.nan])


# ---- The checks themselves.


@k.needs_checks
def test_a_wrong_count_is_found(gpu):
    gpu.reset()
    x = gpu.array(np.zeros(300, np.float32))
    with pytest.raises(k.on_host.KernelError, match="Exp_float"):
        gpu.run("cwise/unary", "Exp_float", "cwise_unary", x=x, y=x, n=301)


@k.needs_checks
def test_wrong_strides_are_found(gpu):
    gpu.reset()
    x, z = gpu.array(np.zeros((3, 1), np.float32)), gpu.empty((3, 4), np.float32)
    fields = {"x": x, "y": x, "z": z, "n": 12, "rank": 2, "dims": [3, 4], "x_stride": [1, 0], "y_stride": [1, 1]}
    with pytest.raises(k.on_host.KernelError, match="Add_float"):
        gpu.run("cwise/binary", "Add_float", "cwise_binary", **fields)


@k.needs_checks
def test_overlapping_outputs_race(gpu):
    gpu.reset()
    x = gpu.array(np.zeros(600, np.float32))
    fields = {"from": x, "to": x, "to_offset": 1, "n": 599, "rank": 1, "dims": [599]}
    with pytest.raises(k.on_host.KernelError) as raised:
        gpu.run("array/copy", "Copy_bytes4", "array_copy", from_stride=[1], to_stride=[1], **fields)
    assert raised.value.kind == k.on_host.RACE


def test_structs_have_the_sizes_of_c():
    for name, struct in k.structs().items():
        assert getattr(k.geometry(), f"size_of_{name}")() == k.ctypes.sizeof(struct), name
