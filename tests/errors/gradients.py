"""Gradients and optimizers."""

from tests.errors.table import wrong


@wrong("ValueError", "\\(?3|shape|rank|Dimension")
def grad_ys_of_another_shape(tf, sess):
    x = tf.placeholder(tf.float32, [2])
    tf.gradients(x * 2, x, grad_ys=[tf.zeros([3])])  # <- wrong


@wrong("TypeError", "int32", "float32")
def grad_ys_of_another_type(tf, sess):
    x = tf.placeholder(tf.float32, [2])
    tf.gradients(x * 2, x, grad_ys=[tf.constant([1, 2])])  # <- wrong


@wrong("ValueError", "1|2|length|number")
def too_few_grad_ys(tf, sess):
    x = tf.placeholder(tf.float32, [2])
    tf.gradients([x * 2, x * 3], x, grad_ys=[tf.zeros([2])])  # <- wrong


@wrong("ValueError", "unconnected_gradients|'maybe'")
def unknown_choice_for_unconnected(tf, sess):
    x = tf.constant(1.0)
    tf.gradients(x, x, unconnected_gradients="maybe")  # <- wrong


@wrong("ValueError", "No gradients provided for any variable")
def loss_that_no_variable_reaches(tf, sess):
    v = tf.Variable(1.0)
    loss = tf.constant(2.0) * 2
    tf.train.GradientDescentOptimizer(0.1).minimize(loss, var_list=[v])  # <- wrong


@wrong("ValueError", "No variables to optimize")
def program_without_variables(tf, sess):
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(2.0))  # <- wrong


@wrong("ValueError", "No variables provided")
def apply_no_gradients(tf, sess):
    tf.train.AdamOptimizer().apply_gradients([])  # <- wrong


@wrong("ValueError", "int32|Invalid type")
def variable_of_integers(tf, sess):
    v = tf.Variable(1)
    tf.train.GradientDescentOptimizer(0.1).minimize(tf.cast(v, tf.float32), var_list=[v])  # <- wrong


@wrong("TypeError", "string", "float32")
def gradient_that_is_no_tensor(tf, sess):
    v = tf.Variable(1.0)
    tf.train.GradientDescentOptimizer(0.1).apply_gradients([("steep", v)])  # <- wrong


@wrong("NotImplementedError", "Trying to update a Tensor", "'x:0'")
def optimize_a_tensor(tf, sess):
    x = tf.constant(1.0, name="x")
    tf.train.GradientDescentOptimizer(0.1).minimize(x * x, var_list=[x])  # <- wrong


@wrong("FailedPreconditionError", "uninitialized value .*beta1_power|uninitialized value")
def slots_without_initialization(tf, sess):
    v = tf.Variable(1.0, name="v")
    sess.run(v.initializer)
    train = tf.train.AdamOptimizer().minimize(v * v)  # <- wrong
    return lambda: sess.run(train)


@wrong("InvalidArgumentError", "rank|scalar|shape")
def learning_rate_of_another_shape(tf, sess):
    v, rate = tf.Variable(1.0), tf.placeholder(tf.float32)
    train = tf.train.GradientDescentOptimizer(rate).minimize(v * v)  # <- wrong
    sess.run(v.initializer)
    return lambda: sess.run(train, {rate: [0.1, 0.2]})


@wrong("ValueError", "name|Optimizer")
def optimizer_without_a_name(tf, sess):
    tf.train.Optimizer(False, "")  # <- wrong


@wrong("ValueError", "boundaries|values|1|2")
def piecewise_constant_with_too_few_values(tf, sess):
    tf.train.piecewise_constant(tf.constant(1), boundaries=[10, 20], values=[1.0, 0.1])  # <- wrong


@wrong("ValueError|TypeError", "global_step|decay")
def decay_without_a_step(tf, sess):
    tf.train.exponential_decay(0.1, None, 100, 0.9)  # <- wrong
