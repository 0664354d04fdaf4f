"""tf.py_function"""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def test_values_have_the_method_of_eager_tensors():
    seen = []

    def call(x, scalar, text):
        seen.append((type(x.numpy()), scalar.numpy(), text.numpy(), (x + 1).numpy().tolist()))
        return x.numpy().sum(), [b"a", "b"]

    types = [tf.float32, tf.TensorSpec([2], tf.string)]
    total, texts = tf.py_function(call, [tf.constant([1, 2]), 3.0, "x"], types)
    assert texts.shape == [2] and total.dtype == tf.float32
    found = tf.Session().run([total, texts])
    assert found[0] == 3.0 and found[1].tolist() == [b"a", b"b"]
    assert seen == [(np.ndarray, 3.0, b"x", [2, 3])]


def test_without_results():
    calls = []
    op = tf.py_function(lambda: calls.append(1), [], [])
    assert isinstance(op, tf.Operation)
    tf.Session().run(op)
    assert calls == [1]


def test_there_is_no_gradient():
    x = tf.constant(2.0)
    y = tf.py_function(lambda v: v * v, [x], tf.float32)
    with pytest.raises(LookupError, match="No gradient defined for operation 'EagerPyFunc'.*tf.custom_gradient"):
        tf.gradients(y * x, x)
    squared = tf.custom_gradient(lambda v: (tf.py_function(lambda a: a * a, [v], tf.float32), lambda dy: dy * 2 * v))
    assert tf.Session().run(tf.gradients(squared(x), x)[0]) == 4.0


def test_wrong_functions():
    with pytest.raises(ValueError, match="Expected func to be callable"):
        tf.py_function(3, [], tf.float32)
    operations = tf.py_function(lambda x: tf.constant(1.0), [1.0], tf.float32)
    two = tf.py_function(lambda: (1, 2), [], [tf.int32])
    with tf.Session() as sess:
        with pytest.raises(tf.errors.InvalidArgumentError, match="operations are not executed eagerly"):
            sess.run(operations)
        with pytest.raises(tf.errors.InvalidArgumentError, match="returns 2 values, but Tout has 1 types"):
            sess.run(two)


def test_a_function_that_returns_nothing():
    with tf.Graph().as_default(), tf.Session() as sess:
        result = tf.py_function(lambda x: None, [3], tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="returns None, which does not convert"):
            sess.run(result)
