"""How fast is a 5x5 convolution from 64 to 192 channels on 27x27 images in batches of 16, and its gradient?"""

import numpy as np

from bench.rows import Program, Row

IMAGES, SIDE, INPUTS, OUTPUTS, KERNEL = 16, 27, 64, 192, 5
WORK = 2e-9 * IMAGES * SIDE**2 * INPUTS * OUTPUTS * KERNEL**2  # GFLOP of the forward direction


def operands():
    """Images, filters and a gradient, in the layouts of the graph libraries."""
    rng = np.random.default_rng(0)
    shapes = [(IMAGES, SIDE, SIDE, INPUTS), (KERNEL, KERNEL, INPUTS, OUTPUTS), (IMAGES, SIDE, SIDE, OUTPUTS)]
    return [rng.uniform(-1, 1, s).astype(np.float32) for s in shapes]


def summary(images, filters, gradient):
    """Some elements of each result (NHWC and HWIO), in one array."""
    parts = (images[::7, ::9, ::9, ::13], filters[::2, ::2, ::9, ::9], gradient[::7, ::9, ::9, ::13])
    return np.concatenate([np.ravel(p) / np.abs(p).max() for p in parts])


def graph_parts(tf):
    with tf.Graph().as_default():
        x, w, dy = (tf.Variable(v) for v in operands())
        y = tf.nn.conv2d(x, w, strides=[1, 1, 1, 1], padding="SAME")
        dx, dw = tf.gradients(y, [x, w], grad_ys=[dy])
        session = tf.Session()
        session.run(tf.global_variables_initializer())
    return session, y, dx, dw


def graph(tf, backward):
    session, y, dx, dw = graph_parts(tf)
    targets = [dx.op, dw.op] if backward else y.op
    return Program(lambda: session.run(targets), lambda: summary(*session.run([dx, dw, y])))


def torch(torch, backward):
    x, w, dy = operands()
    order = [(0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2)]
    x, w, dy = (torch.from_numpy(np.ascontiguousarray(v.transpose(o))) for v, o in zip((x, w, dy), order))
    arguments = (None, [1, 1], [2, 2], [1, 1], False, [0, 0], 1)

    def forward():
        return torch.nn.functional.conv2d(x, w, padding=2)

    def gradients():
        return torch.ops.aten.convolution_backward(dy, x, w, *arguments, [True, True, False])

    def result():
        dx, dw, _ = gradients()
        arrays = (dx.numpy().transpose(0, 2, 3, 1), dw.numpy().transpose(2, 3, 1, 0))
        return summary(*arrays, forward().numpy().transpose(0, 2, 3, 1))

    return Program(gradients if backward else forward, result)


ROWS = [
    Row(
        "conv 5x5, 64 to 192 channels, forward",
        "GFLOP/s",
        lambda tf: graph(tf, False),
        lambda module: torch(module, False),
        reference=(377, 379, 385),
        work=WORK,
        tolerance=1e-4,
    ),
    Row(
        "conv 5x5, 64 to 192 channels, backward",
        "GFLOP/s",
        lambda tf: graph(tf, True),
        lambda module: torch(module, True),
        reference=(362, 368, 375),
        work=2 * WORK,
        tolerance=1e-4,
    ),
]
