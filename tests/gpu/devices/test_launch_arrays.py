"""Launchers of arrays, indices, variables, optimizers, random numbers: what the records of their ops can't express."""

import re

import numpy as np
import pytest

import tfcore as tf

RAW = tf.raw_ops
X = np.arange(24, dtype=np.float32).reshape(2, 3, 4)


def on(device, build, runs=1):
    """The values that `build` makes on a device, or the text of the error. It returns fetches, and ops to run first."""
    with tf.Graph().as_default():
        with tf.device(device):
            fetches, first = build()
        unchanged = tf.OptimizerOptions(opt_level=tf.OptimizerOptions.L0)  # constants would be folded, on the CPU
        options = tf.GraphOptions(optimizer_options=unchanged)
        with tf.Session(config=tf.ConfigProto(allow_soft_placement=True, graph_options=options)) as session:
            try:
                for op in first:
                    session.run(op)
                for _ in range(runs):
                    values = session.run(fetches)
                return values
            except tf.errors.OpError as error:
                text = error.message.partition("\n")[0].partition(" [[")[0]
                return type(error), re.sub(r"TensorArray_\d+", "TensorArray_N", text)  # each device counts its own


def same(build, runs=1, close=False):
    """What `build` gives on both devices, which must be the same."""
    expected, found = on("/cpu:0", build, runs), on("/gpu:0", build, runs)
    if isinstance(expected, tuple):
        assert found == expected
    else:
        for a, b in zip(*[v if isinstance(v, list) else [v] for v in (found, expected)], strict=True):
            if close:
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
            else:
                np.testing.assert_equal(a, b)
    return expected


def value_of(make):
    return lambda: (make(), ())


# ---- Errors


WRONG = {
    "gather": lambda: tf.gather(X, [[0, 1], [1, 7]]),
    "gather, second axis": lambda: tf.gather(X, np.int64(-3), axis=1),
    "gather_nd": lambda: tf.gather_nd(X, [[0, 1], [1, 9]]),
    "scatter_nd": lambda: tf.scatter_nd([[1], [4]], [1.0, 2.0], [3]),
    "scatter_nd, shapes": lambda: tf.scatter_nd([[1], [0]], tf.placeholder_with_default([1.0], None), [3]),
    "tensor_scatter": lambda: RAW.TensorScatterAdd(tensor=X, indices=[[2]], updates=np.ones((1, 3, 4), np.float32)),
    "unsorted segments": lambda: tf.unsorted_segment_sum(X, [0, 5], 3),
    "concat": lambda: tf.concat([tf.identity(X), tf.placeholder_with_default(X[:, :2], None)], 2),
    "slice": lambda: tf.slice(X, tf.placeholder_with_default([0, 0, 3], None), [2, 3, 2]),
    "reshape": lambda: tf.reshape(X, tf.placeholder_with_default([5, -1], None)),
    "transpose": lambda: tf.transpose(X, tf.placeholder_with_default([0, 0, 1], None)),
    "split": lambda: RAW.SplitV(value=X, size_splits=tf.placeholder_with_default([1, 1], None), split_dim=1,
                                num_split=2),
    "pad": lambda: tf.pad(X, tf.placeholder_with_default([[1, 1], [0, -1], [0, 0]], None)),
    "one_hot": lambda: tf.one_hot([0, 1], tf.placeholder_with_default(-2, [])),
    "random": lambda: tf.random_uniform(tf.placeholder_with_default([2, -1], None)),
    "tensor array": lambda: tf.TensorArray(tf.float32, 2).write(5, X).flow,
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_errors_are_those_of_the_cpu(name):
    assert isinstance(same(value_of(WRONG[name])), tuple)


def variable_and(make):
    def build():
        var = tf.Variable(X)
        return make(var), [var.initializer]

    return build


WRONG_UPDATES = {
    "scatter_add": lambda v: tf.scatter_add(v, [1, 3], X),
    "scatter_sub, shapes": lambda v: tf.scatter_sub(v, [1], tf.placeholder_with_default(X, None)),
    "scatter_nd_add": lambda v: tf.scatter_nd_add(v, [[0, 1], [0, 3]], X[0, :2]),
    "assign_add": lambda v: tf.assign_add(v, tf.placeholder_with_default(X[:1], None)),
    "sparse momentum": lambda v: RAW.SparseApplyMomentum(
        var=v._ref(), accum=v._ref(), lr=1.0, grad=X, indices=[0, -1], momentum=0.5
    ),
    "gradient": lambda v: RAW.ApplyGradientDescent(
        var=v._ref(), alpha=1.0, delta=tf.placeholder_with_default(X[:1], None)
    ),
}


@pytest.mark.parametrize("name", WRONG_UPDATES)
def test_errors_of_updates_are_those_of_the_cpu(name):
    assert isinstance(same(variable_and(WRONG_UPDATES[name])), tuple)


def test_after_an_error_the_device_works():
    assert isinstance(on("/gpu:0", value_of(WRONG["gather"])), tuple)
    same(value_of(lambda: tf.gather(X, [1, 0])))


# ---- Copies


def test_dimensions_are_merged():
    shape = [2, 1, 2, 1, 2, 1, 1, 2, 1, 2, 1, 1]
    x = np.arange(32, dtype=np.float32).reshape(shape)
    same(value_of(lambda: tf.transpose(x, list(range(6, 12)) + list(range(6)))))
    same(value_of(lambda: tf.tile(x, [1] * 6 + [3, 2] + [1] * 4)))


def test_too_many_dimensions():
    x = np.zeros([2] * 10, np.float32)
    kind, text = on("/gpu:0", value_of(lambda: tf.transpose(x)))
    assert kind is tf.errors.UnimplementedError and "Copies of 10 dimensions" in text


@pytest.mark.parametrize("dtype", [np.int8, np.float16, np.float32, np.float64, np.complex128])
def test_views_need_not_be_aligned(dtype):
    """Rows are copied as larger elements only if both sides are aligned to them."""
    x = np.arange(60).reshape(5, 3, 4).astype(dtype)
    same(value_of(lambda: tf.concat([tf.identity(x)[1:, :, :2], tf.identity(x)[:4, :, 2:]], 0)))
    same(value_of(lambda: tf.reverse(tf.reshape(tf.identity(x), [-1])[1:], [0])))


def test_shapes_stay_on_the_host():
    def build():
        x = tf.placeholder_with_default(X, None)
        shape = tf.shape(x)
        return tf.reshape(x, tf.stack([shape[0] * shape[1], -1])), ()

    assert same(build).shape == (6, 4)


def test_empty():
    x = np.zeros([0, 3], np.float32)
    same(value_of(lambda: [tf.concat([x, x], 0), tf.pad(x, [[1, 1], [0, 0]]), tf.gather(x, np.zeros([0], np.int32)),
                           tf.transpose(x), tf.one_hot(np.zeros([0], np.int64), 3), tf.random_uniform([0, 2]),
                           tf.zeros_like(x), tf.constant(x), tf.unsorted_segment_sum(x, np.zeros([0], np.int32), 2)])
         )  # fmt: skip


# ---- Variables and optimizers


def test_a_constant_outlives_its_step():
    def build():
        var = tf.Variable(tf.zeros([3]))
        return tf.assign_add(var, tf.constant([1.0, 2.0, 3.0])), [var.initializer]

    np.testing.assert_equal(same(build, runs=3), [3, 6, 9])


def test_a_value_that_was_read_stays():
    def build():
        var = tf.Variable(X)
        before = tf.identity(var)
        with tf.control_dependencies([before]):
            after = tf.scatter_update(var, [1], X[:1] + 100)
        return [before, after], [var.initializer]

    before, after = same(build)
    np.testing.assert_equal(before, X)
    np.testing.assert_equal(after[1], X[0] + 100)


OPTIMIZERS = {
    "sgd": lambda: tf.train.GradientDescentOptimizer(0.1),
    "momentum": lambda: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    "adam": lambda: tf.train.AdamOptimizer(0.1),
    "adagrad": lambda: tf.train.AdagradOptimizer(0.1),
    "adadelta": lambda: tf.train.AdadeltaOptimizer(0.1),
    "rmsprop": lambda: tf.train.RMSPropOptimizer(0.1, momentum=0.5, centered=True),
    "ftrl": lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=0.01),
    "proximal": lambda: tf.train.ProximalAdagradOptimizer(0.1, l2_regularization_strength=0.01),
}


@pytest.mark.parametrize("sparse", [False, True])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_optimizers(name, sparse):
    def build():
        var = tf.Variable(X / 10)
        used = tf.gather(var, [1, 0, 1]) if sparse else var
        train = OPTIMIZERS[name]().minimize(tf.reduce_sum(used * used))
        first = [tf.global_variables_initializer()]
        with tf.control_dependencies([train]):
            return tf.identity(var._ref()), first

    same(build, runs=3, close=True)


def test_adagrad_da_counts_steps_in_int64():
    def build():
        var, total, squares = tf.Variable(X), tf.Variable(X * 0), tf.Variable(X * 0 + 0.1)
        first = [tf.global_variables_initializer()]
        with tf.control_dependencies([RAW.ApplyAdagradDA(
            var=var._ref(), gradient_accumulator=total._ref(), gradient_squared_accumulator=squares._ref(), grad=X,
            lr=0.1, l1=0.01, l2=0.02, global_step=np.int64(3),
        )]):  # fmt: skip
            return tf.identity(var._ref()), first

    same(build, close=True)


# ---- Random numbers, tensor arrays, loops


def test_random_numbers_are_those_of_the_cpu():
    same(value_of(lambda: [tf.random_uniform([1000], seed=3), tf.random_uniform([77], 5, 999, tf.int32, seed=3),
                           tf.random_uniform([77], 5, 2**40, tf.int64, seed=3),
                           RAW.StatelessRandomUniform(shape=[5, 3], seed=[7, 8])]))  # fmt: skip
    same(value_of(lambda: tf.random_normal([999], seed=4)), runs=2, close=True)
    same(value_of(lambda: tf.truncated_normal([999], seed=4)), runs=2, close=True)


def test_tensor_arrays_and_their_gradients():
    def build():
        x = tf.constant(X)
        array = tf.TensorArray(tf.float32, 3).unstack(tf.transpose(x, [1, 0, 2]))
        total = array.read(0) * array.read(1) + array.read(2)
        out = tf.TensorArray(tf.float32, 2, infer_shape=False).write(0, total).write(1, total[:1])
        joined = out.concat()
        return [joined, tf.gradients(joined * joined, x)[0]], ()

    same(build, close=True)


def test_a_loop_and_its_gradient():
    def build():
        x = tf.constant(X[0])
        _, y = tf.while_loop(lambda i, y: i < 4, lambda i, y: (i + 1, y * x + 1), [0, x])
        return [y, tf.gradients(y, x)[0]], ()

    same(build, close=True)


def test_a_conditional_on_a_value_of_the_device():
    def build():
        x = tf.constant(X)
        return tf.cond(tf.reduce_sum(x) > 10, lambda: x + 1, lambda: x - 1), ()

    same(build)
