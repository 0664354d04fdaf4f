"""Records of softmax and the cross entropies."""

import numpy as np
import scipy.special as sp
from hypothesis import strategies as st

from tfcore.testing import OpRecord, strategies


def _logits(draw, case):
    shape = (*draw(case.shapes(max_rank=3, max_elements=60)), draw(strategies.sizes(0, 65)))
    return [draw(case.array(shape))], {}


def _softmax(x):
    return sp.softmax(x, axis=-1) if x.shape[-1] else x


def _log_softmax(x):
    return sp.log_softmax(x, axis=-1) if x.shape[-1] else x


def _magnitude(x):
    """Differences of logits are rounded to units of the largest; so is their logarithm's sum."""
    if not x.size:
        return x
    return np.broadcast_to(4 + np.abs(x).max(axis=-1, keepdims=True), x.shape)


def _ones(x):
    return np.ones_like(x)


def _dense_inputs(draw, case):
    batch = draw(strategies.sizes(0, 8 if case.smooth else 40))
    classes = draw(strategies.sizes(1, 5 if case.smooth else 65))
    kinds = ["same"] if case.smooth else ["same", "same", "row", "column", "logits row"]
    kind = draw(st.sampled_from(kinds))
    logits = (1 if kind == "logits row" else batch, classes)
    labels = {"row": (1, classes), "column": (batch, 1)}.get(kind, (batch, classes))
    return [draw(case.array(logits)), draw(case.array(labels, domain=(0.05, 1)))], {}


def _dense(features, labels):
    features, labels = np.broadcast_arrays(features, labels)
    loss = -np.sum(labels * _log_softmax(features), axis=-1)
    return [loss, _softmax(features) - labels]


def _dense_scale(features, labels):
    features, labels = np.broadcast_arrays(features, labels)
    size = 4 + np.abs(features).max(axis=-1, initial=0)
    return [size * labels.sum(axis=-1) + 1, 1 + np.abs(labels)]


def _sparse_inputs(draw, case):
    batch = draw(strategies.sizes(0, 8 if case.smooth else 40))
    classes = draw(strategies.sizes(1, 5 if case.smooth else 65))
    labels = draw(case.array((batch,), dtype=case.Tlabels, domain=(0, classes - 1)))
    return [draw(case.array((batch, classes))), labels], {}


def _one_hot(features, labels):
    return (labels[:, None] == np.arange(features.shape[1])).astype(np.float64)


RECORDS = [
    OpRecord("Softmax", _softmax, _logits, scale=_ones),
    OpRecord("LogSoftmax", _log_softmax, _logits, scale=_magnitude),
    # The op's backprop is softmax - labels, the gradient for labels that sum to 1: see test_softmax.py.
    OpRecord("SoftmaxCrossEntropyWithLogits", _dense, _dense_inputs, scale=_dense_scale, gradient=0),
    OpRecord(
        "SparseSoftmaxCrossEntropyWithLogits",
        lambda x, labels: _dense(x, _one_hot(x, labels)),
        _sparse_inputs,
        scale=lambda x, labels: _dense_scale(x, _one_hot(x, labels)),
    ),
]

EXPLICIT_GRADIENTS = {
    "SoftmaxCrossEntropyWithLogits": "tests/ops/nn/test_softmax.py::test_dense_cross_entropy_gradients"
}
