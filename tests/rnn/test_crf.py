"""tf.contrib.crf against sums and maxima over all sequences of tags."""

import itertools

import numpy as np
import pytest

import tfcore as tf

crf = tf.contrib.crf
RANDOM = np.random.default_rng(3)
TAGS = 3


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(fetches, feeds=None):
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        return sess.run(fetches, feeds)


def score(inputs, transitions, tags):
    return sum(inputs[t, tag] for t, tag in enumerate(tags)) + sum(transitions[a, b] for a, b in zip(tags, tags[1:]))


def all_scores(inputs, transitions, length, allowed=None):
    """{sequence of tags: its score}"""
    sequences = itertools.product(range(TAGS), repeat=length)
    allowed = np.ones_like(inputs, bool) if allowed is None else allowed
    return {
        tags: score(inputs, transitions, tags)
        for tags in sequences
        if all(allowed[t, tag] for t, tag in enumerate(tags))
    }


def log_sum(scores):
    return np.log(sum(np.exp(value) for value in scores)) if scores else 0.0


def example(time, dtype=np.float32):
    """Unary potentials, tags, lengths and transitions of sequences of all lengths up to `time`."""
    lengths = np.arange(1, time + 1)
    inputs = RANDOM.normal(size=(time, time, TAGS)).astype(dtype)
    tags = RANDOM.integers(0, TAGS, (time, time))
    return inputs, tags, lengths, RANDOM.normal(size=(TAGS, TAGS)).astype(dtype)


@pytest.mark.parametrize("time", [1, 2, 5])
@pytest.mark.parametrize("tag_type, length_type", [(tf.int32, tf.int64), (tf.int64, tf.int32)])
@pytest.mark.parametrize("known", [True, False])
def test_likelihood(time, tag_type, length_type, known):
    inputs, tags, lengths, transitions = example(time)
    x = tf.placeholder(tf.float32, inputs.shape if known else [None, None, TAGS])
    ids = tf.placeholder(tag_type, tags.shape if known else [None, None])
    sizes = tf.placeholder(length_type, [None])
    found, returned = crf.crf_log_likelihood(x, ids, sizes, tf.constant(transitions))
    norm, whole = crf.crf_log_norm(x, sizes, transitions), crf.crf_sequence_score(x, ids, sizes, transitions)
    found, norm, whole, same = run([found, norm, whole, returned], {x: inputs, ids: tags, sizes: lengths})
    expected_norm = [log_sum(all_scores(a, transitions, n).values()) for a, n in zip(inputs, lengths)]
    expected = [score(a, transitions, t[:n]) for a, t, n in zip(inputs, tags, lengths)]
    np.testing.assert_allclose(norm, expected_norm, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(whole, expected, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(found, np.subtract(expected, expected_norm), rtol=1e-5, atol=1e-5)
    assert (same == transitions).all()


def test_probabilities_add_up_to_one():
    inputs, _, _, transitions = example(3, np.float64)
    sequences = np.array(list(itertools.product(range(TAGS), repeat=3)))
    x = np.broadcast_to(inputs[:1], (len(sequences), 3, TAGS))
    found, _ = crf.crf_log_likelihood(x, sequences, [3] * len(sequences), transitions)
    assert found.dtype == tf.float64
    np.testing.assert_allclose(np.exp(run(found)).sum(), 1.0, rtol=1e-12)


@pytest.mark.parametrize("time", [1, 4])
def test_several_allowed_tags(time):
    inputs, _, lengths, transitions = example(time)
    allowed = RANDOM.random(inputs.shape) < 0.6
    allowed[..., 1] = True
    found = run(crf.crf_multitag_sequence_score(inputs, allowed, lengths, transitions))
    expected = [log_sum(all_scores(a, transitions, n, b).values()) for a, b, n in zip(inputs, allowed, lengths)]
    np.testing.assert_allclose(found, expected, rtol=1e-5, atol=1e-5)


def test_sequences_without_steps():
    inputs, tags, _, transitions = example(3)
    lengths = tf.constant([0, 2, 0])
    found = [
        crf.crf_log_norm(inputs, lengths, transitions),
        crf.crf_sequence_score(inputs, tags, lengths, transitions),
        crf.crf_log_likelihood(inputs, tags, lengths, transitions)[0],
    ]
    for values in run(found):
        assert values[0] == 0 and values[2] == 0 and np.isfinite(values[1]) and values[1] != 0


@pytest.mark.parametrize("time", [1, 2, 5])
@pytest.mark.parametrize("known", [True, False])
def test_best_sequence(time, known):
    inputs, _, lengths, transitions = example(time)
    x = tf.placeholder(tf.float32, inputs.shape if known else [None, None, TAGS])
    tags, scores = run(crf.crf_decode(x, transitions, lengths), {x: inputs})
    assert tags.dtype == np.int32 and tags.shape == (time, time)
    for a, n, found, value in zip(inputs, lengths, tags, scores):
        candidates = all_scores(a, transitions, n)
        best = max(candidates, key=candidates.get)
        assert tuple(found[:n]) == best and not found[n:].any()
        np.testing.assert_allclose(value, candidates[best], rtol=1e-5)
        in_numpy, same = crf.viterbi_decode(a[:n], transitions)
        assert tuple(in_numpy) == best
        np.testing.assert_allclose(same, value, rtol=1e-5)


def test_the_gradient_is_observed_less_expected_frequencies():
    """Of tags and of transitions, by definition of the likelihood."""
    inputs, tags, _, transitions = example(3, np.float64)
    x, w = tf.constant(inputs[:1]), tf.constant(transitions)
    found, _ = crf.crf_log_likelihood(x, tags[:1], [3], w)
    by_input, by_transition = run(tf.gradients(found, [x, w]))
    candidates = all_scores(inputs[0], transitions, 3)
    total = log_sum(candidates.values())
    unary, pairs = np.zeros((3, TAGS)), np.zeros((TAGS, TAGS))
    for sequence, probability in [(tuple(tags[0]), -1.0), *((s, np.exp(v - total)) for s, v in candidates.items())]:
        for t, tag in enumerate(sequence):
            unary[t, tag] -= probability
        for pair in zip(sequence, sequence[1:]):
            pairs[pair] -= probability
    np.testing.assert_allclose(by_input[0], unary, atol=1e-12)
    np.testing.assert_allclose(by_transition, pairs, atol=1e-12)


def test_transitions_are_learned():
    """Tags that alternate, whatever the inputs are."""
    tags = np.array([[0, 1, 0, 1, 0, 1]] * 2)
    x = tf.zeros([2, 6, TAGS])
    likelihood, transitions = crf.crf_log_likelihood(x, tags, [6, 6])
    assert [v.name for v in tf.trainable_variables()] == ["transitions:0"]
    train = tf.train.GradientDescentOptimizer(0.5).minimize(-tf.reduce_mean(likelihood))
    decoded, _ = crf.crf_decode(x + tf.one_hot([0] * 6, TAGS) * [[0.1]], transitions, [6, 6])
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(50):
            sess.run(train)
        assert sess.run(likelihood).min() > np.log(0.3)
        assert (sess.run(decoded) == tags).all()


def test_cells():
    inputs, _, _, transitions = example(2)
    state = inputs[0]
    alphas, same = crf.CrfForwardRnnCell(tf.constant(transitions))(inputs[1], tf.constant(state))
    before, best = crf.CrfDecodeForwardRnnCell(tf.constant(transitions))(inputs[1], tf.constant(state))
    through = state[:, :, None] + transitions
    alphas, same, before, best = run([alphas, same, before, best])
    np.testing.assert_allclose(alphas, inputs[1] + np.log(np.exp(through).sum(1)), rtol=1e-5)
    np.testing.assert_allclose(best, inputs[1] + through.max(1), rtol=1e-6)
    assert (alphas == same).all() and (before == through.argmax(1)).all() and before.dtype == np.int32
    tag, state = run(crf.CrfDecodeBackwardRnnCell(TAGS)(tf.constant([[5, 6, 7], [8, 9, 10]]), tf.constant([[2], [0]])))
    assert tag.tolist() == state.tolist() == [[7], [8]]


@pytest.mark.parametrize("steps", [1, 3])
def test_the_gradient_for_a_number_of_steps_that_is_known_at_run_time(steps):
    values = RANDOM.normal(size=(2, steps, TAGS))
    inputs = tf.placeholder(tf.float64, [None, None, TAGS])
    transitions = tf.constant(RANDOM.normal(size=(TAGS, TAGS)))
    feeds = {inputs: values}
    norm = crf.crf_log_norm(inputs, tf.constant([steps, steps]), transitions)
    gradient = run(tf.gradients(norm, inputs)[0], feeds)
    np.testing.assert_allclose(gradient.sum(axis=2), 1)  # probabilities of the tags of each step
    if steps == 1:
        np.testing.assert_allclose(gradient[:, 0], np.exp(values[:, 0]) / np.exp(values[:, 0]).sum(1, keepdims=True))
