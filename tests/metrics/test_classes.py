"""Metrics of several classes, and of the k best predictions, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.metrics.streams import joined, run_metric


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def draw_classes(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**31 - 1)))
    shape = data.draw(st.sampled_from([(6,), (2, 3)]))
    weighted = data.draw(st.booleans())
    return [
        (*rng.integers(0, 4, (2, *shape)), rng.uniform(0, 2, shape).astype("f") if weighted else None) for _ in range(2)
    ]


@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_mean_iou(data):
    batches = draw_classes(data)
    updates, values = run_metric(lambda y, x, w: tf.metrics.mean_iou(y, x, 5, w), batches)
    y, x, w = joined(batches)
    table = np.zeros((5, 5))
    np.add.at(table, (y, x), w)
    np.testing.assert_allclose(updates[1], table, rtol=1e-6)
    union = table.sum(0) + table.sum(1) - np.diag(table)
    expected = (np.diag(table)[union > 0] / union[union > 0]).mean() if union.any() else 0.0
    np.testing.assert_allclose(values[1], expected, rtol=1e-5)


@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_mean_per_class_accuracy(data):
    batches = draw_classes(data)
    updates, values = run_metric(lambda y, x, w: tf.metrics.mean_per_class_accuracy(y, x, 4, w), batches)
    y, x, w = joined(batches)
    expected = [(w * (y == c) * (x == c)).sum() / max((w * (y == c)).sum(), 1e-30) for c in range(4)]
    np.testing.assert_allclose(updates[1], expected, rtol=1e-5)
    np.testing.assert_allclose(values[1], np.mean(expected), rtol=1e-5)


def test_classes_out_of_range():
    with tf.Session() as sess:
        y, x = tf.placeholder(tf.int64, [2]), tf.constant([0, 1])
        _, update = tf.metrics.mean_iou(y, x, 2)
        sess.run(tf.local_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="`labels` out of bound"):
            sess.run(update, {y: [0, 2]})


# ---- At k


def draw_rankings(data):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**31 - 1)))
    weights = data.draw(st.sampled_from([None, "scalar", "rows"]))
    batches = []
    for _ in range(2):
        w = {"scalar": np.float32(0.5), "rows": rng.integers(0, 3, 3).astype("f")}.get(weights)
        batches.append((rng.integers(0, 5, (3, 2)), rng.permutation(15).reshape(3, 5).astype("f"), w))
    return batches


def sets_of(batches, k):
    """(labels, predictions in order, weight) of each row."""
    for labels, scores, weights in batches:
        for i, (y, x) in enumerate(zip(labels, scores)):
            weight = 1.0 if weights is None else np.broadcast_to(weights, len(labels))[i]
            yield {int(c) for c in y}, np.argsort(-x)[:k].tolist(), weight


def sparse(metric):
    """The metric with the labels as a SparseTensor."""

    def of_sparse(labels, *rest):
        places = np.argwhere(np.ones(labels.shape.as_list()))
        return metric(tf.SparseTensor(places, tf.reshape(labels, [-1]), labels.shape.as_list()), *rest)

    return of_sparse


@pytest.mark.parametrize("name", ["precision_at_k", "recall_at_k"])
@settings(max_examples=10, deadline=None)
@given(data=st.data(), k=st.integers(1, 5), class_id=st.sampled_from([None, 1]), is_sparse=st.booleans())
def test_precision_and_recall_at_k(name, data, k, class_id, is_sparse):
    batches = draw_rankings(data)

    def metric(y, x, w):
        return getattr(tf.metrics, name)(y, x, k, class_id=class_id, weights=w)

    updates, values = run_metric(
        sparse(metric) if is_sparse else metric, batches, is_sparse or data.draw(st.booleans())
    )
    found = total = 0.0
    for labels, best, weight in sets_of(batches, k):
        labels, best = (({class_id} & set(s)) if class_id is not None else set(s) for s in (labels, best))
        found += weight * len(labels & best)
        total += weight * len(best if name == "precision_at_k" else labels)
    expected = found / total if total else np.nan
    np.testing.assert_allclose([updates[1], values[1]], expected, rtol=1e-6)


@settings(max_examples=10, deadline=None)
@given(data=st.data(), k=st.integers(1, 5), is_sparse=st.booleans())
def test_average_precision_at_k(data, k, is_sparse):
    batches = draw_rankings(data)

    def metric(y, x, w):
        return tf.metrics.average_precision_at_k(y, x, k, weights=w)

    updates, values = run_metric(sparse(metric) if is_sparse else metric, batches)
    total = most = 0.0
    rows = [labels for batch in batches for labels in batch[0]]
    for row, (labels, best, weight) in zip(rows, sets_of(batches, k)):
        right = np.array([c in labels for c in best])
        precisions = np.cumsum(right) / np.arange(1, k + 1)
        relevant = min(len(labels) if is_sparse else len(row), k)  # a dense row counts repeated labels
        total += weight * (precisions * right).sum() / relevant
        most += weight
    np.testing.assert_allclose([updates[1], values[1]], total / most if most else 0.0, rtol=1e-6)


def test_one_label_and_given_predictions():
    labels, best = np.array([0, 3]), np.array([[0, 1], [2, 1]])
    for known in (True, False):
        updates, _ = run_metric(tf.metrics.precision_at_top_k, [(labels, best)], known)
        assert updates == [0.25]
        updates, _ = run_metric(tf.metrics.recall_at_top_k, [(labels, best)], known)
        assert updates == [0.5]
    with tf.Session() as sess:
        one = tf.SparseTensor([[0], [1]], tf.constant([0, 3], tf.int64), [2])
        _, update = tf.metrics.recall_at_top_k(one, best)
        sess.run(tf.local_variables_initializer())
        assert sess.run(update) == 0.5


def test_labels_beyond_the_classes_do_not_count():
    labels, scores = np.array([[0, 7]]), np.float32([[0.9, 0.1]])
    updates, _ = run_metric(lambda y, x: tf.metrics.average_precision_at_k(y, x, 2), [(labels, scores)])
    assert updates == [1.0]


def test_names_at_k():
    labels, scores = tf.constant([[0]], tf.int64), tf.constant([[0.5, 0.1]])
    value, update = tf.metrics.recall_at_k(labels, scores, 1, class_id=0, metrics_collections=["m"])
    tf.metrics.average_precision_at_k(labels, scores, 2)
    assert value.name == "recall_at_1_class0:0" and update.name == "recall_at_1_class0/update:0"
    assert tf.get_collection("m") == [value]
    assert [v.name for v in tf.local_variables()] == [
        "recall_at_1_class0/true_positive_at_1_class0:0", "recall_at_1_class0/false_negative_at_1_class0:0",
        "average_precision_at_2/max_1:0", "average_precision_at_2/total:0",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "build, error, text",
    [
        (lambda y, x: tf.metrics.average_precision_at_k(y, x, 0), ValueError, "Invalid k=0."),
        (lambda y, x: tf.metrics.precision_at_k(tf.cast(y, tf.int32), x, 1), TypeError, "Types don't match"),
        (lambda y, x: tf.metrics.recall_at_k(y, x, 3), ValueError, "input must have last dimension >= k = 3"),
        (lambda y, x: tf.metrics.recall_at_k(y, x[0], 1), ValueError, "Unexpected labels shape"),
    ],
)
def test_refused(build, error, text):
    with pytest.raises(error, match=text):
        build(tf.constant([[0]], tf.int64), tf.constant([[0.5, 0.1]]))
