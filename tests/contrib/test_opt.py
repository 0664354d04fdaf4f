"""tf.contrib.opt against NumPy."""

import builtins
import functools
import math

import numpy as np
import pytest

import tfcore as tf

opt = tf.contrib.opt
RANDOM = np.random.default_rng(23)
ROWS = [2, 0, 2]  # a sparse gradient with a row that occurs twice
START = RANDOM.normal(size=(4, 3))
GRADS = RANDOM.normal(size=(3, 4, 3))
SPARSE = RANDOM.normal(size=(3, 3, 3))
STEPS = 3


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


class Dense:
    """All rows have gradients."""

    grads = list(GRADS)
    touched = slice(None)

    @staticmethod
    def tensor(x):
        return x

    feeds = GRADS


class Sparse:
    """Rows 0 and 2 have gradients."""

    grads = [np.stack([x[1], np.zeros(3), x[0] + x[2], np.zeros(3)]) for x in SPARSE]
    touched = [0, 2]

    @staticmethod
    def tensor(x):
        return tf.IndexedSlices(x, tf.constant(ROWS), tf.constant([4, 3]))

    feeds = SPARSE


kinds = pytest.mark.parametrize("kind", [Dense, Sparse])
resources = pytest.mark.parametrize("use_resource", [False, True])


def trained(optimizer, kind, use_resource, dtype=tf.float64, **kwargs):
    """The variable after three steps."""
    var = tf.Variable(START, dtype=dtype, use_resource=use_resource, name="var")
    grad = tf.placeholder(dtype, kind.feeds[0].shape)
    global_step = tf.train.get_or_create_global_step()
    train = optimizer.apply_gradients([(kind.tensor(grad), var)], global_step=global_step, **kwargs)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for value in kind.feeds:
            sess.run(train, {grad: value})
        assert sess.run(global_step) == STEPS
        return sess.run(var)


def close(found, expected):
    np.testing.assert_allclose(found, expected, rtol=1e-6, atol=1e-6)  # hyperparameters are float32


def adam_like(kind, update, lazy=True):
    """`update(t, m, v, g)` is what a step subtracts, and the new m and v; rows without gradients stay as they are."""
    x, m, v = START.copy(), np.zeros_like(START), np.zeros_like(START)
    rows = kind.touched
    for t, g in enumerate(kind.grads, 1):
        delta, new_m, new_v = update(t, m, v, g)
        x[rows] -= delta[rows]
        where = rows if lazy else slice(None)
        m[where], v[where] = new_m[where], new_v[where]
    return x


def adam_step(t, m, v, g, nesterov=False):
    m, v = 0.8 * m + 0.2 * g, 0.9 * v + 0.1 * g * g
    rate = 0.1 * math.sqrt(1 - 0.9**t) / (1 - 0.8**t)
    mean = 0.8 * m + 0.2 * g if nesterov else m
    return rate * mean / (np.sqrt(v) + 1e-3), m, v


def ada_max_step(t, m, v, g):
    m, v = 0.8 * m + 0.2 * g, np.maximum(0.9 * v, np.abs(g))
    return 0.1 / (1 - 0.8**t) * m / (v + 1e-3), m, v


@kinds
@resources
@pytest.mark.parametrize(
    "make, step, lazy",
    [
        (opt.LazyAdamOptimizer, adam_step, True),
        (opt.AdaMaxOptimizer, ada_max_step, True),
        (opt.NadamOptimizer, functools.partial(adam_step, nesterov=True), False),
    ],
)
def test_relatives_of_adam(make, step, lazy, kind, use_resource):
    close(trained(make(0.1, 0.8, 0.9, 1e-3), kind, use_resource), adam_like(kind, step, lazy))


def signs(kind, factor):
    x, m = START.copy(), np.zeros_like(START)
    for t, g in enumerate(kind.grads):
        m = 0.9 * m + (1 - 0.9) * g
        x -= 0.1 * factor(t, np.sign(g) * np.sign(m)) * g
    return x


@kinds
@resources
@pytest.mark.parametrize("decay", [False, True])
def test_steps_by_signs(kind, use_resource, decay):
    decay_fn = opt.get_linear_decay_fn(4) if decay else None
    weight = (lambda t: 1 - t / 4) if decay else lambda t: 1
    found = trained(opt.AddSignOptimizer(alpha=2.0, sign_decay_fn=decay_fn), kind, use_resource)
    close(found, signs(kind, lambda t, s: 2 + weight(t) * s))
    with tf.Graph().as_default():
        found = trained(opt.PowerSignOptimizer(base=3.0, sign_decay_fn=decay_fn), kind, use_resource)
    close(found, signs(kind, lambda t, s: 3.0 ** (weight(t) * s)))


def test_how_the_weight_of_signs_falls():
    step = tf.placeholder(tf.int64, [])
    functions = [
        (opt.get_linear_decay_fn(10), lambda t: 1 - t / 10),
        (opt.get_cosine_decay_fn(10), lambda t: (1 + math.cos(math.pi * t / 10)) / 2),
        (opt.get_cosine_decay_fn(10, 2, 1), lambda t: (1 + math.cos(math.pi * 0.4 * t)) / 2 if t < 5 else 0),
        (opt.get_restart_decay_fn(10), lambda t: (1 + math.cos(math.pi * (t % 10) / 10)) / 2),
        (opt.get_restart_decay_fn(10, 2, 1), lambda t: (1 + math.cos(math.pi * (2 * t % 10) / 10)) / 2 * (t < 5)),
    ]
    with tf.Session() as sess:
        for t in (0, 1, 4, 5, 7, 10, 12):
            found = sess.run([function(step) for function, _ in functions], {step: t})
            np.testing.assert_allclose(found, [expected(min(t, 10)) for _, expected in functions], atol=1e-6)
    for function, _ in functions:
        with pytest.raises(ValueError, match="global_step is required"):
            function(None)


def momentum(kind, rate):
    x, accum = START.copy(), np.zeros_like(START)
    rows = kind.touched
    for g in kind.grads:
        accum[rows] = 0.9 * accum[rows] + g[rows]
        x[rows] -= rate(x, g) * accum[rows]
    return x


def layer_rate(x, g):
    w, n = np.linalg.norm(x), np.linalg.norm(g)
    return 0.1 * 0.5 * w / (n + 0.01 * w + 0.001)


@resources
def test_lars(use_resource):
    optimizer = functools.partial(opt.LARSOptimizer, 0.1, weight_decay=0.01, eeta=0.5, epsilon=0.001)
    close(trained(optimizer(), Dense, use_resource), momentum(Dense, layer_rate))
    with tf.Graph().as_default():
        close(trained(optimizer(), Sparse, use_resource), momentum(Sparse, lambda x, g: 0.1))
    with tf.Graph().as_default():
        found = trained(optimizer(skip_list=["bias", "va"]), Dense, use_resource)
        close(found, momentum(Dense, lambda x, g: 0.1))
    with pytest.raises(ValueError, match="momentum should be positive: -1"):
        opt.LARSOptimizer(0.1, momentum=-1)
    with pytest.raises(ValueError, match="weight_decay should be positive: -1"):
        opt.LARSOptimizer(0.1, weight_decay=-1)


def test_lars_leaves_the_rate_of_zeros():
    zeros, x = tf.Variable([0.0, 0.0]), tf.Variable([3.0, 4.0])
    pairs = [(tf.constant([1.0, 2.0]), zeros), (tf.zeros([2]), x)]
    train = opt.LARSOptimizer(0.1).apply_gradients(pairs)
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        close(sess.run(zeros), np.float32([-0.1, -0.2]))
        assert sess.run(x).tolist() == [3.0, 4.0]


@kinds
@resources
def test_adagrad_without_new_sums(kind, use_resource):
    optimizer = opt.RegAdagradOptimizer(0.1, 0.5)
    var = tf.Variable(START, use_resource=use_resource)
    first = optimizer.apply_gradients([(kind.tensor(tf.constant(kind.feeds[0])), var)])
    with optimizer.avoid_updating_slots():
        second = optimizer.apply_gradients([(kind.tensor(tf.constant(kind.feeds[1])), var)])
    third = optimizer.apply_gradients([(kind.tensor(tf.constant(kind.feeds[2])), var)])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for train in (first, second, third):
            sess.run(train)
        found = sess.run(var)
    x, accum = START.copy(), np.full_like(START, 0.5)
    for g, updates in zip(kind.grads, (True, False, True)):
        accum += g * g * updates
        x -= 0.1 * g / np.sqrt(accum)
    close(found, x)


# ---- Weight decay


@kinds
@resources
def test_adam_and_momentum_with_weight_decay(kind, use_resource):
    rows = kind.touched
    x, m, v = START.copy(), np.zeros_like(START), np.zeros_like(START)
    for t, g in enumerate(kind.grads, 1):
        x[rows] -= 0.05 * x[rows]
        delta, m, v = adam_step(t, m, v, g)
        x -= delta
    close(trained(opt.AdamWOptimizer(0.05, 0.1, 0.8, 0.9, 1e-3), kind, use_resource), x)
    x, accum = START.copy(), np.zeros_like(START)
    for g in kind.grads:
        x[rows] -= 0.05 * x[rows]
        accum[rows] = 0.9 * accum[rows] + g[rows]
        x[rows] -= 0.1 * accum[rows]
    with tf.Graph().as_default():
        close(trained(opt.MomentumWOptimizer(lambda: 0.05, 0.1, 0.9), kind, use_resource), x)


@kinds
@resources
def test_other_optimizers_with_weight_decay(kind, use_resource):
    decayed = opt.extend_with_decoupled_weight_decay(tf.train.GradientDescentOptimizer)
    x = START.copy()
    for g in kind.grads:
        x[kind.touched] *= 1 - 0.05
        x -= 0.1 * g
    close(trained(decayed(weight_decay=0.05, learning_rate=0.1), kind, use_resource), x)
    assert issubclass(decayed, opt.DecoupledWeightDecayExtension) and issubclass(decayed, tf.train.Optimizer)


@kinds
def test_an_optimizer_of_a_program_with_weight_decay(kind):
    """It has methods for resource variables of its own."""

    class Plain(tf.train.Optimizer):
        def __init__(self, name="Plain"):
            super().__init__(False, name)

        def _resource_apply_dense(self, grad, var):
            return var.assign_sub(0.1 * grad)

        def _resource_apply_sparse(self, grad, var, indices):
            return var.scatter_sub(tf.IndexedSlices(0.1 * grad, indices))

    class Decayed(opt.DecoupledWeightDecayExtension, Plain):
        def __init__(self, weight_decay):
            super().__init__(weight_decay, name="Decayed")

    x = START.copy()
    for g in kind.grads:
        x[kind.touched] *= 1 - 0.05
        x -= 0.1 * g
    close(trained(Decayed(0.05), kind, True), x)


def test_only_some_variables_decay():
    a, b = tf.Variable(2.0), tf.Variable(2.0)
    train = opt.MomentumWOptimizer(0.5, 0.1, 0.9).minimize(3 * a + 3 * b, decay_var_list=[b])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        np.testing.assert_allclose(sess.run([a, b]), [1.7, 0.7], rtol=1e-6)


# ---- Wrappers


@pytest.mark.parametrize("sequential", [True, False])
def test_moving_averages_are_saved_in_place_of_variables(tmp_path, sequential):
    x, other = tf.Variable(2.0, name="x"), tf.Variable(7.0, name="other", trainable=False)
    optimizer = opt.MovingAverageOptimizer(tf.train.GradientDescentOptimizer(0.5), 0.75, sequential_update=sequential)
    with pytest.raises(RuntimeError, match="Must call apply_gradients or minimize before"):
        optimizer.swapping_saver()
    train = optimizer.minimize(x)
    saver = optimizer.swapping_saver()
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        average = sess.run(optimizer._average.average(x))
        if sequential:
            assert sess.run(x) == 1.5 and average == 0.75 * 2 + 0.25 * 1.5
        path = saver.save(sess, str(tmp_path / "model"))
        reader = tf.train.load_checkpoint(path)
        assert reader.get_tensor("x") == average and reader.get_tensor("other") == 7
        assert reader.get_tensor("x/ExponentialMovingAverage") == 1.5
        sess.run(tf.global_variables_initializer())
        saver.restore(sess, path)
        assert sess.run(x) == 1.5
    with pytest.raises(ValueError, match="Variable to swap x/ExponentialMovingAverage is not in variables to save"):
        optimizer.swapping_saver([x, other])


@resources
@pytest.mark.parametrize("dims", [[1], [0]])
@kinds
def test_norms_of_variables_are_limited(kind, dims, use_resource):
    var = tf.Variable(START, use_resource=use_resource)
    inner = tf.train.MomentumOptimizer(0.1, 0.9)
    optimizer = opt.VariableClippingOptimizer(inner, {var: dims}, 0.5)
    train = optimizer.apply_gradients([(kind.tensor(tf.constant(kind.feeds[0])), var)])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train)
        found = sess.run(var)
    x = START - 0.1 * kind.grads[0]
    limited = x * np.minimum(1, 0.5 / np.linalg.norm(x, axis=dims[0], keepdims=True))
    if dims == [1]:
        x[kind.touched] = limited[kind.touched]
    close(found, x if dims == [1] else limited)
    assert optimizer.get_slot_names() == ["momentum"] and optimizer.get_slot(var, "momentum") is not None


@resources
@kinds
def test_gradients_of_zero_are_skipped(kind, use_resource):
    wrapped = opt.MultitaskOptimizerWrapper(tf.train.MomentumOptimizer(0.1, 0.9))
    var = tf.Variable(START, use_resource=use_resource)
    grad = tf.placeholder(tf.float64, kind.feeds[0].shape)
    train = wrapped.apply_gradients([(kind.tensor(grad), var)])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(train, {grad: kind.feeds[0]})
        before = sess.run([var, wrapped.get_slot(var, "momentum")])
        sess.run(train, {grad: np.zeros_like(kind.feeds[0])})
        for a, b in zip(before, sess.run([var, wrapped.get_slot(var, "momentum")])):
            np.testing.assert_array_equal(a, b)
        close(before[0], START - 0.1 * kind.grads[0])
        sess.run(train, {grad: kind.feeds[1]})
        close(sess.run(var), before[0] - 0.1 * (0.9 * kind.grads[0] + kind.grads[1]))
    with pytest.raises(TypeError, match="must be an instance of tf.train.Optimizer"):
        opt.MultitaskOptimizerWrapper(3)


def test_a_norm_that_ignores_zeros():
    x, y, z = (tf.Variable([0.0, 0.0]) for _ in range(3))
    pairs = [
        (tf.constant([3.0, 0.0]), x),
        (tf.zeros([2]), y),
        (None, z),
        (tf.IndexedSlices(tf.constant([4.0]), tf.constant([1])), z),
    ]
    clipped, norm = opt.clip_gradients_by_global_norm(pairs, 2.5)
    assert [var for _, var in clipped] == [x, y, z, z] and clipped[2][0] is None
    with tf.Session() as sess:
        first, _, last, norm = sess.run([clipped[0][0], clipped[1][0], clipped[3][0].values, norm])
    assert norm == 5 and first.tolist() == [1.5, 0] and last.tolist() == [2]


# ---- SciPy


@resources
def test_scipy(use_resource):
    x, y = tf.Variable([7.0, 7.0], use_resource=use_resource), tf.Variable(3.0, use_resource=use_resource)
    unused = tf.Variable(1.0)
    scale = tf.placeholder(tf.float32, [])
    loss = tf.reduce_sum(x**2) + scale * (y - 1.0) ** 2
    steps, losses = [], []
    optimizer = opt.ScipyOptimizerInterface(loss, var_to_bounds={x: ([1.0, 2.0], np.inf)})
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        optimizer.minimize(sess, {scale: 2.0}, [loss], steps.append, losses.append)
        values = sess.run([x, y, unused])
    np.testing.assert_allclose(values[0], [1, 2], atol=1e-4)
    np.testing.assert_allclose(values[1:], [1, 1], atol=1e-3)
    assert len(steps) >= 1 and steps[-1].shape == (4,) and losses[0] == 98 + 8 and losses[-1] < 5.1


def test_scipy_with_constraints():
    x = tf.Variable([7.0, 7.0])
    optimizer = opt.ScipyOptimizerInterface(
        tf.reduce_sum(x**2), equalities=[x[1] - 1.0], inequalities=[x[0] - 1.0], method="SLSQP"
    )
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        optimizer.minimize()
        np.testing.assert_allclose(sess.run(x), [1, 1], atol=1e-4)


def test_scipy_errors(monkeypatch):
    x = tf.Variable([7.0, 7.0])
    for arguments, text in (
        ({"bounds": [(0, 1)] * 2}, "Bounds must be set using the var_to_bounds argument"),
        ({"jac": False}, "keyword arg 'jac' is set automatically"),
    ):
        with tf.Session() as sess, pytest.raises(ValueError, match=text):
            sess.run(tf.global_variables_initializer())
            opt.ScipyOptimizerInterface(tf.reduce_sum(x**2), **arguments).minimize(sess)
    original = builtins.__import__

    def without_scipy(name, *args, **kwargs):
        if name.partition(".")[0] == "scipy":
            raise ModuleNotFoundError("No module named 'scipy'")
        return original(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_scipy)
    with tf.Session() as sess, pytest.raises(ModuleNotFoundError, match="pip install scipy"):
        sess.run(tf.global_variables_initializer())
        opt.ScipyOptimizerInterface(tf.reduce_sum(x**2)).minimize(sess)


def test_a_minimizer_of_a_program():
    class Newton(opt.ExternalOptimizerInterface):
        def _minimize(self, initial_val, loss_grad_func, step_callback, optimizer_kwargs, **_):
            loss, gradient = loss_grad_func(initial_val)
            step_callback(initial_val)
            return initial_val - gradient / optimizer_kwargs["curvature"]

    x = tf.Variable([7.0, 5.0])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        Newton(tf.reduce_sum(x**2), curvature=2.0).minimize(sess)
        assert sess.run(x).tolist() == [0, 0]
        with pytest.raises(NotImplementedError, match="subclass from it"):
            opt.ExternalOptimizerInterface(tf.reduce_sum(x)).minimize(sess)
