"""The CTC loss: gradients, extreme logits, long sequences, errors; the records test the rest."""

import numpy as np
import pytest

import tfcore as tf
from tests.records.nn import ctc_loss as records

R = np.random.default_rng(8)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def sparse(rows):
    indices = [(b, i) for b, row in enumerate(rows) for i in range(len(row))]
    values = [label for row in rows for label in row]
    sizes = [len(rows), max(map(len, rows))]
    return tf.SparseTensor(np.reshape(np.int64(indices), [-1, 2]), np.int32(values), np.int64(sizes))


def raw(x, rows, steps, **attrs):
    labels = sparse(rows)
    return tf.raw_ops.CTCLoss(
        inputs=x, labels_indices=labels.indices, labels_values=labels.values, sequence_length=steps, **attrs
    )


def test_gradient():
    """Against central differences of the reference, which sums over paths in another way than the gradient."""
    x, rows, steps = R.normal(size=(6, 3, 4)), [[0, 1], [2], [1, 1]], [6, 3, 5]
    weights = np.array([1.0, -2.0, 0.5])
    logits = tf.placeholder(tf.float64, x.shape)
    loss = tf.nn.ctc_loss(sparse(rows), logits, steps)
    found = run(tf.gradients(loss, logits, tf.constant(weights))[0], {logits: x})
    indices = np.array([(b, i) for b, row in enumerate(rows) for i in range(len(row))])
    values = np.array(sum(rows, []))

    def total(y):
        losses, _ = records.ctc(y, indices, values, steps, False, True, False)
        return float(weights @ losses)

    for at in np.ndindex(*x.shape):
        change = np.zeros_like(x)
        change[at] = 1e-5
        assert found[at] == pytest.approx((total(x + change) - total(x - change)) / 2e-5, abs=1e-8)


def test_no_second_gradient():
    logits = tf.constant(R.normal(size=(4, 1, 3)))
    (first,) = tf.gradients(tf.nn.ctc_loss(sparse([[0]]), logits, [4]), logits)
    with pytest.raises(LookupError, match="ctc_loss has no second derivative"):
        tf.gradients(first, logits)


def test_wrapper():
    """The batch first, other types, both names of the logits."""
    x = R.normal(size=(5, 2, 4)).astype(np.float32)
    labels, steps = sparse([[0, 1], [2]]), [5, 4]
    want = run(tf.nn.ctc_loss(labels, x, steps))
    np.testing.assert_array_equal(run(tf.nn.ctc_loss(labels, x.swapaxes(0, 1), steps, time_major=False)), want)
    np.testing.assert_array_equal(run(tf.nn.ctc_loss(labels, logits=x, sequence_length=steps)), want)
    half = tf.nn.ctc_loss(labels, tf.constant(x, tf.float16), steps)
    assert half.dtype == tf.float16
    np.testing.assert_allclose(run(half), want, rtol=2e-2)
    with pytest.raises(ValueError, match="Cannot specify both"):
        tf.nn.ctc_loss(labels, x, steps, logits=x)
    with pytest.raises(TypeError, match="Expected argument `labels` to be a SparseTensor"):
        tf.nn.ctc_loss([[0, 1], [2, 2]], x, steps)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_extreme_logits(dtype):
    """Probabilities far below the smallest number have logarithms; those of 0 have not."""
    x = np.zeros((4, 3, 3), dtype)
    x[:, 0, 0], x[:, 1, 0], x[:, 2, 0] = -900, -np.inf, np.nan
    loss, gradient = run(raw(x, [[0]] * 3, [4] * 3))
    # Four steps at which the label can begin and end: ten paths, of which those with one step of it count.
    assert loss[0] == pytest.approx(900 + 3 * np.log(2) + np.log(2) - np.log(4), rel=1e-6)
    np.testing.assert_allclose(gradient[:, 0], np.array([[-0.25, 0.5, -0.25]] * 4), atol=1e-5)
    assert loss[1] == np.inf
    np.testing.assert_array_equal(gradient[:, 1], np.array([[0, 0.5, 0.5]] * 4, dtype))
    assert np.isnan(loss[2]) and np.isnan(gradient[:, 2]).all()


def test_long_sequences():
    """The gradient of a probability's logarithm adds up to 0 in each step, also after thousands of steps."""
    x = R.normal(size=(3000, 2, 6)).astype(np.float32) * 3
    rows = R.integers(0, 5, (2, 700)).tolist()
    loss, gradient = run(raw(x, rows, [3000, 2500]))
    assert np.isfinite(loss).all()
    np.testing.assert_allclose(gradient.sum(axis=-1), 0, atol=2e-6)
    assert not gradient[2500:, 1].any() and (np.abs(gradient[:2500, 1]).sum(axis=-1) > 0).all()
    wide, exact = run(raw(x.astype(np.float64), rows, [3000, 2500]))
    np.testing.assert_allclose(loss, wide, rtol=1e-6)
    np.testing.assert_allclose(gradient, exact, atol=2e-4)


def test_static_shapes():
    x = tf.placeholder(tf.float32, [None, None, 5])
    loss, gradient = raw(x, [[0]], tf.placeholder(tf.int32, [3]))
    assert loss.shape.as_list() == [3] and gradient.shape.as_list() == [None, 3, 5]
    with pytest.raises(ValueError):
        raw(tf.placeholder(tf.float32, [4, 2, 5]), [[0]], tf.placeholder(tf.int32, [3]))


X = np.zeros((4, 2, 3), np.float32)
GOOD = {
    "inputs": X,
    "labels_indices": [[0, 0], [1, 0]],
    "labels_values": [0, 1],
    "sequence_length": [4, 4],
}


@pytest.mark.parametrize(
    "change, message",
    [
        ({"inputs": X[0]}, "inputs is not a 3-Tensor"),
        ({"inputs": X[:0], "sequence_length": [0, 0]}, "Max time or first dimension of input cannot be 0."),
        ({"inputs": X[..., :0]}, "num_classes must be positive"),
        ({"inputs": X[:, :0], "sequence_length": []}, "batch_size must not be 0"),
        ({"sequence_length": [[4, 4]]}, "sequence_length is not a vector"),
        ({"sequence_length": [4]}, r"len\(sequence_length\) != batch_size.  len\(sequence_length\):  1 batch_size: 2"),
        ({"sequence_length": [4, 5]}, r"sequence_length\(1\) <= 4, but it is 5"),
        ({"sequence_length": [4, -1]}, r"seq_len\(1\) < 0: -1"),
        ({"sequence_length": [4, 0]}, r"Not enough time for target transition sequence \(required: 1, available: 0\)"),
        ({"labels_indices": [0, 1]}, "labels_indices is not a matrix"),
        ({"labels_indices": [[0, 0, 0], [1, 0, 0]]}, "labels_indices second dimension must be 2. Received 3"),
        ({"labels_values": [[0, 1]]}, "labels_values is not a vector"),
        ({"labels_values": [0]}, r"the same number of rows, but saw shapes: \[2,2\] vs. \[1\]"),
        ({"labels_indices": [[0, 0], [2, 0]]}, r"indices\[1\] = \[2,0\] is out of bounds"),
        ({"labels_indices": [[0, -1], [1, 0]]}, r"indices\[0\] = \[0,-1\] is out of bounds"),
        ({"labels_indices": [[1, 0], [0, 0]]}, r"indices\[1\] = \[0,0\] is out of order"),
        ({"labels_indices": [[1, 0], [1, 0]]}, r"indices\[1\] = \[1,0\] is repeated"),
        ({"labels_indices": [[0, 0], [0, 5]]}, "Labels length is zero in batch 1"),
        ({"labels_values": [0, -1]}, "All labels must be nonnegative integers, batch: 1 labels: -1"),
        (
            {"labels_indices": [[0, 0], [0, 1]], "labels_values": [2, 1]},
            "Saw a non-null label .* following a null label, batch: 0 num_classes: 3 labels: 1",
        ),
    ],
)
def test_errors(change, message):
    types = {"inputs": tf.float32, "labels_indices": tf.int64, "labels_values": tf.int32, "sequence_length": tf.int32}
    feed = {name: tf.placeholder(dtype) for name, dtype in types.items()}
    loss, _ = tf.raw_ops.CTCLoss(**feed)
    values = {**GOOD, **change}
    with pytest.raises(tf.errors.InvalidArgumentError, match=message):
        run(loss, {feed[name]: values[name] for name in feed})
