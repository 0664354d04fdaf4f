"""tf.contrib.training: batches of examples that are drawn at random."""

import numpy as np
import pytest

import tfcore as tf

training = tf.contrib.training


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        tf.set_random_seed(7)
        yield


def numbers(n, batch=None):
    dataset = tf.data.Dataset.range(n)
    return (dataset if batch is None else dataset.batch(batch)).make_one_shot_iterator().get_next()


def batches(fetches):
    found = []
    with tf.train.MonitoredSession() as sess, pytest.raises(tf.errors.OutOfRangeError):
        while True:
            found.append(sess.run(fetches))
    return found


@pytest.mark.parametrize("many", [False, True])
def test_what_is_accepted(many):
    """The elements are drawn with the probability 0, 1 or 1/2 of their class, in their order."""
    x = numbers(3000, 100 if many else None)
    accept = lambda values: tf.gather([0.0, 1.0, 0.5], values[0] % 3)  # noqa: E731
    found = batches(training.rejection_sample([x, 2 * x], accept, 10, enqueue_many=many, runtime_checks=True))
    first, second = (np.concatenate(parts) for parts in zip(*found))
    assert (np.diff(first) > 0).all() and (second == 2 * first).all()
    counts = np.bincount(first % 3, minlength=3)
    assert counts[0] == 0 and counts[1] > 980 and 420 < counts[2] < 580


@pytest.mark.parametrize("value, text", [(1.5, "above 1"), (-0.5, "is negative")])
def test_probabilities_are_checked(value, text):
    (found,) = training.rejection_sample(
        [numbers(9)], lambda x: value + 0.0 * tf.cast(x[0], tf.float32), 2, runtime_checks=True
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match=text), tf.train.MonitoredSession() as sess:
        sess.run(found)


@pytest.mark.parametrize("many", [False, True])
@pytest.mark.parametrize("initial", [None, [0.8, 0.1, 0.1]])
def test_classes_have_the_frequencies_wanted(many, initial):
    x = numbers(6000, 100 if many else None)
    labels = tf.gather([0] * 8 + [1, 2], x % 10)
    values, classes = training.stratified_sample(
        [x], labels, [0.25, 0.5, 0.25], 20, initial, enqueue_many=many, threads_per_queue=1
    )
    found = batches([values[0], classes])
    x, classes = (np.concatenate(parts) for parts in zip(*found))
    assert (np.where(x % 10 < 8, 0, x % 10 - 7) == classes).all() and len(x) > 900
    shares = np.bincount(classes, minlength=3) / len(classes)
    np.testing.assert_allclose(shares, [0.25, 0.5, 0.25], atol=0.05)


def test_a_class_that_is_wanted_must_occur():
    values, _ = training.stratified_sample([numbers(9)], 0, [0.5, 0.5], 2, [1.0, 0.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not occur"), tf.train.MonitoredSession() as sess:
        sess.run(values)


@pytest.mark.parametrize(
    "labels, target, initial, text",
    [
        ([1], [0.5, 0.5], None, "`labels` must be a scalar"),
        (1, [0.5, 0.6], None, "`target_probs` must be probabilities with the sum 1"),
        (1, [1.5, -0.5], None, "`target_probs` must be probabilities with the sum 1"),
        (1, 0.5, None, "`target_probs` must be a vector"),
        (1, [0.5, 0.5], [1.0], "`init_probs` must have the size of target_probs, 2, but has 1"),
    ],
)
def test_wrong_arguments(labels, target, initial, text):
    with pytest.raises(ValueError, match=text):
        training.stratified_sample([tf.constant(1)], labels, target, 2, initial)
