"""Weighted means and errors against NumPy."""

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


KINDS = st.sampled_from([None, "scalar", "full", "column", "row", "zero"])

# The value per element, and whether labels are classes.
REFERENCES = {
    "accuracy": (lambda y, x: y == x, True),
    "mean_absolute_error": (lambda y, x: np.abs(x - y), False),
    "mean_squared_error": (lambda y, x: (x - y) ** 2, False),
    "root_mean_squared_error": (lambda y, x: (x - y) ** 2, False),
}


def draw_batches(data, integers=False, rank=2):
    rng = np.random.default_rng(data.draw(st.integers(0, 2**31 - 1)))
    shape, kind = (data.draw(st.integers(1, 4)), 3)[:rank], data.draw(KINDS)
    batches = []
    for _ in range(2):
        y, x = rng.integers(0, 3, (2, *shape)) if integers else rng.normal(size=(2, *shape)).astype("f")
        batches.append((y, x, weights_for(rng, shape, kind)))
    return batches


def mean_of(values, weights):
    return (values * weights).sum() / weights.sum() if weights.sum() else 0.0


@pytest.mark.parametrize("name", REFERENCES)
@settings(max_examples=6, deadline=None)
@given(data=st.data(), known=st.booleans())
def test_errors(name, data, known):
    reference, integers = REFERENCES[name]
    batches = draw_batches(data, integers)
    updates, values = run_metric(getattr(tf.metrics, name), batches, known)
    for n in (1, 2):
        y, x, w = joined(batches[:n])
        expected = mean_of(reference(y, x), w)
        expected = np.sqrt(expected) if name.startswith("root") else expected
        np.testing.assert_allclose([updates[n - 1], values[n - 1]], expected, rtol=1e-4, atol=1e-6)


@settings(max_examples=6, deadline=None)
@given(data=st.data(), known=st.booleans())
def test_mean(data, known):
    batches = [(x, w) for _, x, w in draw_batches(data)]
    updates, values = run_metric(tf.metrics.mean, batches, known)
    _, x, w = joined([(x, x, w) for x, w in batches])
    np.testing.assert_allclose([updates[1], values[1]], mean_of(x, w), rtol=1e-3, atol=1e-5)


@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_mean_tensor(data):
    batches = [(x, w) for _, x, w in draw_batches(data)]
    updates, values = run_metric(tf.metrics.mean_tensor, batches)
    weights = np.sum([np.broadcast_to(1.0 if w is None else w, x.shape) for x, w in batches], 0)
    total = np.sum([x * (1.0 if w is None else w) for x, w in batches], 0)
    expected = np.divide(total, weights, out=np.zeros_like(total), where=weights > 0)
    np.testing.assert_allclose(updates[1], expected, rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(values[1], expected, rtol=1e-4, atol=1e-6)


def test_cosine_distance_relative_error_and_percentage():
    y, x = np.float32([[1, 2], [0, 4]]), np.float32([[1, 0], [2, 2]])
    updates, _ = run_metric(lambda y, x: tf.metrics.mean_cosine_distance(y, x, 1), [(y, x)])
    np.testing.assert_allclose(updates, [1 - (1 + 8) / 2])
    updates, _ = run_metric(lambda y, x, n: tf.metrics.mean_relative_error(y, x, n), [(y, x, y)])
    np.testing.assert_allclose(updates, [(0 + 1 + 0 + 0.5) / 4])
    updates, values = run_metric(lambda x: tf.metrics.percentage_below(x, 1.5), [(x,), (y,)])
    np.testing.assert_allclose([*updates, values[1]], [0.5, 0.5, 0.5])


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    "shapes", [((3, 1), (3,), None), ((3,), (3, 1), (3,)), ((3,), (3,), (3, 1)), ((3, 2),) * 2 + ((3,),)]
)
def test_dimensions_of_size_one(shapes, known):
    rng = np.random.default_rng(0)
    batch = [None if s is None else rng.integers(0, 2, s).astype("f") for s in shapes]
    updates, _ = run_metric(tf.metrics.accuracy, [batch], known)
    shape = min(shapes[:2], key=len)
    y, x = (v.reshape(shape) for v in batch[:2])
    w = 1.0 if batch[2] is None else batch[2].reshape(-1, *(1,) * (len(shape) - 1))
    np.testing.assert_allclose(updates[0], mean_of(y == x, np.broadcast_to(w, shape)), rtol=1e-6)


def test_names_and_collections():
    x = tf.constant([1.0, 2.0])
    first = tf.metrics.accuracy(x, x, metrics_collections=["values"], updates_collections=["updates", "all"])
    second = tf.metrics.accuracy(x, x)
    third = tf.metrics.mean(x, name="loss")
    assert [t.name for t in (*first, *second, *third)] == [
        "accuracy/value:0", "accuracy/update_op:0", "accuracy_1/value:0", "accuracy_1/update_op:0",
        "loss/value:0", "loss/update_op:0",
    ]  # fmt: skip
    assert [v.name for v in tf.local_variables()] == [
        f"{scope}/{name}:0" for scope in ("accuracy", "accuracy_1", "loss") for name in ("total", "count")
    ]
    assert tf.get_collection("values") == [first[0]]
    assert tf.get_collection("updates") == tf.get_collection("all") == [first[1]]


def test_values_are_zero_before_the_first_batch():
    value, _ = tf.metrics.mean([1.0])
    with tf.Session() as sess:
        with pytest.raises(tf.errors.FailedPreconditionError, match="total"):
            sess.run(value)
        sess.run(tf.local_variables_initializer())
        assert sess.run(value) == 0.0


@pytest.mark.parametrize(
    "build, text",
    [
        (lambda x: tf.metrics.accuracy(x, tf.ones([3, 2])), "Shapes .* are incompatible"),
        (lambda x: tf.metrics.mean(x, tf.ones([3, 2])), "weights can not be broadcast to values. Mismatch at dim 0"),
        (lambda x: tf.metrics.mean_relative_error(x, x, tf.ones([3, 2])), "Shapes .* are incompatible"),
    ],
)
def test_refused_shapes(build, text):
    with pytest.raises(ValueError, match=text):
        build(tf.ones([2, 2]))


def test_weights_are_checked_at_run_time():
    x, w = tf.placeholder(tf.float32), tf.placeholder(tf.float32)
    _, update = tf.metrics.mean(x, w)
    with tf.Session() as sess:
        sess.run(tf.local_variables_initializer())
        with pytest.raises(tf.errors.InvalidArgumentError, match="weights can not be broadcast to values."):
            sess.run(update, {x: np.ones((2, 2)), w: np.ones((2, 3))})
