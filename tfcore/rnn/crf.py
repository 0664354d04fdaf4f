"""tf.contrib.crf: linear-chain conditional random fields.

The score of a sequence of tags is the sum of the unary potentials of its tags and of the potentials of its transitions.

Source: J. Lafferty et al., "Conditional Random Fields", ICML 2001.
"""

import numpy as np

from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import expand_dims, reshape, shape, squeeze
from tfcore.ops.array.constants import constant, fill, range, sequence_mask, zeros_like
from tfcore.ops.array.join import concat, stack
from tfcore.ops.array.move import reverse_sequence
from tfcore.ops.control_flow.smart_cond import smart_cond
from tfcore.ops.cwise.binary import maximum
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.compare import equal, less_equal
from tfcore.ops.cwise.select import where
from tfcore.ops.indexing.indexing import gather, gather_nd
from tfcore.ops.reduce.arg import argmax
from tfcore.ops.reduce.reduce import reduce_logsumexp, reduce_max, reduce_sum
from tfcore.rnn.base import RNNCell
from tfcore.rnn.dynamic import dynamic_rnn
from tfcore.variables.variable_scope import get_variable

# ---- Scores


def crf_unary_score(tag_indices, sequence_lengths, inputs):
    """The sum of the unary potentials of each sequence's tags.

    Args:
      tag_indices: An int32 or int64 `Tensor` of shape [batch, time].
      sequence_lengths: An integer `Tensor` of shape [batch].
      inputs: A `Tensor` of shape [batch, time, tags], the unary potentials.

    Returns:
      A `Tensor` of shape [batch].

    Raises:
      ValueError: The shapes don't fit together.
    """
    tag_indices, inputs = convert_to_tensor(tag_indices), convert_to_tensor(inputs)
    batch, time, tags = (shape(inputs, out_type=tag_indices.dtype)[i] for i in (0, 1, 2))
    steps = reshape(range(batch * time), [batch, time])
    scores = gather(reshape(inputs, [-1]), steps * tags + tag_indices)
    return reduce_sum(scores * _mask(sequence_lengths, tag_indices, scores.dtype), 1)


def crf_binary_score(tag_indices, sequence_lengths, transition_params):
    """The sum of the potentials of each sequence's transitions.

    Args:
      tag_indices: An int32 or int64 `Tensor` of shape [batch, time].
      sequence_lengths: An integer `Tensor` of shape [batch].
      transition_params: A `Tensor` of shape [tags, tags]: row i is for the transitions from tag i.

    Returns:
      A `Tensor` of shape [batch].

    Raises:
      ValueError: The shapes don't fit together.
    """
    tag_indices, transition_params = convert_to_tensor(tag_indices), convert_to_tensor(transition_params)
    tags = shape(transition_params, out_type=tag_indices.dtype)[0]
    scores = gather(reshape(transition_params, [-1]), tag_indices[:, :-1] * tags + tag_indices[:, 1:])
    return reduce_sum(scores * _mask(sequence_lengths, tag_indices, scores.dtype)[:, 1:], 1)


def _mask(lengths, tag_indices, dtype):
    """1 for each step of a sequence, 0 for padding."""
    return sequence_mask(lengths, maxlen=shape(tag_indices)[1], dtype=dtype)


def crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params):
    """The score of each sequence of tags, not normalized; 0 for a sequence without steps.

    Args:
      inputs: A `Tensor` of shape [batch, time, tags], the unary potentials.
      tag_indices: An int32 or int64 `Tensor` of shape [batch, time].
      sequence_lengths: An integer `Tensor` of shape [batch].
      transition_params: A `Tensor` of shape [tags, tags].

    Returns:
      A `Tensor` of shape [batch].

    Raises:
      ValueError: The shapes don't fit together.
    """
    unary = crf_unary_score(tag_indices, sequence_lengths, inputs)
    return unary + crf_binary_score(tag_indices, sequence_lengths, transition_params)


def crf_multitag_sequence_score(inputs, tag_bitmap, sequence_lengths, transition_params):
    """The logarithm of the sum of exp(score) over all sequences of allowed tags.

    Args:
      inputs: A `Tensor` of shape [batch, time, tags], the unary potentials.
      tag_bitmap: A boolean `Tensor` of shape [batch, time, tags]: which tags are allowed at each step.
      sequence_lengths: An integer `Tensor` of shape [batch].
      transition_params: A `Tensor` of shape [tags, tags].

    Returns:
      A `Tensor` of shape [batch].

    Raises:
      ValueError: The shapes don't fit together.
    """
    inputs = convert_to_tensor(inputs)
    nothing = fill(shape(inputs), constant(float("-inf"), inputs.dtype))
    allowed = where(cast(tag_bitmap, dtypes.bool), inputs, nothing)
    return crf_log_norm(allowed, sequence_lengths, transition_params)


def crf_log_norm(inputs, sequence_lengths, transition_params):
    """The logarithm of the sum of exp(score) over all sequences of tags; 0 for a sequence without steps.

    Args:
      inputs: A `Tensor` of shape [batch, time, tags], the unary potentials.
      sequence_lengths: An integer `Tensor` of shape [batch].
      transition_params: A `Tensor` of shape [tags, tags].

    Returns:
      A `Tensor` of shape [batch].

    Raises:
      ValueError: The shapes don't fit together.
    """
    inputs, lengths = convert_to_tensor(inputs), convert_to_tensor(sequence_lengths)
    first = inputs[:, 0]

    def after_the_last_step():
        cell = CrfForwardRnnCell(transition_params)
        return dynamic_rnn(cell, inputs[:, 1:], _steps_after_first(lengths), first)[1]

    alphas = smart_cond(_has_one_step(inputs), lambda: first, after_the_last_step)
    log_norm = reduce_logsumexp(alphas, [1])
    return where(less_equal(lengths, zeros_like(lengths)), zeros_like(log_norm), log_norm)


def _has_one_step(inputs):
    time = inputs.shape[1].value
    return equal(shape(inputs)[1], 1) if time is None else time == 1


def _steps_after_first(lengths):
    return maximum(constant(0, lengths.dtype), lengths - 1)


def crf_log_likelihood(inputs, tag_indices, sequence_lengths, transition_params=None):
    """The logarithm of the probability of each sequence of tags.

    Args:
      inputs: A `Tensor` of shape [batch, time, tags], the unary potentials.
      tag_indices: An int32 or int64 `Tensor` of shape [batch, time].
      sequence_lengths: An integer `Tensor` of shape [batch].
      transition_params: A `Tensor` of shape [tags, tags]; a new variable, "transitions", by default.

    Returns:
      A pair: a `Tensor` of shape [batch], and the potentials of the transitions.

    Raises:
      ValueError: The shapes don't fit together.

    Example:

    >>> inputs, tags = tf.ones([1, 3, 2]), [[0, 1, 1]]
    >>> log_likelihood, _ = tf.contrib.crf.crf_log_likelihood(inputs, tags, [3], tf.zeros([2, 2]))
    >>> print(sess.run(tf.exp(log_likelihood)))  # all 8 sequences are equally probable
    [0.125]
    """
    inputs = convert_to_tensor(inputs)
    tags = inputs.shape[2].value
    if transition_params is None:
        transition_params = get_variable("transitions", [tags, tags])
    scores = crf_sequence_score(inputs, tag_indices, sequence_lengths, transition_params)
    return scores - crf_log_norm(inputs, sequence_lengths, transition_params), transition_params


# ---- Decoding


def viterbi_decode(score, transition_params):
    """The sequence of tags with the highest score, in NumPy.

    Args:
      score: An array of shape [time, tags], the unary potentials.
      transition_params: An array of shape [tags, tags].

    Returns:
      A pair: a list of tags, and the score of that sequence.

    Raises:
      ValueError: The shapes don't fit together.

    Example:

    >>> tags, score = tf.contrib.crf.viterbi_decode(np.array([[3.0, 0], [0, 1], [0, 2]]), np.array([[0, -2], [0, 0]]))
    >>> print(*tags, score)
    0 1 1 4.0
    """
    best = np.zeros_like(score)
    before = np.zeros_like(score, dtype=np.int32)
    best[0] = score[0]
    for t in np.arange(1, len(score)):
        through = best[t - 1][:, np.newaxis] + transition_params
        best[t] = score[t] + through.max(0)
        before[t] = through.argmax(0)
    tags = [np.argmax(best[-1])]
    for row in before[:0:-1]:
        tags.append(row[tags[-1]])
    return tags[::-1], best[-1].max()


def crf_decode(potentials, transition_params, sequence_length):
    """The sequence of tags with the highest score.

    Args:
      potentials: A `Tensor` of shape [batch, time, tags], the unary potentials.
      transition_params: A `Tensor` of shape [tags, tags].
      sequence_length: An integer `Tensor` of shape [batch].

    Returns:
      A pair: an int32 `Tensor` of shape [batch, time], the tags, 0 after the end of a sequence; and a `Tensor` of shape
      [batch], the scores.

    Raises:
      ValueError: The shapes don't fit together.

    Example:

    >>> potentials = [[[3.0, 0], [0, 1], [0, 2]]]
    >>> tags, score = tf.contrib.crf.crf_decode(potentials, [[0.0, -2], [0, 0]], [3])
    >>> print(sess.run(tags), sess.run(score))
    [[0 1 1]] [4.]
    """
    potentials, lengths = convert_to_tensor(potentials), convert_to_tensor(sequence_length)
    return smart_cond(
        _has_one_step(potentials),
        lambda: _decode_step(potentials[:, 0]),
        lambda: _decode_sequences(potentials, transition_params, lengths),
    )


def _decode_step(scores):
    return expand_dims(argmax(scores, 1, output_type=dtypes.int32), 1), reduce_max(scores, 1)


def _decode_sequences(potentials, transition_params, lengths):
    """The tags before those of the best sequences so far, from the second step on; then back from the last tag."""
    steps = _steps_after_first(lengths)
    cell = CrfDecodeForwardRnnCell(transition_params)
    before, best = dynamic_rnn(cell, potentials[:, 1:], steps, potentials[:, 0], dtypes.int32)
    last, score = _decode_step(best)
    backward = CrfDecodeBackwardRnnCell(potentials.shape[2].value)
    tags, _ = dynamic_rnn(backward, reverse_sequence(before, steps, seq_axis=1), steps, last, dtypes.int32)
    return reverse_sequence(concat([last, squeeze(tags, [2])], 1), lengths, seq_axis=1), score


# ---- Cells


class _OfTransitions(RNNCell):
    """A cell whose state has a value for each tag.

    Args:
      transition_params: A `Tensor` of shape [tags, tags].
    """

    def __init__(self, transition_params):
        super().__init__()
        transition_params = convert_to_tensor(transition_params)
        self._transition_params = expand_dims(transition_params, 0)
        self._num_tags = transition_params.shape[0].value

    @property
    def state_size(self):
        return self._num_tags

    @property
    def output_size(self):
        return self._num_tags

    def _through(self, state):
        """[batch, tag before, tag]: the state plus the potential of each transition."""
        return expand_dims(state, 2) + self._transition_params


class CrfForwardRnnCell(_OfTransitions):
    """The logarithms of the sums over all sequences that end with each tag: output and state.

    Args:
      transition_params: A `Tensor` of shape [tags, tags].
    """

    def call(self, inputs, state):
        alphas = inputs + reduce_logsumexp(self._through(state), [1])
        return alphas, alphas


class CrfDecodeForwardRnnCell(_OfTransitions):
    """For each tag, the tag before it in the best sequence that ends with it (output), and its score (state).

    Args:
      transition_params: A `Tensor` of shape [tags, tags].
    """

    def call(self, inputs, state):
        through = self._through(state)
        return argmax(through, 1, output_type=dtypes.int32), inputs + reduce_max(through, [1])


class CrfDecodeBackwardRnnCell(RNNCell):
    """Follows what `CrfDecodeForwardRnnCell` returns back from the last tag: output and state are the tag before.

    Args:
      num_tags: An int, the number of tags.
    """

    def __init__(self, num_tags):
        super().__init__()
        self._num_tags = num_tags

    @property
    def state_size(self):
        return 1

    @property
    def output_size(self):
        return 1

    def call(self, inputs, state):
        tag = squeeze(state, [1])
        before = expand_dims(gather_nd(inputs, stack([range(shape(inputs)[0]), tag], 1)), 1)
        return before, before
