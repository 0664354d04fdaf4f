"""Inputs that must be scalars: a vector of one number is not a scalar, and the error is TensorFlow's."""

import numpy as np
import pytest

import tfcore as tf

X = np.arange(12, dtype=np.float32).reshape(3, 4)
ZERO = np.array(0, np.int32)
ONE, ROWS = np.array([1], np.int32), np.array([0, 1], np.int32)
PIECES = [ROWS, ROWS]
ops = tf.raw_ops

CALLS = {
    "Split": (lambda d: ops.Split(d, X, num_split=3), "split_dim must be a scalar but has rank 1"),
    "ArgMax": (lambda d: ops.ArgMax(X, d), "dim must be a scalar, but received tensor of shape: [1]"),
    "ArgMin": (lambda d: ops.ArgMin(X, d), "dim must be a scalar, but received tensor of shape: [1]"),
    "GatherV2": (lambda d: ops.GatherV2(X, ROWS, d), "axis must be scalar"),
    "Cumsum": (lambda d: ops.Cumsum(X, d), "ScanOp: axis must be a scalar, not [1]"),
    "Cumprod": (lambda d: ops.Cumprod(X, d), "ScanOp: axis must be a scalar, not [1]"),
    "lower": (lambda d: ops.MatrixBandPart(X, d, ZERO), "num_lower must be scalar, got shape [1]"),
    "upper": (lambda d: ops.MatrixBandPart(X, ZERO, d), "num_upper must be scalar, got shape [1]"),
    "offset": (
        lambda d: ops.ConcatOffset(d, PIECES),
        "Concat dim tensor should be a scalar integer, but got shape [1]",
    ),
    "OneHot": (lambda d: ops.OneHot(ROWS, d, 1.0, 0.0), "depth must be a scalar, but got: [1]"),
    "LinSpace": (lambda d: ops.LinSpace(0.0, 1.0, d), "num must be a scalar, not shape [1]"),
    "unsorted": (lambda d: ops.UnsortedSegmentSum(ROWS, ROWS, d), "num_segments should be a scalar, not shape [1]"),
    "sparse": (
        lambda d: ops.SparseSegmentSumWithNumSegments(X, ROWS, ROWS, d),
        "num_segments should be a scalar, not shape [1]",
    ),
    "gradient": (lambda d: ops.SparseSegmentSumGrad(X[:2], ROWS, ROWS, d), "output_dim0 should be a scalar"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_vector_of_one_number_is_no_scalar(name):
    call, text = CALLS[name]
    with tf.Graph().as_default(), tf.Session() as sess:
        number = tf.placeholder(tf.int32)
        result = call(number)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            sess.run(result, {number: ONE})
        assert caught.value.message.startswith(text)


@pytest.mark.parametrize("call", [lambda d: ops.Concat(d, [X, X]), lambda d: ops.ConcatV2([X, X], d)])
def test_old_graphs_concatenate_along_a_vector(call):
    with tf.Graph().as_default(), tf.Session() as sess:
        number = tf.placeholder(tf.int32)
        assert sess.run(call(number), {number: ONE}).shape == (3, 8)


@pytest.mark.parametrize(
    ("shift", "axis", "text"),
    [
        ([1], 0, "shift and axis must have the same size"),
        ([[1]], [[0]], "shift must be a scalar or a 1-D vector. Found: [1,1]"),
        (1, [[0]], "axis must be a scalar or a 1-D vector. Found: [1,1]"),
    ],
)
def test_roll_compares_shift_and_axis(shift, axis, text):
    with tf.Graph().as_default(), tf.Session() as sess:
        s, a = tf.placeholder(tf.int32), tf.placeholder(tf.int32)
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            sess.run(ops.Roll(X, s, a), {s: shift, a: axis})
        assert caught.value.message.startswith(text)
