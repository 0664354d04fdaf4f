"""tf.debugging.assert_shapes; its other names are tested in tests/ops."""

import numpy as np
import pytest

import tfcore as tf


def check(shapes, **more):
    with tf.control_dependencies([tf.debugging.assert_shapes(shapes, **more)]):
        return tf.constant(True)


def unknown(*shape):
    return tf.placeholder_with_default(np.zeros(shape), [None] * len(shape))


@pytest.mark.parametrize(
    "shapes",
    [
        lambda: [(tf.zeros([2, 3]), ("N", "Q")), (tf.zeros([3]), ("Q",)), (1.0, ())],
        lambda: [(unknown(2, 3), ("N", "Q")), (unknown(3), ("Q",)), (tf.zeros([2, 2]), ("N", "N"))],
        lambda: [(unknown(4, 2, 3), (..., "N", 3)), (unknown(2), ("N",))],
        lambda: [(unknown(2, 3), ("*", ".", None)), (unknown(2, 3), None)],
        lambda: [(unknown(2, 3), tf.TensorShape([2, None]))],
        lambda: [(tf.SparseTensor([[0, 0]], [1.0], [2, 3]), ("N", 3)), (unknown(2), ("N",))],
        lambda: [(5.0, ("N",)), (unknown(1), ("N",)), (tf.placeholder_with_default(5.0, []), (1,))],
    ],
)
def test_shapes_that_fit(shapes):
    with tf.Session() as sess:
        assert sess.run(check(shapes()))


@pytest.mark.parametrize(
    "shapes, text",
    [
        (
            lambda: [(tf.zeros([2, 3]), ("N", "N"))],
            "dimension 0.  Tensor zeros.* dimension 1 must have size 2.",
        ),
        (lambda: [(tf.zeros([2, 3]), ("N", 4))], "Specified explicitly.  Tensor zeros.* dimension 1 must have size 4"),
        (lambda: [(tf.zeros([2, 3]), ("N",))], r"must have rank in \(0, 1\)"),
        (lambda: [(tf.zeros([2, 3]), ("N", "M", "K"))], "must have rank 3"),
        (lambda: [(tf.zeros([2, 3]), ("*", "N", "M", "K"))], "must have rank at least 3"),
        (lambda: [(tf.zeros([2, 3]), 3)], "Specified shape must be an iterable"),
    ],
)
def test_shapes_that_are_known_not_to_fit(shapes, text):
    with pytest.raises(ValueError, match="words.  .*" + text):
        check(shapes(), message="words")


@pytest.mark.parametrize(
    "shapes",
    [
        lambda: [(unknown(2, 3), ("N", "N"))],
        lambda: [(unknown(2, 3), ("N", 4))],
        lambda: [(unknown(2, 3), ("N", "M")), (unknown(2), ("M",))],
        lambda: [(tf.placeholder_with_default(np.zeros([2, 3]), None), ("N", "M", "K"))],
    ],
)
def test_shapes_that_do_not_fit_when_run(shapes):
    with tf.Session() as sess, pytest.raises(tf.errors.InvalidArgumentError):
        sess.run(check(shapes()))


def test_namespaces():
    assert tf.debugging.assert_equal is tf.assert_equal and tf.debugging.is_nan is tf.is_nan
    assert tf.math.is_non_decreasing is tf.debugging.is_non_decreasing and tf.debugging.Assert is tf.Assert
    assert tf.manip.reshape is tf.reshape and tf.manip.space_to_batch_nd is tf.space_to_batch_nd
    assert tf.linalg.trace is tf.trace and tf.math.lbeta is tf.lbeta and tf.log_sigmoid is tf.math.log_sigmoid
    assert tf.linalg.l2_normalize is tf.nn.l2_normalize and tf.tensor_scatter_nd_max is tf.tensor_scatter_max
    assert tf.qint8 in tf.QUANTIZED_DTYPES and tf.int8 not in tf.dtypes.QUANTIZED_DTYPES
