"""Decoders over lists of steps: with embedded inputs or without, with attention or without."""

from tfcore.composed.nn.embedding import embedding_lookup
from tfcore.framework.types import nest
from tfcore.framework.values.conversion import convert_to_tensor
from tfcore.ops.array.array import reshape, shape, stop_gradient
from tfcore.ops.array.constants import zeros
from tfcore.ops.array.join import concat, stack
from tfcore.ops.conv.conv import conv2d
from tfcore.ops.cwise.unary import tanh
from tfcore.ops.nn.basic import xw_plus_b
from tfcore.ops.nn.softmax import softmax
from tfcore.ops.reduce.arg import argmax
from tfcore.ops.reduce.reduce import reduce_sum
from tfcore.rnn.contrib_cells import linear
from tfcore.variables.variable_scope import get_variable, get_variable_scope, variable_scope


def embed_best_symbol(embedding, output_projection=None, update_embedding=True):
    """A `loop_function` that embeds the symbol with the highest output.

    Args:
      embedding: The embedding matrix.
      output_projection: A pair (weights, biases), which turn outputs into scores of symbols; None if outputs are such.
      update_embedding: Whether gradients flow to the embedding.
    """

    def loop_function(previous, _):
        if output_projection is not None:
            previous = xw_plus_b(previous, *output_projection)
        embedded = embedding_lookup(embedding, argmax(previous, 1))
        return embedded if update_embedding else stop_gradient(embedded)

    return loop_function


def check_projection(output_projection, num_symbols, dtype):
    """Raises ValueError unless the weights are [any, num_symbols] and the biases [num_symbols]."""
    for value, dims in zip(output_projection, ([None, num_symbols], [num_symbols])):
        convert_to_tensor(value, dtype=dtype).shape.assert_is_compatible_with(dims)


def rnn_decoder(decoder_inputs, initial_state, cell, loop_function=None, scope=None):
    """Runs a cell over a list of inputs, or over what a function makes of its outputs.

    Args:
      decoder_inputs: A list of `Tensor`s of shape [batch, input_size].
      initial_state: The state to begin with.
      cell: An `RNNCell`.
      loop_function: A function of the last output and the number of the step that returns the next input; the inputs
        after the first are ignored then (optional).
      scope: Name or `VariableScope` of the variables; "rnn_decoder" by default.

    Returns:
      A list of the outputs, and the final state.

    Raises:
      ValueError: The inputs do not fit the cell.
    """
    with variable_scope(scope or "rnn_decoder"):
        state, outputs = initial_state, []
        for i, value in enumerate(decoder_inputs):
            value = _next_input(value, outputs, loop_function, i)
            if i:
                get_variable_scope().reuse_variables()
            output, state = cell(value, state)
            outputs.append(output)
    return outputs, state


def _next_input(value, outputs, loop_function, i):
    if loop_function is None or not outputs:
        return value
    with variable_scope("loop_function", reuse=True):
        return loop_function(outputs[-1], i)


def embedding_rnn_decoder(
    decoder_inputs,
    initial_state,
    cell,
    num_symbols,
    embedding_size,
    output_projection=None,
    feed_previous=False,
    update_embedding_for_previous=True,
    scope=None,
):
    """`rnn_decoder` over symbols, whose embedding is the variable "embedding".

    Args:
      decoder_inputs: A list of int32 `Tensor`s of shape [batch].
      initial_state: The state to begin with.
      cell: An `RNNCell`.
      num_symbols: An int, the number of symbols.
      embedding_size: An int, the size of their vectors.
      output_projection: A pair (weights, biases), of shape [output_size, num_symbols] and [num_symbols], which turn
        outputs into scores of symbols for `feed_previous`; None if outputs are such scores.
      feed_previous: Whether the symbol with the highest score is the next input; the inputs after the first are ignored
        then.
      update_embedding_for_previous: Whether gradients flow to the embedding through these symbols.
      scope: Name or `VariableScope` of the variables; "embedding_rnn_decoder" by default.

    Returns:
      A list of the outputs, and the final state.

    Raises:
      ValueError: The projection has the wrong shape.
    """
    with variable_scope(scope or "embedding_rnn_decoder") as scope:
        if output_projection is not None:
            check_projection(output_projection, num_symbols, scope.dtype)
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop = embed_best_symbol(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        embedded = [embedding_lookup(embedding, value) for value in decoder_inputs]
        return rnn_decoder(embedded, initial_state, cell, loop_function=loop)


# ---- Attention


class _Attention:
    """Weighted means of the attention states, with the weights softmax(sum(v * tanh(W * states + U * query))).

    Source: O. Vinyals et al., "Grammar as a Foreign Language", NIPS 2015.
    """

    def __init__(self, states, num_heads):
        self.size = states.shape[2].value
        self._length = states.shape[1].value
        if self._length is None:
            self._length = shape(states)[1]
        self._hidden = reshape(states, [-1, self._length, 1, self.size])
        self._heads = []
        for head in range(num_heads):
            w = get_variable(f"AttnW_{head}", [1, 1, self.size, self.size])
            features = conv2d(self._hidden, w, [1, 1, 1, 1], "SAME")
            self._heads.append((features, get_variable(f"AttnV_{head}", [self.size])))

    def __call__(self, query):
        """What each head reads, a list of [batch, size]."""
        if nest.is_nested(query):
            query = concat(nest.flatten(query), 1)
        return [self._read(query, head, *parts) for head, parts in enumerate(self._heads)]

    def _read(self, query, head, features, v):
        with variable_scope(f"Attention_{head}"):
            y = reshape(linear(query, self.size), [-1, 1, 1, self.size])
            weights = softmax(reduce_sum(v * tanh(features + y), [2, 3]))
            read = reduce_sum(reshape(weights, [-1, self._length, 1, 1]) * self._hidden, [1, 2])
            return reshape(read, [-1, self.size])


def attention_decoder(
    decoder_inputs,
    initial_state,
    attention_states,
    cell,
    output_size=None,
    num_heads=1,
    loop_function=None,
    dtype=None,
    scope=None,
    initial_state_attention=False,
):
    """Runs a cell over a list of inputs, each with what attention to given states read after the step before.

    Args:
      decoder_inputs: A list of `Tensor`s of shape [batch, input_size].
      initial_state: The state to begin with.
      attention_states: A `Tensor` of shape [batch, length, size]: the states to attend to.
      cell: An `RNNCell`.
      output_size: An int, the size of the outputs; that of the cell by default.
      num_heads: An int: how many times the states are read.
      loop_function: A function of the last output and the number of the step that returns the next input; the inputs
        after the first are ignored then (optional).
      dtype: The type of the variables; that of the variable scope by default.
      scope: Name or `VariableScope` of the variables; "attention_decoder" by default.
      initial_state_attention: Whether the states are read with the initial state before the first step; zeros are used
        by default.

    Returns:
      A list of the outputs, `Tensor`s of shape [batch, output_size], and the final state.

    Raises:
      ValueError: There are no inputs or no heads, or a size is not known.
    """
    if not decoder_inputs:
        raise ValueError("Must provide at least 1 input to attention decoder.")
    if num_heads < 1:
        raise ValueError("With less than 1 heads, use a non-attention decoder.")
    if attention_states.shape[2].value is None:
        raise ValueError(f"Shape[2] of attention_states must be known: {attention_states.shape}")
    with variable_scope(scope or "attention_decoder", dtype=dtype) as scope:
        attention = _Attention(attention_states, num_heads)
        if initial_state_attention:
            read = attention(initial_state)
        else:
            batch = shape(decoder_inputs[0])[0]
            read = [_zeros(batch, attention.size, scope.dtype) for _ in range(num_heads)]
        state, outputs = initial_state, []
        for i, value in enumerate(decoder_inputs):
            if i:
                get_variable_scope().reuse_variables()
            value = _next_input(value, outputs, loop_function, i)
            output, state = cell(_merged(value, read), state)
            # The variables exist already if the initial state was a query.
            with variable_scope(get_variable_scope(), reuse=True if initial_state_attention else None):
                read = attention(state)
            with variable_scope("AttnOutputProjection"):
                outputs.append(linear([output, *read], cell.output_size if output_size is None else output_size))
    return outputs, state


def _zeros(batch, size, dtype):
    value = zeros(stack([batch, size]), dtype)
    value.set_shape([None, size])
    return value


def _merged(value, read):
    """The input and what was read, in the size of the input."""
    size = value.shape.with_rank(2)[1].value
    if size is None:
        raise ValueError(f"Could not infer input size from input: {value.name}")
    return linear([value, *read], size)


def embedding_attention_decoder(
    decoder_inputs,
    initial_state,
    attention_states,
    cell,
    num_symbols,
    embedding_size,
    num_heads=1,
    output_size=None,
    output_projection=None,
    feed_previous=False,
    update_embedding_for_previous=True,
    dtype=None,
    scope=None,
    initial_state_attention=False,
):
    """`attention_decoder` over symbols, whose embedding is the variable "embedding".

    Args:
      decoder_inputs: A list of int32 `Tensor`s of shape [batch].
      initial_state: The state to begin with.
      attention_states: A `Tensor` of shape [batch, length, size]: the states to attend to.
      cell: An `RNNCell`.
      num_symbols: An int, the number of symbols.
      embedding_size: An int, the size of their vectors.
      num_heads: An int: how many times the states are read.
      output_size: An int, the size of the outputs; that of the cell by default.
      output_projection: A pair (weights, biases), of shape [output_size, num_symbols] and [num_symbols], which turn
        outputs into scores of symbols for `feed_previous`; None if outputs are such scores.
      feed_previous: Whether the symbol with the highest score is the next input; the inputs after the first are ignored
        then.
      update_embedding_for_previous: Whether gradients flow to the embedding through these symbols.
      dtype: The type of the variables; that of the variable scope by default.
      scope: Name or `VariableScope` of the variables; "embedding_attention_decoder" by default.
      initial_state_attention: Whether the states are read with the initial state before the first step.

    Returns:
      A list of the outputs, `Tensor`s of shape [batch, output_size], and the final state.

    Raises:
      ValueError: The projection has the wrong shape, there are no inputs or no heads, or a size is not known.
    """
    if output_projection is not None:
        convert_to_tensor(output_projection[1], dtype=dtype).shape.assert_is_compatible_with([num_symbols])
    with variable_scope(scope or "embedding_attention_decoder", dtype=dtype):
        embedding = get_variable("embedding", [num_symbols, embedding_size])
        loop = embed_best_symbol(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        return attention_decoder(
            [embedding_lookup(embedding, value) for value in decoder_inputs],
            initial_state,
            attention_states,
            cell,
            output_size=output_size,
            num_heads=num_heads,
            loop_function=loop,
            initial_state_attention=initial_state_attention,
        )
