"""Variables: values and shapes that do not fit, names that exist or do not."""

from tests.errors.table import wrong


@wrong("ValueError|TypeError", "initial_value|initial value")
def without_a_value(tf, sess):
    tf.Variable()  # <- wrong


@wrong("ValueError", "must have a shape specified")
def of_unknown_shape(tf, sess):
    tf.Variable(tf.placeholder(tf.float32))  # <- wrong


@wrong("ValueError", "\\[2\\]", "\\[3\\]", "Dimension 0 in both shapes must be equal, but are 2 and 3")
def assign_of_another_shape(tf, sess):
    v = tf.Variable([1.0, 2.0])
    tf.assign(v, [1.0, 2.0, 3.0])  # <- wrong


@wrong("InvalidArgumentError", "lhs shape= ?\\[2\\] rhs shape= ?\\[3\\]", op="change")
def assign_of_another_shape_at_run_time(tf, sess):
    v, x = tf.Variable([1.0, 2.0]), tf.placeholder(tf.float32)
    y = tf.assign(v, x, name="change")  # <- wrong
    return lambda: sess.run(y, {x: [1, 2, 3]})


@wrong("AttributeError", "'Tensor' object has no attribute 'assign'|assign")
def assign_to_a_tensor(tf, sess):
    x = tf.constant(1.0)
    x.assign(2.0)  # <- wrong


@wrong("ValueError", "Variable w already exists, disallowed")
def name_that_exists(tf, sess):
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        tf.get_variable("w", [2])
    with tf.variable_scope(tf.get_variable_scope(), reuse=False):
        tf.get_variable("w", [2])  # <- wrong


@wrong("ValueError", "Variable layer/w does not exist, or was not created with tf.get_variable")
def reuse_of_what_does_not_exist(tf, sess):
    with tf.variable_scope("layer", reuse=True):
        tf.get_variable("w", [2])  # <- wrong


@wrong("ValueError", "Trying to share variable w, but specified shape \\(3,\\) and found shape \\(2,\\)")
def reuse_with_another_shape(tf, sess):
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        tf.get_variable("w", [2])
        tf.get_variable("w", [3])  # <- wrong


@wrong("ValueError", "Trying to share variable w, but specified dtype float64 and found dtype float32")
def reuse_with_another_type(tf, sess):
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        tf.get_variable("w", [2])
        tf.get_variable("w", [2], tf.float64)  # <- wrong


@wrong("ValueError", "Variable w did not get an initializer, so its `shape` argument must be specified")
def get_variable_without_a_shape(tf, sess):
    tf.get_variable("w")  # <- wrong


@wrong("ValueError", "`shape` should be fully defined")
def get_variable_of_a_partial_shape(tf, sess):
    tf.get_variable("w", [None, 3])  # <- wrong


@wrong("ValueError", "constant|shape")
def get_variable_with_a_constant_and_a_shape(tf, sess):
    tf.get_variable("w", [3], initializer=tf.constant([1.0]))  # <- wrong


@wrong("ValueError", "3|shape|elements")
def constant_initializer_of_another_size(tf, sess):
    tf.get_variable("w", [2], initializer=tf.constant_initializer([1.0, 2.0, 3.0]))  # <- wrong


@wrong("ValueError|TypeError", "initializer|callable|Initializer|int")
def initializer_of_another_type(tf, sess):
    tf.get_variable("w", [2], initializer=3)  # <- wrong


@wrong("TypeError", "iter")
def loop_over_a_variable(tf, sess):
    v = tf.Variable([1.0, 2.0])
    for _ in v:  # <- wrong
        pass


@wrong("TypeError", "name_or_scope is required")
def variable_scope_without_a_name(tf, sess):
    with tf.variable_scope(None):  # <- wrong
        pass


@wrong("ValueError|TypeError", "trainable|bool|regulari|callable|function")
def regularizer_that_can_not_be_called(tf, sess):
    tf.get_variable("w", [2], regularizer=0.1)  # <- wrong


@wrong("ValueError|TypeError", "partition")
def partitioner_that_splits_two_axes(tf, sess):
    tf.get_variable("w", [4, 4], partitioner=lambda shape, dtype: [2, 2])  # <- wrong


@wrong("IndexError", "Cannot partition a variable of shape .4. along axis 1|list index out of range")
def partitioner_along_an_axis_that_is_missing(tf, sess):
    tf.fixed_size_partitioner(2, axis=1)(tf.TensorShape([4]))  # <- wrong
