"""Encoder and decoder together, over lists of steps."""

import copy

from tfcore.composed.nn.embedding import embedding_lookup
from tfcore.framework.graph.graph import name_scope
from tfcore.framework.types import dtypes
from tfcore.ops.array.array import reshape
from tfcore.ops.array.join import concat
from tfcore.ops.control_flow.cond import cond
from tfcore.rnn.base import RNNCell
from tfcore.rnn.contrib_cells import EmbeddingWrapper, OutputProjectionWrapper
from tfcore.rnn.legacy_seq2seq.decoders import (
    check_projection,
    embed_best_symbol,
    embedding_attention_decoder,
    embedding_rnn_decoder,
    rnn_decoder,
)
from tfcore.rnn.legacy_seq2seq.losses import sequence_loss, sequence_loss_by_example
from tfcore.rnn.static import static_rnn
from tfcore.variables.variable_scope import get_variable, get_variable_scope, variable_scope


def basic_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, dtype=dtypes.float32, scope=None):
    """Encodes a list of inputs into a state, and decodes another list from it.

    Args:
      encoder_inputs: A list of `Tensor`s of shape [batch, input_size].
      decoder_inputs: A list of `Tensor`s of shape [batch, input_size].
      cell: An `RNNCell`; encoder and decoder have variables of their own.
      dtype: The type of the initial state.
      scope: Name or `VariableScope` of the variables; "basic_rnn_seq2seq" by default.

    Returns:
      A list of the decoder's outputs, and its final state.

    Raises:
      ValueError: The inputs do not fit the cell.
    """
    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(copy.deepcopy(cell), encoder_inputs, dtype=dtype)
        return rnn_decoder(decoder_inputs, state, cell)


def tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, loop_function=None, dtype=dtypes.float32, scope=None):
    """`basic_rnn_seq2seq` whose encoder and decoder share their variables.

    Args:
      encoder_inputs: A list of `Tensor`s of shape [batch, input_size].
      decoder_inputs: A list of `Tensor`s of shape [batch, input_size].
      cell: An `RNNCell`.
      loop_function: A function of the last output and the number of the step that returns the next input; the inputs
        of the decoder after the first are ignored then (optional).
      dtype: The type of the initial state.
      scope: Name or `VariableScope` of the variables; "tied_rnn_seq2seq" by default.

    Returns:
      A list of the decoder's outputs, and its final state.

    Raises:
      ValueError: The inputs do not fit the cell.
    """
    with variable_scope("combined_tied_rnn_seq2seq"):
        scope = scope or "tied_rnn_seq2seq"
        _, state = static_rnn(cell, encoder_inputs, dtype=dtype, scope=scope)
        get_variable_scope().reuse_variables()
        return rnn_decoder(decoder_inputs, state, cell, loop_function=loop_function, scope=scope)


def _decode(feed_previous, decode):
    """What `decode(feed_previous)` returns; if that is a tensor, of the branch that it chooses."""
    if isinstance(feed_previous, bool):
        return decode(feed_previous)

    def branch(feed):
        with variable_scope(get_variable_scope(), reuse=None if feed else True):
            return decode(feed)

    return cond(feed_previous, lambda: branch(True), lambda: branch(False), strict=True)


def embedding_rnn_seq2seq(
    encoder_inputs,
    decoder_inputs,
    cell,
    num_encoder_symbols,
    num_decoder_symbols,
    embedding_size,
    output_projection=None,
    feed_previous=False,
    dtype=None,
    scope=None,
):
    """`basic_rnn_seq2seq` over symbols; encoder and decoder have embeddings of their own.

    Args:
      encoder_inputs: A list of int32 `Tensor`s of shape [batch].
      decoder_inputs: A list of int32 `Tensor`s of shape [batch].
      cell: An `RNNCell`; encoder and decoder have variables of their own.
      num_encoder_symbols: An int, the number of symbols of the encoder.
      num_decoder_symbols: An int, the number of symbols of the decoder.
      embedding_size: An int, the size of their vectors.
      output_projection: A pair (weights, biases), of shape [output_size, num_decoder_symbols] and
        [num_decoder_symbols], which turn outputs into scores of symbols; the cell gets a projection by default.
      feed_previous: Whether the symbol with the highest score is the next input: a bool, or a boolean scalar `Tensor`.
      dtype: The type of the initial state; that of the variable scope by default.
      scope: Name or `VariableScope` of the variables; "embedding_rnn_seq2seq" by default.

    Returns:
      A list of the decoder's outputs, and its final state.

    Raises:
      ValueError: The projection has the wrong shape.
    """
    with variable_scope(scope or "embedding_rnn_seq2seq") as scope:
        if dtype is not None:
            scope.set_dtype(dtype)
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        _, encoded = static_rnn(encoder, encoder_inputs, dtype=scope.dtype)
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_decoder_symbols)

        def decode(feed):
            return embedding_rnn_decoder(
                decoder_inputs,
                encoded,
                cell,
                num_decoder_symbols,
                embedding_size,
                output_projection=output_projection,
                feed_previous=feed,
                update_embedding_for_previous=isinstance(feed_previous, bool),
            )

        return _decode(feed_previous, decode)


def embedding_tied_rnn_seq2seq(
    encoder_inputs,
    decoder_inputs,
    cell,
    num_symbols,
    embedding_size,
    num_decoder_symbols=None,
    output_projection=None,
    feed_previous=False,
    dtype=None,
    scope=None,
):
    """`tied_rnn_seq2seq` over symbols; encoder and decoder share the embedding, too.

    Args:
      encoder_inputs: A list of int32 `Tensor`s of shape [batch].
      decoder_inputs: A list of int32 `Tensor`s of shape [batch].
      cell: An `RNNCell`.
      num_symbols: An int, the number of symbols.
      embedding_size: An int, the size of their vectors.
      num_decoder_symbols: An int: the decoder uses the first symbols only (optional).
      output_projection: A pair (weights, biases), of shape [output_size, num_symbols] and [num_symbols], which turn
        outputs into scores of symbols; the cell gets a projection by default.
      feed_previous: Whether the symbol with the highest score is the next input: a bool, or a boolean scalar `Tensor`.
      dtype: The type of the variables and of the initial state; that of the variable scope by default.
      scope: Name or `VariableScope` of the variables; "embedding_tied_rnn_seq2seq" by default.

    Returns:
      A list of the decoder's outputs, and its final state.

    Raises:
      ValueError: The projection has the wrong shape.
    """
    with variable_scope(scope or "embedding_tied_rnn_seq2seq", dtype=dtype) as scope:
        if output_projection is not None:
            check_projection(output_projection, num_symbols, scope.dtype)
        embedding = get_variable("embedding", [num_symbols, embedding_size], dtype=scope.dtype)
        encoder_inputs = [embedding_lookup(embedding, value) for value in encoder_inputs]
        decoder_inputs = [embedding_lookup(embedding, value) for value in decoder_inputs]
        if output_projection is None:
            cell = OutputProjectionWrapper(cell, num_symbols if num_decoder_symbols is None else num_decoder_symbols)

        def decode(feed):
            updates = isinstance(feed_previous, bool)
            loop = embed_best_symbol(embedding, output_projection, updates) if feed else None
            return tied_rnn_seq2seq(encoder_inputs, decoder_inputs, cell, loop_function=loop, dtype=scope.dtype)

        return _decode(feed_previous, decode)


def embedding_attention_seq2seq(
    encoder_inputs,
    decoder_inputs,
    cell,
    num_encoder_symbols,
    num_decoder_symbols,
    embedding_size,
    num_heads=1,
    output_projection=None,
    feed_previous=False,
    dtype=None,
    scope=None,
    initial_state_attention=False,
):
    """`embedding_rnn_seq2seq` whose decoder attends to the outputs of the encoder.

    Args:
      encoder_inputs: A list of int32 `Tensor`s of shape [batch].
      decoder_inputs: A list of int32 `Tensor`s of shape [batch].
      cell: An `RNNCell`; encoder and decoder have variables of their own.
      num_encoder_symbols: An int, the number of symbols of the encoder.
      num_decoder_symbols: An int, the number of symbols of the decoder.
      embedding_size: An int, the size of their vectors.
      num_heads: An int: how many times the encoder's outputs are read.
      output_projection: A pair (weights, biases), of shape [output_size, num_decoder_symbols] and
        [num_decoder_symbols], which turn outputs into scores of symbols; the cell gets a projection by default.
      feed_previous: Whether the symbol with the highest score is the next input: a bool, or a boolean scalar `Tensor`.
      dtype: The type of the variables and of the initial state; that of the variable scope by default.
      scope: Name or `VariableScope` of the variables; "embedding_attention_seq2seq" by default.
      initial_state_attention: Whether the outputs are read with the initial state before the first step.

    Returns:
      A list of the decoder's outputs, and its final state.

    Raises:
      ValueError: The projection has the wrong shape, there are no inputs or no heads, or a size is not known.

    Example:

    >>> cell = tf.nn.rnn_cell.GRUCell(4)
    >>> words, answer = [tf.constant([1, 2])] * 5, [tf.constant([0, 0])] * 3
    >>> outputs, state = tf.contrib.legacy_seq2seq.embedding_attention_seq2seq(words, answer, cell, 10, 20, 8)
    >>> print(len(outputs), outputs[0].shape, state.shape)
    3 (2, 20) (2, 4)
    """
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=dtype) as scope:
        encoder = EmbeddingWrapper(copy.deepcopy(cell), num_encoder_symbols, embedding_size)
        outputs, encoded = static_rnn(encoder, encoder_inputs, dtype=scope.dtype)
        attention_states = concat([reshape(value, [-1, 1, cell.output_size]) for value in outputs], 1)
        output_size = None
        if output_projection is None:
            cell, output_size = OutputProjectionWrapper(cell, num_decoder_symbols), num_decoder_symbols

        def decode(feed):
            return embedding_attention_decoder(
                decoder_inputs,
                encoded,
                attention_states,
                cell,
                num_decoder_symbols,
                embedding_size,
                num_heads=num_heads,
                output_size=output_size,
                output_projection=output_projection,
                feed_previous=feed,
                update_embedding_for_previous=isinstance(feed_previous, bool),
                initial_state_attention=initial_state_attention,
            )

        return _decode(feed_previous, decode)


def one2many_rnn_seq2seq(
    encoder_inputs,
    decoder_inputs_dict,
    enc_cell,
    dec_cells_dict,
    num_encoder_symbols,
    num_decoder_symbols_dict,
    embedding_size,
    feed_previous=False,
    dtype=None,
    scope=None,
):
    """`embedding_rnn_seq2seq` with one encoder and several decoders.

    Source: M.-T. Luong et al., "Multi-task Sequence to Sequence Learning", ICLR 2016.

    Args:
      encoder_inputs: A list of int32 `Tensor`s of shape [batch].
      decoder_inputs_dict: A dict from the name of each decoder to its inputs, a list of int32 `Tensor`s.
      enc_cell: An `RNNCell`, that of the encoder.
      dec_cells_dict: A dict from the name of each decoder to its `RNNCell`.
      num_encoder_symbols: An int, the number of symbols of the encoder.
      num_decoder_symbols_dict: A dict from the name of each decoder to the number of its symbols.
      embedding_size: An int, the size of the symbols' vectors.
      feed_previous: Whether the symbol with the highest score is the next input: a bool, or a boolean scalar `Tensor`.
      dtype: The type of the variables and of the initial state; that of the variable scope by default.
      scope: Name or `VariableScope` of the variables; "one2many_rnn_seq2seq" by default.

    Returns:
      A dict from the name of each decoder to the list of its outputs, and one to its final state.

    Raises:
      TypeError: A cell is not an `RNNCell`.
      ValueError: Cells and inputs are given for different decoders.
      KeyError: A decoder has no number of symbols.
    """
    if not isinstance(enc_cell, RNNCell):
        raise TypeError(f"enc_cell is not an RNNCell: {type(enc_cell)}")
    if set(dec_cells_dict) != set(decoder_inputs_dict):
        raise ValueError(
            "keys of dec_cells_dict != keys of decoder_inputs_dict: "
            f"{list(dec_cells_dict)} and {list(decoder_inputs_dict)}"
        )
    for cell in dec_cells_dict.values():
        if not isinstance(cell, RNNCell):
            raise TypeError(f"dec_cell is not an RNNCell: {type(cell)}")
    outputs, states = {}, {}
    with variable_scope(scope or "one2many_rnn_seq2seq", dtype=dtype) as scope:
        encoder = EmbeddingWrapper(enc_cell, num_encoder_symbols, embedding_size)
        _, encoded = static_rnn(encoder, encoder_inputs, dtype=scope.dtype)
        for name, decoder_inputs in decoder_inputs_dict.items():
            symbols = num_decoder_symbols_dict[name]
            with variable_scope(f"one2many_decoder_{name}"):
                decoder = OutputProjectionWrapper(dec_cells_dict[name], symbols)

                def decode(feed, inputs=decoder_inputs, decoder=decoder, symbols=symbols):
                    return embedding_rnn_decoder(inputs, encoded, decoder, symbols, embedding_size, feed_previous=feed)

                outputs[name], states[name] = _decode(feed_previous, decode)
    return outputs, states


def model_with_buckets(
    encoder_inputs,
    decoder_inputs,
    targets,
    weights,
    buckets,
    seq2seq,
    softmax_loss_function=None,
    per_example_loss=False,
    name=None,
):
    """A model for sequences of several lengths: for each bucket of lengths its outputs and loss, with shared variables.

    Args:
      encoder_inputs: A list of `Tensor`s, the inputs of the encoder.
      decoder_inputs: A list of `Tensor`s, the inputs of the decoder.
      targets: A list of int32 `Tensor`s of shape [batch], the outputs wanted.
      weights: A list of `Tensor`s of shape [batch], 0 where there is only padding.
      buckets: A list of pairs (length of the input, length of the output); the last is the longest.
      seq2seq: A function of encoder and decoder inputs that returns a list of outputs and a state.
      softmax_loss_function: A function of `labels` and `logits`, given by name, instead of the softmax cross entropy.
      per_example_loss: Whether losses are of shape [batch] instead of scalars.
      name: Prefix of the names of the operations (optional).

    Returns:
      A list of the outputs for each bucket, and a list of the losses.

    Raises:
      ValueError: A list is shorter than the last bucket.
    """
    longest_input, longest_output = buckets[-1]
    for what, values, least in (
        ("encoder_inputs", encoder_inputs, longest_input),
        ("targets", targets, longest_output),
        ("weights", weights, longest_output),
    ):
        if len(values) < least:
            raise ValueError(f"Length of {what} ({len(values)}) must be at least that of last bucket ({least}).")
    loss = sequence_loss_by_example if per_example_loss else sequence_loss
    outputs, losses = [], []
    with name_scope(name, "model_with_buckets", encoder_inputs + decoder_inputs + targets + weights):
        for i, (input_length, output_length) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if i else None):
                found, _ = seq2seq(encoder_inputs[:input_length], decoder_inputs[:output_length])
                outputs.append(found)
                wanted = targets[:output_length], weights[:output_length]
                losses.append(loss(found, *wanted, softmax_loss_function=softmax_loss_function))
    return outputs, losses
