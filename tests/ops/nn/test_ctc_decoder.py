"""CTC decoders: narrow beams, wrappers, special values, errors, cancellation; the records test the rest."""

import numpy as np
import pytest

import tfcore as tf
from tests.records.nn import ctc_decoder as records

R = np.random.default_rng(9)
X = R.normal(size=(4, 2, 3)).astype(np.float32)


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default():
        yield


def run(tensors, feed=None):
    with tf.Session() as session:
        return session.run(tensors, feed)


def test_beam_of_one_keeps_the_best_beginning():
    """Blank 0.6, label 0.4 in both steps: the empty beginning stays ahead, although the label alone is more likely."""
    x = np.log(np.array([[[0.4, 0.6]]] * 2, np.float32))
    (narrow,), score = run(tf.nn.ctc_beam_search_decoder(x, [2], beam_width=1))
    assert narrow.values.size == 0 and score == pytest.approx(np.log(0.36))
    (wide,), score = run(tf.nn.ctc_beam_search_decoder(x, [2], beam_width=2))
    assert wide.values.tolist() == [0] and score == pytest.approx(np.log(0.64))


def test_narrow_beams():
    """A beam never finds more than there is; what it loses grows as it becomes narrower."""
    x = R.normal(size=(7, 3, 4))
    logits = tf.constant(x)
    best = [max(records.all_labels(x[:, b]).values()) for b in range(3)]
    scores = [run(tf.nn.ctc_beam_search_decoder(logits, [7] * 3, beam_width=w)[1])[:, 0] for w in (1, 2, 8, 5000)]
    for score in scores:
        assert (score <= np.log(best) + 1e-12).all()
    np.testing.assert_allclose(scores[-1], np.log(best), rtol=1e-12)
    assert scores[0].sum() < scores[-1].sum()


def test_repeated_labels():
    """A label, a blank, the same label: two labels, which merge_repeated makes one."""
    x = np.full((3, 1, 2), -20, np.float32)
    x[[0, 1, 2], 0, [0, 1, 0]] = 20
    (merged,), _ = run(tf.nn.ctc_beam_search_decoder(x, [3]))
    (kept,), _ = run(tf.nn.ctc_beam_search_decoder_v2(x, [3]))
    assert merged.values.tolist() == [0] and kept.values.tolist() == [0, 0]
    (greedy,), score = run(tf.nn.ctc_greedy_decoder(x, [3]))
    assert greedy.values.tolist() == [0, 0] and score.tolist() == [[-60]]
    assert kept.dense_shape.tolist() == greedy.dense_shape.tolist() == [1, 2]


def test_equal_probabilities():
    """The result is the same each time: the label with the smaller number."""
    (found,), _ = run(tf.nn.ctc_beam_search_decoder(np.zeros((3, 1, 4)), [3]))
    assert found.values.tolist() == [0]


def test_static_shapes():
    x, steps = tf.placeholder(tf.float32, [None, 5, None]), tf.placeholder(tf.int32, [None])
    decoded, score = tf.nn.ctc_beam_search_decoder(x, steps, top_paths=3)
    assert len(decoded) == 3 and score.shape.as_list() == [5, 3]
    assert decoded[0].indices.shape.as_list() == [None, 2] and decoded[0].dense_shape.shape.as_list() == [2]
    assert tf.nn.ctc_greedy_decoder(x, steps)[1].shape.as_list() == [5, 1]


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_special_values(value):
    x = X.copy()
    x[1, 0] = value
    for decoder in (tf.nn.ctc_greedy_decoder, tf.nn.ctc_beam_search_decoder):
        _, score = run(decoder(x, [4, 4]))
        _, want = run(decoder(X, [4, 4]))
        assert not np.isfinite(score[0]) and score[1] == want[1]


def test_many_steps():
    """What leaves the beam is freed: with every label equally likely, each step makes new beginnings."""
    _, score = run(tf.nn.ctc_beam_search_decoder(np.zeros((2000, 1, 50), np.float32), [2000], beam_width=20))
    assert np.isfinite(score).all()


DECODERS = {
    "greedy": lambda x, n: tf.nn.ctc_greedy_decoder(x, n)[1],
    "beam": lambda x, n: tf.nn.ctc_beam_search_decoder(x, n)[1],
}


@pytest.mark.parametrize("decoder", list(DECODERS))
@pytest.mark.parametrize(
    "x, steps, error, message",
    [
        (X[0], [4, 4], tf.errors.InvalidArgumentError, "inputs is not a 3-Tensor"),
        (X[:0], [0, 0], tf.errors.InvalidArgumentError, r"inputs must not be empty, but their shape is \[0,2,3\]"),
        (X, [[4, 4]], tf.errors.InvalidArgumentError, "sequence_length is not a vector"),
        (X, [4], tf.errors.FailedPreconditionError, r"len\(sequence_length\):  1 batch_size: 2"),
        (X, [4, 5], tf.errors.FailedPreconditionError, r"sequence_length\(1\) <= 4, but it is 5"),
    ],
)
def test_errors(decoder, x, steps, error, message):
    inputs, lengths = tf.placeholder(tf.float32), tf.placeholder(tf.int32)
    score = DECODERS[decoder](inputs, lengths)
    with pytest.raises(error, match=message):
        run(score, {inputs: x, lengths: steps})


def test_errors_of_attributes():
    with pytest.raises(tf.errors.InvalidArgumentError, match="blank_index expected to be between -3 and 2 but was 3"):
        run(tf.nn.ctc_greedy_decoder(X, [4, 4], blank_index=3)[1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="requested more paths than the beam width: 4 > 3"):
        run(tf.nn.ctc_beam_search_decoder(X, [4, 4], beam_width=3, top_paths=4)[1])
    with pytest.raises(tf.errors.InvalidArgumentError, match="Less leaves in the beam search than requested: batch 1"):
        run(tf.nn.ctc_beam_search_decoder(X, [4, 0], top_paths=2)[1])
    with pytest.raises(ValueError, match="beam_width"):
        tf.nn.ctc_beam_search_decoder(X, [4, 4], beam_width=0)


def test_cancellation():
    """A search of minutes ends soon after the step's time limit."""
    x = tf.placeholder(tf.float32, [None, 1, 2000])
    _, score = tf.nn.ctc_beam_search_decoder(x, [4000], beam_width=20000)
    with tf.Session() as session, pytest.raises(tf.errors.DeadlineExceededError):
        session.run(score, {x: np.zeros((4000, 1, 2000), np.float32)}, tf.RunOptions(timeout_in_ms=300))
