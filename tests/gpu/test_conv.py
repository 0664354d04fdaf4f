"""Convolutions and their gradients, in checked builds on the host."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.gpu import images
from tests.gpu import kernels as k
from tests.gpu.test_matmul import ACCUMULATORS, LARGE, TILES, add_chunks, choose_tile

SEEDS = st.integers(0, 2**32 - 1)
CHANNELS = st.sampled_from([1, 2, 3, 4, 12, 17])


def convolve(x, filter_, window):
    y = np.zeros((len(x), *window.outputs(x.shape[1:3]), filter_.shape[3]))
    for tap, out, pixels in images.taps(window, x.shape[1:3]):
        y[(slice(None), *out)] += x[(slice(None), *pixels)] @ filter_[tap]
    return y


def input_gradient(dy, filter_, window, pixels):
    dx = np.zeros((len(dy), *pixels, filter_.shape[2]))
    for tap, out, places in images.taps(window, pixels):
        dx[(slice(None), *places)] += dy[(slice(None), *out)] @ filter_[tap].T
    return dx


def filter_gradient(x, dy, window):
    df = np.zeros((*window.size, x.shape[3], dy.shape[3]))
    for tap, out, places in images.taps(window, x.shape[1:3]):
        df[tap] = np.einsum("nhwi,nhwo->io", x[(slice(None), *places)], dy[(slice(None), *out)])
    return df


class Case:
    """A drawn convolution, with its tensors on the device."""

    def __init__(self, gpu, dtype, pixels, window, batch, channels, nchw, seed, chunks=None, tile=None):
        self.gpu, self.dtype, self.pixels, self.window, self.nchw = gpu, dtype, pixels, window, nchw
        self.seed, rng = seed, np.random.default_rng(seed)
        self.chunks, self.tile = chunks, tile  # others than planned, where they can be
        gpu.reset()
        self.x = k.random_values(rng, dtype, (batch, *pixels, channels[0]))
        self.filter = k.random_values(rng, dtype, (*window.size, *channels))
        self.dy = k.random_values(rng, dtype, (batch, *window.outputs(pixels), channels[1]))
        self.fields = {"batch": batch, "window": window.fields()}
        self.fields["size"] = {"wide": int(ACCUMULATORS.get(dtype) != np.float32)}
        self.fields |= {"in": images.image_fields(self.x.shape, nchw), "out": images.image_fields(self.dy.shape, nchw)}

    def image(self, x):
        return self.gpu.array(images.laid_out(x, self.nchw))

    def blank_image(self, like):
        return self.gpu.empty(images.laid_out(like, self.nchw).shape, like.dtype)

    def check(self, actual, expected, terms):
        k.assert_close(actual, expected, self.dtype, factor=4, scale=4 * np.sqrt(terms))

    def run(self, name, plan, result, **fields):
        p = self.gpu.plan("conv", plan=plan, **self.fields, **fields)
        if not self.nchw or plan == "conv_plan_filter":
            p.size.chunks = self.chunks or p.size.chunks
        p.size.tile = choose_tile(p.size, self.tile)
        if p.size.chunks > 1:
            partial = self.gpu.empty((p.size.chunks, *result.shape), ACCUMULATORS.get(self.dtype, np.int64))
            p.partial = partial.address
        self.gpu.launch("conv/conv", f"{name}{LARGE[p.size.tile]}_{self.dtype}", p, seed=self.seed)
        if p.size.chunks > 1:
            add_chunks(self.gpu, self.dtype, partial, result, self.seed)

    def forward(self):
        y = self.blank_image(self.dy)
        operands = {"image": self.image(self.x), "filter": self.gpu.array(self.filter), "output": y}
        self.run("Conv2D", "conv_plan_forward", y, **operands)
        expected = convolve(k.exact(self.x), k.exact(self.filter), self.window)
        self.check(images.as_nhwc(y.numpy(), self.nchw), expected, self.filter[..., 0].size)

    def input(self):
        dx = self.blank_image(self.x)
        operands = {"image": dx, "filter": self.gpu.array(self.filter), "output": self.image(self.dy)}
        self.run("Conv2DBackpropInput", "conv_plan_input", dx, **operands)
        expected = input_gradient(k.exact(self.dy), k.exact(self.filter), self.window, self.pixels)
        self.check(images.as_nhwc(dx.numpy(), self.nchw), expected, self.filter[:, :, 0].size)

    def filter_(self):
        df = self.gpu.empty(self.filter.shape, self.filter.dtype)
        operands = {"image": self.image(self.x), "filter": df, "output": self.image(self.dy)}
        self.run("Conv2DBackpropFilter", "conv_plan_filter", df, **operands)
        expected = filter_gradient(k.exact(self.x), k.exact(self.dy), self.window)
        self.check(df.numpy(), expected, self.dy[..., 0].size)


@pytest.mark.slow
@settings(max_examples=60)
@given(
    st.sampled_from((*k.FLOATS, "int32")),
    images.windows(),
    st.integers(0, 3),
    st.tuples(CHANNELS, CHANNELS),
    st.booleans(),
    st.sampled_from([None, 2, 5]),
    TILES,
    SEEDS,
)
def test_conv(dtype, shape, batch, channels, nchw, chunks, tile, seed):
    case = Case(k.gpu(), dtype, *shape, batch, channels, nchw, seed, chunks, tile)
    case.forward()
    case.input()
    if dtype != "int32":
        case.filter_()


def test_the_layers_of_lenet():
    same = images.Window((5, 5), (1, 1), (1, 1), (2, 2), (2, 2))
    for pixels, channels in (((28, 28), (1, 32)), ((14, 14), (32, 64))):
        case = Case(k.gpu(), "float", pixels, same, 2, channels, False, 1)
        case.forward()
        case.input()
        case.filter_()


@k.needs_checks
def test_a_window_past_the_image_is_found():
    case = Case(k.gpu(), "float", (4, 4), images.Window((2, 2), (1, 1), (1, 1), (0, 0), (0, 0)), 1, (1, 1), False, 0)
    case.fields["in"]["h"] = 5  # one row more than there is in memory
    case.fields["out"]["h"] = 4
    with pytest.raises(k.on_host.KernelError) as raised:
        case.forward()
    assert raised.value.kind == k.on_host.BOUNDS


@pytest.mark.parametrize("stride", [1 << 27, 1 << 28])
def test_strides_that_positions_of_32_bits_cannot_hold(stride):
    window = images.Window((1, 1), (stride, stride), (1, 1), (0, 0), (0, 0))
    Case(k.gpu(), "float", (1, 1), window, 20, (4, 4), False, 0).filter_()
