"""Launchers refuse what the CPU's kernels refuse, with the same texts."""

import numpy as np
import pytest

import tfcore as tf
from tests.gpu.devices.on_both import failure, raw


def ones(*shape, dtype=np.float32):
    return np.ones(shape, dtype)


def ints(*values, dtype=np.int32):
    return np.array(values, dtype)


def image(*shape):
    return np.ones(shape or (1, 4, 4, 2), np.float32)


WINDOW = {"strides": [1, 1, 1, 1], "padding": "VALID"}
POOL = {"ksize": [1, 2, 2, 1], **WINDOW}
CALLS = {
    "broadcast": (raw("Add"), [ones(2, 3), ones(4)]),
    "divisor of 0": (raw("FloorDiv"), [ones(3, dtype=np.int64), ints(1, 0, 2, dtype=np.int64)]),
    "divisor of 0 on the host": (raw("FloorMod"), [ints(1, 1), ints(1, 0)]),
    "negative power": (raw("Pow"), [ints(2, 2, dtype=np.int64), ints(2, -1, dtype=np.int64)]),
    "shapes of a gradient": (raw("TanhGrad"), [ones(2), ones(3)]),
    "shapes of ApproximateEqual": (raw("ApproximateEqual"), [ones(2), ones(3)]),
    "shapes of AddN": (lambda x, y: tf.add_n([x, x, y]), [ones(2), ones(3)]),
    "rows of Select": (raw("Select"), [ones(3, dtype=bool), ones(2, 2), ones(2, 2)]),
    "shapes of SelectV2": (raw("SelectV2"), [ones(3, dtype=bool), ones(2, 2), ones(2, 2)]),
    "limits of a clip": (raw("ClipByValue"), [ones(3), ones(2), ones()]),
    "biases": (raw("BiasAdd"), [ones(3, 4), ones(3)]),
    "rank of BiasAddGrad": (raw("BiasAddGrad"), [ones(3)]),
    "last dimension of Bitcast": (raw("Bitcast", type=tf.float64), [ones(3)]),
    "axis": (raw("Sum"), [ones(3), ints(1)]),
    "axis twice": (raw("Max"), [ones(3, 3), ints(1, -1)]),
    "axis of int32": (raw("Sum"), [ints(3), ints(1)]),
    "axis of ArgMax": (raw("ArgMax"), [ones(3), np.int32(2)]),
    "empty axis of ArgMax": (raw("ArgMax"), [ones(3, 0), np.int32(1)]),
    "rank of Softmax": (raw("Softmax"), [ones()]),
    "shapes of a cross entropy": (raw("SoftmaxCrossEntropyWithLogits"), [ones(2, 3), ones(3, 2)]),
    "number of labels": (raw("SparseSoftmaxCrossEntropyWithLogits"), [ones(2, 3), ints(1)]),
    "no classes": (raw("SparseSoftmaxCrossEntropyWithLogits"), [ones(2, 0), ints(1, 1)]),
    "rank of MatMul": (raw("MatMul"), [ones(2), ones(2, 2)]),
    "inner sizes": (raw("MatMul", transpose_a=True), [ones(2, 3), ones(3, 2)]),
    "inner sizes of a batch": (raw("BatchMatMul", adj_y=True), [ones(2, 2, 3), ones(2, 3, 2)]),
    "batches": (raw("BatchMatMulV2"), [ones(2, 2, 3), ones(3, 3, 2)]),
    "rank of an image": (raw("Conv2D", **WINDOW), [image(4, 4, 2), image(2, 2, 2, 3)]),
    "channels": (raw("Conv2D", **WINDOW), [image(), image(2, 2, 3, 3)]),
    "large filter": (raw("Conv2D", **WINDOW), [image(), image(6, 6, 2, 3)]),
    "sizes of an image": (
        raw("Conv2DBackpropInput", **WINDOW),
        [ints(1, 4, 4), image(2, 2, 2, 3), image(1, 3, 3, 3)],
    ),
    "sizes of a filter": (
        raw("Conv2DBackpropFilter", **WINDOW),
        [image(), ints(2, 2, 2, 3), image(1, 2, 2, 3)],
    ),
    "rank of a pool": (raw("MaxPool", **POOL), [image(4, 4, 2)]),
    "window given as an input": (
        raw("MaxPoolV2", padding="SAME"),
        [image(), ints(1, 0, 2, 1), ints(1, 1, 1, 1)],
    ),
    "output of a pool": (raw("MaxPoolGrad", **POOL), [image(), image(1, 3, 3, 2), image(1, 2, 3, 2)]),
    "sizes of an average": (raw("AvgPoolGrad", **POOL), [ints(1, 4, 4), image(1, 3, 3, 2)]),
}


@pytest.mark.parametrize("call", CALLS)
def test_the_text_is_that_of_the_cpu(call):
    found = failure("/gpu:0", *CALLS[call])
    assert found is not None and found == failure("/cpu:0", *CALLS[call])


def test_labels_are_reported_by_their_position():
    logits, labels = ones(4, 3), ints(0, 7, 2, -1)
    kind, text = failure("/gpu:0", raw("SparseSoftmaxCrossEntropyWithLogits"), [logits, labels])
    assert kind is tf.errors.InvalidArgumentError
    assert "a label value of 7 which is outside the valid range of [0, 3).  It is label 1" in text


def test_dimensions_that_cannot_be_merged():
    x, y = ones(*[2, 1] * 5), ones(*[1, 2] * 5)
    for call in (raw("Add"), lambda x, y: raw("SelectV2")(x > 0, x, y)):
        kind, text = failure("/gpu:0", call, [x, y])
        assert kind is tf.errors.UnimplementedError and "Broadcasting in more than 8 dimensions" in text
