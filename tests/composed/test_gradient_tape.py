"""tf.GradientTape: gradients through the recorded operations and no others."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tfcore as tf

X = np.array([[1.0, 2.0], [3.0, 4.0]])


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as session:
        yield session


def test_only_recorded_operations_after_the_watch_count(sess):
    x = tf.constant(3.0)
    with tf.GradientTape(persistent=True) as tape:
        before = x * x
        tape.watch(x)
        with tape.stop_recording():
            apart = x * x * x
        y = before * x
        z = apart * x
    after = y * x
    assert sess.run(tape.gradient(y, x)) == 9  # x * x is a constant
    assert sess.run(tape.gradient(z, x)) == 27
    assert tape.gradient(apart, x) is None and tape.gradient(after, x) is None
    assert sess.run(tape.gradient(x, x)) == 1


@given(st.lists(st.booleans(), min_size=1, max_size=8), st.integers(0, 8))
def test_products_with_and_without_recording(recorded, watched_from):
    """y = x * x * ...: only factors multiplied while the tape records, after the watch, count."""
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.constant(np.float64(1.5))
        tape = tf.GradientTape(persistent=True)
        y, value, slope = x, 1.5, 0.0
        with tape:
            for i, record in enumerate(recorded):
                if i == watched_from:
                    tape.watch(x)
                    if i == 0:
                        slope = 1.0
                if record:
                    y = y * x
                    slope = slope * 1.5 + value if i >= watched_from else 0.0
                else:
                    with tape.stop_recording():
                        y = y * x
                    slope = 0.0
                value *= 1.5
        found = tape.gradient(y, x, unconnected_gradients="zero")
        np.testing.assert_allclose(sess.run([y, found]), [value, slope])


def test_a_tape_is_used_once_unless_it_is_persistent(sess):
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        assert sess.run(tape.gradient(y, x)) == 4  # this ends the recording
    for call in (tape.gradient, tape.jacobian):
        with pytest.raises(RuntimeError, match="can only be used to compute one set of gradients"):
            call(y, x)
    with pytest.raises(RuntimeError, match="Trying to stop recording"), tape.stop_recording():
        pass


def test_derivatives_of_second_order(sess):
    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        slope = inner.gradient(y, x)
    assert sess.run([slope, outer.gradient(slope, x)]) == [12, 12]


def test_trainable_variables_are_watched(sess):
    v, w = tf.Variable([1.0, 2.0], name="v"), tf.Variable([3.0, 4.0], name="w")
    fixed = tf.Variable(2.0, trainable=False)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(v * v) * fixed
    sess.run(tf.global_variables_initializer())
    assert tape.watched_variables() == (v,)
    np.testing.assert_array_equal(sess.run(tape.gradient(y, {"a": v}))["a"], [4, 8])
    assert tape.gradient(y, [fixed, w]) == [None, None]
    zeros = tape.gradient(y, [fixed, w], unconnected_gradients=tf.UnconnectedGradients.ZERO)
    assert [np.asarray(z).tolist() for z in sess.run(zeros)] == [0.0, [0.0, 0.0]]


def test_variables_are_watched_only_on_request(sess):
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape(watch_accessed_variables=False, persistent=True) as tape:
        y = v * v
        tape.watch(v)
    assert tape.watched_variables() == (v,)
    sess.run(v.initializer)
    np.testing.assert_array_equal(sess.run(tape.gradient(y, v)), [2, 4])
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = v * v
    assert tape.watched_variables() == () and tape.gradient(y, v) is None


def test_output_gradients_and_several_targets(sess):
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y, z = x * x, 3.0 * x
    np.testing.assert_array_equal(sess.run(tape.gradient([y, z], x)), [5, 7])
    np.testing.assert_array_equal(
        sess.run(tape.gradient([y, z], x, [tf.constant([1.0, 0.0]), tf.constant([0.0, 1.0])])), [2, 3]
    )
    assert isinstance(tape.gradient(y, [x], unconnected_gradients="none"), list)


def test_gathered_rows_have_sparse_gradients(sess):
    table = tf.Variable(tf.zeros([3, 2]))
    with tf.GradientTape() as tape:
        y = tf.gather(table, [0, 0])
    assert isinstance(tape.gradient(y, table), tf.IndexedSlices)


def test_loops(sess):
    x = tf.constant(X)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        ones = tf.ones([2, 2], tf.float64)
        _, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, ones])
    np.testing.assert_allclose(sess.run(tape.gradient(y, x)), 3 * X**2)


def test_jacobian(sess):
    x, w = tf.constant(X), tf.constant([5.0, 6.0], tf.float64)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, w])
        y = tf.linalg.matvec(x, w)
    by_x, by_w = tape.jacobian(y, [x, w])
    assert by_x.shape == (2, 2, 2) and by_w.shape == (2, 2)
    expected = np.zeros([2, 2, 2])
    expected[0, 0] = expected[1, 1] = [5, 6]
    np.testing.assert_array_equal(sess.run(by_x), expected)
    np.testing.assert_array_equal(sess.run(by_w), X)
    other = tf.constant(1.0)
    assert tape.jacobian(y, {"x": x, "other": other})["other"] is None
    assert sess.run(tape.jacobian(y, other, unconnected_gradients="zero")).tolist() == [0, 0]


def test_jacobian_of_unknown_shape(sess):
    x = tf.placeholder(tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    found = sess.run(tape.jacobian(y, x), {x: [1.0, 2.0, 3.0]})
    np.testing.assert_array_equal(found, np.diag([2.0, 4.0, 6.0]))


@pytest.mark.parametrize("static", [True, False])
def test_batch_jacobian(sess, static):
    x = tf.constant(X) if static else tf.placeholder_with_default(X, None)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x**2 * tf.reduce_sum(x, 1, keepdims=True)
        apart = tf.ones_like(x)
    found = tape.batch_jacobian(y, x)
    rows = [np.diag(2 * row * row.sum()) + np.outer(row**2, np.ones(2)) for row in X]
    np.testing.assert_allclose(sess.run(found), rows)
    assert not static or found.shape == (2, 2, 2)
    assert tape.batch_jacobian(apart, x) is None or not sess.run(tape.batch_jacobian(apart, x)).any()


def test_reset(sess):
    x = tf.constant(2.0)
    tape = tf.GradientTape()
    with tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        z = x * x
    assert tape.gradient([y, z], x) is None
    with pytest.raises(ValueError, match="Tape is not recording"):
        tape.reset()


def test_wrong_calls(sess):
    x = tf.constant(X)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        with pytest.raises(ValueError, match="Tape is still recording"):
            tape.__enter__()
    with pytest.raises(TypeError, match="Argument `target` should be a list or nested structure"):
        tape.gradient(None, x)
    with pytest.raises(ValueError, match="Passed in object a of type 'str', not tf.Tensor"):
        tape.watch("a")
    with pytest.raises(ValueError, match="Unknown value for unconnected_gradients: 'all'"):
        tape.gradient(y, x, unconnected_gradients="all")
    with pytest.raises(ValueError, match="Need first dimension of target shape"):
        tape.batch_jacobian(y, tf.zeros([3, 2]))
    with pytest.raises(ValueError, match="Tape is not recording"), tape.stop_recording():
        pass


def test_a_tape_that_has_recorded_nothing(sess):
    x = tf.constant(1.0)
    with pytest.raises(RuntimeError, match="can only be used to compute one set of gradients"):
        tf.GradientTape().gradient(x, x)


# ---- Tapes in the bodies of functions, where captured tensors stand for those outside


@pytest.mark.parametrize("decorate", [tf.function, tf.Defun(tf.float32), tf.Defun(tf.float32, capture_by_value=True)])
def test_watching_tensors_from_outside_a_function(sess, decorate):
    outer = tf.constant(5.0)

    def body(x):
        early = outer * 2
        with tf.GradientTape() as tape:
            tape.watch(outer)
            y = x * outer * outer * early
        return tape.gradient(y, outer)

    assert sess.run(decorate(body)(tf.constant(3.0))) == 300


@pytest.mark.parametrize("decorate", [tf.function, tf.Defun(tf.float32)])
@pytest.mark.parametrize("explicit", [False, True])
def test_variables_in_a_function(sess, decorate, explicit):
    v = tf.Variable([2.0, 4.0])
    watched = []

    def body(x):
        with tf.GradientTape(watch_accessed_variables=not explicit) as tape:
            if explicit:
                tape.watch(v)
            y = x * v * v + tf.gather(v, [1])
        watched[:] = tape.watched_variables()
        return tf.convert_to_tensor(tape.gradient(y, v))

    result = decorate(body)(tf.constant(3.0))
    sess.run(v.initializer)
    assert sess.run(result).tolist() == [12, 26] and watched == [v]


def test_control_flow_and_nested_functions_in_a_function(sess):
    v = tf.Variable(2.0)

    @tf.function
    def inner(x):
        with tf.GradientTape() as tape:
            y = tf.cond(x > 1, lambda: x * v * v, lambda: v)
        with tf.GradientTape() as second:
            z = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * v), [0, x])[1]
        return tape.gradient(y, v), second.gradient(z, v)

    @tf.function
    def outer(x):
        first, second = inner(x)
        return first + v, second

    results = outer(tf.constant(3.0))
    sess.run(v.initializer)
    assert sess.run(results) == (14, 36)
