"""Steps that fail: the error has TensorFlow's class, the values at fault, the operation and its line."""

import numpy as np

from tests.errors.table import wrong

nan = float("nan")


@wrong(
    "InvalidArgumentError",
    "You must feed a value for placeholder tensor 'x' with dtype float and shape \\[\\?,3\\]",
    op="x",
)
def placeholder_without_a_value(tf, sess):
    x = tf.placeholder(tf.float32, [None, 3], name="x")  # <- wrong
    y = x * 2
    return lambda: sess.run(y)


@wrong("FailedPreconditionError", "Attempting to use uninitialized value weights")
def uninitialized_variable(tf, sess):
    v = tf.Variable(tf.zeros([2]), name="weights")  # <- wrong
    y = v * 2
    return lambda: sess.run(y)


@wrong("InvalidArgumentError", "[Dd]ivision by zero", op="quotient")
def division_by_zero(tf, sess):
    x = tf.placeholder(tf.int32)
    y = tf.floordiv(7, x, name="quotient")  # <- wrong
    return lambda: sess.run(y, {x: 0})


@wrong("InvalidArgumentError", "indices.* = 3 is not in \\[0, 3\\)", op="pick")
def gather_out_of_range(tf, sess):
    i = tf.placeholder(tf.int32)
    y = tf.gather(tf.constant([1.0, 2.0, 3.0]), i, name="pick")  # <- wrong
    return lambda: sess.run(y, {i: [0, 3]})


@wrong("InvalidArgumentError", "-1", op="pick")
def gather_nd_out_of_range(tf, sess):
    i = tf.placeholder(tf.int32)
    y = tf.gather_nd(tf.constant([[1.0, 2.0]]), i, name="pick")  # <- wrong
    return lambda: sess.run(y, {i: [[0, -1]]})


@wrong("InvalidArgumentError", "indices.* = 7 is not in \\[0, 2\\)", op="change")
def scatter_out_of_range(tf, sess):
    v, i = tf.Variable([1.0, 2.0]), tf.placeholder(tf.int32)
    y = tf.scatter_add(v, i, [1.0], name="change")  # <- wrong
    sess.run(v.initializer)
    return lambda: sess.run(y.op, {i: [7]})


@wrong("InvalidArgumentError", "5", op="lookup")
def embedding_id_out_of_range(tf, sess):
    ids = tf.placeholder(tf.int64, [None])
    y = tf.nn.embedding_lookup(tf.zeros([5, 2]), ids, name="lookup")  # <- wrong
    return lambda: sess.run(y, {ids: [5]})


@wrong("InvalidArgumentError", "Incompatible shapes: \\[2\\] vs. \\[3\\]", op="sum")
def addition(tf, sess):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    z = tf.add(x, y, name="sum")  # <- wrong
    return lambda: sess.run(z, {x: [1, 2], y: [1, 2, 3]})


@wrong("InvalidArgumentError", "\\[2,3\\]", op="product")
def matmul(tf, sess):
    x = tf.placeholder(tf.float32)
    z = tf.matmul(x, x, name="product")  # <- wrong
    return lambda: sess.run(z, {x: np.ones([2, 3])})


@wrong("InvalidArgumentError", "Input to reshape is a tensor with 3 values, but the requested shape has 4", op="four")
def reshape(tf, sess):
    x = tf.placeholder(tf.float32)
    y = tf.reshape(x, [4], name="four")  # <- wrong
    return lambda: sess.run(y, {x: [1, 2, 3]})


@wrong("InvalidArgumentError", "ConcatOp : Dimensions? .*\\[2,1\\].*\\[3,1\\]", op="joined")
def concat(tf, sess):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    z = tf.concat([x, y], 1, name="joined")  # <- wrong
    return lambda: sess.run(z, {x: np.ones([2, 1]), y: np.ones([3, 1])})


@wrong("InvalidArgumentError", "\\[2\\]", "\\[3\\]", op="stacked")
def stack(tf, sess):
    x, y = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    z = tf.stack([x, y], name="stacked")  # <- wrong
    return lambda: sess.run(z, {x: np.ones([2]), y: np.ones([3])})


@wrong("InvalidArgumentError", "-1", op="filled")
def fill_of_a_negative_size(tf, sess):
    n = tf.placeholder(tf.int32)
    y = tf.fill(n, 1.0, name="filled")  # <- wrong
    return lambda: sess.run(y, {n: [2, -1]})


@wrong("ResourceExhaustedError", "OOM when allocating tensor with shape\\[17592186044416\\]", op="filled")
def out_of_memory(tf, sess):
    n = tf.placeholder(tf.int64)
    y = tf.fill(n, 1.0, name="filled")  # <- wrong
    return lambda: sess.run(y, {n: [2**44]})


@wrong("InvalidArgumentError", "1099511627776", op="filled")
def more_elements_than_64_bits(tf, sess):
    n = tf.placeholder(tf.int64)
    y = tf.fill(n, 1.0, name="filled")  # <- wrong
    return lambda: sess.run(y, {n: [2**40, 2**40]})


@wrong("InvalidArgumentError", "assertion failed: \\[x is\\] \\[-7\\]")
def assertion(tf, sess):
    x = tf.placeholder(tf.int32)
    check = tf.Assert(x > 0, ["x is", x])  # <- wrong
    return lambda: sess.run(check, {x: -7})


@wrong("InvalidArgumentError", "loss : Tensor had NaN", op="checked")
def check_numerics(tf, sess):
    x = tf.placeholder(tf.float32)
    y = tf.check_numerics(x, "loss", name="checked")  # <- wrong
    return lambda: sess.run(y, {x: [1.0, nan]})


@wrong("InvalidArgumentError", "gpu|GPU", "x")
def device_that_does_not_exist(tf, sess):
    with tf.device("/gpu:99"):
        x = tf.constant(1.0, name="x")  # <- wrong
    return lambda: sess.run(x)


@wrong("InvalidArgumentError", "job:worker|worker", "x")
def task_that_does_not_exist(tf, sess):
    with tf.device("/job:worker/task:3/cpu:0"):
        x = tf.constant(1.0, name="x")  # <- wrong
    return lambda: sess.run(x)


@wrong("InvalidArgumentError", "label value of 3 which is outside the valid range of \\[0, 3\\)")
def label_out_of_range(tf, sess):
    labels = tf.placeholder(tf.int32, [None])
    y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=tf.zeros([2, 3]))  # <- wrong
    return lambda: sess.run(y, {labels: [0, 3]})


@wrong("InvalidArgumentError", "5", "4|k", op="best")
def top_k_of_too_few(tf, sess):
    x = tf.placeholder(tf.float32)
    y = tf.nn.top_k(x, 5, name="best")  # <- wrong
    return lambda: sess.run(y, {x: [1, 2, 3, 4]})


@wrong("InvalidArgumentError", "segment ids are not increasing", op="sums")
def segment_ids_without_order(tf, sess):
    ids = tf.placeholder(tf.int32)
    y = tf.segment_sum([1.0, 2.0, 3.0], ids, name="sums")  # <- wrong
    return lambda: sess.run(y, {ids: [1, 0, 2]})


@wrong("InvalidArgumentError", "9", "\\[0, 3\\)", op="sums")
def unsorted_segment_id_out_of_range(tf, sess):
    ids = tf.placeholder(tf.int32)
    y = tf.unsorted_segment_sum([1.0, 2.0], ids, 3, name="sums")  # <- wrong
    return lambda: sess.run(y, {ids: [0, 9]})


@wrong("InvalidArgumentError", "minval < maxval", "5 >= 5|5")
def random_bounds(tf, sess):
    high = tf.placeholder(tf.int32)
    y = tf.random_uniform([2], 5, high, dtype=tf.int32)  # <- wrong
    return lambda: sess.run(y, {high: 5})


@wrong("InvalidArgumentError", "delta|zero|0", op="steps")
def range_without_a_step(tf, sess):
    step = tf.placeholder(tf.int32)
    y = tf.range(0, 10, step, name="steps")  # <- wrong
    return lambda: sess.run(y, {step: 0})


@wrong("ResourceExhaustedError|InvalidArgumentError", "9223372036854775807|range|OOM", op="steps")
def range_without_end(tf, sess):
    limit = tf.placeholder(tf.int64)
    y = tf.range(tf.constant(0, tf.int64), limit, name="steps")  # <- wrong
    return lambda: sess.run(y, {limit: 2**63 - 1})


@wrong("InvalidArgumentError", "permutation|duplicated|more than once|missing", op="turned")
def transpose_by_no_permutation(tf, sess):
    perm = tf.placeholder(tf.int32)
    y = tf.transpose(tf.zeros([2, 3]), perm, name="turned")  # <- wrong
    return lambda: sess.run(y, {perm: [0, 0]})


@wrong("InvalidArgumentError", "2", op="turned")
def invert_no_permutation(tf, sess):
    x = tf.placeholder(tf.int32)
    y = tf.invert_permutation(x, name="turned")  # <- wrong
    return lambda: sess.run(y, {x: [0, 2]})


@wrong("InvalidArgumentError", "4", "axis|dim", op="total")
def reduction_axis(tf, sess):
    axis = tf.placeholder(tf.int32)
    y = tf.reduce_sum(tf.zeros([2, 3]), axis, name="total")  # <- wrong
    return lambda: sess.run(y, {axis: 4})


@wrong("InvalidArgumentError", "-2147483648", op="total")
def reduction_axis_at_the_limit(tf, sess):
    axis = tf.placeholder(tf.int32)
    y = tf.reduce_sum(tf.zeros([2, 3]), axis, name="total")  # <- wrong
    return lambda: sess.run(y, {axis: -(2**31)})


@wrong("InvalidArgumentError", "-1|non-negative|negative", op="padded")
def pad_by_a_negative_size(tf, sess):
    paddings = tf.placeholder(tf.int32)
    y = tf.pad(tf.zeros([3]), paddings, name="padded")  # <- wrong
    return lambda: sess.run(y, {paddings: [[0, -1]]})


@wrong("InvalidArgumentError|ResourceExhaustedError", "9223372036854775807|overflow", op="padded")
def pad_beyond_64_bits(tf, sess):
    paddings = tf.placeholder(tf.int64)
    y = tf.pad(tf.zeros([3]), paddings, name="padded")  # <- wrong
    return lambda: sess.run(y, {paddings: [[2**63 - 1, 2**63 - 1]]})


@wrong("InvalidArgumentError", "-1", op="tiled")
def tile_by_a_negative_number(tf, sess):
    n = tf.placeholder(tf.int32)
    y = tf.tile(tf.zeros([3]), n, name="tiled")  # <- wrong
    return lambda: sess.run(y, {n: [-1]})


@wrong("InvalidArgumentError", "out of bounds|3", op="item")
def index_out_of_range(tf, sess):
    x = tf.placeholder(tf.float32)
    y = tf.strided_slice(x, [3], [4], shrink_axis_mask=1, name="item")  # <- wrong
    return lambda: sess.run(y, {x: [1, 2, 3]})


@wrong("InvalidArgumentError", "\\[0, 2\\]|but got|2", op="part")
def slice_beyond_the_end(tf, sess):
    x = tf.placeholder(tf.float32)
    y = tf.slice(x, [2], [2], name="part")  # <- wrong
    return lambda: sess.run(y, {x: [1, 2, 3]})


@wrong("InvalidArgumentError", "1, got 2|expected a dimension of 1", op="thin")
def squeeze(tf, sess):
    x = tf.placeholder(tf.float32)
    y = tf.squeeze(x, [0], name="thin")  # <- wrong
    return lambda: sess.run(y, {x: [[1], [2]]})


@wrong("InvalidArgumentError", "5", op="parts")
def split(tf, sess):
    x = tf.placeholder(tf.float32)
    y = tf.split(x, 2, name="parts")  # <- wrong
    return lambda: sess.run(y, {x: np.zeros(5)})


@wrong("InvalidArgumentError", "0|partition|2", op="parts")
def partition_that_does_not_exist(tf, sess):
    p = tf.placeholder(tf.int32)
    y = tf.dynamic_partition([1.0, 2.0], p, 2, name="parts")  # <- wrong
    return lambda: sess.run(y, {p: [0, 2]})


@wrong("UnimplementedError", "more than 20 dimensions: 21", op="all")
def rank_twenty_one(tf, sess):
    x = tf.placeholder(tf.float32)
    n = tf.placeholder(tf.int32)
    y = tf.reshape(x, n, name="all")  # <- wrong
    return lambda: sess.run(y, {x: [1.0], n: [1] * 21})


@wrong("InvalidArgumentError", "3", "2", op="matrix")
def images_of_other_depth(tf, sess):
    x = tf.placeholder(tf.float32)
    y = tf.nn.conv2d(x, tf.zeros([1, 1, 2, 1]), [1, 1, 1, 1], "SAME", name="matrix")  # <- wrong
    return lambda: sess.run(y, {x: np.zeros([1, 4, 4, 3])})


@wrong("InvalidArgumentError", "cycle|acyclic")
def cycle(tf, sess):
    with tf.Graph().as_default() as graph:
        a = tf.no_op(name="a")
        b = tf.group(a, name="b")  # <- wrong
        a._add_control_input(b)
    session = tf.Session(graph=graph)
    return lambda: session.run(b)
