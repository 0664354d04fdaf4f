"""Softmax and cross entropies, in checked builds on the host."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from tests.gpu import kernels as k

SEEDS = st.integers(0, 2**32 - 1)
SHAPES = st.sampled_from([(1, 1), (3, 10), (300, 2), (2, 257), (40, 33), (1, 3000), (0, 4), (4, 0)])


def softmax(gpu, op, dtype, x, seed=0):
    y = gpu.empty(x.shape, x.dtype)
    given_x = gpu.array(x)
    fields = {"rows": x.shape[0], "cols": x.shape[1], "seed": seed}
    gpu.run("nn/softmax", f"{op}_{dtype}", "softmax", x=given_x, y=y, **fields)
    gpu.run("nn/softmax", f"{op}_{dtype}", "softmax", x=given_x, y=given_x, **fields)
    np.testing.assert_array_equal(k.exact(given_x.numpy()), k.exact(y.numpy()))
    return y.numpy().copy()


@pytest.mark.parametrize("op", ["Softmax", "LogSoftmax"])
@settings(max_examples=30)
@given(st.sampled_from(k.FLOATS), SHAPES, SEEDS)
def test_softmax(op, dtype, shape, seed):
    gpu = k.gpu()
    gpu.reset()
    x = k.random_values(np.random.default_rng(seed), dtype, shape, scale=10)
    function = special.softmax if op == "Softmax" else special.log_softmax
    expected = function(k.exact(x), axis=1) if x.size else x
    k.assert_close(softmax(gpu, op, dtype, x, seed), expected, dtype, factor=8)


def test_large_logits_do_not_overflow():
    gpu = k.gpu()
    gpu.reset()
    x = np.array([[1e30, 0], [-1e30, -1e30], [-np.inf, 5]], np.float32)
    np.testing.assert_array_equal(softmax(gpu, "Softmax", "float", x), [[1, 0], [0.5, 0.5], [0, 1]])
    np.testing.assert_array_equal(softmax(gpu, "LogSoftmax", "float", x)[0], np.float32([0, -1e30]))


@settings(max_examples=60)
@given(st.sampled_from(k.FLOATS), SHAPES, st.sampled_from(["", "row", "column", "labels"]), SEEDS)
def test_cross_entropy(dtype, shape, broadcast, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    rows, cols = shape
    x_shape = {"row": (1, cols), "column": (rows, 1)}.get(broadcast, shape)
    x, labels = k.random_values(rng, dtype, x_shape), rng.random((1, cols) if broadcast == "labels" else shape)
    labels = (labels / max(cols, 1)).astype(x.dtype)
    loss, backprop = gpu.empty(rows, x.dtype), gpu.empty(shape, x.dtype)
    fields = {"x": gpu.array(x), "labels": gpu.array(labels), "loss": loss, "backprop": backprop}
    fields |= {"rows": rows, "cols": cols, "x_row_step": x_shape[1] if x_shape[0] == rows > 1 else 0}
    fields |= {"x_col_step": int(x_shape[1] > 1), "labels_col_step": 1}
    fields |= {"labels_row_step": cols if broadcast != "labels" else 0}
    gpu.run("nn/softmax", f"SoftmaxCrossEntropyWithLogits_{dtype}", "cross_entropy", seed=seed, **fields)
    if not loss.numpy().size or not cols:
        return
    e, target = np.broadcast_to(k.exact(x), shape), np.broadcast_to(k.exact(labels), shape)
    k.assert_close(loss.numpy(), -(target * special.log_softmax(e, axis=1)).sum(axis=1), dtype, factor=8)
    k.assert_close(backprop.numpy(), special.softmax(e, axis=1) - target, dtype, factor=8)


def test_a_label_of_0_ignores_an_infinite_logit():
    gpu = k.gpu()
    gpu.reset()
    x, labels = np.array([[-np.inf, 1.0]], np.float32), np.array([[0, 1.0]], np.float32)
    loss, backprop = gpu.empty(1, x.dtype), gpu.empty((1, 2), x.dtype)
    fields = {"x": gpu.array(x), "labels": gpu.array(labels), "loss": loss, "backprop": backprop, "rows": 1, "cols": 2}
    fields |= {"x_row_step": 2, "x_col_step": 1, "labels_row_step": 2, "labels_col_step": 1}
    gpu.run("nn/softmax", "SoftmaxCrossEntropyWithLogits_float", "cross_entropy", **fields)
    assert loss.numpy()[0] == 0 and backprop.numpy().tolist() == [[0, 0]]


def sparse(gpu, dtype, x, labels, seed=0):
    loss, backprop, report = gpu.empty(len(x), x.dtype), gpu.array(x), gpu.report()
    fields = {"x": backprop, "labels": gpu.array(labels), "loss": loss, "backprop": backprop, "report": report}
    fields |= {"rows": x.shape[0], "cols": x.shape[1], "wide": labels.dtype == np.int64, "seed": seed}
    name = f"SparseSoftmaxCrossEntropyWithLogits_{dtype}"
    gpu.run("nn/softmax", name, "sparse_cross_entropy", **fields)
    return loss.numpy().copy(), backprop.numpy().copy(), report


@settings(max_examples=40)
@given(st.sampled_from(k.FLOATS), SHAPES.filter(lambda s: s[1]), st.sampled_from([np.int32, np.int64]), SEEDS)
def test_sparse_cross_entropy(dtype, shape, index, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    x, labels = k.random_values(rng, dtype, shape), rng.integers(0, shape[1], shape[0]).astype(index)
    loss, backprop, report = sparse(gpu, dtype, x, labels, seed)
    e, rows = k.exact(x), np.arange(len(x))
    if len(x):
        k.assert_close(loss, -special.log_softmax(e, axis=1)[rows, labels], dtype, factor=8)
        expected = special.softmax(e, axis=1)
        expected[rows, labels] -= 1
        k.assert_close(backprop, expected, dtype, factor=8)
    assert k.failed(report) == 0


@pytest.mark.parametrize("bad", [-1, 3, -(2**40), 2**40])
def test_the_first_wrong_label_is_reported(bad):
    gpu = k.gpu()
    labels = np.array([0, 2, bad, 1, 7], np.int64)
    for seed in range(4):
        gpu.reset()
        loss, backprop, report = sparse(gpu, "float", np.zeros((5, 3), np.float32), labels, seed)
        assert k.reported_index(report) == (2, [bad])
        assert np.isnan(loss).tolist() == [False, False, True, False, True] and np.isnan(backprop[2]).all()
        np.testing.assert_allclose(loss[[0, 1, 3]], np.log(3), rtol=1e-6)
