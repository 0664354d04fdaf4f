"""How fast are products of matrices, and convolutions with their gradients?"""

import numpy as np

from bench.cuda.common import CLOSE, Session, on_card, size, torch_kernel, values
from bench.rows import Row

MATRICES = size(((1024, 1024, 1024), (4096, 4096, 4096), (64, 784, 512)), ((16, 24, 8),))
# Images, side, channels of the input and of the output, side of the filter.
CONVOLUTIONS = size(((16, 27, 64, 192, 5), (64, 28, 128, 128, 3)), ((2, 5, 3, 4, 3),))
TOLERANCE = 10 * CLOSE  # of sums of some thousands of products


def matmul(m, k, n):
    """The row of a product of m x k and k x n."""

    def operands():
        return values(m, k), values(k, n, seed=1)

    def shown(product):
        return product[:: max(1, m // 16)]

    def graph(tf):
        s = Session(tf)
        a, b = (s.variable(v) for v in operands())
        return s.kernel_program(lambda: tf.matmul(a, b), shown)

    def torch(torch):
        a, b = (on_card(torch, v) for v in operands())
        return torch_kernel(torch, lambda: a @ b, shown)

    def expected():
        a, b = (v.astype(float) for v in operands())
        return shown(a) @ b

    work = 2e-12 * m * k * n
    return Row(f"matmul {m} x {k} x {n}", "TFLOP/s", graph, torch, work=work, expected=expected, tolerance=TOLERANCE)


class Convolution:
    """A convolution with padding SAME and its gradients."""

    KINDS = ("forward", "to the images", "to the filters")

    def __init__(self, images, side, inputs, outputs, kernel):
        self.sizes = images, side, inputs, outputs, kernel
        self.work = 2e-12 * images * side**2 * inputs * outputs * kernel**2

    def operands(self):
        """Images, filters, gradient of the result: NHWC and HWIO."""
        n, side, c, oc, k = self.sizes
        return values(n, side, side, c), values(k, k, c, oc, seed=1), values(n, side, side, oc, seed=2)

    def shown(self, kind, result):
        """A pixel's channels for some images, or a filter's for the middle tap."""
        return result[0, 0] if kind == "to the filters" else result[::7, 1, 2]

    def graph(self, tf, kind):
        s = Session(tf)
        x, w, dy = (s.variable(v) for v in self.operands())
        options = {"strides": [1, 1, 1, 1], "padding": "SAME"}
        kernels = {
            "forward": lambda: tf.nn.conv2d(x, w, **options),
            "to the images": lambda: tf.nn.conv2d_backprop_input(x.shape.as_list(), w, dy, **options),
            "to the filters": lambda: tf.nn.conv2d_backprop_filter(x, w.shape.as_list(), dy, **options),
        }
        return s.kernel_program(kernels[kind], lambda result: self.shown(kind, result))

    def torch(self, torch, kind):
        order = [(0, 3, 1, 2), (3, 2, 0, 1), (0, 3, 1, 2)]
        x, w, dy = (on_card(torch, v.transpose(o)) for v, o in zip(self.operands(), order))
        pad, which = self.sizes[4] // 2, self.KINDS.index(kind) - 1
        arguments = (None, [1, 1], [pad, pad], [1, 1], False, [0, 0], 1, [which == 0, which == 1, False])

        def run():
            if kind == "forward":
                return torch.nn.functional.conv2d(x, w, padding=pad)
            return torch.ops.aten.convolution_backward(dy, x, w, *arguments)[which]

        back = (2, 3, 1, 0) if kind == "to the filters" else (0, 2, 3, 1)
        return torch_kernel(torch, run, lambda result: self.shown(kind, result.transpose(back)))

    def expected(self, kind):
        """What `shown` takes of the result, by NumPy."""
        x, w, dy = (v.astype(float) for v in self.operands())
        pad = self.sizes[4] // 2
        around = [(0, 0), (pad, pad), (pad, pad), (0, 0)]
        if kind == "to the filters":  # of the filters' first tap
            side = self.sizes[1]
            return np.einsum("nhwc,nhwo->co", np.pad(x, around)[:, :side, :side], dy)
        window = slice(1, 1 + 2 * pad + 1), slice(2, 2 + 2 * pad + 1)
        if kind == "forward":
            return np.einsum("nhwc,hwco->no", np.pad(x, around)[::7, window[0], window[1]], w)
        return np.einsum("nhwo,hwco->nc", np.pad(dy, around)[::7, window[0], window[1]], w[::-1, ::-1])

    def row(self, kind):
        n, side, c, oc, k = self.sizes
        return Row(
            f"conv {k}x{k}, {n}x{side}x{side}x{c} to {oc}, {kind}",
            "TFLOP/s",
            lambda tf: self.graph(tf, kind),
            lambda torch: self.torch(torch, kind),
            work=self.work,
            expected=lambda: self.expected(kind),
            tolerance=TOLERANCE,
        )


ROWS = [
    *[matmul(*sizes) for sizes in MATRICES],
    *[Convolution(*sizes).row(kind) for sizes in CONVOLUTIONS for kind in Convolution.KINDS],
]
