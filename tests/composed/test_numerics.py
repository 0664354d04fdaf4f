"""Checks for NaN and infinity."""

import numpy as np
import pytest

import tfcore as tf


@pytest.fixture
def sess():
    with tf.Graph().as_default(), tf.Session() as s:
        yield s


def test_add_check_numerics_ops_names_the_first_bad_tensor(sess):
    x = tf.placeholder(tf.float32, [2], name="x")
    v = tf.Variable(tf.ones([2]), name="v")
    logs = tf.log(x * v, name="logs")
    tf.exp(-logs, name="after")
    tf.cast(logs, tf.int32)
    half = tf.cast(x, tf.float16, name="half")
    check = tf.add_check_numerics_ops()
    assert check.type == "NoOp"
    kinds = {op.inputs[0].dtype for op in sess.graph.get_operations() if op.type == "CheckNumerics"}
    assert kinds == {tf.float32, tf.float16}
    sess.run(v.initializer)
    sess.run(check, {x: [1, 2]})
    for value, text in (
        ([0, 1], "logs:0 : Tensor had Inf"),
        ([-1, 1], "logs:0 : Tensor had NaN"),
        ([np.nan, 1], "x:0 : Tensor had NaN"),
        ([1, 1e30], "half:0 : Tensor had Inf"),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=text):
            sess.run(check, {x: value})
    assert half.dtype == tf.float16


def test_an_empty_graph_has_nothing_to_check(sess):
    check = tf.add_check_numerics_ops()
    assert sess.run(check) is None


def test_control_flow_is_refused(sess):
    x = tf.constant(1.0)
    x.op._control_flow_context = object()
    with pytest.raises(ValueError, match="not compatible with TensorFlow control flow"):
        tf.add_check_numerics_ops()


@pytest.mark.parametrize("function", [tf.verify_tensor_all_finite, tf.debugging.assert_all_finite])
def test_verify_tensor_all_finite(sess, function):
    x = tf.placeholder(tf.float64, [None])
    old, new = function(x, "old text"), function(x=x, message="new text", name="mine")
    np.testing.assert_array_equal(sess.run([old, new], {x: [1, 2]}), [[1, 2], [1, 2]])
    assert old.op.name.startswith("VerifyFinite") and new.op.name.startswith("mine")
    with pytest.raises(tf.errors.InvalidArgumentError, match="old text : Tensor had NaN values"):
        sess.run(old, {x: [np.nan]})
    with pytest.raises(tf.errors.InvalidArgumentError, match="new text : Tensor had Inf values"):
        sess.run(new, {x: [np.inf]})
    np.testing.assert_array_equal(sess.run(tf.gradients(old, x)[0], {x: [3.0]}), [1.0])
    for wrong, text in (
        ({"t": x, "x": x, "msg": ""}, "'t' and 'x'"),
        ({"t": x, "msg": "", "message": ""}, "'msg' and 'message'"),
    ):
        with pytest.raises(ValueError, match=text):
            function(**wrong)
