"""The losses against NumPy: values, gradients, reductions, weights, names and collections."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tfcore as tf


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


R = tf.losses.Reduction


def log_sum_exp(x):
    top = x.max(-1, keepdims=True)
    return np.log(np.exp(x - top).sum(-1)) + top[..., 0]


def huber(y, x):
    e = np.abs(x - y)
    return np.where(e <= 1, e * e / 2, e - 0.5)


# The loss per element of labels and predictions.
REFERENCES = {
    "absolute_difference": lambda y, x: np.abs(x - y),
    "hinge_loss": lambda y, x: np.maximum(0, 1 - (2 * y - 1) * x),
    "huber_loss": huber,
    "log_loss": lambda y, x: -y * np.log(x + 1e-7) - (1 - y) * np.log(1 - x + 1e-7),
    "mean_squared_error": lambda y, x: (x - y) ** 2,
    "sigmoid_cross_entropy": lambda y, x: np.logaddexp(0, x) - x * y,
    "cosine_distance": lambda y, x: 1 - (x * y).sum(1, keepdims=True),
    "softmax_cross_entropy": lambda y, x: log_sum_exp(x) * y.sum(-1) - (x * y).sum(-1),
    "sparse_softmax_cross_entropy": lambda y, x: log_sum_exp(x) - x[np.arange(len(y)), y],
}


def reduced(losses, weights, reduction):
    weights = np.broadcast_to(weights, losses.shape)
    if reduction == R.NONE:
        return losses * weights
    total = (losses * weights).sum()
    count = {R.SUM: 1, R.MEAN: weights.sum(), R.SUM_OVER_BATCH_SIZE: losses.size}.get(reduction, (weights != 0).sum())
    return total / count if count else 0.0


@st.composite
def examples(draw, name):
    rng = np.random.default_rng(draw(st.integers(0, 2**31 - 1)))
    batch, classes = draw(st.integers(1, 5)), draw(st.integers(1, 4))
    x, y = rng.normal(size=(batch, classes)), rng.normal(size=(batch, classes))
    if name == "log_loss":
        x = rng.uniform(0.01, 0.99, (batch, classes))
    if name in ("log_loss", "hinge_loss"):
        y = (y > 0).astype(float)
    if name == "sparse_softmax_cross_entropy":
        y = rng.integers(0, classes, batch)
    losses = REFERENCES[name](y, x)
    shape = draw(st.sampled_from([(), *np.ndindex(*(2,) * losses.ndim)]))
    shape = tuple(size if whole else 1 for size, whole in zip(losses.shape, shape))
    weights = rng.uniform(0.5, 2, shape) * (rng.uniform(size=shape) > draw(st.sampled_from([0.0, 0.5, 1.0])))
    return y, x, np.asarray(weights), losses


@pytest.mark.parametrize("name", REFERENCES)
@pytest.mark.parametrize("reduction", sorted(set(R.all())))
@settings(max_examples=8, deadline=None)
@given(data=st.data())
def test_values_and_gradients(name, reduction, data):
    labels, predictions, weights, losses = data.draw(examples(name))
    static = data.draw(st.booleans())
    with tf.Graph().as_default(), tf.Session() as sess:
        fed = [labels if labels.dtype.kind == "i" else labels.astype("f"), predictions.astype("f"), weights.astype("f")]
        y, x, w = tensors = [tf.placeholder(v.dtype, v.shape if static else None) for v in fed]
        options = {"axis": 1} if name == "cosine_distance" else {}
        loss = getattr(tf.losses, name)(y, x, weights=w, reduction=reduction, **options)
        value, gradient = sess.run([loss, tf.gradients(loss, x)[0]], dict(zip(tensors, fed)))
    expected = reduced(losses, weights, reduction)
    np.testing.assert_allclose(value, expected, rtol=1e-4, atol=1e-5)
    assert np.isfinite(gradient).all()
    if not weights.any():
        assert not gradient.any()


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 2**31 - 1), st.integers(1, 4), st.integers(1, 5))
def test_mean_pairwise_squared_error(seed, batch, size):
    rng = np.random.default_rng(seed)
    y, x = rng.normal(size=(2, batch, size)).astype("f")
    weights = rng.integers(0, 3, (batch, 1)).astype("f")
    expected = 0
    for d, weight in zip(x - y, weights[:, 0]):
        if size > 1:
            pairs = [(d[i] - d[j]) ** 2 for i in range(size) for j in range(i)]
            expected += weight * np.mean(pairs)
    with tf.Graph().as_default(), tf.Session() as sess:
        value = sess.run(tf.losses.mean_pairwise_squared_error(y, x, weights))
    np.testing.assert_allclose(value, expected, rtol=1e-3, atol=1e-4)


def test_smoothing_and_parameters():
    labels, logits = np.eye(3, dtype="f"), np.float32([[1, 2, 3], [0, 0, 0], [-1, 5, 2]])
    with tf.Session() as sess:
        value = sess.run(tf.losses.softmax_cross_entropy(labels, logits, label_smoothing=0.3))
        expected = REFERENCES["softmax_cross_entropy"](labels * 0.7 + 0.1, logits).mean()
        np.testing.assert_allclose(value, expected, rtol=1e-5)
        value = sess.run(tf.losses.sigmoid_cross_entropy(labels, logits, label_smoothing=0.3))
        expected = REFERENCES["sigmoid_cross_entropy"](labels * 0.7 + 0.15, logits).mean()
        np.testing.assert_allclose(value, expected, rtol=1e-5)
        assert sess.run(tf.losses.huber_loss([0.0], [3.0], delta=2.0)) == 4.0
        np.testing.assert_allclose(sess.run(tf.losses.log_loss([1.0], [0.5], epsilon=0.5)), 0, atol=1e-6)
        assert sess.run(tf.losses.cosine_distance([[1.0, 0.0]], [[1.0, 0.0]], dim=1)) == 0.0


@pytest.mark.cpu
def test_a_last_dimension_of_one_is_removed():
    logits = np.float32([[1, 2, 3], [0, 4, 0]])
    with tf.Session() as sess:
        flat = sess.run(tf.losses.sparse_softmax_cross_entropy([2, 0], logits, weights=[1.0, 0.5]))
        for shape in ([2, 1], None):
            labels, weights = tf.placeholder(tf.int32, shape), tf.placeholder(tf.float32, shape)
            loss = tf.losses.sparse_softmax_cross_entropy(labels, tf.placeholder_with_default(logits, shape and [2, 3]),
                                                          weights=weights)  # fmt: skip
            assert sess.run(loss, {labels: [[2], [0]], weights: [[1.0], [0.5]]}) == flat


def test_the_type_is_that_of_the_losses():
    for dtype in (tf.float16, tf.float64):
        logits = tf.constant([[1.0, 2.0]], dtype)
        assert tf.losses.softmax_cross_entropy([[1, 0]], logits).dtype == dtype
    assert tf.losses.mean_squared_error([1], tf.constant([2.0], tf.float64)).dtype == tf.float32
    assert tf.losses.compute_weighted_loss(tf.constant([1, 2])).dtype == tf.int32


def test_names_and_collections():
    x, y = tf.constant([1.0]), tf.constant([2.0])
    first = tf.losses.mean_squared_error(x, y)
    second = tf.losses.absolute_difference(x, y, scope="mine")
    other = tf.losses.absolute_difference(x, y, loss_collection="other")
    none = tf.losses.absolute_difference(x, y, loss_collection=None)
    assert [t.name for t in (first, second, other, none)] == [
        "mean_squared_error/value:0", "mine/value:0", "absolute_difference/value:0", "absolute_difference_1/value:0",
    ]  # fmt: skip
    assert tf.losses.get_losses() == tf.get_collection(tf.GraphKeys.LOSSES) == [first, second]
    assert tf.losses.get_losses("mine") == [second]
    assert tf.losses.get_losses(loss_collection="other") == [other]
    tf.losses.add_loss(none)
    tf.losses.add_loss(x, None)
    assert tf.losses.get_losses() == [first, second, none]


def test_total_loss():
    with tf.Session() as sess:
        assert sess.run(tf.losses.get_regularization_loss()) == 0.0
        with pytest.raises(ValueError, match="nputs must be an iterable of at least one Tensor"):
            tf.losses.get_total_loss()
        v = tf.get_variable("v", [2], initializer=tf.ones_initializer(), regularizer=lambda v: 3 * tf.reduce_sum(v))
        loss = tf.losses.mean_squared_error([0.0], [2.0])
        assert len(tf.losses.get_regularization_losses()) == 1
        sess.run(v.initializer)
        assert sess.run(tf.losses.get_regularization_loss()) == 6.0
        total = tf.losses.get_total_loss()
        assert total.name == "total_loss:0" and sess.run(total) == 10.0
        assert sess.run(tf.losses.get_total_loss(False, "data")) == sess.run(loss) == 4.0


@pytest.mark.parametrize("name", [*REFERENCES, "mean_pairwise_squared_error"])
def test_none_is_refused(name):
    options = {"axis": 0} if name == "cosine_distance" else {}
    function = getattr(tf.losses, name)
    with pytest.raises(ValueError, match="Argument `.*labels` must not be None."):
        function(None, [1.0], **options)
    with pytest.raises(ValueError, match="Argument `(predictions|logits)` must not be None."):
        function([1.0], None, **options)


@pytest.mark.parametrize(
    "build, text",
    [
        (
            lambda x: tf.losses.mean_squared_error(x, x, reduction="mean"),
            "Invalid Reduction Key mean. Key should be one",
        ),
        (lambda x: tf.losses.mean_squared_error(x[:1], x), "Shapes .* are incompatible"),
        (lambda x: tf.losses.cosine_distance(x, x), "You must specify argument `axis`."),
        (lambda x: tf.losses.cosine_distance(x, x, axis=0, dim=0), "Cannot specify both 'dim' and 'axis'"),
        (
            lambda x: tf.losses.mean_squared_error(x, x, weights=np.ones(2)),
            "weights can not be broadcast to values. va",
        ),
        (
            lambda x: tf.losses.mean_squared_error(x, x, weights=np.ones((3, 2))),
            r"weights can not be broadcast to values. Mismatch at dim 0. values.shape=\[2, 2\], weights.shape=\[3, 2\]",
        ),
        (lambda x: R.validate(None), "Invalid Reduction Key None"),
    ],
)
def test_refused_when_built(build, text):
    with pytest.raises(ValueError, match=text):
        build(tf.ones([2, 2]))


@pytest.mark.parametrize("shape", [None, [None, None]])
@pytest.mark.parametrize("weights", [np.ones((3, 2)), np.ones((2, 3)), np.ones((3, 3))])
def test_weights_are_checked_at_run_time(shape, weights):
    x, w = tf.placeholder(tf.float32, shape), tf.placeholder(tf.float32, shape)
    loss = tf.losses.mean_squared_error(x, x, weights=w)
    with tf.Session() as sess:
        for fits in (np.ones((1, 1)), np.ones((1, 2)), np.ones((2, 1))):
            assert sess.run(loss, {x: np.ones((2, 2)), w: fits}) == 0.0
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"\[weights can not be broadcast to values.\]|ncompat"
        ):
            sess.run(loss, {x: np.ones((2, 2)), w: weights})
