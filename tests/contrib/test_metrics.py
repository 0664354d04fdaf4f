"""tf.contrib.metrics against NumPy, and its older names against tf.metrics."""

import inspect
import math

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


M = tf.contrib.metrics


def draw_scores(data, weighted=True):
    """Batches of labels (bool), scores in [0, 1] with ties, and weights."""
    rng = np.random.default_rng(data.draw(st.integers(0, 2**31 - 1)))
    size = data.draw(st.integers(2, 8))
    weighted = weighted and data.draw(st.booleans())
    return [
        (
            rng.integers(0, 2, size).astype(bool),
            rng.integers(0, 11, size).astype("f") / 10,
            rng.uniform(0.5, 2, size).astype("f") if weighted else None,
        )
        for _ in range(2)
    ]


def counts(batches, n):
    """tp, fp, tn, fn at n even thresholds."""
    y, x, w = joined(batches)
    thresholds = np.float32([-1e-7, *(i / (n - 1) for i in range(1, n - 1)), 1 + 1e-7])
    x = x > thresholds[:, None]
    return [(w * (y == label) * (x == found)).sum(-1) for label, found in ((1, 1), (0, 1), (0, 0), (1, 0))]


# ---- Older names

TWINS = {
    "streaming_accuracy": "accuracy",
    "streaming_precision": "precision",
    "streaming_recall": "recall",
    "streaming_mean_squared_error": "mean_squared_error",
    "streaming_false_negatives": "false_negatives",
}


@pytest.mark.parametrize("older", TWINS)
def test_older_names_take_predictions_first(older):
    old, new = getattr(M, older), getattr(tf.metrics, TWINS[older])
    assert list(inspect.signature(old).parameters)[:2] == ["predictions", "labels"]
    batch = np.float32([1, 0, 1, 1]), np.float32([1, 1, 0, 1])
    found, _ = run_metric(lambda y, x: old(x, y, weights=0.5), [batch])
    expected, _ = run_metric(lambda y, x: new(y, x, weights=0.5), [batch])
    assert found == expected
    with pytest.raises(TypeError):
        old(tf.constant([1.0]))


def test_other_older_names():
    updates, _ = run_metric(M.streaming_mean, [(np.float32([1, 3]),)])
    assert updates == [2.0]
    updates, _ = run_metric(lambda x: M.streaming_percentage_less(x, 2.0), [(np.float32([1, 3]),)])
    assert updates == [0.5]
    labels, scores = np.array([1, 0]), np.float32([[0.3, 0.5, 0.4], [0.2, 0.9, 0.3]])
    updates, _ = run_metric(lambda y, x: M.streaming_recall_at_k(x, y, 2), [(labels, scores)])
    assert updates == [0.5]
    best = np.array([[1, 2], [1, 2]])
    assert run_metric(lambda y, x: M.streaming_sparse_precision_at_top_k(x, y), [(labels, best)])[0] == [0.25]
    assert run_metric(lambda y, x: M.sparse_recall_at_top_k(y, x), [(labels, best)])[0] == [0.5]
    assert run_metric(lambda y, x: M.streaming_sparse_average_precision_at_top_k(x, y), [(labels, best)])[0] == [0.5]
    scores = np.float32([0.9, 0.2])
    assert run_metric(lambda y, x: M.streaming_auc(x, y), [(labels, scores)])[0] == pytest.approx([1.0], abs=1e-5)
    assert M.set_union is tf.sets.union and M.confusion_matrix is tf.confusion_matrix


# ---- Counts


def test_accuracy_of_one_batch():
    y, x = tf.constant([1, 2, 3]), tf.constant([1, 0, 3])
    with tf.Session() as sess:
        assert sess.run(M.accuracy(x, y)) == pytest.approx(2 / 3)
        assert sess.run(M.accuracy(x, y, weights=[1.0, 2.0, 1.0])) == 0.5
    with pytest.raises(ValueError, match="Labels should have bool, integer, or string dtype, not tf.float32"):
        M.accuracy(x, tf.constant([1.0]))
    with pytest.raises(ValueError, match="Dtypes of predictions and labels should match"):
        M.accuracy(tf.constant(["a"]), y)


def test_count():
    updates, values = run_metric(lambda x, w: M.count(x, w), [(np.zeros((2, 3)), np.float32([[1], [2]]))] * 2)
    assert updates == values == [9.0, 18.0]
    assert run_metric(lambda x: M.count(x), [(np.zeros((2, 3)),)] * 2)[0] == [6.0, 12.0]


def test_groups_of_metrics():
    pairs = {"a": tf.metrics.mean([1.0, 3.0]), "b": tf.metrics.mean([5.0])}
    values, updates = M.aggregate_metrics(*pairs.values())
    named_values, named_updates = M.aggregate_metric_map(pairs)
    assert values == list(named_values.values()) and updates == list(named_updates.values())
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        assert sess.run(named_updates) == {"a": 2.0, "b": 5.0}
        assert sess.run(values) == [2.0, 5.0]
    with pytest.raises(ValueError, match="Expected at least one value_tensor/update_op pair"):
        M.aggregate_metrics()


@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 2**31 - 1), weighted=st.booleans(), column=st.booleans())
def test_cohen_kappa(seed, weighted, column):
    rng = np.random.default_rng(seed)
    batches = [(*rng.integers(0, 3, (2, 6)), rng.uniform(0, 2, 6).astype("f") if weighted else None) for _ in range(2)]
    fed = [(y[:, None], x[:, None], w) if column else (y, x, w) for y, x, w in batches]
    updates, values = run_metric(lambda y, x, w: M.cohen_kappa(y, x, 3, w), fed)
    y, x, w = joined(batches)
    table = np.zeros((3, 3))
    np.add.at(table, (y, x), w)
    table /= table.sum()
    agreed, by_chance = np.trace(table), (table.sum(0) * table.sum(1)).sum()
    expected = (agreed - by_chance) / (1 - by_chance)
    np.testing.assert_allclose([updates[1], values[1]], expected, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="`num_classes` must be >= 2"):
        M.cohen_kappa(y, x, 1)


# ---- Rates


@pytest.mark.parametrize("kind", ["false_positive", "false_negative"])
@settings(max_examples=5, deadline=None)
@given(data=st.data())
def test_rates(kind, data):
    batches = draw_scores(data)
    tp, fp, tn, fn = counts(batches, 4)
    part, rest = (fp, tn) if kind == "false_positive" else (fn, tp)
    thresholds = [-1e-7, 1 / 3, 2 / 3, 1 + 1e-7]
    metric = getattr(M, f"streaming_{kind}_rate_at_thresholds")
    updates, values = run_metric(lambda y, x, w: metric(x, y, thresholds, w), batches)
    expected = part / (part + rest + 1e-7)
    np.testing.assert_allclose([updates[1], values[1]], [expected] * 2, rtol=1e-4, atol=1e-6)
    rounded = [(y, x > 2 / 3, w) for y, x, w in batches]
    updates, _ = run_metric(lambda y, x, w: getattr(M, f"streaming_{kind}_rate")(x, y, w), rounded)
    np.testing.assert_allclose(updates[1], expected[2], rtol=1e-4, atol=1e-6)
    metric = getattr(M, f"streaming_{kind}s_at_thresholds")
    updates, _ = run_metric(lambda y, x, w: metric(x, y, thresholds, w), batches)
    np.testing.assert_allclose(updates[1], part, rtol=1e-5, atol=1e-6)


@settings(max_examples=8, deadline=None)
@given(data=st.data(), wanted=st.sampled_from([0.0, 0.4, 0.7, 1.0]))
def test_scores_over_thresholds(data, wanted):
    batches = draw_scores(data)
    tp, fp, tn, fn = (c.astype("f") for c in counts(batches, 7))
    tiny = np.float32(1e-7)
    precision, recall = tp / (tp + fp + tiny), tp / (tp + fn + tiny)

    def last(metric):
        return run_metric(metric, batches)[0][-1]

    found = last(lambda y, x, w: M.f1_score(y, x, w, num_thresholds=7))
    np.testing.assert_allclose(found, (2 * precision * recall / (precision + recall + tiny)).max(), rtol=1e-4)
    best = np.argmin(np.abs(precision - np.float32(wanted)))
    found = last(lambda y, x, w: M.recall_at_precision(y, x, wanted, w, num_thresholds=7))
    np.testing.assert_allclose(found, recall[best], rtol=1e-4, atol=1e-5)
    admissible = (recall >= np.float32(wanted)).sum() - 1
    found = last(lambda y, x, w: M.precision_at_recall(y, x, wanted, w, num_thresholds=7))
    np.testing.assert_allclose(found, (tp + tiny)[admissible] / (tp + fp + tiny)[admissible], rtol=1e-4)


def test_strict_recall_at_precision():
    batch = np.array([1, 0, 1, 0], bool), np.float32([0.9, 0.8, 0.3, 0.1])
    for wanted, expected in ((0.9, 0.5), (0.6, 1.0)):
        found, _ = run_metric(lambda y, x: M.recall_at_precision(y, x, wanted, strict_mode=True), [batch])  # noqa: B023
        assert found == pytest.approx([expected], abs=1e-5)
    wrong = np.array([0, 0], bool), np.float32([0.9, 0.8])
    assert run_metric(lambda y, x: M.recall_at_precision(y, x, 0.9, strict_mode=True), [wrong])[0] == [0.0]


@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_equal_thresholds(data):
    batches = draw_scores(data)
    names = M.precision_recall_at_equal_thresholds(tf.constant([True]), tf.constant([0.5]))[0]._fields
    assert names == ("tp", "fp", "tn", "fn", "precision", "recall", "thresholds")
    _, values = run_metric(lambda y, x, w: M.precision_recall_at_equal_thresholds(y, x, w, num_thresholds=4), batches)
    y, x, w = joined(batches)
    at_least = np.floor(x * 3) >= np.arange(4)[:, None]
    tp, fp = (w * y * at_least).sum(1), (w * ~y * at_least).sum(1)
    found = values[1]
    np.testing.assert_allclose([found.tp, found.fp], [tp, fp], rtol=1e-5)
    np.testing.assert_allclose(found.precision, tp / np.maximum(tp + fp, 1e-7), rtol=1e-5)
    np.testing.assert_allclose(found.recall, tp / np.maximum(tp[0], 1e-7), rtol=1e-5)
    np.testing.assert_allclose(found.thresholds, np.linspace(0, 1, 4), rtol=1e-6)


# ---- Streams that are kept


@settings(max_examples=8, deadline=None)
@given(sizes=st.lists(st.integers(0, 6), min_size=1, max_size=5), axis=st.sampled_from([0, 1, -1]),
       most=st.sampled_from([None, 0, 7]))  # fmt: skip
def test_streaming_concat(sizes, axis, most):
    rng = np.random.default_rng(len(sizes))
    batches = [rng.integers(0, 9, (n, 2) if axis == 0 else (2, n)) for n in sizes]
    with tf.Graph().as_default(), tf.Session() as sess:
        x = tf.placeholder(tf.int64, [None, 2] if axis == 0 else [2, None])
        value, update = M.streaming_concat(x, axis, most)
        assert value.shape.as_list() == x.shape.as_list()
        sess.run(tf.local_variables_initializer())
        for n in range(len(sizes)):
            size = sess.run(update, {x: batches[n]})
            expected = np.concatenate(batches[: n + 1], axis)
            expected = expected if most is None else np.take(expected, np.arange(min(most, sum(sizes[: n + 1]))), axis)
            assert size == expected.shape[axis]
            assert sess.run(value).tolist() == expected.tolist()


@pytest.mark.parametrize(
    "shape, axis, text",
    [
        (None, 0, "`values` must have known statically known rank"),
        ([2], 1, r"axis = 1 not in \[0, 1\)"),
        ([2, None], 0, "all dimensions of `values` other than the dimension to concatenate along must have statically"),
    ],
)
def test_streaming_concat_refuses(shape, axis, text):
    with pytest.raises(ValueError, match=text):
        M.streaming_concat(tf.placeholder(tf.float32, shape), axis)


def exact_area(y, x, w):
    """The weight of the pairs of a positive and a negative that are in the right order, ties half."""
    pairs = [
        (w[i] * w[j], (x[i] > x[j]) + (x[i] == x[j]) / 2)
        for i in np.flatnonzero(y) for j in np.flatnonzero(~y)
    ]  # fmt: skip
    return sum(weight * right for weight, right in pairs) / sum(weight for weight, _ in pairs) if pairs else 0.0


@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_dynamic_auc(data):
    batches = draw_scores(data)
    _, values = run_metric(lambda y, x, w: M.streaming_dynamic_auc(y, x, weights=w), batches)
    for n in (1, 2):
        np.testing.assert_allclose(values[n - 1], exact_area(*joined(batches[:n])), rtol=1e-6)


def test_dynamic_auc_of_precision_and_recall():
    batch = np.array([1, 0, 1]), np.float32([0.9, 0.5, 0.5])
    _, values = run_metric(lambda y, x: M.streaming_dynamic_auc(y, x, curve="PR"), [batch])
    np.testing.assert_allclose(values, [0.5 * 1 + 0.5 * (1 + 2 / 3) / 2])
    with pytest.raises(ValueError, match="curve must be either ROC or PR, R unknown"):
        M.streaming_dynamic_auc(tf.constant([1]), tf.constant([0.5]), curve="R")
    with tf.Session() as sess:
        y = tf.placeholder(tf.int64, [1])
        _, update = M.streaming_dynamic_auc(y, tf.constant([0.5]))
        sess.run(tf.local_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="labels must be 0 or 1, at least one is >1"):
            sess.run(update, {y: [2]})


@settings(max_examples=6, deadline=None)
@given(data=st.data(), logit=st.booleans())
def test_confidence_intervals(data, logit):
    batches = [(y.copy(), x, None) for y, x, _ in draw_scores(data, weighted=False)]
    for y, _, _ in batches:
        y[:2] = [True, False]  # both kinds in each batch, or the result is 0
    _, values = run_metric(
        lambda y, x, w: M.auc_with_confidence_intervals(y, x, w, alpha=0.9, logit_transformation=logit), batches
    )
    y, x, w = joined(batches)
    area = exact_area(y, x, w)
    np.testing.assert_allclose(values[1].auc, area, rtol=1e-4, atol=1e-5)
    if 0 < values[1].auc < 1:
        below = [np.mean((x[~y] < v) + (x[~y] == v) / 2) for v in x[y]]
        above = [np.mean((x[y] > v) + (x[y] == v) / 2) for v in x[~y]]
        m, n = y.sum(), (~y).sum()
        error = math.sqrt(sum((np.array(below) - area) ** 2) / max(m - 1, 1e-7) / m
                          + sum((np.array(above) - area) ** 2) / max(n - 1, 1e-7) / n)  # fmt: skip
        z = -1.6448536  # the quantile of 0.05
        bounds = area + z * error, area - z * error
        if logit:
            center, error = math.log(area / (1 - area)), error / (area * (1 - area))
            bounds = tuple(1 / (1 + math.exp(-v)) for v in (center + z * error, center - z * error))
        np.testing.assert_allclose([values[1].lower, values[1].upper], bounds, rtol=1e-2, atol=1e-3)


def test_confidence_intervals_without_both_labels():
    batch = np.array([1, 1]), np.float32([0.5, 0.6])
    _, values = run_metric(M.auc_with_confidence_intervals, [batch])
    assert values == [(0.0, 0.0, 0.0)]
    with pytest.raises(ValueError, match="alpha must be between 0 and 1; currently 1.00"):
        M.auc_with_confidence_intervals(tf.constant([1]), tf.constant([0.5]), alpha=1.0)


def test_curve_points():
    batch = np.array([1, 0, 1, 0], bool), np.float32([0.9, 0.8, 0.3, 0.1])
    tp, fp, tn, fn = counts([(*batch, None)], 5)
    _, values = run_metric(lambda y, x: M.streaming_curve_points(y, x, num_thresholds=5), [batch])
    np.testing.assert_allclose(values[0], np.stack([fp / (fp + tn), tp / (tp + fn)], 1), atol=1e-5)
    _, values = run_metric(lambda y, x: M.streaming_curve_points(y, x, num_thresholds=5, curve="PR"), [batch])
    precision = np.divide(tp, tp + fp, out=np.ones(5), where=tp + fp > 0)
    np.testing.assert_allclose(values[0], np.stack([tp / (tp + fn), precision], 1), atol=1e-5)


def test_area_of_histograms():
    with tf.Session() as sess:
        y, x = tf.placeholder(tf.bool, [None]), tf.placeholder(tf.float32, [None])
        value, update = M.auc_using_histogram(y, x, [0.0, 1.0], nbins=10, name="area")
        assert [v.name for v in tf.local_variables()] == [
            f"area/hist_accumulate/hist_{kind}_acc:0" for kind in ("true", "false")
        ]
        sess.run(tf.local_variables_initializer())
        labels, scores = np.array([1, 0, 1, 0, 1], bool), np.float32([0.95, 0.85, 0.85, 0.15, 0.05])
        for part in (slice(0, 3), slice(3, 5)):
            sess.run(update, {y: labels[part], x: scores[part]})
        np.testing.assert_allclose(sess.run(value), exact_area(labels, scores, np.ones(5)), rtol=1e-6)
    with pytest.raises(ValueError, match="Argument boolean_labels should have dtype bool."):
        M.auc_using_histogram(tf.constant([1]), tf.constant([0.5]), [0.0, 1.0])


# ---- Correlation


@settings(max_examples=8, deadline=None)
@given(seed=st.integers(0, 2**31 - 1), weighted=st.booleans())
def test_covariance_and_correlation(seed, weighted):
    rng = np.random.default_rng(seed)
    batches = [
        (*(rng.normal(size=(2, 5)) + 3).astype("f"), rng.integers(1, 4, 5).astype("f") if weighted else None)
        for _ in range(2)
    ]
    y, x, w = joined(batches)
    expected = np.cov(x, y, fweights=w.astype(int))
    updates, values = run_metric(lambda y, x, w: M.streaming_covariance(x, y, w), batches)
    np.testing.assert_allclose([updates[1], values[1]], expected[0, 1], rtol=1e-3, atol=1e-4)
    updates, values = run_metric(lambda y, x, w: M.streaming_pearson_correlation(x, y, w), batches)
    correlation = expected[0, 1] / np.sqrt(expected[0, 0] * expected[1, 1])
    np.testing.assert_allclose([updates[1], values[1]], correlation, rtol=1e-3, atol=1e-4)


def test_covariance_of_one_element_is_not_defined():
    updates, values = run_metric(M.streaming_covariance, [(np.float32([1.0]), np.float32([2.0]))])
    assert np.isnan(updates + values).all()
