"""More operations with values that no kernel can work on: extremes, empty things, wrong indices."""

import numpy as np

from tests.errors.table import wrong


@wrong("InvalidArgumentError", "strides is too large: 2147483648")
def stride_beyond_32_bits(tf, sess):
    image = tf.placeholder(tf.float32, [1, 4, 4, 1])
    y = tf.nn.max_pool(image, [1, 2, 2, 1], [1, 2**31, 2**31, 1], "VALID")  # <- wrong
    return lambda: sess.run(y, {image: np.zeros([1, 4, 4, 1])})


@wrong("ValueError", "Negative dimension size caused by subtracting")
def dilation_beyond_64_bits(tf, sess):
    image = tf.zeros([1, 4, 4, 1])
    tf.nn.conv2d(image, tf.zeros([3, 3, 1, 1]), [1, 1, 1, 1], "VALID", dilations=[1, 2**62, 2**62, 1])  # <- wrong


@wrong("UnimplementedError", "strides in the batch and depth dimensions")
def stride_over_the_batch(tf, sess):
    image = tf.placeholder(tf.float32)
    y = tf.nn.conv2d(image, tf.zeros([1, 1, 1, 1]), [2, 1, 1, 1], "SAME", name="conv")  # <- wrong
    return lambda: sess.run(y, {image: np.zeros([1, 4, 4, 1])})


@wrong("InvalidArgumentError|ResourceExhaustedError", "\\[65536,2147483647\\]", op="hot")
def one_hot_of_huge_depth(tf, sess):
    depth = tf.placeholder(tf.int32)
    y = tf.one_hot(np.zeros([2**16], np.int32), depth, name="hot")  # <- wrong
    return lambda: sess.run(y, {depth: 2**31 - 1})


@wrong("InvalidArgumentError", "Requires start <= limit when delta > 0", op="line")
def linspace_of_fewer_than_no_points(tf, sess):
    n = tf.placeholder(tf.int32)
    y = tf.linspace(0.0, 1.0, n, name="line")  # <- wrong
    return lambda: sess.run(y, {n: -1})


@wrong("InvalidArgumentError", "Dimension -1 must be >= 0", op="drawn")
def random_of_a_negative_shape(tf, sess):
    shape = tf.placeholder(tf.int32)
    y = tf.random_normal(shape, name="drawn")  # <- wrong
    return lambda: sess.run(y, {shape: [2, -1]})


@wrong("InvalidArgumentError", "num_classes should be positive, got 0", op="multinomial")
def multinomial_without_classes(tf, sess):
    logits = tf.placeholder(tf.float32)
    y = tf.multinomial(logits, 3)  # <- wrong
    return lambda: sess.run(y, {logits: np.zeros([2, 0])})


@wrong("InvalidArgumentError", "seq_lens\\(1\\) > input.dims\\(1\\)", op="turned")
def reverse_sequence_beyond_the_end(tf, sess):
    lengths = tf.placeholder(tf.int32)
    y = tf.reverse_sequence(tf.zeros([2, 3]), lengths, seq_axis=1, name="turned")  # <- wrong
    return lambda: sess.run(y, {lengths: [1, 7]})


@wrong("InvalidArgumentError", "indices\\[shape=\\[2,1\\]\\] must match .*updates\\[shape=\\[3\\]\\]", op="change")
def scatter_nd_of_another_shape(tf, sess):
    updates = tf.placeholder(tf.float32)
    y = tf.scatter_nd([[0], [1]], updates, [4], name="change")  # <- wrong
    return lambda: sess.run(y, {updates: [1.0, 2.0, 3.0]})


@wrong("InvalidArgumentError", "indices\\[0\\] = \\[9\\] does not index into shape \\[4\\]", op="change")
def scatter_nd_out_of_range(tf, sess):
    i = tf.placeholder(tf.int32)
    y = tf.scatter_nd(i, [1.0], [4], name="change")  # <- wrong
    return lambda: sess.run(y, {i: [[9]]})


@wrong("InvalidArgumentError", "\\[-2, 2\\), but got 5", op="sums")
def cumsum_axis(tf, sess):
    axis = tf.placeholder(tf.int32)
    y = tf.cumsum(tf.zeros([2, 3]), axis, name="sums")  # <- wrong
    return lambda: sess.run(y, {axis: 5})


@wrong("InvalidArgumentError", "\\[-2, 2\\), but got 5", op="best")
def argmax_axis(tf, sess):
    axis = tf.placeholder(tf.int32)
    y = tf.argmax(tf.zeros([2, 3]), axis, name="best")  # <- wrong
    return lambda: sess.run(y, {axis: 5})


@wrong("InvalidArgumentError", "axis 0 is empty in shape \\[0,3\\]", op="best")
def argmax_of_nothing(tf, sess):
    x = tf.placeholder(tf.float32)
    y = tf.argmax(x, 0, name="best")  # <- wrong
    return lambda: sess.run(y, {x: np.zeros([0, 3])})


@wrong("InvalidArgumentError", "=3 is not divisible by block_shape\\[0\\]=2", op="blocks")
def space_to_batch_of_odd_images(tf, sess):
    x = tf.placeholder(tf.float32)
    y = tf.space_to_batch_nd(x, [2], [[0, 0]], name="blocks")  # <- wrong
    return lambda: sess.run(y, {x: np.zeros([1, 3])})


@wrong("InvalidArgumentError", "strides\\[0\\] must be non-zero", op="steps")
def strided_slice_without_a_step(tf, sess):
    step = tf.placeholder(tf.int32)
    y = tf.strided_slice(tf.zeros([3]), [0], [2], step, name="steps")  # <- wrong
    return lambda: sess.run(y, {step: [0]})


@wrong("InvalidArgumentError", "[Dd]ivision by zero", op="rest")
def remainder_by_zero(tf, sess):
    x = tf.placeholder(tf.int64)
    y = tf.floormod(tf.constant([5], tf.int64), x, name="rest")  # <- wrong
    return lambda: sess.run(y, {x: [0]})


@wrong("InvalidArgumentError", "negative", op="power")
def negative_power_of_an_integer(tf, sess):
    x = tf.placeholder(tf.int32)
    y = tf.pow(tf.constant([2]), x, name="power")  # <- wrong
    return lambda: sess.run(y, {x: [-1]})


@wrong("OutOfRangeError", "[Rr]eached limit of 1", op="count")
def counter_at_its_limit(tf, sess):
    v = tf.Variable(1)
    y = tf.count_up_to(v, 1, name="count")  # <- wrong
    sess.run(v.initializer)
    return lambda: sess.run(y)


@wrong("InvalidArgumentError", "scalar", "\\[2\\]", op="filled")
def fill_with_a_vector(tf, sess):
    x = tf.placeholder(tf.float32)
    y = tf.fill([2], x, name="filled")  # <- wrong
    return lambda: sess.run(y, {x: [1.0, 2.0]})


@wrong("InvalidArgumentError", "\\[3\\]", "\\[2\\]", op="known")
def ensure_shape(tf, sess):
    x = tf.placeholder(tf.float32)
    y = tf.ensure_shape(x, [2], name="known")  # <- wrong
    return lambda: sess.run(y, {x: [1.0, 2.0, 3.0]})


@wrong("InvalidArgumentError", "logits_size=\\[2,3\\] labels_size=\\[4,3\\]", op="loss")
def loss_of_other_batches(tf, sess):
    logits = tf.placeholder(tf.float32)
    labels = tf.placeholder(tf.float32)
    op = tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=logits, labels=labels, name="loss")  # <- wrong
    return lambda: sess.run(op.loss, {logits: np.zeros([2, 3]), labels: np.zeros([4, 3])})


@wrong("InvalidArgumentError", "-9", "\\[-2, 2\\)")
def softmax_axis(tf, sess):
    tf.nn.softmax(tf.zeros([2, 3]), axis=-9)  # <- wrong


@wrong("InvalidArgumentError", "0/-5")
def sequence_mask_of_negative_length(tf, sess):
    n = tf.placeholder(tf.int32)
    y = tf.sequence_mask([1, 2], n)  # <- wrong
    return lambda: sess.run(y, {n: -5})
