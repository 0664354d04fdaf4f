"""_FusedCwise: each operation that the compiler may fuse, and programs that are refused."""

import numpy as np
import pytest

import tfcore as tf
from tfcore.compiler import fuse_cwise
from tfcore.framework.definitions.op_def import get_op_def
from tfcore.testing import cpu_levels, evaluate

_RANDOM = np.random.default_rng(1)
X, Y = (_RANDOM.uniform(0.1, 2, 3001).astype(np.float32) for _ in range(2))


@pytest.mark.parametrize("name", sorted(fuse_cwise.UNARY | fuse_cwise.BINARY))
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_each_operation_has_its_own_bits(name, dtype):
    x, y = X.astype(dtype), Y.astype(dtype)
    operands = [x] if name in fuse_cwise.UNARY else [x, y]
    for level in cpu_levels():
        want = evaluate(name, *operands, at_levels=[level])
        args = [0, len(operands) - 1]
        got = evaluate("_FusedCwise", operands, ops=[name], args=args, at_levels=[level])
        np.testing.assert_array_equal(got, want)


def fails(pattern, inputs, **attrs):
    with pytest.raises(tf.errors.InvalidArgumentError, match=pattern):
        evaluate("_FusedCwise", inputs, **attrs)


def test_bad_programs_are_refused():
    fails("no operation Relu", [X], ops=["Relu"], args=[0, 0])
    fails("can't have 0 args", [X], ops=[], args=[])
    fails("can't have 3 args", [X], ops=["Neg"], args=[0, 0, 0])
    fails("1 ops have 4 args", [X], ops=["Neg"], args=[0, 0, 1, 1])
    fails("Operation 0 uses value 1", [X], ops=["Neg"], args=[1, 1])
    fails("Operation 0 uses value -1", [X], ops=["Neg"], args=[-1, -1])
    fails("Operation 0: its result is not used", [X], ops=["Neg", "Neg"], args=[0, 0, 0, 0])
    count = 9  # values that are kept until the last operations add them up
    ops = ["Neg"] * count + ["Add"] * (count - 1)
    args = [0] * (2 * count) + [1, 2] + [v for i in range(count - 2) for v in (1 + count + i, 3 + i)]
    fails("Operation 8: more than 8 results would be kept at a time", [X], ops=ops, args=args)


def test_inputs_of_other_shapes():
    """They broadcast: a shape that set_shape claims may be wrong."""
    with tf.Graph().as_default(), tf.Session() as sess:
        a, b = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
        y = get_op_def("_FusedCwise")([a, b], ops=["Sub"], args=[0, 1])
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs. \[3\]"):
            sess.run(y, {a: np.ones(2), b: np.ones(3)})
        for shapes in ([2, 1, 3], [4, 1]), ([1], [5]), ([], [5]), ([5, 1], []), ([0, 3], [1]), ([2, 3], [2, 3]):
            x, z = (_RANDOM.normal(size=shape).astype(np.float32) for shape in shapes)
            np.testing.assert_array_equal(sess.run(y, {a: x, b: z}), x - z)
        z = get_op_def("_FusedCwise")([a, b], ops=["Neg", "Add"], args=[1, 1, 0, 2])
        np.testing.assert_array_equal(sess.run(z, {a: np.ones(2), b: 3.0}), [-2, -2])
        np.testing.assert_array_equal(sess.run(z, {a: 3.0, b: 1.0}), 2.0)
        np.testing.assert_array_equal(sess.run(z, {a: np.ones(0), b: np.ones(0)}), np.ones(0))


def test_a_wrong_static_shape_is_no_error():
    size = fuse_cwise.LEAST_SIZE
    with tf.Graph().as_default(), tf.Session() as sess:
        x, c = tf.placeholder(tf.float32, [size]), tf.placeholder(tf.float32, [])
        for claimed, value in ((size, np.ones(1, np.float32)), (size, np.float32(2))):
            y = tf.py_func(lambda value=value: value, [], tf.float32)
            y.set_shape([claimed])
            np.testing.assert_array_equal(
                sess.run(tf.square(y * c) + x, {x: np.ones(size), c: 3.0}), (9 * value**2 + 1) * np.ones(size)
            )
