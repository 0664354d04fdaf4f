"""What do steps and launches cost, and how fast does a small convolutional net train?"""

import time

import numpy as np

from bench import lenet, peers
from bench.cuda.common import DEVICE, Session, on_card, size
from bench.rows import Program, Row

CHAIN = size(1000, 10)
STEPS = size(20, 1)
BATCH = size(64, 1)


def one_of(count, run):
    """A function that runs a chain of `count` kernels STEPS times, and returns the seconds for one kernel."""

    def timed():
        start = time.perf_counter()
        for _ in range(STEPS):
            run()
        return (time.perf_counter() - start) / (STEPS * count)

    for _ in range(STEPS):  # the first ones are recorded
        run()
    return timed


def add_own(tf, x, y):
    """x + y, of numbers, by a kernel of tf.gpu.cuda_kernel."""
    source = "__global__ void add(const float* x, const float* y, float* z) { *z = *x + *y; }"
    return tf.gpu.cuda_kernel(source, "add", [x, y], (tf.float32, ()), grid=1, block=1)


def additions(tf, count, replayed=True, add=lambda tf, x, y: x + y):
    """A step of `count` small kernels, each on the result of the one before."""
    s = Session(tf, replayed)
    x = s.variable(np.float32(1))
    with s.build():
        y = x
        for _ in range(count):
            y = add(tf, y, x)
    run = one_of(count, lambda: s.session.run(y.op)) if count > 1 else lambda: s.session.run(y.op)
    return Program(run, lambda: [s.session.run(y)], single=count > 1)


def torch_additions(torch, count, replayed=True):
    """The same in PyTorch. replayed: whether chains are captured in a CUDA graph."""
    x = on_card(torch, np.float32([1]))

    def add():
        y = x
        for _ in range(count):
            y = y + x
        return y

    if count > 1 and replayed:
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            result = add()

    def run():
        if count > 1 and replayed:
            graph.replay()
            y = result
        else:
            y = add()
        torch.cuda.synchronize()
        return y

    return Program(one_of(count, run) if count > 1 else run, lambda: run().cpu().numpy(), single=count > 1)


def train(tf):
    return lenet.graph(tf, BATCH, DEVICE)


def torch_train(torch):
    on_card(torch, np.zeros(1, np.float32))  # sets the precision
    program = lenet.torch(torch, BATCH, "cuda")

    def run():
        program.run()
        torch.cuda.synchronize()

    return Program(run, program.result)


def expected_losses():
    """Those of the CPU."""
    return lenet.graph(peers.import_library("tfcore"), BATCH, "/cpu:0").result()


def row_of_additions(name, count, replayed=True, **options):
    return Row(
        name,
        "us",
        lambda tf: additions(tf, count, replayed),
        lambda torch: torch_additions(torch, count, replayed),
        expected=lambda: [count + 1],
        **options,
    )


def row_of_own_kernels(name, replayed):
    return Row(
        name, "us", lambda tf: additions(tf, CHAIN, replayed, add_own), expected=lambda: [CHAIN + 1], tolerance=0
    )


ROWS = [
    row_of_additions("step of one kernel", 1),
    row_of_additions("kernel in a chain of small ones", CHAIN, reference=(None, None, 3)),
    row_of_additions("kernel in a chain without CUDA graphs", CHAIN, False),
    row_of_own_kernels("cuda_kernel in a chain of small ones", True),
    row_of_own_kernels("cuda_kernel in a chain without CUDA graphs", False),
    Row("LeNet-style net, momentum", "images/s", train, torch_train, work=BATCH, expected=expected_losses),
]
