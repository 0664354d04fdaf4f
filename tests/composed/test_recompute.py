"""tf.recompute_grad: the same values and gradients, computed again."""

import numpy as np
import pytest

import tfcore as tf


def test_values_and_gradients_are_those_of_the_function():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant([0.5, 1.5])
        v, unused = tf.Variable(3.0), tf.Variable([4.0, 5.0])

        def function(x, y):
            return tf.sin(x) * v + tf.reduce_sum(0.0 * unused) * 0.0, {"y": tf.exp(y)}

        plain, again = function(x, 2 * x), tf.recompute_grad(function)(x, 2 * x)
        xs = [x, v, unused]
        expected = tf.gradients([plain[0], plain[1]["y"]], xs)
        found = tf.gradients([again[0], again[1]["y"]], xs)
        sess.run(tf.global_variables_initializer())
        for a, b in zip(sess.run([plain[0], plain[1]["y"], *expected]), sess.run([again[0], again[1]["y"], *found])):
            np.testing.assert_allclose(a, b, rtol=1e-6)


def test_the_gradient_computes_the_function_again():
    calls = []

    def note(value):
        calls.append(1)
        return value

    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(2.0)

        @tf.recompute_grad
        def square(x):
            """Squares."""
            return x * tf.py_func(note, [x], tf.float32)

        y = square(x)
        grad = tf.gradients(y, x)[0]
        assert square.__name__ == "square" and square.__wrapped__(x).dtype == tf.float32
        assert sess.run(y) == 4 and len(calls) == 1
        calls.clear()
        assert sess.run([y, grad]) == [4, 2] and len(calls) == 2


def test_variables_of_get_variable_are_shared():
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(2.0)
        with tf.variable_scope("layer"):
            y = tf.recompute_grad(lambda x: x * tf.get_variable("w", initializer=5.0))(x)
        grads = tf.gradients(y, [x, *tf.trainable_variables()])
        assert [v.name for v in tf.global_variables()] == ["layer/w:0"]
        sess.run(tf.global_variables_initializer())
        assert sess.run(grads) == [5, 2]


def test_what_is_no_function_is_refused():
    with pytest.raises(TypeError, match="recompute_grad needs a function"):
        tf.recompute_grad(1)
