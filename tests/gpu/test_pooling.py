"""Pools and their gradients, in checked builds on the host."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gpu import images
from tests.gpu import kernels as k

SEEDS = st.integers(0, 2**32 - 1)


def spans(window, pixels):
    """For each window: its place and the part of the image that it covers."""
    for h, w in np.ndindex(*window.outputs(pixels)):
        begin = [i * s - p for i, s, p in zip((h, w), window.stride, window.before, strict=True)]
        yield (h, w), tuple(slice(max(b, 0), b + size) for b, size in zip(begin, window.size, strict=True))


def pool(op, x, window):
    y = np.zeros((len(x), *window.outputs(x.shape[1:3]), x.shape[3]))
    for (h, w), (rows, cols) in spans(window, x.shape[1:3]):
        part = x[:, rows, cols]
        y[:, h, w] = part.max(axis=(1, 2)) if op == "MaxPool" else part.mean(axis=(1, 2))
    return y


def pool_gradient(op, x, dy, window):
    dx = np.zeros(x.shape)
    for (h, w), (rows, cols) in spans(window, x.shape[1:3]):
        part = x[:, rows, cols]
        if op == "AvgPoolGrad":
            dx[:, rows, cols] += dy[:, h, w][:, None, None] / (part.shape[1] * part.shape[2])
            continue
        flat = part.reshape(len(x), part.shape[1] * part.shape[2], x.shape[3])
        first = flat.argmax(axis=1)
        places = np.arange(flat.shape[1])[None, :, None] == first[:, None]
        dx[:, rows, cols] += (places * dy[:, h, w][:, None]).reshape(part.shape)
    return dx


def run(gpu, op, dtype, x, dy, window, nchw, seed):
    shape = (len(x), *window.outputs(x.shape[1:3]), x.shape[3])
    fields = {"x": gpu.array(images.laid_out(x, nchw)), "batch": len(x), "window": window.fields()}
    fields |= {"in": images.image_fields(x.shape, nchw), "out": images.image_fields(shape, nchw)}
    gradient = op.endswith("Grad")
    to = gpu.empty(images.laid_out(x if gradient else np.zeros(shape), nchw).shape, x.dtype)
    fields |= {"dx": to, "dy": gpu.array(images.laid_out(dy, nchw))} if gradient else {"y": to}
    launch = "pooling_gradient_launch" if gradient else None
    gpu.run("pooling/pooling", f"{op}_{dtype}", "pooling", launch=launch, seed=seed, **fields)
    return images.as_nhwc(to.numpy(), nchw)


IMAGES = st.tuples(images.windows(dilations=False), st.integers(0, 3), st.sampled_from([1, 3, 20]))


@settings(max_examples=80)
@given(st.sampled_from(k.REALS), IMAGES, st.booleans(), SEEDS)
def test_pools(dtype, shape, nchw, seed):
    ((pixels, window), batch, channels), gpu, rng = shape, k.gpu(), np.random.default_rng(seed)
    x = rng.integers(0, 9, (batch, *pixels, channels)).astype(k.NUMPY[dtype])  # with equal values
    dy = k.random_values(rng, dtype, (batch, *window.outputs(pixels), channels))
    e, de = k.exact(x), k.exact(dy)
    for op in ("MaxPool", "AvgPool")[: 2 if dtype in k.FLOATS else 1]:
        gpu.reset()
        k.assert_close(run(gpu, op, dtype, x, dy, window, nchw, seed), pool(op, e, window), dtype)
        actual = run(gpu, op + "Grad", dtype, x, dy, window, nchw, seed)
        expected = pool_gradient(op + "Grad", e, de, window)
        k.assert_close(actual, expected.astype(np.int64) if dtype not in k.FLOATS else expected, dtype, 4, 10)


@pytest.mark.parametrize("dtype", ["float", "half"])
def test_nan_is_never_the_maximum(dtype):
    gpu = k.gpu()
    gpu.reset()
    window = images.Window((1, 2), (1, 2), (1, 1), (0, 0), (0, 0))
    x = np.array([np.nan, 1, 2, np.nan, -3, -4]).astype(k.NUMPY[dtype]).reshape(1, 1, 6, 1)
    assert run(gpu, "MaxPool", dtype, x, None, window, False, 0).ravel().tolist() == [1, 2, -3]
