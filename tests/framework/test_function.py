"""Graph functions: how they are made and called, what they capture, their gradients, and the library of GraphDefs."""

import gc
import weakref

import numpy as np
import pytest
from google.protobuf import text_format

import tfcore as tf
from tfcore.framework.definitions.op_parts import FunctionAttr
from tfcore.framework.functions.func_graph import FuncGraph


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def run(fetches, feed=None, init=False):
    with tf.Session() as session:
        if init:
            session.run(tf.global_variables_initializer())
        return session.run(fetches, feed)


def again(graph, prefix=""):
    """The graph, read from its GraphDef into a new one that becomes the default."""
    graph_def = tf.GraphDef.FromString(graph.as_graph_def().SerializeToString())
    tf.import_graph_def(graph_def, name=prefix)
    return tf.get_default_graph()


# ---- Calls


def test_a_call_is_one_operation(graph):
    @tf.Defun(tf.float32, tf.float32, func_name="AddMul", out_names=["total", "product"])
    def add_mul(x, y):
        """Adds and multiplies."""
        return x + y, x * y

    before = graph.version
    total, product = add_mul(tf.constant(3.0), 4.0, name="call")
    assert total.op is product.op and total.op.type == "AddMul" and total.name == "call:0"
    assert graph.version == before + 3 and add_mul.__name__ == "add_mul"
    assert [o.name for o in add_mul.op_def.outputs] == ["total", "product"] and graph._is_function("AddMul")
    assert run([total, product]) == [7, 12]


def test_what_a_call_returns():
    one = tf.Defun(tf.int32)(lambda x: x + 1)
    none = tf.Defun(tf.int32)(lambda x: None)
    listed = tf.Defun(tf.int32)(lambda x: [x, x, tf.constant(5)])
    assert isinstance(one(1), tf.Tensor) and isinstance(none(1), tf.Operation) and isinstance(listed(1), tuple)
    assert run([one(1), listed(2), none(3)]) == [2, (2, 2, 5), None]


def test_unnamed_functions_have_names_of_what_they_do():
    def make(k):
        @tf.Defun(tf.float32)
        def body(x):
            return x * k

        return body

    assert make(2.0).name == make(2.0).name != make(3.0).name
    assert make(2.0).name.startswith("body_") and tf.Defun(tf.float32)(lambda x: x).name.startswith("lambda_")
    assert run(make(2.0)(1.0) + make(2.0)(1.0) + make(3.0)(1.0)) == 7


def test_two_functions_of_one_name():
    tf.Defun(tf.float32, func_name="F")(lambda x: x + 1)(1.0)
    tf.Defun(tf.float32, func_name="F")(lambda x: x + 1)(1.0)
    with pytest.raises(ValueError, match="Cannot add function 'F' because a different function with the same name"):
        tf.Defun(tf.float32, func_name="F")(lambda x: x + 2)(1.0)


def test_wrong_definitions():
    with pytest.raises(ValueError, match="must be a callable"):
        tf.Defun(tf.float32)(3)
    with pytest.raises(ValueError, match="defaults or keywords arguments are not supported"):
        tf.Defun(tf.float32)(lambda x=1: x)
    with pytest.raises(ValueError, match="defaults or keywords arguments are not supported"):
        tf.Defun(tf.float32)(lambda **more: 1)
    with pytest.raises(ValueError, match="fewer arguments than the number of specified input types"):
        tf.Defun(tf.float32, tf.float32)(lambda x: x)
    with pytest.raises(ValueError, match="more arguments than the number of specified input types"):
        tf.Defun(tf.float32)(lambda x, y: x)
    with pytest.raises(ValueError, match=r"Function .*lambda.* can not return None"):
        tf.Defun(tf.float32)(lambda x: (x, None))(1.0)
    with pytest.raises(ValueError, match="not a valid function name"):
        tf.Defun(tf.float32, func_name="a b")(lambda x: x)
    with pytest.raises(
        ValueError, match="Cannot add function 'MatMul' because an op with the same name already exists"
    ):
        tf.Defun(tf.float32, func_name="MatMul")(lambda x: x)
    with pytest.raises(ValueError, match="Unknown keyword arguments"):
        tf.Defun(tf.float32, colour="red")(lambda x: x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="output names size = 2 outputs size = 1"):
        tf.Defun(tf.float32, out_names=["a", "b"])(lambda x: x)(1.0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Name 'a' appears more than once"):
        tf.Defun(tf.float32, out_names=["a", "a"])(lambda x: (x, x))(1.0)


def test_wrong_calls(graph):
    f = tf.Defun(tf.float32, func_name="F")(lambda x: x)
    with pytest.raises(ValueError, match="Expected 1 arguments, got 2"):
        f(1.0, 2.0)
    with pytest.raises(ValueError, match="Input 0 of node F was passed int32 from .* incompatible with expected float"):
        f(1)
    with pytest.raises(ValueError, match="Unknown keyword arguments"):
        f(1.0, colour="red")
    assert "_noinline" in f(1.0, noinline=True).op.node_def.attr
    inner = []
    tf.Defun(tf.float32)(lambda x: inner.append(x + 1))(1.0)
    with pytest.raises(ValueError, match="of the function 'other', nor of one around it"):
        tf.Defun(tf.float32, func_name="other")(lambda x: x + inner[0])(1.0)
    with pytest.raises(ValueError, match="calls itself while it is being defined"):

        @tf.Defun(tf.float32)
        def loop(x):
            return loop(x)

        loop(1.0)


def test_overloads():
    @tf.Defun(func_name="Twice")
    def twice(x):
        return x + x

    assert twice(1.0).op.type == "Twice_f32" and twice(np.int64(1)).op.type == "Twice_i64"
    assert twice("a").op.type == "Twice_s"
    assert run([twice(1.0), twice("a"), twice(2.0)]) == [2, b"aa", 4]
    assert run(tf.Defun()(lambda *xs: tf.add_n(xs))(1.0, 2.0, 3.0)) == 6
    assert run(tf.Defun(tf.float32, tf.float32)(lambda *xs: tf.add_n(xs))(1.0, 2.0)) == 3
    assert run(tf.Defun()(lambda: tf.constant(4))()) == 4


def test_declared_functions():
    later = tf.Declare("Later", [("n", tf.int32), ("x", tf.float32)], [("z", tf.float32)])

    @tf.Defun(tf.float32)
    def caller(x):
        return later(2, x) + 1.0

    y = caller(3.0)
    with pytest.raises(tf.errors.NotFoundError, match="Function Later is not defined"):
        run(y)

    @tf.Defun(tf.int32, tf.float32, func_name="Later", out_names=["z"])
    def definition(n, x):
        return tf.cast(n, tf.float32) * x

    definition.add_to_graph(tf.get_default_graph())
    assert run(y) == 7
    with pytest.raises(ValueError, match="Expected 2 arguments, got 1"):
        later(1)


def test_recursion_is_refused():
    fact = tf.Declare("Factorial", [("n", tf.int32)], [("z", tf.int32)])

    @tf.Defun(tf.int32, func_name="Factorial", out_names=["z"])
    def definition(n):
        return n * fact(n - 1)

    with pytest.raises(
        tf.errors.UnimplementedError, match=r"Function Factorial calls itself \(Factorial -> Factorial\).*tf.while_loop"
    ):
        run(definition(3))


def test_shapes_come_from_the_body():
    @tf.Defun(tf.float32, tf.int32)
    def f(x, shape):
        return tf.matmul(x, x, transpose_a=True), tf.reshape(x, shape), tf.reduce_sum(x, 1), tf.constant([1, 2])

    shapes = [t.shape.as_list() for t in f(tf.zeros([2, 3]), [6])]
    assert shapes == [[3, 3], [6], [2], [2]]
    x = tf.placeholder(tf.float32, [None, 4])
    assert [t.shape.as_list() for t in f(x, [-1, 2])] == [[4, 4], [None, 2], [None], [2]]
    assert f(tf.placeholder(tf.float32), [6])[0].shape.ndims is None
    outer = tf.Defun(tf.float32)(lambda x: f(x, [3, 2])[1])
    assert outer(tf.zeros([2, 3])).shape.as_list() == [3, 2]
    given = tf.Defun(tf.float32, shape_func=lambda op: [[7]])(lambda x: tf.py_func(lambda v: v, [x], tf.float32))
    assert given(1.0).shape.as_list() == [7]
    with pytest.raises(ValueError, match="produced 2 shapes, which does not match 1 outputs"):
        tf.Defun(tf.float32, shape_func=lambda op: [[7], []])(lambda x: x)(1.0)


def test_shapes_through_loops_in_bodies():
    def loop(step, *more):
        return tf.Defun(tf.float32)(
            lambda x: tf.while_loop(
                lambda i, *_: i < 3,
                step,
                [0, x, *more],
                [tf.TensorShape([]), *[tf.TensorShape(None)] * (1 + len(more))],
            )[1]
        )

    keeps = loop(lambda i, a: (i + 1, tf.sin(a)))
    grows = loop(lambda i, a: (i + 1, tf.concat([a, a], 0)))
    later = loop(lambda i, a, b: (i + 1, b, tf.concat([b, b], 0)), tf.zeros([2, 3]))
    x = tf.ones([2, 3])
    assert keeps(x).shape.as_list() == [2, 3] and grows(x).shape.as_list() == [None, 3]
    assert later(x).shape.as_list() == [None, 3] and later(tf.ones([2])).shape.ndims is None
    assert [v.shape for v in run([keeps(x), grows(x), later(x)])] == [(2, 3), (16, 3), (8, 3)]


def test_shapes_that_do_not_fit_name_both_lines():
    @tf.Defun(tf.float32)
    def body(x):
        return tf.matmul(x, tf.ones([2, 2]))

    with pytest.raises(
        ValueError, match=r"(?s)test_function.py:\d+ in body, called at .*test_function.py:\d+ in test_sh"
    ):
        body(tf.ones([3, 3]))


def test_devices_and_containers():
    with tf.device("/device:CPU:0"):
        inside = tf.Defun(tf.float32)(lambda x: x + 1.0)
    body = inside.body()
    assert {op.device for op in body.ops} == {"/device:CPU:0"}
    with tf.device("/job:worker"):
        assert inside(1.0).op.device == "/job:worker"


# ---- What a body uses of the graph around it


def test_captured_values_are_inputs():
    c = tf.constant(3.0, name="c")

    @tf.Defun(tf.float32)
    def f(x):
        return x * c + c

    y = f(2.0)
    assert y.op.inputs[1:] == [c] and f.captured_inputs == [c]
    assert run(y, {c: 5.0}) == 15
    inner = tf.Defun(tf.float32)(lambda x: f(x) + c)
    outer = tf.Defun(tf.float32)(lambda x: inner(x) + f(c))
    assert run(outer(1.0)) == 3 + 3 + 3 + 12 and inner.captured_inputs == outer.captured_inputs == [c]


def test_captured_by_value():
    c = tf.constant(3.0) * 2.0

    @tf.Defun(tf.float32, capture_by_value=True)
    def f(x):
        return x + c

    assert f(1.0).op.inputs[1:] == [] and run(f(1.0)) == 7
    given, drawn = tf.placeholder(tf.float32), tf.random_uniform([])
    with pytest.raises(
        ValueError, match=r"Cannot capture a placeholder \(name:Placeholder, type:Placeholder\) by value"
    ):
        tf.Defun(capture_by_value=True)(lambda: given + 1.0)()
    with pytest.raises(ValueError, match="Cannot capture a stateful node .*type:RandomUniform"):
        tf.Defun(capture_by_value=True)(lambda: drawn + 1.0)()


def test_variables_are_read_and_changed():
    v = tf.Variable([1.0, 2.0], name="v")

    @tf.Defun(tf.float32)
    def f(x):
        tf.assign_add(v, x)
        return x

    y = f([10.0, 20.0])
    with tf.control_dependencies([y]):
        after = v.read_value()
    with tf.Session() as session:
        session.run(v.initializer)
        session.run(y)
        np.testing.assert_array_equal(session.run(v), [11, 22])
        np.testing.assert_array_equal(session.run(after), [21, 42])


def test_variables_that_a_function_makes():
    @tf.Defun(tf.float32)
    def layer(x):
        w = tf.get_variable("w", [2], initializer=tf.ones_initializer())
        b = tf.Variable(lambda: tf.fill([2], 5.0), name="b")
        return x * w + b

    with tf.variable_scope("first"):
        y = layer([1.0, 2.0])
    layer([3.0, 4.0])
    assert [v.name for v in tf.global_variables()] == ["first/w:0", "b:0"] == [v.name for v in tf.trainable_variables()]
    assert [v.name for v in layer.body().graph.extra_vars] == ["first/w:0", "b:0"]
    np.testing.assert_array_equal(run(y, init=True), [6, 7])
    with pytest.raises(ValueError, match="from inside the function '.*'. When creating a variable .* use a lambda"):
        tf.Defun(tf.float32)(lambda x: tf.Variable(x + 1.0) * 2.0)(1.0)


def test_control_dependencies_on_outer_operations():
    v = tf.Variable(1.0)
    change = tf.assign(v, 7.0)

    @tf.Defun()
    def read():
        with tf.control_dependencies([change]):
            return v.read_value()

    y = read()
    assert y.op.control_inputs == [change.op] and run(y, init=True) == 7


def test_init_scope(graph):
    seen = []

    @tf.Defun(tf.float32)
    def f(x):
        with tf.name_scope("inside"), tf.control_dependencies([x]), tf.init_scope():
            seen.append(tf.constant(1.0))
        return x + seen[0]

    y = f(1.0)
    assert seen[0].graph is graph and seen[0].name == "inside/Const:0" and not seen[0].op.control_inputs
    assert run(y) == 2


# ---- Gradients


def check_gradient(y, x, value, expected, more=None):
    grad = tf.gradients(y, x)[0]
    np.testing.assert_allclose(run(grad, {x: value, **(more or {})}), expected, rtol=1e-5)
    return grad


def test_gradients_of_any_order():
    f = tf.Defun(tf.float64)(lambda x: tf.sin(x) * x)
    x = tf.placeholder(tf.float64, [3])
    v = np.array([0.1, 0.5, 2.0])
    first = check_gradient(f(x), x, v, np.cos(v) * v + np.sin(v))
    second = check_gradient(first, x, v, 2 * np.cos(v) - v * np.sin(v))
    third = check_gradient(second, x, v, -3 * np.sin(v) - v * np.cos(v))
    assert third.shape.as_list() == [3]


def test_gradients_of_nested_calls_and_captured_values():
    c = tf.placeholder(tf.float64, [], name="c")
    w = tf.Variable(np.float64(2.0))
    inner = tf.Defun(tf.float64)(lambda x: tf.tanh(x) * c)
    outer = tf.Defun(tf.float64)(lambda x: inner(inner(x)) + w * w * x)
    x = tf.placeholder(tf.float64, [])
    grads = tf.gradients(outer(x), [x, c, w])
    second = tf.gradients(grads[0], x)

    def value(x, c, w):
        return np.tanh(np.tanh(x) * c) * c + w * w * x

    h, at = 1e-5, np.array([0.7, 1.3, 2.0])
    steps = np.eye(3) * h
    numeric = [(value(*(at + s)) - value(*(at - s))) / (2 * h) for s in steps]
    np.testing.assert_allclose(run(grads, {x: at[0], c: at[1]}, init=True), numeric, rtol=1e-6)
    h = 1e-4
    numeric = (value(at[0] + h, 1.3, 2) - 2 * value(*at) + value(at[0] - h, 1.3, 2)) / h**2
    np.testing.assert_allclose(run(second, {x: at[0], c: at[1]}, init=True), [numeric], rtol=1e-5)


def test_gradients_of_what_does_not_matter():
    @tf.Defun(tf.float32, tf.int32, tf.float32)
    def f(x, n, unused):
        return x * 2.0, n + 1, tf.constant("text")

    x, unused = tf.constant(1.0), tf.constant([1.0, 2.0])
    y, n, _ = f(x, 3, unused)
    grads = tf.gradients([y, tf.cast(n, tf.float32)], [x, unused])
    assert run(grads[0]) == 2 and run(grads[1]).tolist() == [0, 0]


def test_gradients_that_are_slices_are_made_dense():
    f = tf.Defun(tf.float32)(lambda x: tf.gather(x, [0, 0, 2]))
    x = tf.ones([3, 2])
    grad = tf.gradients(f(x), x)[0]
    assert isinstance(grad, tf.Tensor) and run(grad).tolist() == [[2, 2], [0, 0], [1, 1]]


def test_random_numbers_are_those_of_the_call():
    drop = tf.Defun(tf.float32)(lambda x: tf.nn.dropout(x, 0.5))
    x = tf.ones([100])
    y = drop(drop(x))
    grad = tf.gradients(y, x)[0]
    values, grads = run([y, grad])
    np.testing.assert_array_equal(values, grads)
    assert 0 < np.count_nonzero(values) < 100
    names = [t.name for t in (y, grad)]
    with tf.Graph().as_default():
        values, grads = run([f"copy/{n}" for n in names]) if again(x.graph, "copy") else None
    np.testing.assert_array_equal(values, grads)


def test_random_numbers_in_gradients_of_any_order(graph):
    cube = tf.Defun(tf.float64)(lambda x: tf.random_uniform([], dtype=tf.float64) * x * x * x)
    nested = tf.Defun(tf.float64)(lambda x: cube(x) * 1.0)
    x = tf.constant(1.0, tf.float64)
    y = nested(x)
    first = tf.gradients(y, x)[0]
    second = tf.gradients(first, x)[0]
    third = tf.gradients(second, x)[0]
    for order in ([0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]):
        values = dict(zip(order, run([[y, first, second, third][i] for i in order])))
        np.testing.assert_allclose([values[i] for i in range(4)], np.array([1, 3, 6, 6]) * values[0])
    names = [t.name for t in (third, y, first, second)]
    with tf.Graph().as_default():
        again(graph)
        values = run(names)
    np.testing.assert_allclose(values, np.array([6, 1, 3, 6]) * values[1])


def test_random_numbers_in_branches_and_loops():
    drop = tf.Defun(tf.float32)(lambda x: tf.nn.dropout(x, 0.5))
    x, p = tf.ones([50]), tf.placeholder(tf.bool)
    y = tf.cond(p, lambda: drop(x), lambda: x)
    values, grads = run([y, tf.gradients(y, x)[0]], {p: True})
    np.testing.assert_array_equal(values, grads)
    nested = tf.Defun(tf.float32)(lambda x: drop(x) * 2.0)
    for function in (drop, nested):
        y = tf.while_loop(lambda i, _: i < 2, lambda i, a, f=function: (i + 1, f(a)), [0, x])[1]
        with pytest.raises(
            tf.errors.UnimplementedError, match="in a while loop, would draw other random numbers than the call"
        ):
            tf.gradients(y, x)


def _of_a_generator():
    with tf.variable_scope("", reuse=tf.AUTO_REUSE):
        state = tf.get_variable(
            "state", shape=[3], dtype=tf.int64, initializer=tf.zeros_initializer(), use_resource=True
        )
    values = tf.raw_ops.RngReadAndSkip(resource=state.handle, alg=1, delta=tf.constant(1, tf.uint64))
    return tf.cast(values[0], tf.float32)


@pytest.mark.parametrize(
    "draw",
    [
        _of_a_generator,
        lambda: tf.raw_ops.FractionalAvgPool(value=tf.ones([1, 3, 3, 1]), pooling_ratio=[1, 1.5, 1.5, 1])[0][
            0, 0, 0, 0
        ],
        lambda: tf.raw_ops.UniformCandidateSampler(
            true_classes=[[1]], num_true=1, num_sampled=3, unique=True, range_max=9
        ).true_expected_count[0, 0],
        lambda: tf.cast(tf.multinomial([[0.0, 0.0]], 1)[0, 0], tf.float32),
    ],
    ids=["generator", "pool", "sampler", "multinomial"],
)
def test_gradients_in_loops_refuse_to_draw_again(draw):
    function = tf.Defun(tf.float32)(lambda x: x * draw())
    x = tf.constant(1.0)
    assert tf.gradients(function(x), x)[0] is not None
    y = tf.while_loop(lambda i, _: i < 2, lambda i, a: (i + 1, function(a)), [0, x])[1]
    with pytest.raises(tf.errors.UnimplementedError, match="would draw other random numbers than the call"):
        tf.gradients(y, x)


def test_effects_happen_once_with_gradients():
    v = tf.Variable(0.0)

    @tf.Defun(tf.float32)
    def f(x):
        with tf.control_dependencies([tf.assign_add(v, 1.0)]):
            return x * x

    x = tf.constant(3.0)
    y = f(x)
    grad = tf.gradients(y, x)[0]
    with tf.Session() as session:
        session.run(v.initializer)
        assert session.run([y, grad]) == [9, 6] and session.run(v) == 1


def test_registered_gradients():
    @tf.Defun(tf.float32, tf.float32)
    def grad(x, dy):
        return 10.0 * x * dy

    f = tf.Defun(tf.float32, grad_func=grad, func_name="F")(lambda x: x * x)
    x = tf.constant(2.0)
    assert run(tf.gradients(f(x), x)) == [20] and f.grad_func_name == grad.name
    entry = x.graph.as_graph_def().library.gradient[0]
    assert (entry.function_name, entry.gradient_func) == ("F", grad.name)

    def python_grad(op, dy):
        return dy * op.inputs[0] * 100.0

    g = tf.Defun(tf.float32, python_grad_func=python_grad)(lambda x: x * x)
    assert run(tf.gradients(g(x), x)) == [200]
    nested = tf.Defun(tf.float32)(lambda x: g(x) + f(x))
    assert run(tf.gradients(nested(x), x)) == [220]
    late = tf.Defun(tf.float32)(lambda x: x * x)
    late.set_grad_func(grad)
    assert run(tf.gradients(late(x), x)) == [20]
    with pytest.raises(ValueError, match="has a gradient function already"):
        late.set_grad_func(grad)
    both = tf.Defun(grad_func=tf.Defun()(lambda x, dy: 7.0 * dy))(lambda x: x)
    assert run(tf.gradients(both(x), x)) == [7]


def test_gradients_that_a_body_asks_for():
    c, w = tf.constant(3.0), tf.Variable(5.0)

    @tf.Defun(tf.float32)
    def f(x):
        y = x * x * c * w
        return tuple(tf.gradients(y, [x, c, w, tf.constant(1.0)])[:3])

    x = tf.constant(2.0)
    assert run(list(f(x)), init=True) == [60, 20, 12]
    assert run(tf.gradients(f(x)[0], x), init=True) == [30]


def test_a_gradient_that_captures():
    scale = tf.constant(5.0)

    @tf.custom_gradient
    def scaled(x):
        return x + 0.0, lambda dy: dy * scale

    f = tf.Defun(tf.float32)(lambda x: scaled(x))
    x = tf.constant(1.0)
    assert run(tf.gradients(f(x), x)) == [5]


def test_missing_gradients_name_the_operation():
    f = tf.Defun(tf.float32)(lambda x: tf.raw_ops.While(input=[x], cond="C", body="B")[0])
    x = tf.constant(1.0)
    with pytest.raises(LookupError, match="No gradient defined for operation 'While'"):
        tf.gradients(f(x), x)
    declared = tf.Declare("Nowhere", [("x", tf.float32)], [("y", tf.float32)])
    with pytest.raises(LookupError, match="function Nowhere is not defined"):
        tf.gradients(declared(x), x)


def test_symbolic_gradient_operations():
    f = tf.Defun(tf.float32, tf.int32)(lambda x, n: tf.square(x) * tf.cast(n, tf.float32))
    x, n = tf.constant(3.0), tf.constant(2)
    y = f(x, n)
    grads = tf.raw_ops.SymbolicGradient(input=[x, n, tf.constant(1.0)], Tout=[tf.float32, tf.int32], f=f)
    assert run(grads) == [12, 0] and grads[0].shape.as_list() == []
    assert run(tf.gradients(grads[0], x)) == [4]
    assert grads[0].op.get_attr("f") == FunctionAttr(f.name) and run(y) == 18


# ---- GraphDefs


def test_the_library_of_a_graph_def(graph):
    c = tf.constant(2.0, name="c")
    inner = tf.Defun(tf.float32, func_name="Inner")(lambda x: tf.exp(x) * c)

    @tf.Defun(tf.float32, func_name="Outer", out_names=["y", "parts"])
    def outer(x):
        with tf.name_scope("scope"):
            first, second = tf.split(x, 2)
        return inner(first), tf.concat([second, first], 0)

    x = tf.placeholder(tf.float32, [4], name="x")
    y, parts = outer(x, name="call")
    grad = tf.gradients(y, x)[0]
    second = tf.gradients(grad, x)[0]
    library = graph.as_graph_def().library
    names = [f.signature.name for f in library.function]
    assert names[:2] == ["Outer", "Inner"] and len(names) > 4
    definition = library.function[0]
    assert [a.name for a in definition.signature.output_arg] == ["y", "parts"]
    assert dict(definition.ret)["parts"] == "concat:output:0"
    assert any("scope/split:output:1" in node.input for node in definition.node_def)
    value = np.array([0.1, 0.2, 0.3, 0.4], np.float32)
    fetches = [t.name for t in (y, parts, grad, second)]
    expected = run(fetches, {x: value})
    with tf.Graph().as_default() as other:
        again(graph)
        for got, want in zip(run(fetches, {"x:0": value}), expected):
            np.testing.assert_array_equal(got, want)
        assert other.as_graph_def().library == graph.as_graph_def().library
        call = other.get_operation_by_name("call")
        assert [t.shape.as_list() for t in call.outputs] == [[2], [4]]
        more = tf.gradients(call.outputs[0], other.get_tensor_by_name("x:0"))
        np.testing.assert_array_equal(run(more, {"x:0": value})[0], expected[2])
        again(graph, "again")  # the same functions
    again(graph, "here")
    np.testing.assert_array_equal(run("here/call:0", {"here/x:0": value}), expected[0])


def load(text, name="", **more):
    return tf.import_graph_def(text_format.Parse(text, tf.GraphDef()), name=name, **more)


def test_bodies_that_name_captured_variables(graph):
    """TensorFlow 2 colocates users of a captured variable with a name that the body lacks."""

    @tf.Defun(tf.float32, func_name="Twice")
    def twice(x):
        return tf.identity(2 * x, name="result")

    twice(tf.placeholder(tf.float32, [], name="x"), name="call")
    graph_def = graph.as_graph_def()
    for node in graph_def.library.function[0].node_def:
        node.attr["_class"].list.s.extend([b"loc:@captured/4999"] + [b"loc:@mul"] * (node.name == "result"))
    with tf.Graph().as_default() as other:
        tf.import_graph_def(graph_def, name="")
        assert run("call:0", {"x:0": 4.0}) == 8
        assert other.as_graph_def().library == graph_def.library


POLYMORPHIC = """
library { function {
    signature { name: "Scale"
        input_arg { name: "x" type_attr: "T" } input_arg { name: "ys" number_attr: "N" type_attr: "T" }
        output_arg { name: "z" type_attr: "T" } output_arg { name: "all" number_attr: "N" type_attr: "T" }
        attr { name: "T" type: "type" } attr { name: "N" type: "int" has_minimum: true minimum: 1 } }
    node_def { name: "sum" op: "AddN" input: "ys" attr { key: "N" value { placeholder: "N" } }
        attr { key: "T" value { placeholder: "T" } } }
    node_def { name: "z" op: "Mul" input: "sum:sum:0" input: "x" attr { key: "T" value { placeholder: "T" } } }
    node_def { name: "all" op: "IdentityN" input: "ys" input: "^sum"
        attr { key: "T" value { list { type: DT_INT32 type: DT_INT32 } } } }
    ret { key: "z" value: "z:z" } ret { key: "all" value: "all:output" } } }
"""


def test_functions_with_attributes():
    load(POLYMORPHIC)
    a, b = tf.constant(3, name="a"), tf.constant(4, name="b")
    tensor = """ attr { key: "T" value { type: DT_INT32 } } attr { key: "N" value { i: 2 } } """
    load(
        'node { name: "call" op: "Scale" input: "a" input: "b" input: "a"' + tensor + "}",
        input_map={"a": a, "b": b},
    )
    assert run(["call:0", "call:1", "call:2"]) == [21, 4, 3]
    with pytest.raises(ValueError, match="NodeDef missing attr 'N' from Op<name=Scale"):
        load('node { name: "c" op: "Scale" input: "a" attr { key: "T" value { type: DT_INT32 } } }')


BROKEN = {
    "no name": ("function { signature { } }", ValueError, "A function of the library has no name"),
    "twice": (
        'function { signature { name: "F" } } function { signature { name: "F" } }',
        ValueError,
        "Cannot add function 'F' because a different function",
    ),
    "op": ('function { signature { name: "MatMul" } }', ValueError, "an op with the same name already exists"),
    "gradient": ('gradient { function_name: "F" gradient_func: "G" }', ValueError, "FunctionDefLibrary missing 'F'"),
    "type": (
        'function { signature { name: "F" input_arg { name: "x" type: 99 } } }',
        ValueError,
        "signature of function 'F' is malformed: argument 'x' has an invalid type: number 99",
    ),
    "attr": (
        'function { signature { name: "F" attr { name: "a" type: "colour" } } }',
        ValueError,
        "signature of function 'F' is malformed: Unknown attribute type 'colour'",
    ),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_libraries(graph, case):
    text, kind, message = BROKEN[case]
    with pytest.raises(kind, match=message):
        load("library { " + text + " }")
    assert not graph._functions and not graph.get_operations()


CALL = (
    'node { name: "c" op: "F" } '
    'library { function { signature { name: "F" output_arg { name: "y" type: DT_INT32 } } %s } }'
)
BROKEN_BODIES = {
    "no result": ("", ValueError, "In function 'F': Return values are missing output 'y'"),
    "unknown result": ('ret { key: "y" value: "n:o" }', ValueError, "In function 'F': input n:o is not found"),
    "unknown op": (
        'node_def { name: "n" op: "Magic" }',
        tf.errors.NotFoundError,
        "In function 'F': Op type not .* 'Magic'",
    ),
    "unknown input": (
        'node_def { name: "n" op: "Neg" input: "m:y:0" attr { key: "T" value { type: DT_INT32 } } } ret '
        '{ key: "y" value: "n:y" }',
        ValueError,
        "In function 'F': input m:y:0 is not found",
    ),
    "attribute": (
        'node_def { name: "n" op: "Neg" attr { key: "T" value { placeholder: "T" } } }',
        ValueError,
        "refers to attribute 'T', which the call does not give",
    ),
    "type": (
        'node_def { name: "n" op: "NoOp" } ret { key: "y" value: "^n" }',
        ValueError,
        "In function 'F': input ",
    ),
}


@pytest.mark.parametrize("case", BROKEN_BODIES)
def test_broken_bodies(graph, case):
    body, kind, message = BROKEN_BODIES[case]
    with pytest.raises(kind, match=message):
        load(CALL % body)
    assert not graph._functions and not graph.get_operations()


def test_a_function_that_is_not_called_may_be_of_unknown_ops():
    load('library { function { signature { name: "F" } node_def { name: "n" op: "Magic" } } }')
    assert tf.get_default_graph()._is_function("F")


def test_a_function_graph_is_no_place_for_sessions():
    f = tf.Defun(tf.float32)(lambda x: x + 1.0)
    f(1.0)
    inside = f.body().outputs[0]
    assert isinstance(inside.graph, FuncGraph) and inside.graph.building_function
    with pytest.raises((ValueError, TypeError), match="is not an element of this graph"):
        run(inside)


# ---- tf.function


def test_function_of_structures(graph):
    calls = []

    @tf.function
    def f(pair, scale=2.0, *, kind="a"):
        """Documented."""
        calls.append(kind)
        return {"sum": pair["x"] + pair["y"] * scale, "rest": [pair["x"], (kind == "a" and pair["y"],)]}

    x, y = tf.constant(1.0), np.float32(3.0)
    first = f({"x": x, "y": y})
    second = f({"x": x, "y": tf.constant(4.0)})
    assert f.__doc__ == "Documented." and calls == ["a"]
    assert first["sum"].op.type == second["sum"].op.type and first["sum"].op.type.startswith("f_")
    assert run([first, second["sum"]]) == [{"sum": 7, "rest": [1, (3,)]}, 9]
    assert run(f({"x": x, "y": y}, 3.0)["sum"]) == 10 and calls == ["a", "a"]
    assert len(tf.function(lambda: ())()) == 0 and tf.function(lambda x: None)(1) is None

    class Model:
        @tf.function
        def double(self, x):
            return x + x

    assert run(Model().double(x)) == 2


def test_function_does_not_keep_graphs():
    f = tf.function(lambda x: x + 1.0)
    with tf.Graph().as_default() as used:
        f(tf.constant(1.0))
    used = weakref.ref(used)
    gc.collect()
    assert used() is None


def test_function_tells_numbers_apart():
    f = tf.function(lambda x, numbers: x / numbers[0])
    x = tf.constant(1.0)
    assert run([f(x, [zero]) for zero in (0.0, -0.0, 0.0, -0.0)]) == [np.inf, -np.inf, np.inf, -np.inf]
    numbers = (0.0, -0.0, -0.0, 0j, complex(0.0, -0.0), 0j, float("nan"), float("nan"))
    assert len({f.get_concrete_function(x, [number]) for number in numbers}) == 5


def test_functions_know_the_shapes_of_their_arguments():
    found = []

    @tf.function
    def f(x):
        found.append(x.shape.as_list())
        return x + 1.0

    for x in (tf.zeros([2]), tf.ones([2]), tf.zeros([3, 1]), tf.placeholder(tf.float32, [None, 1])):
        assert f(x).shape.as_list() == x.shape.as_list()
    assert found == [[2], [3, 1], [None, 1]]


def test_function_with_a_signature():
    @tf.function(input_signature=[tf.placeholder(tf.float32, [None])])
    def f(x):
        return tf.reduce_sum(x)

    assert run(f([1, 2])) == 3 and f.get_concrete_function([1, 2]) is f.get_concrete_function([1.0])
    with pytest.raises(ValueError, match=r"An argument of f has the shape \(1, 1\), its input_signature \(\?,\)"):
        f([[1.0]])
    with pytest.raises(ValueError, match="takes 1 positional arguments by its input_signature, got 2"):
        f([1], [2])
    with pytest.raises(TypeError, match="unexpected keyword argument"):
        tf.function(lambda: 1, colour="red")
