"""tf.gradients: what it returns, what it refuses, and values against derivatives worked out by hand."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.framework.definitions.op_def import define_op, gradient


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def run(fetches, feed=None):
    with tf.Session() as session:
        session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


NoGradient = define_op(
    "TestNoGradient", inputs=["x: float"], outputs=["y: float"], shape=lambda op: [op.inputs[0].dims]
)


def test_a_polynomial():
    x = tf.constant([1.0, 2.0, 3.0])
    (grad,) = tf.gradients(x * x * x + 2 * x, x)
    np.testing.assert_allclose(run(grad), [5.0, 14.0, 29.0])


def test_text_of_a_sparse_gradient():
    table = tf.get_variable("table", [5, 2])
    (slices,) = tf.gradients(tf.gather(table, [1, 1]), table)
    assert repr(slices) == str(slices)
    assert repr(slices).startswith("IndexedSlices(indices=Tensor(") and "dense_shape=Tensor(" in repr(slices)


def test_ys_are_summed_and_xs_are_apart():
    a, b = tf.constant(2.0), tf.constant(5.0)
    da, db = tf.gradients([a * b, a * a], [a, b])
    assert run([da, db]) == [9.0, 2.0]


def test_uses_add_up():
    x = tf.constant(3.0)
    y = x * x + x + tf.identity(x) * 2 + tf.add_n([x, x, x])
    assert run(tf.gradients(y, x)) == [12.0]


def test_the_same_y_twice_counts_twice():
    x = tf.constant(3.0)
    y = x * x
    assert run(tf.gradients([y, y], x)) == [12.0]


def test_the_same_x_twice():
    x = tf.constant(3.0)
    assert run(tf.gradients(x * x, [x, x])) == [6.0, 6.0]


def test_ys_that_are_xs():
    x = tf.constant([1.0, 2.0])
    y = x * 3
    np.testing.assert_array_equal(run(tf.gradients(x, x)[0]), [1, 1])
    got = run(tf.gradients(y, [y, x]))
    np.testing.assert_array_equal(got, [[1, 1], [3, 3]])
    got = run(tf.gradients([y, x], [x]))
    np.testing.assert_array_equal(got, [[4, 4]])


def test_an_intermediate_x():
    x = tf.constant(2.0)
    y = x * x
    z = y * 5
    assert run(tf.gradients(z, [x, y])) == [20.0, 5.0]


def test_grad_ys():
    x = tf.constant([1.0, 2.0])
    y, z = x * x, 3 * x
    assert run(tf.gradients(y, x, grad_ys=[[10.0, 100.0]]))[0].tolist() == [20.0, 400.0]
    assert run(tf.gradients([y, z], x, grad_ys=[tf.constant([1.0, 0.0]), None]))[0].tolist() == [5.0, 3.0]
    with pytest.raises(ValueError, match="grad_ys"):
        tf.gradients([y, z], x, grad_ys=[[1.0, 1.0]])
    with pytest.raises((ValueError, TypeError)):
        tf.gradients(y, x, grad_ys=[tf.constant([1, 2])])
    with pytest.raises(ValueError):
        tf.gradients(y, x, grad_ys=[tf.constant([1.0, 2.0, 3.0])])


def test_unconnected():
    x, other = tf.constant([1.0, 2.0]), tf.constant([[3.0]])
    y = x * 2
    assert tf.gradients(y, [other, x])[0] is None
    zero, _ = tf.gradients(y, [other, x], unconnected_gradients="zero")
    assert run(zero).tolist() == [[0.0]]
    with pytest.raises(ValueError, match="unconnected_gradients"):
        tf.gradients(y, x, unconnected_gradients="nonsense")
    assert tf.UnconnectedGradients.NONE.value == "none" and tf.UnconnectedGradients.ZERO.value == "zero"


def test_stop_gradient_and_stop_gradients():
    x = tf.constant(3.0)
    assert run(tf.gradients(x * tf.stop_gradient(x), x)) == [3.0]
    assert tf.gradients(tf.stop_gradient(x), x) == [None]
    y = x * x
    z = y + x
    assert run(tf.gradients(z, x, stop_gradients=y)) == [1.0]
    assert run(tf.gradients(z, [x, y], stop_gradients=[y])) == [1.0, 1.0]
    a = tf.constant(0.0)
    b = 2 * a
    assert run(tf.gradients(a + b, [a, b], stop_gradients=[a, b])) == [1.0, 1.0]  # partial derivatives


def test_variables_as_xs():
    v = tf.Variable([1.0, 2.0])
    w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
    loss = tf.reduce_sum(v * v * w)
    dv, dw = tf.gradients(loss, [v, w])
    got = run([dv, dw])
    np.testing.assert_allclose(got, [[2, 4], [1, 4]])
    (again,) = tf.gradients(loss, v.value())
    np.testing.assert_allclose(run(again), [2, 4])


def test_integers_on_the_way():
    x = tf.constant(2.5)
    assert tf.gradients(tf.cast(tf.cast(x, tf.int32), tf.float32), x) == [None]
    assert tf.gradients(tf.cast(tf.argmax([x, x]), tf.float32), x) == [None]


def test_ys_and_xs_of_types_without_gradients():
    i, x = tf.constant(2), tf.constant(2.0)
    assert tf.gradients(i * 2, i) == [None]
    assert tf.gradients(tf.cast(x, tf.int32), x) == [None]
    assert run(tf.gradients([tf.cast(x, tf.int32), x * 3], x)) == [3.0]
    assert run(tf.gradients(i, i)) == [1]
    with pytest.raises(TypeError, match="string"):
        tf.gradients(tf.constant("a"), x)
    assert tf.gradients(tf.cast(i, tf.float32) * x, i) == [None]


def test_indexed_slices_of_gather():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    rows = tf.gather(v, [2, 0, 2])
    (grad,) = tf.gradients(rows * [[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]], v)
    assert isinstance(grad, tf.IndexedSlices)
    assert grad.dtype is tf.float32
    values = run(grad)
    assert values.indices.tolist() == [2, 0, 2]
    assert values.values.tolist() == [[1, 1], [2, 2], [3, 3]]
    assert values.dense_shape.tolist() == [3, 2]
    assert run(tf.convert_to_tensor(grad)).tolist() == [[2, 2], [0, 0], [4, 4]]


def test_sparse_and_dense_gradients_add_up():
    v = tf.Variable([1.0, 2.0, 3.0])
    sparse = tf.gather(v, [1]) + tf.gather(v, [1, 1])
    (grad,) = tf.gradients(sparse, v)
    assert isinstance(grad, tf.IndexedSlices)
    assert run(tf.convert_to_tensor(grad)).tolist() == [0.0, 4.0, 0.0]
    (grad,) = tf.gradients([tf.reduce_sum(sparse), tf.reduce_sum(v * v)], v)
    assert run(tf.convert_to_tensor(grad)).tolist() == [2.0, 8.0, 6.0]


def test_indexed_slices_as_grad_ys():
    x = tf.constant([1.0, 2.0, 3.0])
    y = tf.identity(x)
    given = tf.IndexedSlices(tf.constant([5.0]), tf.constant([1]), tf.constant([3]))
    (grad,) = tf.gradients(y, x, grad_ys=[given])
    assert run(tf.convert_to_tensor(grad)).tolist() == [0.0, 5.0, 0.0]


def test_second_order():
    x = tf.constant(2.0)
    y = x * x * x
    (first,) = tf.gradients(y, x)
    (second,) = tf.gradients(first, x)
    (third,) = tf.gradients(second, x)
    assert run([first, second, third]) == [12.0, 12.0, 6.0]
    z = tf.tanh(x)
    (first,) = tf.gradients(z, x)
    (second,) = tf.gradients(first, x)
    t = np.tanh(2.0)
    np.testing.assert_allclose(run(second), -2 * t * (1 - t * t), rtol=1e-5)


def test_hessians():
    x = tf.constant([1.0, 2.0, 3.0])
    a = np.array([[2.0, 1.0, 0.0], [1.0, 3.0, 1.0], [0.0, 1.0, 4.0]], np.float32)
    form = tf.reduce_sum(x * tf.reshape(tf.matmul(a, tf.reshape(x, [3, 1])), [3]))
    np.testing.assert_allclose(run(tf.hessians(form, x)[0]), 2 * a, rtol=1e-6)
    m = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    (hessian,) = tf.hessians(tf.reduce_sum(m * m * m), m)
    assert hessian.shape.as_list() == [2, 2, 2, 2]
    expected = np.zeros([4, 4])
    np.fill_diagonal(expected, [6, 12, 18, 24])
    np.testing.assert_allclose(run(hessian).reshape(4, 4), expected)
    with pytest.raises(ValueError, match="hessians: ys do not depend on"):
        tf.hessians(tf.reduce_sum(tf.placeholder(tf.float32)), tf.placeholder(tf.float32))


@pytest.mark.parametrize("shape", [[40], [None], [None, 2], None])
def test_hessians_of_many_or_unknown_elements(shape):
    x = tf.placeholder(tf.float64, shape)
    (hessian,) = tf.hessians(tf.reduce_sum(x) ** 2 + tf.reduce_sum(x * x * x), x)
    assert hessian.shape.as_list() == shape * 2 if shape else hessian.shape.rank is None
    value = np.linspace(-1, 1, 40 if shape == [40] else 6)
    with tf.Session() as sess:
        found = sess.run(hessian, {x: value.reshape(-1, 2) if shape and len(shape) == 2 else value})
    np.testing.assert_allclose(found.reshape(len(value), -1), 2 + np.diag(6 * value), atol=1e-12)


def test_an_op_without_gradient_is_named_with_its_path():
    x = tf.constant([1.0], name="start")
    y = NoGradient(tf.identity(x, name="between"), name="culprit")
    with pytest.raises(LookupError) as caught:
        tf.gradients(tf.identity(y) * 2, x)
    text = str(caught.value)
    assert "No gradient defined for operation 'culprit' (op type: TestNoGradient)" in text
    assert "start" in text and "between (Identity)" in text and __file__ in text
    assert text.index("start") < text.index("between (Identity)")
    assert run(tf.gradients(y, y))[0].tolist() == [1.0]  # not on a path
    assert tf.gradients(y, tf.constant(1.0)) == [None]


def with_gradient(name, function):
    op_type = define_op(name, inputs=["x: float"], outputs=["y: float"])
    gradient(name)(function)
    return op_type


BAD_COUNT = with_gradient("TestBadCount", lambda op, grad: [grad, grad])
BAD_TYPE = with_gradient("TestBadType", lambda op, grad: tf.cast(grad, tf.float64))
BAD_SHAPE = with_gradient("TestBadShape", lambda op, grad: tf.constant([1.0, 2.0]))


def test_a_gradient_of_the_wrong_kind_is_refused():
    x = tf.constant(1.0)
    with pytest.raises(ValueError, match="Num gradients 2 generated for op .* do not match num inputs 1"):
        tf.gradients(BAD_COUNT(x), x)
    with pytest.raises(ValueError, match="Gradient type float64 generated for op .* does not match input type float32"):
        tf.gradients(BAD_TYPE(x), x)
    with pytest.raises(ValueError, match="Incompatible shapes between op input and calculated input gradient"):
        tf.gradients(BAD_SHAPE(x), x)


def test_unused_outputs_get_zeros():
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    first, second = tf.split(x, 2)
    assert run(tf.gradients(first * 2, x))[0].tolist() == [2, 2, 0, 0]
    assert run(tf.gradients(second, x))[0].tolist() == [0, 0, 1, 1]


@pytest.mark.parametrize("method", [None, 0, 1, 2])
def test_aggregation_methods(method):
    x = tf.constant(3.0)
    assert run(tf.gradients(x * x + x * 2 + x, x, aggregation_method=method)) == [9.0]


def test_complex_values():
    x = tf.constant(1 + 2j, tf.complex64)
    with pytest.raises(TypeError, match="complex"):
        tf.gradients(x * x, x)
    (grad,) = tf.gradients(x * x, x, grad_ys=tf.constant(1 + 0j, tf.complex64))
    assert run(grad) == np.conj(2 * (1 + 2j))
    (grad,) = tf.gradients(tf.abs(x), x)
    np.testing.assert_allclose(run(grad), (1 + 2j) / np.sqrt(5), rtol=1e-6)


def test_broadcast_inputs_get_gradients_of_their_shape():
    a, b = tf.ones([2, 3]), tf.constant([[1.0], [2.0]])
    c = tf.constant(3.0)
    grads = tf.gradients(a * b * c, [a, b, c])
    assert [g.shape.as_list() for g in grads] == [[2, 3], [2, 1], []]
    got = run(grads)
    assert got[1].tolist() == [[9.0], [9.0]] and got[2] == 9.0


def test_a_deep_graph_needs_no_deep_stack():
    x = tf.constant(1.0)
    y = x
    for _ in range(3000):
        y = y + 1.0
    assert run(tf.gradients(y, x)) == [1.0]


def test_names_and_scopes():
    x = tf.constant(1.0)
    with tf.name_scope("outer"):
        (grad,) = tf.gradients(x * x, x, name="g")
    assert grad.op.name.startswith("outer/g/")
    (grad,) = tf.gradients(x * x, x)
    assert grad.op.name.startswith("gradients/")


def test_colocation_of_gradients():
    x = tf.constant(1.0)
    with tf.device("/cpu:0"):
        y = tf.square(x, name="square")
    (plain,) = tf.gradients(y, x)
    (grad,) = tf.gradients(y, x, colocate_gradients_with_ops=True)
    assert b"loc:@square" not in plain.op.colocation_groups()
    assert b"loc:@square" in grad.op.colocation_groups()
    assert grad.device == "/device:CPU:0"


def test_control_dependencies_of_the_caller_hold():
    x = tf.constant(1.0)
    first = tf.no_op(name="first")
    with tf.control_dependencies([first]):
        (grad,) = tf.gradients(x * x, x)
    found, todo = set(), [grad.op]
    while todo:
        op = todo.pop()
        found.add(op)
        todo += [o for o in [t.op for t in op.inputs] + op.control_inputs if o not in found]
    assert first in found


def test_tensors_of_another_graph():
    with tf.Graph().as_default():
        x = tf.constant(1.0)
    with pytest.raises(ValueError):
        tf.gradients(tf.constant(1.0), x)


@pytest.mark.parametrize("shape", [[], [1], [1, 1], [2], [1, 2]])
def test_grad_ys_broadcast_to_the_shape_of_y(shape):
    v = tf.constant([1.0, 2.0])
    ys = [v * v]
    if shape in ([1], [1, 1]):
        ys.append(tf.reduce_sum(v * v))
    with tf.Session() as session:
        for y in ys:
            assert session.run(tf.gradients(y, v, grad_ys=[tf.fill(shape, 2.0)])[0]).tolist() == [4.0, 8.0]


@pytest.mark.parametrize("shape", [[3], [2, 1], [2, 2]])
def test_grad_ys_that_do_not_broadcast_are_refused(shape):
    v = tf.constant([1.0, 2.0])
    with pytest.raises(ValueError, match="hape"):
        tf.gradients(v * v, v, grad_ys=[tf.ones(shape)])
