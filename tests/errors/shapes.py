"""Shapes that do not fit, found while the graph is built: a ValueError with the operation and both shapes."""

from tests.errors.table import wrong


@wrong("ValueError", "Dimensions must be equal, but are 3 and 2", "'product'", r"\[2,3\], \[2,3\]")
def matmul(tf, sess):
    tf.matmul(tf.zeros([2, 3]), tf.zeros([2, 3]), name="product")  # <- wrong


@wrong("ValueError", "must be (at least )?rank", "1")
def matmul_of_a_vector(tf, sess):
    tf.matmul(tf.zeros([2, 3]), tf.zeros([3]))  # <- wrong


@wrong("ValueError", "Dimensions must be equal, but are 2 and 3", r"\[2\], \[3\]")
def addition(tf, sess):
    tf.zeros([2]) + tf.zeros([3])  # <- wrong


@wrong("ValueError", "Dimension 0 in both shapes must be equal, but are 2 and 3", r"\[2,1\]", r"\[3,1\]")
def concat(tf, sess):
    tf.concat([tf.zeros([2, 1]), tf.zeros([3, 1])], axis=1)  # <- wrong


@wrong("ValueError", "equal rank|same rank", "1", "2")
def concat_of_other_ranks(tf, sess):
    tf.concat([tf.zeros([2]), tf.zeros([2, 1])], axis=0)  # <- wrong


@wrong("ValueError", "5", "2")
def concat_along_an_axis_too_many(tf, sess):
    tf.concat([tf.zeros([2, 1]), tf.zeros([2, 1])], axis=5)  # <- wrong


@wrong("ValueError", "2 and 3")
def stack(tf, sess):
    tf.stack([tf.placeholder(tf.float32, [2]), tf.placeholder(tf.float32, [3])])  # <- wrong


@wrong("ValueError", "Cannot infer (num|argument `num`) from shape")
def unstack_of_unknown_size(tf, sess):
    tf.unstack(tf.placeholder(tf.float32, [None, 2]))  # <- wrong


@wrong("ValueError", "Cannot reshape a tensor with 6 elements to shape \\[4\\] \\(4 elements\\)", r"\[2,3\]")
def reshape(tf, sess):
    tf.reshape(tf.zeros([2, 3]), [4])  # <- wrong


@wrong("ValueError", "must be evenly divisible by 4 but is 6")
def reshape_with_a_free_size(tf, sess):
    tf.reshape(tf.zeros([2, 3]), [4, -1])  # <- wrong


@wrong("ValueError", "Invalid value in tensor used for shape: -2")
def reshape_to_a_negative_size(tf, sess):
    tf.reshape(tf.zeros([2, 3]), [-2, 3])  # <- wrong


@wrong("ValueError", "3", "-3|2")
def expand_dims_out_of_range(tf, sess):
    tf.expand_dims(tf.zeros([2, 3]), 5)  # <- wrong


@wrong("ValueError", "Can not squeeze dim\\[0\\], expected a dimension of 1, got 2")
def squeeze(tf, sess):
    tf.squeeze(tf.zeros([2, 1]), axis=0)  # <- wrong


@wrong("ValueError", "Dimension must be 2 but is 3")
def transpose(tf, sess):
    tf.transpose(tf.zeros([2, 3]), [0, 1, 2])  # <- wrong


@wrong("ValueError", "must be rank 1 but is rank 2|Shape must be rank")
def tile(tf, sess):
    tf.tile(tf.zeros([2, 3]), [2])  # <- wrong


@wrong("ValueError", "overflow when multiplying 2 and 4611686018427387904")
def tile_beyond_64_bits(tf, sess):
    tf.tile(tf.zeros([2]), tf.constant([2**62], tf.int64))  # <- wrong


@wrong("ValueError", "evenly divi|not evenly|divisible")
def split(tf, sess):
    tf.split(tf.zeros([5, 2]), 2, axis=0)  # <- wrong


@wrong("ValueError", "1048576|out of memory|outputs")
def split_into_billions(tf, sess):
    tf.split(tf.placeholder(tf.float32), 2**31 - 1, axis=0)  # <- wrong


@wrong("ValueError", "1048576|outputs")
def unstack_into_billions(tf, sess):
    tf.unstack(tf.placeholder(tf.float32), num=2**31 - 1)  # <- wrong


@wrong("ValueError", "Invalid reduction dimension 2 for input with 2 dimensions")
def reduction_axis(tf, sess):
    tf.reduce_sum(tf.zeros([2, 3]), axis=2)  # <- wrong


@wrong("ValueError", "\\[-2, 2\\)|-2, 2", "4")
def argmax_axis(tf, sess):
    tf.argmax(tf.zeros([2, 3]), axis=4)  # <- wrong


@wrong("ValueError", "\\[-2, 2\\), but got 4")
def gather_axis(tf, sess):
    tf.gather(tf.zeros([2, 3]), [0], axis=4)  # <- wrong


@wrong("ValueError", "4", "3|depth|channels")
def conv2d_channels(tf, sess):
    tf.nn.conv2d(tf.zeros([1, 8, 8, 3]), tf.zeros([3, 3, 4, 8]), strides=[1, 1, 1, 1], padding="SAME")  # <- wrong


@wrong("ValueError", "Shape must be rank 4 but is rank 3", "Conv2D")
def conv2d_of_one_image(tf, sess):
    tf.nn.conv2d(tf.zeros([8, 8, 3]), tf.zeros([3, 3, 3, 8]), strides=[1, 1, 1, 1], padding="SAME")  # <- wrong


@wrong("ValueError", "Negative dimension size caused by subtracting 3 from 2")
def conv2d_window_beyond_the_image(tf, sess):
    tf.nn.conv2d(tf.zeros([1, 2, 2, 1]), tf.zeros([3, 3, 1, 1]), strides=[1, 1, 1, 1], padding="VALID")  # <- wrong


@wrong("ValueError", "4")
def conv2d_with_two_strides(tf, sess):
    tf.nn.conv2d(tf.zeros([1, 2, 2, 1]), tf.zeros([3, 3, 1, 1]), strides=[1, 1, 1], padding="VALID")  # <- wrong


@wrong("ValueError", "Negative dimension size caused by subtracting 5 from 4")
def pool_window_beyond_the_image(tf, sess):
    tf.nn.max_pool(tf.zeros([1, 4, 4, 1]), [1, 5, 5, 1], [1, 1, 1, 1], "VALID")  # <- wrong


@wrong("ValueError", "3 and 4|4 and 3|must be equal", "BiasAdd")
def bias(tf, sess):
    tf.nn.bias_add(tf.zeros([2, 3]), tf.zeros([4]))  # <- wrong


@wrong(
    "ValueError", "Rank mismatch: Rank of labels \\(received 2\\) should equal rank of logits minus 1 \\(received 2\\)"
)
def sparse_labels_that_are_one_hot(tf, sess):
    labels, logits = tf.zeros([5, 10], tf.int32), tf.zeros([5, 10])
    tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)  # <- wrong


@wrong("ValueError", "labels=|Only call `softmax_cross_entropy_with_logits` with named arguments")
def cross_entropy_without_names(tf, sess):
    x = tf.zeros([5, 10])
    tf.nn.softmax_cross_entropy_with_logits(x, x)  # <- wrong


@wrong("ValueError", "10", "9")
def labels_of_other_classes(tf, sess):
    labels, logits = tf.zeros([5, 9]), tf.zeros([5, 10])
    tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits)  # <- wrong


@wrong("ValueError", "logits and labels must have the same shape", "5", "1")
def sigmoid_labels(tf, sess):
    labels, logits = tf.zeros([5]), tf.zeros([5, 1])
    tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)  # <- wrong


@wrong("ValueError", "3", "2")
def where(tf, sess):
    tf.where(tf.constant([True, False]), tf.zeros([3]), tf.zeros([3]))  # <- wrong


@wrong("ValueError", "slice index 4 of dimension 0 out of bounds")
def index_out_of_range(tf, sess):
    tf.zeros([3])[4]  # <- wrong


@wrong("ValueError", "Index out of range using input dim 2; input has only 2 dims")
def too_many_indices(tf, sess):
    tf.zeros([3, 4])[0, 0, 0]  # <- wrong


@wrong("ValueError", "strides(\\[0\\])? must be non-zero")
def stride_of_zero(tf, sess):
    tf.zeros([3])[::0]  # <- wrong


@wrong("InvalidArgumentError", "Expected size\\[0\\] in \\[0, 1\\], but got 2")
def slice_beyond_the_end(tf, sess):
    y = tf.slice(tf.zeros([3]), [2], [2])  # <- wrong
    return lambda: sess.run(y)


@wrong("ValueError", "-1|>= 0|non-negative")
def fill_of_a_negative_size(tf, sess):
    tf.fill([2, -1], 0.0)  # <- wrong


@wrong("ValueError", "delta != 0")
def range_without_a_step(tf, sess):
    tf.range(0, 10, 0)  # <- wrong


@wrong("ValueError", "-3", "non-negative")
def one_hot_of_negative_depth(tf, sess):
    tf.one_hot([1], -3)  # <- wrong


@wrong("ValueError", "Incompatible shapes|incompatible|must be equal|Dimensions")
def broadcast_to(tf, sess):
    tf.broadcast_to(tf.zeros([3]), [2, 4])  # <- wrong


@wrong("ValueError", "0", "more than once|specified|duplicate")
def reverse_an_axis_twice(tf, sess):
    tf.reverse(tf.zeros([2, 3]), [0, 0])  # <- wrong


@wrong("ValueError", "non-negative|negative|-1")
def pad_by_a_negative_size(tf, sess):
    tf.pad(tf.zeros([3]), [[-1, 0]])  # <- wrong


@wrong("ValueError", "rank")
def diagonal_of_an_odd_rank(tf, sess):
    tf.diag_part(tf.zeros([2, 2, 2]))  # <- wrong


@wrong("ValueError", "divisible by 2|2")
def space_to_depth_of_odd_images(tf, sess):
    tf.space_to_depth(tf.zeros([1, 3, 3, 1]), 2)  # <- wrong


@wrong("ValueError", "k", "5|4")
def top_k_of_too_few(tf, sess):
    tf.nn.top_k(tf.zeros([4]), k=5)  # <- wrong


@wrong("ValueError", "2|3")
def einsum_labels(tf, sess):
    tf.einsum("ij,jk->ik", tf.zeros([2, 3]), tf.zeros([2, 4]))  # <- wrong


@wrong("UnimplementedError", "rank 21 are not supported \\(at most 20\\)", "'Reshape'", "1,1,1,1,1,1,1,1,2")
def more_dimensions_than_tensors_have(tf, sess):
    x = tf.zeros([2])
    tf.reshape(x, [1] * 20 + [2])  # <- wrong
