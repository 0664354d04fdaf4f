"""Reductions and positions of extremes, in checked builds on the host."""

import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gpu import kernels as k

SEEDS = st.integers(0, 2**32 - 1)
# [outer][reduced][inner]: lines, columns, tails, nothing, and so long that they are cut into chunks
SHAPES = st.sampled_from(
    [(1, 1, 1), (3, 5, 1), (70, 10, 1), (2, 700, 1), (1, 9000, 1), (1, 20, 300), (2, 2500, 3), (5, 33, 7), (2, 300, 40)]
    + [(0, 3, 2), (3, 0, 2), (2, 3, 0)]
)


def partial_type(dtype):
    if dtype in k.FLOATS:
        return np.float64 if dtype == "double" else np.float32
    return np.uint8 if dtype == "bool" else np.uint64


def reduce(gpu, op, dtype, x, seed=0, lanes=None, chunks=None):
    """Reduces the middle dimension, in two stages if the plan cuts it into chunks."""
    outer, reduced, inner = x.shape
    y = gpu.empty((outer, inner), k.NUMPY[dtype])
    fields = {"x": gpu.array(x), "y": y, "outer": outer, "reduced": reduced, "inner": inner, "divisor": reduced}
    p = gpu.plan("reduce", **fields)
    p.lanes, p.chunks = lanes or p.lanes, chunks or p.chunks
    if p.chunks > 1:
        partial = gpu.empty((outer, p.chunks, inner), partial_type(dtype))
        p.y, p.y_partial = partial.address, 1
        gpu.launch("reduce/reduce", f"{op}_{dtype}", p, seed=seed)
        p = gpu.plan("reduce", **fields | {"x": partial, "reduced": p.chunks, "x_partial": 1})
        p.chunks = 1
    gpu.launch("reduce/reduce", f"{op}_{dtype}", p, seed=seed)
    return y.numpy().copy()


def reference(op, x, dtype):
    e = k.exact(x)
    if op == "Mean":
        total = e.sum(axis=1, dtype=None if dtype in k.FLOATS else np.int64)
        with np.errstate(all="ignore"):
            return total / x.shape[1] if dtype in k.FLOATS else np.trunc(total / max(x.shape[1], 1))
    if op in ("Max", "Min"):
        start = (-np.inf if op == "Max" else np.inf) if dtype in k.FLOATS else None
        if start is None:
            info = np.iinfo(k.NUMPY[dtype])
            start = info.min if op == "Max" else info.max
        return getattr(np, op.lower())(e, axis=1, initial=start)
    kind = None if dtype in k.FLOATS else k.NUMPY[dtype]
    functions = {"Sum": np.sum, "Prod": np.prod, "EuclideanNorm": np.sum, "L2Loss": np.sum}
    value = functions[op](e * e if op in ("EuclideanNorm", "L2Loss") else e, axis=1, dtype=kind)
    return {"EuclideanNorm": np.sqrt, "L2Loss": lambda v: v / 2}.get(op, lambda v: v)(value)


@pytest.mark.parametrize("op", ["Sum", "Mean", "Max", "Min", "Prod", "EuclideanNorm", "L2Loss"])
@settings(max_examples=40)
@given(st.data(), SHAPES, SEEDS)
def test_reductions(op, data, shape, seed):
    types = k.FLOATS if op in ("EuclideanNorm", "L2Loss") else k.REALS
    dtype, gpu, rng = data.draw(st.sampled_from(types)), k.gpu(), np.random.default_rng(seed)
    if op == "Mean" and dtype not in k.FLOATS and shape[1] == 0:
        return  # the host gives 0 without a launch
    gpu.reset()
    x = k.random_values(rng, dtype, shape)
    if op == "Prod" and dtype in k.FLOATS:
        x = (1 + rng.standard_normal(shape) * 0.1 / np.sqrt(shape[1] + 1)).astype(k.NUMPY[dtype])
    factor = 1 + shape[1] ** 0.5 if op in ("Sum", "Mean", "Prod") and dtype in ("float", "double") else 4
    y = reduce(gpu, op, dtype, x, seed)
    scale = np.sqrt(shape[1] + 1.0) if op != "Mean" else 1
    k.assert_close(y, reference(op, x, dtype), dtype, factor=factor, scale=scale)


@settings(max_examples=40)
@given(st.sampled_from([1, 2, 8, 64, 256]), st.integers(1, 9), st.integers(0, 400), st.sampled_from([1, 3, 50]), SEEDS)
def test_any_plan_gives_the_sum(lanes, chunks, reduced, inner, seed):
    gpu = k.gpu()
    gpu.reset()
    x = np.random.default_rng(seed).integers(-9, 9, (2, reduced, inner))
    np.testing.assert_array_equal(reduce(gpu, "Sum", "int64", x, seed, lanes, chunks), x.sum(axis=1))


@pytest.mark.parametrize("dtype", ["float", "half", "int32"])
def test_two_kept_dimensions_take_two_stages(dtype):
    """The gradient of a bias, channels first: from [batch][channels][pixels] to [channels]."""
    gpu = k.gpu()
    gpu.reset()
    x = k.random_values(np.random.default_rng(0), dtype, (3, 5, 130))
    partial, y = gpu.empty((3, 5), partial_type(dtype)), gpu.empty(5, k.NUMPY[dtype])
    first = gpu.plan("reduce", x=gpu.array(x), y=partial, outer=15, reduced=130, inner=1, y_partial=1)
    second = gpu.plan("reduce", x=partial, y=y, outer=1, reduced=3, inner=5, x_partial=1)
    assert first.chunks == second.chunks == 1
    gpu.launch("reduce/reduce", f"Sum_{dtype}", first)
    gpu.launch("reduce/reduce", f"Sum_{dtype}", second)
    k.assert_close(y.numpy(), k.exact(x).sum(axis=(0, 2)), dtype, scale=20)


def test_results_do_not_depend_on_the_order_of_threads():
    gpu = k.gpu()
    x = np.random.default_rng(0).standard_normal((1, 20000, 1)).astype(np.float32)
    found = set()
    for seed in range(6):
        gpu.reset()
        found.add(reduce(gpu, "Sum", "float", x, seed).tobytes())
    assert len(found) == 1


def test_long_sums_of_half_are_taken_in_float():
    gpu = k.gpu()
    gpu.reset()
    x = np.full((1, 20000, 1), 0.125, np.float16)
    assert reduce(gpu, "Sum", "half", x)[0, 0] == 2500
    gpu.reset()
    assert reduce(gpu, "Mean", "half", np.full((1, 20000, 1), 100, np.float16))[0, 0] == 100  # their sum is infinite


def test_nan_survives_in_extremes():
    gpu, x = k.gpu(), np.zeros((1, 700, 1), np.float32)
    for place in (0, 300, 699):
        gpu.reset()
        y = x.copy()
        y[0, place] = np.nan
        assert np.isnan(reduce(gpu, "Max", "float", y)) and np.isnan(reduce(gpu, "Min", "float", y))


@settings(max_examples=30)
@given(SHAPES, st.sampled_from([0.0, 0.01, 0.99, 1.0]), SEEDS)
def test_logic(shape, share, seed):
    gpu = k.gpu()
    gpu.reset()
    x = np.random.default_rng(seed).random(shape) < share
    np.testing.assert_array_equal(reduce(gpu, "All", "bool", x, seed), x.all(axis=1))
    np.testing.assert_array_equal(reduce(gpu, "Any", "bool", x, seed), x.any(axis=1))


def arg(gpu, op, dtype, x, wide=True, seed=0):
    outer, reduced, inner = x.shape
    y = gpu.empty((outer, inner), np.int64 if wide else np.int32)
    fields = {"x": gpu.array(x), "y": y, "outer": outer, "reduced": reduced, "inner": inner, "wide": wide}
    gpu.run("reduce/arg", f"{op}_{dtype}", "reduce_arg", seed=seed, **fields)
    return y.numpy().copy()


@pytest.mark.parametrize("op", ["ArgMax", "ArgMin"])
@settings(max_examples=50)
@given(st.sampled_from(k.REALS), SHAPES.filter(lambda s: s[1]), st.booleans(), SEEDS)
def test_positions(op, dtype, shape, wide, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    x = rng.integers(0, 8, shape).astype(k.NUMPY[dtype])  # with equal values: the first one counts
    function = np.argmax if op == "ArgMax" else np.argmin
    np.testing.assert_array_equal(arg(gpu, op, dtype, x, wide, seed), function(k.exact(x), axis=1))


def test_positions_beside_nan():
    gpu = k.gpu()
    gpu.reset()
    x = np.array([[np.nan, 1, 3, np.nan], [np.nan] * 4, [-np.inf, np.nan, -np.inf, -np.inf]], np.float32)[:, :, None]
    assert arg(gpu, "ArgMax", "float", x).tolist() == [[2], [0], [0]]
    assert arg(gpu, "ArgMin", "float", x).tolist() == [[1], [0], [0]]


@k.needs_checks
def test_a_chunk_too_few_in_the_scratch_is_found():
    gpu = k.gpu()
    gpu.reset()
    x = np.ones((1, 9000, 1), np.float32)
    p = gpu.plan("reduce", x=gpu.array(x), outer=1, reduced=9000, inner=1, y_partial=1)
    assert p.chunks > 1
    p.y = gpu.empty(p.chunks - 1, np.float32).address
    with pytest.raises(k.on_host.KernelError, match="Sum_float") as raised:
        gpu.launch("reduce/reduce", "Sum_float", p)
    assert raised.value.kind == k.on_host.BOUNDS


def test_the_largest_sizes_keep_to_the_limits_of_a_launch():
    p = k.gpu().plan("reduce", outer=2**40, reduced=2**20, inner=1)
    size = k.Launch()
    k.geometry().run_reduce_launch(ctypes.byref(p), ctypes.byref(size))
    assert 0 < size.grid[0] < 2**31 and size.block[0] <= 1024
