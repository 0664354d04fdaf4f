"""Trajectories of every optimizer over several steps, against the NumPy rules of reference.py."""

import warnings

import numpy as np
import pytest

import tfcore as tf
from tests.train import reference

STEPS = 5
SHAPE = (4, 3)
_rng = np.random.default_rng(7)
START = _rng.uniform(-1, 1, SHAPE)
GRADS = _rng.uniform(-1, 1, (STEPS, *SHAPE))
INDICES = [[0, 2], [3], [1, 0, 3], [2, 2, 0], [1, 1]]  # with duplicates in the last two


def _adam_scalars(s, t):
    return {**s, "beta1_power": s["beta1"] ** t, "beta2_power": s["beta2"] ** t}


class Case:
    """An optimizer, its rule, the first values of its slots, and its scalars at step t."""

    def __init__(self, name, make, rule, slots, scalars, attrs=None, at=None):
        self.name = name
        self.make = make
        self.rule = rule
        self.slots = slots
        self.scalars = scalars
        self.attrs = attrs or {}
        self.at = at or (lambda s, t: s)

    def __repr__(self):
        return self.name


# Hyperparameters that are exact in all types: they are given to the graph in float32.
CASES = [
    Case(
        "GradientDescent",
        lambda: tf.train.GradientDescentOptimizer(0.25),
        reference.gradient_descent,
        {},
        {"alpha": 0.25},
    ),
    Case(
        "Momentum",
        lambda: tf.train.MomentumOptimizer(0.25, 0.75),
        reference.momentum,
        {"momentum": 0},
        {"lr": 0.25, "momentum": 0.75},
    ),
    Case(
        "Nesterov",
        lambda: tf.train.MomentumOptimizer(0.25, 0.75, use_nesterov=True),
        reference.momentum,
        {"momentum": 0},
        {"lr": 0.25, "momentum": 0.75},
        {"use_nesterov": True},
    ),
    Case(
        "Adagrad",
        lambda: tf.train.AdagradOptimizer(0.25, 0.125),
        reference.adagrad,
        {"accumulator": 0.125},
        {"lr": 0.25},
    ),
    Case(
        "Adadelta",
        lambda: tf.train.AdadeltaOptimizer(0.5, 0.5, 0.0078125),
        reference.adadelta,
        {"accum": 0, "accum_update": 0},
        {"lr": 0.5, "rho": 0.5, "epsilon": 0.0078125},
    ),
    Case(
        "Adam",
        lambda: tf.train.AdamOptimizer(0.125, 0.75, 0.5, 0.0009765625),
        reference.adam,
        {"m": 0, "v": 0},
        {"lr": 0.125, "beta1": 0.75, "beta2": 0.5, "epsilon": 0.0009765625},
        at=_adam_scalars,
    ),
    Case(
        "RMSProp",
        lambda: tf.train.RMSPropOptimizer(0.125, 0.75, 0.5, 0.0009765625),
        reference.rms_prop,
        {"rms": 1, "momentum": 0},
        {"lr": 0.125, "rho": 0.75, "momentum": 0.5, "epsilon": 0.0009765625},
    ),
    Case(
        "CenteredRMSProp",
        lambda: tf.train.RMSPropOptimizer(0.125, 0.75, 0.5, 0.0009765625, centered=True),
        reference.centered_rms_prop,
        {"mg": 0, "rms": 1, "momentum": 0},
        {"lr": 0.125, "rho": 0.75, "momentum": 0.5, "epsilon": 0.0009765625},
    ),
    Case(
        "Ftrl",
        lambda: tf.train.FtrlOptimizer(0.25, -0.5, 0.25, 0.125, 0.25),
        reference.ftrl,
        {"accum": 0.25, "linear": 0},
        {"lr": 0.25, "lr_power": -0.5, "l1": 0.125, "l2": 0.25},
    ),
    Case(
        "FtrlShrinkage",
        lambda: tf.train.FtrlOptimizer(0.25, -0.625, 0.25, 0.125, 0.25, l2_shrinkage_regularization_strength=0.0625),
        reference.ftrl,
        {"accum": 0.25, "linear": 0},
        {"lr": 0.25, "lr_power": -0.625, "l1": 0.125, "l2": 0.25, "l2_shrinkage": 0.0625},
    ),
    Case(
        "ProximalAdagrad",
        lambda: tf.train.ProximalAdagradOptimizer(0.25, 0.25, 0.125, 0.25),
        reference.proximal_adagrad,
        {"accumulator": 0.25},
        {"lr": 0.25, "l1": 0.125, "l2": 0.25},
    ),
    Case(
        "ProximalGradientDescent",
        lambda: tf.train.ProximalGradientDescentOptimizer(0.25, 0.125, 0.25),
        reference.proximal_gradient_descent,
        {},
        {"alpha": 0.25, "l1": 0.125, "l2": 0.25},
    ),
    Case(
        "AdagradDA",
        lambda: tf.train.AdagradDAOptimizer(0.25, tf.train.get_or_create_global_step(), 0.25, 0.0625, 0.125),
        reference.adagrad_da,
        {"gradient_accumulator": 0, "gradient_squared_accumulator": 0.25},
        {"lr": 0.25, "l1": 0.0625, "l2": 0.125},
        at=lambda s, t: {**s, "global_step": t},
    ),
]


def _train(case, dtype, feeds, gradient_of):
    """Values of the variable and slots after each step. gradient_of makes the gradient from placeholders."""
    with tf.Graph().as_default():
        var = tf.Variable(START.astype(dtype.as_numpy_dtype))
        gradient, placeholders = gradient_of(var, dtype)
        optimizer = case.make()
        step = tf.train.get_or_create_global_step()
        train = optimizer.apply_gradients([(gradient, var)], global_step=step)
        slots = [optimizer.get_slot(var, name) for name in case.slots]
        assert optimizer.get_slot_names() == sorted(case.slots)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            history = []
            for feed in feeds:
                sess.run(train, dict(zip(placeholders, feed)))
                history.append(sess.run([var, *slots]))
            assert sess.run(step) == len(feeds)
    return history


def _tolerance(dtype):
    return {"float64": 1e-12, "float32": 3e-6, "float16": 2e-2, "bfloat16": 1e-1}[dtype.name]


def _compare(case, history, expected, dtype):
    tolerance = _tolerance(dtype)
    for t, (found, wanted) in enumerate(zip(history, expected, strict=True), 1):
        for name, a, b in zip(["var", *case.slots], found, wanted, strict=True):
            message = f"{name} after step {t}"
            np.testing.assert_allclose(a.astype(np.float64), b, rtol=tolerance, atol=tolerance, err_msg=message)


@pytest.mark.parametrize("dtype", [tf.float64, tf.float32, tf.float16, tf.bfloat16], ids=lambda d: d.name)
@pytest.mark.parametrize("case", CASES, ids=repr)
def test_dense(case, dtype):
    def gradient_of(var, dtype):
        placeholder = tf.placeholder(dtype, SHAPE)
        return placeholder, [placeholder]

    values = [START, *(np.full(SHAPE, v, float) for v in case.slots.values())]
    expected = []
    for t, grad in enumerate(GRADS, 1):
        values = case.rule(values, grad, case.at(case.scalars, t), case.attrs)
        expected.append(values)
    history = _train(case, dtype, [[g.astype(dtype.as_numpy_dtype)] for g in GRADS], gradient_of)
    _compare(case, history, expected, dtype)


def _sum_duplicates(values, indices):
    unique = sorted(set(indices))
    return np.array([values[[i for i, k in enumerate(indices) if k == u]].sum(0) for u in unique]), unique


@pytest.mark.parametrize("index_type", [tf.int32, tf.int64], ids=lambda d: d.name)
@pytest.mark.parametrize("case", CASES, ids=repr)
def test_sparse_with_duplicates(case, index_type):
    def gradient_of(var, dtype):
        values, indices = tf.placeholder(dtype, [None, 3]), tf.placeholder(index_type, [None])
        return tf.IndexedSlices(values, indices, tf.constant(SHAPE)), [values, indices]

    values = [START, *(np.full(SHAPE, v, float) for v in case.slots.values())]
    expected, feeds = [], []
    for t, (grad, indices) in enumerate(zip(GRADS, INDICES), 1):
        rows = np.resize(grad, (len(indices), 3))
        feeds.append([rows, indices])
        summed, unique = _sum_duplicates(rows, indices)
        scalars = case.at(case.scalars, t)
        if case.name == "Adam":  # not lazy: averages decay everywhere
            dense = np.zeros(SHAPE)
            dense[unique] = summed
            values = case.rule(values, dense, scalars, case.attrs)
        else:
            values = reference.apply_rows(case.rule, values, summed, unique, scalars, case.attrs)
        expected.append(values)
    _compare(case, _train(case, tf.float64, feeds, gradient_of), expected, tf.float64)


@pytest.mark.parametrize("case", CASES, ids=repr)
def test_minimize_goes_down(case):
    with tf.Graph().as_default():
        x = tf.Variable([0.6, -0.4])
        loss = tf.reduce_sum(tf.square(x - [0.1, 0.2]))
        train = case.make().minimize(loss, global_step=tf.train.get_or_create_global_step())
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            before = sess.run(loss)
            for _ in range(10):
                sess.run(train)
            assert sess.run(loss) < before


@pytest.mark.parametrize("name", ["GradientDescent", "Momentum", "Adagrad", "AdagradDA", "Adadelta", "Adam", "Ftrl"])
def test_the_base_is_optimizer(name):
    assert getattr(tf.train, f"{name}Optimizer").__base__ is tf.train.Optimizer


def test_names_are_those_of_tensorflow():
    with tf.Graph().as_default() as graph:
        w = tf.Variable([1.0], name="w")
        train = tf.train.AdamOptimizer().minimize(tf.reduce_sum(w * w))
        assert train.name == "Adam"
        names = {op.name for op in graph.get_operations()}
    wanted = "w/Adam w/Adam/Initializer/zeros w/Adam/Assign w/Adam/read w/Adam_1 beta1_power beta2_power "
    wanted += "Adam/learning_rate Adam/beta1 Adam/beta2 Adam/epsilon Adam/update_w/ApplyAdam Adam/mul Adam/Assign"
    assert set(wanted.split()) <= names


def test_operations_know_the_line_that_made_them():
    with tf.Graph().as_default() as graph:
        w = tf.Variable([1.0], name="w")
        tf.train.AdamOptimizer().minimize(tf.reduce_sum(w * w))
        for name in ("w/Adam", "Adam/update_w/ApplyAdam", "Adam"):
            assert "test_optimizers.py" in graph.get_operation_by_name(name).creation_line
        assert tf.constant(1).op.creation_line != graph.get_operation_by_name("Adam").creation_line


def test_slots_are_placed_with_their_variable():
    with tf.Graph().as_default(), tf.device("/job:ps/task:1"):
        w = tf.Variable([1.0], name="w")
        with tf.device("/job:worker/task:0"):
            optimizer = tf.train.MomentumOptimizer(0.1, 0.9)
            optimizer.minimize(tf.reduce_sum(w * w))
        slot = optimizer.get_slot(w, "momentum")
        assert slot.device == w.device == "/job:ps/task:1"
        assert slot.op.colocation_groups() == [b"loc:@w"]


def test_variables_of_an_optimizer():
    with tf.Graph().as_default():
        w, b = tf.Variable([1.0], name="w"), tf.Variable([1.0], name="b")
        optimizer = tf.train.AdamOptimizer()
        optimizer.minimize(tf.reduce_sum(w * b))
        names = [v.op.name for v in optimizer.variables()]
        assert names == ["b/Adam", "b/Adam_1", "beta1_power", "beta2_power", "w/Adam", "w/Adam_1"]
        assert not set(optimizer.variables()) & set(tf.trainable_variables())
        assert optimizer.get_slot(w, "nothing") is None


def test_gradients_can_be_changed_between_the_two_steps():
    with tf.Graph().as_default():
        x = tf.Variable([3.0, -4.0])
        optimizer = tf.train.GradientDescentOptimizer(1.0)
        pairs = optimizer.compute_gradients(tf.reduce_sum(x * x / 2))
        train = optimizer.apply_gradients([(g / 2, v) for g, v in pairs], name="halved")
        assert train.name == "halved"
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            np.testing.assert_allclose(sess.run(x), [1.5, -2.0])


def test_grad_loss_weights_the_loss():
    with tf.Graph().as_default():
        x = tf.Variable([1.0, 1.0])
        train = tf.train.GradientDescentOptimizer(1.0).minimize(x * 3, grad_loss=tf.constant([1.0, 0.0]))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            np.testing.assert_allclose(sess.run(x), [-2.0, 1.0])


@pytest.mark.parametrize("gate", [0, 1, 2])
def test_gates_give_the_same_step(gate):
    with tf.Graph().as_default():
        x, y = tf.Variable([[2.0]]), tf.Variable([[3.0]])
        train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.matmul(x, y), gate_gradients=gate)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            np.testing.assert_allclose(sess.run([x, y]), [[[1.7]], [[2.8]]], rtol=1e-6)


def test_constraint_is_applied_after_the_update():
    with tf.Graph().as_default():
        x = tf.Variable([0.5, 2.0], constraint=lambda v: tf.clip_by_value(v, 0.0, 1.0))
        train = tf.train.GradientDescentOptimizer(1.0).minimize(tf.reduce_sum(x))
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            np.testing.assert_allclose(sess.run(x), [0.0, 1.0])


def test_learning_rate_may_be_a_tensor_or_a_function():
    with tf.Graph().as_default():
        x = tf.Variable(0.0)
        rate = tf.placeholder(tf.float32, [])
        by_tensor = tf.train.GradientDescentOptimizer(rate).minimize(x)
        by_function = tf.train.MomentumOptimizer(lambda: 10.0, 0.0).minimize(x)
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(by_tensor, {rate: 2.0})
            assert sess.run(x) == -2.0
            sess.run(by_function)
            assert sess.run(x) == -12.0


def test_gradient_through_gather_stays_sparse():
    with tf.Graph().as_default() as graph:
        table = tf.Variable(tf.zeros([1000, 2]))
        loss = tf.reduce_sum(tf.gather(table, [1, 5, 1]))
        train = tf.train.AdagradOptimizer(1.0).minimize(loss)
        assert "SparseApplyAdagrad" in {op.type for op in graph.get_operations()}
        with tf.Session() as sess:
            sess.run(tf.global_variables_initializer())
            sess.run(train)
            value = sess.run(table)
    np.testing.assert_allclose(value[[1, 5]], [[-2 / np.sqrt(4.1)] * 2, [-1 / np.sqrt(1.1)] * 2], rtol=1e-6)
    assert np.count_nonzero(value) == 4


class TestErrors:
    def test_no_gradient(self):
        with tf.Graph().as_default():
            x, y = tf.Variable(1.0), tf.Variable(1.0)
            with pytest.raises(ValueError, match="No gradients provided for any variable, check your graph"):
                tf.train.GradientDescentOptimizer(0.1).minimize(y * 2.0, var_list=[x])
            with pytest.raises(ValueError, match="No gradients provided for any variable"):
                tf.train.GradientDescentOptimizer(0.1).apply_gradients([(None, x)])
            with pytest.raises(ValueError, match="No variables provided"):
                tf.train.GradientDescentOptimizer(0.1).apply_gradients([])

    def test_no_variables(self):
        with tf.Graph().as_default(), pytest.raises(ValueError, match="No variables to optimize"):
            tf.train.GradientDescentOptimizer(0.1).minimize(tf.constant(1.0))

    def test_integer_loss(self):
        with tf.Graph().as_default():
            x = tf.Variable(1)
            with pytest.raises(ValueError, match="Invalid type tf.int32 for"):
                tf.train.GradientDescentOptimizer(0.1).minimize(x * 2)

    def test_bad_gate(self):
        with tf.Graph().as_default():
            x = tf.Variable(1.0)
            with pytest.raises(ValueError, match="gate_gradients must be one of"):
                tf.train.GradientDescentOptimizer(0.1).minimize(x * 2.0, gate_gradients=7)

    def test_gradient_of_wrong_type(self):
        with tf.Graph().as_default():
            x = tf.Variable(1.0)
            with pytest.raises(TypeError, match="float64"):
                tf.train.GradientDescentOptimizer(0.1).apply_gradients([(tf.constant(1.0, tf.float64), x)])
            with pytest.raises(TypeError, match="Gradient must be"):
                tf.train.GradientDescentOptimizer(0.1).apply_gradients([(object(), x)])

    def test_uninitialized_slot(self):
        with tf.Graph().as_default():
            x = tf.Variable(1.0)
            train = tf.train.MomentumOptimizer(0.1, 0.9).minimize(x)
            with tf.Session() as sess:
                sess.run(x.initializer)
                with pytest.raises(tf.errors.FailedPreconditionError, match="uninitialized value Variable/Momentum"):
                    sess.run(train)

    @pytest.mark.parametrize(
        "make, message",
        [
            (lambda: tf.train.AdagradOptimizer(0.1, 0.0), "initial_accumulator_value must be positive: 0.0"),
            (lambda: tf.train.FtrlOptimizer(0.1, 0.5), "learning_rate_power 0.500000 needs to be negative or zero"),
            (lambda: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=-1.0), "needs to be positive or zero"),
            (lambda: tf.train.GradientDescentOptimizer(0.1, name=""), "Must specify the optimizer name"),
        ],
    )
    def test_arguments(self, make, message):
        with pytest.raises(ValueError, match=message):
            make()


@pytest.mark.parametrize("make", [tf.train.GradientDescentOptimizer, tf.train.AdamOptimizer])
def test_training_inside_of_a_loop(make):
    """Steps that a loop takes are those of as many runs."""
    found = []
    for in_loop in (False, True):
        with tf.Graph().as_default(), tf.Session() as sess, warnings.catch_warnings():
            warnings.simplefilter("error")
            v, optimizer = tf.Variable(0.0), make(0.1)

            def step(v=v, optimizer=optimizer):
                return optimizer.minimize((v.read_value() - 3.0) ** 2)

            def body(i, step=step):
                with tf.control_dependencies([step()]):
                    return i + 1

            train = tf.while_loop(lambda i: i < 20, body, [0]) if in_loop else step()
            sess.run(tf.global_variables_initializer())
            for _ in range(1 if in_loop else 20):
                sess.run(train)
            found.append(sess.run(tf.global_variables()))
    np.testing.assert_allclose(*found, rtol=1e-6)


def test_variables_as_a_view_of_a_dictionary():
    with tf.Graph().as_default(), tf.Session() as sess:
        weights = {"a": tf.Variable(1.0), "b": tf.Variable(2.0), "c": tf.Variable(3.0)}
        loss = tf.add_n(list(weights.values()))
        step = tf.train.GradientDescentOptimizer(1.0).minimize(loss, var_list=weights.values())
        sess.run(tf.global_variables_initializer())
        sess.run(step)
        assert sess.run(weights) == {"a": 0.0, "b": 1.0, "c": 2.0}
