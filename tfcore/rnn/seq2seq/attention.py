"""Attention mechanisms: the weights with which a query [batch, depth] attends to a memory [batch, time, depth]."""

import functools
import math

import numpy as np

from tfcore.framework.graph.graph import control_dependencies, name_scope
from tfcore.framework.types import dtypes, nest
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.layers.base import Layer
from tfcore.layers.core import Dense
from tfcore.ops.array.array import expand_dims, reshape, shape, squeeze
from tfcore.ops.array.constants import ones_like, sequence_mask
from tfcore.ops.array.join import concat
from tfcore.ops.cwise.select import where
from tfcore.ops.cwise.unary import rsqrt, square, tanh
from tfcore.ops.debugging.check import assert_equal, assert_positive
from tfcore.ops.indexing.select import one_hot
from tfcore.ops.linalg.matmul import matmul
from tfcore.ops.nn.softmax import softmax
from tfcore.ops.reduce.arg import argmax
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.rnn.base import zeros_of
from tfcore.variables.initializers import constant_initializer, ones_initializer, zeros_initializer
from tfcore.variables.variable_scope import get_variable, variable_scope


class AttentionMechanism:
    """Interface of the attention mechanisms that an `AttentionWrapper` uses.

    `alignments, next_state = mechanism(query, state)`; both results have the shape [batch, memory time].
    """

    @property
    def alignments_size(self):
        """The memory time: the number of columns of the alignments."""
        raise NotImplementedError

    @property
    def state_size(self):
        """The number of columns of the state."""
        raise NotImplementedError


def hardmax(logits, name=None):
    """One-hot vector of the largest logit along the last dimension.

    Args:
      logits: A `Tensor` of shape [..., depth], of a real numeric type.
      name: Prefix of the names of the operations (optional).

    Returns:
      A `Tensor` of the type and shape of `logits`: 1 at the first maximum, 0 elsewhere.

    Raises:
      IndexError: `logits` is a scalar.
    """
    with name_scope(name, "Hardmax", [logits]):
        logits = convert_to_tensor(logits, name="logits")
        if logits.shape.ndims == 0:
            raise IndexError("hardmax of a scalar: logits must have at least one dimension")
        depth = logits.shape[-1].value or shape(logits)[-1]
        return one_hot(argmax(logits, -1), depth, dtype=logits.dtype)


def _masked_memory(memory, lengths, check_inner_dims_defined):
    """The memory, with zeros after the end of each sequence."""
    memory = nest.map_structure(lambda m: convert_to_tensor(m, name="memory"), memory)
    if check_inner_dims_defined:
        for m in nest.flatten(memory):
            if not m.shape[2:].is_fully_defined():
                raise ValueError(f"Expected memory {m.name} to have fully defined inner dims, but saw shape: {m.shape}")
    if lengths is None:
        return memory
    flat = nest.flatten(memory)
    mask = sequence_mask(lengths, maxlen=shape(flat[0])[1], dtype=flat[0].dtype)
    batch = lengths.shape[0].value or shape(lengths)[0]

    def masked(m):
        ones = [1] * (m.shape.ndims - 2)
        own_batch = m.shape[0].value or shape(m)[0]
        text = "memory_sequence_length and memory tensor batch sizes do not match."
        with control_dependencies([assert_equal(batch, own_batch, message=text)]):
            return m * reshape(mask, concat([shape(mask), ones], 0))

    return nest.map_structure(masked, memory)


def _masked_score(score, lengths, mask_value):
    """The score, with mask_value after the end of each sequence."""
    if lengths is None:
        return score
    text = "All values in memory_sequence_length must greater than zero."
    with control_dependencies([assert_positive(lengths, message=text)]):
        mask = sequence_mask(lengths, maxlen=shape(score)[1])
        return where(mask, score, mask_value * ones_like(score))


class MemoryAttention(AttentionMechanism):
    """A mechanism with a memory, whose keys are computed by a layer. The state is the alignments of the last step."""

    def __init__(
        self,
        query_layer,
        memory,
        probability_fn,
        memory_sequence_length=None,
        memory_layer=None,
        check_inner_dims_defined=True,
        score_mask_value=None,
        custom_key_value_fn=None,
        name=None,
    ):
        for what, layer in (("query_layer", query_layer), ("memory_layer", memory_layer)):
            if layer is not None and not isinstance(layer, Layer):
                raise TypeError(f"{what} is not a Layer: {type(layer).__name__}")
        if not callable(probability_fn):
            raise TypeError(f"probability_fn must be callable, saw type: {type(probability_fn).__name__}")
        self._query_layer, self._memory_layer = query_layer, memory_layer
        self.dtype = memory_layer.dtype
        with name_scope(name, "BaseAttentionMechanismInit", nest.flatten(memory)):
            lengths = memory_sequence_length
            if lengths is not None:
                lengths = convert_to_tensor(lengths, name="memory_sequence_length")
            self._values = _masked_memory(memory, lengths, check_inner_dims_defined)
            self._keys = memory_layer(self._values) if memory_layer else self._values
            if custom_key_value_fn is not None:
                self._keys, self._values = custom_key_value_fn(self._keys, self._values)
            self._batch_size = self._keys.shape[0].value or shape(self._keys)[0]
            self._alignments_size = self._keys.shape[1].value or shape(self._keys)[1]
        if score_mask_value is None:
            score_mask_value = dtypes.as_dtype(self.dtype).as_numpy_dtype(-np.inf)
        self._probability_fn = lambda score, state: probability_fn(
            _masked_score(score, lengths, score_mask_value), state
        )

    @property
    def memory_layer(self):
        return self._memory_layer

    @property
    def query_layer(self):
        return self._query_layer

    @property
    def values(self):
        return self._values

    @property
    def keys(self):
        return self._keys

    @property
    def batch_size(self):
        return self._batch_size

    @property
    def alignments_size(self):
        return self._alignments_size

    @property
    def state_size(self):
        return self._alignments_size

    def initial_alignments(self, batch_size, dtype):
        """Zeros [batch, time]."""
        return zeros_of(batch_size, self._alignments_size, dtype)

    def initial_state(self, batch_size, dtype):
        return self.initial_alignments(batch_size, dtype)


def _of_score_alone(probability_fn):
    """Turns a probability function of the score into one of score and state; softmax by default."""
    function = softmax if probability_fn is None else probability_fn
    if not callable(function):
        return function  # the base class reports the error
    return lambda score, _: function(score)


def luong_score(query, keys, scale):
    """query . keys, with the variable "attention_g" if scaled."""
    depth, units = query.shape[-1].value, keys.shape[-1].value
    if depth != units or depth is None:
        raise ValueError(
            "Incompatible or unknown inner dimensions between query and keys.  "
            f"Query ({query}) has units: {depth}.  Keys ({keys}) have units: {units}.  Perhaps you "
            f"need to set num_units to the keys' dimension ({units})?"
        )
    score = squeeze(matmul(expand_dims(query, 1), keys, transpose_b=True), [1])
    if not scale:
        return score
    return get_variable("attention_g", dtype=query.dtype, initializer=ones_initializer(), shape=()) * score


def bahdanau_score(query, keys, normalize):
    """v . tanh(keys + query), with the variable "attention_v"; normalized with two others."""
    units, dtype = query.shape[-1].value, query.dtype
    v = get_variable("attention_v", [units], dtype=dtype)
    total = keys + expand_dims(query, 1)
    if normalize:
        length = constant_initializer(math.sqrt(1.0 / units))
        g = get_variable("attention_g", dtype=dtype, initializer=length, shape=())
        b = get_variable("attention_b", [units], dtype=dtype, initializer=zeros_initializer())
        v = g * v * rsqrt(reduce_sum(square(v)))
        total = total + b
    return reduce_sum(v * tanh(total), [2])


class LuongAttention(MemoryAttention):
    """Multiplicative attention: score = query . memory_layer(memory).

    Source: M.-T. Luong et al., "Effective Approaches to Attention-based Neural Machine Translation", EMNLP 2015.

    Args:
      num_units: An int: the depth of the keys, which must be that of the queries.
      memory: A `Tensor` of shape [batch, memory time, depth], such as the outputs of an encoder.
      memory_sequence_length: An int32 vector of size batch: nothing after that many steps is attended to.
      scale: Whether to multiply the score by a variable, "attention_g".
      probability_fn: A function of the scores [batch, memory time] that returns the alignments; softmax by default.
      score_mask_value: The score of steps past the end of a sequence; -inf by default.
      dtype: The type of the layers; float32 by default.
      custom_key_value_fn: A function of keys and values that returns new ones.
      name: Prefix of the names of the operations (optional).

    Raises:
      ValueError: A size is unknown, or the shapes don't fit together.
      TypeError: `probability_fn` is not callable.
    """

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        scale=False,
        probability_fn=None,
        score_mask_value=None,
        dtype=None,
        custom_key_value_fn=None,
        name="LuongAttention",
    ):
        super().__init__(
            query_layer=None,
            memory_layer=Dense(num_units, name="memory_layer", use_bias=False, dtype=dtype or dtypes.float32),
            memory=memory,
            probability_fn=_of_score_alone(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._scale = scale

    def __call__(self, query, state):
        with variable_scope(None, "luong_attention", [query]):
            score = luong_score(query, self._keys, self._scale)
        alignments = self._probability_fn(score, state)
        return alignments, alignments


class BahdanauAttention(MemoryAttention):
    """Additive attention: score = v . tanh(memory_layer(memory) + query_layer(query)).

    Source: D. Bahdanau et al., "Neural Machine Translation by Jointly Learning to Align and Translate", ICLR 2015.

    Args:
      num_units: An int: the depth of the keys and of the processed queries.
      memory: A `Tensor` of shape [batch, memory time, depth], such as the outputs of an encoder.
      memory_sequence_length: An int32 vector of size batch: nothing after that many steps is attended to.
      normalize: Whether v is a direction times a length (weight normalization) and there is a bias.
      probability_fn: A function of the scores [batch, memory time] that returns the alignments; softmax by default.
      score_mask_value: The score of steps past the end of a sequence; -inf by default.
      dtype: The type of the layers; float32 by default.
      custom_key_value_fn: A function of keys and values that returns new ones.
      name: Prefix of the names of the operations (optional).

    Raises:
      ValueError: A size is unknown, or the shapes don't fit together.
      TypeError: `probability_fn` is not callable.
    """

    def __init__(
        self,
        num_units,
        memory,
        memory_sequence_length=None,
        normalize=False,
        probability_fn=None,
        score_mask_value=None,
        dtype=None,
        custom_key_value_fn=None,
        name="BahdanauAttention",
    ):
        layer = functools.partial(Dense, num_units, use_bias=False, dtype=dtype or dtypes.float32)
        super().__init__(
            query_layer=layer(name="query_layer"),
            memory_layer=layer(name="memory_layer"),
            memory=memory,
            probability_fn=_of_score_alone(probability_fn),
            memory_sequence_length=memory_sequence_length,
            score_mask_value=score_mask_value,
            custom_key_value_fn=custom_key_value_fn,
            name=name,
        )
        self._normalize = normalize

    def __call__(self, query, state):
        with variable_scope(None, "bahdanau_attention", [query]):
            score = bahdanau_score(self._query_layer(query), self._keys, self._normalize)
        alignments = self._probability_fn(score, state)
        return alignments, alignments
