"""Copies of boxes, transposes, OneHot, in checked builds on the host."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gpu import kernels as k

SEEDS = st.integers(0, 2**32 - 1)
SIZES = st.sampled_from(sorted(k.BYTES))


def values(rng, size, shape):
    return rng.integers(0, 2**31, shape).astype(k.BYTES[size])


def steps_of(view):
    return [s // view.itemsize for s in view.strides]


def copy(gpu, size, source, to, target, seed=0):
    """Copies between views of device arrays: NumPy says where their elements are."""
    fields = {"from": source[0], "to": to, "rank": max(target.ndim, 1), "n": target.size, "seed": seed}
    fields |= {"dims": target.shape or (1,), "from_stride": steps_of(source[1]), "to_stride": steps_of(target)}
    for name, (array, view) in {"from": source, "to": (to, target)}.items():
        offset = view.__array_interface__["data"][0] - array.numpy().__array_interface__["data"][0]
        fields[f"{name}_offset"] = offset // view.itemsize if view.size else 0
    gpu.run("array/copy", f"Copy_bytes{size}", "array_copy", **fields)


@st.composite
def boxes(draw):
    """A shape of rank 1 to 8 and a slice of each dimension, also backwards and with steps."""
    rank = draw(st.integers(1, 8))
    shape = draw(st.lists(st.integers(1, 4 if rank > 3 else 9), min_size=rank, max_size=rank))
    while math.prod(shape) > 3000:
        shape[shape.index(max(shape))] = 1
    cuts = []
    for size in shape:
        begin, end, step = draw(st.integers(0, size)), draw(st.integers(0, size)), draw(st.sampled_from([1, 1, 2, -1]))
        cuts.append(slice(None, None, step) if draw(st.booleans()) else slice(begin, end, step))
    return tuple(shape), tuple(cuts)


@settings(max_examples=60)
@given(boxes(), SIZES, SEEDS)
def test_strided_slices_and_their_gradients(box, size, seed):
    shape, cuts = box
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    x = gpu.array(values(rng, size, shape))
    cut = x.numpy()[cuts]
    y = gpu.empty(cut.shape, x.dtype)
    copy(gpu, size, (x, cut), y, y.numpy(), seed)
    np.testing.assert_array_equal(y.numpy(), cut)
    dx = gpu.array(np.zeros(shape, x.dtype))
    copy(gpu, size, (y, y.numpy()), dx, dx.numpy()[cuts], seed)
    expected = np.zeros(shape, x.dtype)
    expected[cuts] = cut
    np.testing.assert_array_equal(dx.numpy(), expected)


@settings(max_examples=40)
@given(st.lists(st.integers(0, 4), min_size=1, max_size=6), SIZES, st.data(), SEEDS)
def test_permutations(shape, size, data, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    x = gpu.array(values(rng, size, shape))
    order = data.draw(st.permutations(range(len(shape))))
    view = x.numpy().transpose(order)
    y = gpu.empty(view.shape, x.dtype)
    copy(gpu, size, (x, view), y, y.numpy(), seed)
    np.testing.assert_array_equal(y.numpy(), view)


@settings(max_examples=30)
@given(st.lists(st.integers(0, 5), min_size=1, max_size=4), SIZES, SEEDS)
def test_tile_and_broadcast(shape, size, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    x, times = gpu.array(values(rng, size, shape)), rng.integers(0, 4, len(shape))
    pairs = [n for pair in zip(times, shape, strict=True) for n in pair]  # each dimension as [times][size]
    view = np.broadcast_to(x.numpy().reshape([n for s in shape for n in (1, s)]), pairs)
    y = gpu.empty([t * s for t, s in zip(times, shape, strict=True)], x.dtype)
    copy(gpu, size, (x, view), y, y.numpy().reshape(pairs), seed)
    np.testing.assert_array_equal(y.numpy(), np.tile(x.numpy(), times))


@settings(max_examples=30)
@given(st.integers(1, 4), st.lists(st.integers(0, 9), min_size=1, max_size=4), st.integers(0, 40), SIZES, SEEDS)
def test_concat_and_split(outer, widths, inner, size, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    parts = [gpu.array(values(rng, size, (outer, w, inner))) for w in widths]
    whole = gpu.empty((outer, sum(widths), inner), k.BYTES[size])
    ends = np.cumsum(widths)
    for part, end in zip(parts, ends, strict=True):
        copy(gpu, size, (part, part.numpy()), whole, whole.numpy()[:, end - part.shape[1] : end], seed)
    np.testing.assert_array_equal(whole.numpy(), np.concatenate([p.numpy() for p in parts], axis=1))
    for part, end in zip(parts, ends, strict=True):
        back = gpu.empty(part.shape, part.dtype)
        copy(gpu, size, (whole, whole.numpy()[:, end - part.shape[1] : end]), back, back.numpy(), seed)
        np.testing.assert_array_equal(back.numpy(), part.numpy())


@settings(max_examples=40)
@given(st.integers(0, 3), st.integers(0, 70), st.integers(0, 70), SIZES, SEEDS)
def test_transpose(batch, rows, cols, size, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    x = gpu.array(values(rng, size, (batch, rows, cols)))
    y = gpu.empty((batch, cols, rows), x.dtype)
    fields = {"from": x, "to": y, "batch": batch, "rows": rows, "cols": cols}
    gpu.run("array/copy", f"Transpose_bytes{size}", "transpose", seed=seed, **fields)
    np.testing.assert_array_equal(y.numpy(), x.numpy().transpose(0, 2, 1))


@settings(max_examples=40)
@given(st.tuples(*[st.integers(0, 12)] * 3), SIZES, st.sampled_from([np.uint8, np.int32, np.int64]), SEEDS)
def test_one_hot(shape, size, index, seed):
    gpu, rng = k.gpu(), np.random.default_rng(seed)
    gpu.reset()
    outer, depth, inner = shape
    low = 0 if index is np.uint8 else -2
    indices, (on, off) = rng.integers(low, depth + 2, (outer, inner)).astype(index), values(rng, size, (2, 1))
    y = gpu.empty(shape, k.BYTES[size])
    fields = {"indices": gpu.array(indices), "on": gpu.array(on), "off": gpu.array(off), "y": y, "seed": seed}
    fields |= {"outer": outer, "depth": depth, "inner": inner, "index_bytes": indices.itemsize}
    gpu.run("array/copy", f"OneHot_bytes{size}", "one_hot", **fields)
    np.testing.assert_array_equal(y.numpy(), np.where(indices[:, None] == np.arange(depth)[:, None], on, off))


@k.needs_checks
def test_a_box_past_the_end_is_found():
    gpu = k.gpu()
    gpu.reset()
    x, y = gpu.array(np.zeros(10, np.float32)), gpu.empty(10, np.float32)
    fields = {"from": x, "to": y, "from_offset": 1, "n": 10, "rank": 1, "dims": [10]}
    with pytest.raises(k.on_host.KernelError) as raised:
        gpu.run("array/copy", "Copy_bytes4", "array_copy", from_stride=[1], to_stride=[1], **fields)
    assert raised.value.kind == k.on_host.BOUNDS
