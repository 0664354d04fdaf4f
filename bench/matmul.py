"""How fast is the product of two 1024 x 1024 matrices? More sizes: bench/matmul_shapes.py."""

import numpy as np

from bench.rows import Program, Row

SIZE = 1024


def operands():
    rng = np.random.default_rng(0)
    return [rng.uniform(-1, 1, (SIZE, SIZE)).astype(np.float32) for _ in range(2)]


def graph(tf):
    a, b = operands()
    with tf.Graph().as_default():
        product = tf.matmul(tf.Variable(a), tf.Variable(b))
        session = tf.Session()
        session.run(tf.global_variables_initializer())
    return Program(lambda: session.run(product.op), lambda: session.run(product)[::64])


def torch(torch):
    a, b = map(torch.from_numpy, operands())
    return Program(lambda: torch.mm(a, b), lambda: torch.mm(a, b).numpy()[::64])


def expected():
    a, b = (x.astype(np.float64) for x in operands())
    return a[::64] @ b


ROWS = [
    Row(
        "matmul 1024",
        "GFLOP/s",
        graph,
        torch,
        reference=(146, 347, 360),
        work=2e-9 * SIZE**3,
        expected=expected,
        tolerance=1e-5,
    )
]
