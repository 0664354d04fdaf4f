"""tf.contrib.losses against NumPy: values with weights of all ranks, names, collections, errors."""

import numpy as np
import pytest

import tfcore as tf

losses = tf.contrib.losses
PREDICTIONS = np.array([[4, 8, 12], [8, 1, 3]], np.float32)
LABELS = np.array([[1, 9, 2], [-5, -2, 6]], np.float32)
PROBABILITIES = np.array([[0.9, 0.2, 0.2], [0.8, 0.4, 0.6]], np.float32)
ONE_HOT = np.array([[1, 0, 0], [0, 0, 1]], np.float32)
WEIGHTS = [2.5, 0.0, [1.2, 0.0], [[1.2], [3.4]], [[0.5, 0.0, 2.0], [0.0, 0.0, 1.0]]]


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def run(tensor):
    with tf.Session() as sess:
        return sess.run(tensor)


def mean(elements, weights):
    """The weighted sum over the number of elements with a weight other than 0."""
    weights = np.asarray(weights, float)
    weights = weights.reshape(weights.shape + (1,) * (elements.ndim - weights.ndim))
    weights = np.broadcast_to(weights, elements.shape)
    return (elements * weights).sum() / max(np.count_nonzero(weights), 1)


def xentropy(logits, labels):
    return -(labels * (logits - np.log(np.exp(logits).sum(1, keepdims=True)))).sum(1)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_losses_of_elements(weights):
    p, y = tf.constant(PREDICTIONS), tf.constant(LABELS)
    q, one_hot = tf.constant(PROBABILITIES), tf.constant(ONE_HOT)
    log = -(ONE_HOT * np.log(PROBABILITIES + 1e-7) + (1 - ONE_HOT) * np.log(1 - PROBABILITIES + 1e-7))
    smooth = ONE_HOT * 0.8 + 0.1
    sigmoid = np.log1p(np.exp(PROBABILITIES)) - PROBABILITIES * smooth
    found = run(
        [
            losses.absolute_difference(p, y, weights),
            losses.mean_squared_error(p, y, weights),
            losses.log_loss(q, one_hot, weights),
            losses.sigmoid_cross_entropy(q, one_hot, weights, label_smoothing=0.2),
            losses.compute_weighted_loss(PREDICTIONS, weights),
        ]
    )
    elements = [abs(PREDICTIONS - LABELS), (PREDICTIONS - LABELS) ** 2, log, sigmoid, PREDICTIONS]
    np.testing.assert_allclose(found, [mean(e, weights) for e in elements], rtol=1e-5)


@pytest.mark.parametrize("weights", WEIGHTS[:3])
def test_losses_of_vectors(weights):
    q, one_hot = tf.constant(PROBABILITIES), tf.constant(ONE_HOT)
    found = run(
        [
            losses.softmax_cross_entropy(q, one_hot, weights),
            losses.softmax_cross_entropy(q, one_hot, weights, label_smoothing=0.3),
            losses.sparse_softmax_cross_entropy(q, tf.constant([[0], [2]]), weights),
            losses.cosine_distance(q, one_hot, 1, weights),
            losses.cosine_distance(q, one_hot, weights=weights, dim=1),
        ]
    )
    sharp, smooth = xentropy(PROBABILITIES, ONE_HOT), xentropy(PROBABILITIES, ONE_HOT * 0.7 + 0.1)
    distance = 1 - (PROBABILITIES * ONE_HOT).sum(1)
    wanted = [mean(e, weights) for e in (sharp, smooth, sharp, distance, distance)]
    np.testing.assert_allclose(found, wanted, rtol=1e-5)


@pytest.mark.parametrize("weights", WEIGHTS[:3])
def test_mean_pairwise_squared_error(weights):
    found = run(losses.mean_pairwise_squared_error(tf.constant(PREDICTIONS), tf.constant(LABELS), weights))
    diffs = (PREDICTIONS - LABELS).astype(float)
    by_example = ((diffs[:, :, None] - diffs[:, None, :]) ** 2).mean((1, 2))
    np.testing.assert_allclose(found, (by_example * weights).sum(), rtol=1e-5)


def test_hinge_loss_is_of_elements_and_in_no_collection():
    logits, labels = np.array([[2.0, -0.5], [0.5, -3.0]], np.float32), np.array([[1, 1], [0, 0]])
    found = losses.hinge_loss(tf.constant(logits), tf.constant(labels))
    assert run(found).tolist() == [[0, 1.5], [1.5, 0]] and not losses.get_losses()


def test_names_and_collections():
    p, y = tf.constant(PREDICTIONS), tf.constant(LABELS)
    first = losses.absolute_difference(p, y)
    with tf.name_scope("other"):
        second = losses.mean_squared_error(p, y, scope="mine")
    assert first.op.name == "absolute_difference/value" and second.op.name == "other/mine/value"
    assert losses.get_losses() == [first, second] and losses.get_losses("other") == [second]
    losses.add_loss(tf.constant(1.0), None)
    with tf.contrib.framework.arg_scope([losses.add_loss], loss_collection="kept"):
        losses.add_loss(y)
    assert tf.get_collection("kept") == [y] and len(losses.get_losses()) == 2
    tf.add_to_collection(tf.GraphKeys.REGULARIZATION_LOSSES, tf.constant(10.0))
    a, b, total, own = run([first, second, losses.get_total_loss(), losses.get_total_loss(False, name="own")])
    np.testing.assert_allclose([total, own], [a + b + 10, a + b])
    assert len(losses.get_regularization_losses()) == 1


def test_the_type_of_the_result_is_that_of_the_losses():
    loss = losses.compute_weighted_loss(tf.constant([1, 4], tf.float64))
    assert loss.dtype == tf.float64 and run(loss) == 2.5


def test_errors():
    p, unknown = tf.constant(PREDICTIONS), tf.placeholder(tf.float32)
    with pytest.raises(ValueError, match=r"losses.get_shape\(\).ndims cannot be None"):
        losses.compute_weighted_loss(unknown)
    with pytest.raises(ValueError, match=r"weights.get_shape\(\).ndims cannot be None"):
        losses.compute_weighted_loss(p, unknown)
    with pytest.raises(ValueError, match=r"diffs.get_shape\(\).ndims cannot be None"):
        losses.mean_pairwise_squared_error(unknown, unknown)
    with pytest.raises(ValueError, match="Cannot specify both"):
        losses.cosine_distance(p, p, axis=1, dim=1)
    with pytest.raises(ValueError, match="cannot both be None"):
        losses.cosine_distance(p, p)
    for loss in (losses.absolute_difference, losses.hinge_loss, losses.softmax_cross_entropy):
        with pytest.raises(ValueError):
            loss(p, tf.constant([1.0, 2.0]))
