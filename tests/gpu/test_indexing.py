"""Gather and scatter, in checked builds on the host."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gpu import kernels as k

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.sampled_from(sorted(k.BYTES))
INDEX = st.sampled_from([np.int32, np.int64])


def gather(gpu, x, indices, seed=0):
    """x: [batch][outer][limit][inner], indices: [batch][n]."""
    (batch, outer, limit, inner), n = x.shape, indices.shape[1]
    y, report = gpu.empty((batch, outer, n, inner), x.dtype), gpu.report()
    fields = {"x": gpu.array(x), "indices": gpu.array(indices), "y": y, "report": report, "seed": seed, "n": n}
    fields |= {"batch": batch, "outer": outer, "limit": limit, "inner": inner, "wide": indices.dtype == np.int64}
    gpu.run("indexing/indexing", f"Gather_bytes{x.itemsize}", "gather", **fields)
    return y.numpy().copy(), report


@settings(max_examples=50)
@given(st.tuples(*[st.integers(0, 4)] * 2), st.integers(1, 9), st.integers(0, 50), st.integers(0, 30), SIZES, SEEDS)
def test_gather(outside, limit, inner, n, size, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    x = rng.integers(0, 99, (*outside, limit, inner)).astype(k.BYTES[size])
    indices = rng.integers(0, limit, (outside[0], n)).astype(rng.choice([np.int32, np.int64]))
    y, report = gather(gpu, x, indices, seed)
    np.testing.assert_array_equal(y, np.take_along_axis(x, indices[:, None, :, None].astype(np.int64), axis=2))
    assert k.failed(report) == 0


@pytest.mark.parametrize("bad", [-1, 5, 2**31 - 1])
def test_the_first_wrong_index_is_reported(bad):
    gpu, x = k.gpu(), np.ones((2, 3, 5, 7), np.float32)
    for seed in range(5):
        gpu.reset()
        y, report = gather(gpu, x, np.array([[0, 4, 1], [2, bad, -9]], np.int32), seed)
        assert k.failed(report) == 4 and k.reported_index(report) == (4, [bad])
        assert (y[1, :, 1:] == 0).all() and y.sum() == 4 * 3 * 7


def nd_fields(gpu, indices, dims, inner, report):
    n, depth = indices.shape
    return {
        "indices": gpu.array(indices), "report": report, "n": n, "depth": depth, "inner": inner, "dims": dims,
        "wide": indices.dtype == np.int64,
    }  # fmt: skip


def rows_of(indices, dims):
    return np.ravel_multi_index(tuple(indices.T.astype(np.int64)), dims) if dims else np.zeros(len(indices), np.int64)


@settings(max_examples=40)
@given(st.lists(st.integers(1, 5), max_size=4), st.integers(0, 20), st.integers(0, 30), SIZES, INDEX, SEEDS)
def test_gather_nd(dims, inner, n, size, index, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    x = rng.integers(0, 99, (math.prod(dims), inner)).astype(k.BYTES[size])
    indices = np.array([[rng.integers(0, d) for d in dims] for _ in range(n)], index).reshape(n, len(dims))
    y, report = gpu.empty((n, inner), x.dtype), gpu.report()
    fields = {"x": gpu.array(x), "y": y, "index": nd_fields(gpu, indices, dims, inner, report)}
    gpu.run("indexing/indexing", f"GatherNd_bytes{size}", "gather_nd", seed=seed, **fields)
    np.testing.assert_array_equal(y.numpy(), x[rows_of(indices, dims)])
    assert k.failed(report) == 0


def test_all_numbers_of_a_wrong_index_are_reported():
    gpu = k.gpu()
    gpu.reset()
    indices = np.array([[0, 1], [1, 2], [-3, 2**40], [9, 9]], np.int64)
    y, report = gpu.empty((4, 6), np.float32), gpu.report()
    fields = {"x": gpu.array(np.ones((6, 6), np.float32)), "y": y}
    gpu.run(
        "indexing/indexing", "GatherNd_bytes4", "gather_nd", index=nd_fields(gpu, indices, (2, 3), 6, report), **fields
    )
    assert k.reported_index(report, 2) == (2, [-3, 2**40])
    assert (y.numpy()[2:] == 0).all() and (y.numpy()[:2] == 1).all()


FUNCTIONS = {
    "ScatterAdd": lambda x, y: x + y,
    "ScatterSub": lambda x, y: x - y,
    "ScatterMul": lambda x, y: x * y,
    "ScatterDiv": lambda x, y: x / y,
    "ScatterMin": lambda x, y: np.where(y < x, y, x),
    "ScatterMax": lambda x, y: np.where(x < y, y, x),
    "ScatterMinimum": np.minimum,
    "ScatterMaximum": np.maximum,
    "ScatterUpdate": lambda x, y: y,
}


def sort_indices(gpu, index, skip=0, seed=0):
    """The sorted keys of an nd_index, which is given as its fields and gets them, too."""
    keys = gpu.empty((index["n"], 2), np.int64)
    if index["n"]:
        struct = gpu.plan("sort_indices", index=index, to=keys, skip=skip)
        gpu.launch("indexing/indexing", "SortIndices", struct, seed=seed)
        width = struct.width
        while width < index["n"]:
            merged = gpu.empty(keys.shape, np.int64)
            fields = {"from": keys, "to": merged, "n": index["n"], "width": width}
            gpu.run("indexing/indexing", "MergeIndices", "merge_indices", seed=seed, **fields)
            keys, width = merged, 2 * width
    index["order"] = keys
    return keys


def scatter(gpu, op, name, x, indices, dims, updates, seed=0, skip=0, **more):
    to, report = gpu.array(x), gpu.report()
    index = nd_fields(gpu, indices, dims, x.shape[1], report)
    sort_indices(gpu, index, skip, seed)
    fields = {"x": to, "updates": gpu.array(updates), "index": index, "update_step": int(updates.size != 1), **more}
    gpu.run("indexing/indexing", f"{op}_{name}", "scatter", seed=seed, **fields)
    return to.numpy().copy(), report


@pytest.mark.parametrize("op", FUNCTIONS)
@settings(max_examples=25)
@given(st.data(), st.sampled_from([(6,), (2, 3), (1,)]), st.sampled_from([1, 3, 300]), st.integers(0, 40), SEEDS)
def test_scatter_with_equal_indices_in_order(op, data, dims, inner, n, seed):
    dtype = data.draw(st.sampled_from(k.FLOATS if op == "ScatterDiv" else k.REALS))
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    x, updates = (k.random_values(rng, dtype, (rows, inner)) for rows in (math.prod(dims), n))
    if dtype in k.FLOATS:
        updates[rng.random(updates.shape) < 0.1] = np.nan
    indices = np.array([[rng.integers(0, d) for d in dims] for _ in range(n)], np.int64).reshape(n, len(dims))
    expected = x.copy()
    with np.errstate(all="ignore"):
        for row, update in zip(rows_of(indices, dims), updates, strict=True):
            expected[row] = FUNCTIONS[op](expected[row], update)  # as the CPU: one after another, rounded each time
    name = f"bytes{x.itemsize}" if op == "ScatterUpdate" else dtype
    actual, report = scatter(gpu, op, name, x, indices, dims, updates, seed)
    np.testing.assert_array_equal(k.exact(actual), k.exact(expected))
    assert k.failed(report) == 0


@settings(max_examples=30)
@given(st.one_of(st.integers(0, 40), st.integers(500, 3000)), st.integers(1, 50), INDEX, SEEDS)
def test_indices_are_sorted_by_row_and_position(n, rows, index, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    indices = rng.integers(-1, rows + 1, (n, 1)).astype(index)
    found = sort_indices(gpu, nd_fields(gpu, indices, (rows,), 1, gpu.report()), 2, seed).numpy()
    named = np.where((indices >= 0) & (indices < rows), indices, -1)[:, 0].astype(np.int64)
    order = np.argsort(named.view(np.uint64), kind="stable")
    np.testing.assert_array_equal(found, np.stack([named[order], order], 1))


def test_many_indices_are_merged_from_several_runs():
    gpu, rng = k.gpu(), np.random.default_rng(3)
    gpu.reset()
    x, indices = np.zeros((7, 2), np.int64), rng.integers(0, 7, (700, 1))
    updates = rng.integers(-9, 9, (700, 2))
    expected = x.copy()
    np.add.at(expected, indices[:, 0], updates)
    np.testing.assert_array_equal(scatter(gpu, "ScatterAdd", "int64", x, indices, (7,), updates)[0], expected)


def test_one_update_for_all_and_wrong_indices():
    gpu, one = k.gpu(), np.ones(1, np.float32)
    indices = np.array([[2], [-1], [2], [4], [0]], np.int32)
    for skip, failure in ((0, (1, [-1])), (1, (3, [4]))):
        gpu.reset()
        x = np.zeros((4, 3), np.float32)
        y, report = scatter(gpu, "ScatterAdd", "float", x, indices, (4,), one, skip=skip)
        assert (y == 0).all() and k.reported_index(report) == failure
    indices[3] = 3
    gpu.reset()
    y, report = scatter(gpu, "ScatterAdd", "float", np.zeros((4, 3), np.float32), indices, (4,), one, skip=1)
    assert y[:, 0].tolist() == [1, 0, 2, 1] and k.failed(report) == 0


def test_wrong_indices_may_mean_no_row():
    gpu, one = k.gpu(), np.ones(1, np.float32)
    gpu.reset()
    indices = np.array([[2], [-1], [2], [4], [0]], np.int32)
    y, report = scatter(gpu, "ScatterAdd", "float", np.zeros((4, 3), np.float32), indices, (4,), one, skip=2)
    assert y[:, 0].tolist() == [1, 0, 2, 0] and k.failed(report) == 0


def test_the_first_update_of_a_row_may_replace_what_is_there():
    gpu = k.gpu()
    gpu.reset()
    indices, updates = np.array([[2], [0], [2]], np.int32), np.array([[1.0], [-np.inf], [3.0]])
    y, _ = scatter(gpu, "ScatterMaximum", "double", np.full((4, 1), -9.0), indices, (4,), updates, replace=1)
    assert y[:, 0].tolist() == [-np.inf, -9, 3, -9]
