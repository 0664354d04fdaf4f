"""Losses of embeddings against their definitions, by loops in float64."""

import functools

import numpy as np
import pytest

import tfcore as tf
from tfcore.contrib.losses import metric_learning

RANDOM = np.random.RandomState(0)
LABELS = np.array([0, 1, 0, 2, 1, 0, 2, 3])
EMBEDDINGS = RANDOM.normal(size=(8, 3))
POSITIVES = RANDOM.normal(size=(8, 3))


def value_and_gradient(loss, *arrays):
    """The loss and its gradients, which must be finite and equal to the numeric ones."""
    with tf.Graph().as_default(), tf.Session() as sess:
        inputs = [tf.constant(a) for a in arrays]
        result = loss(*inputs)
        gradients = sess.run(tf.gradients(result, inputs))
        for i, (array, gradient) in enumerate(zip(arrays, gradients)):
            direction = RANDOM.normal(size=array.shape)
            ends = [
                sess.run(result, {t: a + (k == i) * step * direction for k, (t, a) in enumerate(zip(inputs, arrays))})
                for step in (1e-6, -1e-6)
            ]
            assert np.sum(gradient * direction) == pytest.approx((ends[0] - ends[1]) / 2e-6, rel=1e-4, abs=1e-7)
        return sess.run(result)


def distances():
    return np.sqrt(((EMBEDDINGS[:, None] - EMBEDDINGS) ** 2).sum(-1))


def test_contrastive():
    alike = np.array([1, 0, 1, 0, 0, 1, 0, 1])
    d = np.sqrt(((EMBEDDINGS - POSITIVES) ** 2).sum(1))
    expected = np.mean(np.where(alike, d**2, np.maximum(2 - d, 0) ** 2))
    for labels in (alike, alike.astype(bool)):
        loss = functools.partial(metric_learning.contrastive_loss, labels, margin=2.0)
        found = value_and_gradient(loss, EMBEDDINGS, POSITIVES)
        assert found == pytest.approx(expected)


def test_triplet():
    d, losses = distances() ** 2, []
    for a in range(8):
        for p in range(8):
            if a != p and LABELS[a] == LABELS[p]:
                others = d[a][LABELS != LABELS[a]]
                farther = others[others > d[a, p]]
                losses.append(max(0.5 + d[a, p] - (farther.min() if len(farther) else others.max()), 0))
    assert any(loss == 0 for loss in losses) and any(loss > 0.5 for loss in losses)  # both kinds of negatives
    found = value_and_gradient(lambda e: metric_learning.triplet_semihard_loss(LABELS, e, 0.5), EMBEDDINGS)
    assert found == pytest.approx(np.mean(losses))


def test_npairs():
    logits = EMBEDDINGS @ POSITIVES.T
    targets = (LABELS[:, None] == LABELS).astype(float)
    targets /= targets.sum(1, keepdims=True)
    log_softmax = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    lengths = (EMBEDDINGS**2).sum(1).mean() + (POSITIVES**2).sum(1).mean()
    expected = -(targets * log_softmax).sum(1).mean() + 0.25 * 0.1 * lengths
    found = value_and_gradient(lambda a, p: metric_learning.npairs_loss(LABELS, a, p, 0.1), EMBEDDINGS, POSITIVES)
    assert found == pytest.approx(expected)


def test_npairs_of_several_classes():
    classes = [[0, 1], [2], [0], [1, 2, 3], [3], [0, 3], [1], [2, 3]]
    common = np.array([[len({*a} & {*b}) for b in classes] for a in classes], float)
    targets = common / common.sum(1, keepdims=True)
    logits = EMBEDDINGS @ POSITIVES.T
    log_softmax = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    lengths = (EMBEDDINGS**2).sum(1).mean() + (POSITIVES**2).sum(1).mean()
    expected = -(targets * log_softmax).sum(1).mean() + 0.25 * 0.002 * lengths

    def loss(anchors, positives):
        labels = [tf.SparseTensor([[c] for c in some], some, [4]) for some in classes]
        return metric_learning.npairs_loss_multilabel(labels, anchors, positives, print_losses=True)

    assert value_and_gradient(loss, EMBEDDINGS, POSITIVES) == pytest.approx(expected)


def test_lifted_structure():
    d, losses = distances(), []
    for i in range(8):
        for j in range(i + 1, 8):
            if LABELS[i] == LABELS[j]:
                ends = [np.exp(1.5 - d[k][LABELS != LABELS[k]]).sum() for k in (i, j)]
                losses.append(max(np.log(sum(ends)) + d[i, j], 0) ** 2)
    found = value_and_gradient(lambda e: metric_learning.lifted_struct_loss(LABELS, e, 1.5), EMBEDDINGS)
    assert found == pytest.approx(np.sum(losses) / (2 * len(losses)))


def test_embeddings_that_are_equal():
    for loss in (metric_learning.triplet_semihard_loss, metric_learning.lifted_struct_loss):
        for labels in ([1, 1, 1], [1, 1, 2]):
            with tf.Graph().as_default(), tf.Session() as sess:
                embeddings = tf.ones([3, 2])
                result = loss(labels, embeddings)
                assert np.isfinite(sess.run([result, *tf.gradients(result, [embeddings])])[0])
                assert np.isfinite(sess.run(tf.gradients(result, [embeddings])[0])).all()
