"""The op of log_cosh.c for GPUs: kernels from CUDA C++, their gradient and their test.

    TFCORE_EMULATE_GPUS=1 python -m tfcore.examples.custom_op.log_cosh_cuda

runs it without a card.
"""

import numpy as np

import tfcore as tf
from tfcore.testing import check_cuda_kernel

# A block for each row, whose threads add up in shared memory.
SOURCE = """
__device__ float log_cosh(float x) {
  x = fabsf(x);
  return x + log1pf(expf(-2 * x)) - 0.6931472f;
}

__global__ void log_cosh_rows(const float* x, float* loss, int columns, float scale) {
  __shared__ float sums[128];
  float sum = 0;
  for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += log_cosh(scale * x[blockIdx.x * (long)columns + i]);
  sums[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  if (threadIdx.x == 0) loss[blockIdx.x] = sums[0] / scale;
}
"""


def log_cosh(x, scale=1.0):
    """sum(log(cosh(scale * x))) / scale over the last axis of a matrix."""

    def gradient(op, grad):
        return tf.expand_dims(grad, -1) * tf.tanh(scale * op.inputs[0])

    return tf.gpu.cuda_kernel(
        SOURCE,
        "log_cosh_rows",
        [x],
        (tf.float32, lambda x: x.shape[:1]),
        grid=lambda x: x.shape[0],
        block=128,
        scalars=[lambda x: x.shape[1], scale],
        gradient=gradient,
    )


def reference(x):
    return np.log(np.cosh(2 * x)).sum(-1) / 2


def main():
    shapes = [("rows", "columns")]
    # The differences that a row is a sum of are rounded for sizes of |x|, not of the small results near 0.
    check_cuda_kernel(
        lambda x: log_cosh(x, 2.0), reference, shapes, domain=(-9, 9), ulps=16, scale=lambda x: abs(x).sum(-1)
    )
    x = tf.constant([[0.5, -1.0], [100.0, 0.0]])
    loss = log_cosh(x, scale=2.0)
    slope = tf.gradients(loss, x)[0]
    with tf.Session() as sess:
        print(*sess.run([loss, slope]), sep="\n")


if __name__ == "__main__":
    main()
