"""The updates of optimizers, in checked builds on the host, against NumPy in float64."""

import pathlib
import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gpu import kernels as k
from tests.gpu.test_indexing import sort_indices
from tfcore.gpu import build

SEEDS = st.integers(0, 2**32 - 1)
NESTEROV, UPDATE_SLOTS, MULTIPLY = 1, 2, 4


def gradient_descent(s, flags, v, g):
    (alpha,) = s
    return [v[0] - alpha * g]


def momentum(s, flags, v, g):
    lr, mu = s
    accum = v[1] * mu + g
    return [v[0] - lr * (g + mu * accum if flags & NESTEROV else accum), accum]


def adagrad(s, flags, v, g):
    accum = v[1] + g * g if flags & UPDATE_SLOTS else v[1]
    return [v[0] - s[0] * g / (np.sqrt(accum) + (s[1] if len(s) > 1 else 0)), accum]


def adadelta(s, flags, v, g):
    lr, rho, epsilon = s
    accum = rho * v[1] + (1 - rho) * g * g
    update = np.sqrt(v[2] + epsilon) / np.sqrt(accum + epsilon) * g
    return [v[0] - lr * update, accum, rho * v[2] + (1 - rho) * update**2]


def adam(s, flags, v, g):
    power1, power2, lr, beta1, beta2, epsilon = s
    m, second = beta1 * v[1] + (1 - beta1) * g, beta2 * v[2] + (1 - beta2) * g * g
    ahead = beta1 * m + (1 - beta1) * g if flags & NESTEROV else m
    return [v[0] - lr * np.sqrt(1 - power2) / (1 - power1) * ahead / (np.sqrt(second) + epsilon), m, second]


def adamax(s, flags, v, g):
    power1, lr, beta1, beta2, epsilon = s
    m, size = beta1 * v[1] + (1 - beta1) * g, np.maximum(beta2 * v[2], np.abs(g))
    return [v[0] - lr / (1 - power1) * m / (size + epsilon), m, size]


def rms_prop(s, flags, v, g):
    lr, rho, mu, epsilon = s
    ms = rho * v[1] + (1 - rho) * g * g
    step = mu * v[2] + lr * g / np.sqrt(ms + epsilon)
    return [v[0] - step, ms, step]


def centered_rms_prop(s, flags, v, g):
    lr, rho, mu, epsilon = s
    mean, ms = rho * v[1] + (1 - rho) * g, rho * v[2] + (1 - rho) * g * g
    step = mu * v[3] + lr * g / np.sqrt(ms - mean**2 + epsilon)
    return [v[0] - step, mean, ms, step]


def ftrl(s, flags, v, g):
    lr, l1, l2, *shrinkage, power = s
    accum, multiply = v[1] + g * g, flags & MULTIPLY
    linear = v[2] / lr if multiply else v[2]
    sigma = (accum**-power - v[1] ** -power) / lr
    linear = linear + g + (2 * shrinkage[0] * v[0] if shrinkage else 0) - sigma * v[0]
    quadratic = accum**-power / lr + 2 * l2
    var = np.where(np.abs(linear) > l1, (np.sign(linear) * l1 - linear) / quadratic, 0)
    return [var, accum, linear * lr if multiply else linear]


def proximal(x, rate, l1, l2):
    return np.sign(x) * np.maximum(np.abs(x) - rate * l1, 0) / (1 + l2 * rate)


def proximal_adagrad(s, flags, v, g):
    lr, l1, l2 = s
    accum = v[1] + g * g
    rate = lr / np.sqrt(accum)
    return [proximal(v[0] - rate * g, rate, l1, l2), accum]


def proximal_gradient_descent(s, flags, v, g):
    alpha, l1, l2 = s
    return [proximal(v[0] - alpha * g, alpha, l1, l2)]


def adagrad_da(s, flags, v, g):
    lr, l1, l2, step = s
    total, squares = v[1] + g, v[2] + g * g
    pulled = np.sign(total) * np.maximum(np.abs(total) - l1 * step, 0)
    return [-lr * pulled / (l2 * step * lr + np.sqrt(squares)), total, squares]


def add_sign(s, flags, v, g):
    lr, alpha, decay, beta = s
    m = beta * v[1] + (1 - beta) * g
    return [v[0] - lr * (alpha + decay * np.sign(g) * np.sign(m)) * g, m]


def power_sign(s, flags, v, g):
    lr, base, decay, beta = s
    m = beta * v[1] + (1 - beta) * g
    return [v[0] - lr * np.exp(base * decay * np.sign(g) * np.sign(m)) * g, m]


# The rule, the scalars, the number of slots with the variable, the flag that it knows
RULES = {
    "ApplyGradientDescent": (gradient_descent, (0.5,), 1, 0),
    "ApplyMomentum": (momentum, (0.25, 0.75), 2, NESTEROV),
    "ApplyAdagrad": (adagrad, (0.5,), 2, UPDATE_SLOTS),
    "ApplyAdagradV2": (adagrad, (0.5, 0.125), 2, UPDATE_SLOTS),
    "ApplyAdadelta": (adadelta, (0.5, 0.75, 0.125), 3, 0),
    "ApplyAdam": (adam, (0.5, 0.75, 0.25, 0.875, 0.75, 0.125), 3, NESTEROV),
    "ApplyAdaMax": (adamax, (0.5, 0.25, 0.875, 0.75, 0.125), 3, 0),
    "ApplyRMSProp": (rms_prop, (0.25, 0.75, 0.5, 0.125), 3, 0),
    "ApplyCenteredRMSProp": (centered_rms_prop, (0.25, 0.75, 0.5, 64.0), 4, 0),
    "ApplyFtrl": (ftrl, (0.5, 0.25, 0.125, -0.5), 3, MULTIPLY),
    "ApplyFtrlV2": (ftrl, (0.5, 0.25, 0.125, 0.25, -0.75), 3, MULTIPLY),
    "ApplyProximalAdagrad": (proximal_adagrad, (0.5, 0.25, 0.125), 2, 0),
    "ApplyProximalGradientDescent": (proximal_gradient_descent, (0.5, 0.25, 0.125), 1, 0),
    "ApplyAdagradDA": (adagrad_da, (0.5, 0.25, 0.125, 2.0), 3, 0),
    "ApplyAddSign": (add_sign, (0.25, 1.0, 0.5, 0.75), 2, 0),
    "ApplyPowerSign": (power_sign, (0.25, 1.0, 0.5, 0.75), 2, 0),
}
NAMES = (pathlib.Path(build.SOURCES).parent / "kernels_c" / "training" / "names.h").read_text()
DENSE = re.findall(r"DENSE\((\w+)\)", NAMES)
SPARSE = re.findall(r"SPARSE\((\w+), (\w+)\)", NAMES)


def test_all_optimizers_have_a_rule():
    assert DENSE == list(RULES) and {dense for _, dense in SPARSE} < set(DENSE)
    assert all(sparse == f"Sparse{dense}" for sparse, dense in SPARSE)


def slots_of(rng, dtype, count, shape):
    """The variable of any sign, and slots that may be square roots' arguments."""
    slots = [k.exact(k.random_values(rng, dtype, shape, scale=1)) for _ in range(count)]
    return [slots[0].astype(k.NUMPY[dtype]), *((np.abs(s) + 0.5).astype(k.NUMPY[dtype]) for s in slots[1:])]


def run(gpu, name, params, dtype, scalars, slots, gradient, flags, seed, **more):
    on_device = [gpu.array(s) for s in slots]
    constants = [gpu.array(np.array([s], k.NUMPY[dtype])) for s in scalars]
    fields = {"slot": on_device, "gradient": gpu.array(gradient), "scalar": constants, "flags": flags, **more}
    gpu.run("training/training", f"{name}_{dtype}", params, seed=seed, **fields)
    return [s.numpy() for s in on_device]


@pytest.mark.parametrize("op", DENSE)
@settings(max_examples=20)
@given(st.sampled_from(k.FLOATS), st.sampled_from([0, 1, 257]), st.booleans(), SEEDS)
def test_dense(op, dtype, n, flag, seed):
    rule, scalars, count, flags = RULES[op]
    gpu, rng, flags = k.gpu(), np.random.default_rng(seed), flags * flag
    gpu.reset()
    slots, g = slots_of(rng, dtype, count, n), k.random_values(rng, dtype, n, scale=1)
    actual = run(gpu, op, "training", dtype, scalars, slots, g, flags, seed, n=n)
    expected = rule(scalars, flags, [k.exact(s) for s in slots], k.exact(g))
    for a, e in zip(actual, expected, strict=True):
        k.assert_close(a, e, dtype, factor=8)


@pytest.mark.parametrize("sparse, op", SPARSE)
@settings(max_examples=15)
@given(st.sampled_from(k.FLOATS), st.sampled_from([1, 300]), st.integers(0, 8), SEEDS)
def test_sparse(sparse, op, dtype, inner, n, seed):
    rule, scalars, count, flags = RULES[op]
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    slots, g = slots_of(rng, dtype, count, (5, inner)), k.random_values(rng, dtype, (n, inner), scale=1)
    indices, report = rng.integers(0, 5, n).astype(np.int32), gpu.report()
    index = {"indices": gpu.array(indices), "report": report, "n": n, "depth": 1, "inner": inner, "dims": [5]}
    sort_indices(gpu, index, seed=seed)
    actual = run(gpu, sparse, "sparse_training", dtype, scalars, slots, g, flags, seed, index=index)
    expected = [s.copy() for s in slots]
    for row, update in zip(indices, k.exact(g), strict=True):
        for slot, value in zip(
            expected, rule(scalars, flags, [k.exact(s[row]) for s in expected], update), strict=True
        ):
            slot[row] = value.astype(slot.dtype)
    for a, e in zip(actual, expected, strict=True):
        k.assert_close(a, k.exact(e), dtype, factor=30)
    assert k.failed(report) == 0


def test_a_wrong_row_is_reported_and_nothing_changes():
    gpu = k.gpu()
    gpu.reset()
    slots, report = [np.ones((2, 3), np.float32)] * 2, gpu.report()
    index = {"indices": gpu.array(np.array([1, 2], np.int32)), "report": report, "n": 2, "depth": 1, "inner": 3}
    index["dims"] = [2]
    sort_indices(gpu, index)
    gradient = np.ones((2, 3), np.float32)
    var, _ = run(gpu, "SparseApplyMomentum", "sparse_training", "float", (1, 0), slots, gradient, 0, 0, index=index)
    assert (var == 1).all() and k.reported_index(report) == (1, [2])
