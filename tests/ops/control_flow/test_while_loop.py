"""tf.while_loop: iterations, structures, shapes, what comes in from outside, side effects, and what is refused."""

import collections
import re

import numpy as np
import pytest

import tfcore as tf

Pair = collections.namedtuple("Pair", "a b")


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def run(fetches, feed=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feed)


def count(n, body=lambda i: i + 1, **options):
    return tf.while_loop(lambda i: i < n, body, [0], **options)


def test_counting():
    n = tf.placeholder(tf.int32, [])
    result = count(n)
    assert isinstance(result, tf.Tensor) and result.shape.as_list() == []
    with tf.Session() as sess:
        assert [sess.run(result, {n: value}) for value in (0, 1, 7, 1000)] == [0, 1, 7, 1000]


def test_names_are_tensorflows(graph):
    x = tf.constant(2.0, name="x")
    tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, 1.0])
    assert [op.name for op in graph.get_operations()][1:] == [
        "while/" + name
        for name in (
            "Const", "Const_1", "Enter", "Enter_1", "Merge", "Merge_1", "Less/y", "Less", "LoopCond", "Switch",
            "Switch_1",
            "Identity", "Identity_1", "add/y", "add", "mul/Enter", "mul", "NextIteration", "NextIteration_1", "Exit",
            "Exit_1",
        )
    ]  # fmt: skip
    enter, captured = (graph.get_operation_by_name(f"while/{name}") for name in ("Enter", "mul/Enter"))
    assert enter.get_attr("frame_name") == b"while/while_context" and not enter.get_attr("is_constant")
    assert captured.get_attr("is_constant") and captured.get_attr("parallel_iterations") == 10
    assert [op.name for op in graph.get_operation_by_name("while/add/y").control_inputs] == ["while/Identity"]
    assert [op.name for op in graph.get_operation_by_name("while/Less/y").control_inputs] == ["while/Merge"]


def test_structures():
    start = [0, {"x": 1.0, "y": Pair(1, (2,))}]

    def body(i, d):
        return i + 1, {"x": d["x"] * 2.0, "y": Pair(d["y"].b[0], (d["y"].a,))}

    result = tf.while_loop(lambda i, d: i < 3, body, start)
    assert type(result) is tuple and type(result[1]["y"]) is Pair
    assert run(result) == (3, {"x": 8.0, "y": Pair(2, (1,))})
    named = tf.while_loop(lambda a, b: a < 3, lambda a, b: Pair(a + 1, b), Pair(0, 5))
    assert type(named) is Pair and run(named) == Pair(3, 5)
    assert run(tf.while_loop(lambda x: x["a"] < 3, lambda x: [{"a": x["a"] + 1}], [{"a": 0}])) == {"a": 3}


def test_one_variable_is_returned_by_itself_unless_asked_otherwise():
    assert run(count(3)) == 3
    assert run(count(3, return_same_structure=True)) == [3]
    assert run(count(3, lambda i: [i + 1])) == 3


def test_sparse_loop_variables():
    sparse = tf.SparseTensor([[1]], [1.0], [3])

    def body(i, s):
        indices = tf.concat([s.indices, [[2]]], 0)
        return i + 1, tf.SparseTensor(indices, tf.concat([s.values, [2.0]], 0), s.dense_shape)

    _, result = tf.while_loop(lambda i, s: i < 3, body, [0, sparse])
    assert isinstance(result, tf.SparseTensor) and result.indices.shape.as_list() == [None, 1]
    assert run(result).values.tolist() == [1, 2, 2, 2]
    slices = tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]), tf.constant([5, 3]))
    _, result = tf.while_loop(
        lambda i, s: i < 2,
        lambda i, s: (i + 1, tf.IndexedSlices(s.values * 2.0, s.indices + 1, s.dense_shape)),
        [0, slices],
        [tf.TensorShape([]), tf.TensorShape([None, 3])],
    )
    assert result.values.shape.as_list() == [None, 3] and run(result.indices).tolist() == [2, 3]


def test_shape_invariants():
    x = tf.constant([1.0, 2.0])
    grow = lambda i, x: (i + 1, tf.concat([x, x], 0))  # noqa: E731
    for invariants in ([tf.TensorShape([]), tf.TensorShape([None])], [None, tf.TensorShape(None)]):
        _, result = tf.while_loop(lambda i, x: i < 3, grow, [0, x], invariants)
        assert result.shape.ndims == invariants[1].ndims and len(run(result)) == 16
    fixed = lambda i, x: (i + 1, tf.placeholder_with_default(x, [None]))  # noqa: E731
    with pytest.raises(ValueError, match=r"has shape \(\?,\) after one iteration"):
        tf.while_loop(lambda i, x: i < 3, fixed, [0, x])

    def restated(i, x):
        result = fixed(i, x)
        result[1].set_shape([2])
        return result

    assert tf.while_loop(lambda i, x: i < 3, restated, [0, x])[1].shape.as_list() == [2]


def test_maximum_iterations():
    assert run(count(10, maximum_iterations=4)) == 4
    assert run(count(10, maximum_iterations=tf.constant(20, tf.int64))) == 10
    assert run(count(10, maximum_iterations=0, shape_invariants=[tf.TensorShape([])])) == 0
    two = tf.while_loop(lambda i, j: i < 9, lambda i, j: (i + 1, j + 2), [0, 0], maximum_iterations=3)
    assert run(two) == [3, 6]
    assert run(count(9, maximum_iterations=3, return_same_structure=True)) == [3]


def test_nested_loops_with_captured_values():
    x, n = tf.constant(2.0), tf.placeholder(tf.int32, [])

    def body(i, a):
        return i + 1, tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, b + x), [0, a])[1]

    result = tf.while_loop(lambda i, a: i < n, body, [0, 1.0])
    with tf.Session() as sess:
        for value in (0, 1, 2, 6):
            assert sess.run(result, {n: value}) == (value, 1 + value * (value - 1))


def test_a_loop_that_starts_from_invariants_of_the_loop_around():
    x = tf.constant(2.0)

    def body(i, a):
        return i + 1, a + tf.while_loop(lambda b: b < 9.0, lambda b: b + x * x, [x])

    assert run(tf.while_loop(lambda i, a: i < 6, body, [0, 1.0])) == (6, 61.0)


def test_conditionals_in_loops_in_conditionals():
    p, x = tf.placeholder(tf.bool, []), tf.constant(3)

    def body(i, a):
        odd = tf.equal(i % 2, 1)
        return i + 1, tf.cond(odd, lambda: a + x, lambda: tf.cond(p, lambda: a * 2, lambda: a))

    loop = lambda: tf.while_loop(lambda i, a: i < 5, body, [0, 1])[1]  # noqa: E731
    result = tf.cond(p, loop, lambda: loop() + x)
    expected = []
    for value in (True, False):
        a = 1
        for i in range(5):
            a = a + 3 if i % 2 else a * 2 if value else a
        expected.append(a if value else a + 3)
    assert [run(result, {p: True}), run(result, {p: False})] == expected


@pytest.mark.parametrize("parallel_iterations", [1, 2, 32])
def test_parallel_iterations_do_not_change_values(parallel_iterations):
    def body(i, a):
        return i + 1, tf.tanh(a @ a + tf.cast(i, tf.float32))

    start = tf.constant(np.linspace(-1, 1, 16).reshape(4, 4), tf.float32)
    _, result = tf.while_loop(lambda i, a: i < 20, body, [0, start], parallel_iterations=parallel_iterations)
    expected = np.linspace(-1, 1, 16).reshape(4, 4).astype(np.float32)
    for i in range(20):
        expected = np.tanh(expected @ expected + i)
    np.testing.assert_allclose(run(result), expected, rtol=1e-4, atol=1e-5)


def test_side_effects_in_the_order_of_dependencies():
    seen = []
    v = tf.Variable(0)

    def body(i):
        before = tf.py_func(lambda i: seen.append(("before", int(i))), [i], [])
        with tf.control_dependencies([before]):
            update = v.assign_add(i)
        with tf.control_dependencies([update]):
            after = tf.py_func(lambda i: seen.append(("after", int(i))), [i], [])
        with tf.control_dependencies([after]):
            return i + 1

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert sess.run(count(3, body)) == 3
        assert sess.run(v) == 3
    assert seen == [(word, i) for i in range(3) for word in ("before", "after")]


def test_assignments_to_captured_variables():
    v = tf.Variable([1.0, 1.0])

    def body(i):
        with tf.control_dependencies([tf.scatter_add(v, [i % 2], [2.0])]):
            return i + 1

    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        sess.run(count(3, body))
        assert sess.run(v).tolist() == [5, 3]


def test_the_loop_waits_for_control_dependencies_outside():
    v, w = tf.Variable(1), tf.Variable(0)
    with tf.control_dependencies([v.assign(5)]):
        result = count(3, lambda i: i + v.read_value())
    assert run(result) == 5

    def body(i):  # of operations without outputs, too
        with tf.control_dependencies([tf.group(w.assign(0))]):
            return i + 1

    outside = tf.group(w.assign(7))

    def waits(i):
        with tf.control_dependencies([outside]):
            return i + w.read_value()

    assert run([count(3, body), count(3, waits)])[0] == 3
    assert run(count(3, waits)) == 7


def test_control_inputs_from_outside_come_in_as_values(graph):
    x = tf.constant(2.0, name="x")

    def body(i):
        with tf.control_dependencies([x]):
            return i + 1

    assert run(count(3, body)) == 3
    waits = graph.get_operation_by_name("while/add/y")
    assert {op.name for op in waits.control_inputs} == {"while/add/Identity", "while/Identity"}
    assert graph.get_operation_by_name("while/add/Identity").inputs[0].name == "while/add/Identity/Enter:0"


def test_variables_made_in_a_loop_are_outside():
    def body(i):
        return i + tf.get_variable("v", [], tf.int32, tf.ones_initializer()) + tf.Variable(lambda: tf.constant(1))

    assert run(count(5, body)) == 6
    assert [v.op._get_control_flow_context() for v in tf.global_variables()] == [None, None]


def test_initial_values_from_inside_are_refused():
    def body(i):
        tf.Variable(tf.ones([]))
        return i + 1

    with pytest.raises(ValueError, match="is from inside a control-flow construct, such as a loop or conditional"):
        count(3, body)


def test_a_fetched_operation_of_a_loop(graph):
    count(3, name="loop")
    with tf.Session() as sess:
        with pytest.raises(ValueError, match="Operation 'loop/add' has been marked as not fetchable."):
            sess.run("loop/add:0")
        with pytest.raises(ValueError, match="may not be fed"):
            sess.run("loop/Exit:0", {"loop/add:0": 3})
        assert sess.run("loop/Exit:0") == 3


def test_values_of_a_loop_are_for_that_loop_only():
    inside = []
    count(3, lambda i: inside.append(i * 2) or i + 1)
    with pytest.raises(
        ValueError, match="Cannot use 'while/mul' as input to 'add' because 'while/mul' is in a while loop."
    ):
        inside[0] + 1  # noqa: B018
    with pytest.raises(
        ValueError, match="'while/mul' as input to 'while_1/add' because they are in different while loops."
    ):
        count(3, lambda i: i + inside[0])


def test_failures_leave_the_loop(graph):
    with pytest.raises(ZeroDivisionError):
        count(3, lambda i: 1 / 0)
    assert graph._get_control_flow_context() is None and graph.get_collection(tf.GraphKeys.WHILE_CONTEXT) == []
    assert run(count(3)) == 3


def test_building_a_loop_leaves_compiled_steps_as_they_are(graph):
    x = tf.constant(1.0) + 1.0
    with tf.Session() as sess:
        sess.run(x)
        version = graph.mutation_version
        count(3, lambda i: i + tf.cond(i > 1, lambda: 1, lambda: tf.cast(x, tf.int32)))
        assert graph.mutation_version == version


def test_static_values_are_known_inside():
    shape = tf.constant([2, 3])
    shapes = []

    def body(i, x):
        shapes.append(tf.reshape(x, shape).shape.as_list())
        return i + 1, tf.reshape(tf.fill(shape, 1.0) * tf.reshape(x, shape), [6])

    tf.while_loop(lambda i, x: i < 3, body, [0, tf.zeros([6])])
    assert shapes == [[2, 3]]


def test_an_error_inside_names_operation_and_line():
    x = tf.placeholder(tf.int32, [])
    result = count(3, lambda i: i + 1 // (x - i))
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"while/floordiv.*test_while_loop.py") as caught:
        run(result, {x: 0})
    assert caught.value.op.name == "while/floordiv"


LESS = lambda i, *_: i < 3  # noqa: E731


@pytest.mark.parametrize(
    "build, error, text",
    [
        (lambda: tf.while_loop(3, LESS, [0]), TypeError, "'cond' must be callable."),
        (lambda: tf.while_loop(LESS, 3, [0]), TypeError, "'body' must be callable."),
        (lambda: count(3, parallel_iterations=0), TypeError, "'parallel_iterations' must be a positive integer."),
        (lambda: count(3, parallel_iterations=2.5), ValueError,
         "'parallel_iterations' must be a positive integer: 2.5"),
        (lambda: tf.while_loop(LESS, LESS, []), ValueError, "'loop_vars' must be provided."),
        (lambda: tf.while_loop(LESS, LESS, tf.constant(0)), TypeError, "object of type 'Tensor' has no len()"),
        (lambda: tf.while_loop(LESS, LESS, 1), TypeError, "object of type 'int' has no len()"),
        (lambda: tf.while_loop(LESS, LESS, [None]), ValueError, "None values not supported."),
        (lambda: tf.while_loop(lambda i: None, LESS, [0]), ValueError, "None values not supported."),
        (lambda: tf.while_loop(lambda i: i, LESS, [0]), TypeError, "'input' of 'LoopCond' Op has type int32 .* bool"),
        (lambda: tf.while_loop(lambda i: [True], LESS, [0]), ValueError,
         "Shape must be rank 0 but is rank 1 for 'while/LoopCond'"),
        (lambda: count(3, lambda i: None), ValueError, "None values not supported."),
        (lambda: count(3, lambda i: (i, i)), ValueError, "don't have the same number of elements"),
        (lambda: count(3, lambda i: tf.no_op()), TypeError, "NoOp"),
        (lambda: count(3, lambda i: tf.cast(i, tf.float32)), TypeError,
         "with dtype int32, but has dtype float32 after one iteration"),
        (lambda: count(3, maximum_iterations=[3]), ValueError,
         r"'maximum_iterations' must be a scalar. Received shape: \(1,\)"),
        (
            lambda: tf.while_loop(LESS, lambda i, x: (i + 1, (x[0],)), [0, [1]]),
            TypeError,
            "The two structures don't have the same nested structure.*has type list, while .* has type tuple",
        ),
        (
            lambda: tf.while_loop(LESS, lambda i, x: (i + 1, tf.concat([x, x], 0)), [0, tf.zeros([2], name="z")]),
            ValueError,
            r"Input tensor 'z:0' enters the loop with shape \(2,\), but has shape \(4,\) after one iteration.*"
            "`shape_invariants`",
        ),
        (
            lambda: tf.while_loop(LESS, LESS, [tf.zeros([2], name="z")], [tf.TensorShape([3])]),
            ValueError,
            r"invariant specified for z:0 is not compatible .* shape \(2,\), but the specified shape invariant is "
            r"\(3,\)",
        ),
        (lambda: count(3, shape_invariants=[3]), TypeError, "'shape' must be one of TypeSpec, TensorShape or None"),
        (lambda: count(3, shape_invariants=[]), ValueError, "don't have the same nested structure"),
    ],
)  # fmt: skip
def test_wrong_arguments(build, error, text):
    with pytest.raises(error) as caught:
        build()
    assert re.search(text, str(caught.value), re.S), caught.value


def test_a_loop_is_run_by_its_result():
    """The operation of a result, an Exit, can be run like any other; the one of a loop in a loop can't."""
    total, inner = tf.Variable(0), []

    def body(i):
        inner.append(tf.while_loop(lambda j: j < 2, lambda j: j + 1, [0]))
        with tf.control_dependencies([tf.assign_add(total, inner[0])]):
            return i + 1

    result = tf.while_loop(lambda i: i < 5, body, [0])
    assert result.op.type == inner[0].op.type == "Exit"
    with tf.Session() as sess:
        sess.run(total.initializer)
        assert sess.run(result.op) is None and sess.run(total) == 10
        assert sess.run([result, result.op]) == [5, None] and sess.run(total) == 20
        with pytest.raises(ValueError, match="marked as not fetchable"):
            sess.run(inner[0].op)
