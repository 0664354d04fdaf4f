"""Matrix products, in checked builds on the host."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gpu import kernels as k

SEEDS = st.integers(0, 2**32 - 1)
DIMS = st.sampled_from([1, 2, 5, 16, 31, 64, 65, 100, 132])
TILES = st.sampled_from([None, 0, 1])
LARGE = ("", "Large")  # in the names of kernels, by tile
ACCUMULATORS = {"float": np.float32, "half": np.float32, "bfloat16": np.float32, "double": np.float64}


def choose_tile(size, tile):
    """The planned tile, or this one if it is possible."""
    return tile if tile is not None and size.vectors and not size.wide else size.tile


def add_chunks(gpu, dtype, partial, result, seed=0):
    """Adds up the partial sums of a product that was cut into chunks."""
    fields = {"x": partial, "y": result, "outer": 1, "reduced": partial.shape[0], "inner": result.numpy().size}
    p = gpu.plan("reduce", x_partial=1, **fields)
    p.chunks = 1
    gpu.launch("reduce/reduce", f"Sum_{dtype}", p, seed=seed)


def matmul(gpu, dtype, a, b, transpose_a=False, transpose_b=False, seed=0, chunks=None, tile=None):
    """The product of matrices [..., m, k] and [..., k, n], given transposed where flags say so.

    With `tile` another tile than planned, where it can be.
    """
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    m, depth = a.shape[-2:][:: -1 if transpose_a else 1]
    n = b.shape[-2 if transpose_b else -1]
    c = gpu.empty((*batch, m, n), a.dtype)
    wide = int(ACCUMULATORS.get(dtype) != np.float32)
    size = {"batch": int(np.prod(batch)), "m": m, "n": n, "k": depth, "wide": wide}
    fields = {"a": gpu.array(a), "b": gpu.array(b), "c": c, "size": size}
    fields |= dict(zip(("a_row_step", "a_depth_step"), (1, m) if transpose_a else (depth, 1), strict=True))
    fields |= dict(zip(("b_depth_step", "b_col_step"), (1, depth) if transpose_b else (n, 1), strict=True))
    fields |= {"batch_rank": len(batch), "batch_dims": batch}
    for name, x in (("a", a), ("b", b)):
        steps = [s * x.shape[-1] * x.shape[-2] for s in k.strides(x.shape[:-2])]
        fields[f"{name}_stride"] = [0] * (len(batch) - len(steps)) + steps
    p = gpu.plan("matmul", **fields)
    p.size.chunks = chunks or p.size.chunks
    p.size.tile = choose_tile(p.size, tile)
    if p.size.chunks > 1:
        partial = gpu.empty((p.size.chunks, *batch, m, n), ACCUMULATORS.get(dtype, np.int64))
        p.c = partial.address
    gpu.launch("linalg/matmul", f"MatMul{LARGE[p.size.tile]}_{dtype}", p, seed=seed)
    if p.size.chunks > 1:
        add_chunks(gpu, dtype, partial, c, seed)
    return c.numpy().copy()


def check(dtype, a, b, transpose_a, transpose_b, seed, chunks=None, tile=None):
    gpu = k.gpu()
    gpu.reset()
    actual = matmul(gpu, dtype, a, b, transpose_a, transpose_b, seed, chunks, tile)
    x, y = (np.swapaxes(k.exact(v), -1, -2) if t else k.exact(v) for v, t in ((a, transpose_a), (b, transpose_b)))
    with np.errstate(over="ignore"):
        expected = np.matmul(x, y)
    k.assert_close(actual, expected, dtype, factor=4, scale=4 * np.sqrt(x.shape[-1]))


def check_random(dtype, m, n, depth, transpose_a, transpose_b, tile, seed):
    rng = np.random.default_rng(seed)
    a = k.random_values(rng, dtype, (depth, m) if transpose_a else (m, depth))
    b = k.random_values(rng, dtype, (n, depth) if transpose_b else (depth, n))
    check(dtype, a, b, transpose_a, transpose_b, seed, tile=tile)


@settings(max_examples=60)
@given(st.sampled_from(k.REALS), DIMS, DIMS, DIMS, st.booleans(), st.booleans(), TILES, SEEDS)
def test_matmul(dtype, m, n, depth, transpose_a, transpose_b, tile, seed):
    check_random(dtype, m, n, depth, transpose_a, transpose_b, tile, seed)


FOURS = st.sampled_from([4, 12, 64, 68, 132])


@settings(max_examples=40)
@given(st.sampled_from(k.FLOATS), FOURS, FOURS, FOURS, st.booleans(), st.booleans(), TILES, SEEDS)
def test_four_elements_at_a_time(dtype, m, n, depth, transpose_a, transpose_b, tile, seed):
    check_random(dtype, m, n, depth, transpose_a, transpose_b, tile, seed)


DEPTHS = st.sampled_from([0, 1, 3, 40, 130, 132])


@settings(max_examples=20)
@given(st.sampled_from(k.REALS), st.integers(2, 5), DEPTHS, st.sampled_from([70, 72]), st.integers(0, 2), TILES, SEEDS)
def test_chunks_of_the_depth(dtype, chunks, depth, n, batch, tile, seed):
    rng = np.random.default_rng(seed)
    a, b = k.random_values(rng, dtype, (batch, 5, depth)), k.random_values(rng, dtype, (batch, depth, n))
    check(dtype, a, b, False, False, seed, chunks, tile)


BATCHES = st.sampled_from([((), ()), ((3,), (3,)), ((2, 3), (3,)), ((1,), (4,)), ((2, 1), (1, 3)), ((0,), (1,))])


@settings(max_examples=30)
@given(st.sampled_from(k.FLOATS), BATCHES, st.booleans(), st.booleans(), SEEDS)
def test_batches_broadcast(dtype, batches, transpose_a, transpose_b, seed):
    rng = np.random.default_rng(seed)
    a = k.random_values(rng, dtype, (*batches[0], *((3, 7) if transpose_a else (7, 3))))
    b = k.random_values(rng, dtype, (*batches[1], *((9, 3) if transpose_b else (3, 9))))
    check(dtype, a, b, transpose_a, transpose_b, seed)


@pytest.mark.parametrize("m,n,depth", [(0, 3, 4), (3, 0, 4), (3, 4, 0)])
def test_nothing_to_multiply(m, n, depth):
    check("float", np.ones((m, depth), np.float32), np.ones((depth, n), np.float32), False, False, 0)


def test_a_deep_product_is_cut_and_a_large_one_is_not():
    gpu = k.gpu()
    assert gpu.plan("matmul", size={"batch": 1, "m": 10, "n": 10, "k": 5000}).size.chunks > 8
    assert gpu.plan("matmul", size={"batch": 1, "m": 4096, "n": 4096, "k": 5000}).size.chunks == 1
    assert gpu.plan("matmul", size={"batch": 1, "m": 10, "n": 10, "k": 100}).size.chunks == 1


def test_partial_sums_of_half_are_float():
    a, b = np.full((1, 9000), 16, np.float16), np.full((9000, 1), 1 / 16, np.float16)
    check("half", a, b, False, False, 0)  # 9000 ones: beyond 2048, half cannot add one


@k.needs_checks
def test_wrong_steps_are_found():
    gpu = k.gpu()
    gpu.reset()
    a, c = gpu.array(np.ones((5, 7), np.float32)), gpu.empty((5, 7), np.float32)
    fields = {"a": a, "b": a, "c": c, "size": {"batch": 1, "m": 5, "n": 7, "k": 7}, "a_row_step": 7, "a_depth_step": 1}
    with pytest.raises(k.on_host.KernelError, match="MatMul_float"):
        gpu.run("linalg/matmul", "MatMul_float", "matmul", b_depth_step=7, b_col_step=1, **fields)
