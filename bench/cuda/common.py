"""Shared by the rows: sizes, values on the device, and the time of one kernel.

A kernel's time is what a long chain of it takes more than a short one, divided by the difference in length: what the
first launch costs beside it cancels out. Each kernel of a chain waits for the one before it. The device takes the times
itself, by events before and after the chain: PyCUDA's in a step of a session, or PyTorch's.
"""

import contextlib
import functools

import numpy as np

from bench.rows import Program
from tfcore.gpu import driver
from tfcore.gpu.pycuda import load

DEVICE = "/gpu:0"
EMULATED = driver.emulation_is_wanted()  # then all sizes are tiny, and no time means anything
SHORT, LONG = (1, 3) if EMULATED else (10, 60)
REPEATS = 1 if EMULATED else 5
CLOSE = 1e-5


def size(on_card, emulated):
    return emulated if EMULATED else on_card


def values(*shape, seed=0):
    return np.random.default_rng(seed).random(shape, np.float32) - np.float32(0.5)


@functools.cache
def pycuda_driver():
    """The module pycuda.driver. The primary context, which sessions use, is this thread's from now on."""
    load()
    import pycuda.autoprimaryctx

    return pycuda.driver


class Session:
    """A graph of tfcore, `tf`, whose operations are on the device.

    replayed: whether steps may be recorded as CUDA graphs, and replayed.
    """

    def __init__(self, tf, replayed=True):
        self.tf = tf
        self.graph = tf.Graph()
        config = tf.ConfigProto()
        config.gpu_options.disable_cuda_graphs = not replayed
        self.session = tf.Session(graph=self.graph, config=config)
        self.starts = []  # (initializer, placeholder, value) of each variable

    @contextlib.contextmanager
    def build(self):
        """A context: new operations are added to the graph, on the device."""
        with self.graph.as_default(), self.graph.device(DEVICE):
            yield

    def variable(self, value):
        """A variable on the device with a value that is not part of the graph."""
        with self.build():
            start = self.tf.placeholder(value.dtype, value.shape)
            variable = self.tf.Variable(start)
        self.starts.append((variable.initializer, start, value))
        self.session.run(variable.initializer, {start: value})
        return variable

    def reset(self):
        """Gives all variables their first values."""
        for initializer, start, value in self.starts:
            self.session.run(initializer, {start: value})

    def record(self, event):
        """An operation that records an event."""

        def on_gpu(stream):
            event.record(stream)
            return []

        return self.tf.gpu.cuda_func(on_gpu, [], [])

    def chain(self, kernel, length):
        """A function that runs a chain of `kernel()`s and returns the milliseconds that the device takes for it."""
        first, last = (pycuda_driver().Event() for _ in range(2))
        with self.build():
            done = [self.record(first)]
            for _ in range(length):
                with self.tf.control_dependencies(done):
                    done = [kernel().op]
            with self.tf.control_dependencies(done):
                end = self.record(last)

        def run():
            self.session.run(end)
            last.synchronize()
            return last.time_since(first)

        return run

    def kernel_program(self, kernel, shown):
        """The time of one kernel, and its result; `shown(array)` is compared."""
        short, long = (self.chain(kernel, n) for n in (SHORT, LONG))
        with self.build():
            once = kernel()

        def result():
            self.reset()
            return shown(self.session.run(once))

        return Program(lambda: of_one(short, long), result, single=True)


def of_one(short, long):
    """Seconds that one kernel takes, from functions that run SHORT and LONG of them and return milliseconds."""
    times = []
    for run in (short, long):
        run()
        times.append(min(run() for _ in range(REPEATS)))
    return max(times[1] - times[0], 1e-6) / 1e3 / (LONG - SHORT)


def torch_kernel(torch, kernel, shown):
    """Like `Session.kernel_program`."""
    first, last = (torch.cuda.Event(enable_timing=True) for _ in range(2))

    def run(length):
        first.record()
        for _ in range(length):
            kernel()
        last.record()
        last.synchronize()
        return first.elapsed_time(last)

    return Program(lambda: of_one(lambda: run(SHORT), lambda: run(LONG)), lambda: shown(kernel().cpu().numpy()), True)


def on_card(torch, value):
    """A tensor with an array's value; products are computed in float32, as tfcore's."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    return torch.from_numpy(np.ascontiguousarray(value)).to("cuda")
