"""Shared by the rows: sizes, values on the device, and the time of one kernel.

A kernel's time is what a long chain of it takes more than a short one, divided by the difference in length: what steps
and launches cost beside it cancels out. Each kernel of a chain waits for the one before it.
"""

import contextlib
import time

import numpy as np

from bench.rows import Program
from tfcore.gpu import driver

DEVICE = "/gpu:0"
EMULATED = driver.emulation_is_wanted()  # then all sizes are tiny, and no time means anything
SHORT, LONG = (1, 3) if EMULATED else (10, 60)
REPEATS = 1 if EMULATED else 5
CLOSE = 1e-5


def size(on_card, emulated):
    return emulated if EMULATED else on_card


def values(*shape, seed=0):
    return np.random.default_rng(seed).random(shape, np.float32) - np.float32(0.5)


class Session:
    """A graph whose operations are on the device; `tf` is tfcore or TensorFlow.

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

    def chain(self, kernel, length):
        """The last operation of a chain of `kernel()`s."""
        last = []
        with self.build():
            for _ in range(length):
                with self.tf.control_dependencies(last):
                    last = [kernel().op]
        return last[0]

    def kernel_program(self, kernel, shown):
        """The time of one kernel, and its result; `shown(array)` is compared."""
        short, long = (self.chain(kernel, n) for n in (SHORT, LONG))
        with self.build():
            once = kernel()

        def result():
            self.reset()
            return shown(self.session.run(once))

        return Program(
            lambda: of_one(lambda: self.session.run(short), lambda: self.session.run(long)), result, single=True
        )


def of_one(short, long):
    """Seconds that one kernel takes, from functions that run SHORT and LONG of them and wait."""
    times = []
    for run in (short, long):
        run()
        taken = []
        for _ in range(REPEATS):
            start = time.perf_counter()
            run()
            taken.append(time.perf_counter() - start)
        times.append(min(taken))
    return max(times[1] - times[0], 1e-9) / (LONG - SHORT)


def torch_kernel(torch, kernel, shown):
    """Like `Session.kernel_program`."""

    def run(length):
        for _ in range(length):
            kernel()
        torch.cuda.synchronize()

    return Program(lambda: of_one(lambda: run(SHORT), lambda: run(LONG)), lambda: shown(kernel().cpu().numpy()), True)


def on_card(torch, value):
    """A tensor with an array's value; products are computed in float32, as tfcore's."""
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cudnn.allow_tf32 = False
    return torch.from_numpy(np.ascontiguousarray(value)).to("cuda")
