"""no_op, group, tuple and with_dependencies: what runs, and in which order."""

import pytest

import tfcore as tf
from tfcore.ops.control_flow import control


def counter():
    """A variable, and an operation that adds one to it."""
    variable = tf.Variable(0)
    return variable, tf.assign_add(variable, 1)


def test_no_op():
    with tf.Graph().as_default():
        op = tf.no_op(name="nothing")
        assert (op.name, op.type, list(op.outputs)) == ("nothing", "NoOp", [])
        with tf.Session() as session:
            assert session.run(op) is None


def test_group_runs_its_inputs():
    with tf.Graph().as_default():
        (a, add_a), (b, add_b) = counter(), counter()
        both = tf.group(add_a, [add_b.op, {"again": add_a}], name="both")
        assert (both.type, both.name) == ("NoOp", "both")
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(both) is None
            assert session.run([a, b]) == [1, 1]


def test_group_of_nothing():
    with tf.Graph().as_default():
        op = tf.group()
        assert (op.type, op.name, len(op.control_inputs)) == ("NoOp", "group_deps", 0)


def test_group_has_one_node_for_each_device():
    with tf.Graph().as_default():
        with tf.device("/cpu:0"):
            a, b = tf.no_op(), tf.no_op()
        with tf.device("/cpu:1"):
            c = tf.no_op()
        op = tf.group(a, b, c)
        assert len(op.control_inputs) == 2
        assert {len(gate.control_inputs) for gate in op.control_inputs} == {1, 2}
        assert {gate.device for gate in op.control_inputs} == {"/device:CPU:0", "/device:CPU:1"}


def test_group_rejects():
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="'inputs' should be zero or more"):
            tf.group(3)
        with pytest.raises(ValueError, match="Unknown keyword arguments: foo"):
            tf.group(tf.no_op(), foo=1)


def test_tuple_waits_for_all():
    with tf.Graph().as_default():
        (a, add_a), (b, add_b) = counter(), counter()
        first, nothing, second = tf.tuple([add_a, None, add_b])
        assert nothing is None
        assert second.op.type == "RefIdentity"  # the assigned variable
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(first) == 1
            assert session.run([a, b]) == [1, 1]


def test_tuple_control_inputs():
    with tf.Graph().as_default():
        a, add_a = counter()
        (only,) = tf.tuple([tf.constant(5)], control_inputs=[add_a])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(only) == 5
            assert session.run(a) == 1


def test_tuple_of_sparse_gradients_and_operations():
    with tf.Graph().as_default():
        slices = tf.IndexedSlices(tf.constant([[1.0]]), tf.constant([2]), tf.constant([4, 1]))
        a, add_a = counter()
        result, op = tf.tuple([slices, add_a.op])
        assert isinstance(result, tf.IndexedSlices)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(result.values).tolist() == [[1.0]]
            assert session.run(op) is None
            assert session.run(a) == 2


def test_tuple_rejects():
    with tf.Graph().as_default():
        with pytest.raises(ValueError, match="must have at least one Tensor"):
            tf.tuple([None])
        with pytest.raises(TypeError, match="must only contain Operation or Tensor"):
            tf.tuple([tf.constant(1)], control_inputs=[3])


def test_with_dependencies_runs_them_first():
    with tf.Graph().as_default():
        a, add_a = counter()
        value = control.with_dependencies([add_a], tf.constant(3))
        assert value.op.name == "control_dependency"
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            assert session.run(value) == 3
            assert session.run(a) == 1


def test_with_dependencies_of_a_failing_assertion():
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32)
        y = control.with_dependencies([tf.assert_positive(x)], x * 2.0)
        with tf.Session() as session:
            assert session.run(y, {x: 1.0}) == 2.0
            with pytest.raises(tf.errors.InvalidArgumentError, match="Condition x > 0"):
                session.run(y, {x: -1.0})
