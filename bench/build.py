"""How long is the time before the first step: importing the package, building a deep graph with gradients?"""

import os
import subprocess
import sys

import numpy as np

from bench.rows import Program, Row

LAYERS = 100


def deep_net(tf):
    """Builds 100 dense layers with Adam; the result is the number of variables."""
    counted = []

    def build():
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [None, 64])
            layer = x
            for _ in range(LAYERS):
                weights = tf.Variable(tf.truncated_normal([64, 64], stddev=0.1))
                layer = tf.nn.relu(tf.matmul(layer, weights) + tf.Variable(tf.zeros([64])))
            loss = tf.reduce_mean(tf.square(layer))
            tf.train.AdamOptimizer(1e-3).minimize(loss)
            tf.global_variables_initializer()
            counted[:] = [len(tf.trainable_variables())]

    def result():
        build()
        return np.array(counted)

    return Program(build, result, single=True)


def importing(statement):
    """A program that imports in a new process; its time is that of the import alone."""
    # Installed packages come with bytecode; here every library has it after its first, untimed turn.
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    code = f"import time; t = time.perf_counter(); {statement}; print(time.perf_counter() - t)"

    def run():
        answer = subprocess.run(
            [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
        )
        return float(answer.stdout.split()[-1])

    return Program(run, single=True)


def import_graph_library(module):
    name = "tensorflow.compat.v1" if "tensorflow" in module.__name__ else "tfcore"
    return importing(f"import sys; sys.path.insert(0, {sys.path[0]!r}); import {name}")


ROWS = [
    Row("build 100 layers with Adam", "s", deep_net, reference=(1.65, None, 0.11), expected=lambda: [2 * LAYERS]),
    Row(
        "import",
        "s",
        import_graph_library,
        lambda torch: importing("import torch"),
        reference=(2.5, 1.2, 0.2),
    ),
]
