"""Feeds that do not fit: the name of the tensor, what was given, and what fits."""

import numpy as np

from tests.errors.table import wrong


@wrong("ValueError", "Cannot feed value of shape \\(3,\\) for Tensor .*x:0.*, which has shape '?\\(2,\\)")
def another_shape(tf, sess):
    x = tf.placeholder(tf.float32, [2], name="x")
    return lambda: sess.run(x, {x: [1, 2, 3]})  # <- wrong


@wrong("ValueError", "Cannot feed value of shape \\(784,\\)", "\\(\\?, 784\\)|\\(None, 784\\)")
def one_example_instead_of_a_batch(tf, sess):
    x = tf.placeholder(tf.float32, [None, 784], name="x")
    return lambda: sess.run(x, {x: np.zeros(784)})  # <- wrong


@wrong("ValueError", "could not convert string to float: '?'two'")
def string_for_a_number(tf, sess):
    x = tf.placeholder(tf.float32)
    return lambda: sess.run(x, {x: "two"})  # <- wrong


@wrong("TypeError", "The value of a feed cannot be a tf.Tensor object")
def tensor_as_value(tf, sess):
    x = tf.placeholder(tf.float32)
    y = tf.constant(1.0)
    return lambda: sess.run(x, {x: y})  # <- wrong


@wrong("TypeError", "The value of a feed cannot be None")
def none_as_value(tf, sess):
    x = tf.placeholder(tf.float32)
    return lambda: sess.run(x, {x: None})  # <- wrong


@wrong("ValueError|TypeError", "inhomogeneous|sequence")
def ragged_list(tf, sess):
    x = tf.placeholder(tf.float32)
    return lambda: sess.run(x, {x: [[1, 2], [3]]})  # <- wrong


@wrong("TypeError|ValueError", "object")
def object_as_value(tf, sess):
    x = tf.placeholder(tf.float32)
    return lambda: sess.run(x, {x: object()})  # <- wrong


@wrong("TypeError", "The value of a feed|complex")
def complex_for_a_float(tf, sess):
    x = tf.placeholder(tf.float32)
    return lambda: sess.run(x, {x: 1j})  # <- wrong


@wrong("TypeError|OverflowError|ValueError", "4294967296|int32")
def integer_that_is_too_large(tf, sess):
    x = tf.placeholder(tf.int32, name="x")
    return lambda: sess.run(x, {x: 2**32})  # <- wrong


@wrong("TypeError", "Cannot interpret feed_dict key as Tensor")
def number_as_key(tf, sess):
    x = tf.constant(1.0)
    return lambda: sess.run(x, {1: 1.0})  # <- wrong


@wrong("TypeError", "Cannot interpret feed_dict key as Tensor", "'nope:0'")
def unknown_name_as_key(tf, sess):
    x = tf.constant(1.0)
    return lambda: sess.run(x, {"nope:0": 1.0})  # <- wrong


@wrong("TypeError", "Cannot interpret feed_dict key as Tensor", "not an element of this graph")
def tensor_of_another_graph_as_key(tf, sess):
    x = tf.constant(1.0)
    with tf.Graph().as_default():
        y = tf.placeholder(tf.float32)
    return lambda: sess.run(x, {y: 1.0})  # <- wrong


@wrong("TypeError", "Cannot interpret feed_dict key as Tensor", "Operation")
def operation_as_key(tf, sess):
    x = tf.constant(1.0)
    return lambda: sess.run(x, {x.op: 1.0})  # <- wrong


@wrong("ValueError", "may not be fed")
def tensor_that_may_not_be_fed(tf, sess):
    x = tf.constant(1.0)
    x.graph.prevent_feeding(x)
    return lambda: sess.run(x, {x: 2.0})  # <- wrong


@wrong("TypeError", "list|dict")
def list_instead_of_a_dictionary(tf, sess):
    x = tf.placeholder(tf.float32)
    return lambda: sess.run(x, [(x, 1.0)])  # <- wrong


@wrong("TypeError", "rray")
def array_instead_of_a_dictionary(tf, sess):
    x = tf.placeholder(tf.float32)
    return lambda: sess.run(x, np.zeros([1]))  # <- wrong


@wrong("UnimplementedError|ValueError|InvalidArgumentError", "rank 21|21")
def array_of_rank_twenty_one(tf, sess):
    x = tf.placeholder(tf.float32)
    return lambda: sess.run(x, {x: np.zeros([1] * 21)})  # <- wrong


class Exploding:
    """An object whose conversion fails."""

    def __array__(self, dtype=None, copy=None):
        raise ZeroDivisionError("no array today")


@wrong("ZeroDivisionError", "no array today")
def object_whose_conversion_fails(tf, sess):
    x = tf.placeholder(tf.float32)
    return lambda: sess.run(x, {x: Exploding()})  # <- wrong


@wrong("ValueError", "string_list|Cannot feed|\\(2,\\)")
def eval_with_another_shape(tf, sess):
    x = tf.placeholder(tf.string, [2])
    return lambda: x.eval({x: ["a", "b", "c"]}, sess)  # <- wrong
