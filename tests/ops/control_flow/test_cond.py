"""tf.cond: which branch runs, what it may return, what comes in from outside, and in what order."""

import collections
import re
import threading

import numpy as np
import pytest

import tfcore as tf
from tfcore.ops.control_flow.cond import CondContext

Pair = collections.namedtuple("Pair", "a b")


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


@pytest.fixture
def p(graph):
    return tf.placeholder(tf.bool, [], name="p")


def run(fetches, feed=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feed)


def both(fetches, p):
    """Values when the condition is true and when it is false."""
    return [run(fetches, {p: True}), run(fetches, {p: False})]


def test_values_and_shapes(p):
    x = tf.constant([1.0, 2.0])
    result = tf.cond(p, lambda: x * 3.0, lambda: x + 1.0)
    assert result.shape.as_list() == [2] and result.dtype == tf.float32
    np.testing.assert_array_equal(both(result, p), [[3, 6], [2, 3]])
    assert tf.cond(p, lambda: x, lambda: tf.zeros([3])).shape.as_list() == [None]
    assert tf.cond(p, lambda: x, lambda: 1.0).shape.rank is None


def test_names_are_tensorflows(graph, p):
    x = tf.constant(2.0, name="x")
    tf.cond(p, lambda: x * 3.0, lambda: tf.add(x, 1.0, name="sum"))
    assert [op.name for op in graph.get_operations()] == [
        "p", "x", "cond/Switch", "cond/switch_t", "cond/switch_f", "cond/pred_id", "cond/mul/y", "cond/mul/Switch",
        "cond/mul",
        "cond/sum/y", "cond/sum/Switch", "cond/sum", "cond/Merge",
    ]  # fmt: skip
    assert graph.get_operation_by_name("cond/mul/y").control_inputs == [graph.get_operation_by_name("cond/switch_t")]
    assert tf.cond(p, lambda: 1, lambda: 2, name="other").name == "other/Merge:0"


def test_structures(p):
    x = tf.constant(2.0)

    def branch(factor):
        return lambda: {"a": x * factor, "b": (tf.no_op(), Pair([x], factor))}

    result = tf.cond(p, branch(2.0), branch(3.0))
    assert type(result["b"][1]) is Pair and type(result["b"][1].a) is list
    assert both(result, p) == [
        {"a": 4.0, "b": (True, Pair([2.0], 2.0))},
        {"a": 6.0, "b": (False, Pair([2.0], 3.0))},
    ]


def test_one_element_is_unpacked_unless_strict(p):
    assert isinstance(tf.cond(p, lambda: [1], lambda: (2,)), tf.Tensor)
    (result,) = tf.cond(p, lambda: [1], lambda: [2], strict=True)
    assert both(result, p) == [1, 2]
    with pytest.raises(ValueError, match="is a sequence, while substructure"):
        tf.cond(p, lambda: [1], lambda: 2, strict=True)


def test_sparse_values(p):
    sparse = tf.SparseTensor([[1]], [5.0], [3])
    result = tf.cond(
        p, lambda: tf.SparseTensor(sparse.indices, sparse.values * 2.0, sparse.dense_shape), lambda: sparse
    )
    assert isinstance(result, tf.SparseTensor)
    assert [v.values.tolist() for v in both(result, p)] == [[10.0], [5.0]]
    slices = tf.cond(
        p,
        lambda: tf.IndexedSlices(tf.constant([1.0]), tf.constant([2])),
        lambda: tf.IndexedSlices(tf.constant([3.0]), tf.constant([4], tf.int64)),
    )
    assert isinstance(slices, tf.IndexedSlices) and slices.indices.dtype == tf.int64
    assert both(slices.indices, p) == [[2], [4]]


def test_old_argument_names(p):
    assert both(tf.cond(p, fn1=lambda: 1, fn2=lambda: 2), p) == [1, 2]


def test_values_from_outside_pass_through(p):
    x, v = tf.constant(3), tf.Variable(4)
    assert both(tf.cond(p, lambda: x, lambda: v), p) == [3, 4]
    assert both(tf.cond(p, lambda: p, lambda: p), p) == [True, False]


def test_only_the_chosen_branch_runs(p):
    calls = []

    def branch(name):
        return lambda: tf.py_func(lambda: calls.append(name) or np.float32(len(calls)), [], tf.float32)

    result = tf.cond(p, branch("true"), branch("false"))
    both(result, p)
    assert calls == ["true", "false"]


def test_dead_branches_divide_by_zero_silently(p):
    x = tf.placeholder(tf.int32, [])
    safe = tf.cond(tf.equal(x, 0), lambda: -1, lambda: 10 // x)
    with tf.Session() as sess:
        assert [sess.run(safe, {x: value}) for value in (0, 5)] == [-1, 2]


def test_nested(p):
    x, y = tf.constant(2.0), tf.constant(1.0)
    q = tf.placeholder(tf.bool, [])
    inner = lambda: tf.cond(q, lambda: x + y, lambda: y - x)  # noqa: E731
    result = tf.cond(p, inner, lambda: tf.cond(q, lambda: x, inner))
    with tf.Session() as sess:
        found = [sess.run(result, {p: a, q: b}) for a in (True, False) for b in (True, False)]
    assert found == [3.0, -1.0, 2.0, -1.0]


def test_assignments_happen_in_the_branch_that_is_taken(p):
    v = tf.Variable(1.0)
    result = tf.cond(p, lambda: v.assign_add(2.0), lambda: v.read_value())
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        assert [sess.run(result, {p: value}) for value in (True, False, True)] == [3.0, 3.0, 5.0]


def test_control_dependencies_inside_and_outside(p):
    v = tf.Variable(0.0)
    with tf.control_dependencies([v.assign_add(1.0)]):  # outside: in any case

        def branch():
            with tf.control_dependencies([v.assign_add(10.0)]):
                return v.read_value()

        result = tf.cond(p, branch, lambda: v.read_value())
    assert both(result, p) == [11.0, 1.0]


def test_an_operation_of_a_branch_hangs_on_its_pivot(graph, p):
    with tf.control_dependencies([tf.no_op(name="before")]):
        tf.cond(p, lambda: tf.no_op(name="inside"), lambda: tf.no_op())
    inside = graph.get_operation_by_name("cond/inside")
    assert {op.name for op in inside.control_inputs} == {"before", "cond/switch_t"}


def test_control_dependencies_none_leaves_the_branch(graph, p):
    made = []

    def branch():
        with tf.control_dependencies(None):
            made.append(tf.constant(1.0))
        made.append(tf.constant(2.0))
        return made[0] + made[1]

    assert both(tf.cond(p, branch, lambda: 0.0), p) == [3.0, 0.0]
    assert made[0].op._get_control_flow_context() is None and not made[0].op.control_inputs
    assert isinstance(made[1].op._get_control_flow_context(), CondContext)


def test_variables_made_in_a_branch_are_outside(p):
    def branch():
        return tf.get_variable("v", [2], initializer=tf.ones_initializer()) + tf.Variable(lambda: tf.constant(2.0))

    result = tf.cond(p, branch, lambda: tf.zeros([2]))
    assert all(v.op._get_control_flow_context() is None for v in tf.global_variables())
    np.testing.assert_array_equal(both(result, p), [[3, 3], [0, 0]])


def test_values_of_branches_are_neither_fetched_nor_fed(graph, p):
    inside = []
    result = tf.cond(p, lambda: inside.append(tf.constant(1.0) + 2.0) or inside[0], lambda: 2.0, name="c")
    with tf.Session() as sess:
        with pytest.raises(ValueError, match="Operation 'c/add' has been marked as not fetchable."):
            sess.run(inside[0], {p: True})
        with pytest.raises(ValueError, match="may not be fed"):
            sess.run(result, {p: True, inside[0]: 3.0})


def test_devices_and_scopes_inside(graph, p):
    def branch():
        with tf.device("/cpu:0"), tf.name_scope("scope"):
            return tf.constant(1.0, name="value")

    tf.cond(p, branch, lambda: 2.0)
    value = graph.get_operation_by_name("cond/scope/value")
    assert value.device == "/device:CPU:0"


def test_each_thread_is_in_its_own_context(graph, p):
    entered, built = threading.Event(), threading.Event()
    other = []

    def elsewhere():
        entered.wait()
        with graph.as_default():
            other.append(tf.constant(1.0))
        built.set()

    thread = threading.Thread(target=elsewhere)
    thread.start()

    def branch():
        entered.set()
        assert built.wait(10)
        return tf.constant(2.0)

    tf.cond(p, branch, lambda: 3.0)
    thread.join()
    assert other[0].op._get_control_flow_context() is None


def test_contexts_are_left_when_a_function_fails(graph, p):
    with pytest.raises(ZeroDivisionError):
        tf.cond(p, lambda: 1 / 0, lambda: 2.0)
    assert graph._get_control_flow_context() is None and graph.get_collection(tf.GraphKeys.COND_CONTEXT) == []
    assert both(tf.cond(p, lambda: 1, lambda: 2), p) == [1, 2]


@pytest.mark.parametrize(
    "build, error, text",
    [
        (lambda p: tf.cond(True, lambda: 1, lambda: 2), TypeError, "'pred' must not be a Python bool."),
        (lambda p: tf.cond(None, lambda: 1, lambda: 2), ValueError, "None values not supported."),
        (
            lambda p: tf.cond(tf.constant(3.0), lambda: 1, lambda: 2),
            TypeError,
            "type float32 that does not match .* bool",
        ),
        (
            lambda p: tf.cond(tf.constant([True]), lambda: 1, lambda: 2),
            ValueError,
            "Shape must be rank 0 but is rank 1",
        ),
        (lambda p: tf.cond(p, 3, lambda: 2), TypeError, "'true_fn' must be callable."),
        (lambda p: tf.cond(p, lambda: 2, 3), TypeError, "'false_fn' must be callable."),
        (lambda p: tf.cond(p), TypeError, r"cond\(\): 'true_fn' argument required"),
        (lambda p: tf.cond(p, lambda: 2), TypeError, r"cond\(\): 'false_fn' argument required"),
        (lambda p: tf.cond(p, int, int, fn1=int), TypeError, "'true_fn' and 'fn1' may not be set simultaneously"),
        (lambda p: tf.cond(p, int, int, fn2=int), TypeError, "'false_fn' and 'fn2' may not be set simultaneously"),
        (lambda p: tf.cond(p, lambda: None, int), ValueError, "'true_fn' must have a return value."),
        (lambda p: tf.cond(p, int, lambda: None), ValueError, "'false_fn' must have a return value."),
        (lambda p: tf.cond(p, list, list), ValueError, "must return at least one result"),
        (lambda p: tf.cond(p, int, float), ValueError, "Received int32 from 'true_fn' and float32 from 'false_fn'"),
        (lambda p: tf.cond(p, lambda: [1, 2], lambda: [1]), ValueError, "don't have the same nested structure"),
        (lambda p: tf.cond(p, lambda: [1, 2], lambda: (1, 2)), TypeError, "has type list, while .* has type tuple"),
    ],
)
def test_wrong_arguments(p, build, error, text):
    with pytest.raises(error) as caught:
        build(p)
    assert re.search(text, str(caught.value), re.S), caught.value


def test_a_fed_variable_is_a_value_in_branches_too():
    """tensorflow/tensorflow#1724: a moving average that a branch updates."""
    with tf.Session() as session:
        x, update = tf.Variable([1.0]), tf.placeholder(tf.bool)
        averages = tf.train.ExponentialMovingAverage(0.9)

        def updated():
            with tf.control_dependencies([averages.apply([x])]):
                return tf.identity(averages.average(x))

        average = tf.cond(update, updated, lambda: averages.average(x))
        session.run(tf.global_variables_initializer())
        found = [session.run(average, {x: [2.0], update: on}).item() for on in (True, True, False, True)]
        assert found == pytest.approx([1.1, 1.19, 1.19, 1.271])
        assigned = tf.cond(update, lambda: tf.assign_add(x, [1.0]), lambda: [0.0])
        with pytest.raises(tf.errors.InvalidArgumentError, match="incompatible with expected reference to a variable"):
            session.run(assigned, {x: [2.0], update: True})


def test_branches_that_give_references():
    """The result is a reference, as in TensorFlow: it can be assigned to, and a loop can hand it on."""
    with tf.Graph().as_default(), tf.Session() as sess:
        v, w = (tf.Variable([1.0, 2.0], use_resource=False) for _ in range(2))
        pred = tf.placeholder(tf.bool, [])
        either = tf.cond(pred, lambda: v._ref(), lambda: tf.assign_add(w, [1.0, 1.0]))
        assert either.dtype._is_ref_dtype and (either.name, either.op.type) == ("cond/Merge:0", "RefMerge")
        assigned = tf.assign(either, [9.0, 9.0])
        (gradient,) = tf.gradients(tf.reduce_sum(tf.square(either)), [v])
        mixed = tf.cond(pred, lambda: v._ref(), lambda: v + 1)
        assert not mixed.dtype._is_ref_dtype
        sess.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(sess.run(gradient, {pred: True}), [2, 4])
        np.testing.assert_array_equal(sess.run(assigned, {pred: True}), [9, 9])
        np.testing.assert_array_equal(sess.run([v, w]), [[9, 9], [1, 2]])
        np.testing.assert_array_equal(sess.run(assigned, {pred: False}), [9, 9])
        np.testing.assert_array_equal(sess.run([v, w, mixed], {pred: False}), [[9, 9], [9, 9], [10, 10]])


def test_a_reference_through_a_conditional_in_a_loop():
    with tf.Graph().as_default(), tf.Session() as sess:
        v = tf.Variable([0, 1, 2, 3], use_resource=False)

        def body(i, ref):
            swapped = tf.cond(i < 2, lambda: tf.scatter_update(ref, [i, i + 1], [i + 1, i]), lambda: ref)
            return i + 1, swapped

        result = tf.while_loop(lambda i, _: i < 4, body, [0, tf.assign(v, [3, 2, 1, 0])])[1]
        assert result.dtype._is_ref_dtype
        sess.run(tf.global_variables_initializer())
        np.testing.assert_array_equal(sess.run(result), [1, 2, 1, 0])
        np.testing.assert_array_equal(sess.run(v), [1, 2, 1, 0])
