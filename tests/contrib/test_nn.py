"""tf.contrib.nn, sparsemax and predictor, against NumPy."""

import numpy as np
import pytest

import tfcore as tf

nn, sparsemax = tf.contrib.nn, tf.contrib.sparsemax


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as g:
        yield g


def run(fetches, feeds=None):
    with tf.Session() as session:
        return session.run(fetches, feeds)


def test_alpha_dropout_keeps_mean_and_variance():
    x = np.random.default_rng(0).standard_normal((40000,)).astype(np.float32)
    x = np.where(x > 0, 1.0507 * x, 1.7580993 * (np.exp(x) - 1)).astype(np.float32)  # SELU
    dropped, same = run([nn.alpha_dropout(x, 0.7, seed=1), nn.alpha_dropout(x, 1.0)])
    np.testing.assert_array_equal(same, x)
    assert abs(dropped.mean()) < 0.03 and abs(dropped.var() - 1) < 0.05
    values, counts = np.unique(dropped, return_counts=True)
    assert abs(counts.max() / len(x) - 0.3) < 0.02  # those dropped are equal
    rows = run(nn.alpha_dropout(np.ones((50, 20), np.float32), tf.constant(0.5), noise_shape=[50, 1], seed=2))
    assert (rows == rows[:, :1]).all() and len(np.unique(rows)) == 2
    for probability in (0.0, 1.5):
        with pytest.raises(ValueError, match="in the range"):
            nn.alpha_dropout(x, probability)
    with pytest.raises(ValueError, match="must be a scalar"):
        nn.alpha_dropout(x, [0.5, 0.5])


def test_scaled_softplus():
    x, alpha = np.array([-200.0, -1, 0, 2, 300]), np.array([0.5, 1, 2, 3, 4])
    expected = alpha * np.logaddexp(0, x / alpha)
    feeds = tf.constant(x), tf.constant(alpha)
    found = nn.scaled_softplus(*feeds)
    plain, clipped, slopes = run([found, nn.scaled_softplus(x, 2.0, clip=1.5), tf.gradients(found, feeds)])
    np.testing.assert_allclose(plain, expected, rtol=1e-12)
    np.testing.assert_allclose(clipped, np.minimum(2 * np.logaddexp(0, x / 2), 1.5), rtol=1e-12)
    s = 1 / (1 + np.exp(-x / alpha))
    np.testing.assert_allclose(slopes[0], s, rtol=1e-9, atol=1e-30)
    np.testing.assert_allclose(slopes[1], np.logaddexp(0, x / alpha) - s * x / alpha, rtol=1e-6, atol=1e-12)


def test_losses():
    logits, labels = np.array([[1.0, 2, 3], [0, 1, 0]]), np.array([[0.2, 0.3, 0.5], [1, 0, 0]])
    logs = logits - np.log(np.exp(logits).sum(1, keepdims=True))
    dense = nn.deprecated_flipped_softmax_cross_entropy_with_logits(logits, labels)
    sparse = nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits(logits, [2, 0])
    binary = nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(logits, labels)
    found = run([dense, sparse, binary])
    np.testing.assert_allclose(found[0], -(labels * logs).sum(1))
    np.testing.assert_allclose(found[1], [-logs[0, 2], -logs[1, 0]])
    np.testing.assert_allclose(found[2], np.logaddexp(0, logits) - labels * logits)
    weights, inputs = np.eye(6, 4, dtype=np.float32), np.ones((2, 4), np.float32)
    ids = np.array([[1], [5]], np.int64)
    sampled = tf.nn.log_uniform_candidate_sampler(ids, 1, 3, True, 6, seed=1)
    arguments = (weights, np.zeros(6, np.float32), ids, inputs, 3, 6)
    own = nn.sampled_sparse_softmax_loss(*arguments, sampled_values=sampled)
    same = tf.nn.sampled_softmax_loss(*arguments, sampled_values=sampled)
    np.testing.assert_array_equal(*run([own, same]))


def project(z):
    """The nearest point of the simplex, by bisection of the threshold."""
    low, high = z.min() - 1, z.max()
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if np.maximum(z - middle, 0).sum() > 1 else (low, middle)
    return np.maximum(z - low, 0)


@pytest.mark.parametrize("type_", [np.float16, np.float32, np.float64])
def test_sparsemax(type_):
    z = (np.random.default_rng(1).standard_normal((50, 7)) * 2).astype(type_)
    found = run(sparsemax.sparsemax(z))
    expected = np.array([project(row) for row in z.astype(float)])
    assert found.dtype == type_ and (found == 0).mean() > 0.4
    np.testing.assert_allclose(found, expected, atol={np.float16: 1e-2, np.float32: 1e-6, np.float64: 1e-12}[type_])


def test_the_loss_of_sparsemax_and_its_gradient():
    rng = np.random.default_rng(2)
    logits, labels = tf.constant(rng.standard_normal((5, 4)) * 2), rng.dirichlet(np.ones(4), 5)
    probabilities = sparsemax.sparsemax(logits)
    loss = sparsemax.sparsemax_loss(logits, probabilities, labels)
    at_best = sparsemax.sparsemax_loss(np.log(labels) * 0 + labels, labels, labels)
    values = run([loss, tf.gradients(loss, logits)[0], probabilities, at_best])
    assert (values[0] >= 0).all()
    np.testing.assert_allclose(values[1], values[2] - labels, atol=1e-12)
    np.testing.assert_allclose(values[3], 0, atol=1e-12)
    with pytest.raises(ValueError, match="rank 2"):
        sparsemax.sparsemax(np.ones(3))


def test_names_of_other_parts():
    assert tf.contrib.util.constant_value(tf.constant([1, 2])).tolist() == [1, 2]
    assert tf.contrib.util.make_ndarray(tf.contrib.util.make_tensor_proto([1.5])) == [1.5]
    for name in ("random_uniform", "random_normal", "truncated_normal"):
        found = getattr(tf.contrib.stateless, f"stateless_{name}")([3], seed=[1, 2])
        np.testing.assert_array_equal(
            *run([found, getattr(tf.random, f"stateless_{name.replace('random_', '')}")([3], [1, 2])])
        )


def test_predictors(tmp_path):
    x, v = tf.placeholder(tf.float32, [None], name="x"), tf.Variable(2.0)
    y = tf.multiply(x, v, name="y")
    folder = str(tmp_path / "model")
    with tf.Session() as session:
        session.run(v.initializer)
        tf.saved_model.simple_save(session, folder, {"x": x}, {"double": y})
    from_saved_model = tf.contrib.predictor.from_saved_model
    predict = from_saved_model(folder)
    assert {k: v.tolist() for k, v in predict({"x": [1, 2]}).items()} == {"double": [2, 4]}
    assert predict.feed_tensors["x"].graph is predict.graph is predict.session.graph
    own = from_saved_model(folder, input_names={"a": "x:0"}, output_names={"b": "y:0"}, tags="serve")
    assert own({"a": [3]})["b"].tolist() == [6] and list(own.fetch_tensors) == ["b"]
    with pytest.raises(ValueError, match="Got unexpected keys in input_dict: {'y'}"):
        predict({"y": [1]})
    with pytest.raises(ValueError, match="Available signatures are"):
        from_saved_model(folder, "train")
    with pytest.raises(ValueError, match="must both be specified"):
        from_saved_model(folder, input_names={"a": "x:0"})
    with pytest.raises(ValueError, match="at most one"):
        from_saved_model(folder, "train", input_names={}, output_names={})
