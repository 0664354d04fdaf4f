"""Types that do not fit: a TypeError that names both, found while the graph is built."""

import numpy as np

from tests.errors.table import wrong


@wrong("TypeError|ValueError", "float32", "int32")
def float_plus_int(tf, sess):
    tf.constant(1.0) + tf.constant(1)  # <- wrong


@wrong("TypeError|ValueError", "float64", "float32")
def numpy_double_times_float(tf, sess):
    tf.constant(1.0) * tf.constant(np.float64(2))  # <- wrong


@wrong("TypeError", "string|str")
def float_times_string(tf, sess):
    tf.constant(1.0) * "2"  # <- wrong


@wrong("TypeError", "float32", "int32")
def int_plus_python_float(tf, sess):
    tf.constant(1) + 1.5  # <- wrong


@wrong("TypeError", "int32", "float")
def exp_of_an_integer(tf, sess):
    tf.exp(tf.constant(1))  # <- wrong


@wrong("TypeError", "int32|int64", "float")
def softmax_of_integers(tf, sess):
    tf.nn.softmax(tf.constant([1, 2]))  # <- wrong


@wrong("TypeError|ValueError", "float64", "float32")
def matmul(tf, sess):
    tf.matmul(tf.zeros([2, 2]), tf.zeros([2, 2], tf.float64))  # <- wrong


@wrong("TypeError", "float32", "int32, int64")
def gather_with_float_indices(tf, sess):
    tf.gather(tf.zeros([3]), tf.constant([0.0]))  # <- wrong


@wrong("TypeError", "float32", "bool")
def logical_and_of_floats(tf, sess):
    tf.logical_and(tf.constant(1.0), tf.constant(True))  # <- wrong


@wrong("TypeError|ValueError", "float32", "bool")
def where_without_bools(tf, sess):
    tf.where(tf.constant([1.0]), tf.zeros([1]), tf.zeros([1]))  # <- wrong


@wrong("TypeError", "bool")
def mean_of_bools(tf, sess):
    tf.reduce_mean(tf.constant([True, False]))  # <- wrong


@wrong("TypeError", "float32", "int32, int64")
def reshape_to_a_float_shape(tf, sess):
    tf.reshape(tf.zeros([2]), tf.constant([2.0]))  # <- wrong


@wrong("TypeError|ValueError", "int64", "int32")
def comparison_of_other_types(tf, sess):
    tf.equal(tf.constant(1), tf.constant(1, tf.int64))  # <- wrong


@wrong("TypeError", "float32", "int32")
def concat_of_other_types(tf, sess):
    tf.concat([tf.constant([1.0]), tf.constant([1])], 0)  # <- wrong


@wrong("TypeError", "float32", "int32")
def assign_of_another_type(tf, sess):
    v = tf.Variable(1.0)
    tf.assign(v, tf.constant(1))  # <- wrong


@wrong("TypeError", "float")
def one_hot_of_floats(tf, sess):
    tf.one_hot(tf.constant([1.0]), 3)  # <- wrong


@wrong("TypeError", "'tensor'")
def cast_to_something_else(tf, sess):
    tf.cast(tf.constant([1]), "tensor")  # <- wrong


@wrong("TypeError|ValueError", "float32", "float64")
def sum_of_other_types(tf, sess):
    tf.add_n([tf.constant(1.0), tf.constant(1.0, tf.float64)])  # <- wrong


@wrong("TypeError", "mutable tensor|Variable|ref")
def assign_to_a_tensor(tf, sess):
    tf.raw_ops.Assign(ref=tf.zeros([2]), value=tf.zeros([2]))  # <- wrong


@wrong("TypeError|ValueError", "int32")
def random_uniform_of_integers_without_a_bound(tf, sess):
    tf.random_uniform([2], dtype=tf.int32)  # <- wrong


@wrong("TypeError|ValueError", "float|int32")
def dropout_of_integers(tf, sess):
    tf.nn.dropout(tf.constant([1, 2]), keep_prob=0.5)  # <- wrong


@wrong("AssertionError|TypeError", "uint8|^$")
def range_up_to_an_unsigned_byte(tf, sess):
    tf.range(tf.constant(3, tf.uint8))  # <- wrong


@wrong("TypeError", "input must be a numeric tensor, but got tensor with dtype")
def real_part_of_a_string(tf, sess):
    tf.real("a")  # <- wrong


@wrong("TypeError", "input must be a numeric tensor, but got tensor with dtype")
def real_part_of_a_bool(tf, sess):
    tf.real(True)  # <- wrong


@wrong("TypeError", "complex128")
def round_of_a_complex_number(tf, sess):
    tf.round(1j)  # <- wrong


@wrong("TypeError", "A seed must be an int, not 'x'|not all arguments converted")
def seed_that_is_a_string(tf, sess):
    tf.random_uniform([2], seed="x")  # <- wrong


@wrong("TypeError", "A seed must be an int, not 'x'|not all arguments converted")
def seed_of_a_graph_that_is_a_string(tf, sess):
    tf.set_random_seed("x")
    tf.random_uniform([2])  # <- wrong


@wrong("TypeError", "A seed must be an int, not 'x'|not all arguments converted")
def seed_of_an_initializer_that_is_a_string(tf, sess):
    tf.initializers.he_normal(seed="x")([2, 3])  # <- wrong


@wrong("TypeError", "base_type must be a type or a tuple of types")
def conversion_of_a_number_instead_of_a_type(tf, sess):
    tf.register_tensor_conversion_function(1, lambda *args, **kwargs: NotImplemented)  # <- wrong


@wrong("TypeError", "conversion_func must be callable")
def conversion_that_is_no_function(tf, sess):
    tf.register_tensor_conversion_function(int, 3)  # <- wrong
