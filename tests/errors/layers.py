"""Layers and their arguments."""

from tests.errors.table import wrong


@wrong("ValueError", "The last dimension of the inputs to a Dense layer should be defined. Found None")
def dense_of_unknown_width(tf, sess):
    tf.layers.dense(tf.placeholder(tf.float32, [None, None]), 3)  # <- wrong


@wrong("ValueError", "dense.* (is )?incompatible with the layer|min_ndim|rank")
def dense_of_a_scalar(tf, sess):
    tf.layers.dense(tf.placeholder(tf.float32, []), 3)  # <- wrong


@wrong("ValueError", "conv2d.* incompatible with the layer|expected ndim=4")
def conv2d_of_a_matrix(tf, sess):
    tf.layers.conv2d(tf.placeholder(tf.float32, [2, 3]), 3, 2)  # <- wrong


@wrong("ValueError", "already exists|name")
def layer_name_twice(tf, sess):
    x = tf.placeholder(tf.float32, [2, 3])
    tf.layers.dense(x, 3, name="fc")
    tf.layers.dense(x, 3, name="fc")  # <- wrong


@wrong("ValueError", "does not exist")
def reuse_of_a_layer_that_does_not_exist(tf, sess):
    tf.layers.dense(tf.placeholder(tf.float32, [2, 3]), 3, name="fc", reuse=True)  # <- wrong


@wrong("ValueError", "\\[0, 1\\)", "-0.5")
def dropout_keep_prob(tf, sess):
    tf.nn.dropout(tf.zeros([2]), keep_prob=1.5)  # <- wrong


@wrong("ValueError", "rate", "1.5|\\[0, 1\\)")
def dropout_rate(tf, sess):
    tf.nn.dropout(tf.zeros([2]), rate=1.5)  # <- wrong


@wrong("ValueError", "kernel_size|2|integers")
def kernel_of_three_sizes(tf, sess):
    tf.layers.conv2d(tf.zeros([1, 4, 4, 1]), 3, [2, 2, 2])  # <- wrong


@wrong("ValueError", "padding|diagonal")
def unknown_padding(tf, sess):
    tf.layers.conv2d(tf.zeros([1, 4, 4, 1]), 3, 2, padding="diagonal")  # <- wrong


@wrong("ValueError", "axis|2|undefined|rank|3")
def normalization_of_unknown_channels(tf, sess):
    tf.layers.batch_normalization(tf.placeholder(tf.float32, [2, None]))  # <- wrong


@wrong("TypeError", "units|argument")
def dense_without_units(tf, sess):
    tf.layers.dense(tf.zeros([2, 3]))  # <- wrong
