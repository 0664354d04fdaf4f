"""A kernel of your own in a convolutional network: swish(x + bias) in one pass over memory, with its gradient.

    python -m tfcore.examples.fused_activation [--steps N]

Trains the network twice on a GPU, with TensorFlow's operations and with the kernel, and prints what a step takes.
docs/guide/cuda_kernels.md explains it.
"""

import argparse
import time

import numpy as np

import tfcore as tf
from tfcore.examples.tutorials.mnist import input_data

# v = x + bias[channel]; swish(v) = v * sigmoid(v). The channels are the last axis.
SOURCE = """
__global__ void biased_swish(const float* x, const float* bias, float* y, long n, int channels) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long)blockDim.x) {
    float v = x[i] + bias[i % channels];
    y[i] = v / (1 + expf(-v));
  }
}

__global__ void biased_swish_gradient(const float* x, const float* bias, const float* dy, float* dx, long n,
                                      int channels) {
  for (long i = blockIdx.x * (long)blockDim.x + threadIdx.x; i < n; i += gridDim.x * (long)blockDim.x) {
    float v = x[i] + bias[i % channels], s = 1 / (1 + expf(-v));
    dx[i] = dy[i] * s * (1 + v * (1 - s));
  }
}
"""


def launch(name, inputs, source=SOURCE):
    """An operation for a kernel of the source, whose output is like the first input."""
    return tf.gpu.cuda_kernel(
        source,
        name,
        inputs,
        (tf.float32, lambda x, *_: x.shape),
        grid=lambda x, *_: x.size.ceil_div(256).min(4096),
        block=256,
        scalars=[lambda x, *_: x.size, lambda x, *_: x.shape[-1]],
    )


@tf.custom_gradient
def biased_swish(x, bias):
    """swish(x + bias), where bias has the size of x's last axis."""

    def gradient(dy):
        dx = launch("biased_swish_gradient", [x, bias, dy])
        return dx, tf.reduce_sum(tf.reshape(dx, [-1, tf.shape(bias)[0]]), 0)

    return launch("biased_swish", [x, bias]), gradient


def plain_swish(x, bias):
    """The same with TensorFlow's operations."""
    v = x + bias
    return v * tf.sigmoid(v)


def network(activation):
    """Placeholders for images and labels, the training step, and the share of right answers."""
    tf.set_random_seed(1)
    images, labels = tf.placeholder(tf.float32, [None, 784]), tf.placeholder(tf.int64, [None])
    x = tf.reshape(images, [-1, 28, 28, 1])
    for channels in (8, 16):
        kernel = tf.Variable(tf.truncated_normal([5, 5, int(x.shape[-1]), channels], stddev=0.1))
        x = activation(tf.nn.conv2d(x, kernel, [1, 1, 1, 1], "SAME"), tf.Variable(tf.zeros([channels])))
        x = tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")
    logits = tf.matmul(tf.reshape(x, [-1, 7 * 7 * 16]), tf.Variable(tf.truncated_normal([7 * 7 * 16, 10], stddev=0.03)))
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    accuracy = tf.reduce_mean(tf.cast(tf.equal(tf.argmax(logits, 1), labels), tf.float32))
    return images, labels, tf.train.AdamOptimizer(2e-3).minimize(loss), accuracy


def train(activation, steps):
    """Trains a network; returns the milliseconds of a step, and the accuracy on the test images."""
    digits = input_data.read_data_sets(None, seed=1)
    with tf.Graph().as_default():
        images, labels, step, accuracy = network(activation)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            times = []
            for _ in range(steps):
                batch = digits.train.next_batch(50)
                start = time.perf_counter()
                sess.run(step, {images: batch[0], labels: batch[1]})
                times.append(1e3 * (time.perf_counter() - start))
            right = sess.run(accuracy, {images: digits.test.images[:500], labels: digits.test.labels[:500]})
    return float(np.median(times)), float(right)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=100)
    steps = parser.parse_args().steps
    for name, activation in (("operations", plain_swish), ("the kernel", biased_swish)):
        milliseconds, accuracy = train(activation, steps)
        print(f"{name}: {milliseconds:.2f} ms a step, {100 * accuracy:.1f} % right")


if __name__ == "__main__":
    main()
