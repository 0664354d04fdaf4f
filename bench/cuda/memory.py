"""Kernels that are bound by memory, beside the speed of a copy; transfers between host and device."""

import numpy as np

from bench.cuda.common import CLOSE, EMULATED, Session, on_card, pycuda_driver, size, torch_kernel, values
from bench.rows import Program, Row

N = size(1 << 26, 1 << 12)  # floats: more than any cache holds
COLS = size(1024, 32)
WIDTH = size(256, 8)  # of a row that is gathered
SIDE = size(8192, 64)
COPY = "copy on the device"


def some(array):
    """About a thousand of the elements."""
    flat = np.ravel(array)
    return flat[:: max(1, flat.size // 1000)]


# ---- Copies.


def device_copy(_tf):
    """cuMemcpyDtoDAsync, timed by events."""
    cuda, ones, count = pycuda_driver(), np.ones(N, np.float32), 2 if EMULATED else 50
    source, target = cuda.to_device(ones), cuda.mem_alloc(ones.nbytes)
    first, last, stream = cuda.Event(), cuda.Event(), cuda.Stream()

    def run():
        first.record(stream)
        for _ in range(count):
            cuda.memcpy_dtod_async(target, source, ones.nbytes, stream)
        last.record(stream)
        last.synchronize()
        return max(last.time_since(first), 1e-6) / 1e3 / count

    def result():
        run()
        return some(cuda.from_device_like(target, ones))

    return Program(run, result, single=True)


def torch_copy(torch):
    x = on_card(torch, np.ones(N, np.float32))
    y = torch.empty_like(x)
    return torch_kernel(torch, lambda: y.copy_(x), some)


def upload(tf):
    """From NumPy's memory, in a step that feeds it."""
    s, x = Session(tf), values(N)
    with s.build():
        fed = tf.placeholder(tf.float32, [N])
        part = fed[:: max(1, N // 1000)]
    return Program(lambda: s.session.run(part.op, {fed: x}), lambda: s.session.run(part, {fed: x}))


def torch_upload(torch):
    x = values(N)

    def run():
        y = on_card(torch, x)
        torch.cuda.synchronize()
        return y

    return Program(run, lambda: some(run().cpu().numpy()))


def download(tf):
    s = Session(tf)
    x = s.variable(values(N))
    return Program(lambda: s.session.run(x), lambda: some(s.session.run(x)))


def torch_download(torch):
    x = on_card(torch, values(N))
    return Program(x.cpu, lambda: some(x.cpu().numpy()))


# ---- Kernels.


class Kernel:
    """A function of arrays: by NumPy, as a graph (from tfcore and tensors), by PyTorch.

    floats: how many of four bytes it reads and writes.
    """

    def __init__(self, name, arrays, numpy, graph, torch, floats):
        self.name, self.arrays, self.floats = name, arrays, floats
        self.by_numpy, self.by_graph, self.by_torch = numpy, graph, torch

    def graph(self, tf):
        s = Session(tf)
        x = [s.variable(v) for v in self.arrays()]
        return s.kernel_program(lambda: self.by_graph(tf, *x), some)

    def torch(self, torch):
        x = [on_card(torch, v) for v in self.arrays()]
        return torch_kernel(torch, lambda: self.by_torch(torch, *x), some)

    def expected(self):
        return some(self.by_numpy(*self.arrays()))

    def row(self):
        work = 4e-9 * self.floats
        return Row(self.name, "GB/s", self.graph, self.torch, work=work, expected=self.expected, tolerance=CLOSE)


def vectors(count):
    return lambda: [values(N, seed=i) for i in range(count)]


def table(cols, *more):
    return lambda: [values(N // cols, cols), *[make() for make in more]]


def indices():
    return np.random.default_rng(1).integers(0, N // WIDTH, N // WIDTH)


def softmax(x):
    e = np.exp(x - x.max(1, keepdims=True))
    return e / e.sum(1, keepdims=True)


# ---- Adam's first update, from moments of 0. The arrays are the variable and the gradient.

RATE, BETA1, BETA2, EPSILON = 0.01, 0.9, 0.999, 1e-8


def adam(x, gradient):
    moment, square = (1 - BETA1) * gradient, (1 - BETA2) * gradient**2
    return x - RATE * (1 - BETA2) ** 0.5 / (1 - BETA1) * moment / (np.sqrt(square) + EPSILON)


def graph_adam(tf):
    s = Session(tf)
    x, gradient, m, v = (s.variable(a) for a in (*vectors(2)(), *[np.zeros(N, np.float32)] * 2))
    numbers = {"beta1_power": BETA1, "beta2_power": BETA2, "lr": RATE, "beta1": BETA1, "beta2": BETA2}

    def update():
        return tf.raw_ops.ApplyAdam(var=x._ref(), m=m._ref(), v=v._ref(), grad=gradient, epsilon=EPSILON, **numbers)

    return s.kernel_program(update, some)


def torch_adam(torch):
    x, gradient = (on_card(torch, a) for a in vectors(2)())
    x.requires_grad_()
    x.grad = gradient
    optimizer = torch.optim.Adam([x], lr=RATE, betas=(BETA1, BETA2), eps=EPSILON, fused=True)

    def step():
        optimizer.step()
        return x.detach()

    program = torch_kernel(torch, step, some)

    def result():
        with torch.no_grad():
            x.copy_(on_card(torch, vectors(1)()[0]))
        optimizer.state.clear()
        return program.result()

    return Program(program.run, result, single=True)


KERNELS = [
    Kernel("add", vectors(2), np.add, lambda tf, x, y: tf.add(x, y), lambda torch, x, y: x + y, 3 * N),
    Kernel(
        "relu", vectors(1), lambda x: np.maximum(x, 0), lambda tf, x: tf.nn.relu(x), lambda torch, x: x.relu(), 2 * N
    ),
    Kernel(
        "bias",
        table(COLS, lambda: values(COLS, seed=1)),
        np.add,
        lambda tf, x, b: tf.nn.bias_add(x, b),
        lambda torch, x, b: x + b,
        2 * N,
    ),
    Kernel(
        "sums of rows",
        table(COLS),
        lambda x: x.sum(1, dtype=float),
        lambda tf, x: tf.reduce_sum(x, 1),
        lambda torch, x: x.sum(1),
        N,
    ),
    Kernel(
        "sums of columns",
        table(COLS),
        lambda x: x.sum(0, dtype=float),
        lambda tf, x: tf.reduce_sum(x, 0),
        lambda torch, x: x.sum(0),
        N,
    ),
    Kernel(
        "transpose",
        lambda: [values(SIDE, SIDE)],
        np.transpose,
        lambda tf, x: tf.transpose(x),
        lambda torch, x: x.t().contiguous(),
        2 * SIDE**2,
    ),
    Kernel(
        "softmax",
        table(COLS),
        softmax,
        lambda tf, x: tf.nn.softmax(x),
        lambda torch, x: x.softmax(1),
        2 * N,
    ),
    Kernel(
        "gather of rows",
        table(WIDTH, indices),
        lambda x, i: x[i],
        lambda tf, x, i: tf.gather(x, i),
        lambda torch, x, i: x.index_select(0, i),
        2 * N,
    ),
]


def expected_adam():
    return some(adam(*vectors(2)()))


def expected_values():
    return some(values(N))


BOUND = [
    *[kernel.row() for kernel in KERNELS],
    Row("update by Adam", "GB/s", graph_adam, torch_adam, work=28e-9 * N, expected=expected_adam, tolerance=CLOSE),
]
ROWS = [
    Row(COPY, "GB/s", device_copy, torch_copy, work=8e-9 * N, expected=lambda: some(np.ones(N)), tolerance=0),
    *BOUND,
    Row("upload", "GB/s", upload, torch_upload, work=4e-9 * N, expected=expected_values, tolerance=0),
    Row("download", "GB/s", download, torch_download, work=4e-9 * N, expected=expected_values, tolerance=0),
]
