"""Counts of true and false predictions, at thresholds too, and what follows from them, against NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf
from tests.metrics.streams import joined, run_metric, weights_for


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


THRESHOLDS = [0.0, 0.25, 0.5, 0.9]


def draw_batches(data, real):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**31 - 1)))
    shape = (data.draw(st.integers(1, 5)), 3)
    kind = data.draw(st.sampled_from([None, "scalar", "full", "zero"]))
    batches = []
    for _ in range(2):
        labels = rng.integers(0, 2, shape).astype(bool)
        predictions = rng.integers(0, 21, shape).astype("f") / 20 if real else rng.integers(0, 2, shape)
        batches.append((labels, predictions, weights_for(rng, shape, kind)))
    return batches


def counts(batches, thresholds=None):
    """tp, fp, tn, fn: numbers, or one for each threshold."""
    y, x, w = joined(batches)
    x = x.astype(bool) if thresholds is None else x > np.float32(thresholds)[:, None]
    return [(w * (y == label) * (x == found)).sum(-1) for label, found in ((1, 1), (0, 1), (0, 0), (1, 0))]


def ratio(a, b):
    return np.divide(a, b, out=np.zeros(np.shape(a)), where=np.asarray(b) > 0)


FROM_COUNTS = {
    "true_positives": lambda tp, fp, tn, fn: tp,
    "false_positives": lambda tp, fp, tn, fn: fp,
    "true_negatives": lambda tp, fp, tn, fn: tn,
    "false_negatives": lambda tp, fp, tn, fn: fn,
    "precision": lambda tp, fp, tn, fn: ratio(tp, tp + fp),
    "recall": lambda tp, fp, tn, fn: ratio(tp, tp + fn),
}


@pytest.mark.parametrize("name", FROM_COUNTS)
@settings(max_examples=5, deadline=None)
@given(data=st.data(), known=st.booleans())
def test_counts(name, data, known):
    batches = draw_batches(data, real=False)
    updates, values = run_metric(getattr(tf.metrics, name), batches, known)
    for n in (1, 2):
        expected = FROM_COUNTS[name](*counts(batches[:n]))
        np.testing.assert_allclose([updates[n - 1], values[n - 1]], expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("name", FROM_COUNTS)
@settings(max_examples=4, deadline=None)
@given(data=st.data(), known=st.booleans())
def test_at_thresholds(name, data, known):
    metric, batches = getattr(tf.metrics, f"{name}_at_thresholds"), draw_batches(data, real=True)
    updates, values = run_metric(lambda y, x, w: metric(y, x, THRESHOLDS, w), batches, known)
    expected = FROM_COUNTS[name](*counts(batches, THRESHOLDS))
    np.testing.assert_allclose([updates[1], values[1]], [expected] * 2, rtol=1e-4, atol=1e-5)


def even(n):
    return [-1e-7, *(i / (n - 1) for i in range(1, n - 1)), 1 + 1e-7]


@settings(max_examples=6, deadline=None)
@given(
    data=st.data(),
    curve=st.sampled_from(["ROC", "PR"]),
    method=st.sampled_from(["trapezoidal", "minoring", "majoring"]),
)
@pytest.mark.filterwarnings("ignore:Trapezoidal rule")
def test_area_under_curve(data, curve, method):
    batches = draw_batches(data, real=True)
    auc = tf.metrics.auc
    updates, values = run_metric(
        lambda y, x, w: auc(y, x, w, num_thresholds=7, curve=curve, summation_method=method), batches
    )
    tp, fp, tn, fn = counts(batches, even(7))
    recall = (tp + 1e-6) / (tp + fn + 1e-6)
    x, y = (fp / (fp + tn + 1e-6), recall) if curve == "ROC" else (recall, (tp + 1e-6) / (tp + fp + 1e-6))
    pairs = np.stack([y[:-1], y[1:]])
    heights = {"trapezoidal": pairs.mean(0), "minoring": pairs.min(0), "majoring": pairs.max(0)}[method]
    expected = ((x[:-1] - x[1:]) * heights).sum()
    np.testing.assert_allclose([updates[1], values[1]], expected, rtol=1e-3, atol=1e-4)


def test_careful_interpolation():
    """Between two thresholds the precision is tp / (tp + fp) with fp a linear function of tp: numeric integrals."""
    labels, predictions = np.array([1, 0, 1, 1, 0, 0, 1], bool), np.float32([0.9, 0.8, 0.7, 0.4, 0.35, 0.3, 0.1])
    tp, fp, _, fn = counts([(labels, predictions, None)], even(5))
    expected = 0
    for i in range(4):
        t = np.linspace(tp[i + 1], tp[i], 10001)
        f = fp[i + 1] + (t - tp[i + 1]) * (fp[i] - fp[i + 1]) / max(tp[i] - tp[i + 1], 1e-9)
        precision = np.divide(t, t + f, out=np.ones_like(t), where=t + f > 0)
        expected += np.sum((precision[1:] + precision[:-1]) / 2 * np.diff(t)) / (tp[i] + fn[i])
    updates, _ = run_metric(
        lambda y, x: tf.metrics.auc(y, x, num_thresholds=5, curve="PR", summation_method="careful_interpolation"),
        [(labels, predictions)],
    )
    np.testing.assert_allclose(updates[0], expected, rtol=1e-4)


def test_own_thresholds_and_warning():
    labels, predictions = np.array([0, 1, 1, 0], bool), np.float32([0.1, 0.6, 0.4, 0.5])
    updates, _ = run_metric(lambda y, x: tf.metrics.auc(y, x, thresholds=[0.45, 0.3]), [(labels, predictions)])
    np.testing.assert_allclose(updates[0], 0.5 * 1 + 0.5 * 0.25, atol=1e-4)  # through (0.5, 1) and (0.5, 0.5)
    with pytest.warns(UserWarning, match="Trapezoidal rule is known to produce incorrect PR-AUCs"):
        tf.metrics.auc(tf.constant([True]), tf.constant([0.5]), curve="PR")


@settings(max_examples=6, deadline=None)
@given(data=st.data(), wanted=st.sampled_from([0.0, 0.3, 0.8, 1.0]))
def test_sensitivity_and_specificity(data, wanted):
    batches = draw_batches(data, real=True)
    tp, fp, tn, fn = (c.astype("f") for c in counts(batches, even(9)))
    best = np.argmin(np.abs(tn / (tn + fp + np.float32(1e-7)) - np.float32(wanted)))
    updates, _ = run_metric(
        lambda y, x, w: tf.metrics.sensitivity_at_specificity(y, x, wanted, w, num_thresholds=9), batches
    )
    np.testing.assert_allclose(updates[1], tp[best] / (tp[best] + fn[best] + 1e-7), rtol=1e-3, atol=1e-4)
    tp, fp, tn, fn = (c.astype("f") for c in counts(batches, [*even(9)[:-1], 1 - 1e-7]))
    distances = np.abs(tp / (tp + fn + np.float32(1e-7)) - np.float32(wanted))
    best = np.flatnonzero(distances == distances.min())[-1]
    updates, _ = run_metric(
        lambda y, x, w: tf.metrics.specificity_at_sensitivity(y, x, wanted, w, num_thresholds=9), batches
    )
    np.testing.assert_allclose(updates[1], tn[best] / (tn[best] + fp[best] + 1e-7), rtol=1e-3, atol=1e-4)


@pytest.mark.parametrize(
    "build, text",
    [
        (lambda y, x: tf.metrics.auc(y, x, curve="R"), "Curve must be either ROC or PR. Curve R is unknown."),
        (lambda y, x: tf.metrics.auc(y, x, summation_method="mean"), "Invalid summation_method: mean"),
        (
            lambda y, x: tf.metrics.sensitivity_at_specificity(y, x, 1.5),
            r"`specificity` must be in the range \[0, 1\].",
        ),
        (lambda y, x: tf.metrics.specificity_at_sensitivity(y, x, -1), r"`sensitivity` must be in the range \[0, 1\]."),
        (lambda y, x: tf.metrics.precision(y, x[:1]), "Shapes .* are incompatible"),
    ],
)
def test_refused_when_built(build, text):
    with pytest.raises(ValueError, match=text):
        build(tf.constant([True, False]), tf.constant([0.5, 0.1]))


def test_refused_at_run_time():
    x = tf.placeholder(tf.float32, [2])
    _, update = tf.metrics.auc(tf.constant([1, 0]), x)
    _, counted = tf.metrics.true_positives([1, 0], [1, 0], weights=tf.placeholder_with_default([[1.0]], None))
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"predictions must be in \[0, 1\]"):
            sess.run(update, {x: [0.5, 1.5]})
        assert sess.run(counted) == 1.0  # the weight's last dimension is removed


def test_names():
    y, x = tf.constant([True]), tf.constant([0.5])
    tf.metrics.precision(y, x)
    tf.metrics.auc(y, x)
    assert [v.name for v in tf.local_variables()] == [
        "precision/true_positives/count:0", "precision/false_positives/count:0", "auc/true_positives:0",
        "auc/false_negatives:0", "auc/true_negatives:0", "auc/false_positives:0",
    ]  # fmt: skip
