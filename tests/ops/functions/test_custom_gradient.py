"""RegisterGradient, gradient_override_map, NoGradient, custom_gradient, grad_pass_through."""

import collections
import gc
import weakref

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


@tf.RegisterGradient("TestTimesNine")
def _times_nine(op, grad):
    return grad * 9.0


# ---- Registered gradients


def test_register_gradient_errors():
    with pytest.raises(TypeError, match="op_type must be a string"):
        tf.RegisterGradient(5)
    with pytest.raises(TypeError, match="must be callable"):
        tf.RegisterGradient("TestNothing")(5)
    for name in ("TestTimesNine", "Square"):
        with pytest.raises(
            KeyError, match=rf"Registering two gradient with name '{name}'! \(Previous registration was in .*py:\d+"
        ):
            tf.RegisterGradient(name)(lambda op, grad: grad)
        with pytest.raises(KeyError, match="Registering two gradient"):
            tf.NotDifferentiable(name)
    with pytest.raises(TypeError, match="op_type must be a string"):
        tf.NoGradient(5)


def test_gradient_override(sess):
    graph = tf.get_default_graph()
    x = tf.constant(3.0)
    with graph.gradient_override_map({"Square": "TestTimesNine"}):
        with graph.gradient_override_map({"Exp": "TestTimesNine"}):
            both = tf.square(tf.exp(x))
        one = tf.square(tf.exp(x))
    none = tf.square(tf.exp(x))
    assert both.op.get_attr("_gradient_op_type") == b"TestTimesNine"
    assert "_gradient_op_type" not in none.op.attrs
    gradients = [tf.gradients(y, x)[0] for y in (both, one, none)]
    np.testing.assert_allclose(sess.run(gradients), [81, 9 * np.exp(3), 2 * np.exp(6)], rtol=1e-6)
    assert sess.run(both) == sess.run(none)


def test_an_override_to_nothing(sess):
    tf.NotDifferentiable("TestNoWay")
    x = tf.constant(3.0)
    for name in ("TestNeverRegistered", "TestNoWay"):
        with tf.get_default_graph().gradient_override_map({"Square": name}):
            y = tf.square(x)
        if name == "TestNoWay":
            assert tf.gradients(y, x) == [None]
        else:
            with pytest.raises(LookupError, match=r"No gradient defined for operation '.*' \(op type: Square\)"):
                tf.gradients(y, x)


@pytest.mark.parametrize("wrong", [5, {1: "a"}, {"a": 1}, [("a", "b")]])
def test_override_map_errors(wrong):
    with pytest.raises(TypeError, match="op_type_map must be a dictionary mapping strings to strings"):
        with tf.Graph().gradient_override_map(wrong):
            pass


def test_an_override_does_not_change_attributes_of_others(sess):
    x = tf.placeholder(tf.float32)
    first = tf.square(x)
    with tf.get_default_graph().gradient_override_map({"Square": "TestTimesNine"}):
        second = tf.square(x)
    assert sess.run([first, second, *tf.gradients(first, x), *tf.gradients(second, x)], {x: 2.0}) == [4, 4, 4, 9]


# ---- custom_gradient


def test_the_gradient_of_the_function_is_used(sess):
    @tf.custom_gradient
    def log1pexp(x):
        """Documented."""
        e = tf.exp(x)
        return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))

    x = tf.constant([0.0, 100.0])
    y = log1pexp(x)
    assert log1pexp.__name__ == "log1pexp" and log1pexp.__doc__ == "Documented."
    assert y.op.type == "IdentityN" and y.shape.as_list() == [2]
    assert sess.run(tf.gradients(y, x)[0]).tolist() == [0.5, 1.0]
    assert log1pexp(0.0).op.inputs[1].op.type == "Const"  # what is not a tensor becomes one


def test_nested_structures(sess):
    Pair = collections.namedtuple("Pair", "u v")

    @tf.custom_gradient
    def f(x, yz):
        assert isinstance(yz, Pair) and isinstance(yz.v, list)
        result = {"q": [x + yz.v[0]], "p": Pair(x * yz.u, (yz.u,))}
        return result, lambda p, p_v, q: (p * 2, [q * 3, p_v * 4])

    x, y, z = (tf.constant(v) for v in (1.0, 2.0, 3.0))
    out = f(x, Pair(y, [z]))
    assert list(out) == ["q", "p"] and isinstance(out["p"], Pair) and isinstance(out["p"].v, tuple)
    assert sess.run(out) == {"q": [4.0], "p": (2.0, (2.0,))}
    ys = [out["p"].u, out["p"].v[0], out["q"][0]]
    grads = tf.gradients(ys, [x, y, z], grad_ys=[tf.constant(g) for g in (10.0, 20.0, 30.0)])
    assert sess.run(grads) == [20, 90, 80]
    assert sess.run(tf.gradients(out["q"][0], [x, y, z])) == [0, 3, 0]  # others' gradients arrive as zeros


def test_variables(sess):
    v = tf.Variable(3.0, name="v")
    frozen = tf.Variable(5.0, trainable=False)
    seen = []

    @tf.custom_gradient
    def f(x):
        y = x * v * v + frozen

        def grad(dy, variables=None):
            seen.append(variables)
            return 5 * dy * x, [dy * x * x]

        return y, grad

    x = tf.constant(2.0)
    y = f(x)
    gx, gv = tf.gradients(y, [x, v])
    second = tf.gradients(gx, x) + tf.gradients(gv, x)
    sess.run(tf.global_variables_initializer())
    assert seen == [[v]] and sess.run([y, gx, gv, *second]) == [23, 10, 4, 5, 4]
    loss = f(tf.constant(1.0))
    sess.run(tf.train.GradientDescentOptimizer(1.0).minimize(loss))
    assert sess.run(v) == 2


def test_variables_made_by_the_function_or_given_to_it(sess):
    @tf.custom_gradient
    def dense(x):
        w = tf.get_variable("w", [], initializer=tf.constant_initializer(4.0))
        return x * w, lambda dy, **kwargs: (dy * 7, [dy * 8 for _ in kwargs["variables"]])

    x = tf.constant(2.0)
    y = dense(x)
    (w,) = tf.trainable_variables()
    given = tf.custom_gradient(lambda t: (t * 1, lambda dy: dy * 11))(w)
    sess.run(tf.global_variables_initializer())
    assert sess.run([y, *tf.gradients(y, [x, w]), *tf.gradients(given, w)]) == [8, 7, 8, 11]
    stopped = tf.custom_gradient(lambda t: (t * tf.stop_gradient(w), lambda dy: dy))(x)
    assert sess.run(tf.gradients(stopped, x)) == [1]


def test_second_order(sess):
    x = tf.constant(3.0)
    inner = tf.custom_gradient(lambda t: (t * t, lambda d: d * 100))
    outer = tf.custom_gradient(lambda t: (inner(t), lambda d: inner(d * t)))
    first = tf.gradients(outer(x), x)[0]
    assert sess.run([first, tf.gradients(first, x)[0]]) == [9, 100]
    cube = tf.custom_gradient(lambda t: (t * t * t, lambda d: d * 3 * t * t))
    derivatives = [cube(x)]
    for _ in range(3):
        derivatives += tf.gradients(derivatives[-1], x)
    assert sess.run(derivatives) == [27, 27, 18, 6]


def test_methods(sess):
    class Model:
        factor = 3.0

        @tf.custom_gradient
        def scaled(self, x):
            return x * self.factor, lambda dy: dy * self.factor * 10

    x = tf.constant(1.0)
    assert sess.run(tf.gradients(Model().scaled(x), x)) == [30]


def test_missing_gradients_and_integers(sess):
    f = tf.custom_gradient(lambda a, i: (tf.gather(a, i), lambda dy: (None, None)))
    a = tf.constant([1.0, 2.0])
    y = f(a, tf.constant([1]))
    assert tf.gradients(y, a) == [None] and sess.run(y).tolist() == [2]
    g = tf.custom_gradient(lambda a: (a * 2, lambda dy: tf.IndexedSlices(dy[:1], [1], [2])))
    assert sess.run(tf.convert_to_tensor(tf.gradients(g(a), a)[0])).tolist() == [0, 1]


def test_errors(sess):
    x = tf.constant(2.0)
    v = tf.Variable(1.0)
    with pytest.raises(ValueError, match="currently supports keywords arguments only when eager execution is enabled"):
        tf.custom_gradient(lambda x, k=1: (x, lambda dy: dy))(x, k=2)
    for wrong in (lambda x: x, lambda x: (x, x), lambda x: (x, lambda d: d, 1)):
        with pytest.raises(TypeError, match=r"must return \(result, grad_fn\)"):
            tf.custom_gradient(wrong)(x)
    with pytest.raises(
        TypeError, match="grad_fn must accept keyword argument 'variables', since function uses variables"
    ):
        tf.custom_gradient(lambda x: (x * v, lambda dy: dy))(x)
    y = tf.custom_gradient(lambda x: (x * v, lambda dy, variables=None: (dy, [])))(x)
    with pytest.raises(ValueError, match="Must return gradient for each variable from @custom_gradient grad_fn."):
        tf.gradients(y, x)
    y = tf.custom_gradient(lambda x: (x * 1, lambda dy: (dy, dy)))(x)
    with pytest.raises(ValueError, match="returned 2 gradients, but its function has 1 arguments"):
        tf.gradients(y, x)
    with pytest.raises(TypeError, match="needs a function"):
        tf.custom_gradient(3)


def test_grad_pass_through_of_no_function():
    with pytest.raises(TypeError, match="f must be a function of one tensor, not 3"):
        tf.grad_pass_through(3)


def test_grad_pass_through(sess):
    x = tf.constant([-2.0, 3.0])
    v = tf.Variable(2.0)
    y = tf.grad_pass_through(tf.sign)(x) * 3
    with_variable = tf.grad_pass_through(lambda t: tf.sign(t) * v)(x)
    sess.run(v.initializer)
    assert sess.run(y).tolist() == [-3, 3] and sess.run(tf.gradients(y, x)[0]).tolist() == [3, 3]
    assert sess.run(with_variable).tolist() == [-2, 2] and sess.run(tf.gradients(with_variable, x)[0]).tolist() == [
        1,
        1,
    ]
    assert tf.gradients(with_variable, v) == [None]


def test_gradient_functions_are_released_with_their_graph():
    class Payload:
        pass

    def program():
        payload = Payload()
        with tf.Graph().as_default():
            x = tf.constant(1.0)
            y = tf.custom_gradient(lambda t: (t * 1, lambda dy: dy if payload else None))(x)
            tf.gradients(y, x)
        return weakref.ref(payload)

    reference = program()
    gc.collect()
    assert reference() is None
