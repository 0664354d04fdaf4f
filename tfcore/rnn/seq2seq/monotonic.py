"""Monotonic attention, which never goes back in the memory."""

import functools

import numpy as np

from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.layers.core import Dense
from tfcore.ops.array.array import reshape, shape, transpose
from tfcore.ops.array.constants import ones_like
from tfcore.ops.array.constants import zeros as zeros_of_shape
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.functional import scan
from tfcore.ops.cwise.cast import cast
from tfcore.ops.cwise.clip import clip_by_value
from tfcore.ops.cwise.unary import exp, log, sigmoid
from tfcore.ops.indexing.select import one_hot
from tfcore.ops.random.random import random_normal
from tfcore.ops.reduce.scan import cumprod, cumsum
from tfcore.rnn.seq2seq.attention import MemoryAttention, bahdanau_score, luong_score
from tfcore.variables.initializers import constant_initializer
from tfcore.variables.variable_scope import get_variable, variable_scope


def safe_cumprod(x, *args, **kwargs):
    """The cumulative product of numbers in [0, 1], as a sum of logarithms: small ones do not make it 0.

    Args:
      x: A floating-point `Tensor`.
      *args: Further arguments of `tf.cumsum`.
      **kwargs: Further arguments of `tf.cumsum`.

    Returns:
      A `Tensor` of the type and shape of `x`.

    Raises:
      ValueError: `x` has no floating-point type.
    """
    with name_scope(None, "SafeCumprod", [x]):
        x = convert_to_tensor(x, name="x")
        tiny = np.finfo(x.dtype.as_numpy_dtype).tiny
        return exp(cumsum(log(clip_by_value(x, tiny, 1)), *args, **kwargs))


def monotonic_attention(p_choose_i, previous_attention, mode):
    """The attention to each step of a memory that is read from left to right.

    Each query goes on from the step that the last one attended to, and stops at each step with a probability.

    Source: C. Raffel et al., "Online and Linear-Time Attention by Enforcing Monotonic Alignments", ICML 2017.

    Args:
      p_choose_i: A `Tensor` of shape [batch, memory time]: the probabilities of stopping.
      previous_attention: A `Tensor` of this shape: the attention of the last query; at first 1 at the first step.
      mode: "recursive": step by step, exact. "parallel": by cumulative sums, which may lose digits. "hard": the
        probabilities are 0 and 1, and the attention is one step.

    Returns:
      A `Tensor` of this shape.

    Raises:
      ValueError: The mode is unknown.
    """
    p = convert_to_tensor(p_choose_i, name="p_choose_i")
    previous = convert_to_tensor(previous_attention, name="previous_attention")
    if mode == "recursive":
        passed = concat([ones_like(p[:, :1]), 1 - p[:, :-1]], 1)
        batch = p.shape[0].value or shape(p)[0]
        arrived = scan(
            lambda before, step: reshape(step[0] * before + step[1], (batch,)),
            [transpose(passed), transpose(previous)],
            zeros_of_shape((batch,), p.dtype),
        )
        return p * transpose(arrived)
    if mode == "parallel":
        passed = safe_cumprod(1 - p, axis=1, exclusive=True)
        return p * passed * cumsum(previous / clip_by_value(passed, 1e-10, 1.0), axis=1)
    if mode == "hard":
        p = p * cumsum(previous, axis=1)  # nothing before the last step
        return p * cumprod(1 - p, axis=1, exclusive=True)
    raise ValueError("mode must be 'recursive', 'parallel', or 'hard'.")


def _probabilities(score, previous, noise, mode, seed):
    """The attention, from scores whose sigmoid is the probability of stopping. Noise makes it 0 or 1 in the end."""
    if noise > 0:
        score = score + noise * random_normal(shape(score), dtype=score.dtype, seed=seed)
    p = cast(score > 0, score.dtype) if mode == "hard" else sigmoid(score)
    return monotonic_attention(p, previous, mode)


class _MonotonicAttention(MemoryAttention):
    """What both kinds share: the attention begins at the first step."""

    def initial_alignments(self, batch_size, dtype):
        return one_hot(zeros_of_shape((batch_size,), dtypes.int32), self._alignments_size, dtype=dtype)

    def _with_bias(self, score, query):
        initial = constant_initializer(self._score_bias_init)
        return score + get_variable("attention_score_bias", shape=(), dtype=query.dtype, initializer=initial)


class BahdanauMonotonicAttention(_MonotonicAttention):
    """Monotonic attention with the score of `BahdanauAttention` and a bias, "attention_score_bias".

    Args:
      num_units: An int: the depth of the keys and of the processed queries.
      memory: A `Tensor` of shape [batch, memory time, depth], such as the outputs of an encoder.
      memory_sequence_length: An int32 vector of size batch: nothing after that many steps is attended to.
      normalize: Whether v is a direction times a length (weight normalization) and there is a bias.
      score_mask_value: The score of steps past the end of a sequence; -inf by default.
      sigmoid_noise: Deviation of normal noise that is added to the scores, for training.
      sigmoid_noise_seed: The seed of the noise.
      score_bias_init: Initial value of the bias; a negative one lets the attention go far at first.
      mode: "recursive", "parallel" or "hard", see `monotonic_attention`.
      dtype: The type of the layers; float32 by default.
      name: Prefix of the names of the operations (optional).

    Raises:
      ValueError: A size is unknown, or the shapes don't fit together.
    """

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        normalize=False,
        score_mask_value=None,
        sigmoid_noise=0.0,
        sigmoid_noise_seed=None,
        score_bias_init=0.0,
        mode="parallel",
        dtype=None,
        name="BahdanauMonotonicAttention",
    ):
        layer = functools.partial(Dense, num_units, use_bias=False, dtype=dtype or dtypes.float32)
        super().__init__(
            query_layer=layer(name="query_layer"),
            memory_layer=layer(name="memory_layer"),
            memory=memory,
            probability_fn=functools.partial(_probabilities, noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._normalize, self._score_bias_init = normalize, score_bias_init

    def __call__(self, query, state):
        with variable_scope(None, "bahdanau_monotonic_attention", [query]):
            score = bahdanau_score(self._query_layer(query), self._keys, self._normalize)
            score = self._with_bias(score, query)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class LuongMonotonicAttention(_MonotonicAttention):
    """Monotonic attention with the score of `LuongAttention` and a bias, "attention_score_bias".

    Args:
      num_units: An int: the depth of the keys, which must be that of the queries.
      memory: A `Tensor` of shape [batch, memory time, depth], such as the outputs of an encoder.
      memory_sequence_length: An int32 vector of size batch: nothing after that many steps is attended to.
      scale: Whether to multiply the score by a variable, "attention_g".
      score_mask_value: The score of steps past the end of a sequence; -inf by default.
      sigmoid_noise: Deviation of normal noise that is added to the scores, for training.
      sigmoid_noise_seed: The seed of the noise.
      score_bias_init: Initial value of the bias; a negative one lets the attention go far at first.
      mode: "recursive", "parallel" or "hard", see `monotonic_attention`.
      dtype: The type of the layers; float32 by default.
      name: Prefix of the names of the operations (optional).

    Raises:
      ValueError: A size is unknown, or the shapes don't fit together.
    """

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        scale=False,
        score_mask_value=None,
        sigmoid_noise=0.0,
        sigmoid_noise_seed=None,
        score_bias_init=0.0,
        mode="parallel",
        dtype=None,
        name="LuongMonotonicAttention",
    ):
        super().__init__(
            query_layer=None,
            memory_layer=Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype or dtypes.float32),
            memory=memory,
            probability_fn=functools.partial(_probabilities, noise=sigmoid_noise, mode=mode, seed=sigmoid_noise_seed),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            name=name,
        )
        self._scale, self._score_bias_init = scale, score_bias_init

    def __call__(self, query, state):
        with variable_scope(None, "luong_monotonic_attention", [query]):
            score = self._with_bias(luong_score(query, self._keys, self._scale), query)
        alignments = self._probability_fn(score, state)
        return alignments, alignments
